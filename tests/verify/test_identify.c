/* Identification of both laws from loops made of the document's own parameters, (30) to (35): accuracy for
 * every seed, scatter against the Cramer-Rao bound, coverage of the intervals, choice of the law, and what is
 * refused. */
#include "loop_data.h"

#include "linalg/lu.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/level.h"
#include "../support/sanitized.h"

enum { MOST_SEEDS = 100, FEW_SEEDS = 12, SANITIZED_SEEDS = 6 };

/* Scatter and coverage are statistics, which need all seeds. */
static int seeds(void)
{
  bool all = test_all("scatter and coverage over 100 seeds instead of 12");
  return TEST_SANITIZED ? SANITIZED_SEEDS : all ? MOST_SEEDS : FEW_SEEDS;
}

static const bool both[CAP_IDENTIFY_LAWS] = {true, true};
static const double pi = 3.14159265358979323846;

static cap_identify_result *identify(const loop_data *d, const bool *asked)
{
  cap_identify_result *r = NULL;
  cap_error error = {0};
  if (cap_identify_run(d->n, d->time, d->u, d->force, asked, &r, &error) != CAP_OK)
    fail_msg("%s", error.text);
  return r;
}

/* ---- the criteria ---- */

/* Smallest possible standard errors of the parameters for white noise `sigma`: inverse of the information
 * matrix, from central differences of the reference simulation. */
static void cramer_rao(cap_identify_law law, const loop_data *clean, double sigma, double bound[6])
{
  const int p = law == CAP_IDENTIFY_DAHL ? 6 : 5, n = clean->n;
  double *up = malloc((size_t)n * sizeof *up), *u = malloc((size_t)n * sizeof *u);
  double *jacobian = malloc((size_t)n * 6 * sizeof *jacobian), information[36] = {0.0}, inverse[36];
  int pivot[6];
  assert_true(up && u && jacobian);
  for (int j = 0; j < p; j++) {
    double parameters[6];
    memcpy(parameters, loop_truth[law], sizeof parameters);
    const double h = 1e-5 * fabs(parameters[j]);
    double *column = jacobian + (size_t)j * n;
    parameters[j] = loop_truth[law][j] + h;
    loop_steady(law, parameters, loop_x1, n, clean->time, u, column);
    parameters[j] = loop_truth[law][j] - h;
    loop_steady(law, parameters, loop_x1, n, clean->time, u, up);
    for (int i = 0; i < n; i++) column[i] = (column[i] - up[i]) / (2.0 * h);
  }
  for (int j = 0; j < p; j++)
    for (int k = 0; k < p; k++) {
      double sum = 0.0;
      for (int i = 0; i < n; i++) sum += jacobian[(size_t)j * n + i] * jacobian[(size_t)k * n + i];
      information[j * p + k] = sum * fabs(loop_truth[law][j] * loop_truth[law][k]) / (sigma * sigma);
    }
  assert_int_equal(capm_lu_factor(p, information, pivot), 0);
  capm_lu_invert(p, information, pivot, inverse);
  for (int j = 0; j < p; j++) bound[j] = sqrt(inverse[j * p + j]) * fabs(loop_truth[law][j]);
  free(up), free(u), free(jacobian);
}

typedef struct tally {
  double square[6], worst[6];
  int covered[6], picked;
} tally;

static void count(tally *t, const cap_identify_result *r, cap_identify_law law)
{
  const cap_identify_fit *fit = &r->fits[law];
  assert_true(fit->done);
  t->picked += r->best == (int)law;
  for (int j = 0; j < fit->nparameter; j++) {
    const cap_identify_parameter *q = &fit->parameters[j];
    const double truth = loop_truth[law][j], off = q->value - truth;
    t->square[j] += off * off;
    t->worst[j] = fmax(t->worst[j], fabs(off / truth));
    t->covered[j] += q->low <= truth && truth <= q->high;
  }
}

static void criteria_of(cap_identify_law law, bool on_orbit, const double allowed[6])
{
  loop_data clean = on_orbit ? loop_document(law) : loop_from_start(law), noisy = loop_create(clean.n);
  const double sigma = 0.01 * loop_range(clean.n, clean.force);
  const int p = law == CAP_IDENTIFY_DAHL ? 6 : 5, nseed = seeds();
  double bound[6];
  tally t = {0};
  cramer_rao(law, &clean, sigma, bound);
  memcpy(noisy.time, clean.time, (size_t)clean.n * sizeof(double));
  memcpy(noisy.u, clean.u, (size_t)clean.n * sizeof(double));
  const bool own[CAP_IDENTIFY_LAWS] = {law == CAP_IDENTIFY_DAHL, law == CAP_IDENTIFY_MASING};
  const char *names[6];
  double dropped = 0.0;
  for (int seed = 1; seed <= nseed; seed++) {
    memcpy(noisy.force, clean.force, (size_t)clean.n * sizeof(double));
    loop_add_noise(&noisy, sigma, (uint64_t)seed);
    cap_identify_result *r = identify(&noisy, on_orbit ? both : own);
    if (on_orbit) assert_int_equal(r->cycle.first, 0); /* no steady sample is thrown away */
    dropped += r->cycle.first;
    count(&t, r, law);
    for (int j = 0; j < p; j++) names[j] = r->fits[law].parameters[j].name;
    cap_identify_free(r);
  }
  print_message("%.1f samples of %d left out as start-up\n", dropped / nseed, clean.n);
  print_message("%-8s %10s %10s %10s %10s %8s\n", "", "truth", "worst", "scatter", "bound", "covered");
  for (int j = 0; j < p; j++) {
    const double scatter = sqrt(t.square[j] / nseed);
    print_message("%-8s %10.6g %9.2f%% %9.3f%% %9.3f%% %8d\n", names[j], loop_truth[law][j],
                  100.0 * t.worst[j], 100.0 * scatter / fabs(loop_truth[law][j]),
                  100.0 * bound[j] / fabs(loop_truth[law][j]), t.covered[j]);
  }
  assert_int_equal(t.picked, nseed);
  for (int j = 0; j < p; j++) {
    assert_true(t.worst[j] < allowed[j]);
    if (nseed < MOST_SEEDS) continue; /* statistics need the seeds */
    assert_true(sqrt(t.square[j] / nseed) <= 1.2 * bound[j]);
    assert_true(t.covered[j] >= 90);
  }
  loop_free(&clean), loop_free(&noisy);
}

static const double allowed_dahl[6] = {0.10, 0.01, 0.10, 0.01, 0.05, 0.05};
static const double allowed_masing[6] = {0.03, 0.03, 0.03, 0.01, 0.03};

static void criteria_dahl(void **state)
{
  (void)state;
  criteria_of(CAP_IDENTIFY_DAHL, true, allowed_dahl);
}

static void criteria_dahl_started_beside_the_orbit(void **state)
{
  (void)state;
  criteria_of(CAP_IDENTIFY_DAHL, false, allowed_dahl);
}

static void criteria_masing(void **state)
{
  (void)state;
  criteria_of(CAP_IDENTIFY_MASING, true, allowed_masing);
}

static void criteria_masing_started_beside_the_orbit(void **state)
{
  (void)state;
  criteria_of(CAP_IDENTIFY_MASING, false, allowed_masing);
}

/* ---- without noise, and with everything that measurements bring ---- */

static void check_parameters(const cap_identify_fit *fit, const double *truth, double tolerance)
{
  if (!fit->done) fail_msg("%s: %s", fit->law, fit->refusal);
  for (int j = 0; j < fit->nparameter; j++)
    if (fabs(fit->parameters[j].value / truth[j] - 1.0) > tolerance)
      fail_msg("%s: %s = %.8g, expected %.8g within %g", fit->law, fit->parameters[j].name,
               fit->parameters[j].value, truth[j], tolerance);
}

static void exact_without_noise(void **state)
{
  (void)state;
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++) {
    loop_data d = loop_document((cap_identify_law)law);
    const bool asked[CAP_IDENTIFY_LAWS] = {law == CAP_IDENTIFY_DAHL, law == CAP_IDENTIFY_MASING};
    cap_identify_result *r = identify(&d, asked);
    check_parameters(&r->fits[law], loop_truth[law], law == CAP_IDENTIFY_DAHL ? 2e-5 : 1e-7);
    assert_true(fabs(r->cycle.angular_frequency - loop_omega) < 1e-9);
    double *force = malloc((size_t)r->cycle.n * sizeof *force), worst = 0.0;
    assert_int_equal(cap_identify_simulate(&r->cycle, (cap_identify_law)law, loop_truth[law], force), CAP_OK);
    for (int i = 0; i < r->cycle.n; i++) worst = fmax(worst, fabs(force[i] - r->cycle.force[i]));
    print_message("%s: forward model within %.2g N of the reference, area %.7g J\n", r->fits[law].law, worst,
                  r->fits[law].area);
    assert_true(worst < 1e-3);
    free(force);
    cap_identify_free(r), loop_free(&d);
  }
}

/* Ten cycles, uneven sampling, noise on the deflection, offsets, a ramp from rest before, second harmonic. */
static loop_data rough_measurement(cap_identify_law law, double offset)
{
  const double ramp = 0.9, end = ramp + 10.0 * 2.0 * pi / loop_omega;
  const int n = 14000;
  loop_data d = loop_create(n);
  loop_random r = loop_seed(77);
  loop_law l;
  loop_set(&l, law, loop_truth[law]);
  double t = 0.0, before = 0.0;
  for (int i = 0; i < n; i++) {
    d.time[i] = t + 3.0; /* recording does not start at zero */
    const double s = fmin(t / ramp, 1.0), gain = s * s * (3.0 - 2.0 * s), phase = loop_omega * t + loop_phi;
    const double u = gain * (loop_x0 + loop_x1 * sin(phase) + 0.06 * loop_x1 * cos(2.0 * phase));
    const double v = loop_x1 * loop_omega * (cos(phase) - 0.12 * sin(2.0 * phase));
    d.force[i] = loop_move(&l, before, u, gain < 1.0 ? 0.0 : v) + 6.0 * loop_gauss(&r);
    d.u[i] = u + offset + 5e-7 * loop_gauss(&r);
    before = u;
    t += end / n * (0.5 + loop_uniform(&r));
  }
  return d;
}

static void rough_measurements(void **state)
{
  (void)state;
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++) {
    const double offset = 2e-3;
    loop_data d = rough_measurement((cap_identify_law)law, offset);
    cap_identify_result *r = identify(&d, both);
    double truth[6];
    memcpy(truth, loop_truth[law], sizeof truth);
    if (law == CAP_IDENTIFY_DAHL) truth[1] -= truth[0] * offset, truth[3] -= truth[2] * offset;
    else truth[3] += truth[1] * offset;
    print_message("%s: %d of %d samples, %.2f cycles, %d harmonics, angular_frequency %.6f\n",
                  r->fits[law].law, r->cycle.n, d.n, r->cycle.cycles, r->cycle.nharmonic,
                  r->cycle.angular_frequency);
    assert_int_equal(r->best, law);
    assert_true(r->cycle.nharmonic >= 2 && r->cycle.nharmonic <= 4);
    assert_true(r->cycle.cycles > 8.5 && r->cycle.cycles < 10.6);
    check_parameters(&r->fits[law], truth, 0.05);
    cap_identify_free(r), loop_free(&d);
  }
}

/* Motions that no short series describes: a triangle, and cycles of unequal amplitude. */
static void recorded_motions(void **state)
{
  (void)state;
  const double period = 2.0 * pi / loop_omega;
  for (int kind = 0; kind < 2; kind++)
    for (int law = 0; law < CAP_IDENTIFY_LAWS; law++) {
      loop_data d = loop_create(10026);
      loop_random r = loop_seed(12);
      loop_law l;
      loop_set(&l, (cap_identify_law)law, loop_truth[law]);
      double before = loop_x0 - loop_x1;
      for (int i = -d.n; i < d.n; i++) { /* once before, to reach the orbit */
        const double turns = (i + d.n) / 5000.0 / period, part = turns - floor(turns);
        const double gain = kind ? 1.0 + 0.004 * sin(2.0 * pi * turns / 1.7) : 1.0;
        const double shape = kind ? -cos(2.0 * pi * turns) : part < 0.5 ? 4.0 * part - 1.0 : 3.0 - 4.0 * part;
        const double slope = kind ? 2.0 * pi * sin(2.0 * pi * turns) : part < 0.5 ? 4.0 : -4.0;
        const double u = loop_x0 + loop_x1 * gain * shape;
        const double force = loop_move(&l, before, u, loop_x1 * gain * slope / period);
        before = u;
        if (i < 0) continue;
        d.time[i] = i / 5000.0, d.u[i] = u + 2e-7 * loop_gauss(&r), d.force[i] = force + 6.0 * loop_gauss(&r);
      }
      cap_identify_result *result = identify(&d, both);
      assert_true(result->cycle.recorded);
      assert_true(result->cycle.nturn >= 5 && result->cycle.nturn <= 7);
      assert_int_equal(result->best, law);
      check_parameters(&result->fits[law], loop_truth[law], 0.08);
      cap_identify_free(result), loop_free(&d);
    }
}

static void intervals_shrink_with_cycles(void **state)
{
  (void)state;
  double error[2];
  for (int k = 0; k < 2; k++) {
    loop_data d = loop_create(k ? 13369 : 6684); /* two and four cycles at 5000 Hz */
    for (int i = 0; i < d.n; i++) d.time[i] = i / 5000.0;
    loop_steady(CAP_IDENTIFY_MASING, loop_truth[CAP_IDENTIFY_MASING], loop_x1, d.n, d.time, d.u, d.force);
    loop_add_noise(&d, 6.0, 4);
    cap_identify_result *r = identify(&d, both);
    error[k] = r->fits[CAP_IDENTIFY_MASING].parameters[0].error;
    cap_identify_free(r), loop_free(&d);
  }
  assert_true(fabs(error[0] / error[1] - sqrt(2.0)) < 0.05);
}

static void result_is_repeatable(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_DAHL);
  loop_add_noise(&d, 6.0, 9);
  cap_identify_result *a = identify(&d, both), *b = identify(&d, both);
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++)
    for (int j = 0; j < a->fits[law].nparameter; j++)
      assert_true(a->fits[law].parameters[j].value == b->fits[law].parameters[j].value);
  cap_identify_free(a), cap_identify_free(b), loop_free(&d);
}

/* ---- refusals ---- */

static void refused(const loop_data *d, const char *expected)
{
  cap_identify_result *r = NULL;
  cap_error error = {0};
  const cap_status status = cap_identify_run(d->n, d->time, d->u, d->force, both, &r, &error);
  cap_identify_free(r);
  if (status != CAP_ERR_INPUT) fail_msg("expected \"%s\", but the data were accepted", expected);
  if (!strstr(error.text, expected)) fail_msg("expected \"%s\", got \"%s\"", expected, error.text);
}

static void refuses_broken_numbers(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_MASING);
  const double keep = d.force[41];
  d.force[41] = NAN;
  refused(&d, "sample 42: expected a finite number as force");
  d.force[41] = keep, d.time[100] = d.time[99];
  refused(&d, "sample 101: expected a time after");
  d.time[100] = 100 / 5000.0, d.u[7] = INFINITY;
  refused(&d, "sample 8: expected a finite number as deflection");
  d.n = 50;
  refused(&d, "too few samples; expected at least 100, got 50");
  loop_free(&d);
}

static void refuses_constant_signals(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_MASING);
  for (int i = 0; i < d.n; i++) d.u[i] = 5e-4;
  refused(&d, "the deflection is constant");
  loop_free(&d);
  d = loop_document(CAP_IDENTIFY_MASING);
  for (int i = 0; i < d.n; i++) d.force[i] = 5e2;
  refused(&d, "the force is constant");
  loop_free(&d);
}

static void refuses_too_few(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_DAHL);
  d.n = 5000; /* one cycle and a half */
  refused(&d, "too few cycles");
  loop_free(&d);
  d = loop_create(120);
  for (int i = 0; i < d.n; i++) d.time[i] = i * 0.03; /* 22 samples a cycle */
  loop_steady(CAP_IDENTIFY_DAHL, loop_truth[CAP_IDENTIFY_DAHL], loop_x1, d.n, d.time, d.u, d.force);
  refused(&d, "too few samples to see the reversals; expected at least 40 a cycle, got 22");
  loop_free(&d);
}

static void refuses_clipped_signals(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    loop_data d = loop_document(CAP_IDENTIFY_DAHL);
    loop_add_noise(&d, 6.0, 5);
    for (int i = 0; i < d.n; i++) {
      if (k == 0) d.force[i] = fmin(d.force[i], 1000.0);
      if (k == 1) d.force[i] = fmax(d.force[i], 420.0);
      if (k == 2) d.u[i] = fmin(d.u[i], 1.0e-3);
      if (k == 3) d.u[i] = 1e-6 * floor(d.u[i] * 1e6); /* coarse, but not clipped */
    }
    if (k < 2)
      refused(&d,
              k ? "the force is clipped; expected a loop that is not cut off, got many samples at 420 N"
                : "the force is clipped; expected a loop that is not cut off, got many samples at 1000 N");
    if (k == 2)
      refused(&d, "the deflection is clipped; expected a loop that is not cut off, got many samples at 1 mm");
    if (k == 3) cap_identify_free(identify(&d, both));
    loop_free(&d);
  }
}

static void refuses_friction_that_never_slips(void **state)
{
  (void)state;
  /* an amplitude of 0.2 mm is below eta = 0.337 mm: spring and damper only */
  loop_data d = loop_document(CAP_IDENTIFY_MASING);
  loop_steady(CAP_IDENTIFY_MASING, loop_truth[CAP_IDENTIFY_MASING], 2e-4, d.n, d.time, d.u, d.force);
  loop_add_noise(&d, 0.01 * loop_range(d.n, d.force), 3);
  const bool masing[CAP_IDENTIFY_LAWS] = {[CAP_IDENTIFY_MASING] = true};
  cap_identify_result *r = NULL;
  cap_error error = {0};
  assert_int_equal(cap_identify_run(d.n, d.time, d.u, d.force, masing, &r, &error), CAP_ERR_INPUT);
  assert_non_null(
      strstr(error.text, "alpha (and k apart from k0) cannot be identified: the friction never slips"));
  cap_identify_free(r), loop_free(&d);
}

static void refuses_a_loop_without_area(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_MASING);
  loop_random r = loop_seed(8);
  for (int i = 0; i < d.n; i++) d.force[i] = 500.0 + 3e5 * d.u[i] + 3.0 * loop_gauss(&r);
  refused(&d, "the loop has no area beyond the noise");
  refused(&d, "Lambda");
  refused(&d, "alpha");
  loop_free(&d);
}

static void refuses_turned_signs(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_MASING);
  for (int i = 0; i < d.n; i++) d.force[i] = -d.force[i];
  refused(&d, "the loop runs the wrong way round");
  loop_free(&d);
}

static void refuses_dahl_far_from_its_envelopes(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_DAHL);
  loop_steady(CAP_IDENTIFY_DAHL, loop_truth[CAP_IDENTIFY_DAHL], 4e-5, d.n, d.time, d.u, d.force);
  loop_add_noise(&d, 0.01 * loop_range(d.n, d.force), 3);
  const bool dahl[CAP_IDENTIFY_LAWS] = {[CAP_IDENTIFY_DAHL] = true};
  cap_identify_result *r = NULL;
  cap_error error = {0};
  assert_int_equal(cap_identify_run(d.n, d.time, d.u, d.force, dahl, &r, &error), CAP_ERR_INPUT);
  print_message("%s\n", error.text);
  assert_non_null(strstr(error.text, "cannot be identified"));
  cap_identify_free(r), loop_free(&d);
}

static void refuses_noise_alone(void **state)
{
  (void)state;
  loop_data d = loop_document(CAP_IDENTIFY_DAHL);
  loop_random r = loop_seed(2);
  for (int i = 0; i < d.n; i++) d.u[i] = 1e-4 * loop_gauss(&r);
  cap_identify_result *result = NULL;
  cap_error error = {0};
  assert_int_equal(cap_identify_run(d.n, d.time, d.u, d.force, both, &result, &error), CAP_ERR_INPUT);
  print_message("%s\n", error.text);
  cap_identify_free(result), loop_free(&d);
}

/* ---- the program and its example ---- */

/* Run the program; standard output and error together in `text`. Returns its exit code. */
static int run_program(const char *arguments, char *text, size_t size)
{
  char command[1024];
  snprintf(command, sizeof command, "%s identify %s 2>&1", CAPSTAN_PROGRAM, arguments);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t used = fread(text, 1, size - 1, pipe);
  text[used] = 0;
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void contains(const char *text, const char *expected)
{
  if (!strstr(text, expected)) fail_msg("expected \"%s\" in:\n%s", expected, text);
}

/* The file holds what its comment says: the same rows, to the last digit but for rounding. */
static void example_is_what_it_says(void **state)
{
  (void)state;
  FILE *file = fopen(CAPSTAN_SOURCE_DIR "/examples/tensioner_loop.csv", "r");
  assert_non_null(file);
  loop_data d = loop_example();
  char line[256], row[128];
  int i = 0;
  while (fgets(line, sizeof line, file)) {
    double t, u, f, t0, u0, f0;
    if (sscanf(line, "%lf, %lf, %lf", &t, &u, &f) != 3) continue;
    assert_true(i < d.n);
    loop_print_row(&d, i++, row, sizeof row);
    assert_int_equal(sscanf(row, "%lf, %lf, %lf", &t0, &u0, &f0), 3);
    assert_true(fabs(t - t0) < 1.5e-4 && fabs(u - u0) < 1.5e-5 && fabs(f - f0) < 0.015);
  }
  assert_int_equal(i, d.n);
  fclose(file), loop_free(&d);
}

static void program_identifies_the_example(void **state)
{
  (void)state;
  char text[16384], folder[] = "/tmp/capstan_identify_XXXXXX", arguments[512];
  assert_non_null(mkdtemp(folder));
  snprintf(arguments, sizeof arguments, "%s/examples/tensioner_loop.csv -o %s/out.h5", CAPSTAN_SOURCE_DIR,
           folder);
  assert_int_equal(run_program(arguments, text, sizeof text), 0);
  contains(text, "start-up of");
  contains(text, "\ntensioner:\n  law: dahl\n");
  contains(text, "lambda: ");
  contains(text, "out.h5");
  const char *mu = strstr(text, "\n  mu:");
  assert_non_null(mu);
  assert_true(fabs(strtod(mu + 6, NULL) / 0.37 - 1.0) < 0.05);
  assert_int_equal(
      run_program(CAPSTAN_SOURCE_DIR "/examples/tensioner_loop.csv --law masing", text, sizeof text), 0);
  contains(text, "law: masing");
  contains(text, "warning: the residuals are not white");
  snprintf(arguments, sizeof arguments, "%s/out.h5", folder);
  unlink(arguments), rmdir(folder);
}

/* What the program prints is a section that a model file accepts. */
static void fragment_fits_into_a_model(void **state)
{
  (void)state;
  static const char *const laws[] = {"dahl", "masing"};
  for (int k = 0; k < 2; k++) {
    char text[16384], name[] = "/tmp/capstan_model_XXXXXX.yaml", command[512];
    snprintf(command, sizeof command, "%s/examples/tensioner_loop.csv --law %s", CAPSTAN_SOURCE_DIR, laws[k]);
    assert_int_equal(run_program(command, text, sizeof text), 0);
    const char *fragment = strstr(text, "\ntensioner:\n");
    assert_non_null(fragment);
    const int handle = mkstemps(name, 5);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    fprintf(file, "capstan: 1\nname: pasted\ndrive: tensioner-rig\n%s", fragment);
    fputs("deflection: {motion: harmonic, mean: 0.54 mm, amplitude: 0.52 mm, angular_frequency: 9.4 rad/s}\n"
          "analyses:\n  - transient: {until: 0.1 s}\n",
          file);
    fclose(file);
    snprintf(command, sizeof command, "%s check %s > /dev/null", CAPSTAN_PROGRAM, name);
    assert_int_equal(system(command), 0);
    unlink(name);
  }
}

static void program_refuses(void **state)
{
  (void)state;
  char text[16384], name[] = "/tmp/capstan_identify_XXXXXX", arguments[512];
  const int handle = mkstemp(name);
  assert_true(handle >= 0);
  FILE *file = fdopen(handle, "w");
  fputs("time [s], deflection [mm], pull [kg]\n", file);
  for (int i = 0; i < 400; i++) fprintf(file, "%g, %g, %g\n", 0.01 * i, sin(0.06 * i), cos(0.06 * i));
  fclose(file);
  assert_int_equal(run_program(name, text, sizeof text), 2);
  contains(text, "no column \"force\"");
  snprintf(arguments, sizeof arguments, "%s --force pull", name);
  assert_int_equal(run_program(arguments, text, sizeof text), 2);
  contains(text, "column \"pull\": expected a unit of the dimension of N, got kg");
  assert_int_equal(run_program("no_such_file.csv", text, sizeof text), 2);
  contains(text, "no_such_file.csv");
  snprintf(arguments, sizeof arguments, "%s --law hooke", name);
  assert_int_equal(run_program(arguments, text, sizeof text), 2);
  contains(text, "--law: expected dahl, masing or both, got \"hooke\"");
  assert_int_equal(run_program("--help", text, sizeof text), 0);
  contains(text, "identify DATA.csv");
  unlink(name);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(criteria_dahl),
      cmocka_unit_test(criteria_masing),
      cmocka_unit_test(criteria_dahl_started_beside_the_orbit),
      cmocka_unit_test(criteria_masing_started_beside_the_orbit),
      cmocka_unit_test(exact_without_noise),
      cmocka_unit_test(rough_measurements),
      cmocka_unit_test(recorded_motions),
      cmocka_unit_test(intervals_shrink_with_cycles),
      cmocka_unit_test(result_is_repeatable),
      cmocka_unit_test(refuses_broken_numbers),
      cmocka_unit_test(refuses_constant_signals),
      cmocka_unit_test(refuses_too_few),
      cmocka_unit_test(refuses_clipped_signals),
      cmocka_unit_test(refuses_friction_that_never_slips),
      cmocka_unit_test(refuses_a_loop_without_area),
      cmocka_unit_test(refuses_turned_signs),
      cmocka_unit_test(refuses_dahl_far_from_its_envelopes),
      cmocka_unit_test(refuses_noise_alone),
      cmocka_unit_test(example_is_what_it_says),
      cmocka_unit_test(program_identifies_the_example),
      cmocka_unit_test(fragment_fits_into_a_model),
      cmocka_unit_test(program_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
