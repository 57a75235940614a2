/* bench/bench_variator_chain.c — ns a joint and evaluation of the elements of a pushbelt on each other, edge
 * and head: forces alone, and with the powers of its losses. All pressed by 300 N (within the exponential
 * part of the law) or 2 kN; heads open in both arcs, closed in both strands.
 * Pins in holes with the reference belt's clearance (110 elements use it up in the arcs), or all at the walls
 * of theirs. */
#include "../tests/support/pushbelt.h"
#include "bench.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/description/variator_geometry.h"

#include <math.h>
#include <stdlib.h>

typedef struct chain {
  cap_variator v;
  cap_model *m;
  double *q, *u, *x, *h, *power, *jump, *xdot, *hints, *warm;
  bool power_wanted;
} chain;

/* Two arcs and two strands of a quarter of the elements each, clockwise, the edges pressed by xi. */
static void lay(chain *k, double xi)
{
  const cap_variator *v = &k->v;
  int half = (v->simulated + 1) / 2, arc = half / 2;
  double x = 0.0, y = 0.0, pitch = 0.0, t = v->element.thickness, rho = v->element.edge_radius;
  for (int i = 0; i < v->simulated; i++) {
    double delta = i % half < arc ? -M_PI / arc : 0.0;
    k->q[v->x + i] = x, k->q[v->y + i] = y, k->q[v->pitch + i] = pitch;
    k->u[v->x + i] = 1e-3 * sin(3.7 * i), k->u[v->y + i] = 1e-3 * cos(2.3 * i);
    k->u[v->pitch + i] = 0.1 * sin(1.1 * i);
    double ahead = (0.5 * t - rho) * cos(delta) + v->element.edge * sin(delta) + rho + 0.5 * t - t * xi;
    pitch += delta;
    x += ahead * cos(pitch), y += ahead * sin(pitch);
  }
}

static double *zeros(int n)
{
  double *a = calloc((size_t)n + 1, sizeof *a);
  if (!a) exit(1);
  return a;
}

static void build(chain *k, int n, double clearance)
{
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  cap_variator *v = &k->v;
  *v = pushbelt_chain(n, n);
  v->element.pin = 4.43e-3;
  v->contact.pin_clearance = clearance, v->contact.pin_stiffness = 2e7;
  for (int i = 0; i < 3 * n; i++) cap_builder_dof(b, "q", "m", 1.0, 0.0, 0.0);
  v->x = 0, v->y = n, v->pitch = 2 * n;
  if (cap_push_chain_build(b, v, NULL, &error) != CAP_OK || cap_builder_finish(b, &k->m, &error) != CAP_OK) {
    fprintf(stderr, "%s\n", error.text);
    exit(1);
  }
  cap_builder_free(b);
  k->q = zeros(k->m->nv), k->u = zeros(k->m->nv), k->h = zeros(k->m->nv);
  k->x = zeros(k->m->nx), k->xdot = zeros(k->m->nx);
  k->power = zeros(k->m->nmech), k->jump = zeros(k->m->nmech);
  k->hints = zeros(k->m->nhint), k->warm = zeros(k->m->nwarm);
}

static void press(void *self)
{
  chain *k = self;
  double t = 0.0;
  cap_eval e = {.nlane = 1,
                .t = &t,
                .q = k->q,
                .v = k->u,
                .x = k->x,
                .h = k->h,
                .xdot = k->xdot,
                .power = k->power_wanted ? k->power : NULL,
                .jump = k->power_wanted ? k->jump : NULL,
                .march = 4e-7,
                .v_half = k->u,
                .x_march = k->x,
                .hints = k->hints,
                .warm = k->warm};
  k->m->batches[0].type->rates(&k->m->batches[0], &e);
}

static void time_chain(bench_table *table, chain *k, const char *name, double xi)
{
  char text[80];
  int n = k->v.simulated;
  lay(k, xi);
  for (int power = 0; power < 2; power++) {
    k->power_wanted = power;
    snprintf(text, sizeof text, "chain, %s%s", name, power ? ", with powers" : "");
    bench_row(table, text, n, bench_best(press, k, 0.3) / n * 1e9, "ns/joint");
  }
}

int main(int argc, char **argv)
{
  const int sizes[] = {110, 437, 1000};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int i = 0; i < 6; i++) {
    static chain k;
    bool held = i % 2;
    build(&k, sizes[i / 2], held ? 1e-15 : 5e-5);
    time_chain(&table, &k, held ? "300 N, pins press" : "300 N", 3.1e-4);
    if (!held) time_chain(&table, &k, "2 kN", 6.7e-4);
    cap_model_free(k.m);
    double *all[] = {k.q, k.u, k.h, k.x, k.xdot, k.power, k.jump, k.hints, k.warm};
    for (int a = 0; a < 9; a++) free(all[a]);
  }
  return bench_close(&table);
}
