/* drives/pushbelt/continuum/variator_continuum_sheave.c — see variator_continuum_sheave.h. */
#include "drives/pushbelt/continuum/variator_continuum_sheave.h"

#include <math.h>

enum { HARMONICS = CAP_VARIATOR_CONTINUUM_SHEAVE_HARMONICS, ANGLES = 32, PLACES = 49 };

bool cap_variator_continuum_sheave_rigid(const cap_variator_pulley *pulley)
{
  for (int s = 0; s < CAP_VARIATOR_SHEAVES; s++)
    if (pulley->sheave[s].table || cap_influence_count(&pulley->sheave[s], NULL) > 0) return false;
  return true;
}

/* From the influence at even angles. */
void cap_variator_continuum_sheave_spectrum(const cap_variator_pulley *pulley, double radius, double *C)
{
  double value[ANGLES / 2 + 1];
  for (int k = 0; k <= ANGLES / 2; k++) {
    value[k] = 0.0;
    for (int s = 0; s < CAP_VARIATOR_SHEAVES; s++)
      value[k] += cap_influence_at(&pulley->sheave[s], radius, 2.0 * M_PI * k / ANGLES, radius, 0.0);
  }
  for (int m = 0; m < HARMONICS; m++) {
    double sum = 0.0;
    for (int k = 0; k <= ANGLES / 2; k++)
      sum += (k == 0 || k == ANGLES / 2 ? 1.0 : 2.0) * value[k] *
             cos(2.0 * M_PI * ((m * k) % ANGLES) / ANGLES);
    C[m] = sum / ANGLES * (m == 0 ? 1.0 : 2.0);
  }
}

static double opening(const cap_variator_continuum_sheave *sheave, double psi)
{
  double c = cos(psi), s = sin(psi), even = 1.0, odd = 0.0, sum = 0.0;
  for (int m = 0; m < HARMONICS; m++) {
    sum += sheave->even[m] * even + sheave->odd[m] * odd;
    double next = even * c - odd * s;
    odd = odd * c + even * s;
    even = next;
  }
  return sum;
}

double cap_variator_continuum_sheave_radius(const cap_variator_continuum_sheave *sheave, double wedge,
                                            double psi)
{
  return -opening(sheave, psi) / (2.0 * tan(wedge));
}

/* a . x = b, a symmetric positive definite, 3 x 3, by elimination. */
static void solve3(double a[3][3], double *b)
{
  for (int k = 0; k < 3; k++)
    for (int i = k + 1; i < 3; i++) {
      double f = a[i][k] / a[k][k];
      for (int j = k; j < 3; j++) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  for (int k = 2; k >= 0; k--) {
    for (int j = k + 1; j < 3; j++) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
}

/* Delta and the spiral from the opening along the arc, psi from `from` to `to`. */
static void fit(cap_variator_continuum_sheave *sheave, double from, double to, double wedge, double radius)
{
  double a[3][3] = {{0}}, b[3] = {0}, low = INFINITY, high = -INFINITY;
  for (int k = 0; k < PLACES; k++) {
    double psi = from + (to - from) * k / (PLACES - 1), U = opening(sheave, psi);
    double base[3] = {1.0, cos(psi), sin(psi)}, weight = k == 0 || k == PLACES - 1 ? 0.5 : 1.0;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) a[i][j] += weight * base[i] * base[j];
      b[i] += weight * base[i] * U;
    }
    low = fmin(low, U), high = fmax(high, U);
  }
  solve3(a, b);
  sheave->tilt = b[1] * cos(wedge) * cos(wedge) / radius;
  sheave->spiral = (high - low) / (2.0 * tan(wedge));
}

static void finish(const cap_variator_pulley *pulley, double radius, double wedge, double from, double to,
                   cap_variator_continuum_sheave *sheave)
{
  double C[HARMONICS];
  cap_variator_continuum_sheave_spectrum(pulley, radius, C);
  for (int m = 0; m < HARMONICS; m++) {
    sheave->even[m] *= C[m];
    sheave->odd[m] *= C[m];
  }
  fit(sheave, from, to, wedge, radius);
}

void cap_variator_continuum_sheave_open(const cap_variator_continuum_rule *rule,
                                        const cap_variator_continuum_arc *arc,
                                        const cap_variator_pulley *pulley, double radius, double entry,
                                        cap_variator_continuum_sheave *sheave)
{
  cap_variator_continuum_arc_moments(rule, arc, HARMONICS, sheave->even, sheave->odd);
  for (int m = 0; m < HARMONICS; m++) {
    sheave->even[m] *= entry;
    sheave->odd[m] *= entry;
  }
  finish(pulley, radius, arc->wedge, -arc->centre, arc->wrap - arc->centre, sheave);
}

void cap_variator_continuum_sheave_even(const cap_variator_pulley *pulley, double radius, double wrap,
                                        double wedge, double force, cap_variator_continuum_sheave *sheave)
{
  for (int m = 0; m < HARMONICS; m++) {
    sheave->even[m] = m == 0 ? force : force * 2.0 * sin(0.5 * m * wrap) / (m * wrap);
    sheave->odd[m] = 0.0;
  }
  finish(pulley, radius, wedge, -0.5 * wrap, 0.5 * wrap, sheave);
}
