/* linalg/sparse.c — see sparse.h. */
#include "linalg/sparse.h"

#include <klu.h>
#include <stdlib.h>

struct capm_sparse {
  int n, *start, *row;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric; /* NULL until the first factorisation */
  int real;
  int *seen; /* [n] scratch of the sign */
};

static void free_numeric(capm_sparse *s)
{
  if (!s->numeric) return;
  if (s->real) klu_free_numeric(&s->numeric, &s->common);
  else klu_z_free_numeric(&s->numeric, &s->common);
}

cap_status capm_sparse_create(int n, int *start, int *row, capm_sparse **out)
{
  capm_sparse *s = calloc(1, sizeof *s);
  *out = s;
  if (!s) return CAP_ERR_NOMEM;
  s->seen = calloc((size_t)n + 1, sizeof *s->seen);
  if (!s->seen) {
    free(s);
    *out = NULL;
    return CAP_ERR_NOMEM;
  }
  s->n = n;
  s->start = start;
  s->row = row;
  klu_defaults(&s->common);
  s->symbolic = klu_analyze(n, start, row, &s->common);
  if (s->symbolic) return CAP_OK;
  cap_status status = s->common.status == KLU_OUT_OF_MEMORY ? CAP_ERR_NOMEM : CAP_ERR_NUMERICS;
  capm_sparse_free(s);
  *out = NULL;
  return status;
}

void capm_sparse_free(capm_sparse *s)
{
  if (!s) return;
  free_numeric(s);
  if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
  free(s->seen);
  free(s);
}

/* The old pivots with new values; useless when the growth shows that they no longer suit. */
static int refactor(capm_sparse *s, double *values)
{
  if (!s->numeric) return 0;
  if (!klu_z_refactor(s->start, s->row, values, s->symbolic, s->numeric, &s->common)) return 0;
  if (!klu_z_rcond(s->symbolic, s->numeric, &s->common)) return 0;
  return s->common.status == KLU_OK && s->common.rcond > 1e-8;
}

cap_status capm_sparse_factor(capm_sparse *s, double *values)
{
  if (refactor(s, values)) return CAP_OK;
  free_numeric(s);
  s->numeric = klu_z_factor(s->start, s->row, values, s->symbolic, &s->common);
  if (!s->numeric) return s->common.status == KLU_OUT_OF_MEMORY ? CAP_ERR_NOMEM : CAP_ERR_NUMERICS;
  return s->common.status == KLU_OK ? CAP_OK : CAP_ERR_NUMERICS;
}

cap_status capm_sparse_solve(capm_sparse *s, int nright, double *x)
{
  if (s->n == 0 || nright == 0) return CAP_OK;
  return klu_z_solve(s->symbolic, s->numeric, s->n, nright, x, &s->common) ? CAP_OK : CAP_ERR_NUMERICS;
}

static int refactor_real(capm_sparse *s, double *values)
{
  if (!s->numeric) return 0;
  if (!klu_refactor(s->start, s->row, values, s->symbolic, s->numeric, &s->common)) return 0;
  if (!klu_rcond(s->symbolic, s->numeric, &s->common)) return 0;
  return s->common.status == KLU_OK && s->common.rcond > 1e-12;
}

/* Pivots that differ by more than rounding leaves: singular. */
cap_status capm_sparse_factor_real(capm_sparse *s, double *values)
{
  s->real = 1;
  if (refactor_real(s, values)) return CAP_OK;
  free_numeric(s);
  s->numeric = klu_factor(s->start, s->row, values, s->symbolic, &s->common);
  if (!s->numeric) return s->common.status == KLU_OUT_OF_MEMORY ? CAP_ERR_NOMEM : CAP_ERR_NUMERICS;
  if (s->common.status != KLU_OK || !klu_rcond(s->symbolic, s->numeric, &s->common)) return CAP_ERR_NUMERICS;
  return s->common.rcond > 1e-15 ? CAP_OK : CAP_ERR_NUMERICS;
}

cap_status capm_sparse_solve_real(capm_sparse *s, int nright, double *x)
{
  if (s->n == 0 || nright == 0) return CAP_OK;
  return klu_solve(s->symbolic, s->numeric, s->n, nright, x, &s->common) ? CAP_OK : CAP_ERR_NUMERICS;
}

/* Sign of a permutation by its cycles. */
static int permutation_sign(capm_sparse *s, const int *p)
{
  int sign = 1;
  for (int k = 0; k < s->n; k++) s->seen[k] = 0;
  for (int k = 0; k < s->n; k++)
    for (int at = p[k]; !s->seen[at]; at = p[at]) {
      s->seen[at] = 1;
      if (at != k) sign = -sign;
    }
  return sign;
}

int capm_sparse_sign(capm_sparse *s)
{
  const double *pivots = s->numeric->Udiag;
  int sign = permutation_sign(s, s->numeric->Pnum) * permutation_sign(s, s->symbolic->Q);
  for (int k = 0; k < s->n; k++)
    if (pivots[k] < 0.0) sign = -sign;
  return sign;
}
