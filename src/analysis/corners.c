/* analysis/corners.c — see corners.h. */
#include "analysis/corners.h"

#include <math.h>
#include <string.h>

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

static void add(walk *w, char label, int s, const cap_data *d)
{
  cap_corners *c = w->corners;
  if (c->n == CAP_CORNERS_MOST) return;
  c->label[c->n] = label;
  c->slider[c->n] = s + 1;
  c->time[c->n] = *d->t;
  c->deflection[c->n] = end_to_end(d->q, w->m->slider_i[s], w->m->slider_j[s]);
  c->force[c->n++] = loop_force(w, d, s);
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
  add(w, label, s, w->trial);
  return CAP_OK;
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
            .force = CAP_ARENA_NEW(&arena, double, m->nelem),
            .h = CAP_ARENA_NEW(&arena, double, m->nv),
            .xdot = CAP_ARENA_NEW(&arena, double, m->nx)};
  bool all = w.at && w.trial && w.force && w.h && w.xdot;
  cap_status status = all ? follow(&w, d) : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_arena_free(&arena);
  cap_data_free(w.at);
  cap_data_free(w.trial);
  return status;
}

cap_status cap_corners_put(const cap_corners *c, cap_sink *sink)
{
  if (c->n == 0) return CAP_OK;
  int64_t n = c->n;
  char labels[2 * CAP_CORNERS_MOST];
  for (int k = 0; k < c->n; k++) {
    labels[2 * k] = c->label[k];
    labels[2 * k + 1] = k + 1 < c->n ? ',' : 0;
  }
  CAP_TRY(sink->text(sink, "corner.label", labels));
  CAP_TRY(
      sink->array(sink, (cap_column){"corner.slider", "1", "slider of each corner"}, 1, &n, NULL, c->slider));
  CAP_TRY(sink->array(sink, (cap_column){"corner.time", "s", "time of each corner"}, 1, &n, NULL, c->time));
  CAP_TRY(sink->array(sink, (cap_column){"corner.deflection", "m", "deflection at each corner"}, 1, &n, NULL,
                      c->deflection));
  return sink->array(sink, (cap_column){"corner.force", "N", "force at each corner"}, 1, &n, NULL, c->force);
}
