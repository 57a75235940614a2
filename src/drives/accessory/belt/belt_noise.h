/* drives/accessory/belt/belt_noise.h — what makes a belt drive heard: spans in resonance, belts that enter
 * askew.
 *
 * Maths:   docs/theory.md §32.3 and §32.4
 * Cost:    some nanoseconds a span; allocates nothing.
 *
 * Indicators: they say where to look, not how loud it is.
 */
#pragma once
#include "drives/accessory/belt/belt_statics.h"

/* Hz: the n-th frequency of a span between fixed ends, as a string that moves with the belt, its bending
 * stiffness counted as tension (exact for a pinned span at rest). Masses and speed as in
 * drives/accessory/belt/belt_modes.h. */
double cap_belt_noise_frequency(const cap_belt *belt, const cap_belt_statics *s, int span, int n);

/* Of the span that leaves a pulley; all small angles. */
typedef struct cap_belt_noise_entry {
  double entry;    /* rad, between the span and the plane of the pulley that it enters; away from the viewer
                    * negative */
  double exit;     /* rad, the same at the pulley that it leaves */
  double position; /* m, of the belt on the pulley that it enters, from that pulley's middle */
} cap_belt_noise_entry;

/* Grooves hold the belt in the plane of their pulley. On the back nothing does: there a belt walks until it
 * enters square to the axle, so that it is askew at the next grooved pulley instead. */
void cap_belt_noise_entries(const cap_belt *belt, const cap_belt_path *path,
                            cap_belt_noise_entry entries[CAP_BELT_PATH_MOST]);
