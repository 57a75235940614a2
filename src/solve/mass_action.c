/* solve/mass_action.c — see mass_action.h.
 *
 * Row r of G is the sum over its entries a_rc of a_rc times row c of B', where (a, B) is (w, M^-1 W) or
 * (y, y). B' is kept by coordinates ("slots"): the rows of W' that reach the coordinate and their values,
 * without a list of rows where these follow each other. All rows that touch a block share one such list, so
 * that the inner loops run over contiguous memory, four coordinates at once.
 */
#include "solve/mass_action.h"

#include "base/clones.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 8 }; /* right-hand sides solved together */

/* Memory that only grows. */
typedef struct store {
  void *at;
  size_t size;
} store;

typedef struct slot {
  int nrow;
  const int *rows;  /* [nrow] ascending: those that reach the coordinate */
  bool window;      /* values are those of all rows first .. first + width, else of `rows` */
  int first, width; /* from the first to the last of `rows` */
  double *value;    /* of B */
} slot;

struct cap_mass_action {
  int nv, nblock;
  cap_mass_action_way way;
  double *inverse_mass;      /* [nv] */
  int *block_of;             /* [nv] -1 = none */
  const cap_inertia *blocks; /* [nblock] */
  capm_cholesky_sparse *sparse;
  const double *inertia_work;
  cap_mass_action_rows w;
  slot *slots;        /* [nv] B by coordinates */
  const int *a_start; /* [rows + 1] factors a_rc by rows */
  const int *a_slot;
  const double *a_value;
  double *vector; /* [nv] zero between calls */
  int *places;    /* [nv] */
  store factors_start, factors_slot, factors, plain_rows, plain, block_rows, block, chunk, inverse;
  store g_start, g_column, g_value, g_row, g_place;
};

static bool grow(store *s, size_t count, size_t size)
{
  size_t need = (count + 1) * size;
  if (need <= s->size) return true;
  void *larger = realloc(s->at, need + need / 4);
  if (!larger) return false;
  s->at = larger;
  s->size = need + need / 4;
  return true;
}

/* y += f[0] a + f[1] b + f[2] c + f[3] d, one after the other. */
CAP_CLONES static void add_four(int n, double *restrict y, const double *restrict a, const double *restrict b,
                                const double *restrict c, const double *restrict d, const double *f)
{
  double fa = f[0], fb = f[1], fc = f[2], fd = f[3];
  for (int i = 0; i < n; i++) y[i] = (((y[i] + fa * a[i]) + fb * b[i]) + fc * c[i]) + fd * d[i];
}

CAP_CLONES static void add(int n, double *restrict y, const double *restrict a, double f)
{
  for (int i = 0; i < n; i++) y[i] += f * a[i];
}

/* --- masses -------------------------------------------------------------------------------------------- */

void cap_mass_action_free(cap_mass_action *a)
{
  if (!a) return;
  store *all[] = {&a->factors_start, &a->factors_slot, &a->factors, &a->plain_rows, &a->plain,
                  &a->block_rows,    &a->block,        &a->chunk,   &a->inverse,    &a->g_start,
                  &a->g_column,      &a->g_value,      &a->g_row,   &a->g_place};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]->at);
  free(a->inverse_mass);
  free(a->block_of);
  free(a->slots);
  free(a);
}

static cap_mass_action *create(int nv)
{
  cap_mass_action *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->nv = nv;
  a->inverse_mass = calloc(2 * (size_t)nv + 1, sizeof(double));
  a->block_of = malloc((2 * (size_t)nv + 1) * sizeof(int));
  a->slots = calloc((size_t)nv + 1, sizeof(slot));
  if (!a->inverse_mass || !a->block_of || !a->slots) {
    cap_mass_action_free(a);
    return NULL;
  }
  a->vector = a->inverse_mass + nv;
  a->places = a->block_of + nv;
  for (int i = 0; i < nv; i++) a->block_of[i] = -1;
  return a;
}

cap_status cap_mass_action_create(int nv, const double *inverse_mass, int nblock, const cap_inertia *blocks,
                                  cap_mass_action **out)
{
  cap_mass_action *a = *out = create(nv);
  if (!a) return CAP_ERR_NOMEM;
  memcpy(a->inverse_mass, inverse_mass, (size_t)nv * sizeof(double));
  a->nblock = nblock;
  a->blocks = blocks;
  for (int b = 0; b < nblock; b++)
    for (int i = 0; i < blocks[b].n; i++) a->block_of[blocks[b].first + i] = b;
  return CAP_OK;
}

cap_status cap_mass_action_of_model(const cap_model *m, cap_mass_action **out)
{
  CAP_TRY(cap_mass_action_create(m->nv, m->inverse_mass, m->ninertia, m->inertias, out));
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] >= 0) (*out)->inverse_mass[i] = 0.0;
  return CAP_OK;
}

cap_status cap_mass_action_of_sparse(capm_cholesky_sparse *factor, cap_mass_action **out)
{
  cap_mass_action *a = *out = create(capm_cholesky_sparse_size(factor));
  if (!a) return CAP_ERR_NOMEM;
  a->sparse = factor;
  a->way = CAP_MASS_ACTION_HALF;
  return CAP_OK;
}

void cap_mass_action_choose(cap_mass_action *a, cap_mass_action_way way)
{
  if (!a->sparse) a->way = way;
}

/* --- B of single coordinates --------------------------------------------------------------------------- */

/* Whether a coordinate is one of those that `turn` makes slots of: of no block, and free to move. */
static bool single(const cap_mass_action *a, int coord, const double *scale)
{
  return a->block_of[coord] < 0 && !(scale && scale[coord] == 0.0);
}

/* Slots from factors that are already there by rows, B = scale a: each slot gets its rows, ascending. */
static cap_status turn(cap_mass_action *a, const int *start, const int *at, const double *value,
                       const double *scale)
{
  int total = start[a->w.n];
  if (!grow(&a->plain_rows, (size_t)total, sizeof(int)) || !grow(&a->plain, (size_t)total, sizeof(double)))
    return CAP_ERR_NOMEM;
  for (int i = 0; i < a->nv; i++) a->slots[i] = (slot){0};
  for (int p = 0; p < total; p++)
    if (single(a, at[p], scale)) a->slots[at[p]].nrow++;
  int *rows = a->plain_rows.at, sum = 0;
  for (int i = 0; i < a->nv; i++) {
    slot *s = &a->slots[i];
    s->rows = rows + sum;
    s->value = (double *)a->plain.at + sum;
    sum += s->nrow;
    s->nrow = 0;
  }
  for (int r = 0; r < a->w.n; r++)
    for (int p = start[r]; p < start[r + 1]; p++) {
      slot *s = &a->slots[at[p]];
      if (!single(a, at[p], scale)) continue;
      double b = scale ? value[p] * scale[at[p]] : value[p];
      int k = s->nrow;
      if (k > 0 && s->rows[k - 1] == r) { /* a duplicate coordinate of a row */
        s->value[k - 1] += b;
        continue;
      }
      rows[(s->rows - rows) + k] = r;
      s->value[s->nrow++] = b;
    }
  for (int i = 0; i < a->nv; i++) {
    slot *s = &a->slots[i];
    if (s->nrow == 0) continue;
    s->first = s->rows[0];
    s->width = s->rows[s->nrow - 1] - s->first + 1;
    s->window = s->width == s->nrow;
  }
  return CAP_OK;
}

/* --- B of blocks --------------------------------------------------------------------------------------- */

/* The rows that touch a block, and its touched coordinates. */
typedef struct touch {
  const cap_inertia *block;
  int nrow, nplace;
  int *rows;   /* [nrow] ascending */
  int *places; /* [nplace] ascending, within the block */
  int first, width;
  bool window;   /* rows fill their range well enough for all of it to be kept */
  int stride;    /* width or nrow */
  double *value; /* [nplace][stride] */
} touch;

static void find_touch(cap_mass_action *a, int block, touch *t, int *rows, int *places)
{
  const cap_inertia *b = &a->blocks[block];
  *t = (touch){.block = b, .rows = rows, .places = places};
  int *seen = a->places; /* by coordinate of the block */
  memset(seen, 0, (size_t)b->n * sizeof(int));
  for (int r = 0; r < a->w.n; r++) {
    bool any = false;
    for (int p = a->w.start[r]; p < a->w.start[r + 1]; p++)
      if (a->block_of[a->w.coord[p]] == block) {
        any = true;
        seen[a->w.coord[p] - b->first] = 1;
      }
    if (any) rows[t->nrow++] = r;
  }
  for (int i = 0; i < b->n; i++)
    if (seen[i] || a->way == CAP_MASS_ACTION_HALF) places[t->nplace++] = i;
  if (t->nrow == 0) return;
  t->first = rows[0];
  t->width = rows[t->nrow - 1] - t->first + 1;
  t->window = t->width <= 2 * t->nrow;
  t->stride = t->window ? t->width : t->nrow;
}

/* Row r of W' within the block, dense: x[b->n]. */
static void spread(const cap_mass_action *a, const touch *t, int r, double *x)
{
  int first = t->block->first, n = t->block->n;
  memset(x, 0, (size_t)n * sizeof(double));
  for (int p = a->w.start[r]; p < a->w.start[r + 1]; p++) {
    int i = a->w.coord[p] - first;
    if (i >= 0 && i < n) x[i] += a->w.value[p];
  }
}

/* x[b->n] := M^-1 w_r from columns of the inverse: column[i] is its index for coordinate i. */
static void combine(const cap_mass_action *a, const touch *t, int r, const int *column, const double *inverse,
                    double *x)
{
  int first = t->block->first, n = t->block->n, count = 0;
  const double *from[4];
  double f[4];
  memset(x, 0, (size_t)n * sizeof(double));
  for (int p = a->w.start[r]; p < a->w.start[r + 1]; p++) {
    int i = a->w.coord[p] - first;
    if (i < 0 || i >= n) continue;
    from[count] = inverse + (size_t)column[i] * n;
    f[count++] = a->w.value[p];
    if (count < 4) continue;
    add_four(n, x, from[0], from[1], from[2], from[3], f);
    count = 0;
  }
  for (int k = 0; k < count; k++) add(n, x, from[k], f[k]);
}

/* Columns of M^-1 for the touched coordinates. */
static void invert(cap_mass_action *a, const touch *t, double *inverse, int *column)
{
  int n = t->block->n;
  memset(inverse, 0, (size_t)t->nplace * n * sizeof(double));
  for (int k = 0; k < t->nplace; k++) {
    column[t->places[k]] = k;
    inverse[(size_t)k * n + t->places[k]] = 1.0;
  }
  t->block->type->solve(t->block, a->inertia_work + t->block->work_adr, t->nplace, inverse);
}

/* B' of a block: values[place][row], rows in chunks. */
static cap_status fill_block(cap_mass_action *a, const touch *t)
{
  const cap_inertia *b = t->block;
  int n = b->n;
  bool by_inverse = a->way == CAP_MASS_ACTION_SOLVE && t->nplace < t->nrow;
  if (!grow(&a->chunk, (size_t)CHUNK * n, sizeof(double))) return CAP_ERR_NOMEM;
  if (by_inverse && !grow(&a->inverse, (size_t)t->nplace * n, sizeof(double))) return CAP_ERR_NOMEM;
  double *x = a->chunk.at;
  if (by_inverse) invert(a, t, a->inverse.at, a->places);
  if (t->window) memset(t->value, 0, (size_t)t->nplace * t->stride * sizeof(double));
  for (int begin = 0; begin < t->nrow; begin += CHUNK) {
    int count = t->nrow - begin < CHUNK ? t->nrow - begin : CHUNK;
    for (int k = 0; k < count; k++)
      if (by_inverse) combine(a, t, t->rows[begin + k], a->places, a->inverse.at, x + (size_t)k * n);
      else spread(a, t, t->rows[begin + k], x + (size_t)k * n);
    if (!by_inverse)
      (a->way == CAP_MASS_ACTION_SOLVE ? b->type->solve : b->type->half)(b, a->inertia_work + b->work_adr,
                                                                         count, x);
    for (int i = 0; i < t->nplace; i++) {
      double *to = t->value + (size_t)i * t->stride;
      for (int k = 0; k < count; k++)
        to[t->window ? t->rows[begin + k] - t->first : begin + k] = x[(size_t)k * n + t->places[i]];
    }
  }
  return CAP_OK;
}

/* Slots of all blocks. Memory for rows and places of all blocks is that of a->block_rows. */
static cap_status take_blocks(cap_mass_action *a)
{
  size_t room = 0, values = 0;
  for (int k = 0; k < a->nblock; k++) room += (size_t)a->w.n + a->blocks[k].n;
  if (!grow(&a->block_rows, room, sizeof(int))) return CAP_ERR_NOMEM;
  for (int pass = 0; pass < 2; pass++) { /* count, then fill */
    int *list = a->block_rows.at;
    double *value = a->block.at;
    for (int k = 0; k < a->nblock; k++) {
      touch t;
      find_touch(a, k, &t, list, list + a->w.n);
      list += a->w.n + t.block->n;
      size_t size = (size_t)t.nplace * t.stride;
      if (pass == 0) {
        values += size;
        continue;
      }
      t.value = value;
      value += size;
      if (t.nrow > 0) CAP_TRY(fill_block(a, &t));
      for (int i = 0; i < t.nplace; i++)
        a->slots[t.block->first + t.places[i]] = (slot){t.nrow,  t.rows,  t.window,
                                                        t.first, t.width, t.value + (size_t)i * t.stride};
    }
    if (pass == 0 && !grow(&a->block, values, sizeof(double))) return CAP_ERR_NOMEM;
  }
  return CAP_OK;
}

/* --- factors by rows ----------------------------------------------------------------------------------- */

/* y of sparse factors: L y = W row by row. */
static cap_status take_sparse(cap_mass_action *a)
{
  if (!grow(&a->factors_start, (size_t)a->w.n + 1, sizeof(int))) return CAP_ERR_NOMEM;
  int *start = a->factors_start.at, sum = 0;
  for (int r = 0; r < a->w.n; r++) {
    int p = a->w.start[r], n = a->w.start[r + 1] - p;
    int count = capm_cholesky_sparse_half(a->sparse, n, a->w.coord + p, a->w.value + p, a->places, a->vector);
    bool room = grow(&a->factors_slot, (size_t)sum + count, sizeof(int)) &&
                grow(&a->factors, (size_t)sum + count, sizeof(double));
    start[r] = sum;
    for (int k = 0; k < count; k++) {
      if (room) {
        ((int *)a->factors_slot.at)[sum] = a->places[k];
        ((double *)a->factors.at)[sum++] = a->vector[a->places[k]];
      }
      a->vector[a->places[k]] = 0.0;
    }
    if (!room) return CAP_ERR_NOMEM;
  }
  start[a->w.n] = sum;
  a->a_start = start;
  a->a_slot = a->factors_slot.at;
  a->a_value = a->factors.at;
  return turn(a, a->a_start, a->a_slot, a->a_value, NULL);
}

/* y of blocks by rows, beside the entries of single coordinates; the latter are (w, w / m). */
static cap_status take_halves(cap_mass_action *a)
{
  size_t most = (size_t)a->w.start[a->w.n];
  for (int k = 0; k < a->nblock; k++) most += (size_t)a->w.n * a->blocks[k].n;
  if (!grow(&a->factors_start, (size_t)a->w.n + 1, sizeof(int)) ||
      !grow(&a->factors_slot, most, sizeof(int)) || !grow(&a->factors, most, sizeof(double)))
    return CAP_ERR_NOMEM;
  int *start = a->factors_start.at, *at = a->factors_slot.at, sum = 0;
  double *value = a->factors.at;
  int *next = a->places; /* of the rows of each block; there are no more blocks than coordinates */
  memset(next, 0, (size_t)a->nblock * sizeof(int));
  for (int r = 0; r < a->w.n; r++) {
    start[r] = sum;
    for (int p = a->w.start[r]; p < a->w.start[r + 1]; p++)
      if (a->block_of[a->w.coord[p]] < 0) {
        at[sum] = a->w.coord[p];
        value[sum++] = a->w.value[p];
      }
    for (int k = 0; k < a->nblock; k++) {
      const cap_inertia *b = &a->blocks[k];
      const slot *s = &a->slots[b->first];
      int j = next[k];
      if (j >= s->nrow || s->rows[j] != r) continue;
      next[k]++;
      if (s->window) j = r - s->first;
      for (int i = 0; i < b->n; i++) {
        at[sum] = b->first + i;
        value[sum++] = s[i].value[j];
      }
    }
  }
  start[a->w.n] = sum;
  a->a_start = start;
  a->a_slot = at;
  a->a_value = value;
  return CAP_OK;
}

cap_status cap_mass_action_take(cap_mass_action *a, const double *inertia_work, const cap_mass_action_rows *w)
{
  a->w = *w;
  a->inertia_work = inertia_work;
  if (a->sparse) return take_sparse(a);
  a->a_start = w->start;
  a->a_slot = w->coord;
  a->a_value = w->value;
  CAP_TRY(turn(a, w->start, w->coord, w->value, a->inverse_mass));
  if (a->nblock == 0) return CAP_OK;
  CAP_TRY(take_blocks(a));
  return a->way == CAP_MASS_ACTION_HALF ? take_halves(a) : CAP_OK;
}

/* --- G ------------------------------------------------------------------------------------------------- */

/* Entries p .. p + 3 of a row whose slots have the same rows, which follow each other. */
static bool four_alike(const cap_mass_action *a, int p, int end)
{
  if (p + 3 >= end) return false;
  const slot *s = &a->slots[a->a_slot[p]];
  if (!s->window) return false;
  for (int k = 1; k < 4; k++) {
    const slot *o = &a->slots[a->a_slot[p + k]];
    if (!o->window || o->first != s->first || o->width != s->width) return false;
  }
  return true;
}

/* Columns 0 .. r of row r, added to g. */
static void add_row(const cap_mass_action *a, int r, double *g)
{
  int end = a->a_start[r + 1];
  for (int p = a->a_start[r]; p < end; p++) {
    const slot *s = &a->slots[a->a_slot[p]];
    int n = r - s->first + 1 < s->width ? r - s->first + 1 : s->width;
    if (!s->window) {
      for (int k = 0; k < s->nrow && s->rows[k] <= r; k++) g[s->rows[k]] += a->a_value[p] * s->value[k];
    } else if (four_alike(a, p, end)) {
      const int *at = a->a_slot + p;
      add_four(n, g + s->first, s->value, a->slots[at[1]].value, a->slots[at[2]].value, a->slots[at[3]].value,
               a->a_value + p);
      p += 3;
    } else {
      add(n, g + s->first, s->value, a->a_value[p]);
    }
  }
}

enum { TILE = 32 };

static void mirror(int n, double *g)
{
  for (int r0 = 0; r0 < n; r0 += TILE)
    for (int c0 = 0; c0 <= r0; c0 += TILE) {
      int r1 = r0 + TILE < n ? r0 + TILE : n;
      for (int r = r0; r < r1; r++) {
        int c1 = c0 + TILE < r ? c0 + TILE : r;
        for (int c = c0; c < c1; c++) g[(size_t)c * n + r] = g[(size_t)r * n + c];
      }
    }
}

void cap_mass_action_dense(cap_mass_action *a, double *g)
{
  int n = a->w.n;
  for (int r = 0; r < n; r++) {
    memset(g + (size_t)r * n, 0, (size_t)n * sizeof(double));
    add_row(a, r, g + (size_t)r * n);
  }
  mirror(n, g);
}

/* Columns c <= r that row r shares a body with, into columns[], unsorted; mark[c] == r + 1 afterwards. The
 * slots of one block have one list, which is gone through once. */
static int shared(const cap_mass_action *a, int r, int *mark, int *columns)
{
  int count = 0;
  const int *last = NULL;
  for (int p = a->a_start[r]; p < a->a_start[r + 1]; p++) {
    const slot *s = &a->slots[a->a_slot[p]];
    if (s->nrow == 0 || s->rows == last) continue;
    last = s->rows;
    for (int k = 0; k < s->nrow && s->rows[k] <= r; k++) {
      int c = s->rows[k];
      if (mark[c] == r + 1) continue;
      mark[c] = r + 1;
      columns[count++] = c;
    }
  }
  return count;
}

/* The marked columns in ascending order: from the marks where they are many, else by insertion (the parts
 * from the single slots already ascend). */
static void sort_columns(int r, const int *mark, int count, int *columns)
{
  if (8 * count > r) {
    for (int c = 0, k = 0; c <= r; c++)
      if (mark[c] == r + 1) columns[k++] = c;
    return;
  }
  for (int k = 1; k < count; k++) {
    int c = columns[k], i = k;
    for (; i > 0 && columns[i - 1] > c; i--) columns[i] = columns[i - 1];
    columns[i] = c;
  }
}

/* The lower triangle by rows into g_column and g_value from `half` on, counts of both triangles into
 * start[r + 1]. */
static cap_status lower_rows(cap_mass_action *a, int *start, int *mark, int *lower_start)
{
  int n = a->w.n, sum = 0;
  double *row = a->g_row.at;
  memset(start, 0, ((size_t)n + 1) * sizeof(int));
  for (int r = 0; r < n; r++) {
    if (!grow(&a->g_column, (size_t)sum + r + 1, sizeof(int)) ||
        !grow(&a->g_value, (size_t)sum + r + 1, sizeof(double)))
      return CAP_ERR_NOMEM;
    int *columns = (int *)a->g_column.at + sum;
    double *values = (double *)a->g_value.at + sum;
    int count = shared(a, r, mark, columns);
    sort_columns(r, mark, count, columns);
    add_row(a, r, row);
    for (int k = 0; k < count; k++) {
      values[k] = row[columns[k]];
      row[columns[k]] = 0.0;
      start[r + 1]++;
      if (columns[k] != r) start[columns[k] + 1]++;
    }
    lower_start[r] = sum;
    sum += count;
  }
  lower_start[n] = sum;
  return CAP_OK;
}

/* Both triangles of G from the lower one: from the last row on, in place, would overwrite what is still
 * needed, so the lower one moves behind first. */
cap_status cap_mass_action_sparse(cap_mass_action *a, const int **start_out, const int **column_out,
                                  const double **value_out)
{
  int n = a->w.n;
  if (!grow(&a->g_start, 4 * ((size_t)n + 1), sizeof(int)) || !grow(&a->g_row, (size_t)n, sizeof(double)))
    return CAP_ERR_NOMEM;
  int *start = a->g_start.at, *lower_start = start + n + 1, *next = lower_start + n + 1, *mark = next + n + 1;
  memset(mark, 0, ((size_t)n + 1) * sizeof(int));
  memset(a->g_row.at, 0, (size_t)n * sizeof(double));
  CAP_TRY(lower_rows(a, start, mark, lower_start));
  for (int r = 0; r < n; r++) start[r + 1] += start[r];
  size_t lower = (size_t)lower_start[n], total = (size_t)start[n];
  if (!grow(&a->g_column, total + lower, sizeof(int)) || !grow(&a->g_value, total + lower, sizeof(double)))
    return CAP_ERR_NOMEM;
  int *column = a->g_column.at, *lower_column = column + total;
  double *value = a->g_value.at, *lower_value = value + total;
  memmove(lower_column, column, lower * sizeof(int));
  memmove(lower_value, value, lower * sizeof(double));
  memcpy(next, start, (size_t)n * sizeof(int));
  /* row by row: the lower part of row r is complete before any later row adds to it from above */
  for (int r = 0; r < n; r++)
    for (int p = lower_start[r]; p < lower_start[r + 1]; p++) {
      int c = lower_column[p];
      column[next[r]] = c;
      value[next[r]++] = lower_value[p];
      if (c == r) continue;
      column[next[c]] = r;
      value[next[c]++] = lower_value[p];
    }
  *start_out = start;
  *column_out = column;
  *value_out = value;
  return CAP_OK;
}

void cap_mass_action_push(cap_mass_action *a, const double *lambda, double *v)
{
  double *f = a->vector;
  for (int r = 0; r < a->w.n; r++)
    for (int p = a->w.start[r]; p < a->w.start[r + 1]; p++) f[a->w.coord[p]] += a->w.value[p] * lambda[r];
  if (a->sparse) capm_cholesky_sparse_solve(a->sparse, f);
  for (int k = 0; k < a->nblock; k++) {
    const cap_inertia *b = &a->blocks[k];
    b->type->solve(b, a->inertia_work + b->work_adr, 1, f + b->first);
  }
  for (int i = 0; i < a->nv; i++) {
    v[i] += a->sparse || a->block_of[i] >= 0 ? f[i] : f[i] * a->inverse_mass[i];
    f[i] = 0.0;
  }
}

cap_status cap_mass_action_counts(cap_mass_action *a, cap_mass_action_count *counts)
{
  int n = a->w.n;
  if (!grow(&a->g_start, 4 * ((size_t)n + 1), sizeof(int))) return CAP_ERR_NOMEM;
  int *mark = a->g_start.at, *columns = mark + n + 1;
  memset(mark, 0, ((size_t)n + 1) * sizeof(int));
  *counts = (cap_mass_action_count){.rows = n, .coordinates = a->nv, .w = a->w.start[n]};
  for (int i = 0; i < a->nv; i++) counts->y += a->slots[i].nrow;
  for (int r = 0; r < n; r++) {
    int below = shared(a, r, mark, columns);
    counts->g += 2 * below - (below > 0);
    for (int p = a->a_start[r]; p < a->a_start[r + 1]; p++) {
      const slot *s = &a->slots[a->a_slot[p]];
      for (int k = 0; k < s->nrow && s->rows[k] <= r; k++) counts->products++;
    }
  }
  return CAP_OK;
}
