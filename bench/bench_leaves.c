/* bench/bench_leaves.c — impulses of the set-valued rows of a whole belt, one warm solution: rows of
 * Table 3.2 of the variator document, by ring model. The belt stands on both pulleys; what friction has to do
 * goes around the belt in waves that are above the limits in some places and below in others, wavering from
 * step to step, so that every solution has other regimes than the one before in a few places. */
#include "bench.h"
#include "bench_model.h"
#include "drives/pushbelt/impulses/leaves.h"
#include "drives/pushbelt/ring/ring_crowd.h"
#include "drives/pushbelt/ring/ring_mesh.h"
#include "model/builder.h"
#include "model/data.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 64, GROUP = CAP_RING_CROWD_GROUP };
static const double step = 3e-6, distance = 0.155, length = 0.6670139, wedge = 0.19;

typedef struct belt {
  cap_model *m;
  cap_data *d;
  const cap_ring *ring;
  cap_leaves *s;
  double *c; /* [FRAMES][row][n] */
  long iterations, solutions, fallbacks;
} belt;

static double noise(int k)
{
  double x = sin(12.9898 * k + 1.0) * 43758.5453;
  return 2.0 * (x - floor(x)) - 1.0;
}

static void open_ring(belt *t, const char *model, int nodes)
{
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  double mesh[512];
  cap_ring_shape shape = {
      .model = model,
      .name = "ring",
      .section = {.layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11},
      .length = length,
      .free_length = 0.6666,
      .centre_distance = distance,
      .speed = 10.0,
      .nodes = nodes};
  cap_ring_mesh_grade grade = {
      .length = length, .centre_distance = distance, .nodes = nodes, .finest = 4e-3, .within = 8e-3};
  if (!b) exit(1);
  cap_ring_section_fill(&shape.section, 8000.0);
  if (strcmp(model, "ale") == 0 && !cap_ring_mesh_graded(&grade, mesh)) shape.mesh = mesh;
  t->ring = cap_ring_build(b, &shape, &error);
  if (!t->ring) bench_need(CAP_ERR_UNSUPPORTED, &error);
  bench_need(cap_builder_finish(b, &t->m, &error), &error);
  cap_builder_free(b);
  t->d = cap_data_create(t->m);
  if (!t->d) exit(1);
}

static void load_trunk(belt *t)
{
  const cap_inertia *b = &t->m->inertias[0];
  const cap_inertia_stiff *stiff = b->type->stiff;
  double *work = calloc((size_t)t->m->ninertia_work + 1, sizeof(double));
  double *added = stiff ? calloc((size_t)stiff->nwork(b), sizeof(double)) : NULL;
  const double pulleys[4] = {0.0, 0.0, 0.02, 3.0}; /* the primary is driven */
  if (!work || (stiff && !added)) exit(1);
  if (stiff && !(stiff->set(b, t->d->q, step, 0.5, added) && stiff->factor(b, t->d->q, added, work))) exit(1);
  if (!stiff && !b->type->factor(b, t->d->q, work)) exit(1);
  if (cap_leaves_open(t->s, b, added, work, pulleys) != CAP_OK) exit(1);
  free(work);
  free(added);
}

/* Saddle: normal inward, friction along the ring. */
static void fill_saddle(cap_leaves *s, int k, double tx, double ty)
{
  const double normal[3] = {ty, -tx, 0.0}, tangent[3] = {tx, ty, -0.3e-3};
  for (int x = 0; x < 3; x++) {
    s->arm[CAP_LEAVES_NORMAL][x][k] = normal[x];
    s->arm[CAP_LEAVES_TANGENT][x][k] = tangent[x];
  }
}

/* Flank: along the belt, along the generatrix, drilling; rotations clockwise. */
static void fill_flank(cap_leaves *s, int k, const double r[2])
{
  bool primary = r[0] > 0.5 * distance;
  double x = r[0] - (primary ? distance : 0.0), y = r[1], rho = hypot(x, y), ex = x / rho, ey = y / rho;
  double nx = cos(wedge), nr = sin(wedge), gyration = 2e-3, below = 4e-3;
  bool touches = primary ? r[0] > distance : r[0] < 0.0;
  const double rows[3][3] = {{ey, -ex, below}, {nx * ex, nx * ey, 0.0}, {0.0, 0.0, gyration * nx}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s->arm[CAP_LEAVES_FLANK + i][j][k] = rows[i][j];
  s->of_flank[0][k] = -(rho - below);
  s->of_flank[1][k] = 0.5 * nr;
  s->of_flank[2][k] = gyration * nx;
  s->pulley[k] = primary ? 0 : 1;
  s->limit_flank[k] = touches ? 2.0 * step * 0.09 * 200.0 : 0.0;
}

static void fill_ring(belt *t, int first, int n)
{
  static cap_ring_crowd crowd;
  static cap_ring_group g;
  cap_leaves *s = t->s;
  g.n = n;
  for (int k = 0; k < n; k++) {
    cap_ring_point p;
    g.xi[k] = length * (first + k) / s->n;
    cap_ring_point_at(t->ring, t->d->q, g.xi[k], &p);
    g.px[k] = p.r[0] + 0.83e-3 * p.t[1];
    g.py[k] = p.r[1] - 0.83e-3 * p.t[0];
    fill_flank(s, first + k, p.r);
  }
  cap_ring_crowd_open(&crowd, t->ring, t->d->q, t->d->v, NULL);
  cap_ring_crowd_meet(&crowd, &g);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < n; k++) {
      g.fx[k] = i == CAP_LEAVES_NORMAL ? -g.ty[k] : -g.tx[k];
      g.fy[k] = i == CAP_LEAVES_NORMAL ? g.tx[k] : -g.ty[k];
      g.moment[k] = i == CAP_LEAVES_NORMAL ? 0.0 : g.d[k];
      fill_saddle(s, first + k, g.tx[k], g.ty[k]);
    }
    if (!cap_ring_crowd_rows(&crowd, &g, s->link + first, s->ring[i] + first, s->travel[i] + first,
                             s->ratio[i] + first))
      exit(1);
  }
}

/* What the impulses have to do in a frame, as parts of the limits. */
static void fill_demand(belt *t, int frame)
{
  const cap_leaves *s = t->s;
  for (int k = 0; k < s->n; k++) {
    double along = 2.0 * M_PI * k / s->n, mobility = s->inverse_mass[k], saddle = step * 130.0;
    double waver[5];
    for (int i = 0; i < 5; i++) {
      double now = noise(7919 * i + 31 * k + 1009 * frame), before = noise(7919 * i + 31 * k);
      waver[i] = 0.9 * before + 0.1 * now;
    }
    double pressed = s->limit_flank[k] > 0.0 ? 1.0 : -0.05, in = 1.2 + 0.5 * waver[0];
    double *to = t->c + (size_t)frame * 5 * (size_t)s->n + k, flank = 1.1e-4 * mobility;
    to[0] = -mobility * saddle * pressed * in;
    to[s->n] = 0.1 * saddle * mobility * (1.5 * sin(3.0 * along) + 0.3 * waver[1]);
    to[2 * s->n] = flank * (1.5 * sin(2.0 * along) + 0.3 * waver[2]);
    to[3 * s->n] = flank * (0.7 * cos(2.0 * along) + 0.3 * waver[3]);
    to[4 * s->n] = flank * 0.2 * waver[4];
  }
}

static void open_belt(belt *t, const char *model, int nodes, int n, cap_leaves_kinds kinds)
{
  cap_leaves_settings settings = cap_leaves_settings_default();
  *t = (belt){0};
  open_ring(t, model, nodes);
  t->s = cap_leaves_create(n, cap_leaves_nblock(&t->m->inertias[0]), kinds, &settings);
  t->c = malloc(sizeof(double) * FRAMES * 5 * (size_t)n);
  if (!t->s || !t->c) exit(1);
  load_trunk(t);
  for (int k = 0; k < n; k++) {
    t->s->inverse_mass[k] = n / 437.0 / 2.25e-3;
    t->s->inverse_inertia[k] = n / 437.0 / 1.4e-7;
    t->s->limit_ring[k] = kinds.normal ? 0.1 : 0.1 * step * 130.0;
  }
  for (int first = 0; first < n; first += GROUP) fill_ring(t, first, n - first < GROUP ? n - first : GROUP);
  for (int f = 0; f < FRAMES; f++) fill_demand(t, f);
}

static void run(void *self)
{
  belt *t = self;
  cap_leaves_stats stats;
  for (int f = 0; f < FRAMES; f++) {
    const double *c = t->c + (size_t)f * 5 * (size_t)t->s->n;
    for (int i = 0; i < 5; i++) memcpy(t->s->c[i], c + i * t->s->n, sizeof(double) * (size_t)t->s->n);
    if (cap_leaves_solve(t->s, &stats) < 0) exit(1);
    t->iterations += stats.iterations;
    t->fallbacks += stats.fallbacks;
    t->solutions++;
  }
}

static void time_belt(bench_table *table, const char *model, int nodes, int n)
{
  static const struct {
    const char *name;
    cap_leaves_kinds kinds;
  } rows[] = {{"NSSa", {false, true, false}},
              {"NSRi", {true, true, false}},
              {"NSFl", {false, false, true}},
              {"NSFri", {false, true, true}},
              {"NSALL", {true, true, true}}};
  for (int k = 0; k < 5; k++) {
    belt t;
    char name[96];
    open_belt(&t, model, nodes, n, rows[k].kinds);
    double time = bench_best(run, &t, 0.2) / FRAMES;
    snprintf(name, sizeof name, "leaves, %s, %s %d nodes", rows[k].name, model, t.s->nblock);
    bench_row(table, name, n, time * 1e6, "us/solution");
    snprintf(name, sizeof name, "leaves, %s, %s %d nodes: iterations", rows[k].name, model, t.s->nblock);
    bench_row(table, name, n, (double)t.iterations / (double)t.solutions, "per solution");
    snprintf(name, sizeof name, "leaves, %s, %s %d nodes: the safe way", rows[k].name, model, t.s->nblock);
    bench_row(table, name, n, (double)t.fallbacks / (double)t.solutions, "per solution");
    cap_leaves_free(t.s);
    cap_data_free(t.d);
    cap_model_free(t.m);
    free(t.c);
  }
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  time_belt(&table, "ale", 64, 437);
  time_belt(&table, "ale", 64, 218);
  time_belt(&table, "ancf", 160, 437);
  time_belt(&table, "ale0", 64, 437);
  return bench_close(&table);
}
