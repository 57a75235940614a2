/* drives/pushbelt/continuum/variator_continuum_flank.h — an arc with compliant flanks.
 *
 * Maths:   docs/theory.md §49.6 (symbols as there)
 *
 * Everything is over the net force at the entry, N_in, and over w_1 = N_in t / (c R sin beta0), the way that
 * flanks sink in under a normal force of N_in a radian: Y = (rho - rho(0)) / w_1, W = u / (2 tan beta0 w_1),
 * P = p / N_in, and the slips a radian z (along the generatrix) and T (along the belt) over w_1.
 *   P = P(0) + W(0) - W - Y                                                      the flank
 *   n = e^L = 2 P h,   h = sin beta0 - mu e_s cos beta0                          radial
 *   L' = mu e_t / h                                                              along the belt
 *   Y' = (z + W' sin^2 / cos - A / cos) / cos,   T = S - Y - A theta             slips
 *   (e_s, e_t) = (z, T) / sqrt(z^2 + T^2 + eps^2)                                friction
 *   W = sum_m a_m cos m theta + b_m sin m theta,   a_m + i b_m = Gamma_m int Q e^(i m theta)
 * Given (Y, L) the second line is an equation of z: a differential-algebraic system of index 1, which Radau's
 * collocation with three stages integrates from the entry (order 5, L-stable), one unknown z a stage. Its
 * derivatives to S and all a_m, b_m go along, so that these are found by Newton's method.
 *
 * Friction that falls with the slip: the second line could have several solutions, so that mu along the arc
 * is that of the slips of the sweeps before (cap_variator_continuum_flank_rub). Friction that rises is found
 * with the slip.
 *
 * Cost: about 0.7 us a step, 80 steps an arc, ten sweeps; two or three from a near solution.
 */
#pragma once
#include "drives/pushbelt/continuum/variator_continuum_arc.h"

/* All that follows from S and the harmonics as they stand. false: the steps came to nothing. */
bool cap_variator_continuum_flank_settle(const cap_variator_continuum_rule *rule,
                                         cap_variator_continuum_arc *arc);
/* Find S and the harmonics. false: none found; the arc is left as it was. */
bool cap_variator_continuum_flank_find(const cap_variator_continuum_rule *rule,
                                       cap_variator_continuum_arc *arc, cap_variator_continuum_aim aim,
                                       double value);
void cap_variator_continuum_flank_curve(const cap_variator_continuum_rule *rule,
                                        const cap_variator_continuum_arc *arc, int n,
                                        const cap_variator_continuum_profile *curve);
/* As cap_variator_continuum_arc_moments. */
void cap_variator_continuum_flank_moments(const cap_variator_continuum_rule *rule,
                                          const cap_variator_continuum_arc *arc, int n, double *even,
                                          double *odd);
/* Where friction falls with the slip: mu along the arc goes this part of the way to that of the slips as they
 * were found; returns the largest change that is left, relative. */
double cap_variator_continuum_flank_rub(const cap_variator_continuum_rule *rule,
                                        cap_variator_continuum_arc *arc, double part);
/* The slips that the opening makes, about. */
double cap_variator_continuum_flank_scale(const cap_variator_continuum_rule *rule,
                                          const cap_variator_continuum_arc *arc);
