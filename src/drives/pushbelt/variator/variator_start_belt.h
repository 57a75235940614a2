/* drives/pushbelt/variator/variator_start_belt.h — the elements of a belt along its line.
 *
 * Maths:   docs/theory.md §48.5. Neighbours stand so that rocking edge and head
 *          (drives/pushbelt/contact/press.h) carry the
 * push that is estimated at their place.
 */
#pragma once
#include "drives/pushbelt/variator/variator_start.h"

/* s->place of all elements, without gaps between them; returns what they need more than there is, m. */
double cap_variator_start_belt_place(const cap_variator *v, cap_variator_state *s);
/* The same with gaps, `slack` in all, over the first quarter of the lower strand. */
void cap_variator_start_belt_open(const cap_variator *v, cap_variator_state *s, double slack);
/* Coordinates, velocities and sections by the places. */
void cap_variator_start_belt_move(const cap_variator *v, cap_variator_state *s);
/* Tension of the ring and push between the elements as estimated, N; `place` along the line of the rocking
 * edges, m. */
double cap_variator_start_belt_tension(const cap_variator_state *s, double place);
double cap_variator_start_belt_push(const cap_variator_state *s, double place);
