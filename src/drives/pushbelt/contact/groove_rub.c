/* drives/pushbelt/contact/groove_rub.c — see groove_part.h: velocities, dampers, friction, and all forces.
 *
 * Velocities are those of the middle of a step, places those of its end: the radial speed of a point that
 * goes round is too large there by (h/2) (along^2/rho - turn^2 e.arm), which is taken off.
 *
 * Friction: bristles z of three directions (along the belt, along the generatrix, drilling times the radius
 * of gyration) with one stiffness k; trial = k (z + h g) + d g; where a patch that is pressed evenly cannot
 * have that force, it has the nearest one that it can (laws/patch.h), and z returns to it.
 */
#include "drives/pushbelt/contact/groove_part.h"
#include "laws/pow.h"

#include <math.h>

cap_groove_rub cap_groove_rub_law(const cap_groove *g, double h)
{
  const capm_friction *mu = &g->v->contact.flank_friction;
  cap_groove_rub r = {.k = g->shear,
                      .per_k = 1.0 / g->shear,
                      .d = g->shear * g->damping,
                      .keep = g->damping > 0.0 ? exp(-h / g->damping) : 0.0,
                      .h = h,
                      .half = 0.5 * h,
                      .damper = g->stiffness * g->damping,
                      .patch = g->patch,
                      .gyration = g->gyration,
                      .per_cosine = 1.0 / cos(g->v->wedge),
                      .mu = capm_friction_lane_of(mu, false),
                      .form = capm_friction_form_of(mu)};
  return r;
}

/* One bristle after its return: the deflection at the end of the step, and what it lost. What the mean of the
 * forces before (its own, k z) and after does beyond the energy of the bristle is lost; while it sticks that
 * is what its damper takes. */
CAP_INLINE double settle(const cap_groove_rub *r, double z, double g, double force, double slides,
                         double touches, double *lost, double *damped)
{
  const double rest = force * r->per_k, slid = rest + (z - rest) * r->keep;
  const double moved = slides > 0.0 ? slid : z + r->h * g, next = touches > 0.0 ? moved : 0.0;
  const double change = 0.5 * r->k * ((z - next) * (z + next));
  *lost = slides > 0.0 ? r->half * ((r->k * z + force) * g) + change : 0.0;
  *damped += slides > 0.0 ? 0.0 : r->h * (r->d * g) * g;
  return next;
}

/* What is wanted of a kernel, known when it is compiled. */
typedef struct want {
  capm_friction_form form;
  bool cone, coupled;
  bool first; /* of an element's points */
  bool shown;
  bool held; /* friction is what z says, in N */
} want;

enum { LANES = CAP_GROOVE_LANES };

/* Sums over the contacts, lane by lane. */
typedef struct sums {
  double torque[LANES], closing[LANES], lost[CAP_GROOVE_NLOSS][LANES];
} sums;

/* All contacts of one point of the elements, from `from` on, eight at a time. */
CAP_INLINE void rub(const cap_groove_rub *restrict r, const cap_groove_pass *restrict w, int from,
                    sums *restrict sum, want k)
{
  const double *restrict vx = w->vx, *restrict vy = w->vy, *restrict turn = w->turn;
  const double *restrict ex = w->ex + from, *restrict ey = w->ey + from, *restrict rho = w->rho + from;
  const double *restrict reach = w->reach + from, *restrict ax = w->ax + from, *restrict ay = w->ay + from;
  const double *restrict all_nx = w->nx + from, *restrict all_nr = w->nr + from;
  const double *restrict bend = w->bend + from, *restrict lambda = w->lambda + from;
  const double *restrict other = w->g->coupled ? lambda : w->other + from;
  const double *restrict along_r = w->along_r + from, *restrict along_phi = w->along_phi + from;
  const double *restrict deflected = w->deflected + from;
  double *restrict z0 = w->z0 + from, *restrict z1 = w->z1 + from, *restrict z2 = w->z2 + from;
  double *restrict f0 = w->f0 + from, *restrict f1 = w->f1 + from, *restrict f2 = w->f2 + from;
  double *restrict f3 = w->f3 + from, *restrict to_g1 = w->g1 + from, *restrict to_g2 = w->g2 + from;
  double *restrict to_limit = w->limit + from;
  double *restrict torque = w->torque + from, *restrict closing = w->closing + from;
  double *restrict fx = w->fx, *restrict fy = w->fy, *restrict moment = w->moment;
  const double omega = w->omega, dz = w->dz, ell = r->gyration, sphere = w->p->radius;
  const double cosine = w->p->cosine, sine = w->p->sine, slope = r->k * r->h + r->d;
  const int n = w->n;
  for (int block = 0; block < n; block += CAPM_PATCH_MANY) {
    const int count = n - block < CAPM_PATCH_MANY ? n - block : CAPM_PATCH_MANY;
    capm_patch_lanes g0, g1, g2, g3, elastic, normal, limit, trial[3], slip[3], force[3], slides;
    CAP_EACH_LANE(l, count)
    {
      const int i = block + l;
      const double nx = k.cone ? cosine : all_nx[i], nr = k.cone ? sine : all_nr[i];
      const double ux = vx[i] - turn[i] * ay[i], uy = vy[i] + turn[i] * ax[i], per = 1.0 / rho[i];
      const double along = ex[i] * uy - ey[i] * ux, lever = ex[i] * ax[i] + ey[i] * ay[i];
      const double late = along * along * per - turn[i] * turn[i] * lever;
      const double radial = ex[i] * ux + ey[i] * uy - r->half * late, spin = turn[i] - omega;
      g0[l] = nr * radial - 0.5 * nx * dz, g2[l] = nx * radial + 0.5 * nr * dz;
      g1[l] = along - turn[i] * (rho[i] - reach[i]) - omega * reach[i], g3[l] = ell * nx * spin;

      const double axial = k.coupled ? lambda[i] : 0.5 * (lambda[i] + other[i]);
      elastic[l] = k.cone ? axial * r->per_cosine : axial / nx;
      const double damped = elastic[l] - r->damper * g0[l], clipped = damped > 0.0 ? damped : 0.0;
      normal[l] = elastic[l] > 0.0 ? clipped : 0.0;
      const double mu = capm_friction_lane_at(&r->mu, g1[l] * g1[l] + g2[l] * g2[l], k.form, false);
      limit[l] = 2.0 * mu * normal[l];
      if (!k.held) {
        slip[0][l] = slope * g1[l], slip[1][l] = slope * g2[l], slip[2][l] = slope * g3[l];
        trial[0][l] = r->k * z0[i] + slip[0][l], trial[1][l] = r->k * z1[i] + slip[1][l];
        trial[2][l] = r->k * z2[i] + slip[2][l];
      }
    }
    if (!k.held)
      capm_patch_return(&r->patch, count, (const capm_patch_lanes *)trial, (const capm_patch_lanes *)slip,
                        limit, force, slides);
    for (int eight = 0; eight < count; eight += LANES) CAP_EACH_LANE(lane, LANES)
      {
        const int l = eight + lane;
        const int i = block + l;
        const double nx = k.cone ? cosine : all_nx[i], nr = k.cone ? sine : all_nr[i], per = 1.0 / rho[i];
        const double s1 = k.held ? -z0[i] : force[0][l], s2 = k.held ? -z1[i] : force[1][l];
        const double s3 = k.held ? -z2[i]
                                 : force[2][l]; /* shown; where a stepper finds them they do not act */
        const double r1 = k.held ? r->acts * s1 : s1, r2 = k.held ? r->acts * s2 : s2;
        const double r3 = k.held ? r->acts * s3 : s3;
        double lost = r->h * (2.0 * (elastic[l] - normal[l])) * g0[l], lost0, lost1, lost2;
        if (!k.held) {
          z0[i] = settle(r, z0[i], g1[l], r1, slides[l], limit[l], &lost0, &lost);
          z1[i] = settle(r, z1[i], g2[l], r2, slides[l], limit[l], &lost1, &lost);
          z2[i] = settle(r, z2[i], g3[l], r3, slides[l], limit[l], &lost2, &lost);
          sum->lost[CAP_GROOVE_LOSS_LONGITUDINAL][lane] += lost0;
          sum->lost[CAP_GROOVE_LOSS_RADIAL][lane] += lost1;
          sum->lost[CAP_GROOVE_LOSS_DRILLING][lane] += lost2;
        }
        sum->lost[CAP_GROOVE_LOSS_DAMPING][lane] += lost;

        double out = 2.0 * nr * normal[l] - nx * r2 + along_r[i];
        double axially = -0.5 * (nr * r2 + 2.0 * nx * normal[l]);
        if (!k.cone) {
          const double steep = -nx / nr; /* of the contour: dr/dx */
          const double foot = bend[i] * (sphere * steep * along_r[i] - deflected[i] / nx);
          out += foot * steep;
          axially -= 0.5 * foot;
        }
        const double round = along_phi[i] * per - r1, drill = ell * nx * r3, twist = -reach[i] * r1 - drill;
        const double px = ex[i] * out - ey[i] * round, py = ey[i] * out + ex[i] * round;
        const double twisted = ax[i] * py - ay[i] * px + (rho[i] - reach[i]) * r1 - drill;
        fx[i] = (k.first ? 0.0 : fx[i]) + px;
        fy[i] = (k.first ? 0.0 : fy[i]) + py;
        moment[i] = (k.first ? 0.0 : moment[i]) + twisted;
        sum->torque[lane] += twist;
        sum->closing[lane] += axially;
        f0[i] = normal[l];
        if (k.shown) {
          const double drilled = k.held ? ell * nx * s3 : drill;
          f1[i] = -s1, f2[i] = -s2, f3[i] = -drilled;
          to_g1[i] = g1[l], to_g2[i] = g2[l];
          torque[i] = k.held ? -reach[i] * s1 - drilled : twist;
          closing[i] = k.held ? axially - 0.5 * nr * (s2 - r2) : axially;
          to_limit[i] = limit[l];
        }
      }
  }
}

static double sum_lanes(const double *a)
{
  return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

/* What is known of all contacts makes the kernel shorter. */
CAP_CLONES static void rub_fast(const cap_groove_rub *r, const cap_groove_pass *w, sums *sum)
{
  rub(r, w, 0, sum, (want){.form = CAPM_FRICTION_CONSTANT, .cone = true, .coupled = true, .first = true});
}

CAP_INLINE void rub_any(const cap_groove_rub *r, const cap_groove_pass *w, sums *sum, capm_friction_form form)
{
  bool cone = !w->p->given->curved;
  for (int point = 0; point < w->g->points; point++)
    if (cone && point == 0) rub(r, w, point * w->n, sum, (want){form, true, false, true, true, false});
    else if (cone) rub(r, w, point * w->n, sum, (want){form, true, false, false, true, false});
    else if (point == 0) rub(r, w, point * w->n, sum, (want){form, false, false, true, true, false});
    else rub(r, w, point * w->n, sum, (want){form, false, false, false, true, false});
}

/* One kernel for each form of the friction curve. */
#define RUB(name)                                                                                            \
  CAP_CLONES static void rub_##name(const cap_groove_rub *r, const cap_groove_pass *w, sums *sum)            \
  {                                                                                                          \
    rub_any(r, w, sum, CAPM_FRICTION_##name);                                                                \
  }
CAPM_FRICTION_FORMS(RUB)

/* Set-valued friction: one point, on cones. */
CAP_CLONES static void rub_held(const cap_groove_rub *r, const cap_groove_pass *w, sums *sum)
{
  switch (r->form) {
#define HELD(name)                                                                                           \
  case CAPM_FRICTION_##name:                                                                                 \
    rub(r, w, 0, sum, (want){CAPM_FRICTION_##name, true, false, true, true, true});                          \
    break;
    CAPM_FRICTION_FORMS(HELD)
  }
}

void cap_groove_rub_all(const cap_groove_rub *law, cap_groove_pass *w, bool shown)
{
  typedef void kernel(const cap_groove_rub *r, const cap_groove_pass *w, sums *sum);
#define KERNEL(name) rub_##name,
  static kernel *const by_form[] = {CAPM_FRICTION_FORMS(KERNEL)};
  const bool fast = !shown && w->g->coupled && !w->p->given->curved && w->g->points == 1;
  sums sum = {0};
  if (w->g->held) rub_held(law, w, &sum);
  else if (fast && law->form == CAPM_FRICTION_CONSTANT) rub_fast(law, w, &sum);
  else by_form[law->form](law, w, &sum);
  w->on_rotation = sum_lanes(sum.torque);
  w->on_closing = sum_lanes(sum.closing);
  for (int m = 0; m < CAP_GROOVE_NLOSS; m++) w->lost[m] = sum_lanes(sum.lost[m]);
}
