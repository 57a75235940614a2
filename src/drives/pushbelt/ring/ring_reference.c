/* drives/pushbelt/ring/ring_reference.c — see ring_reference.h. */
#include "drives/pushbelt/ring/ring_reference.h"
#include "base/whole.h"

#include <math.h>
#include <stddef.h>

enum { CELLS = 256, NEWTON_START = 40 };

/* R(psi), and Theta(psi) by the closing condition. */
static double mean_radius(const cap_ring_reference *ref, double psi)
{
  return (0.5 * ref->length - ref->distance * (cos(psi) + psi * sin(psi))) / M_PI;
}

static double theta_of(const cap_ring_reference *ref, double psi)
{
  return ref->distance * sin(psi) / (2.0 * mean_radius(ref, psi));
}

/* d Theta / d psi, from 2 R Theta = d sin psi and R' = -d psi cos psi / pi */
static double theta_slope(const cap_ring_reference *ref, double psi, double theta)
{
  double slope = ref->distance * cos(psi) * (1.0 + 2.0 * theta * psi / M_PI);
  return slope / (2.0 * mean_radius(ref, psi));
}

bool cap_ring_reference_create(cap_ring_reference *ref, double length, double distance, cap_arena *arena)
{
  *ref = (cap_ring_reference){.length = length, .distance = distance, .ncell = CELLS};
  if (distance == 0.0) return true;
  /* strands vanish at psi = pi/2, the smaller arc at Theta = 1; of axes farther apart than length/pi the mean
   * radius R vanishes before the strands, and Theta passes 1 on the way there */
  ref->theta_most = 0.99;
  if (mean_radius(ref, 0.49 * M_PI) > 0.0) ref->theta_most *= fmin(1.0, theta_of(ref, 0.49 * M_PI));
  double *table = CAP_ARENA_NEW(arena, double, 2 * (CELLS + 1)), psi = 0.0;
  if (!table) return false;
  for (int k = CELLS / 2; k <= CELLS; k++) {
    double theta = ref->theta_most * (2.0 * k - CELLS) / CELLS;
    for (int i = 0; i < NEWTON_START; i++) {
      double now = theta_of(ref, psi), step = (theta - now) / theta_slope(ref, psi, now);
      psi += step;
      if (fabs(step) < 1e-16) break;
    }
    double slope = 1.0 / theta_slope(ref, psi, theta);
    table[2 * k] = psi;
    table[2 * (CELLS - k)] = -psi; /* psi is odd */
    table[2 * k + 1] = table[2 * (CELLS - k) + 1] = slope;
  }
  ref->table = table;
  return true;
}

/* psi by the table, to 1e-10. */
static double first_guess(const cap_ring_reference *ref, double theta)
{
  double width = 2.0 * ref->theta_most / ref->ncell, at = (theta + ref->theta_most) / width;
  int k = capm_whole_between(at, 0, ref->ncell - 1);
  const double *p = ref->table + 2 * k;
  double x = at - k, y = 1.0 - x;
  return y * y * ((1.0 + 2.0 * x) * p[0] + x * width * p[1]) +
         x * x * ((1.0 + 2.0 * y) * p[2] - y * width * p[3]);
}

/* Products and chains of jets, as Leibniz and Faa di Bruno have them. */
static capm_ring_jet times(capm_ring_jet a, capm_ring_jet b)
{
  return (capm_ring_jet){{a.d[0] * b.d[0], a.d[1] * b.d[0] + a.d[0] * b.d[1],
                          a.d[2] * b.d[0] + 2.0 * a.d[1] * b.d[1] + a.d[0] * b.d[2],
                          a.d[3] * b.d[0] + 3.0 * (a.d[2] * b.d[1] + a.d[1] * b.d[2]) + a.d[0] * b.d[3]}};
}

/* Of a function with the derivatives f[4] over x. */
static capm_ring_jet chain(const double f[CAPM_RING_ORDERS], capm_ring_jet x)
{
  return (capm_ring_jet){{f[0], f[1] * x.d[1], f[2] * x.d[1] * x.d[1] + f[1] * x.d[2],
                          f[3] * x.d[1] * x.d[1] * x.d[1] + 3.0 * f[2] * x.d[1] * x.d[2] + f[1] * x.d[3]}};
}

static capm_ring_jet plus(capm_ring_jet a, double factor, capm_ring_jet b)
{
  for (int k = 0; k < CAPM_RING_ORDERS; k++) a.d[k] += factor * b.d[k];
  return a;
}

static void circle(const cap_ring_reference *ref, double theta, cap_ring_frame *f)
{
  *f = (cap_ring_frame){.cosine = 1.0};
  f->rS.d[0] = f->rP.d[0] = theta == 0.0 ? ref->length / (2.0 * M_PI) : NAN;
  f->a.d[0] = f->c.d[0] = 2.0 * ref->length; /* the secondary arc is all of it */
}

void cap_ring_reference_at(const cap_ring_reference *ref, double theta, cap_ring_frame *f)
{
  if (!ref->table) {
    circle(ref, theta, f);
    return;
  }
  double d = ref->distance, psi = fabs(theta) <= ref->theta_most ? first_guess(ref, theta) : NAN, s, c, R;
  double inverse = 1.0 / M_PI;
  for (int k = 0; k < 2; k++) { /* the second turn only makes sine, cosine and R those of the better psi */
    s = sin(psi);
    c = cos(psi);
    R = (0.5 * ref->length - d * (c + psi * s)) * inverse;
    if (k == 0) psi += (2.0 * R * theta - d * s) / (d * c * (1.0 + 2.0 * theta * psi * inverse));
  }
  f->sine = s;
  f->cosine = c;
  /* derivatives of R over psi, and of Theta = d s / (2 R) from 2 R Theta = d s */
  double R1 = -d * psi * c * inverse, R2 = -d * (c - psi * s) * inverse,
         R3 = d * (2.0 * s + psi * c) * inverse;
  double half = 0.5 / R;
  double t1 = half * (d * c - 2.0 * R1 * theta);
  double t2 = half * (-d * s - 2.0 * R2 * theta - 4.0 * R1 * t1);
  double t3 = half * (-d * c - 2.0 * R3 * theta - 6.0 * R2 * t1 - 6.0 * R1 * t2);
  /* of the inverse function */
  double p1 = 1.0 / t1, p2 = -t2 * p1 * p1 * p1, p3 = (3.0 * t2 * t2 - t1 * t3) * p1 * p1 * p1 * p1 * p1;
  f->psi = (capm_ring_jet){{psi, p1, p2, p3}};
  capm_ring_jet mean = chain((double[]){R, R1, R2, R3}, f->psi);
  capm_ring_jet minus = {{1.0 - theta, -1.0, 0.0, 0.0}}, more = {{1.0 + theta, 1.0, 0.0, 0.0}};
  capm_ring_jet quarter = {{0.5 * M_PI - psi, -p1, -p2, -p3}};
  f->rS = times(mean, minus);
  f->rP = times(mean, more);
  f->a = times(f->rS, quarter);
  f->c = plus(f->a, d, chain((double[]){c, -s, -c, s}, f->psi));
}

int cap_ring_reference_part(const cap_ring_reference *ref, const cap_ring_frame *f, double xi)
{
  double L = ref->length, a = f->a.d[0], c = f->c.d[0];
  if (xi < c) return xi < a ? CAP_RING_PART_S : CAP_RING_PART_UPPER;
  return xi < L - c ? CAP_RING_PART_P : xi < L - a ? CAP_RING_PART_LOWER : CAP_RING_PART_S;
}

#define NUM         double
#define NUM_NAME(x) real_##x
#define NUM_SIN     sin
#define NUM_COS     cos
#include "drives/pushbelt/ring/ring_reference_place.h"

void cap_ring_reference_place(const cap_ring_reference *ref, const cap_ring_frame *f, int part, double xi,
                              cap_ring_place *p)
{
  real_frame frame;
  real_place place;
  real_load_frame(f, 0.0, &frame);
  /* the secondary arc goes on beyond xi = 0 */
  real_place_at(ref, &frame, part, part == CAP_RING_PART_S && xi > 0.5 * ref->length ? xi - ref->length : xi,
                &place);
  for (int i = 0; i < 2; i++) {
    p->r[i] = place.r[i];
    p->r1[i] = place.r1[i];
    p->r2[i] = place.r2[i];
    p->r3[i] = place.r3[i];
    p->rT[i] = place.rT[i];
    p->r1T[i] = place.r1T[i];
    p->r2T[i] = place.r2T[i];
    p->rTT[i] = place.rTT[i];
  }
}
