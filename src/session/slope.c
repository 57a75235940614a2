/* session/slope.c — derivatives of a session's state: capstan_derivative, capstan_linearise.
 *
 * Maths: docs/theory.md §2.10. A comes from the tangents of the model. An imposed motion has no state of its
 * own but where it is: its speed is the input (of a position: the rate of the input), so the column of its
 * velocity in A is 0 and that of the input in B has what the velocity does. Loads enter B, and outputs C and
 * D, by central differences.
 */
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scratch of one evaluation with and without tangents. */
typedef struct scratch {
  double *h, *dh, *inertia, *workspace, *slope, *directions, *tangents, *y, *below, *above;
  signed char *sense;
} scratch;

static const char *obstacle(const cap_model *m, bool tangents)
{
  if (m->nslider) return "its dry friction elements stick and slip, where forces have no rates";
  if (m->nset || m->impulses) return "its contacts are set-valued, and velocities jump";
  if (m->march_only) return "its elements move their internal variables with the time step alone";
  if (tangents && m->nideal) return "ideal contacts have no tangents";
  return NULL;
}

static cap_status create(capstan_session *s, scratch *w, bool tangents)
{
  const cap_model *m = s->model;
  const char *why = obstacle(m, tangents);
  if (why)
    return cap_status_fail(&s->error, CAP_ERR_UNSUPPORTED, "%s of this system: %s",
                           tangents ? "no linearisation" : "no derivative", why);
  const size_t n = (size_t)m->nstate, nv = (size_t)m->nv,
               most = n > (size_t)s->channels.n ? n : (size_t)s->channels.n;
  const size_t sizes[] = {nv,
                          tangents ? nv * n : 0,
                          (size_t)m->ninertia_work,
                          (size_t)m->nworkspace,
                          n,
                          tangents ? n * n : 0,
                          tangents ? n * n : 0,
                          n,
                          most,
                          most,
                          (size_t)m->nelem / sizeof(double) + 1};
  enum { PARTS = sizeof sizes / sizeof *sizes };
  size_t total = 0;
  for (int k = 0; k < PARTS; k++) total += sizes[k] + 1;
  free(s->slope_work);
  double *at = s->slope_work = calloc(total, sizeof *at);
  if (!at) return cap_status_fail(&s->error, CAP_ERR_NOMEM, "out of memory");
  double **parts[] = {&w->h,          &w->dh,       &w->inertia, &w->workspace, &w->slope,
                      &w->directions, &w->tangents, &w->y,       &w->below,     &w->above};
  for (int k = 0; k + 1 < PARTS; k++) {
    *parts[k] = at;
    at += sizes[k] + 1;
  }
  w->sense = (signed char *)at;
  for (int k = 0; k < m->nelem; k++) w->sense[k] = (signed char)s->data->sense[k];
  return CAP_OK;
}

static cap_eval eval_of(const capstan_session *s, const scratch *w, const double *inputs)
{
  return (cap_eval){.nlane = 1,
                    .t = s->data->t,
                    .input = inputs,
                    .sense = w->sense,
                    .h = w->h,
                    .inertia_work = w->inertia,
                    .workspace = w->workspace};
}

static cap_status check_finite(capstan_session *s, int n, const double *values, const char *of)
{
  for (int k = 0; k < n; k++)
    if (!isfinite(values[k]))
      return cap_status_fail(&s->error, CAP_ERR_NUMERICS, "at t = %.9g s the %s is not finite", *s->data->t,
                             of);
  return CAP_OK;
}

static cap_status derive(capstan_session *s, double *slope)
{
  scratch w = {0};
  CAP_TRY(create(s, &w, false));
  cap_eval e = eval_of(s, &w, s->data->input);
  cap_model_derivative(s->model, &e, s->data->y, NULL, slope, NULL);
  return check_finite(s, s->model->nstate, slope, "derivative");
}

capstan_code capstan_derivative(capstan_session *session, double *slope)
{
  if (!session || !session->started || !slope) return CAPSTAN_BAD_INPUT;
  locale_t before = cap_session_enter(session);
  return cap_session_leave(session, before, derive(session, slope));
}

/* The input that moves a coordinate, and the speed of that by the input; -1: none. */
static int input_of(const capstan_session *s, int coordinate, double *gain)
{
  const cap_model *m = s->model;
  double u[CAP_INPUT_NVALUE] = {0}, q, a, speed[2], t = *s->data->t;
  if (m->driven[coordinate] < 0) return -1;
  cap_motion motion = m->motions[m->driven[coordinate]];
  const int input = motion.input - 1;
  if (input < 0) return -1;
  const int by = m->inputs[input].position ? CAP_INPUT_RATE : CAP_INPUT_VALUE;
  memcpy(u, s->data->input + input * CAP_INPUT_NVALUE, sizeof u);
  motion.input = 1; /* the only one of `u` */
  const double step = 1e-6 * fmax(fabs(u[by]), 1.0), at = u[by];
  for (int k = 0; k < 2; k++) {
    u[by] = at + (k ? step : -step);
    cap_motion_at(&motion, u, t, &q, &speed[k], &a);
  }
  *gain = (speed[1] - speed[0]) / (2.0 * step);
  return input;
}

/* All columns at once: those of velocities that are imposed are kept apart, as they are inputs. */
static cap_status state_matrices(capstan_session *s, scratch *w, double *A, double *B)
{
  const cap_model *m = s->model;
  const int n = m->nstate;
  for (int k = 0; k < n; k++) w->directions[k * n + k] = 1.0;
  cap_eval e = eval_of(s, w, s->data->input);
  e.ncol = n;
  e.dh = w->dh;
  cap_model_derivative(m, &e, s->data->y, w->directions, w->slope, w->tangents);
  CAP_TRY(check_finite(s, n * n, w->tangents, "tangent"));
  if (A) memcpy(A, w->tangents, sizeof *A * (size_t)n * (size_t)n);
  for (int k = 0; k < m->nv; k++) {
    if (m->driven[k] < 0) continue;
    const int col = m->nv + k;
    double gain;
    const int input = input_of(s, k, &gain);
    for (int row = 0; row < n; row++) {
      if (B && input >= 0) B[row * m->ninput + input] += gain * w->tangents[row * n + col];
      if (A) A[row * n + col] = 0.0;
    }
    if (B && input >= 0) B[k * m->ninput + input] = gain; /* it goes where it is driven */
    for (int side = 0; A && side < n; side++) A[k * n + side] = A[col * n + side] = 0.0;
    if (B)
      for (int u = 0; u < m->ninput; u++) B[col * m->ninput + u] = 0.0;
  }
  return CAP_OK;
}

/* Enough for both: rounding and curvature. */
static double nudge(double value, double size)
{
  return 1e-6 * fmax(fabs(value), size);
}

/* Of an input that imposes a motion alone the differences are 0. */
static cap_status load_columns(capstan_session *s, scratch *w, double *B)
{
  const cap_model *m = s->model;
  const size_t size = sizeof(double) * (size_t)(m->ninput * CAP_INPUT_NVALUE);
  double *inputs = malloc(size + 1);
  if (!inputs) return cap_status_fail(&s->error, CAP_ERR_NOMEM, "out of memory");
  for (int u = 0; u < m->ninput; u++) {
    double step = nudge(cap_input_at(s->data->input, u, *s->data->t), 1.0);
    for (int sign = -1; sign <= 1; sign += 2) {
      memcpy(inputs, s->data->input, size);
      inputs[u * CAP_INPUT_NVALUE + CAP_INPUT_VALUE] += sign * step;
      cap_eval e = eval_of(s, w, inputs);
      cap_model_derivative(m, &e, s->data->y, NULL, sign < 0 ? w->below : w->above, NULL);
    }
    for (int row = 0; row < m->nstate; row++) {
      bool imposed = row < 2 * m->nv && m->driven[row % m->nv] >= 0; /* stand in B by their velocities */
      if (!imposed) B[row * m->ninput + u] += (w->above[row] - w->below[row]) / (2.0 * step);
    }
  }
  free(inputs);
  return CAP_OK;
}

/* Typical size of a state, for differences. */
static double size_of(const cap_model *m, const double *y, int k)
{
  double most = 0.0;
  int from = k < m->nv ? 0 : k < 2 * m->nv ? m->nv : 2 * m->nv;
  int to = k < m->nv ? m->nv : k < 2 * m->nv ? 2 * m->nv : m->nstate;
  if (k >= 2 * m->nv && m->x_size) return m->x_size[k - 2 * m->nv];
  for (int i = from; i < to; i++) most = fmax(most, fabs(y[i]));
  return most > 0.0 ? most : 1e-3;
}

/* d output / d (state k), or by the velocity that an input imposes. */
static void output_column(capstan_session *s, scratch *w, int k, double gain, int noutput, const int *outputs,
                          double *to, int stride)
{
  cap_data *d = s->data;
  const cap_model *m = s->model;
  /* where an input imposes a position, its value is that state, too */
  const cap_motion *motion = k < m->nv && m->driven[k] >= 0 ? &m->motions[m->driven[k]] : NULL;
  const int input = motion ? motion->input - 1 : -1;
  const bool both = input >= 0 && m->inputs[input].position && motion->factor != 0.0;
  double unused = 0.0, *value = both ? &d->input[input * CAP_INPUT_NVALUE + CAP_INPUT_VALUE] : &unused;
  double kept = d->y[k], step = nudge(kept, size_of(m, d->y, k)), held = *value;
  double along = both ? step / motion->factor : 0.0;
  d->y[k] = kept - step, *value = held - along;
  cap_channels_values(&s->channels, m, d, w->below);
  d->y[k] = kept + step, *value = held + along;
  cap_channels_values(&s->channels, m, d, w->above);
  d->y[k] = kept, *value = held;
  for (int o = 0; o < noutput; o++)
    to[o * stride] += gain * (w->above[outputs[o]] - w->below[outputs[o]]) / (2.0 * step);
}

static void load_outputs(capstan_session *s, scratch *w, int u, int noutput, const int *outputs, double *to,
                         int stride)
{
  double *value = &s->data->input[u * CAP_INPUT_NVALUE + CAP_INPUT_VALUE], kept = *value,
         step = nudge(kept, 1.0);
  *value = kept - step;
  cap_channels_values(&s->channels, s->model, s->data, w->below);
  *value = kept + step;
  cap_channels_values(&s->channels, s->model, s->data, w->above);
  *value = kept;
  for (int o = 0; o < noutput; o++)
    to[o * stride] += (w->above[outputs[o]] - w->below[outputs[o]]) / (2.0 * step);
}

static void output_matrices(capstan_session *s, scratch *w, int noutput, const int *outputs, double *C,
                            double *D)
{
  const cap_model *m = s->model;
  for (int k = 0; k < m->nstate; k++) {
    const bool velocity = k >= m->nv && k < 2 * m->nv && m->driven[k - m->nv] >= 0;
    double gain;
    const int input = velocity ? input_of(s, k - m->nv, &gain) : -1;
    if (C && !velocity) output_column(s, w, k, 1.0, noutput, outputs, C + k, m->nstate);
    if (D && input >= 0) output_column(s, w, k, gain, noutput, outputs, D + input, m->ninput);
  }
  for (int u = 0; D && u < m->ninput; u++)
    if (!m->inputs[u].position) load_outputs(s, w, u, noutput, outputs, D + u, m->ninput);
  s->looked = false;
}

static cap_status linearise(capstan_session *s, int noutput, const int *outputs, double *A, double *B,
                            double *C, double *D)
{
  const cap_model *m = s->model;
  scratch w = {0};
  CAP_TRY(create(s, &w, true));
  if (B) memset(B, 0, sizeof *B * (size_t)m->nstate * (size_t)m->ninput);
  if (C) memset(C, 0, sizeof *C * (size_t)noutput * (size_t)m->nstate);
  if (D) memset(D, 0, sizeof *D * (size_t)noutput * (size_t)m->ninput);
  if (A || B) CAP_TRY(state_matrices(s, &w, A, B));
  if (B && m->ninput) CAP_TRY(load_columns(s, &w, B));
  if (C || D) output_matrices(s, &w, noutput, outputs, C, D);
  if (B) CAP_TRY(check_finite(s, m->nstate * m->ninput, B, "tangent by the inputs"));
  if (C) CAP_TRY(check_finite(s, noutput * m->nstate, C, "tangent of the outputs"));
  return D ? check_finite(s, noutput * m->ninput, D, "tangent of the outputs by the inputs") : CAP_OK;
}

capstan_code capstan_linearise(capstan_session *session, int noutput, const int *outputs, double *A,
                               double *B, double *C, double *D)
{
  capstan_session *s = session;
  if (!s || !s->started) return CAPSTAN_BAD_INPUT;
  if (!cap_session_indices(s, noutput, outputs, s->channels.n, "output")) return CAPSTAN_BAD_INPUT;
  locale_t before = cap_session_enter(s);
  return cap_session_leave(s, before, linearise(s, noutput, outputs, A, B, C, D));
}
