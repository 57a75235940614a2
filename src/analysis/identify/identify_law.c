/* analysis/identify/identify_law.c — both hysteresis laws over a steady cycle, for several parameter sets at
 * once. */
#include "analysis/identify/identify_law.h"
#include "laws/masing.h"
#include <math.h>

enum {
  LANES = CAP_IDENTIFY_LAW_LANES,
  UNKNOWNS = CAP_IDENTIFY_LAW_UNKNOWNS,
  NODES = 100,
  LEAST_NODES = 8,
  MOST_PASSES = 30
};
static const double GRADING = 1.5; /* nodes gather behind the reversal, where the force rises */

/* ---- pieces ---- */

/* Strokes of the orbit; with a lead also the rest of the stroke of the first sample and the
 * strokes after it. */
static void list_strokes(cap_identify_model *m, const int *stroke_of, bool lead)
{
  const cap_identify_cycle *y = m->cycle;
  const int n = y->nstroke;
  for (int j = 0; j < n; j++) m->piece_u0[j] = y->strokes[j].u0, m->piece_u1[j] = y->strokes[j].u1;
  for (int i = 0; i < m->npoint; i++) m->piece_of[i] = stroke_of[i];
  if (!lead) return;
  for (int k = 0; k < n; k++) {
    const int j = (stroke_of[0] + k) % n;
    m->piece_u0[n + k] = k ? y->strokes[j].u0 : m->u[0];
    m->piece_u1[n + k] = y->strokes[j].u1;
  }
  int gone = 0; /* strokes ended since the first sample */
  for (int i = 0; i < m->npoint; i++) {
    while ((stroke_of[0] + gone) % n != stroke_of[i]) gone++;
    if (gone >= n) break;
    m->piece_of[i] = n + gone;
  }
}

/* The record from reversal to reversal. */
static void list_record(cap_identify_model *m)
{
  const cap_identify_cycle *y = m->cycle;
  for (int j = 0; j <= y->nturn; j++) {
    m->piece_u0[j] = j ? y->turn_u[j - 1] : m->u[0];
    m->piece_u1[j] = y->turn_u[j];
  }
  for (int i = 0; i < m->npoint; i++) m->piece_of[i] = y->piece_of[i];
}

static cap_status list_pieces(cap_identify_model *m, const int *stroke_of, bool lead, cap_arena *arena)
{
  const cap_identify_cycle *y = m->cycle;
  const bool record = lead && y->recorded;
  m->norbit = record ? 0 : y->nstroke;
  m->npiece = record ? y->nturn + 1 : lead ? 2 * y->nstroke : y->nstroke;
  m->piece_of = CAP_ARENA_NEW(arena, int, m->npoint);
  m->piece_u0 = CAP_ARENA_NEW(arena, double, m->npiece);
  m->piece_u1 = CAP_ARENA_NEW(arena, double, m->npiece);
  m->piece_w = CAP_ARENA_NEW(arena, double, m->npiece);
  m->piece_adr = CAP_ARENA_NEW(arena, int, m->npiece + 1);
  if (!m->piece_of || !m->piece_u0 || !m->piece_u1 || !m->piece_w || !m->piece_adr) return CAP_ERR_NOMEM;
  if (record) list_record(m);
  else list_strokes(m, stroke_of, lead);
  return CAP_OK;
}

/* ---- Dahl ---- */

static void place_nodes(cap_identify_model *m)
{
  for (int j = 0; j < m->npiece; j++) {
    const int first = m->piece_adr[j], steps = m->piece_adr[j + 1] - first - 1;
    for (int i = 0; i <= steps; i++) {
      const double u0 = m->piece_u0[j], fraction = pow((double)i / steps, GRADING);
      m->node_u[first + i] = i < steps ? u0 + (m->piece_u1[j] - u0) * fraction : m->piece_u1[j];
    }
  }
}

/* Cubic Hermite weights of every place, from the graded nodes of its piece. */
static void weigh_points(cap_identify_model *m)
{
  for (int i = 0; i < m->npoint; i++) {
    const int j = m->piece_of[i], first = m->piece_adr[j], steps = m->piece_adr[j + 1] - first - 1;
    const double length = m->piece_u1[j] - m->piece_u0[j];
    const double part = length != 0.0 ? (m->u[i] - m->piece_u0[j]) / length : 0.0,
                 fraction = fmin(fmax(part, 0.0), 1.0);
    int k = (int)(steps * pow(fraction, 1.0 / GRADING));
    k = k > steps - 1 ? steps - 1 : k;
    const double *u = m->node_u + first + k, h = u[1] - u[0];
    const double s = h != 0.0 ? fmin(fmax((m->u[i] - u[0]) / h, 0.0), 1.0) : 0.0, r = 1.0 - s;
    m->node_of[i] = first + k;
    m->weight[i][0] = (1.0 + 2.0 * s) * r * r;
    m->weight[i][1] = h * s * r * r;
    m->weight[i][2] = (1.0 + 2.0 * r) * s * s;
    m->weight[i][3] = -h * r * s * s;
  }
}

cap_status cap_identify_law_init(cap_identify_model *m, const cap_identify_cycle *cycle, cap_identify_law law,
                                 int npoint, const double *u, const double *v, const int *stroke_of,
                                 bool lead, cap_arena *arena)
{
  *m = (cap_identify_model){.cycle = cycle, .law = law, .npoint = npoint, .u = u, .v = v};
  m->nparameter = law == CAP_IDENTIFY_DAHL ? 6 : 5;
  CAP_TRY(list_pieces(m, stroke_of, lead, arena));
  if (law != CAP_IDENTIFY_DAHL) return CAP_OK;
  for (int j = 0; j < m->npiece; j++) {
    const double part = fabs(m->piece_u1[j] - m->piece_u0[j]) / (cycle->u_max - cycle->u_min);
    const int steps = (int)fmax(ceil(NODES * part), LEAST_NODES);
    m->piece_adr[j + 1] = m->piece_adr[j] + steps + 1;
  }
  m->nnode = m->piece_adr[m->npiece];
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

/* March along the pieces [first, last) from start[lane]; end[lane] is the force where they end. */
static void march(cap_identify_model *m, const capm_dahl_lanes *p, int first, int last,
                  const double start[LANES], double end[LANES])
{
  for (int j = first; j < last; j++) {
    const int adr = m->piece_adr[j];
    for (int l = 0; l < LANES; l++) m->node_force[adr][l] = j > first ? m->node_force[adr - 1][l] : start[l];
    capm_dahl_lanes_march(p, m->piece_adr[j + 1] - adr - 1, m->node_u + adr, m->node_force + adr,
                          m->node_slope + adr);
  }
  for (int l = 0; l < LANES; l++) end[l] = m->node_force[m->piece_adr[last] - 1][l];
}

/* The periodic orbit of every lane: march until the force comes back to where it started. A loop that touches
 * its envelopes forgets its start within a cycle; for others the secant through the last two marches saves
 * the wait. */
static void march_to_orbit(cap_identify_model *m, const capm_dahl_lanes *p)
{
  const double u = m->node_u[0];
  double start[LANES], end[LANES], last_start[LANES] = {0.0}, last_gap[LANES] = {0.0};
  for (int l = 0; l < LANES; l++) start[l] = 0.5 * (p->a[l] * u + p->b[l] + p->d[l] * u + p->e[l]);
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    double worst = 0.0;
    march(m, p, 0, m->norbit, start, end);
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

static void dahl_force(cap_identify_model *m, int nlane, double unknowns[][UNKNOWNS], double *force)
{
  capm_dahl_lanes p;
  double start[LANES], end[LANES];
  for (int l = 0; l < LANES; l++) {
    const double *x = unknowns[l < nlane ? l : 0];
    p.a[l] = x[0], p.b[l] = x[1], p.d[l] = x[2], p.e[l] = x[3], p.lambda[l] = x[4], p.mu[l] = x[5],
    start[l] = x[6];
  }
  if (m->norbit) march_to_orbit(m, &p);
  if (m->npiece > m->norbit) march(m, &p, m->norbit, m->npiece, start, end);
  for (int i = 0; i < m->npoint; i++) {
    const int k = m->node_of[i];
    const double *w = m->weight[i];
    for (int l = 0; l < nlane; l++)
      force[(size_t)l * m->npoint + i] = w[0] * m->node_force[k][l] + w[1] * m->node_slope[k][l] +
                                         w[2] * m->node_force[k + 1][l] + w[3] * m->node_slope[k + 1][l];
  }
}

/* ---- Masing ---- */

/* Project along the pieces [first, last) from w; returns w at their end and adds the length slipped. */
static double slide(cap_identify_model *m, int first, int last, double eta, double w, double *slipped)
{
  for (int j = first; j < last; j++) {
    const double du = m->piece_u1[j] - m->piece_u0[j];
    double stick;
    m->piece_w[j] = w;
    w = capm_masing_project(w, du, eta, &stick);
    *slipped += fabs(m->piece_w[j] + du - w);
  }
  return w;
}

double cap_identify_law_slider(cap_identify_model *m, double eta, double start, double *w)
{
  const cap_identify_cycle *y = m->cycle;
  double slipped = 0.0, whole = 0.0, stick, end = 0.0;
  if (m->norbit) {
    end = capm_coulomb_project(m->piece_u0[0] - 0.5 * (y->u_min + y->u_max), eta);
    for (int pass = 0; pass < 3; pass++) { /* the orbit is reached after one cycle that slips */
      slipped = 0.0;
      end = slide(m, 0, m->norbit, eta, end, &slipped);
    }
    const int first = m->piece_of[0] % m->norbit; /* stroke of the first sample */
    end = capm_masing_project(m->piece_w[first], m->u[0] - m->piece_u0[first], eta, &stick);
  }
  slide(m, m->norbit, m->npiece, eta, isnan(start) ? end : capm_coulomb_project(start, eta), &whole);
  for (int i = 0; i < m->npoint; i++) {
    const int j = m->piece_of[i];
    w[i] = capm_masing_project(m->piece_w[j], m->u[i] - m->piece_u0[j], eta, &stick);
  }
  return m->norbit ? slipped : whole / y->cycles;
}

static void masing_force(cap_identify_model *m, int nlane, double unknowns[][UNKNOWNS], double *force)
{
  for (int l = 0; l < nlane; l++) {
    const double *x = unknowns[l];
    double *f = force + (size_t)l * m->npoint;
    cap_identify_law_slider(m, x[2] / x[0], x[5], f);
    for (int i = 0; i < m->npoint; i++)
      f[i] = x[0] * f[i] + capm_linear_force(x[1], x[4], -x[3], m->u[i], m->v[i]);
  }
}

void cap_identify_law_force(cap_identify_model *m, int nlane, double unknowns[][UNKNOWNS], double *force)
{
  if (m->law == CAP_IDENTIFY_DAHL) dahl_force(m, nlane, unknowns, force);
  else masing_force(m, nlane, unknowns, force);
}
