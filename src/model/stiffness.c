/* model/stiffness.c — see stiffness.h. */
#include "model/stiffness.h"
#include "model/settling.h"

#include <stdlib.h>
#include <string.h>

/* ---- pattern ------------------------------------------------------------------------------------------- */

/* Coordinates of element k of a batch; -1: not known. */
static int reach_of(const cap_batch *b, int k, int coords[CAP_REACH_MOST])
{
  int n = 0;
  if (b->type->reach) return b->type->reach(b, k, coords);
  if (b->type->wide || b->type->follow) return -1;
  coords[n++] = b->i[k];
  if (b->j[k] != CAP_GROUND) coords[n++] = b->j[k];
  return n;
}

static bool known(const cap_model *m)
{
  int coords[CAP_REACH_MOST];
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n; k++)
      if (reach_of(&m->batches[b], k, coords) < 0) return false;
  return m->ncontact == 0;
}

/* What reaches what: elements and sliders as lists of free coordinates, and of each coordinate the lists that
 * it stands in. */
typedef struct lists {
  int n;
  int *first, *items; /* of the lists: [n + 1] */
  int *own, *of;      /* of the coordinates: [nfree + 1], and lists */
} lists;

static int count_lists(const cap_model *m)
{
  int n = m->nslider;
  for (int b = 0; b < m->nbatch; b++) n += m->batches[b].n;
  return n;
}

static void append(const cap_stiffness *s, lists *l, int n, const int *coords)
{
  int at = l->first[l->n];
  for (int c = 0; c < n; c++)
    if (s->place[coords[c]] >= 0) l->items[at++] = s->place[coords[c]];
  l->first[++l->n] = at;
}

static bool make_lists(cap_stiffness *s, cap_arena *scratch, lists *l)
{
  const cap_model *m = s->m;
  int most = count_lists(m), coords[CAP_REACH_MOST];
  *l = (lists){.first = CAP_ARENA_NEW(scratch, int, most + 1),
               .items = CAP_ARENA_NEW(scratch, int, (most * CAP_REACH_MOST)),
               .own = CAP_ARENA_NEW(scratch, int, s->n + 2)};
  if (!l->first || !l->items || !l->own) return false;
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n; k++) append(s, l, reach_of(&m->batches[b], k, coords), coords);
  for (int k = 0; k < m->nslider; k++) {
    int n = 0;
    coords[n++] = m->slider_i[k];
    if (m->slider_j[k] != CAP_GROUND) coords[n++] = m->slider_j[k];
    append(s, l, n, coords);
  }
  int total = l->first[l->n];
  if (!(l->of = CAP_ARENA_NEW(scratch, int, total + 1))) return false;
  for (int c = 0; c < total; c++) l->own[l->items[c] + 2]++;
  for (int i = 0; i < s->n; i++) l->own[i + 2] += l->own[i + 1];
  for (int k = 0; k < l->n; k++)
    for (int c = l->first[k]; c < l->first[k + 1]; c++) l->of[l->own[l->items[c] + 1]++] = k;
  return true;
}

/* Rows of column j, ascending; its own is always there. Returns their number. */
static int column_rows(const lists *l, int j, int *mark, int *rows)
{
  int n = 0;
  mark[j] = j + 1;
  rows[n++] = j;
  for (int k = l->own[j]; k < l->own[j + 1]; k++)
    for (int c = l->first[l->of[k]]; c < l->first[l->of[k] + 1]; c++) {
      int i = l->items[c];
      if (mark[i] == j + 1) continue;
      mark[i] = j + 1;
      rows[n++] = i;
    }
  for (int a = 1; a < n; a++) /* few, and nearly sorted */
    for (int b = a; b > 0 && rows[b - 1] > rows[b]; b--) {
      int swap = rows[b];
      rows[b] = rows[b - 1];
      rows[b - 1] = swap;
    }
  return n;
}

static bool fill_sparse(cap_stiffness *s)
{
  cap_arena scratch = {0};
  lists l;
  int *mark = CAP_ARENA_NEW(&scratch, int, s->n + 1), *rows = CAP_ARENA_NEW(&scratch, int, s->n + 1);
  bool ok = mark && rows && make_lists(s, &scratch, &l);
  for (int j = 0; ok && j < s->n; j++) s->start[j + 1] = s->start[j] + column_rows(&l, j, mark, rows);
  if (ok) {
    s->nvalue = s->start[s->n];
    s->row = CAP_ARENA_NEW(&s->arena, int, s->nvalue + 1);
    memset(mark, 0, sizeof(int) * (size_t)(s->n + 1));
    ok = s->row != NULL;
  }
  for (int j = 0; ok && j < s->n; j++) column_rows(&l, j, mark, s->row + s->start[j]);
  cap_arena_free(&scratch);
  return ok;
}

static bool fill_full(cap_stiffness *s)
{
  s->nvalue = s->n * s->n;
  s->row = CAP_ARENA_NEW(&s->arena, int, s->nvalue + 1);
  if (!s->row) return false;
  for (int j = 0; j < s->n; j++) {
    s->start[j + 1] = (j + 1) * s->n;
    for (int i = 0; i < s->n; i++) s->row[j * s->n + i] = i;
  }
  return true;
}

/* Greedy: the first group without a column that shares a row (the pattern is symmetric). */
static bool group_columns(cap_stiffness *s)
{
  int *taken = calloc((size_t)s->n + 1, sizeof *taken);
  if (!taken) return false;
  for (int j = 0; j < s->n; j++) s->group[j] = -1;
  for (int j = 0; j < s->n; j++) {
    for (int k = s->start[j]; k < s->start[j + 1]; k++)
      for (int c = s->start[s->row[k]]; c < s->start[s->row[k] + 1]; c++)
        if (s->group[s->row[c]] >= 0) taken[s->group[s->row[c]]] = j + 1;
    int group = 0;
    while (taken[group] == j + 1) group++;
    s->group[j] = group;
    if (group >= s->ngroup) s->ngroup = group + 1;
  }
  free(taken);
  return true;
}

static void find_diagonal(cap_stiffness *s)
{
  for (int j = 0; j < s->n; j++)
    for (int k = s->start[j]; k < s->start[j + 1]; k++)
      if (s->row[k] == j) s->diagonal[j] = k;
}

/* ---- handle -------------------------------------------------------------------------------------------- */

static bool number_coordinates(cap_stiffness *s)
{
  const cap_model *m = s->m;
  s->place = CAP_ARENA_NEW(&s->arena, int, m->nv + 1);
  s->coord = CAP_ARENA_NEW(&s->arena, int, m->nv + 1);
  if (!s->place || !s->coord) return false;
  for (int i = 0; i < m->nv; i++) {
    s->place[i] = m->driven[i] < 0 ? s->n : -1;
    if (m->driven[i] < 0) s->coord[s->n++] = i;
  }
  return (s->start = CAP_ARENA_NEW(&s->arena, int, s->n + 1)) &&
         (s->group = CAP_ARENA_NEW(&s->arena, int, s->n + 1)) &&
         (s->diagonal = CAP_ARENA_NEW(&s->arena, int, s->n + 1));
}

static bool make_room(cap_stiffness *s)
{
  const cap_model *m = s->m;
  int n = s->ngroup > 0 ? s->ngroup : 1;
  bool ok = (s->values = CAP_ARENA_NEW(&s->arena, double, s->nvalue + 1)) &&
            (s->h = CAP_ARENA_NEW(&s->arena, double, m->nv + 1)) &&
            (s->force = CAP_ARENA_NEW(&s->arena, double, m->noutput + 1)) &&
            (s->xdot = CAP_ARENA_NEW(&s->arena, double, m->nx + 1)) &&
            (s->dq = CAP_ARENA_NEW(&s->arena, double, (m->nv * n + 1))) &&
            (s->dv = CAP_ARENA_NEW(&s->arena, double, (m->nv * n + 1))) &&
            (s->dh = CAP_ARENA_NEW(&s->arena, double, (m->nv * n + 1))) &&
            (s->dx = CAP_ARENA_NEW(&s->arena, double, (m->nx * n + 1))) &&
            (s->dxdot = CAP_ARENA_NEW(&s->arena, double, (m->nx * n + 1)));
  for (int j = 0; ok && j < s->n; j++) s->dq[s->coord[j] * n + s->group[j]] = 1.0;
  return ok;
}

cap_status cap_stiffness_create(const cap_model *m, cap_stiffness **out, cap_error *error)
{
  cap_stiffness *s = *out = calloc(1, sizeof *s);
  bool ok = s != NULL;
  if (ok) s->m = m, s->full = !known(m);
  ok = ok && number_coordinates(s) && (s->full ? fill_full(s) : fill_sparse(s)) && group_columns(s);
  if (ok) find_diagonal(s);
  if (ok && make_room(s)) return CAP_OK;
  cap_stiffness_free(s);
  *out = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

void cap_stiffness_free(cap_stiffness *s)
{
  if (!s) return;
  cap_arena_free(&s->arena);
  free(s);
}

/* ---- values -------------------------------------------------------------------------------------------- */

/* At rest: the directions of the velocities, all zero, serve as velocities, too. */
static void rates(cap_stiffness *s, double t, const double *q, const double *x, int ncol)
{
  cap_eval e = {.nlane = 1,
                .ncol = ncol,
                .t = &t,
                .input = s->inputs,
                .q = q,
                .v = s->dv,
                .x = x,
                .dq = s->dq,
                .dv = s->dv,
                .dx = s->dx,
                .h = s->h,
                .dh = s->dh,
                .xdot = s->xdot,
                .dxdot = s->dxdot,
                .force = s->force};
  cap_model_rates(s->m, &e);
}

void cap_stiffness_forces(cap_stiffness *s, double t, const double *q, const double *x)
{
  rates(s, t, q, x, 0);
}

void cap_stiffness_evaluate(cap_stiffness *s, double t, const double *q, const double *x, const double *dxdu)
{
  int n = s->ngroup;
  if (s->m->nx) cap_settling_columns(s->m, dxdu, n, s->dq, s->dx);
  rates(s, t, q, x, n);
  for (int j = 0; j < s->n; j++)
    for (int k = s->start[j]; k < s->start[j + 1]; k++)
      s->values[k] = -s->dh[s->coord[s->row[k]] * n + s->group[j]];
}
