/* drives/pushbelt/contact/groove_rub.c — see groove_part.h: velocities, dampers, friction, and all forces.
 *
 * Velocities are those of the middle of a step, places those of its end: the radial speed of a point that
 * goes round is too large there by (h/2) (along^2/rho - turn^2 e.arm), which is taken off.
 *
 * Friction: bristles z of three directions (along the belt, along the generatrix, drilling times the radius
 * of gyration) with one stiffness k; trial = k (z + h g) + d g; |force| <= 2 mu N, else the force is along
 * the trial and z returns to it (radial return).
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
  for (int block = 0; block < n; block += LANES) CAP_EACH_LANE(l, LANES)
    {
      const int i = block + l;
      const double nx = k.cone ? cosine : all_nx[i], nr = k.cone ? sine : all_nr[i];
      const double ux = vx[i] - turn[i] * ay[i], uy = vy[i] + turn[i] * ax[i], per = 1.0 / rho[i];
      const double along = ex[i] * uy - ey[i] * ux, lever = ex[i] * ax[i] + ey[i] * ay[i];
      const double late = along * along * per - turn[i] * turn[i] * lever;
      const double radial = ex[i] * ux + ey[i] * uy - r->half * late, spin = turn[i] - omega;
      const double g0 = nr * radial - 0.5 * nx * dz, g2 = nx * radial + 0.5 * nr * dz;
      const double g1 = along - turn[i] * (rho[i] - reach[i]) - omega * reach[i], g3 = ell * nx * spin;

      const double axial = k.coupled ? lambda[i] : 0.5 * (lambda[i] + other[i]);
      const double elastic = k.cone ? axial * r->per_cosine : axial / nx, damped = elastic - r->damper * g0;
      const double clipped = damped > 0.0 ? damped : 0.0, normal = elastic > 0.0 ? clipped : 0.0;
      const double mu = capm_friction_lane_at(&r->mu, g1 * g1 + g2 * g2, k.form, false);
      const double limit = 2.0 * mu * normal;
      const double t1 = r->k * z0[i] + slope * g1, t2 = r->k * z1[i] + slope * g2;
      const double t3 = r->k * z2[i] + slope * g3, size = sqrt(t1 * t1 + t2 * t2 + t3 * t3);
      const double slides = size > limit ? 1.0 : 0.0, part = size > limit ? limit / size : 1.0;
      const double s1 = k.held ? -z0[i] : part * t1, s2 = k.held ? -z1[i] : part * t2;
      const double s3 = k.held ? -z2[i] : part * t3; /* shown; where a stepper finds them they do not act */
      const double r1 = k.held ? r->acts * s1 : s1, r2 = k.held ? r->acts * s2 : s2;
      const double r3 = k.held ? r->acts * s3 : s3;
      double lost = r->h * (2.0 * (elastic - normal)) * g0, lost0, lost1, lost2;
      if (!k.held) {
        z0[i] = settle(r, z0[i], g1, r1, slides, limit, &lost0, &lost);
        z1[i] = settle(r, z1[i], g2, r2, slides, limit, &lost1, &lost);
        z2[i] = settle(r, z2[i], g3, r3, slides, limit, &lost2, &lost);
        sum->lost[CAP_GROOVE_LOSS_LONGITUDINAL][l] += lost0;
        sum->lost[CAP_GROOVE_LOSS_RADIAL][l] += lost1;
        sum->lost[CAP_GROOVE_LOSS_DRILLING][l] += lost2;
      }
      sum->lost[CAP_GROOVE_LOSS_DAMPING][l] += lost;

      double out = 2.0 * nr * normal - nx * r2 + along_r[i], axially = -0.5 * (nr * r2 + 2.0 * nx * normal);
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
      sum->torque[l] += twist;
      sum->closing[l] += axially;
      f0[i] = normal;
      if (k.shown) {
        const double drilled = k.held ? ell * nx * s3 : drill;
        f1[i] = -s1, f2[i] = -s2, f3[i] = -drilled;
        to_g1[i] = g1, to_g2[i] = g2;
        torque[i] = k.held ? -reach[i] * s1 - drilled : twist;
        closing[i] = k.held ? axially - 0.5 * nr * (s2 - r2) : axially;
        to_limit[i] = limit;
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
