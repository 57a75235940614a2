/* pages FOLDER [NAME...] — writes the result files and pages that the browser tests open, each with known
 * contents; with names only those. */
#include "drives/pushbelt/observe/variator_output.h"
#include "io/execute.h"
#include "io/results.h"
#include "report/report.h"

#include "../support/variator_synthetic.h"
#include "pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS = 2001,
  LONG_ROWS = 300000,
  SPIKE_ROW = 123457,
  WIDE_ROWS = 31000,
  WIDE_CHANNELS = 100,
  LINES = 5,
  POINTS = 41
};

static const char *folder;
static cap_error error;

void need(cap_status status)
{
  if (status == CAP_OK) return;
  fprintf(stderr, "pages: %s\n", error.text);
  exit(1);
}

static const char *place(const char *name, const char *ending)
{
  static char paths[2][512];
  static int next;
  char *path = paths[next++ % 2];
  snprintf(path, sizeof paths[0], "%s/%s.%s", folder, name, ending);
  return path;
}

cap_results *start(const char *name, const cap_results_meta *meta)
{
  cap_results *results;
  need(cap_results_create(place(name, "h5"), meta, (cap_results_options){0}, &results, &error));
  return results;
}

void finish(cap_results *results, const char *name, bool complete)
{
  need(cap_results_finish(results, complete));
  cap_results_free(results);
  need(cap_report_write(place(name, "h5"), place(name, "html"), &error));
}

void put_vector(cap_sink *sink, const char *name, const char *unit, const char *meaning, int n,
                const double *values)
{
  need(sink->array(sink, (cap_column){name, unit, meaning}, 1, (int64_t[]){n}, NULL, values));
}

void put_number(cap_sink *sink, const char *name, const char *unit, const char *meaning, double value)
{
  need(sink->number(sink, (cap_column){name, unit, meaning}, value));
}

/* A stick-slip spring under a growing harmonic motion: a hysteresis loop with sharp corners. */
static void fill_transient(cap_sink *sink)
{
  static const cap_column columns[] = {
      {"time", "s", "time"},
      {"tensioner.deflection", "m", "deflection of the tensioner"},
      {"tensioner.force", "N", "force of the tensioner"},
      {"tensioner.velocity", "m/s", "velocity of the tensioner"},
      {"belt.tension", "N", "tension of the belt"},
      {"load.power", "W", "power of the load"},
      {"arm.angle", "rad", "angle of the arm"},
      {"contact.gap", "m", "gap of the contact"},
      {"slip", "", "slip"},
  };
  enum { N = sizeof columns / sizeof *columns };
  need(sink->open(sink, "transient", "transient", "Transient"));
  need(sink->columns(sink, N, columns));
  double friction = 0, before = 0;
  for (int i = 0; i < ROWS; i++) {
    double t = 5e-4 * i, grow = fmin(1, 3 * t), x = 4e-3 * grow * sin(40 * t), v = 0.16 * grow * cos(40 * t);
    friction = fmax(-30, fmin(30, friction + 2e4 * (x - before)));
    before = x;
    double force = 120 + 1.1e4 * x + friction;
    double row[N] = {
        t,   x, force, v, 900 + 2 * force + 40 * sin(300 * t), force * v, 12 * x, 2e-6 * (1 + cos(90 * t)),
        grow};
    need(sink->rows(sink, 1, row));
  }
  const cap_balance_line lines[] = {
      {"load", "input", 12.31},          {"kinetic energy", "stored", 0.21}, {"springs", "stored", -0.91},
      {"tensioner", "dissipated", 10.3}, {"belt", "dissipated", 2.7},        {"stepper", "integrator", 0.01},
  };
  need(sink->balance(sink, 6, lines));
  need(sink->number(sink, (cap_column){"steps", "", "time steps"}, 40000));
  need(sink->number(sink, (cap_column){"loop.area", "J", "area of the last loop"}, 0.41234));
  need(sink->text(sink, "stepper", "exact piecewise linear"));
  need(sink->text(sink, "corner.label", "A,B,C,D"));
  put_vector(sink, "corner.time", "s", "time of each corner", 4, (double[]){0.82, 0.84, 0.9, 0.92});
  put_vector(sink, "corner.deflection", "m", "deflection at each corner", 4,
             (double[]){-4e-3, -1e-3, 4e-3, 1e-3});
  put_vector(sink, "corner.force", "N", "force at each corner", 4, (double[]){46, 139, 194, 101});
  put_vector(sink, "multiplier.re", "1", "Floquet multiplier, real part", 2, (double[]){0.3, 0.3});
  put_vector(sink, "multiplier.im", "1", "Floquet multiplier, imaginary part", 2, (double[]){0.4, -0.4});
  need(sink->close(sink));
}

/* Two modes at 10 Hz and 80 Hz. */
static void fill_modes(cap_sink *sink)
{
  const double angular_frequency[] = {62.83185307179586, 502.6548245743669}, ratio[] = {0.021, 0.11};
  const double shape[] = {0.4, -0.9, 0.8, 0.3};
  need(sink->open(sink, "modes", "modes", "natural frequencies and mode shapes"));
  put_vector(sink, "angular_frequency", "rad/s", "undamped natural angular frequency", 2, angular_frequency);
  need(sink->array(sink, (cap_column){"shape", "kg^-1/2", "mode shape"}, 2, (int64_t[]){2, 2}, NULL, shape));
  need(sink->text(sink, "coordinates", "pulley,mass"));
  put_vector(sink, "damped.angular_frequency", "rad/s", "modulus of the damped eigenvalue", 2,
             angular_frequency);
  put_vector(sink, "damped.ratio", "1", "damping ratio", 2, ratio);
  need(sink->close(sink));
}

/* A loop, one law that fits it and one that was refused. */
static void fill_identification(cap_sink *sink)
{
  enum { N = 400, LOOP = 100 };
  double t[N], u[N], f[N], model[N], phase[LOOP], loop_u[LOOP], loop_f[LOOP];
  for (int i = 0; i < N; i++) {
    t[i] = 1e-3 * i;
    u[i] = 5e-3 * sin(40 * t[i]);
    model[i] = 100 + 8e3 * u[i] + 20 * cos(40 * t[i]);
    f[i] = model[i] + 2 * sin(1e4 * i);
  }
  for (int i = 0; i < LOOP; i++) {
    phase[i] = 6.283185307179586 * i / LOOP;
    loop_u[i] = 5e-3 * sin(phase[i]);
    loop_f[i] = 100 + 8e3 * loop_u[i] + 20 * cos(phase[i]);
  }
  need(sink->open(sink, "identify", "identify", "Identification of hysteresis laws"));
  put_number(sink, "cycles", "1", "number of steady cycles used", 3);
  need(sink->text(sink, "best", "masing"));
  need(sink->text(sink, "dahl.refusal", "the loop never slips: mu cannot be found"));
  put_vector(sink, "time", "s", "time", N, t);
  put_vector(sink, "deflection", "m", "measured deflection", N, u);
  put_vector(sink, "force", "N", "measured force", N, f);
  put_vector(sink, "masing.force", "N", "force of the law at the samples", N, model);
  put_vector(sink, "loop.phase", "rad", "phase within one cycle", LOOP, phase);
  put_vector(sink, "loop.deflection", "m", "deflection over one cycle", LOOP, loop_u);
  put_vector(sink, "masing.loop.force", "N", "force of the law over one cycle", LOOP, loop_f);
  put_number(sink, "masing.k", "N/m", "stiffness", 8012.5);
  put_number(sink, "masing.k.error", "N/m", "stiffness", 80.125);
  put_number(sink, "masing.k.low", "N/m", "stiffness", 7852.2);
  put_number(sink, "masing.k.high", "N/m", "stiffness", 8172.8);
  put_number(sink, "masing.durbin_watson", "1", "whiteness of the residuals", 0.77);
  put_number(sink, "masing.rms", "N", "residual force", 1.41);
  need(sink->array(sink, (cap_column){"masing.correlation", "1", "correlation"}, 2, (int64_t[]){1, 1}, NULL,
                   (double[]){1}));
  need(sink->close(sink));
}

static void put_grid(cap_sink *sink, const char *name, const char *unit, const char *meaning,
                     const double *values)
{
  need(sink->array(sink, (cap_column){name, unit, meaning}, 2, (int64_t[]){LINES, POINTS},
                   "load.amplitude,load.angular_frequency", values));
}

/* Largest value 1000 N at the last amplitude and angular frequency 60 rad/s; the larger one beside it was not
 * converged. */
static void fill_response(cap_sink *sink)
{
  double amplitude[LINES], angular_frequency[POINTS], range[LINES * POINTS], mean[LINES * POINTS],
      found[LINES * POINTS], limit[POINTS];
  for (int i = 0; i < LINES; i++) amplitude[i] = 20.0 * (i + 1);
  for (int j = 0; j < POINTS; j++) {
    angular_frequency[j] = 40.0 + j;
    limit[j] = 900.0 / (1 + pow((angular_frequency[j] - 65) / 6, 2));
    for (int i = 0; i < LINES; i++) {
      range[i * POINTS + j] = 10 * amplitude[i] / (1 + pow((angular_frequency[j] - 60) / 5, 2));
      mean[i * POINTS + j] = 900 + amplitude[i];
      found[i * POINTS + j] = 1;
    }
  }
  range[2 * POINTS + 7] = NAN;
  range[2 * POINTS + 8] = 1e6;
  found[2 * POINTS + 8] = 0;
  need(sink->open(sink, "response", "response", "Response"));
  put_vector(sink, "load.amplitude", "N", "force amplitude", LINES, amplitude);
  put_vector(sink, "load.angular_frequency", "rad/s", "angular_frequency of the load", POINTS,
             angular_frequency);
  put_grid(sink, "belt.tension.mean", "N", "mean tension", mean);
  put_grid(sink, "belt.tension.range", "N", "range of the tension", range);
  put_grid(sink, "converged", "1", "1 if the orbit was found", found);
  need(sink->array(sink, (cap_column){"belt.tension.range.stuck", "N", "linear limit, stuck"}, 1,
                   (int64_t[]){POINTS}, "load.angular_frequency", limit));
  need(sink->close(sink));
}

static void make_full(void)
{
  static const char *const settings[] = {"load.amplitude=54 N"};
  const cap_results_meta meta = {
      .drive = "belt-tensioner-mass",
      .name = "belt and tensioner, harmonic load",
      .model = "capstan: 1\nname: belt and tensioner\ndrive: belt-tensioner-mass\n",
      .nsetting = 1,
      .settings = settings,
      .seed = 7};
  cap_results *results = start("full", &meta);
  cap_sink *sink = cap_results_sink(results);
  fill_modes(sink);
  fill_transient(sink);
  fill_response(sink);
  finish(results, "full", true);
}

static void make_identify(void)
{
  cap_results *results = start("identify",
                               &(cap_results_meta){.drive = "identify", .name = "loop.csv", .model = ""});
  fill_identification(cap_results_sink(results));
  finish(results, "identify", true);
}

/* One row in 300 000 is a peak: thinning must not lose it. */
static void make_long(void)
{
  const cap_results_meta meta = {
      .drive = "clearance-oscillator", .name = "long run with one impact", .model = "capstan: 1\n"};
  const cap_column columns[] = {
      {"time", "s", "time"}, {"impact.force", "N", "force of the impact"}, {"x", "m", "position"}};
  cap_results *results = start("long", &meta);
  cap_sink *sink = cap_results_sink(results);
  double *rows = malloc(LONG_ROWS * 3 * sizeof *rows);
  if (!rows) exit(1);
  for (int i = 0; i < LONG_ROWS; i++) {
    rows[3 * i] = 1e-4 * i;
    rows[3 * i + 1] = i == SPIKE_ROW ? 4321 : sin(0.01 * i);
    rows[3 * i + 2] = 1e-3 * cos(0.003 * i);
  }
  need(sink->open(sink, "transient", "transient", "Transient"));
  need(sink->columns(sink, 3, columns));
  need(sink->rows(sink, LONG_ROWS, rows));
  need(sink->close(sink));
  free(rows);
  finish(results, "long", true);
}

/* More channels than a page can hold row by row; in channel.42 one row is a peak. */
static void make_wide(void)
{
  const cap_results_meta meta = {
      .drive = "accessory-drive", .name = "many channels", .model = "capstan: 1\n"};
  static char names[WIDE_CHANNELS][24];
  cap_column columns[WIDE_CHANNELS] = {{"time", "s", "time"}};
  for (int c = 1; c < WIDE_CHANNELS; c++) {
    snprintf(names[c], sizeof names[c], "channel.%d", c);
    columns[c] = (cap_column){names[c], c % 2 ? "N" : "m", ""};
  }
  cap_results *results = start("wide", &meta);
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "transient", "transient", "Transient"));
  need(sink->columns(sink, WIDE_CHANNELS, columns));
  for (int i = 0; i < WIDE_ROWS; i++) {
    double row[WIDE_CHANNELS] = {1e-4 * i};
    for (int c = 1; c < WIDE_CHANNELS; c++) row[c] = sin(0.001 * c * i + c);
    if (i == 20011) row[42] = 17;
    need(sink->rows(sink, 1, row));
  }
  need(sink->close(sink));
  finish(results, "wide", true);
}

/* Interrupted before the first row, and texts that try to leave their place. */
static void make_odd(void)
{
  const cap_results_meta meta = {
      .drive = "tensioner-rig",
      .name = "</script><script>document.title='broken'</script>\"\\ \x80",
      .model = "capstan: 1\nloop: {file: /home/somebody/data/loop.csv}\n# <!-- -->\n"};
  const cap_column columns[] = {{"time", "s", "time"}, {"force", "N", "force"}};
  cap_results *results = start("odd", &meta);
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "transient", "transient", "<b>Transient</b>"));
  need(sink->columns(sink, 2, columns));
  need(sink->close(sink));
  finish(results, "odd", false);
}

static void make_empty(void)
{
  cap_results *results = start(
      "empty", &(cap_results_meta){.drive = "tensioner-rig", .name = "nothing yet", .model = ""});
  finish(results, "empty", false);
}

/* Shapes that no analysis stores today, and that a page must bear: falling abscissa, one column, nothing
 * finite, three parameters, axes that are not there. */
static void make_strange(void)
{
  cap_results *results = start("strange",
                               &(cap_results_meta){.drive = "variator", .name = "strange", .model = ""});
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "falling", "statics", ""));
  need(sink->columns(sink, 3,
                     (cap_column[]){{"speed", "rad/s", ""}, {"none", "N", ""}, {"constant", "furlong", ""}}));
  for (int i = 0; i < 50; i++) need(sink->rows(sink, 1, (double[]){100 - i, i % 2 ? NAN : INFINITY, 3}));
  need(sink->close(sink));
  need(sink->open(sink, "single", "statics", ""));
  need(sink->columns(sink, 1, (cap_column[]){{"time", "s", ""}}));
  for (int i = 0; i < 50; i++) need(sink->rows(sink, 1, (double[]){i}));
  need(sink->close(sink));
  need(sink->open(sink, "summary", "transient", "same name as a part of the page"));
  need(sink->columns(sink, 2, (cap_column[]){{"time", "s", ""}, {"none", "N", ""}}));
  for (int i = 0; i < 50; i++) need(sink->rows(sink, 1, (double[]){i, NAN}));
  need(sink->close(sink));
  double values[24];
  for (int i = 0; i < 24; i++) values[i] = i * i;
  need(sink->open(sink, "cube", "response", ""));
  put_vector(sink, "a", "N", "first", 2, values);
  put_vector(sink, "b", "m", "second", 3, values);
  put_vector(sink, "c", "rad/s", "third", 4, values);
  need(sink->array(sink, (cap_column){"abc", "J", "of three"}, 3, (int64_t[]){2, 3, 4}, "a,b,c", values));
  need(sink->array(sink, (cap_column){"lost", "J", "without axes"}, 2, (int64_t[]){6, 4}, "x,y", values));
  need(sink->array(sink, (cap_column){"nothing", "J", "empty"}, 2, (int64_t[]){0, 4}, NULL, values));
  need(sink->close(sink));
  finish(results, "strange", true);
}

/* What rounding leaves of zero: up to `size`, of either sign. */
static double noise(int i, double size)
{
  return size * sin(1e4 * i + 0.3) * sin(7e3 * i * i);
}

/* A blade on an incline, started at rest with spin: a cycloid across the slope, longer than it is high. Its
 * contact is below the centre; the velocity of the constraint is rounding. */
static void fill_blade(cap_sink *sink)
{
  static const cap_column columns[] = {
      {"time", "s", "time"},
      {"blade.x", "m", "centre, downhill"},
      {"blade.y", "m", "centre, across the slope"},
      {"blade.heading", "rad", "heading"},
      {"blade.vx", "m/s", "velocity of the centre, downhill"},
      {"blade.vy", "m/s", "velocity of the centre, across the slope"},
      {"blade.angular_velocity", "rad/s", "rate of the heading"},
      {"blade.force.sideways", "N", "contact force that resists the velocity \"sideways\""},
      {"blade.slip.sideways", "m/s", "velocity of the contact, \"sideways\""},
      {"blade.contact.x", "m", "point of contact, downhill"},
      {"blade.contact.y", "m", "point of contact, across the slope"},
  };
  enum { N = sizeof columns / sizeof *columns, BLADE_ROWS = 1001 };
  const double w = 2, g = 9.81 * sin(0.2);
  need(sink->open(sink, "transient", "transient", "motion over time"));
  need(sink->columns(sink, N, columns));
  for (int i = 0; i < BLADE_ROWS; i++) {
    double t = 0.01 * i, phi = w * t, s = sin(phi), c = cos(phi);
    double x = g / (2 * w * w) * s * s, y = g / (2 * w * w) * (phi - s * c), v = g / w * s;
    double row[N] = {t, x, y, phi, v * c, v * s, w + noise(i, 2e-14), 2 * g * s, noise(i, 3e-16), x, y};
    need(sink->rows(sink, 1, row));
  }
  const cap_balance_line lines[] = {{"surface", "input", 2e-15},
                                    {"stored energy", "stored", -1e-12},
                                    {"residual", "residual", 1.002e-12},
                                    {"energy converted or in motion", "scale", 0.5}};
  need(sink->balance(sink, 4, lines));
  need(sink->close(sink));
}

/* Two discs on circles, their contacts on larger ones, which slip visibly. */
static void fill_discs(cap_sink *sink)
{
  static const char *const ends[] = {"x", "y", "contact.x", "contact.y", "force.normal", "slip.normal"};
  static const char *const units[] = {"m", "m", "m", "m", "N", "m/s"};
  static char names[2][6][32];
  cap_column columns[13] = {{"time", "s", "time"}};
  for (int d = 0; d < 2; d++)
    for (int k = 0; k < 6; k++) {
      snprintf(names[d][k], sizeof names[d][k], "disc%d.%s", d + 1, ends[k]);
      columns[1 + 6 * d + k] = (cap_column){names[d][k], units[k], ""};
    }
  need(sink->open(sink, "discs", "transient", "discs"));
  need(sink->columns(sink, 13, columns));
  for (int i = 0; i < 400; i++) {
    double t = 0.01 * i, row[13] = {t};
    for (int d = 0; d < 2; d++) {
      double *at = row + 1 + 6 * d, c = cos(1.2 * t), s = sin(1.2 * t);
      at[0] = 1.5 * d + 0.5 * c;
      at[1] = 0.5 * s;
      at[2] = 1.5 * d + 0.6 * c;
      at[3] = 0.6 * s;
      at[4] = -9.81 + 0.1 * c;
      at[5] = 1e-4 * s;
    }
    need(sink->rows(sink, 1, row));
  }
  need(sink->close(sink));
}

static void make_rolling(void)
{
  const cap_results_meta meta = {.drive = "some-drive", .name = "bodies that roll", .model = "capstan: 1\n"};
  cap_results *results = start("rolling", &meta);
  fill_blade(cap_results_sink(results));
  fill_discs(cap_results_sink(results));
  finish(results, "rolling", true);
}

/* Errors of order two in epsilon with critical damping, down to a floor; without damping the layer never
 * ends. Epsilons fall, as a user gives them. */
static void make_convergence(void)
{
  static const cap_column columns[] = {
      {"epsilon", "1", "small parameter"},
      {"damping_ratio", "1", "damping ratio"},
      {"position_error", "1", "largest error of a position"},
      {"velocity_error", "1", "largest error of a velocity"},
      {"force_error", "1", "largest error of a force"},
      {"constraint_velocity", "m/s", "largest velocity of a row"},
      {"position_floor", "1", "what the position error may be wrong by"},
      {"velocity_floor", "1", "what the velocity error may be wrong by"},
      {"force_floor", "1", "what the force error may be wrong by"},
      {"layer_force_error", "1", "largest error of a force within the layer"},
      {"angular_frequency", "rad/s", "angular_frequency within the layer"},
      {"angular_frequency_predicted", "rad/s", "angular_frequency that the layer's equation has"},
      {"steps", "1", "time steps"},
  };
  enum { N = sizeof columns / sizeof *columns, EPSILONS = 5, RATIOS = 2 };
  cap_results *results = start("convergence",
                               &(cap_results_meta){.drive = "some-drive", .name = "limit", .model = ""});
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "convergence", "convergence", "viscoelastic against ideal"));
  need(sink->columns(sink, N, columns));
  for (int r = 0; r < RATIOS; r++)
    for (int k = 0; k < EPSILONS; k++) {
      double e = pow(10, -1 - k), d = r ? 1 : 0, none = r ? 0 : NAN;
      double row[N] = {e,
                       d,
                       3 * e * e + none,
                       e * e + 1e-8 + none,
                       2 * e * e + none,
                       e * e + none,
                       1e-13,
                       1e-8,
                       1e-13,
                       0.8,
                       r ? NAN : 1.001 / e,
                       r ? NAN : 1 / e,
                       500};
      need(sink->rows(sink, 1, row));
    }
  need(sink->text(sink, "parameter", "contact.epsilon"));
  need(sink->text(sink, "method", "cvode"));
  put_vector(sink, "damping_ratios", "1", "damping ratios", RATIOS, (double[]){0, 1});
  static const char *const kinds[] = {"position", "velocity", "force"};
  for (int k = 0; k < 3; k++) {
    char name[32];
    snprintf(name, sizeof name, "order.%s", kinds[k]);
    need(sink->array(sink, (cap_column){name, "1", ""}, 1, (int64_t[]){RATIOS}, "damping_ratios",
                     (double[]){NAN, 2}));
    snprintf(name, sizeof name, "used.%s", kinds[k]);
    need(sink->array(sink, (cap_column){name, "1", ""}, 1, (int64_t[]){RATIOS}, "damping_ratios",
                     (double[]){0, k == 1 ? 3 : 5}));
  }
  need(sink->close(sink));
  finish(results, "convergence", true);
}

/* Three responses, each a bump whose flank is unstable, with a curve of folds over them and a backbone. */
static void make_surface(void)
{
  const cap_results_meta meta = {.drive = "clearance-oscillator", .name = "surface", .model = ""};
  cap_results *results = start("surface", &meta);
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "response", "response", "steady orbits"));
  need(sink->columns(sink, 6,
                     (cap_column[]){{"forcing.angular_frequency", "rad/s", "angular_frequency"},
                                    {"load.amplitude", "N", "force amplitude"},
                                    {"branch", "1", "branch"},
                                    {"kind", "1", "kind"},
                                    {"multiplier", "1", "multiplier"},
                                    {"gear.position.rms_ac", "m", "rms of the position"}}));
  for (int k = 1; k <= 3; k++)
    for (int i = 0; i <= 100; i++) {
      double p = 0.5 + 0.01 * i, y = 0.1 * k * exp(-40.0 * (p - 1.0) * (p - 1.0));
      need(sink->rows(sink, 1,
                      (double[]){p, 0.01 * k, k, i == 50 || i == 60, i > 50 && i < 60 ? 2.0 : 0.5, y}));
    }
  need(sink->close(sink));
  need(sink->open(sink, "folds", "folds", "folds"));
  need(sink->columns(sink, 6,
                     (cap_column[]){{"forcing.angular_frequency", "rad/s", "angular_frequency"},
                                    {"load.amplitude", "N", "force amplitude"},
                                    {"curve", "1", "curve"},
                                    {"kind", "1", "kind"},
                                    {"bifurcation", "1", "bifurcation"},
                                    {"gear.position.rms_ac", "m", "rms of the position"}}));
  for (int i = 0; i <= 40; i++)
    need(sink->rows(sink, 1,
                    (double[]){1.0 + 0.05 * (i / 40.0), 0.01 + 0.02 * fabs(i / 20.0 - 1.0), 1, i == 20, 1,
                               0.1 + 0.2 * fabs(i / 20.0 - 1.0)}));
  need(sink->text(sink, "curve.1.start", "fold of main at 1"));
  need(sink->close(sink));
  need(sink->open(sink, "backbone", "backbone", "nonlinear modes"));
  need(sink->columns(sink, 5,
                     (cap_column[]){{"amplitude", "m", "amplitude"},
                                    {"mode", "1", "mode"},
                                    {"angular_frequency", "rad/s", "angular_frequency"},
                                    {"kind", "1", "kind"},
                                    {"gear.position.rms_ac", "m", "rms of the position"}}));
  for (int i = 1; i <= 60; i++)
    need(sink->rows(sink, 1, (double[]){0.01 * i, 1, 1.0 + 0.001 * i, 0, 0.007 * i}));
  need(sink->close(sink));
  finish(results, "surface", true);
}

/* Two attractors, of one period and of two, side by side in the plane of states; a response of two
 * branches. */
static void make_steady(void)
{
  enum { NX = 6, NY = 4, POINTS_OF_BRANCH = 5 };
  cap_results_meta meta = {.drive = "clearance-oscillator", .name = "steady motions", .model = ""};
  cap_results *results = start("steady", &meta);
  cap_sink *sink = cap_results_sink(results);
  double x[NX], y[NY], which[NX * NY];
  for (int i = 0; i < NX; i++) x[i] = -0.5 + 0.2 * i;
  for (int i = 0; i < NY; i++) y[i] = -0.3 + 0.2 * i;
  for (int i = 0; i < NX * NY; i++) which[i] = i % NX < 4 ? 1 : 2;
  need(sink->open(sink, "basins", "basins", "basins of attraction"));
  put_vector(sink, "gear.position", "m", "position", NX, x);
  put_vector(sink, "gear.velocity", "m/s", "velocity", NY, y);
  need(sink->array(sink, (cap_column){"attractor", "1", "number of the attractor that is reached"}, 2,
                   (int64_t[]){NY, NX}, "gear.velocity,gear.position", which));
  put_vector(sink, "attractors", "1", "number of the attractor", 2, (double[]){1, 2});
  static const struct {
    const char *name;
    double values[2];
  } lists[] = {{"attractor.period", {1, 2}},
               {"attractor.share", {16.0 / 24.0, 8.0 / 24.0}},
               {"gear.position.max", {0.3, 0.4}}};
  for (int k = 0; k < 3; k++)
    need(sink->array(sink, (cap_column){lists[k].name, k < 2 ? "1" : "m", lists[k].name}, 1, (int64_t[]){2},
                     "attractors", lists[k].values));
  put_vector(sink, "strobe.attractor", "1", "number of the attractor", 3, (double[]){1, 2, 2});
  put_vector(sink, "strobe.gear.position", "m", "position", 3, (double[]){-0.2, 0.4, 0.5});
  put_vector(sink, "strobe.gear.velocity", "m/s", "velocity", 3, (double[]){0.1, 0.0, -0.2});
  need(sink->close(sink));
  need(sink->open(sink, "response", "response", "steady orbits vs a parameter"));
  need(sink->columns(sink, 6,
                     (cap_column[]){{"forcing.angular_frequency", "rad/s", "angular_frequency"},
                                    {"family", "1", "member of the family"},
                                    {"branch", "1", "number of the branch"},
                                    {"kind", "1", "what it is"},
                                    {"multiplier", "1", "largest modulus of the Floquet multipliers"},
                                    {"gear.position.rms_ac", "m", "rms about the mean of position"}}));
  for (int b = 1; b <= 2; b++)
    for (int k = 0; k < POINTS_OF_BRANCH; k++)
      need(sink->rows(sink, 1,
                      (double[]){0.5 + 0.1 * k, 0, b, k == 3, k > 3 ? 1.2 : 0.5, 0.1 * b + 0.01 * k}));
  put_vector(sink, "branches", "1", "number of the branch", 2, (double[]){1, 2});
  static const struct {
    const char *name;
    double values[2];
  } arrays[] = {{"branch.period", {1, 2}},
                {"branch.closed", {0, 1}},
                {"branch.from", {0.5, 0.5}},
                {"branch.to", {0.9, 0.9}},
                {"branch.stable", {0.8, 0.8}}};
  for (int k = 0; k < 5; k++)
    need(sink->array(sink, (cap_column){arrays[k].name, "1", arrays[k].name}, 1, (int64_t[]){2}, "branches",
                     arrays[k].values));
  need(sink->text(sink, "branch.1.name", "main"));
  need(sink->text(sink, "branch.2.name", "period-2-1"));
  need(sink->text(sink, "branch.2.found", "random state 17 at 0.62"));
  need(sink->close(sink));
  finish(results, "steady", true);
}

/* A row of a response that was followed: every second point and the special ones were looked
 * for by shooting. */
typedef struct followed {
  cap_sink *sink;
  int index, verified, confirmed;
} followed;

static void put_point(followed *f, int branch, int kind, bool unstable, double p, double y)
{
  bool asked = f->index % 2 == 0 || kind != 0;
  bool lost = branch == 1 && f->index == 6;    /* no orbit found */
  bool another = branch == 3 && f->index == 2; /* one that is not the same */
  f->verified += asked;
  f->confirmed += asked && !lost && !another;
  need(f->sink->rows(f->sink, 1,
                     (double[]){p, 0, branch, kind, unstable ? 1.5 : 0.5, unstable, 12,
                                asked && !lost ? (another ? 0.02 : 1e-4 * branch) : NAN,
                                asked && !lost && !another ? 1e-6 : NAN, 0.3 * y, y}));
  f->index++;
}

/* Three branches: one through two folds with a period doubling, what springs from it, and a closed one whose
 * folds have nearly the same place. */
static void fill_branches(cap_sink *sink)
{
  enum { MAIN = 61, DOUBLED = 12, CLOSED = 20 };
  followed f = {.sink = sink};
  need(sink->open(sink, "response", "response", "steady orbits vs a parameter"));
  need(sink->columns(sink, 11,
                     (cap_column[]){{"forcing.angular_frequency", "rad/s", "angular_frequency"},
                                    {"family", "1", "member of the family"},
                                    {"branch", "1", "number of the branch"},
                                    {"kind", "1", "what it is"},
                                    {"multiplier", "1", "largest modulus of the Floquet multipliers"},
                                    {"unstable", "1", "number of multipliers outside"},
                                    {"harmonics", "1", "harmonics"},
                                    {"distance", "1", "distance to the orbit by shooting"},
                                    {"multiplier_distance", "1", "difference of the multipliers"},
                                    {"gear.position.mean", "m", "mean position"},
                                    {"gear.position.rms_ac", "m", "rms about the mean of position"}}));
  for (int i = 0; i < MAIN; i++) { /* up to 1, back to 0.7, on to 1.5 */
    double p = i <= 20 ? 0.5 + 0.025 * i : i <= 40 ? 1.0 - 0.015 * (i - 20) : 0.7 + 0.04 * (i - 40);
    int kind = i == 20 || i == 40 ? 1 : i == 53 ? 3 : 0;
    put_point(&f, 1, kind, i >= 20 && i < 40, p, 0.1 + 0.005 * i);
  }
  f.index = 0;
  for (int i = 0; i < DOUBLED; i++) put_point(&f, 2, i == 5 ? 4 : 0, i > 5, 1.22 + 0.01 * i, 0.37 + 0.01 * i);
  f.index = 0;
  for (int i = 0; i < CLOSED; i++) {
    double angle = 2.0 * acos(-1.0) * i / CLOSED;
    put_point(&f, 3, i % 10 == 0, i > 10, 0.6 - 0.00002 * cos(angle), 0.35 + 0.05 * sin(angle));
  }
  static const struct {
    const char *name;
    double values[3];
  } arrays[] = {{"branch.family", {0, 0, 0}},          {"branch.period", {1, 2, 1}},
                {"branch.parent", {0, 1, 0}},          {"branch.closed", {0, 0, 1}},
                {"branch.from", {0.5, 1.22, 0.59998}}, {"branch.to", {1.5, 1.33, 0.60002}},
                {"branch.stable", {0.672, 0.5, 0.5}}};
  put_vector(sink, "branches", "1", "number of the branch", 3, (double[]){1, 2, 3});
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    need(sink->array(sink, (cap_column){arrays[k].name, "1", arrays[k].name}, 1, (int64_t[]){3}, "branches",
                     arrays[k].values));
  put_number(sink, "verified", "1", "number of orbits verified by shooting", f.verified);
  put_number(sink, "confirmed", "1", "number of orbits confirmed by shooting", f.confirmed);
  put_number(sink, "stability.differs", "1", "with another stability", 1);
  put_number(sink, "distance.largest", "1", "largest distance", 3e-4);
  static const char *const texts[][2] = {{"method", "harmonic-balance"},
                                         {"branch.1.name", "main"},
                                         {"branch.1.found", "from the first value of the sweep"},
                                         {"branch.1.ends", "limit of the range at 1.5"},
                                         {"branch.2.name", "period-2-1"},
                                         {"branch.2.found", "period doubling of main at 1.220000123"},
                                         {"branch.3.name", "detached-1"},
                                         {"branch.3.found", "random state 17 at 0.6"},
                                         {"branch.3.ends", "closed curve"},
                                         {"family.1.verify", "at 0.65: no orbit found"},
                                         {"family.1.search", "chaotic at 1 of 30 values"}};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) need(sink->text(sink, texts[k][0], texts[k][1]));
  need(sink->close(sink));
}

static void make_branches(void)
{
  const cap_results_meta meta = {.drive = "clearance-oscillator", .name = "branches", .model = ""};
  cap_results *results = start("branches", &meta);
  fill_branches(cap_results_sink(results));
  finish(results, "branches", true);
}

static void make_atlas(void)
{
  static const char json[] =
      "[{\"id\":\"one\",\"title\":\"A curve\",\"source\":\"Paper, Fig. 1\",\"claims\":["
      "{\"id\":\"a\",\"text\":\"It peaks\",\"value\":65.1,\"unit\":\"rad/s\",\"expected\":\"65.3 +- "
      "1%\",\"holds\":true},"
      "{\"id\":\"b\",\"text\":\"It "
      "<b>ends</b>\",\"value\":null,\"expected\":\"yes\",\"holds\":false,\"note\":\"It goes on.\"}],"
      "\"series\":[{\"name\":\"curve\",\"x\":{\"name\":\"angular_frequency\",\"unit\":\"rad/"
      "s\",\"values\":[1,2,3,4]},"
      "\"y\":{\"name\":\"range\",\"unit\":\"N\",\"values\":[1,4,null,2]}}],\"wall_s\":0.7},"
      "{\"id\":\"two\",\"title\":\"A loop\",\"claims\":[],\"series\":[{\"name\":\"loop\","
      "\"x\":{\"name\":\"deflection\",\"unit\":\"m\",\"values\":[0,0.001,0.002,0.001,0]},"
      "\"y\":{\"name\":\"force\",\"unit\":\"N\",\"values\":[0,10,20,15,0]}}],\"wall_s\":0.1}]";
  need(cap_report_series_page(place("atlas", "html"), json, &error));
}

/* An entry with two panels of branches, one curve of which is in both. */
static void make_atlas_branches(void)
{
  static const char json[] =
      "{\"id\":\"kim\",\"title\":\"Branches\",\"source\":\"Paper, Fig. 4\",\"note\":\"Twelve "
      "harmonics.\",\"claims\":["
      "{\"id\":\"a\",\"text\":\"It folds\",\"value\":2,\"expected\":\"= 2\",\"holds\":true}],\"series\":["
      "{\"name\":\"g1 sigma=10 main\",\"curve\":\"g1 sigma=10\",\"branch\":\"main\",\"panels\":[\"g1\"],"
      "\"x\":{\"name\":\"Omega\",\"unit\":\"rad/s\",\"values\":[0.1,0.9,0.8,0.6,1.6]},"
      "\"y\":{\"name\":\"rms\",\"unit\":\"m\",\"values\":[0.01,0.04,0.1,0.16,0.01]},"
      "\"stable\":[true,true,false,false,true],"
      "\"folds\":[{\"x\":0.9,\"y\":0.04},{\"x\":0.6,\"y\":0.16}]},"
      "{\"name\":\"g1 sigma=10 detached-1\",\"curve\":\"g1 "
      "sigma=10\",\"branch\":\"detached-1\",\"panels\":[\"g1\"],"
      "\"x\":{\"name\":\"Omega\",\"unit\":\"rad/s\",\"values\":[0.3,0.4,0.3]},"
      "\"y\":{\"name\":\"rms\",\"unit\":\"m\",\"values\":[0.08,0.05,0.06]},\"stable\":[true,true,false],"
      "\"folds\":[]},"
      "{\"name\":\"exact main\",\"curve\":\"exact\",\"branch\":\"main\",\"panels\":[\"g1\",\"g2\"],"
      "\"x\":{\"name\":\"Omega\",\"unit\":\"rad/s\",\"values\":[0.1,0.8,1.6]},"
      "\"y\":{\"name\":\"rms\",\"unit\":\"m\",\"values\":[0.01,0.15,0.02]},\"stable\":[true,true,true],"
      "\"folds\":[]}],"
      "\"wall_s\":0.2}";
  need(cap_report_series_page(place("atlas-branches", "html"), json, &error));
}

/* Errors over decades of a parameter, from large to small. */
static void make_atlas_limit(void)
{
  const char
      *json = "{\"id\":\"x-limit\",\"title\":\"A limit\",\"claims\":[],\"series\":["
              "{\"name\":\"error\",\"panels\":[\"limit\"],"
              "\"x\":{\"name\":\"epsilon\",\"unit\":\"\",\"values\":[0.1,0.01,0.001,0.0001]},"
              "\"y\":{\"name\":\"error\",\"unit\":\"\",\"values\":[0.01,0.0001,1e-6,1e-8]}}],\"wall_s\":0.2}";
  need(cap_report_series_page(place("atlas-limit", "html"), json, &error));
}

/* What the program computes of a model of this folder. */
static void make_run(const char *name)
{
  char model[512];
  cap_model_file *file;
  cap_diag diag;
  const cap_execute_options options = {.threads = 1};
  snprintf(model, sizeof model, "%s/tests/web/%s.yaml", CAPSTAN_SOURCE_DIR, name);
  if (cap_model_file_read(model, 0, NULL, &file, &diag) != CAP_OK) {
    fprintf(stderr, "pages: %s: %s\n", name, diag.nitem ? diag.items[0].text : "cannot be read");
    exit(1);
  }
  need(cap_execute_file(file, place(name, "h5"), &options, NULL, 0, &error));
  cap_model_file_free(file);
  cap_diag_free(&diag);
  need(cap_report_write(place(name, "h5"), place(name, "html"), &error));
}

/* A variator whose curves are known; and one whose power balance does not close,
 * in less than a turnaround. */
static void make_variator(const char *name, double until, double residual)
{
  const cap_results_meta meta = {.drive = "variator", .name = "variator", .model = "capstan: 1\n"};
  synthetic y = synthetic_default();
  synthetic_run run = synthetic_compute(&y, 10, until, residual);
  need(run.status);
  cap_results *results = start(name, &meta);
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "transient", "transient", "motion over time"));
  need(cap_variator_output_put(sink, &run.figures, &run.curves, &run.record.track, NULL, &error));
  need(sink->close(sink));
  finish(results, name, true);
  synthetic_release(&run);
}

/* Figures of six stationary points, the last of which slips: along `axis`. */
static void put_points(cap_sink *sink, const char *axis)
{
  enum { N = 6 };
  static const struct {
    const char *name, *unit;
    double values[N];
  } lists[] = {{"point.end", "1", {0, 0, 0, 0, 0, 2}},
               {"mean.ratio.speed", "1", {2.44, 2.441, 2.442, 2.464, 2.47, 3.1}},
               {"error.ratio.speed", "1", {0.001, 0.001, 0.001, 0.004, 0.001, 0.2}},
               {"mean.ratio.thrust", "1", {0.7, 0.75, 0.8, 0.9, 0.95, 0.5}},
               {"error.ratio.thrust", "1", {0.01, 0.01, 0.01, 0.03, 0.01, 0.1}},
               {"continuum.thrust_ratio", "1", {0.8, 0.85, 0.9, 0.95, 1.0, 0}},
               {"mean.upper.push", "N", {0, 10, 50, 700, 1500, 1700}},
               {"mean.lower.push", "N", {600, 400, 100, 10, 0, 0}}};
  static const cap_column columns[] = {{"time", "s", "time, all points in sequence"},
                                       {"point", "1", "number of the point"},
                                       {"ratio.thrust", "1", "thrust ratio"},
                                       {"upper.push", "N", "push force"}};
  need(sink->columns(sink, 4, columns));
  for (int i = 0; i < 50 * N; i++)
    need(sink->rows(
        sink, 1,
        (double[]){1e-3 * i, i / 50, 0.7 + 0.1 * (i / 50) + 1e-3 * (i % 7), 100.0 * (i / 50) + i % 5}));
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    need(sink->array(sink, (cap_column){lists[k].name, lists[k].unit, lists[k].name}, 1, (int64_t[]){N}, axis,
                     lists[k].values));
}

/* Stationary points of a variator along a torque, and as cases. */
static void make_stationary(void)
{
  const cap_results_meta meta = {.drive = "variator", .name = "stationary points", .model = "capstan: 1\n"};
  cap_results *results = start("stationary", &meta);
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "stationary", "stationary", "stationary points"));
  put_vector(sink, "over.secondary.torque", "N m", "parameter", 6, (double[]){0, -20, -40, -60, -180, -200});
  put_points(sink, "over.secondary.torque");
  need(sink->text(sink, "points",
                  "torque = 0 N m\ntorque = -20 N m\ntorque = -40 N m\ntorque = -60 N m\ntorque = -180 N "
                  "m\ntorque = -200 N m"));
  need(sink->close(sink));
  need(sink->open(sink, "stationary", "stationary", "stationary points"));
  put_vector(sink, "case", "1", "number of the case", 6, (double[]){0, 1, 2, 3, 4, 5});
  put_points(sink, "case");
  need(sink->text(sink, "points", "BC01\nBC02\nBC03\nBC04\nBC05\nBC06"));
  need(sink->close(sink));
  finish(results, "stationary", true);
}

/* A shaft that runs up from 600 to 3000 rpm in 4 s; the tension has 20 N at its second order and 8 N at its
 * fourth. */
static void make_runup(void)
{
  enum { N = 8001 };
  static const cap_column columns[] = {{"time", "s", "time"},
                                       {"crank.speed", "rad/s", "speed of the crank"},
                                       {"belt.tension", "N", "tension"}};
  cap_results *results = start(
      "runup", &(cap_results_meta){.drive = "accessory-drive", .name = "run-up", .model = "capstan: 1\n"});
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "transient", "transient", "Run-up"));
  need(sink->columns(sink, 3, columns));
  for (int i = 0; i < N; i++) {
    double t = 5e-4 * i, from = 20 * acos(-1), rate = 80 * acos(-1) / 4;
    double angle = from * t + 0.5 * rate * t * t;
    need(sink->rows(sink, 1, (double[]){t, from + rate * t, 400 + 20 * sin(2 * angle) + 8 * sin(4 * angle)}));
  }
  need(sink->close(sink));
  finish(results, "runup", true);
}

static void make_variator_fine(void)
{
  make_variator("variator", 0.15, 0.0);
}

static void make_variator_off(void)
{
  make_variator("variator-off", 0.01, 5.0);
}

static void make_drive(void)
{
  make_run("drive");
}

static void make_segments(void)
{
  make_run("segments");
}

/* A maker stands with each page that it writes. */
static const struct {
  const char *name;
  void (*make)(void);
} makers[] = {
    {"full", make_full},
    {"identify", make_identify},
    {"long", make_long},
    {"wide", make_wide},
    {"odd", make_odd},
    {"empty", make_empty},
    {"strange", make_strange},
    {"rolling", make_rolling},
    {"convergence", make_convergence},
    {"surface", make_surface},
    {"steady", make_steady},
    {"branches", make_branches},
    {"atlas", make_atlas},
    {"atlas-branches", make_atlas_branches},
    {"atlas-limit", make_atlas_limit},
    {"variator", make_variator_fine},
    {"variator-off", make_variator_off},
    {"stationary", make_stationary},
    {"runup", make_runup},
    {"drive", make_drive},
    {"segments", make_segments},
    {"study", make_study},
    {"study-tolerance", make_study_tolerance},
    {"study-grid", make_study_grid},
    {"study-one", make_study_one},
    {"study-pareto", make_study_pareto},
    {"study-many", make_study_many},
    {"study-failed", make_study_failed},
};

static bool wanted(const char *name, int nname, char **names)
{
  for (int i = 0; i < nname; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return nname == 0;
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    fprintf(stderr, "usage: pages FOLDER [NAME...]\n");
    return 2;
  }
  folder = argv[1];
  int made = 0;
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
    if (!wanted(makers[i].name, argc - 2, argv + 2)) continue;
    makers[i].make();
    made++;
  }
  if (argc > 2 && made != argc - 2) {
    fprintf(stderr, "pages: a page of these names is not among those that are made\n");
    return 2;
  }
  return 0;
}
