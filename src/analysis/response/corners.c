/* analysis/response/corners.c — see corners.h. */
#include "analysis/response/corners.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 720, HALVINGS = 48 };

typedef struct walk {
  const cap_model *m;
  cap_data *at, *trial;
  cap_stepper *stepper;
  cap_corners *corners;
  cap_error *error;
  double *force, *h, *xdot; /* scratch of one evaluation */
} walk;

static double end_to_end(const double *a, int i, int j)
{
  return a[i] - (j == CAP_GROUND ? 0.0 : a[j]);
}

static double speed(const cap_model *m, const cap_data *d, int s)
{
  return end_to_end(d->v, m->slider_i[s], m->slider_j[s]);
}

static int regime(const cap_data *d, int s)
{
  return d->regime[s] > 0 ? 1 : d->regime[s] < 0 ? -1 : 0;
}

/* What happened to slider s between two states: a label, or 0. */
static char event(const cap_model *m, const cap_data *before, const cap_data *after, int s)
{
  double v0 = speed(m, before, s), v1 = speed(m, after, s);
  if (v0 < 0.0 && v1 >= 0.0) return 'A';
  if (v0 > 0.0 && v1 <= 0.0) return 'C';
  if (regime(before, s) == 0 && regime(after, s) == 1) return 'B';
  if (regime(before, s) == 0 && regime(after, s) == -1) return 'D';
  return 0;
}

/* All forces between the slider's ends at the state: the force of the loop. */
static double loop_force(walk *w, const cap_data *d, int s)
{
  const cap_model *m = w->m;
  cap_eval e = {
      .nlane = 1, .t = d->t, .q = d->q, .v = d->v, .x = d->x, .h = w->h, .xdot = w->xdot, .force = w->force};
  cap_model_rates(m, &e);
  double sum = 0.0;
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n; k++)
      if (m->batches[b].i[k] == m->slider_i[s] && m->batches[b].j[k] == m->slider_j[s] &&
          m->batches[b].type->nmech && !m->batches[b].type->mech_input[0])
        sum += w->force[m->batches[b].elem_adr + k];
  for (int o = 0; o < m->nslider; o++)
    if (m->slider_i[o] == m->slider_i[s] && m->slider_j[o] == m->slider_j[s])
      sum += d->x[m->nx - m->nslider + o];
  return sum;
}

static cap_status add(walk *w, char label, int s, const cap_data *d)
{
  cap_corners *c = w->corners;
  if (c->n == c->room) {
    int room = c->room ? 2 * c->room : 16;
    cap_corner *larger = realloc(c->list, (size_t)room * sizeof *larger);
    if (!larger) return cap_status_fail(w->error, CAP_ERR_NOMEM, "out of memory");
    c->list = larger;
    c->room = room;
  }
  c->list[c->n++] = (cap_corner){.label = label,
                                 .slider = s + 1,
                                 .time = *d->t,
                                 .deflection = end_to_end(d->q, w->m->slider_i[s], w->m->slider_j[s]),
                                 .force = loop_force(w, d, s)};
  return CAP_OK;
}

/* Bisect the event of slider s between w->at and t1. */
static cap_status locate(walk *w, int s, char label, double t1)
{
  double low = *w->at->t, high = t1;
  for (int k = 0; k < HALVINGS && high - low > 1e-13 * t1; k++) {
    double middle = 0.5 * (low + high);
    cap_data_copy(w->m, w->trial, w->at);
    CAP_TRY(cap_stepper_advance(w->stepper, w->m, w->trial, &middle, NULL, w->error));
    if (event(w->m, w->at, w->trial, s) == label) high = middle;
    else low = middle;
  }
  cap_data_copy(w->m, w->trial, w->at);
  CAP_TRY(cap_stepper_advance(w->stepper, w->m, w->trial, &high, NULL, w->error));
  return add(w, label, s, w->trial);
}

static cap_status follow(walk *w, cap_data *d)
{
  const cap_model *m = w->m;
  double period = m->period[0], start = *d->t;
  for (int k = 1; k <= SAMPLES; k++) {
    double t = start + period * k / SAMPLES;
    cap_data_copy(m, w->at, d);
    CAP_TRY(cap_stepper_advance(w->stepper, m, d, &t, NULL, w->error));
    for (int s = 0; s < m->nslider; s++) {
      char label = event(m, w->at, d, s);
      if (label) CAP_TRY(locate(w, s, label, t));
    }
  }
  return CAP_OK;
}

cap_status cap_corners_find(cap_corners *corners, const cap_model *m, cap_data *d, cap_stepper *stepper,
                            cap_error *error)
{
  corners->n = 0;
  if (m->nslider == 0) return CAP_OK;
  cap_arena arena = {0};
  walk w = {.m = m,
            .at = cap_data_create(m),
            .trial = cap_data_create(m),
            .stepper = stepper,
            .corners = corners,
            .error = error,
            .force = CAP_ARENA_NEW(&arena, double, m->noutput),
            .h = CAP_ARENA_NEW(&arena, double, m->nv),
            .xdot = CAP_ARENA_NEW(&arena, double, m->nx)};
  bool all = w.at && w.trial && w.force && w.h && w.xdot;
  cap_status status = all ? follow(&w, d) : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_arena_free(&arena);
  cap_data_free(w.at);
  cap_data_free(w.trial);
  return status;
}

void cap_corners_free(cap_corners *corners)
{
  free(corners->list);
  *corners = (cap_corners){0};
}

/* One number of every corner as an array of its own, `values` being scratch. */
static cap_status put_array(const cap_corners *c, cap_sink *sink, cap_column what,
                            double (*of)(const cap_corner *corner), double *values)
{
  int64_t n = c->n;
  for (int k = 0; k < c->n; k++) values[k] = of(&c->list[k]);
  return sink->array(sink, what, 1, &n, NULL, values);
}

static double slider_of(const cap_corner *corner)
{
  return corner->slider;
}
static double time_of(const cap_corner *corner)
{
  return corner->time;
}
static double deflection_of(const cap_corner *corner)
{
  return corner->deflection;
}
static double force_of(const cap_corner *corner)
{
  return corner->force;
}

static cap_status put_all(const cap_corners *c, cap_sink *sink, char *labels, double *values)
{
  for (int k = 0; k < c->n; k++) {
    labels[2 * k] = c->list[k].label;
    labels[2 * k + 1] = k + 1 < c->n ? ',' : 0;
  }
  CAP_TRY(sink->text(sink, "corner.label", labels));
  CAP_TRY(put_array(c, sink, (cap_column){"corner.slider", "1", "friction element of each corner"}, slider_of,
                    values));
  CAP_TRY(put_array(c, sink, (cap_column){"corner.time", "s", "time of each corner"}, time_of, values));
  CAP_TRY(put_array(c, sink, (cap_column){"corner.deflection", "m", "deflection at each corner"},
                    deflection_of, values));
  return put_array(c, sink, (cap_column){"corner.force", "N", "force at each corner"}, force_of, values);
}

cap_status cap_corners_put(const cap_corners *c, cap_sink *sink, cap_error *error)
{
  if (c->n == 0) return CAP_OK;
  cap_arena arena = {0};
  char *labels = CAP_ARENA_NEW(&arena, char, 2 * c->n);
  double *values = CAP_ARENA_NEW(&arena, double, c->n);
  cap_status status = labels && values ? put_all(c, sink, labels, values)
                                       : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_arena_free(&arena);
  return status;
}
