/* hb/hb_condense.c — see hb_condense.h.
 *
 * With the inner (eliminated) coordinates q_I = Z_II^-1 (f_I - Z_IO q_O) and P = [1; -Z_II^-1 Z_IO]:
 *   S = Z_OO + Z_OI P_I,  dS/dw = P^T (dZ/dw) P,  g = f_O + P_I^T f_I,
 *   dg/dw = df_O + P_I^T df_I - P^T (dZ/dw)^T y,   y = (0, Z_II^-1 f_I),
 * because Z is symmetric. With tangents of a running belt it is not; then P and y are derived themselves:
 *   dP_I = -Z_II^-1 (dZ P)_I,  dy_I = Z_II^-1 (df - dZ y)_I,
 *   dS = (dZ P)_O + Z_OI dP_I,  g = f_O - Z_OI y_I,  dg = (df - dZ y)_O - Z_OI dy_I. */
#include "hb/hb_condense.h"
#include "linalg/sparse.h"

#include <stdlib.h>

struct cap_hb_condense {
  int *start, *row;       /* pattern of Z_II by columns */
  double *values;         /* [2 nonzeros] */
  double complex *p;      /* [nfree][nouter] P */
  double complex *y;      /* [nfree] */
  double complex *turned; /* [nouter + 1][ninner] derivatives of P and y; without symmetry only */
  capm_sparse *sparse;
  cap_arena arena;
};

/* CMPLX is not there with every compiler */
static double complex complex_of(double re, double im)
{
  return re + I * im;
}

static double complex times(double complex a, double complex b)
{
  double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  return complex_of(ar * br - ai * bi, ar * bi + ai * br);
}

static cap_status build(cap_hb_condense *d, const cap_hb_linear *lin)
{
  int ni = lin->ninner, count = 0;
  d->start = CAP_ARENA_NEW(&d->arena, int, ni + 1);
  d->row = CAP_ARENA_NEW(&d->arena, int, lin->nentry);
  d->values = CAP_ARENA_NEW(&d->arena, double, 2 * (size_t)lin->nentry);
  d->p = CAP_ARENA_NEW(&d->arena, double complex, ((size_t)lin->nfree * (size_t)lin->nouter));
  d->y = CAP_ARENA_NEW(&d->arena, double complex, lin->nfree);
  d->turned = CAP_ARENA_NEW(&d->arena, double complex,
                            (lin->nstate ? (size_t)ni * (size_t)(lin->nouter + 1) : 0));
  if (!d->start || !d->row || !d->values || !d->p || !d->y || !d->turned) return CAP_ERR_NOMEM;
  for (int e = 0; e < lin->nentry; e++) {
    int r = lin->entries[e].row - lin->nouter, c = lin->entries[e].column - lin->nouter;
    if (r < 0 || c < 0) continue;
    d->row[count++] = r;
    d->start[c + 1] = count;
  }
  return ni ? capm_sparse_create(ni, d->start, d->row, &d->sparse) : CAP_OK;
}

cap_status cap_hb_condense_create(const cap_hb_linear *lin, cap_hb_condense **condense)
{
  cap_hb_condense *d = calloc(1, sizeof *d);
  *condense = d;
  return d ? build(d, lin) : CAP_ERR_NOMEM;
}

void cap_hb_condense_free(cap_hb_condense *d)
{
  if (!d) return;
  capm_sparse_free(d->sparse);
  cap_arena_free(&d->arena);
  free(d);
}

/* The blocks of one harmonic being filled. */
typedef struct block {
  cap_hb_linear *lin;
  cap_hb_condense *d;
  int h;
  double w;
  double complex *s, *s_w, *s_x, *g, *g_w, *inner;
} block;

static double damping(const block *b, const cap_hb_entry *e)
{
  return e->c - b->lin->excitation * e->m;
}

static double complex stiffness(const block *b, const cap_hb_entry *e)
{
  double p = b->h * b->w;
  if (b->h == 0) return e->rest;
  return complex_of(e->k - p * p * e->m, p * damping(b, e));
}

static double complex stiffness_w(const block *b, const cap_hb_entry *e)
{
  return complex_of(-2.0 * b->h * b->h * b->w * e->m, b->h * damping(b, e));
}

static double complex load(const block *b, int i)
{
  int at = b->h * b->lin->nfree + i;
  return b->lin->load[at] + times(complex_of(0.0, b->h * b->w), b->lin->drag[at]);
}

/* inner := [-Z_II^-1 Z_IO, Z_II^-1 f_I] */
static cap_status solve_inner(block *b, cap_error *error)
{
  const cap_hb_linear *lin = b->lin;
  int ni = lin->ninner, no = lin->nouter, count = 0;
  if (ni == 0) return CAP_OK;
  for (int i = 0; i < (no + 1) * ni; i++) b->inner[i] = 0.0;
  for (int e = 0; e < lin->nentry; e++) {
    const cap_hb_entry *entry = &lin->entries[e];
    int r = entry->row - no, c = entry->column;
    double complex z = stiffness(b, entry);
    if (r < 0) continue;
    if (c < no) {
      b->inner[c * ni + r] = -z;
      continue;
    }
    b->d->values[2 * count] = creal(z);
    b->d->values[2 * count + 1] = cimag(z);
    count++;
  }
  for (int i = 0; i < ni; i++) b->inner[no * ni + i] = load(b, no + i);
  cap_status status = capm_sparse_factor(b->d->sparse, b->d->values);
  if (status == CAP_OK) status = capm_sparse_solve(b->d->sparse, no + 1, (double *)b->inner);
  if (status == CAP_OK) return CAP_OK;
  return cap_status_fail(error, status,
                         "the linear part is singular at %.6g rad/s (an undamped resonance without a "
                         "nonlinear element, or an unconstrained body)",
                         b->h * b->w);
}

/* Rows of P and y: the identity on the outer coordinates, what was solved on the inner ones. */
static void gather(const block *b)
{
  int ni = b->lin->ninner, no = b->lin->nouter;
  for (int i = 0; i < no; i++) {
    for (int o = 0; o < no; o++) b->d->p[i * no + o] = i == o;
    b->d->y[i] = 0.0;
  }
  for (int i = 0; i < ni; i++) {
    for (int o = 0; o < no; o++) b->d->p[(no + i) * no + o] = b->inner[o * ni + i];
    b->d->y[no + i] = b->inner[no * ni + i];
  }
}

static void add_entry(const block *b, const cap_hb_entry *e)
{
  int no = b->lin->nouter;
  const double complex *pr = b->d->p + e->row * no, *pc = b->d->p + e->column * no;
  double complex z = stiffness(b, e), z_w = stiffness_w(b, e), y_w = times(z_w, b->d->y[e->row]);
  if (e->row < no)
    for (int j = 0; j < no; j++) b->s[e->row * no + j] += times(z, pc[j]);
  for (int j = 0; j < no; j++) b->g_w[j] -= times(y_w, pc[j]);
  for (int i = 0; i < no; i++) {
    if (pr[i] == 0.0) continue;
    double complex left = times(pr[i], z_w);
    for (int j = 0; j < no; j++) b->s_w[i * no + j] += times(left, pc[j]);
  }
}

/* dS/d(excitation) = P^T (-i h w M) P */
static void add_excitation(const block *b, const cap_hb_entry *e)
{
  int no = b->lin->nouter;
  const double complex *pr = b->d->p + e->row * no, *pc = b->d->p + e->column * no;
  if (e->m == 0.0) return;
  for (int i = 0; i < no; i++) {
    double complex left = times(pr[i], complex_of(0.0, -b->h * b->w * e->m));
    for (int j = 0; j < no; j++) b->s_x[i * no + j] += times(left, pc[j]);
  }
}

static double complex drag(const block *b, int i)
{
  return times(complex_of(0.0, b->h), b->lin->drag[b->h * b->lin->nfree + i]);
}

/* S, g and their derivatives without symmetry. */
static cap_status combine(const block *b, cap_error *error)
{
  const cap_hb_linear *lin = b->lin;
  int no = lin->nouter, ni = lin->ninner;
  double complex *turned = b->d->turned;
  for (int i = 0; i < (no + 1) * ni; i++) turned[i] = 0.0;
  for (int i = 0; i < ni; i++) turned[no * ni + i] = drag(b, no + i);
  for (int i = 0; i < no; i++) {
    b->g[i] = load(b, i);
    b->g_w[i] = drag(b, i);
  }
  for (int e = 0; e < lin->nentry; e++) {
    const cap_hb_entry *entry = &lin->entries[e];
    const double complex *pc = b->d->p + entry->column * no;
    double complex z = stiffness(b, entry), z_w = stiffness_w(b, entry), y = b->d->y[entry->column];
    int inner = entry->row - no;
    for (int j = 0; j < no; j++) {
      if (inner >= 0) turned[j * ni + inner] -= times(z_w, pc[j]);
      else b->s[entry->row * no + j] += times(z, pc[j]);
      if (inner < 0) b->s_w[entry->row * no + j] += times(z_w, pc[j]);
    }
    if (inner >= 0) turned[no * ni + inner] -= times(z_w, y);
    else b->g[entry->row] -= times(z, y), b->g_w[entry->row] -= times(z_w, y);
  }
  if (ni && capm_sparse_solve(b->d->sparse, no + 1, (double *)turned) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NUMERICS, "the linear part is singular");
  for (int e = 0; e < lin->nentry; e++) {
    const cap_hb_entry *entry = &lin->entries[e];
    int column = entry->column - no;
    if (entry->row >= no || column < 0) continue;
    double complex z = stiffness(b, entry);
    for (int j = 0; j < no; j++) b->s_w[entry->row * no + j] += times(z, turned[j * ni + column]);
    b->g_w[entry->row] -= times(z, turned[no * ni + column]);
  }
  return CAP_OK;
}

cap_status cap_hb_condense_harmonic(cap_hb_linear *lin, int h, double w, cap_error *error)
{
  size_t no = (size_t)lin->nouter, at = (size_t)h;
  block b = {lin,
             lin->condense,
             h,
             w,
             lin->stiffness + at * no * no,
             lin->stiffness_w + at * no * no,
             lin->stiffness_x ? lin->stiffness_x + at * no * no : NULL,
             lin->force + at * no,
             lin->force_w + at * no,
             lin->inner + at * (no + 1) * (size_t)lin->ninner};
  for (size_t i = 0; i < no * no; i++) b.s[i] = b.s_w[i] = 0.0;
  for (size_t i = 0; b.s_x && i < no * no; i++) b.s_x[i] = 0.0;
  for (size_t i = 0; i < no; i++) b.g[i] = b.g_w[i] = 0.0;
  CAP_TRY(solve_inner(&b, error));
  gather(&b);
  if (lin->nstate) return combine(&b, error);
  for (int i = 0; i < lin->nfree; i++) {
    double complex f = load(&b, i), f_w = drag(&b, i);
    for (size_t o = 0; o < no; o++) {
      b.g[o] += times(b.d->p[(size_t)i * no + o], f);
      b.g_w[o] += times(b.d->p[(size_t)i * no + o], f_w);
    }
  }
  for (int e = 0; e < lin->nentry; e++) add_entry(&b, &lin->entries[e]);
  for (int e = 0; b.s_x && e < lin->nentry; e++) add_excitation(&b, &lin->entries[e]);
  return CAP_OK;
}
