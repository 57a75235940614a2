/* analysis/response/corners.h — the corners of a hysteresis loop: where a slider's deflection turns, and
 * where it starts to slip.
 *
 * A and C: smallest and largest deflection (slip to stick); B and D: slip begins going up, going down (Fig. 4
 * of Bastien et al.). Located by bisection between samples of one period.
 */
#pragma once
#include "base/sink.h"
#include "step/stepper.h"

typedef struct cap_corner {
  char label; /* 'A' to 'D' */
  int slider;
  double time, deflection, force; /* s, m, N */
} cap_corner;

typedef struct cap_corners {
  int n, room;
  cap_corner *list; /* [n] */
} cap_corners;

void cap_corners_free(cap_corners *corners); /* accepts a zeroed one */
/* Along one period from the state in `d`, which is left at the end. */
cap_status cap_corners_find(cap_corners *corners, const cap_model *m, cap_data *d, cap_stepper *stepper,
                            cap_error *error);
cap_status cap_corners_put(const cap_corners *corners, cap_sink *sink, cap_error *error);
