/* A controller in the loop with a belt drive, from a program of one's own.
 *
 *   cc controller.c -o controller $(pkg-config --cflags --libs capstan)
 *   ./controller examples/python/torque_drive.yaml
 *
 * The crank rotates freely; every millisecond a PI controller sets the torque of the engine so that it runs at
 * 1000 rpm, and at 0.1 s the alternator takes 8 N m more. Then the drive is brought back to where it was before that
 * by a saved state, and the alternator takes 16 N m. docs/embedding.md. */
#include <capstan/capstan.h>

#include <stdio.h>
#include <stdlib.h>

enum { ENGINE, ALTERNATOR, NINPUT };
enum { SPEED, TENSION, NOUTPUT };

typedef struct loop {
  capstan_session *session;
  int input[NINPUT], output[NOUTPUT];
  double integral; /* N m */
} loop;

static const double period = 1e-3, wanted = 104.71975511965978; /* s; rad/s, 1000 rpm */

/* One period of the controller: measure (into `now`), set, step. 0: it failed. */
static int turn(loop *l, double until, double now[NOUTPUT])
{
  double torque;
  if (capstan_output(l->session, NOUTPUT, l->output, now)) return 0;
  l->integral += 12.0 * (wanted - now[SPEED]) * period;
  torque = l->integral + 3.0 * (wanted - now[SPEED]);
  return !capstan_input(l->session, 1, &l->input[ENGINE], &torque, NULL) &&
         !capstan_step(l->session, until, NULL);
}

/* 0.1 s with the alternator at `torque`; 0: it failed. */
static int load(loop *l, double torque)
{
  double now[NOUTPUT], lowest = 1e9, tightest = 0.0, rpm;
  if (capstan_input(l->session, 1, &l->input[ALTERNATOR], &torque, NULL)) return 0;
  for (int k = 1; k <= 100; k++) {
    if (!turn(l, 0.1 + k * period, now)) return 0;
    if (now[SPEED] < lowest) lowest = now[SPEED];
    if (now[TENSION] > tightest) tightest = now[TENSION];
  }
  if (capstan_convert("rad/s", "rpm", &rpm)) return 0;
  printf("  %4.1f N m more: at least %.0f rpm, at most %.0f N\n", torque, lowest * rpm, tightest);
  return 1;
}

static int fail(const capstan_session *session)
{
  fprintf(stderr, "%s\n", capstan_session_message(session));
  return 1;
}

static int run(loop *l)
{
  double now[NOUTPUT];
  for (int k = 1; k <= 100; k++)
    if (!turn(l, k * period, now)) return fail(l->session);
  size_t size = capstan_save_size(l->session);
  void *state = malloc(size);
  double integral = l->integral;
  int fine = state && !capstan_save(l->session, state, size) && load(l, 8.0);
  l->integral = integral;
  fine = fine && !capstan_restore(l->session, state, size) && load(l, 16.0);
  free(state);
  return fine ? 0 : fail(l->session);
}

int main(int argc, char **argv)
{
  capstan_model *model;
  loop l = {0};
  if (argc != 2) {
    fprintf(stderr, "usage: %s torque_drive.yaml\n", argv[0]);
    return 2;
  }
  if (capstan_open(argv[1], 0, NULL, &model)) {
    fprintf(stderr, "%s", capstan_message(model));
    capstan_close(model);
    return 2;
  }
  l.input[ENGINE] = capstan_find(model, CAPSTAN_INPUT, "engine_torque");
  l.input[ALTERNATOR] = capstan_find(model, CAPSTAN_INPUT, "alternator_torque");
  l.output[SPEED] = capstan_find(model, CAPSTAN_OUTPUT, "pulley.crank.speed");
  l.output[TENSION] = capstan_find(model, CAPSTAN_OUTPUT, "span.crank.tension");
  l.integral = 30.0;
  int code = capstan_start(model, NULL, &l.session) ? fail(l.session) : 0;
  capstan_close(model); /* the session lives on without it */
  if (!code) {
    printf("stepped by %s\n", capstan_session_method(l.session));
    code = run(&l);
  }
  capstan_end(l.session);
  return code;
}
