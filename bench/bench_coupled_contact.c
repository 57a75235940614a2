/* Coupled contact of the flanks on a pulley: time of a solution over the number of flanks n.
 *
 * A turning arc (wrap 213 deg at 75 mm, sheaves of the public influence numbers, flanks coupled as in (2.35))
 * in 64 states that follow one another: the elements move on by a twentieth of their pitch and the radii
 * waver, so that flanks touch and open at the ends as in a run. Amplitudes: K = 13 equations. All forces:
 * Newton on the n forces, where the matrix is that of the state before (its factor serves) and where it is
 * new each time; the same with the matrix made from two tables of influence numbers; Lemke from nothing. The
 * last rows are exponents of the growth from 50 flanks on. */
#include "../tests/support/flanks.h"
#include "bench.h"
#include "linalg/lapack.h"

enum { STATES = 64, SIZES = 5 };
static const int sizes[SIZES] = {20, 50, 100, 200, 400};

typedef struct arc {
  cap_maxwell pulley;
  flanks states[STATES];
  double *memory;
  double *q, *z; /* [n] */
  double *C;     /* [n][n] of the first state */
  capm_lcp *lcp;
  cap_maxwell by_table;
  double *table_memory;
  cap_arena arena;
  int n, at;
  bool same;
  long iterations, solves;
} arc;

static void need(bool fine, const char *what)
{
  if (fine) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void lay(arc *a, int k)
{
  flanks *f = &a->states[k];
  const double wrap = 213.0 * M_PI / 180.0;
  for (int i = 0; i < f->n; i++) {
    double phi = wrap * ((i + 0.05 * (k % 20) + 0.5) / f->n - 0.5), end = fabs(phi) / (0.5 * wrap);
    f->r[i] = 0.075 + 2e-5 * sin(2.0 * phi + 0.1 * k);
    f->phi[i] = phi;
    f->compliance[i] = 2.0 / 2e7;
    f->penetration[0][i] = 3.5e-4 - 4e-4 * pow(end, 12.0) + 1e-5 * sin(9.0 * phi + 0.3 * k);
  }
}

/* A table of the functions of a sheave: 16 radii, steps of 2 deg. */
static const cap_influence_table *tabulate(arc *a, const cap_influence *c)
{
  enum { RADII = 16, ANGLES = 91, ROWS = RADII * RADII * ANGLES };
  double *rows = CAP_ARENA_NEW(&a->arena, double, 4 * (size_t)ROWS);
  cap_influence_table *table;
  cap_error error;
  need(rows, "out of memory");
  for (int k = 0; k < ROWS; k++) {
    double *r = rows + k, *r0 = r + ROWS, *angle = r0 + ROWS;
    *r = 0.02 + 0.004 * (k / (RADII * ANGLES)), *r0 = 0.02 + 0.004 * (k / ANGLES % RADII);
    *angle = M_PI * (k % ANGLES) / (ANGLES - 1);
    angle[ROWS] = cap_influence_at(c, *r, *angle, *r0, 0.0);
  }
  need(cap_influence_table_make(&a->arena, ROWS, rows, rows + ROWS, rows + 2 * ROWS, rows + 3 * ROWS, &table,
                                &error) == CAP_OK,
       "no table");
  return table;
}

static void make(arc *a, int n)
{
  *a = (arc){.pulley = flanks_pulley(true, CAP_MAXWELL_AUTO), .n = n, .lcp = capm_lcp_create(n)};
  for (int k = 0; k < STATES; k++) {
    a->states[k] = flanks_create(&a->pulley, n);
    lay(a, k);
  }
  cap_maxwell full = flanks_pulley(true, CAP_MAXWELL_FULL);
  size_t count = (size_t)n, room = cap_maxwell_room(&full, n);
  a->memory = calloc(room, sizeof(double));
  a->C = calloc(count * (count + 2), sizeof(double));
  need(a->lcp && a->memory && a->C, "out of memory");
  a->q = a->C + count * count;
  a->z = a->q + count;
  for (int side = 0; side < 2; side++)
    cap_influence_add(&a->pulley.sheave[side], n, a->states[0].r, a->states[0].phi, a->C);
  for (int i = 0; i < n; i++) a->C[(size_t)i * (count + 1)] += a->states[0].compliance[i];
  a->by_table = full;
  for (int side = 0; side < 2; side++)
    a->by_table.sheave[side] = (cap_influence){.table = tabulate(a, &a->pulley.sheave[side])};
  a->table_memory = calloc(room, sizeof(double));
  need(a->table_memory, "out of memory");
}

static void drop(arc *a)
{
  for (int k = 0; k < STATES; k++) flanks_free(&a->states[k]);
  capm_lcp_free(a->lcp);
  free(a->memory);
  free(a->table_memory);
  cap_arena_free(&a->arena);
  free(a->C);
}

static flanks *next(arc *a)
{
  a->at = (a->at + 1) % STATES;
  a->solves++;
  return &a->states[a->at];
}

/* Contacts in, forces out: angles, functions, Newton and check are in the time. */
static void by_amplitudes(void *self)
{
  arc *a = self;
  flanks *f = next(a);
  cap_maxwell_contacts c = flanks_contacts(f);
  cap_maxwell_result result = {.force = {f->force[0], f->force[1]}};
  need(cap_maxwell_solve(&a->pulley, &c, a->n, a->memory, &result) == CAP_OK, "no solution by amplitudes");
  a->iterations += result.iterations[0];
}

/* The same with tables: the matrix is in the time, too. */
static void by_tables(void *self)
{
  arc *a = self;
  flanks *f = next(a);
  cap_maxwell_contacts c = flanks_contacts(f);
  cap_maxwell_result result = {.force = {f->force[0], f->force[1]}};
  need(cap_maxwell_solve(&a->by_table, &c, a->n, a->table_memory, &result) == CAP_OK,
       "no solution by tables");
  a->iterations += result.iterations[0];
}

static void by_newton(void *self)
{
  arc *a = self;
  const flanks *f = next(a);
  capm_lcp_stats stats;
  for (int i = 0; i < a->n; i++) a->q[i] = -f->penetration[0][i];
  need(capm_lcp_newton(a->lcp, a->n, a->C, a->same, a->q, a->z, &stats) == CAP_OK, "no solution by Newton");
  a->iterations += stats.iterations;
}

static void by_lemke(void *self)
{
  arc *a = self;
  const flanks *f = next(a);
  capm_lcp_stats stats;
  for (int i = 0; i < a->n; i++) a->q[i] = -f->penetration[0][i];
  need(capm_lcp_lemke(a->lcp, a->n, a->C, a->q, a->z, &stats) == CAP_OK, "no solution by Lemke");
  a->iterations += stats.pivots;
}

typedef struct method {
  const char *name, *counts;
  void (*run)(void *self);
  bool same;
} method;

static const method methods[] = {
    {"amplitudes (K = 13) warm", "amplitudes: iterations", by_amplitudes, false},
    {"all forces: Newton warm, same matrix", "all forces: iterations, same matrix", by_newton, true},
    {"all forces: Newton warm, new matrix", "all forces: iterations, new matrix", by_newton, false},
    {"all forces: Newton warm, from tables", "all forces: iterations, from tables", by_tables, false},
    {"all forces: Lemke", "Lemke: pivots", by_lemke, false}};
enum { METHODS = sizeof methods / sizeof *methods };

static double exponent(const double *times)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  int count = 0;
  for (int k = 1; k < SIZES; k++) {
    double x = log(sizes[k]), y = log(times[k]);
    sx += x, sy += y, sxx += x * x, sxy += x * y, count++;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

int main(int argc, char **argv)
{
  bench_table table;
  static double times[METHODS][SIZES];
  if (bench_open(&table, argc, argv)) return 1;
  capm_lapack_one_thread();
  for (int k = 0; k < SIZES; k++) {
    arc a;
    make(&a, sizes[k]);
    for (int m = 0; m < METHODS; m++) {
      a.same = methods[m].same, a.iterations = a.solves = 0;
      times[m][k] = bench_best(methods[m].run, &a, 0.2);
      bench_row(&table, methods[m].name, sizes[k], 1e6 * times[m][k], "us/solution");
      bench_row(&table, methods[m].counts, sizes[k], (double)a.iterations / (double)a.solves, "each");
    }
    drop(&a);
  }
  for (int m = 0; m < METHODS; m++) {
    char name[64];
    snprintf(name, sizeof name, "exponent: %s", methods[m].name);
    bench_row(&table, name, 0, exponent(times[m]), "1");
  }
  return bench_close(&table);
}
