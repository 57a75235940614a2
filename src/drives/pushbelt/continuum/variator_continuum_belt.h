/* drives/pushbelt/continuum/variator_continuum_belt.h — rings, push forces and endplay of a variator whose
 * net forces are known.
 *
 * Maths:   docs/theory.md §49.5.
 *   ln (T_l / T_u) = lambda,  T = F_T - rho A v^2,   |lambda| <= mu_R phi of the smaller pulley
 *   T = N + P + (m/t) v^2 in each strand,  0 <= P_u,  0 <= P_l,  one of them 0 while there is endplay
 *   endplay = L0 (1 + mean F_T / EA) - 2 pi delta - stack - rolling + compression
 * Without endplay both strands push, so far that it is 0.
 */
#pragma once
#include "drives/pushbelt/continuum/variator_continuum.h"

/* Fill what a point says of rings, push and endplay, from its pulleys, net forces and speed; returns the
 * length of the stretched ring, m. */
double cap_variator_continuum_belt_fill(const cap_variator *v, const cap_variator_continuum_rule *rule,
                                        cap_variator_continuum_point *point);
/* lambda for these radii and tension; *slip (or NULL) receives the slip of the ring on the smaller pulley. */
double cap_variator_continuum_belt_growth(const cap_variator *v, const double *radius, const double *wrap,
                                          double speed, double tension, double *slip);
/* N, mass of the elements along the belt times v^2; of the rings. */
double cap_variator_continuum_belt_inertia(const cap_variator *v, double speed);
double cap_variator_continuum_belt_ring_inertia(const cap_variator *v, double speed);
/* Tension of the ring within an arc, N. */
double cap_variator_continuum_belt_ring_at(const cap_variator *v, const cap_variator_continuum_point *point,
                                           int pulley, double theta);
