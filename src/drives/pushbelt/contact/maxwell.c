/* drives/pushbelt/contact/maxwell.c — see maxwell.h. */
#include "drives/pushbelt/contact/maxwell.h"
#include "base/clones.h"
#include "drives/pushbelt/contact/maxwell_amplitudes.h"
#include "laws/sine.h"
#include "linalg/lcp_factor.h"

#include <math.h>
#include <string.h>

static bool by_functions(const cap_maxwell *m)
{
  return m->form == CAP_MAXWELL_AUTO && !m->sheave[0].table && !m->sheave[1].table;
}

static const cap_influence *first_of(const cap_maxwell *m, int side)
{
  return &m->sheave[m->coupled ? 0 : side];
}
static const cap_influence *second_of(const cap_maxwell *m)
{
  return m->coupled ? &m->sheave[1] : NULL;
}

/* Memory: cosine, sine; then of each side what it keeps and works with. Stride: whole vectors. */
static size_t stride_of(int most)
{
  return ((size_t)most + 7) / 8 * 8;
}

static size_t room_of_side(const cap_maxwell *m, int most)
{
  size_t n = (size_t)most;
  if (by_functions(m)) return cap_maxwell_amplitudes_room((int)stride_of(most));
  return capm_lcp_room(most) + n * n + 3 * n; /* the matrix, forces by id, q, z */
}

size_t cap_maxwell_room(const cap_maxwell *m, int most)
{
  return 2 * stride_of(most) + (m->coupled ? 1 : 2) * room_of_side(m, most) + 8;
}

static double *memory_of(const cap_maxwell *m, int most, double *memory, int side)
{
  return memory + 2 * stride_of(most) + (size_t)side * room_of_side(m, most);
}

CAP_CLONES static void turn_all(int n, const double *restrict phi, double *restrict cosine,
                                double *restrict sine)
{
  for (int i = 0; i < n; i++) {
    cosine[i] = capm_sine(phi[i] + 0.5 * M_PI);
    sine[i] = capm_sine(phi[i]);
  }
}

/* ---- all forces ---------------------------------------------------------------------------------------- */

typedef struct full {
  capm_lcp lcp;
  double *C, *kept, *q, *z; /* [n][n], [most], [n], [n] */
} full;

static full full_at(double *memory, int most)
{
  size_t n = (size_t)most;
  full f = {.lcp = capm_lcp_place(memory, most)};
  f.C = memory + capm_lcp_room(most);
  f.kept = f.C + n * n;
  f.q = f.kept + n;
  f.z = f.q + n;
  return f;
}

static int id_of(const cap_maxwell_contacts *c, int i)
{
  return c->id ? c->id[i] : i;
}

static void fill_matrix(const cap_maxwell *m, const cap_maxwell_contacts *c, int side, double *C)
{
  size_t n = (size_t)c->n;
  memset(C, 0, sizeof(double) * n * n);
  cap_influence_add(first_of(m, side), c->n, c->r, c->phi, C);
  if (second_of(m)) cap_influence_add(second_of(m), c->n, c->r, c->phi, C);
  for (size_t i = 0; i < n; i++) C[i * n + i] += c->compliance[i];
}

static cap_status solve_full(const cap_maxwell *m, const cap_maxwell_contacts *c, int most, double *memory,
                             int side, cap_maxwell_result *result)
{
  full f = full_at(memory, most);
  capm_lcp_stats stats = {0};
  fill_matrix(m, c, side, f.C);
  for (int i = 0; i < c->n; i++) {
    f.q[i] = -c->penetration[side][i];
    f.z[i] = f.kept[id_of(c, i)];
  }
  cap_status status = m->form == CAP_MAXWELL_LEMKE
                          ? capm_lcp_lemke(&f.lcp, c->n, f.C, f.q, f.z, &stats)
                          : capm_lcp_solve(&f.lcp, c->n, f.C, false, f.q, f.z, &stats);
  memset(f.kept, 0, sizeof(double) * (size_t)most);
  result->iterations[side] = stats.iterations;
  result->pivots += stats.pivots;
  result->fallback = result->fallback || stats.fallback;
  result->residual = fmax(result->residual, stats.residual);
  if (status != CAP_OK) return CAP_ERR_NUMERICS;
  for (int i = 0; i < c->n; i++) f.kept[id_of(c, i)] = result->force[side][i] = f.z[i];
  return CAP_OK;
}

/* Deflection of the sheaves: the gap without the flank's own part. */
static void deflect_full(const cap_influence *a, const cap_maxwell_contacts *c, const double *force,
                         double *deflection)
{
  for (int i = 0; i < c->n; i++) {
    double sum = 0.0;
    for (int j = 0; j < c->n; j++)
      if (force[j] != 0.0) sum += cap_influence_at(a, c->r[i], c->phi[i], c->r[j], c->phi[j]) * force[j];
    deflection[i] = sum;
  }
}

/* The factor of the last solve, or a new one where that has none. */
static bool factor_of(const cap_maxwell *m, const full *f, int n, capm_lcp_factor *factor)
{
  *factor = (capm_lcp_factor){.stride = f->lcp.most, .order = f->lcp.order, .l = f->lcp.factor};
  factor->n = f->lcp.known[0];
  if (m->form != CAP_MAXWELL_LEMKE && f->lcp.known[1] == n) return true;
  int active = 0;
  for (int i = 0; i < n; i++)
    if (f->z[i] > 0.0) factor->order[active++] = i;
  return capm_lcp_factor_make(factor, active, f->C, n);
}

static bool tangent_full(const cap_maxwell *m, int n, int most, double *memory, const double *dp,
                         double *dforce)
{
  full f = full_at(memory, most);
  capm_lcp_factor factor;
  if (!factor_of(m, &f, n, &factor)) return false;
  for (int k = 0; k < factor.n; k++) f.lcp.row[k] = dp[factor.order[k]];
  capm_lcp_factor_solve(&factor, f.lcp.row);
  memset(dforce, 0, sizeof(double) * (size_t)n);
  for (int k = 0; k < factor.n; k++) dforce[factor.order[k]] = f.lcp.row[k];
  return true;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

/* The work space of the amplitudes of a side, its functions filled. */
static cap_maxwell_amplitudes amplitudes_of(const cap_maxwell_contacts *c, int most, double *own,
                                            const cap_influence *first, const cap_influence *second)
{
  int K = cap_influence_count(first, second), stride = (int)stride_of(most);
  cap_maxwell_amplitudes a = cap_maxwell_amplitudes_at(own, stride, K);
  cap_influence_functions(first, second, c->n, c->r, c->cosine, c->sine, stride, a.psi);
  return a;
}

static cap_status solve_side(const cap_maxwell *m, const cap_maxwell_contacts *c, int most, double *memory,
                             int side, cap_maxwell_result *result)
{
  double *own = memory_of(m, most, memory, side);
  if (!by_functions(m)) return solve_full(m, c, most, own, side, result);
  cap_maxwell_amplitudes a = amplitudes_of(c, most, own, first_of(m, side), second_of(m));
  return cap_maxwell_amplitudes_solve(&a, c->n, c->compliance, c->penetration[side], result->force[side],
                                      &result->iterations[side], &result->residual);
}

static void deflect(const cap_maxwell *m, const cap_maxwell_contacts *c, int most, double *memory,
                    cap_maxwell_result *result)
{
  for (int side = 0; side < 2; side++) {
    const cap_influence *sheave = &m->sheave[side];
    if (!result->deflection[side]) continue;
    if (!by_functions(m)) {
      deflect_full(sheave, c, result->force[side], result->deflection[side]);
      continue;
    }
    double *own = memory_of(m, most, memory, m->coupled ? 0 : side);
    cap_maxwell_amplitudes a = amplitudes_of(c, most, own, sheave, NULL);
    cap_maxwell_amplitudes_deflect(&a, c->n, result->force[side], result->deflection[side]);
  }
}

/* The contacts with the cosines and sines of their angles, which are needed for functions only. */
static cap_maxwell_contacts turned(const cap_maxwell *m, const cap_maxwell_contacts *contacts, int most,
                                   double *memory)
{
  cap_maxwell_contacts c = *contacts;
  if (!by_functions(m) || c.cosine) return c;
  double *sine = memory + stride_of(most);
  turn_all(c.n, c.phi, memory, sine);
  c.cosine = memory, c.sine = sine;
  return c;
}

cap_status cap_maxwell_solve(const cap_maxwell *m, const cap_maxwell_contacts *contacts, int most,
                             double *memory, cap_maxwell_result *result)
{
  cap_maxwell_contacts c = turned(m, contacts, most, memory);
  result->iterations[0] = result->iterations[1] = result->pivots = 0;
  result->fallback = false;
  result->residual = 0.0;
  for (int side = 0; side < (m->coupled ? 1 : 2); side++)
    CAP_TRY(solve_side(m, &c, most, memory, side, result));
  if (m->coupled) memcpy(result->force[1], result->force[0], sizeof(double) * (size_t)c.n);
  deflect(m, &c, most, memory, result);
  return CAP_OK;
}

bool cap_maxwell_tangent(const cap_maxwell *m, const cap_maxwell_contacts *contacts, int most, double *memory,
                         const double *const dpenetration[2], double *const dforce[2])
{
  cap_maxwell_contacts c = turned(m, contacts, most, memory);
  for (int side = 0; side < (m->coupled ? 1 : 2); side++) {
    double *own = memory_of(m, most, memory, side);
    if (by_functions(m)) {
      cap_maxwell_amplitudes a = amplitudes_of(&c, most, own, first_of(m, side), second_of(m));
      cap_maxwell_amplitudes_tangent(&a, c.n, dpenetration[side], dforce[side]);
    } else if (!tangent_full(m, c.n, most, own, dpenetration[side], dforce[side])) {
      return false;
    }
  }
  if (m->coupled) memcpy(dforce[1], dforce[0], sizeof(double) * (size_t)c.n);
  return true;
}

/* ---- further ------------------------------------------------------------------------------------------- */

/* Values of one side that warm its start, and where they are. */
static int kept_of(const cap_maxwell *m, int most, double *own, double **kept)
{
  if (by_functions(m)) {
    *kept = cap_maxwell_amplitudes_at(own, (int)stride_of(most), 0).b;
    return CAP_MAXWELL_FUNCTIONS;
  }
  *kept = full_at(own, most).kept;
  return most;
}

int cap_maxwell_nwarm(const cap_maxwell *m, int most)
{
  return (m->coupled ? 1 : 2) * (by_functions(m) ? (int)CAP_MAXWELL_FUNCTIONS : most);
}

void cap_maxwell_keep(const cap_maxwell *m, int most, double *memory, double *warm)
{
  for (int side = 0; side < (m->coupled ? 1 : 2); side++) {
    double *kept;
    int n = kept_of(m, most, memory_of(m, most, memory, side), &kept);
    memcpy(warm + side * n, kept, sizeof(double) * (size_t)n);
  }
}

void cap_maxwell_warm(const cap_maxwell *m, int most, double *memory, const double *warm)
{
  for (int side = 0; side < (m->coupled ? 1 : 2); side++) {
    double *kept;
    int n = kept_of(m, most, memory_of(m, most, memory, side), &kept);
    memcpy(kept, warm + side * n, sizeof(double) * (size_t)n);
  }
}

static double slide_full(const cap_influence *sheave, const cap_maxwell_contacts *c, const double *force,
                         const double *dr)
{
  double sum = 0.0;
  for (int i = 0; i < c->n; i++)
    for (int j = 0; force[i] * dr[i] != 0.0 && j < c->n; j++)
      if (force[j] != 0.0)
        sum += force[i] * dr[i] * force[j] *
               cap_influence_slope(sheave, c->r[i], c->phi[i], c->r[j], c->phi[j]);
  return sum;
}

double cap_maxwell_slide(const cap_maxwell *m, const cap_maxwell_contacts *contacts, int most, double *memory,
                         const cap_maxwell_result *result, const double *dr)
{
  cap_maxwell_contacts c = turned(m, contacts, most, memory);
  double sum = 0.0;
  for (int side = 0; side < 2; side++) {
    const cap_influence *sheave = &m->sheave[side];
    if (!by_functions(m)) {
      sum += slide_full(sheave, &c, result->force[side], dr);
      continue;
    }
    double *own = memory_of(m, most, memory, m->coupled ? 0 : side);
    cap_maxwell_amplitudes a = amplitudes_of(&c, most, own, sheave, NULL);
    cap_influence_slopes(sheave, c.n, c.r, c.cosine, c.sine, a.stride, a.weighed);
    sum += cap_maxwell_amplitudes_slide(&a, c.n, result->force[side], dr);
  }
  return sum;
}
