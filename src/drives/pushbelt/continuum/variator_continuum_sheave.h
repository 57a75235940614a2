/* drives/pushbelt/continuum/variator_continuum_sheave.h — how far the groove of a pulley opens under the
 * forces of an arc.
 *
 * Maths:   docs/theory.md §49.4. With both sheaves' influence numbers at one radius,
 *   C(dphi) = sum_m C_m cos m dphi,
 * the groove widens by
 *   U = sum_m C_m (E_m cos m psi + O_m sin m psi), psi = theta - theta_c,
 * where E_m + i O_m = int q e^(i m psi): exact for influence by functions. Sattler's tilt that comes nearest,
 * Delta, is that of the cosine in the least-squares fit of 1, cos psi and sin psi to U over the arc.
 */
#pragma once
#include "drives/pushbelt/continuum/variator_continuum_arc.h"
#include "drives/pushbelt/description/variator.h"

enum { CAP_VARIATOR_CONTINUUM_SHEAVE_HARMONICS = CAP_VARIATOR_CONTINUUM_HARMONICS };

typedef struct cap_variator_continuum_sheave {
  double tilt;                                          /* rad, Delta */
  double even[CAP_VARIATOR_CONTINUUM_SHEAVE_HARMONICS]; /* m: C_m E_m, C_m O_m */
  double odd[CAP_VARIATOR_CONTINUUM_SHEAVE_HARMONICS];
  double spiral; /* m: largest less smallest radius */
} cap_variator_continuum_sheave;

/* Neither of the sheaves is compliant. */
bool cap_variator_continuum_sheave_rigid(const cap_variator_pulley *pulley);

/* C_m, m/N, of both sheaves at one radius, m = 0 to the last harmonic. */
void cap_variator_continuum_sheave_spectrum(const cap_variator_pulley *pulley, double radius, double *C);

/* Under an arc that is settled, at the radius of the flanks; `entry` is N_in. */
void cap_variator_continuum_sheave_open(const cap_variator_continuum_rule *rule,
                                        const cap_variator_continuum_arc *arc,
                                        const cap_variator_pulley *pulley, double radius, double entry,
                                        cap_variator_continuum_sheave *sheave);
/* The same under a force that is spread evenly over the arc; theta_c is its middle. */
void cap_variator_continuum_sheave_even(const cap_variator_pulley *pulley, double radius, double wrap,
                                        double wedge, double force, cap_variator_continuum_sheave *sheave);
/* m: how far the belt lies outward of a groove that does not open, at psi. */
double cap_variator_continuum_sheave_radius(const cap_variator_continuum_sheave *sheave, double wedge,
                                            double psi);
