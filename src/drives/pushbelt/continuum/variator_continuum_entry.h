/* drives/pushbelt/continuum/variator_continuum_entry.h — how a belt whose rings resist bending sinks into a
 * groove.
 *
 * Maths:   docs/theory.md §49.7. x along the belt, w inward from where flanks begin to touch:
 *   contact   EI w'''' - N w'' + k w = N/R,   k = 2 c sin beta0 (sin beta0 + mu cos beta0)/t
 *   free      curvature 1/R + w'' = kappa_0 exp(x/l),   l = sqrt(EI/N)
 * With x over l and w over N/(R k) one number is left, Pi = sqrt(EI k)/N: the belt dips to Omega(Pi) times
 * the depth that it would sink to without bending stiffness, and from there friction holds it.
 */
#pragma once

/* Omega; 1 for Pi = 0. */
double cap_variator_continuum_entry_dip(double Pi);
/* e_s(0), at most 1: the direction of friction that balances N where the belt has dipped by Omega. */
double cap_variator_continuum_entry_slip(double mu, double wedge, double dip);
