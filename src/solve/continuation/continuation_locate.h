/* solve/continuation/continuation_locate.h — special points inside the last step (c->now to c->next). */
#pragma once
#include "solve/continuation/continuation_work.h"

/* Find the special points of the step, sorted along it, into c->order[0 .. c->nevent). CAP_RETRY_NOCONV when
 * the orientation changed but no branch point was found: the step may have jumped. */
cap_status cap_continuation_locate(cap_continuation *c);
/* The special points of a step around a corner: a fold when p turns there, where the two tangents meet. */
void cap_continuation_locate_corner(cap_continuation *c);
/* The point where the step crosses p = limit, with p exact, into the event that is returned; NULL: failed. */
const cap_continuation_event *cap_continuation_locate_limit(cap_continuation *c, double limit);
/* Where along the step the curve passes the run's start; < 0: it does not. */
double cap_continuation_locate_start(cap_continuation *c);
