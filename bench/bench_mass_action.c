/* bench/bench_mass_action.c — the mass-action matrix of a pushbelt's step, from the masses and W to G: by
 * dense matrices (LAPACK: potrf, trsm, syrk), by sparse factors of the whole mass matrix with y' y, and by
 * blocks with W' (M^-1 W). A ring of 202 coordinates (dense, or coupled by neighbours), 160 to 400 elements
 * of 3, two rows an element. Then the same of a variator: masses and rows of its set-valued friction (saddles
 * and flanks) in a step of its run. Beside them: how much of the time the mere access to G is. */
#include "../tests/support/mass_belt.h"
#include "bench.h"
#include "bench_model.h"
#include "drives/pushbelt/impulses/pushbelt_impulses.h"
#include "linalg/lapack.h"
#include "model/data.h"
#include "step/staggered_held.h"
#include "step/stepper.h"

#include <stdio.h>

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb,
            size_t, size_t, size_t, size_t);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc, size_t, size_t);

typedef struct step {
  web w;
  double *g;                     /* [nrow][nrow] */
  double *mass, *l, *y;          /* dense: [nv][nv], its factor, [nv][nrow] */
  int *start, *row, *ring_start; /* sparse: the whole, and the ring alone */
  double *values;
  int *ring_row;
  double *ring_values;
  capm_cholesky_sparse *whole, *ring;
  cap_mass_action *by_sparse, *by_blocks;
} step;

static void mirror(double *g, int n)
{
  for (int r0 = 0; r0 < n; r0 += 32)
    for (int c0 = 0; c0 <= r0; c0 += 32)
      for (int r = r0; r < r0 + 32 && r < n; r++)
        for (int c = c0; c < c0 + 32 && c < r; c++) g[(size_t)c * n + r] = g[(size_t)r * n + c];
}

/* Everything dense, as if nothing was known of the structure. Column-major: the triangles are transposed. */
static void run_dense(void *self)
{
  step *s = self;
  int n = s->w.nv, m = s->w.nrow, info;
  const double one = 1.0, none = 0.0;
  memcpy(s->l, s->mass, (size_t)n * n * sizeof(double));
  memset(s->y, 0, (size_t)n * m * sizeof(double));
  for (int r = 0; r < m; r++)
    for (int p = s->w.start[r]; p < s->w.start[r + 1]; p++)
      s->y[(size_t)r * n + s->w.coord[p]] += s->w.value[p];
  dpotrf_("L", &n, s->l, &n, &info, 1);
  if (info) abort();
  dtrsm_("L", "L", "N", "N", &n, &m, &one, s->l, &n, s->y, &n, 1, 1, 1, 1);
  dsyrk_("U", "T", &m, &n, &one, s->y, &n, &none, s->g, &m, 1, 1);
  mirror(s->g, m);
}

static void run_sparse(void *self)
{
  step *s = self;
  if (capm_cholesky_sparse_factor(s->whole, s->values) != CAP_OK) abort();
  if (cap_mass_action_take(s->by_sparse, NULL, &s->w.rows) != CAP_OK) abort();
  cap_mass_action_dense(s->by_sparse, s->g);
}

static void run_blocks(void *self)
{
  step *s = self;
  if (!s->w.block.type->factor(&s->w.block, NULL, s->w.work)) abort();
  if (cap_mass_action_take(s->by_blocks, s->w.work, &s->w.rows) != CAP_OK) abort();
  cap_mass_action_dense(s->by_blocks, s->g);
}

/* What reading and writing G alone takes: cleared, gone through once, its other half written. */
static void run_access(void *self)
{
  step *s = self;
  int m = s->w.nrow;
  memset(s->g, 0, (size_t)m * m * sizeof(double));
  for (int r = 0; r < m; r++)
    for (int c = 0; c <= r; c++) s->g[(size_t)r * m + c] += 1.0;
  mirror(s->g, m);
}

/* The ring as a block of its own sparse factors: the test's dense loops are not made for speed. */
static bool ring_factor(const cap_inertia *b, const double *q, double *work)
{
  const step *s = b->body;
  (void)q, (void)work;
  return capm_cholesky_sparse_factor(s->ring, s->ring_values) == CAP_OK;
}

static void ring_solve(const cap_inertia *b, const double *work, int ncol, double *x)
{
  const step *s = b->body;
  (void)work;
  for (int c = 0; c < ncol; c++) capm_cholesky_sparse_solve(s->ring, x + (size_t)c * b->n);
}

static const cap_inertia_type ring_type = {.name = "ring", .factor = ring_factor, .solve = ring_solve};

static void *room(size_t count, size_t size)
{
  void *at = calloc(count + 1, size);
  if (!at) abort();
  return at;
}

/* The ring's part of the compressed whole: its first columns. */
static void split_ring(step *s)
{
  s->ring_start = s->start;
  s->ring_row = s->row;
  s->ring_values = s->values;
  if (capm_cholesky_sparse_create(s->w.nring, s->ring_start, s->ring_row, &s->ring) != CAP_OK) abort();
}

/* All but s->w, which is there. */
static void open_step(step *s)
{
  size_t n = (size_t)s->w.nv, m = (size_t)s->w.nrow, most = (size_t)s->w.nring * s->w.nring + n;
  s->g = room(m * m, sizeof(double));
  s->mass = room(n * n, sizeof(double));
  s->l = room(n * n, sizeof(double));
  s->y = room(n * m, sizeof(double));
  s->start = room(n + 1, sizeof(int));
  s->row = room(most, sizeof(int));
  s->values = room(most, sizeof(double));
  web_compress(&s->w, s->start, s->row, s->values);
  for (size_t j = 0; j < n; j++)
    for (int p = s->start[j]; p < s->start[j + 1]; p++)
      s->mass[j * n + (size_t)s->row[p]] = s->mass[(size_t)s->row[p] * n + j] = s->values[p];
  split_ring(s);
  s->w.block.type = &ring_type;
  s->w.block.body = s;
  if (capm_cholesky_sparse_create(s->w.nv, s->start, s->row, &s->whole) != CAP_OK) abort();
  if (cap_mass_action_of_sparse(s->whole, &s->by_sparse) != CAP_OK) abort();
  if (cap_mass_action_create(s->w.nv, s->w.inverse_mass, 1, &s->w.block, &s->by_blocks) != CAP_OK) abort();
}

static void close_step(step *s)
{
  cap_mass_action_free(s->by_sparse);
  cap_mass_action_free(s->by_blocks);
  capm_cholesky_sparse_free(s->whole);
  capm_cholesky_sparse_free(s->ring);
  free(s->g);
  free(s->mass);
  free(s->l);
  free(s->y);
  free(s->start);
  free(s->row);
  free(s->values);
  web_free(&s->w);
}

/* Largest difference of two ways, over the largest entry. */
static double differ(step *s, void (*one)(void *), void (*other)(void *))
{
  size_t n = (size_t)s->w.nrow * (size_t)s->w.nrow;
  double *kept = room(n, sizeof(double)), most = 0.0, size = 0.0;
  one(s);
  memcpy(kept, s->g, n * sizeof(double));
  other(s);
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(kept[i] - s->g[i]));
    size = fmax(size, fabs(kept[i]));
  }
  free(kept);
  return most / size;
}

/* Of s.w. */
static void measure(bench_table *table, const char *ring, step *of)
{
  step s = *of;
  int elements = s.w.elements;
  char name[96];
  s.w.block.body = &s;
  open_step(&s);
  double worst = fmax(differ(&s, run_dense, run_sparse), differ(&s, run_dense, run_blocks));
  double whole = bench_best(run_dense, &s, 1.0), sparse = bench_best(run_sparse, &s, 0.5);
  double blocks = bench_best(run_blocks, &s, 0.5), access = bench_best(run_access, &s, 0.2);
  const struct {
    const char *what;
    double value;
    const char *unit;
  } rows[] = {{"dense LAPACK", whole * 1e3, "ms"},
              {"sparse factors y'y", sparse * 1e3, "ms"},
              {"blocks W'(M^-1 W)", blocks * 1e3, "ms"},
              {"dense over sparse factors", whole / sparse, "times"},
              {"dense over blocks", whole / blocks, "times"},
              {"access to G of the time by blocks", 100.0 * access / blocks, "%"},
              {"access to G of the time by sparse factors", 100.0 * access / sparse, "%"},
              {"largest difference to dense", worst, "of the largest entry"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    snprintf(name, sizeof name, "%s: %s", ring, rows[k].what);
    bench_row(table, name, elements, rows[k].value, rows[k].unit);
  }
  close_step(&s);
}

static void measure_drawn(bench_table *table, int elements, bool dense)
{
  step s = {0};
  web_init(&s.w, 50, elements, dense);
  measure(table, dense ? "dense ring" : "ring by neighbours", &s);
}

/* A variator at i = 1 after a millisecond. */
static void measure_belt(bench_table *table, int elements)
{
  char count[64];
  snprintf(count, sizeof count, "elements.simulated=%d", elements);
  const char *settings[] = {count, "guide.sticking=set-valued", "flank.sticking=set-valued"};
  cap_error error = {0};
  cap_model *m = NULL;
  cap_stepper stepper;
  cap_stepper_settings choice = {0};
  double until = 1e-3;
  cap_model_file *file = bench_example("variator", 3, settings);
  bench_need(cap_execute_build(file, &m, &error), &error);
  cap_data *d = cap_data_create(m);
  if (!d) exit(1);
  bench_need(cap_stepper_create(&cap_multirate_type, m, &choice, &stepper, &error), &error);
  bench_need(cap_stepper_advance(&stepper, m, d, &until, NULL, &error), &error);
  step s = {0};
  belt_init(&s.w, cap_pushbelt_impulses_leaves(cap_staggered_held_solver(stepper.memory)));
  bench_row(table, "variator: rows", elements, s.w.nrow, "");
  bench_row(table, "variator: coordinates", elements, s.w.nv, "");
  measure(table, "variator", &s);
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_model_free(m);
  cap_model_file_free(file);
}

int main(int argc, char **argv)
{
  bench_table table;
  const int elements[] = {160, 220, 300, 400};
  if (bench_open(&table, argc, argv)) return 1;
  capm_lapack_one_thread();
  for (int dense = 1; dense >= 0; dense--)
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) measure_drawn(&table, elements[k], dense);
  for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) measure_belt(&table, elements[k]);
  return bench_close(&table);
}
