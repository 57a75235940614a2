/* drives/pushbelt/continuum/continuum_map.c — see continuum.h: map, slip curve, shifting. Rows of one ratio
 * are computed by one solver, the rows by several threads. */
#include "base/parallel.h"
#include "drives/pushbelt/continuum/continuum.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static int torque_count(const cap_continuum_grid *g)
{
  return g->torque.n > 0 ? g->torque.n : g->torque_ratio.n;
}

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "%s", cap_status_text(CAP_ERR_NOMEM));
}

/* ---- map ----------------------------------------------------------------------------------------------- */

typedef struct map {
  const cap_variator *v;
  const cap_continuum_spec *spec;
  const cap_continuum_grid *grid;
  const cap_progress *progress;
  int nratio, ntorque;
  double *fields; /* [count + 1][nratio][ntorque], the state last */
} map;

static cap_status map_row(void *self, int row, cap_error *error)
{
  map *m = self;
  const cap_variator_continuum_settings settings = cap_continuum_settings(m->spec, m->progress);
  cap_variator_loads load = cap_continuum_loads(m->v, m->grid);
  size_t cells = (size_t)m->nratio * (size_t)m->ntorque;
  int count = cap_continuum_count();
  cap_variator_continuum *c;
  CAP_TRY(cap_variator_continuum_create(m->v, &settings, &c, error));
  cap_status status = CAP_OK;
  load.ratio = m->grid->ratio.v[row];
  for (int j = 0; j < m->ntorque && status == CAP_OK; j++) {
    cap_variator_continuum_point p;
    double *at = m->fields + (size_t)row * (size_t)m->ntorque + j;
    load.torque = cap_continuum_torque(c, m->grid, &load, j);
    status = cap_variator_continuum_solve(c, &load, 0.0, &p, error);
    for (int k = 0; k < count && status == CAP_OK; k++) at[(size_t)k * cells] = cap_continuum_value(&p, k);
    if (status == CAP_OK) at[(size_t)count * cells] = (double)p.state;
  }
  cap_variator_continuum_free(c);
  return status;
}

static cap_status put_torques(cap_sink *sink, const cap_continuum_grid *g)
{
  const int64_t n = torque_count(g);
  if (g->torque.n > 0)
    return sink->array(sink, (cap_column){"torque", "N m", "torque on the secondary"}, 1, &n, NULL,
                       g->torque.v);
  return sink->array(sink,
                     (cap_column){"torque_ratio", "1",
                                  "torque ratio: transmitted torque over the largest transmissible one"},
                     1, &n, NULL, g->torque_ratio.v);
}

static cap_status put_map(cap_run *run, const map *m)
{
  cap_sink *sink = run->sink;
  const int64_t dims[2] = {m->nratio, m->ntorque};
  const char *axes = m->grid->torque.n > 0 ? "ratio,torque" : "ratio,torque_ratio";
  size_t cells = (size_t)m->nratio * (size_t)m->ntorque;
  int count = cap_continuum_count(), slides = 0;
  for (size_t k = 0; k < cells; k++) slides += m->fields[(size_t)count * cells + k] != 0.0;
  CAP_TRY(sink->open(sink, "map", "continuum-map", "continuum model of the variator vs ratio and torque"));
  CAP_TRY(sink->array(sink, (cap_column){"ratio", "1", "geometric ratio i_g of the ring's centre line"}, 1,
                      &dims[0], NULL, m->grid->ratio.v));
  CAP_TRY(put_torques(sink, m->grid));
  for (int k = 0; k < count; k++)
    CAP_TRY(sink->array(sink, cap_continuum_figure(k), 2, dims, axes, m->fields + (size_t)k * cells));
  CAP_TRY(sink->array(
      sink,
      (cap_column){"slides", "1",
                   "macro slip: 0 = none, 1 = on the primary, 2 = on the secondary, 3 = no solution found"},
      2, dims, axes, m->fields + (size_t)count * cells));
  CAP_TRY(sink->number(sink, (cap_column){"points", "1", "number of points"}, (double)cells));
  CAP_TRY(
      sink->number(sink, (cap_column){"points.sliding", "1", "number of points with macro slip"}, slides));
  return sink->close(sink);
}

cap_status cap_continuum_map(cap_run *run, const cap_continuum_spec *s)
{
  map m = {.v = cap_variator_of(run->model),
           .spec = s,
           .grid = &s->map,
           .progress = run->progress,
           .nratio = s->map.ratio.n,
           .ntorque = torque_count(&s->map)};
  m.fields = malloc(((size_t)cap_continuum_count() + 1) * (size_t)m.nratio * (size_t)m.ntorque *
                    sizeof *m.fields);
  if (!m.fields) return no_memory(run->error);
  cap_status status = cap_parallel_for(m.nratio, run->threads, map_row, &m, run->error);
  if (status == CAP_OK) status = put_map(run, &m);
  free(m.fields);
  return status;
}

/* ---- slip curve ---------------------------------------------------------------------------------------- */

/* What stands beside the first figures. */
enum { SLIP, TORQUE, SLIDES, OWN };

static cap_status put_slip(cap_run *run, const cap_continuum_grid *g, int n, const double *fields,
                           const cap_variator_continuum_point *idle)
{
  static const cap_column own[OWN] = {
      {"slip", "1", "slip: speed ratio over that without torque, minus 1"},
      {"torque.secondary", "N m", "torque on the secondary"},
      {"slides", "1",
       "macro slip: 0 = none, 1 = on the primary, 2 = on the secondary, 3 = no solution found"}};
  cap_sink *sink = run->sink;
  const int64_t dims[1] = {n};
  const char *axis = g->torque.n > 0 ? "torque" : "torque_ratio";
  CAP_TRY(sink->open(sink, "slip-curve", "continuum-slip", "slip vs torque"));
  CAP_TRY(put_torques(sink, g));
  for (int k = 0; k < OWN; k++)
    CAP_TRY(sink->array(sink, own[k], 1, dims, axis, fields + (size_t)k * (size_t)n));
  for (int k = 0; k < CAP_CONTINUUM_FIRST; k++)
    CAP_TRY(
        sink->array(sink, cap_continuum_figure(k), 1, dims, axis, fields + (size_t)(OWN + k) * (size_t)n));
  CAP_TRY(sink->number(sink, (cap_column){"reference", "1", "reference ratio: speed ratio without torque"},
                       idle->speed_ratio));
  CAP_TRY(sink->number(sink,
                       (cap_column){"limit", "N m", "torque on the secondary at which macro slip begins"},
                       idle->torque_limit));
  if (isfinite(idle->torque_transition))
    CAP_TRY(
        sink->number(sink,
                     (cap_column){"transition", "N m",
                                  "transition torque on the secondary: equal push forces in both strands"},
                     idle->torque_transition));
  return sink->close(sink);
}

static cap_status slip_with(cap_run *run, const cap_continuum_spec *s, cap_variator_continuum *c,
                            double *fields)
{
  const cap_continuum_grid *g = &s->slip_curve;
  int n = torque_count(g);
  cap_variator_loads load = cap_continuum_loads(cap_variator_of(run->model), g);
  cap_variator_continuum_point idle, p;
  if (g->ratio.n > 0) load.ratio = g->ratio.v[0];
  load.torque = 0.0;
  CAP_TRY(cap_variator_continuum_solve(c, &load, 0.0, &idle, run->error));
  for (int j = 0; j < n; j++) {
    double *at = fields + j;
    load.torque = cap_continuum_torque(c, g, &load, j);
    CAP_TRY(cap_variator_continuum_solve(c, &load, 0.0, &p, run->error));
    at[SLIP * n] = p.speed_ratio / idle.speed_ratio - 1.0;
    at[TORQUE * n] = load.torque;
    at[SLIDES * n] = (double)p.state;
    for (int k = 0; k < CAP_CONTINUUM_FIRST; k++) at[(OWN + k) * n] = cap_continuum_value(&p, k);
  }
  return put_slip(run, g, n, fields, &idle);
}

cap_status cap_continuum_map_slip(cap_run *run, const cap_continuum_spec *s)
{
  const cap_variator_continuum_settings settings = cap_continuum_settings(s, run->progress);
  double *fields = malloc((OWN + CAP_CONTINUUM_FIRST) * (size_t)torque_count(&s->slip_curve) *
                          sizeof *fields);
  cap_variator_continuum *c = NULL;
  cap_status status = fields ? cap_variator_continuum_create(cap_variator_of(run->model), &settings, &c,
                                                             run->error)
                             : no_memory(run->error);
  if (status == CAP_OK) status = slip_with(run, s, c, fields);
  cap_variator_continuum_free(c);
  free(fields);
  return status;
}

/* ---- shifting ------------------------------------------------------------------------------------------ */

typedef struct shift {
  const cap_variator *v;
  const cap_continuum_spec *spec;
  const cap_continuum_grid *grid;
  const cap_progress *progress;
  int nratio, nthrust;
  double *rate;                   /* [nratio][nthrust] */
  double *equilibrium, *gain, *K; /* [nratio] */
} shift;

/* How much faster the ratio of the rocking edges changes than that of the rings. */
static double edge_per_ring(const cap_variator_continuum_point *p)
{
  const cap_variator_continuum_pulley *P = &p->pulley[0], *S = &p->pulley[1];
  double share = S->wrap / P->wrap;
  return p->edge_ratio * (1.0 / S->radius + share / P->radius) /
         (p->load.ratio * (1.0 / S->ring_radius + share / P->ring_radius));
}

/* d(di_g/dt)/d ln i_F about the equilibrium, from rates whose A is near +-0.1,
 * and the constant of the law. */
static cap_status slope_at(shift *s, cap_variator_continuum *c, const cap_variator_loads *load, int row,
                           cap_error *error)
{
  cap_variator_continuum_point p;
  CAP_TRY(cap_variator_continuum_solve(c, load, 0.0, &p, error));
  s->equilibrium[row] = p.thrust_ratio;
  s->gain[row] = s->K[row] = NAN;
  if (p.state != CAP_VARIATOR_CONTINUUM_HOLDS) return CAP_OK;
  double tilt = sqrt(p.pulley[0].tilt * p.pulley[1].tilt), unit = load->speed * tilt;
  double rate = 0.3 * unit * load->ratio, upper, lower;
  CAP_TRY(cap_variator_continuum_solve(c, load, rate, &p, error));
  upper = log(p.thrust_ratio);
  CAP_TRY(cap_variator_continuum_solve(c, load, -rate, &p, error));
  lower = log(p.thrust_ratio);
  s->gain[row] = 2.0 * rate / (upper - lower);
  s->K[row] = -s->gain[row] / unit * edge_per_ring(&p);
  return CAP_OK;
}

static cap_status shift_row(void *self, int row, cap_error *error)
{
  shift *s = self;
  const cap_variator_continuum_settings settings = cap_continuum_settings(s->spec, s->progress);
  cap_variator_loads load = cap_continuum_loads(s->v, s->grid);
  cap_variator_continuum *c;
  CAP_TRY(cap_variator_continuum_create(s->v, &settings, &c, error));
  load.ratio = s->grid->ratio.v[row];
  if (torque_count(s->grid) > 0) load.torque = cap_continuum_torque(c, s->grid, &load, 0);
  cap_status status = slope_at(s, c, &load, row, error);
  for (int j = 0; j < s->nthrust && status == CAP_OK; j++) {
    cap_variator_continuum_point p;
    status = cap_variator_continuum_shift(c, &load, s->grid->thrust_ratio.v[j], &p, error);
    bool found = status == CAP_OK && p.state == CAP_VARIATOR_CONTINUUM_HOLDS;
    s->rate[(size_t)row * (size_t)s->nthrust + j] = found ? p.rate : NAN;
    if (status == CAP_ERR_NUMERICS) status = CAP_OK; /* beyond the creep mode: said by NAN */
  }
  cap_variator_continuum_free(c);
  return status;
}

static cap_status put_shift(cap_run *run, const shift *s)
{
  cap_sink *sink = run->sink;
  const int64_t dims[2] = {s->nratio, s->nthrust};
  CAP_TRY(sink->open(sink, "shift", "continuum-shift", "rate of shifting vs ratio and thrust ratio"));
  CAP_TRY(sink->array(sink, (cap_column){"ratio", "1", "geometric ratio i_g of the ring's centre line"}, 1,
                      &dims[0], NULL, s->grid->ratio.v));
  CAP_TRY(sink->array(sink, (cap_column){"thrust_ratio", "1", "thrust ratio i_F"}, 1, &dims[1], NULL,
                      s->grid->thrust_ratio.v));
  CAP_TRY(sink->array(sink,
                      (cap_column){"rate", "1/s", "rate of shifting di_g/dt; missing outside the creep mode"},
                      2, dims, "ratio,thrust_ratio", s->rate));
  CAP_TRY(sink->array(sink, (cap_column){"equilibrium", "1", "equilibrium thrust ratio, without shifting"}, 1,
                      &dims[0], "ratio", s->equilibrium));
  CAP_TRY(sink->array(sink, (cap_column){"gain", "1/s", "rate of shifting per ln i_F at the equilibrium"}, 1,
                      &dims[0], "ratio", s->gain));
  CAP_TRY(sink->array(
      sink,
      (cap_column){
          "constant", "1",
          "shifting constant K of di/dt = -K omega_P Delta ln(i_F/i_F,eq), with i of the rocking edges"},
      1, &dims[0], "ratio", s->K));
  return sink->close(sink);
}

cap_status cap_continuum_map_shift(cap_run *run, const cap_continuum_spec *spec)
{
  const cap_continuum_grid *g = &spec->shift;
  shift s = {.v = cap_variator_of(run->model),
             .spec = spec,
             .grid = g,
             .progress = run->progress,
             .nratio = g->ratio.n,
             .nthrust = g->thrust_ratio.n};
  size_t n = (size_t)s.nratio;
  double *work = malloc((n * (size_t)s.nthrust + 3 * n) * sizeof *work);
  if (!work) return no_memory(run->error);
  s.equilibrium = work, s.gain = work + n, s.K = work + 2 * n, s.rate = work + 3 * n;
  cap_status status = cap_parallel_for(s.nratio, run->threads, shift_row, &s, run->error);
  if (status == CAP_OK) status = put_shift(run, &s);
  free(work);
  return status;
}
