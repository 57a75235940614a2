/* hb/hb_tangent.c — see hb_tangent.h. */
#include "hb/hb_tangent.h"
#include "model/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- places -------------------------------------------------------------------------------------------- */

static bool is_first_of_group(const cap_model *m, int i)
{
  if (m->cyclic[i] < 0 || m->driven[i] >= 0) return false;
  for (int k = 0; k < i; k++)
    if (m->cyclic[k] == m->cyclic[i]) return false;
  return true;
}

cap_status cap_hb_tangent_place(cap_hb_linear *lin, const cap_model *m)
{
  lin->state_place = CAP_ARENA_NEW(&lin->arena, int, m->nx);
  if (!lin->state_place) return CAP_ERR_NOMEM;
  for (int k = 0; k < m->nx; k++) lin->state_place[k] = -1;
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    int count = batch->type->tangent ? batch->n * batch->type->nstate : 0;
    for (int k = 0; k < count; k++) lin->state_place[batch->x_adr + k] = lin->nfree + lin->nstate++;
  }
  lin->nfree += lin->nstate;
  lin->drifts = CAP_ARENA_NEW(&lin->arena, bool, lin->nfree);
  if (!lin->drifts) return CAP_ERR_NOMEM;
  for (int i = 0; i < m->nv && lin->nstate; i++)
    if (is_first_of_group(m, i)) lin->drifts[lin->place[i]] = true;
  return CAP_OK;
}

static bool turns(const cap_hb_linear *lin, const cap_model *m, int end)
{
  return end != CAP_GROUND && lin->place[end] >= 0 && m->cyclic[end] >= 0;
}

cap_status cap_hb_tangent_check(const cap_hb_linear *lin, const cap_model *m, cap_error *error)
{
  if (!lin->nstate) return CAP_OK;
  if (!lin->nouter)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "nothing in this drive is nonlinear about its steady running; expected dry "
                           "friction of the arm, or stops; use the analysis orders");
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n && cap_hb_linear_is_law(&m->batches[b]); k++)
      if (turns(lin, m, m->batches[b].i[k]) || turns(lin, m, m->batches[b].j[k]))
        return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                               "%s acts between freely rotating shafts, whose relative angle is not "
                               "periodic; expected a shaft with a mean position; use method: midpoint",
                               m->elem_name[m->batches[b].elem_adr + k]);
  return CAP_OK;
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* One evaluation of all these elements at the start of the model, with derivatives along every state. */
typedef struct evaluation {
  const cap_model *m;
  int ncol;
  double *y;       /* [nstate] the start, driven coordinates in the middle of their swing */
  double *columns; /* dq, dv, dx: the identity */
  double *h, *dh, *xdot, *dxdot;
  double *beside; /* [nv] forces at another speed */
} evaluation;

static void set_start(const cap_model *m, double *y)
{
  memcpy(y, m->initial, sizeof(double) * (size_t)m->nstate);
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] >= 0) y[i] = y[m->nv + i] = 0.0;
}

/* Loads over speed without inner states: tables have corners, across which a tangent would jump from speed to
 * speed; the secant over a part of the speed does not, and tells of a motion more than the
 * slope at a point. */
static void add_secants(evaluation *w, const cap_batch *b, cap_eval e)
{
  static const double part = 0.05;
  const cap_model *m = w->m;
  double *v = w->y + m->nv;
  e.h = w->beside;
  for (int k = 0; k < b->n; k++) {
    int i = b->i[k];
    double kept = v[i], step = part * fabs(m->base[i] + kept), ends[2];
    if (step == 0.0) continue;
    cap_batch one = *b;
    one.n = 1;
    one.i = b->i + k;
    one.j = b->j + k;
    one.par = b->par + k * b->type->nparam;
    for (int side = 0; side < 2; side++) {
      w->beside[i] = 0.0;
      v[i] = kept + (side ? step : -step);
      one.type->rates(&one, &e);
      ends[side] = w->beside[i];
    }
    v[i] = kept;
    w->dh[i * w->ncol + m->nv + i] += (ends[1] - ends[0]) / (2.0 * step);
  }
}

static cap_status evaluate(evaluation *w, const cap_model *m, cap_arena *arena)
{
  int nv = m->nv, nx = m->nx, n = m->nstate;
  *w = (evaluation){.m = m, .ncol = n};
  w->y = CAP_ARENA_NEW(arena, double, n);
  w->columns = CAP_ARENA_NEW(arena, double, (n * n));
  w->h = CAP_ARENA_NEW(arena, double, nv);
  w->dh = CAP_ARENA_NEW(arena, double, (nv * n));
  w->xdot = CAP_ARENA_NEW(arena, double, nx);
  w->dxdot = CAP_ARENA_NEW(arena, double, (nx * n));
  w->beside = CAP_ARENA_NEW(arena, double, nv);
  if (!w->beside || !w->y || !w->columns || !w->h || !w->dh || !w->xdot || !w->dxdot) return CAP_ERR_NOMEM;
  set_start(m, w->y);
  for (int k = 0; k < n; k++) w->columns[k * n + k] = 1.0;
  double t = m->t0;
  cap_eval e = {.nlane = 1,
                .ncol = n,
                .t = &t,
                .q = w->y,
                .v = w->y + nv,
                .x = w->y + 2 * nv,
                .dq = w->columns,
                .dv = w->columns + nv * n,
                .dx = w->columns + 2 * nv * n,
                .h = w->h,
                .dh = w->dh,
                .xdot = w->xdot,
                .dxdot = w->dxdot};
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    e.ncol = batch->type->nstate ? n : 0;
    if (batch->type->tangent) batch->type->rates(batch, &e);
    if (batch->type->tangent && !e.ncol) add_secants(w, batch, e);
  }
  return CAP_OK;
}

/* Row `row` of the balance is ... - (value + derivative (state - start)) = 0. */
static void subtract(cap_hb_linear *lin, const evaluation *w, int row, double value, const double *derivative)
{
  const cap_model *m = w->m;
  double constant = value;
  for (int k = 0; k < m->nstate; k++) constant -= derivative[k] * w->y[k];
  lin->load[row] += constant;
  for (int i = 0; i < m->nv; i++) {
    double k = derivative[i], c = derivative[m->nv + i];
    int place = lin->place[i];
    if (k == 0.0 && c == 0.0) continue;
    if (place >= 0) {
      cap_hb_entry *e = cap_hb_linear_entry(lin, row, place);
      e->k -= k;
      e->c -= c;
      continue;
    }
    const double complex *known = lin->known + (size_t)(-1 - place) * (size_t)(lin->nharmonic + 1);
    for (int h = 0; h <= lin->nharmonic; h++) {
      lin->load[h * lin->nfree + row] += k * known[h];
      lin->drag[h * lin->nfree + row] += c * known[h];
    }
  }
  for (int k = 0; k < m->nx; k++)
    if (lin->state_place[k] >= 0)
      cap_hb_linear_entry(lin, row, lin->state_place[k])->k -= derivative[2 * m->nv + k];
}

static cap_status read_one(cap_hb_linear *lin, const cap_model *m)
{
  cap_arena arena = {0};
  evaluation w;
  cap_status status = evaluate(&w, m, &arena);
  for (int i = 0; status == CAP_OK && i < m->nv; i++)
    if (lin->place[i] >= 0) subtract(lin, &w, lin->place[i], w.h[i], w.dh + i * w.ncol);
  for (int k = 0; status == CAP_OK && k < m->nx; k++) {
    int row = lin->state_place[k];
    if (row < 0) continue;
    cap_hb_linear_entry(lin, row, row)->c += 1.0;
    subtract(lin, &w, row, w.xdot[k], w.dxdot + k * w.ncol);
  }
  cap_arena_free(&arena);
  return status;
}

cap_status cap_hb_tangent_read(cap_hb_linear *lin, const cap_model *m, int lane, cap_error *error)
{
  cap_model *one = NULL;
  cap_status status = m->nlane == 1 ? CAP_OK : cap_lanes_copy(m, lane, 1, &one);
  if (status == CAP_OK) status = read_one(lin, one ? one : m);
  cap_model_free(one);
  return status == CAP_OK ? CAP_OK : cap_status_fail(error, status, "out of memory");
}

void cap_hb_tangent_turn(cap_hb_linear *lin, const cap_model *m)
{
  for (int i = 0; i < m->nv; i++) {
    int column = lin->place[i];
    if (column < 0 || !lin->drifts[column]) continue;
    for (int row = 0; row < lin->nfree; row++) {
      double sum = 0.0;
      for (int k = i; k < m->nv; k++)
        if (m->cyclic[k] == m->cyclic[i]) sum += cap_hb_linear_entry(lin, row, lin->place[k])->c;
      cap_hb_linear_entry(lin, row, column)->rest = sum;
    }
  }
}

/* ---- outputs ------------------------------------------------------------------------------------------- */

static bool shows(const cap_batch *b)
{
  return b->type->tangent && b->type->nstate;
}

static int list_outputs(const cap_model *m, int *at)
{
  int n = 0;
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    int more = batch->n * batch->type->noutput;
    for (int k = 0; shows(batch) && k < batch->n; k++, n++)
      if (at) at[n] = batch->elem_adr + k;
    for (int k = 0; shows(batch) && k < more; k++, n++)
      if (at) at[n] = batch->output_adr + k;
  }
  return n;
}

/* Work of one evaluation for outputs alone. */
typedef struct probe {
  const cap_model *m;
  double *y, *h, *xdot, *force;
} probe;

static void look(const probe *p)
{
  const cap_model *m = p->m;
  double t = m->t0;
  cap_eval e = {.nlane = 1,
                .t = &t,
                .q = p->y,
                .v = p->y + m->nv,
                .x = p->y + 2 * m->nv,
                .h = p->h,
                .xdot = p->xdot,
                .force = p->force};
  for (int b = 0; b < m->nbatch; b++)
    if (shows(&m->batches[b])) m->batches[b].type->rates(&m->batches[b], &e);
}

static cap_status show_one(const cap_model *m, cap_hb_tangent_shown *s)
{
  static const double part = 1e-6; /* of a radian, of the speed, of a length */
  int n = m->nstate;
  cap_arena *a = &s->arena;
  s->n = list_outputs(m, NULL);
  s->at = CAP_ARENA_NEW(a, int, s->n);
  s->start = CAP_ARENA_NEW(a, double, n);
  s->value = CAP_ARENA_NEW(a, double, s->n);
  s->slope = CAP_ARENA_NEW(a, double, ((size_t)s->n * (size_t)n));
  probe p = {.m = m,
             .y = CAP_ARENA_NEW(a, double, n),
             .h = CAP_ARENA_NEW(a, double, m->nv),
             .xdot = CAP_ARENA_NEW(a, double, m->nx),
             .force = CAP_ARENA_NEW(a, double, m->noutput)};
  if (!s->at || !s->start || !s->value || !s->slope || !p.y || !p.h || !p.xdot || !p.force)
    return CAP_ERR_NOMEM;
  list_outputs(m, s->at);
  set_start(m, s->start);
  memcpy(p.y, s->start, sizeof(double) * (size_t)n);
  look(&p);
  for (int o = 0; o < s->n; o++) s->value[o] = p.force[s->at[o]];
  for (int k = 0; k < n; k++) {
    double size = k < m->nv ? 1.0 : k < 2 * m->nv ? fmax(1.0, fabs(m->base[k - m->nv])) : fabs(s->start[k]);
    double step = part * size;
    for (int side = 0; side < 2 && step > 0.0; side++) {
      p.y[k] = s->start[k] + (side ? step : -step);
      look(&p);
      for (int o = 0; o < s->n; o++)
        s->slope[o * n + k] += (side ? p.force[s->at[o]] : -p.force[s->at[o]]) / (2.0 * step);
    }
    p.y[k] = s->start[k];
  }
  return CAP_OK;
}

cap_status cap_hb_tangent_show(const cap_model *m, int lane, cap_hb_tangent_shown *s)
{
  cap_model *one = NULL;
  *s = (cap_hb_tangent_shown){0};
  cap_status status = m->nlane == 1 ? CAP_OK : cap_lanes_copy(m, lane, 1, &one);
  if (status == CAP_OK) status = show_one(one ? one : m, s);
  cap_model_free(one);
  return status;
}

void cap_hb_tangent_hide(cap_hb_tangent_shown *s)
{
  cap_arena_free(&s->arena);
  *s = (cap_hb_tangent_shown){0};
}
