/* solve/continuation/continuation_border.c — see continuation_border.h. */
#include "solve/continuation/continuation_border.h"

#include "linalg/lu.h"

#include <math.h>
#include <string.h>

static bool structured_init(cap_continuation_border *b, cap_arena *arena)
{
  for (int m = 0; m < CAP_CONTINUATION_BORDERS; m++) {
    b->column[m] = CAP_ARENA_NEW(arena, double, b->n + m);
    b->row[m] = CAP_ARENA_NEW(arena, double, b->n + m);
    b->right[m] = CAP_ARENA_NEW(arena, double, b->n + m);
    b->left[m] = CAP_ARENA_NEW(arena, double, b->n + m);
    if (!b->column[m] || !b->row[m] || !b->right[m] || !b->left[m]) return false;
  }
  return true;
}

bool cap_continuation_border_init(cap_continuation_border *b, cap_arena *arena, int n, const double *x_scale,
                                  const cap_continuation_problem *structured)
{
  *b = (cap_continuation_border){.n = n, .x_scale = x_scale, .problem = structured};
  if (structured) return structured_init(b, arena);
  int most = n + CAP_CONTINUATION_BORDERS;
  b->matrix = CAP_ARENA_NEW(arena, double, ((size_t)most * (size_t)most));
  b->row_scale = CAP_ARENA_NEW(arena, double, most);
  b->column_scale = CAP_ARENA_NEW(arena, double, most);
  b->pivot = CAP_ARENA_NEW(arena, int, most);
  return b->matrix && b->row_scale && b->column_scale && b->pivot;
}

/* ---- dense --------------------------------------------------------------------------------------------- */

/* Border columns get the size that makes them comparable with the scaled Jacobian's. */
static double border_scale(const cap_continuation_border *b, const double *fx, const double *column)
{
  double most = 0.0, own = 0.0;
  for (int i = 0; i < b->n; i++) {
    own = fmax(own, fabs(column[i]));
    for (int j = 0; j < b->n; j++)
      most = fmax(most, fabs(fx[(size_t)i * (size_t)b->n + (size_t)j]) * b->column_scale[j]);
  }
  return own > 0.0 && most > 0.0 && isfinite(own / most) ? most / own : 1.0;
}

static void dense_fill(cap_continuation_border *b, const double *fx, const double *const *columns,
                       const double *const *rows)
{
  int n = b->n, size = n + b->k;
  for (int j = 0; j < n; j++) b->column_scale[j] = b->x_scale ? b->x_scale[j] : 1.0;
  for (int m = 0; m < b->k; m++) b->column_scale[n + m] = border_scale(b, fx, columns[m]);
  for (int i = 0; i < size; i++) {
    double *to = b->matrix + (size_t)i * (size_t)size;
    if (i < n) {
      memcpy(to, fx + (size_t)i * (size_t)n, (size_t)n * sizeof *to);
      for (int m = 0; m < b->k; m++) to[n + m] = columns[m][i];
    } else {
      memcpy(to, rows[i - n], (size_t)size * sizeof *to);
    }
    double most = 0.0;
    for (int j = 0; j < size; j++) {
      to[j] *= b->column_scale[j];
      most = fmax(most, fabs(to[j]));
    }
    b->row_scale[i] = most > 0.0 ? 1.0 / most : 1.0;
    for (int j = 0; j < size; j++) to[j] *= b->row_scale[i];
  }
}

static cap_status dense_factor(cap_continuation_border *b, const double *fx, const double *const *columns,
                               const double *const *rows)
{
  int size = b->n + b->k;
  dense_fill(b, fx, columns, rows);
  int fault = capm_lu_factor_heard(size, b->matrix, b->pivot, b->progress);
  if (fault) return fault == CAPM_LU_STOPPED ? CAP_STOPPED : CAP_RETRY_NOCONV;
  b->sign = 1;
  for (int i = 0; i < size; i++) {
    if (b->pivot[i] != i) b->sign = -b->sign;
    if (b->matrix[(size_t)i * (size_t)(size + 1)] < 0.0) b->sign = -b->sign;
  }
  return CAP_OK;
}

static void dense_solve(const cap_continuation_border *b, bool transposed, double *rhs)
{
  int size = b->n + b->k;
  const double *before = transposed ? b->column_scale : b->row_scale;
  const double *after = transposed ? b->row_scale : b->column_scale;
  for (int i = 0; i < size; i++) rhs[i] *= before[i];
  if (transposed) capm_lu_solve_transposed(size, b->matrix, b->pivot, rhs);
  else capm_lu_solve(size, b->matrix, b->pivot, rhs);
  for (int i = 0; i < size; i++) rhs[i] *= after[i];
}

/* ---- structured ---------------------------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* rhs[n + level] := M_level^-1 rhs, M_0 = J. For a transposed system columns and rows change roles. */
static void structured_solve(const cap_continuation_border *b, int level, bool transposed, double *rhs)
{
  if (level == 0) {
    b->problem->solve(b->problem->self, transposed, rhs);
    return;
  }
  int m = level - 1, size = b->n + m;
  const double *column = transposed ? b->row[m] : b->column[m], *row = transposed ? b->column[m] : b->row[m];
  const double *right = transposed ? b->left[m] : b->right[m], *left = transposed ? b->right[m] : b->left[m];
  double schur = transposed ? b->schur_left[m] : b->schur[m];
  double schur_left = transposed ? b->schur[m] : b->schur_left[m];
  double first = (rhs[size] - dot(size, left, rhs)) / schur_left;
  double rest = rhs[size] - b->corner[m] * first;
  for (int i = 0; i < size; i++) rhs[i] -= column[i] * first;
  structured_solve(b, m, transposed, rhs);
  double second = (rest - dot(size, row, rhs)) / schur;
  for (int i = 0; i < size; i++) rhs[i] -= right[i] * second;
  rhs[size] = first + second;
}

static cap_status structured_border(cap_continuation_border *b, int m, const double *column,
                                    const double *const *rows)
{
  int n = b->n, size = n + m;
  memcpy(b->column[m], column, (size_t)n * sizeof *column);
  for (int l = 0; l < m; l++) b->column[m][n + l] = rows[l][size];
  memcpy(b->row[m], rows[m], (size_t)size * sizeof *column);
  b->corner[m] = rows[m][size];
  memcpy(b->right[m], b->column[m], (size_t)size * sizeof *column);
  memcpy(b->left[m], b->row[m], (size_t)size * sizeof *column);
  structured_solve(b, m, false, b->right[m]);
  structured_solve(b, m, true, b->left[m]);
  b->schur[m] = b->corner[m] - dot(size, b->row[m], b->right[m]);
  b->schur_left[m] = b->corner[m] - dot(size, b->left[m], b->column[m]);
  if (!isfinite(b->schur[m]) || !isfinite(b->schur_left[m]) || b->schur[m] == 0.0 || b->schur_left[m] == 0.0)
    return CAP_RETRY_NOCONV;
  if (b->schur[m] < 0.0) b->sign = -b->sign;
  b->log_structured += log(fabs(b->schur[m]));
  return CAP_OK;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

cap_status cap_continuation_border_factor(cap_continuation_border *b, const double *fx, int k,
                                          const double *const *columns, const double *const *rows)
{
  b->k = k;
  if (!b->problem) return dense_factor(b, fx, columns, rows);
  CAP_TRY(b->problem->factor(b->problem->self, &b->sign, &b->log_structured));
  for (int m = 0; m < k; m++) CAP_TRY(structured_border(b, m, columns[m], rows));
  return CAP_OK;
}

void cap_continuation_border_solve(const cap_continuation_border *b, bool transposed, double *rhs)
{
  if (b->problem) structured_solve(b, b->k, transposed, rhs);
  else dense_solve(b, transposed, rhs);
}

double cap_continuation_border_log_det(const cap_continuation_border *b)
{
  if (b->problem) return b->log_structured;
  int size = b->n + b->k;
  double sum = 0.0;
  for (int i = 0; i < size; i++)
    sum += log(fabs(b->matrix[(size_t)i * (size_t)(size + 1)]) / (b->row_scale[i] * b->column_scale[i]));
  return sum;
}
