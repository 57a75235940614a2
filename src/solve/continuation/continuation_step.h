/* solve/continuation/continuation_step.h — one accepted step along the curve, from c->now to c->next. */
#pragma once
#include "solve/continuation/continuation_work.h"

/* Try steps from *h downwards until one is accepted, with its tests and special points; *h becomes the length
 * for the next step, *taken the one taken, *corner whether a corner was turned. CAP_RETRY_NOCONV with c->why
 * when even the smallest is refused; < 0 from the problem. */
cap_status cap_continuation_step(cap_continuation *c, double *h, double *taken, bool *corner);
