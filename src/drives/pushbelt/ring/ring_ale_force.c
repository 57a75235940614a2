/* drives/pushbelt/ring/ring_ale_force.c — forces of the `ale` ring; see ring_ale.h. */
#include "drives/pushbelt/ring/ring_ale.h"

#include "laws/sine.h"

#include <math.h>
#include <string.h>

#define NUM         double
#define NUM_NAME(x) real_##x
#define NUM_SIN     capm_sine
#define NUM_COS(x)  capm_sine((x) + 0.5 * M_PI)
#define NUM_SQRT    sqrt
#define NUM_REAL(x) (x)
#include "drives/pushbelt/ring/ring_ale_element.h"

static void add_element(const cap_ring_ale *a, const real_frame *f, const double *q, const double *v,
                        real_motion *m, int e, double *h, real_answer *sum)
{
  real_answer out = {0};
  cap_ring_ale_local(a, q, e, m->q);
  cap_ring_ale_local(a, v, e, m->v);
  real_element(a, f, e, m, &out);
  for (int k = 0; h && k < CAP_RING_ALE_LOCAL; k++) {
    int i = cap_ring_ale_coordinate(a, e, k);
    if (i >= 0) h[i] += out.f[k];
  }
  sum->s += out.s;
  sum->theta += out.theta;
  sum->tension += out.tension;
  sum->bending += out.bending;
  sum->kinetic += out.kinetic;
  sum->lost += out.lost;
}

static real_answer add_plain(const cap_ring_ale *a, const double *q, const double *v, double *h)
{
  cap_ring_frame frame;
  real_frame f;
  real_motion m;
  real_answer sum = {0};
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &frame);
  real_load_frame(&frame, 0.0, &f);
  m.u = cap_ring_ale_speed(a, v, &m.w);
  for (int e = 0; e < a->n; e++) add_element(a, &f, q, v, &m, e, h, &sum);
  if (h && a->travel >= 0) h[a->travel] += sum.s;
  if (h && a->ratio >= 0) h[a->ratio] += sum.theta;
  return sum;
}

void cap_ring_ale_force_plain(const cap_ring_ale *a, const double *q, const double *v, double *h)
{
  add_plain(a, q, v, h);
}

cap_ring_ale_energies cap_ring_ale_force_energies(const cap_ring_ale *a, const double *q, const double *v)
{
  cap_ring_ale fine = *a; /* the square of S q_f' is of the sixth degree */
  fine.coarse = true;
  real_answer sum = add_plain(&fine, q, v, NULL);
  return (cap_ring_ale_energies){sum.tension, sum.bending, sum.kinetic, sum.lost};
}

double cap_ring_ale_force_add(const cap_ring_ale *a, const double *q, const double *v, double *h)
{
  cap_ring_frame frame;
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &frame);
  if (a->document || a->coarse || !isfinite(frame.a.d[0])) return add_plain(a, q, v, h).lost;
  int cut[CAP_RING_PARTS];
  cap_ring_ale_fast_sums fast;
  int n = cap_ring_ale_fast_forces(a, &frame, q, v, h, &fast, cut);
  cap_ring_ale_cut_forces(a, &frame, q, v, n, cut, h, &fast);
  if (a->travel >= 0) h[a->travel] += fast.s;
  if (a->ratio >= 0) h[a->ratio] += fast.theta;
  return fast.lost;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int k = 0; k < b->n; k++) {
    const cap_ring_ale *a = b->bodies[k];
    double lost = cap_ring_ale_force_add(a, e->q, e->v, e->h);
    if (e->ncol) cap_ring_ale_tangent_add(a, e);
    if (e->power) e->power[b->mech_adr + k] = lost;
    if (e->force) {
      cap_ring_ale_energies now = cap_ring_ale_force_energies(a, e->q, e->v);
      double *out = e->force + b->output_adr + k * b->type->noutput;
      out[CAP_RING_ALE_TENSION_ENERGY] = now.tension;
      out[CAP_RING_ALE_BENDING_ENERGY] = now.bending;
      out[CAP_RING_ALE_KINETIC_ENERGY] = now.kinetic;
      e->force[b->elem_adr + k] = 0.0;
    }
  }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int k = 0; k < b->n; k++) {
    cap_ring_ale_energies now = cap_ring_ale_force_energies(b->bodies[k], e->q, e->v);
    stored[0] += now.tension + now.bending;
  }
}

const cap_element_type cap_ring_ale_force_type = {
    .name = "ring-ale",
    .doc = "ring as a curve along which material flows, with superimposed deformation",
    .nmech = 1,
    .noutput = CAP_RING_ALE_NOUTPUT,
    .mech_name = {"damping"},
    .wide = true,
    .rates = rates,
    .energy = energy,
};
