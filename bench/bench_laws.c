/* bench/bench_laws.c — ns a power, a sine and a law evaluation, lanes against libm; ms an identification. */
#include "../tests/verify/loop_data.h"
#include "base/clones.h"
#include "bench.h"
#include "laws/dahl.h"
#include "laws/dahl_lanes.h"
#include "laws/sine.h"
#include "laws/stick.h"

enum { N = 1024, NODES = 101 };

typedef struct lanes {
  double x[N], y[N], z[N];
} lanes;

CAP_CLONES static void fill_pow(int n, const double *restrict x, const double *restrict mu,
                                double *restrict y)
{
  for (int l = 0; l < n; l++) y[l] = capm_pow(x[l], mu[l]);
}

CAP_CLONES static void fill_pow_short(int n, const double *restrict x, const double *restrict mu,
                                      double *restrict y)
{
  for (int l = 0; l < n; l++) y[l] = capm_pow_short(x[l], mu[l]);
}

static void run_pow(void *self)
{
  lanes *t = self;
  fill_pow(N, t->x, t->y, t->z);
}

static void run_pow_short(void *self)
{
  lanes *t = self;
  fill_pow_short(N, t->x, t->y, t->z);
}

static void run_libm(void *self)
{
  lanes *t = self;
  for (int l = 0; l < N; l++) t->z[l] = pow(t->x[l], t->y[l]);
}

/* Slope of Dahl's law and its derivatives, for forces x between the envelopes and
 * velocities of both signs. */
CAP_INLINE double dahl_value(double force, double mu, double v)
{
  capm_dahl_tangent t = capm_dahl_tangents(959.6, 7.146e4, 397.2, 5.322e4, v, 397.2 + 0.9 * force, 117355.0,
                                           mu);
  return t.rate + 1e-9 * (t.rate_u + t.rate_force);
}

CAP_CLONES static void fill_dahl(int n, const double *restrict x, const double *restrict mu,
                                 double *restrict y)
{
  for (int l = 0; l < n; l++) y[l] = dahl_value(x[l], mu[l], mu[l] - 0.4);
}

static void run_dahl(void *self)
{
  lanes *t = self;
  fill_dahl(N, t->x, t->y, t->z);
}

/* One after the other, each waiting for the one before, as one drive alone has it. */
static void run_dahl_chain(void *self)
{
  lanes *t = self;
  double last = 0.0;
  for (int l = 0; l < N; l++) t->z[l] = last = dahl_value(t->x[l] + 1e-12 * last, t->y[l], t->y[l] - 0.4);
}

CAP_CLONES static void fill_sine(int n, const double *restrict x, double *restrict y)
{
  for (int l = 0; l < n; l++) y[l] = capm_sine(x[l]);
}

static void run_sine(void *self)
{
  lanes *t = self;
  fill_sine(N, t->x, t->z);
}

static void run_libm_sine(void *self)
{
  lanes *t = self;
  for (int l = 0; l < N; l++) t->z[l] = sin(t->x[l]);
}

typedef struct stroke {
  capm_dahl_lanes p;
  double u[NODES], force[NODES][CAPM_DAHL_LANES], slope[NODES][CAPM_DAHL_LANES];
} stroke;

static void run_march(void *self)
{
  stroke *s = self;
  capm_dahl_lanes_march(&s->p, NODES - 1, s->u, s->force, s->slope);
}

static void run_path(void *self)
{
  const capm_dahl *p = self;
  double force = 398.382;
  if (capm_dahl_path(p, 2e-5, 1.06e-3, &force) != CAP_OK) abort();
}

/* The contact law at N points, with all its derivatives. */
typedef struct contacts {
  const lanes *at;
  capm_stick p;
  int n;        /* directions */
  double reach; /* of the trial force, parts of the limit */
  double sum;
} contacts;

static void run_stick(void *self)
{
  contacts *c = self;
  capm_stick_result r;
  for (int l = 0; l < N; l++) {
    const double scale = c->reach / (600.0 * c->p.k), z[2] = {scale * c->at->x[l], 0.0};
    const double g[2] = {0.1 * z[0], 0.01 * c->at->y[l]};
    capm_stick_evaluate(&c->p, c->n, z, g, 1.0, &r);
    c->sum += r.force[0] + 1e-9 * (r.force_g[0][0] + r.rate_z[1][1]);
  }
}

static void bench_stick(bench_table *table, const lanes *at)
{
  const capm_stick coulomb = {1e4, 1.0, {1.0, 1.0, 0.0, 0.0}, 0.1},
                   stribeck = {1e4, 1.0, {1.2, 1.0, 1e-2, 0.0}, 0.1};
  const struct {
    const char *name;
    contacts c;
  } rows[] = {{"stick law: sticks, 1 direction", {at, coulomb, 1, 0.8, 0.0}},
              {"stick law: sticks, 2 directions", {at, coulomb, 2, 0.8, 0.0}},
              {"stick law: sticks and slips, 1 direction", {at, coulomb, 1, 4.0, 0.0}},
              {"stick law: sticks and slips, 2 directions", {at, coulomb, 2, 4.0, 0.0}},
              {"stick law: also Stribeck, 2 directions", {at, stribeck, 2, 4.0, 0.0}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    contacts c = rows[i].c;
    bench_row(table, rows[i].name, N, bench_best(run_stick, &c, 0.2) / N * 1e9, "ns");
  }
}

typedef struct identification {
  loop_data data;
  bool asked[CAP_IDENTIFY_LAWS];
} identification;

static void run_identify(void *self)
{
  identification *t = self;
  cap_identify_result *r = NULL;
  cap_error error = {0};
  if (cap_identify_run(t->data.n, t->data.time, t->data.u, t->data.force, t->asked, &r, &error) != CAP_OK)
    abort();
  cap_identify_free(r);
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  static lanes t;
  loop_random r = loop_seed(1);
  for (int l = 0; l < N; l++) t.x[l] = 600.0 * loop_uniform(&r), t.y[l] = 0.3 + 0.2 * loop_uniform(&r);
  bench_row(&table, "pow by libm", N, bench_best(run_libm, &t, 0.2) / N * 1e9, "ns");
  bench_row(&table, "pow in lanes", N, bench_best(run_pow, &t, 0.2) / N * 1e9, "ns");
  bench_row(&table, "pow in lanes: short form", N, bench_best(run_pow_short, &t, 0.2) / N * 1e9, "ns");
  bench_row(&table, "sine by libm", N, bench_best(run_libm_sine, &t, 0.2) / N * 1e9, "ns");
  bench_row(&table, "sine in lanes", N, bench_best(run_sine, &t, 0.2) / N * 1e9, "ns");
  bench_row(&table, "Dahl with derivatives: one after the other", N,
            bench_best(run_dahl_chain, &t, 0.2) / N * 1e9, "ns");
  bench_row(&table, "Dahl with derivatives: in lanes", N, bench_best(run_dahl, &t, 0.2) / N * 1e9, "ns");

  bench_stick(&table, &t);

  static stroke s;
  const double *truth = loop_truth[CAP_IDENTIFY_DAHL];
  for (int l = 0; l < CAPM_DAHL_LANES; l++) {
    s.p.a[l] = truth[0], s.p.b[l] = truth[1], s.p.d[l] = truth[2], s.p.e[l] = truth[3];
    s.p.lambda[l] = truth[4] * (1.0 + 0.001 * l), s.p.mu[l] = truth[5], s.force[0][l] = 398.382;
  }
  for (int i = 0; i < NODES; i++) s.u[i] = 2e-5 + 1.04e-3 * pow((double)i / (NODES - 1), 1.5);
  bench_row(&table, "Dahl stroke of 100 nodes in 8 lanes", CAPM_DAHL_LANES,
            bench_best(run_march, &s, 0.2) / CAPM_DAHL_LANES * 1e6, "us/lane");
  capm_dahl p = capm_dahl_straight(truth[0], truth[1], truth[2], truth[3], truth[4], truth[5]);
  bench_row(&table, "Dahl stroke adaptive to 1e-10", 1, bench_best(run_path, &p, 0.2) * 1e6, "us");

  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++) {
    identification i = {.data = loop_document((cap_identify_law)law)};
    i.asked[law] = true;
    loop_add_noise(&i.data, 0.01 * loop_range(i.data.n, i.data.force), 1);
    bench_row(&table, law == CAP_IDENTIFY_DAHL ? "identify dahl" : "identify masing", i.data.n,
              bench_best(run_identify, &i, 0.5) * 1e3, "ms");
    loop_free(&i.data);
  }
  return bench_close(&table);
}
