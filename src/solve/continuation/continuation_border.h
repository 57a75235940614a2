/* solve/continuation/continuation_border.h — solves with a Jacobian that carries up to two border rows and
 * columns.
 *
 *   M = [ J  B ]   J[n][n], k <= 2 columns B, k rows of length n + k.
 *       [  C   ]
 * Dense: M is scaled (columns by the sizes of the unknowns, rows to one) and factored. Structured: one border
 * after the other by Govaerts' and Pryce's mixed block elimination, which stays accurate where J is singular
 * to working precision; it needs one solve with J and one with J^T a border, and one more a right-hand side.
 */
#pragma once
#include "base/arena.h"
#include "solve/continuation/continuation.h"

enum { CAP_CONTINUATION_BORDERS = 2 };

typedef struct cap_continuation_border {
  const cap_continuation_problem *problem; /* of a structured Jacobian; NULL: dense */
  const cap_progress *progress;            /* asked within dense factorisations; set after init, or NULL */
  int n, k;
  const double *x_scale;            /* [n] or NULL */
  double *matrix;                   /* [n + k][n + k] factors */
  double *row_scale, *column_scale; /* [n + k] */
  int *pivot;
  /* structured, border m: column, row, their solves, and the two Schur complements */
  double *column[CAP_CONTINUATION_BORDERS], *row[CAP_CONTINUATION_BORDERS];
  double *right[CAP_CONTINUATION_BORDERS], *left[CAP_CONTINUATION_BORDERS];
  double corner[CAP_CONTINUATION_BORDERS];
  double schur[CAP_CONTINUATION_BORDERS], schur_left[CAP_CONTINUATION_BORDERS];
  int sign;              /* of det M */
  double log_structured; /* log |det M|, structured only */
} cap_continuation_border;

/* `structured` may be NULL. False: out of memory. */
bool cap_continuation_border_init(cap_continuation_border *b, cap_arena *arena, int n, const double *x_scale,
                                  const cap_continuation_problem *structured);
/* columns[k] each [n], rows[k] each [n + k]. CAP_RETRY_NOCONV: singular. CAP_STOPPED:
 * told to stop. fx is kept. */
cap_status cap_continuation_border_factor(cap_continuation_border *b, const double *fx, int k,
                                          const double *const *columns, const double *const *rows);
/* rhs[n + k] := M^-1 rhs or M^-T rhs. */
void cap_continuation_border_solve(const cap_continuation_border *b, bool transposed, double *rhs);
/* log |det M|. */
double cap_continuation_border_log_det(const cap_continuation_border *b);
