/* What a session costs its host: a call of capstan_step with inputs, over the time that it covers and the
 * size of the model; reading outputs; saving and restoring; opening a model, setting a parameter,
 * starting. */
#include "bench.h"
#include "capstan/capstan.h"

#include <stdlib.h>

typedef struct host {
  const char *path, *name;
  double step; /* s between communication points */
  capstan_model *model;
  capstan_session *session;
  double t, rate;
  int ninput;
  void *state;
  size_t size;
} host;

static void need(int code, const char *message)
{
  if (code == CAPSTAN_OK) return;
  fprintf(stderr, "%s\n", message);
  exit(1);
}

static void open_model(void *self)
{
  host *h = self;
  capstan_close(h->model);
  need(capstan_open(h->path, 0, NULL, &h->model), capstan_message(h->model));
}

static void set_parameter(void *self)
{
  static const char *const settings[] = {"outputs.every=2 ms"};
  host *h = self;
  need(capstan_set(h->model, 1, settings), capstan_message(h->model));
}

static void start(void *self)
{
  host *h = self;
  capstan_end(h->session);
  need(capstan_start(h->model, NULL, &h->session), capstan_session_message(h->session));
  h->t = capstan_time(h->session);
}

/* An input, where there is one, goes up and down by turns. */
static void step(void *self)
{
  host *h = self;
  const int input = 0;
  h->rate = -h->rate;
  if (h->ninput)
    need(capstan_input(h->session, 1, &input, NULL, &h->rate), capstan_session_message(h->session));
  h->t += h->step;
  need(capstan_step(h->session, h->t, NULL), capstan_session_message(h->session));
}

static void outputs(void *self)
{
  host *h = self;
  step(h);
  if (!capstan_outputs(h->session)) exit(1);
}

static void save(void *self)
{
  host *h = self;
  need(capstan_save(h->session, h->state, h->size), capstan_session_message(h->session));
}

static void restore(void *self)
{
  host *h = self;
  need(capstan_restore(h->session, h->state, h->size), capstan_session_message(h->session));
}

static void row(bench_table *table, const host *h, const char *what, long size, double seconds)
{
  char name[80];
  snprintf(name, sizeof name, "%s: %s", h->name, what);
  bench_row(table, name, size, 1e6 * seconds, "us");
}

/* Columns of size: states of the model; for steps their length in us. */
static void measure(bench_table *table, const char *path, const char *name, const double *steps, int nstep)
{
  host h = {.path = path, .name = name, .rate = 1.0};
  double took = bench_best(open_model, &h, 0.05);
  int n = capstan_variables(h.model, CAPSTAN_STATE, NULL);
  h.ninput = capstan_variables(h.model, CAPSTAN_INPUT, NULL);
  row(table, &h, "open", n, took);
  row(table, &h, "set a parameter", n, bench_best(set_parameter, &h, 0.05));
  row(table, &h, "start", n, bench_best(start, &h, 0.05));
  h.size = capstan_save_size(h.session);
  h.state = malloc(h.size + 1);
  if (!h.state) exit(1);
  for (int k = 0; k < nstep; k++) {
    h.step = steps[k];
    took = bench_best(step, &h, 0.2);
    row(table, &h, h.ninput ? "a step with an input set" : "a step", (long)(1e6 * h.step + 0.5), took);
    row(table, &h, "the same per simulated ms", (long)(1e6 * h.step + 0.5), took * 1e-3 / h.step);
  }
  row(table, &h, "a step of the last length and all outputs", n, bench_best(outputs, &h, 0.1));
  row(table, &h, "save", n, bench_best(save, &h, 0.05));
  row(table, &h, "restore", n, bench_best(restore, &h, 0.05));
  free(h.state);
  capstan_end(h.session);
  capstan_close(h.model);
}

int main(int argc, char **argv)
{
  static const double drive[] = {1e-2, 1e-3, 1e-4}, belt[] = {1e-3, 1e-4}, variator[] = {1e-3, 1e-4};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  measure(&table, CAPSTAN_SOURCE_DIR "/examples/two_pulley.yaml", "two pulleys", drive, 3);
  measure(&table, CAPSTAN_SOURCE_DIR "/examples/python/torque_drive.yaml", "six pulleys, free crank", drive,
          3);
  measure(&table, CAPSTAN_SOURCE_DIR "/examples/accessory_drive.yaml", "six pulleys", drive, 3);
  measure(&table, CAPSTAN_SOURCE_DIR "/examples/two_pulley_segments.yaml", "belt of segments", belt, 2);
  measure(&table, CAPSTAN_SOURCE_DIR "/examples/variator.yaml", "variator", variator, 2);
  return bench_close(&table);
}
