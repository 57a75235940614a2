/* analysis/identify_law.c — both hysteresis laws over a steady cycle, for several parameter sets at once. */
#include "analysis/identify_law.h"
#include "laws/masing.h"
#include <math.h>

enum { LANES = CAP_IDENTIFY_LAW_LANES, NODES = 100, LEAST_NODES = 8, MOST_PASSES = 30 };
static const double GRADING = 1.5; /* nodes gather behind the reversal, where the force rises */

/* ---- Dahl ---- */

static void place_nodes(cap_identify_model *m)
{
  const cap_identify_cycle *y = m->cycle;
  for (int j = 0; j < y->nstroke; j++) {
    const int first = m->stroke_adr[j], steps = m->stroke_adr[j + 1] - first - 1;
    for (int i = 0; i <= steps; i++) {
      const double u0 = y->strokes[j].u0, fraction = pow((double)i / steps, GRADING);
      m->node_u[first + i] = i < steps ? u0 + (y->strokes[j].u1 - u0) * fraction : y->strokes[j].u1;
    }
  }
}

/* Cubic Hermite weights of every place, from the graded nodes of its stroke. */
static void weigh_points(cap_identify_model *m)
{
  const cap_identify_cycle *y = m->cycle;
  for (int i = 0; i < m->npoint; i++) {
    const int j = m->stroke_of[i], first = m->stroke_adr[j], steps = m->stroke_adr[j + 1] - first - 1;
    const double length = y->strokes[j].u1 - y->strokes[j].u0;
    const double fraction = fmin(fmax((m->u[i] - y->strokes[j].u0) / length, 0.0), 1.0);
    int k = (int)(steps * pow(fraction, 1.0 / GRADING));
    k = k > steps - 1 ? steps - 1 : k;
    const double *u = m->node_u + first + k, h = u[1] - u[0], s = fmin(fmax((m->u[i] - u[0]) / h, 0.0), 1.0),
                 r = 1.0 - s;
    m->node_of[i] = first + k;
    m->weight[i][0] = (1.0 + 2.0 * s) * r * r;
    m->weight[i][1] = h * s * r * r;
    m->weight[i][2] = (1.0 + 2.0 * r) * s * s;
    m->weight[i][3] = -h * r * s * s;
  }
}

cap_status cap_identify_law_init(cap_identify_model *m, const cap_identify_cycle *cycle, cap_identify_law law,
                                 int npoint, const double *u, const double *v, const int *stroke_of,
                                 cap_arena *arena)
{
  *m = (cap_identify_model){
      .cycle = cycle, .law = law, .npoint = npoint, .u = u, .v = v, .stroke_of = stroke_of};
  if (law != CAP_IDENTIFY_DAHL) return CAP_OK;
  for (int j = 0; j < cycle->nstroke; j++) {
    const double part = fabs(cycle->strokes[j].u1 - cycle->strokes[j].u0) / (cycle->u_max - cycle->u_min);
    const int steps = (int)fmax(ceil(NODES * part), LEAST_NODES);
    m->stroke_adr[j + 1] = m->stroke_adr[j] + steps + 1;
  }
  m->nnode = m->stroke_adr[cycle->nstroke];
  m->node_u = CAP_ARENA_NEW(arena, double, m->nnode);
  m->node_force = cap_arena_array(arena, (size_t)m->nnode, sizeof *m->node_force);
  m->node_slope = cap_arena_array(arena, (size_t)m->nnode, sizeof *m->node_slope);
  m->node_of = CAP_ARENA_NEW(arena, int, npoint);
  m->weight = cap_arena_array(arena, (size_t)npoint, sizeof *m->weight);
  if (!m->node_u || !m->node_force || !m->node_slope || !m->node_of || !m->weight) return CAP_ERR_NOMEM;
  place_nodes(m);
  weigh_points(m);
  return CAP_OK;
}

/* One march round the cycle from start[lane]; end[lane] is where the force comes back to. */
static void march(cap_identify_model *m, const capm_dahl_lanes *p, const double start[LANES],
                  double end[LANES])
{
  const cap_identify_cycle *y = m->cycle;
  for (int j = 0; j < y->nstroke; j++) {
    const int adr = m->stroke_adr[j];
    for (int l = 0; l < LANES; l++) m->node_force[adr][l] = j ? m->node_force[adr - 1][l] : start[l];
    capm_dahl_lanes_march(p, m->stroke_adr[j + 1] - adr - 1, m->node_u + adr, m->node_force + adr,
                          m->node_slope + adr);
  }
  for (int l = 0; l < LANES; l++) end[l] = m->node_force[m->nnode - 1][l];
}

/* The periodic orbit of every lane: march until the force comes back to where it started. A loop that touches
 * its envelopes forgets its start within a cycle; for others the secant through the last two marches saves
 * the wait. */
static void march_to_orbit(cap_identify_model *m, const capm_dahl_lanes *p)
{
  const double u = m->node_u[0];
  double start[LANES], end[LANES], last_start[LANES], last_gap[LANES];
  for (int l = 0; l < LANES; l++) start[l] = 0.5 * (p->a[l] * u + p->b[l] + p->d[l] * u + p->e[l]);
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    double worst = 0.0;
    march(m, p, start, end);
    for (int l = 0; l < LANES; l++) {
      const double gap = end[l] - start[l],
                   slope = pass ? (gap - last_gap[l]) / (start[l] - last_start[l]) : -1.0;
      worst = fabs(gap) > worst ? fabs(gap) : worst;
      last_start[l] = start[l], last_gap[l] = gap;
      start[l] = slope < -1e-3 && slope > -1.5 ? start[l] - gap / slope : end[l];
    }
    if (worst <= 1e-8 * m->cycle->f_range) break;
  }
}

static void dahl_force(cap_identify_model *m, int nlane, double parameters[][CAP_IDENTIFY_PARAMETERS],
                       double *force)
{
  capm_dahl_lanes p;
  for (int l = 0; l < LANES; l++) {
    const double *x = parameters[l < nlane ? l : 0];
    p.a[l] = x[0], p.b[l] = x[1], p.d[l] = x[2], p.e[l] = x[3], p.lambda[l] = x[4], p.mu[l] = x[5];
  }
  march_to_orbit(m, &p);
  for (int i = 0; i < m->npoint; i++) {
    const int k = m->node_of[i];
    const double *w = m->weight[i];
    for (int l = 0; l < nlane; l++)
      force[(size_t)l * m->npoint + i] = w[0] * m->node_force[k][l] + w[1] * m->node_slope[k][l] +
                                         w[2] * m->node_force[k + 1][l] + w[3] * m->node_slope[k + 1][l];
  }
}

/* ---- Masing ---- */

double cap_identify_law_slider(const cap_identify_model *m, double eta, double *w)
{
  const cap_identify_cycle *y = m->cycle;
  double at[CAP_IDENTIFY_CYCLE_STROKES + 1], slipped = 0.0, stick;
  at[y->nstroke] = y->strokes[0].u0 - 0.5 * (y->u_min + y->u_max);
  at[y->nstroke] = capm_coulomb_project(at[y->nstroke], eta);
  for (int pass = 0; pass < 3; pass++) { /* the orbit is reached after one cycle that slips */
    at[0] = at[y->nstroke];
    slipped = 0.0;
    for (int j = 0; j < y->nstroke; j++) {
      const double du = y->strokes[j].u1 - y->strokes[j].u0;
      at[j + 1] = capm_masing_project(at[j], du, eta, &stick);
      slipped += fabs(at[j] + du - at[j + 1]);
    }
  }
  for (int i = 0; i < m->npoint; i++) {
    const int j = m->stroke_of[i];
    w[i] = capm_masing_project(at[j], m->u[i] - y->strokes[j].u0, eta, &stick);
  }
  return slipped;
}

static void masing_force(const cap_identify_model *m, int nlane, double parameters[][CAP_IDENTIFY_PARAMETERS],
                         double *force)
{
  for (int l = 0; l < nlane; l++) {
    const double *x = parameters[l];
    double *f = force + (size_t)l * m->npoint;
    cap_identify_law_slider(m, x[2] / x[0], f);
    for (int i = 0; i < m->npoint; i++)
      f[i] = x[0] * f[i] + capm_linear_force(x[1], x[4], -x[3], m->u[i], m->v[i]);
  }
}

void cap_identify_law_force(cap_identify_model *m, int nlane, double parameters[][CAP_IDENTIFY_PARAMETERS],
                            double *force)
{
  if (m->law == CAP_IDENTIFY_DAHL) dahl_force(m, nlane, parameters, force);
  else masing_force(m, nlane, parameters, force);
}
