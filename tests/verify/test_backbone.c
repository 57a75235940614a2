/* Nonlinear modes against closed forms: Duffing's oscillator (elliptic integrals), a gap (arcs and flights),
 * linear damping, a slider (loop area); exact tangents of the problem; condensed against kept coordinates;
 * and backbones through the peaks of forced responses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/system.h"

#include "../support/run.h"
#include "elements/elements.h"
#include "hb/hb_mode.h"
#include "model/builder.h"

#define HEAD                                                                                                 \
  "capstan: 1\nname: t\ndrive: clearance-oscillator\nforcing: {angular_frequency: 1 rad/s}\n"                \
  "outputs: {channels: [a.position]}\n"

typedef struct curve {
  int64_t n;
  double *mode, *amplitude, *angular_frequency, *ratio, *energy, *kind, *high, *rms;
} curve;

static curve run(const char *text)
{
  curve c = {0};
  test_result r = test_result_run(text);
  c.mode = test_values(&r, "backbone", "mode", &c.n);
  c.amplitude = test_values(&r, "backbone", "amplitude", NULL);
  c.angular_frequency = test_values(&r, "backbone", "angular_frequency", NULL);
  c.ratio = test_values(&r, "backbone", "damping_ratio", NULL);
  c.energy = test_values(&r, "backbone", "energy", NULL);
  c.kind = test_values(&r, "backbone", "kind", NULL);
  c.high = test_values(&r, "backbone", "a.position.max", NULL);
  c.rms = test_values(&r, "backbone", "a.position.rms_ac", NULL);
  test_result_close(&r);
  return c;
}

static void release(curve *c)
{
  double *all[] = {c->mode, c->amplitude, c->angular_frequency, c->ratio, c->energy, c->kind,
                   c->high, c->rms};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

/* ---- Duffing ------------------------------------------------------------------------------------------- */

/* Complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic_k(double m)
{
  double a = 1.0, b = sqrt(1.0 - m);
  for (int k = 0; k < 12; k++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return M_PI / (2.0 * a);
}

/* x'' + x + eps x^3 = 0 */
static double duffing_angular_frequency(double eps, double amplitude)
{
  double square = eps * amplitude * amplitude, m = square / (2.0 * (1.0 + square));
  return M_PI * sqrt(1.0 + square) / (2.0 * elliptic_k(m));
}

static double duffing_error(double eps, const char *to, int harmonics, const char *damper)
{
  char text[1024];
  snprintf(text, sizeof text,
           HEAD "bodies: [{name: a, mass: 1 kg}]\n"
                "springs: [{from: a, stiffness: 1 N/m, cubic: %g N/m3%s}]\n"
                "analyses: [{backbone: {from: 1 mm, to: %s, harmonics: %d, points: 20}}]\n",
           eps, damper, to, harmonics);
  curve c = run(text);
  double worst = 0.0;
  assert_true(c.n >= 20);
  for (int64_t i = 0; i < c.n; i++) {
    double a = c.high[i], energy = 0.5 * a * a + 0.25 * eps * a * a * a * a;
    worst = fmax(worst, fabs(c.angular_frequency[i] / duffing_angular_frequency(eps, a) - 1.0));
    if (harmonics > 13) assert_true(fabs(c.energy[i] / energy - 1.0) < 1e-9);
    if (!*damper) assert_true(fabs(c.ratio[i]) < 1e-12);
    else assert_true(fabs(c.ratio[i] * c.angular_frequency[i] - 0.01) < 1e-12); /* c / 2 m */
  }
  release(&c);
  return worst;
}

static void duffing_has_the_period_of_elliptic_integrals(void **state)
{
  (void)state;
  double before = INFINITY;
  for (int h = 1; h <= 15; h += 2) { /* each odd harmonic is exp(-pi) of the one before */
    double error = duffing_error(0.5, "10 m", h, "");
    print_message(
        "  hardening, %2d harmonics: angular_frequency within %.1e up to six times the linear one\n", h,
        error);
    assert_true(error < 0.1 * before || error < 1e-12);
    before = error;
  }
  assert_true(before < 1e-10);
  double soft = duffing_error(-0.5, "1.2 m", 25, "");
  print_message("  softening, 25 harmonics: %.1e up to 0.9 of the saddle's deflection\n", soft);
  assert_true(soft < 1e-9);
  assert_true(duffing_error(0.5, "10 m", 15, ", damping: 0.02 N s/m") < 1e-10);
}

/* ---- a gap --------------------------------------------------------------------------------------------- */

/* Unit mass, stiffness 1 outside the gap +-b and alpha in it: a quarter of the period is an arc outside and
 * one inside (a flight for alpha = 0). */
static double gap_angular_frequency(double b, double alpha, double amplitude)
{
  if (amplitude <= b) return sqrt(alpha);
  double arm = amplitude - b + alpha * b, outside = acos(alpha * b / arm);
  double speed = sqrt(arm * arm - alpha * alpha * b * b), inner = sqrt(alpha);
  double inside = alpha > 0.0 ? atan(inner * b / speed) / inner : b / speed;
  return 0.5 * M_PI / (outside + inside);
}

static double gap_error(double alpha, const char *from, int harmonics)
{
  char text[1024];
  snprintf(text, sizeof text,
           HEAD "bodies: [{name: a, mass: 1 kg}]\n"
                "clearances: [{gap: {from: a, stiffness: 1 N/m, inner: %g, low: -0.5 m, high: 0.5 m}}]\n"
                "analyses: [{backbone: {from: %s, to: 10 m, harmonics: %d, points: 20}}]\n",
           alpha, from, harmonics);
  curve c = run(text);
  double worst = 0.0;
  assert_true(c.n >= 20 && fabs(c.amplitude[c.n - 1] - 10.0) < 1e-9);
  for (int64_t i = 0; i < c.n; i++)
    worst = fmax(worst, fabs(c.angular_frequency[i] / gap_angular_frequency(0.5, alpha, c.high[i]) - 1.0));
  release(&c);
  return worst;
}

static void a_gap_has_the_period_of_arcs_and_flights(void **state)
{
  (void)state;
  static const struct {
    double alpha;
    const char *from;
  } cases[] = {{0.18, "0.1 m"}, {0.0, "0.7 m"}};
  for (int k = 0; k < 2; k++) {
    double coarse = gap_error(cases[k].alpha, cases[k].from, 11);
    double middle = gap_error(cases[k].alpha, cases[k].from, 23);
    double fine = gap_error(cases[k].alpha, cases[k].from, 47);
    double order = log(middle / fine) / log(2.0);
    print_message(
        "  alpha = %.2f: angular_frequency within %.1e, %.1e, %.1e with 11, 23, 47 harmonics: order %.1f\n",
        cases[k].alpha, coarse, middle, fine, order);
    assert_true(order > 2.5); /* the acceleration has kinks: positions converge as H^-3 */
    assert_true(fine < 1e-4);
  }
}

/* ---- damping ------------------------------------------------------------------------------------------- */

/* A linear system is its own backbone, whichever coordinate is measured; nothing touches it but links. */
static void a_linear_system_keeps_angular_frequency_and_damping(void **state)
{
  (void)state;
  curve c = run(HEAD
                "bodies: [{name: a, mass: 1 kg}, {name: b, mass: 1 kg}]\n"
                "springs: [{from: a, stiffness: 1 N/m, damping: 0.02 N s/m}, {from: a, to: b, stiffness: "
                "1 N/m, damping: 0.02 N s/m}, {from: b, stiffness: 1 N/m, damping: 0.02 N s/m}]\n"
                "loads: [{on: a, harmonics: [{order: 30, amplitude: 1 N}]}]\n"
                "analyses: [{backbone: {modes: [2, 1], from: 1 mm, to: 10 m, harmonics: 3, points: 5}}]\n");
  int64_t seen[2] = {0, 0};
  for (int64_t i = 0; i < c.n; i++) { /* damping proportional to stiffness: ratio = 0.02 w / 2 */
    double w = c.mode[i] == 1 ? 1.0 : sqrt(3.0);
    seen[c.mode[i] == 1]++;
    assert_true(fabs(c.angular_frequency[i] - w) < 1e-12 && fabs(c.ratio[i] - 0.01 * w) < 1e-12);
    assert_true(fabs(c.energy[i] / (w * w * c.amplitude[i] * c.amplitude[i]) - 1.0) < 1e-11);
  }
  assert_true(seen[0] >= 5 && seen[1] >= 5);
  release(&c);
}

/* One mass on a spring k0 beside a slider (k, limit). */
static cap_model *slider_model(double k0, double k, double limit)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  double link[] = {k0, 0.0, 0.0};
  assert_non_null(b);
  int i = cap_builder_dof(b, "a", "m", 1.0, 0.0, 0.0);
  cap_builder_element(b, &cap_link_type, "spring", i, CAP_GROUND, link, NULL);
  cap_builder_slider(b, "slider", i, CAP_GROUND, k, limit, 0.0);
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  return m;
}

/* First harmonic of the loop over x = a cos: stiffness, and damping ratio from the area 4 limit (a - s). */
static void slider_closed_form(double k0, double k, double limit, double a, double *w, double *ratio)
{
  double s = limit / k, angle = a > s ? acos(1.0 - 2.0 * s / a) : M_PI;
  double stiffness = k0 + k / M_PI * (angle - 0.5 * sin(2.0 * angle));
  double area = a > s ? 4.0 * limit * (a - s) : 0.0;
  *w = sqrt(stiffness);
  *ratio = area / (2.0 * M_PI * stiffness * a * a);
}

typedef struct slider_check {
  cap_hb_mode *mode;
  double k0, k, limit, worst_w, worst_ratio, slip;
  int count;
} slider_check;

static bool check_slider_point(void *self, const cap_continuation_point *point)
{
  slider_check *c = self;
  double x[64], w, ratio, exact_w, exact_ratio;
  cap_hb_mode_read(c->mode, point->x, point->p, x, &w, &ratio);
  slider_closed_form(c->k0, c->k, c->limit, exp(point->p), &exact_w, &exact_ratio);
  c->worst_w = fmax(c->worst_w, fabs(w / exact_w - 1.0));
  c->worst_ratio = fmax(c->worst_ratio, fabs(ratio - exact_ratio));
  c->count++;
  return true;
}

static slider_check follow_slider(int harmonics, int samples)
{
  slider_check c = {.k0 = 1.0, .k = 0.5, .limit = 0.2};
  cap_model *m = slider_model(c.k0, c.k, c.limit);
  cap_hb_settings settings = {harmonics, samples, 1};
  cap_hb *hb;
  cap_hb_mode mode;
  cap_error error = {0};
  double one = 1.0, zero = 0.0, *y;
  cap_hb_mode_linear linear = {.angular_frequency = sqrt(1.5), .shape = &one, .weight = &one, .rest = &zero};
  assert_int_equal(cap_hb_create_free(m, 0, &settings, 0, NULL, &hb, &error), CAP_OK);
  assert_int_equal(cap_hb_mode_open(hb, &linear, 0.01, 10.0, &mode, &error), CAP_OK);
  assert_non_null(y = calloc((size_t)hb->nunknown + 2, sizeof *y));
  assert_int_equal(cap_hb_mode_start(&mode, &linear, 0.01, false, y, &error), CAP_OK);
  cap_continuation_problem problem = cap_hb_mode_problem(&mode);
  cap_continuation_options options = {
      .step = 0.1, .step_max = 0.2, .p_min = log(0.01), .p_max = log(10.0), .max_points = 2000};
  cap_continuation *path;
  cap_continuation_start start = {.x = y, .p = log(0.01)};
  cap_continuation_result result;
  c.mode = &mode;
  assert_int_equal(cap_continuation_create(&problem, &options, &path, &error), CAP_OK);
  assert_int_equal(cap_continuation_run(path, &start, 1, check_slider_point, &c, &result, &error), CAP_OK);
  assert_int_equal(result.end[0], CAP_CONTINUATION_END_LIMIT);
  cap_continuation_free(path);
  free(y);
  cap_hb_mode_close(&mode);
  cap_hb_free(hb);
  cap_model_free(m);
  return c;
}

static void a_slider_damps_as_the_area_of_its_loop(void **state)
{
  (void)state;
  slider_check coarse = follow_slider(1, 1024), fine = follow_slider(1, 8192), all = follow_slider(15, 8192);
  print_message(
      "  one harmonic, 1024 and 8192 samples: angular_frequency within %.1e, %.1e, damping ratio %.1e, %.1e "
      "of the loop's closed form\n",
      coarse.worst_w, fine.worst_w, coarse.worst_ratio, fine.worst_ratio);
  print_message("  fifteen harmonics differ from one by %.1e and %.1e\n", all.worst_w, all.worst_ratio);
  assert_true(fine.count > 20);
  assert_true(fine.worst_w < 1e-6 && fine.worst_ratio < 1e-6);
  assert_true(fine.worst_ratio < 0.1 * coarse.worst_ratio);
  assert_true(all.worst_w < 5e-3 && all.worst_ratio < 5e-3);
}

#define BELT /* no damping but that of the tensioner */                                                      \
  "capstan: 1\nname: t\ndrive: belt-tensioner-mass\nmasses: {mass: 73.84 kg, pulley: 0.15 kg}\n"             \
  "belt: {stiffness: 560 kN/m, damping: 0 N s/m}\nload: {amplitude: 100 N, angular_frequency: 60 rad/s}\n"

/* The belt tensioner goes from its stuck mode to its sliding one, by either law,
 * and damps most in between. */
static void the_tensioner_goes_from_stuck_to_sliding(void **state)
{
  (void)state;
  static const char *const laws[] = {
      "tensioner: {law: masing, k0: 2.34e5 N/m, F0: -573 N, c: 0 N s/m, sliders: "
      "[{k: 4.84e5 N/m, alpha: 163 N}]}\n",
      TEST_DAHL};
  for (int k = 0; k < 2; k++) {
    char text[2048];
    snprintf(
        text, sizeof text,
        BELT
        "%sanalyses: [{statics: {}}, {modes: {friction: stuck}}, {modes: {friction: sliding}}, {backbone: "
        "{from: 1 um, to: 0.2 m, points: 60, samples: %d}}]\noutputs: {channels: [mass.position]}\n",
        laws[k], k ? 4096 : 0); /* Dahl\'s law turns within a hundredth of the amplitude */
    test_result r = test_result_run(text);
    int64_t n;
    double *stuck = test_values(&r, "modes", "angular_frequency", NULL),
           *sliding = test_values(&r, "modes-2", "angular_frequency", NULL);
    double *w = test_values(&r, "backbone", "angular_frequency", &n),
           *ratio = test_values(&r, "backbone", "damping_ratio", NULL);
    double most = 0.0, *amplitude = test_values(&r, "backbone", "amplitude", NULL);
    for (int64_t i = 0; i < n; i++) most = fmax(most, ratio[i]);
    assert_true(fabs(amplitude[n - 1] - 0.2) < 1e-9);
    free(amplitude);
    print_message(
        "  %s: %.5f to %.5f rad/s (stuck %.5f, sliding %.5f), damping ratio %.4f, at most %.3f, %.4f\n",
        k ? "dahl" : "masing", w[0], w[n - 1], stuck[0], sliding[0], ratio[0], most, ratio[n - 1]);
    if (k == 0) assert_true(fabs(w[0] / stuck[0] - 1.0) < 1e-9); /* Dahl's mean is not that of the statics */
    if (k == 0) assert_true(fabs(w[n - 1] / sliding[0] - 1.0) < 5e-4);
    else assert_true(w[n - 1] > 25.66 && w[n - 1] < 29.30); /* one envelope up, the other down */
    assert_true(most > 0.1 && most > 3.0 * ratio[0] && most > 3.0 * ratio[n - 1]);
    test_result_close(&r);
    free(stuck), free(sliding), free(w), free(ratio);
  }
}

/* ---- the problem itself -------------------------------------------------------------------------------- */

/* Jacobian and derivative to the parameter against central differences, at a random point. */
static void check_tangent(cap_hb_mode *mode, uint64_t seed, double p, double tolerance)
{
  cap_continuation_problem f = cap_hb_mode_problem(mode);
  size_t n = (size_t)f.n;
  double *y = calloc(n * n + 5 * n, sizeof *y), *fx = y + n, *fp = fx + n * n, *r = fp + n, *plus = r + n,
         *minus = plus + n, worst = 0.0;
  assert_non_null(y);
  for (size_t i = 0; i < n; i++) y[i] = test_random(&seed, -0.5, 0.5);
  y[n - 2] = 1.1;
  assert_int_equal(f.jacobian(f.self, y, p, r, fx, fp), CAP_OK);
  for (size_t c = 0; c <= n; c++) {
    double d = 1e-6;
    if (c < n) y[c] += d;
    assert_int_equal(f.residual(f.self, y, c < n ? p : p + d, plus), CAP_OK);
    if (c < n) y[c] -= 2 * d;
    assert_int_equal(f.residual(f.self, y, c < n ? p : p - d, minus), CAP_OK);
    if (c < n) y[c] += d;
    for (size_t i = 0; i < n; i++) {
      double own = c < n ? fx[i * n + c] : fp[i], slope = (plus[i] - minus[i]) / (2 * d);
      double gap = fabs(own - slope) / (1.0 + fabs(own));
      worst = fmax(worst, gap);
      if (!(gap < tolerance)) fail_msg("row %zu, column %zu: %.9g, by differences %.9g", i, c, own, slope);
    }
  }
  print_message("  tangent within %.1e of differences\n", worst);
  free(y);
}

#define CHAIN                                                                                                \
  "bodies: [{name: a, mass: 1 kg}, {name: b, mass: 2 kg}, {name: c, mass: 1 kg}]\n"                          \
  "springs: [{from: a, stiffness: 1 N/m, cubic: 0.5 N/m3, damping: 0.01 N s/m}, {from: a, to: b, "           \
  "stiffness: "                                                                                              \
  "2 N/m}, {from: b, to: c, stiffness: 1 N/m, damping: 0.02 N s/m}, {from: c, stiffness: 1 N/m}]\n"          \
  "loads: [{on: b, mean: 0.3 N, harmonics: [{amplitude: 1 N}]}]\n"

static void tangents_are_exact(void **state)
{
  (void)state;
  test_system s = test_system_open(HEAD CHAIN TEST_ANY);
  cap_model *slider = slider_model(1.0, 0.5, 0.2), *coulomb = slider_model(1.0, INFINITY, 0.2);
  const cap_model *models[] = {s.m, slider, coulomb};
  int keep = 0;
  for (int k = 0; k < 3; k++) {
    cap_hb_settings settings = {3, 64, 1};
    cap_hb *hb;
    cap_hb_mode mode;
    cap_error error = {0};
    double one = 1.0, zero = 0.0;
    cap_hb_mode_linear linear = {.angular_frequency = 1.2, .shape = &one, .weight = &one, .rest = &zero};
    assert_int_equal(cap_hb_create_free(models[k], 0, &settings, 1, &keep, &hb, &error), CAP_OK);
    assert_int_equal(hb->nouter, 1);
    assert_int_equal(cap_hb_mode_open(hb, &linear, 0.5, 1.0, &mode, &error), CAP_OK);
    for (uint64_t seed = 1; seed < 4; seed++) check_tangent(&mode, seed, log(0.9), 1e-6);
    cap_hb_mode_close(&mode);
    cap_hb_free(hb);
  }
  cap_model_free(slider);
  cap_model_free(coulomb);
  test_system_close(&s);
}

/* Angular frequency over energy does not depend on what is measured, so neither on what is condensed. */
static void condensed_coordinates_change_nothing(void **state)
{
  (void)state;
  static const char analysis[] = "analyses: [{backbone: {modes: [%d], from: 10 mm, to: %s, harmonics: 9, "
                                 "points: 400%s}}]\n";
  for (int mode = 1; mode <= 2; mode++) {
    char text[2][2048], tail[2][256];
    snprintf(tail[0], sizeof tail[0], analysis, mode, "0.8 m", ", measure: a.position");
    snprintf(tail[1], sizeof tail[1], analysis, mode, "0.8 m", ", measure: c.position");
    for (int k = 0; k < 2; k++) snprintf(text[k], sizeof text[k], HEAD CHAIN "%s", tail[k]);
    curve a = run(text[0]), b = run(text[1]);
    double worst = 0.0;
    int64_t at = 0, compared = 0;
    for (int64_t i = 0; i < a.n; i++) {
      while (at + 2 < b.n && b.energy[at + 1] < a.energy[i]) at++;
      if (a.energy[i] < b.energy[0] || a.energy[i] > b.energy[at + 1]) continue;
      double share = (a.energy[i] - b.energy[at]) / (b.energy[at + 1] - b.energy[at]);
      double w = b.angular_frequency[at] + share * (b.angular_frequency[at + 1] - b.angular_frequency[at]);
      worst = fmax(worst, fabs(a.angular_frequency[i] / w - 1.0));
      compared++;
    }
    print_message("  mode %d: %d points, angular_frequency over energy within %.1e\n", mode, (int)compared,
                  worst);
    assert_true(compared > 100 && worst < 1e-5);
    release(&a);
    release(&b);
  }
}

/* ---- forced responses ---------------------------------------------------------------------------------- */

/* Angular frequency of the backbone at a root mean square. */
static double backbone_at(const curve *c, double rms)
{
  for (int64_t i = 0; i + 1 < c->n; i++)
    if ((c->rms[i] - rms) * (c->rms[i + 1] - rms) <= 0.0)
      return c->angular_frequency[i] + (rms - c->rms[i]) / (c->rms[i + 1] - c->rms[i]) *
                                           (c->angular_frequency[i + 1] - c->angular_frequency[i]);
  fail_msg("the backbone does not reach an rms of %g", rms);
  return NAN;
}

static void check_peaks(const char *system, const char *range, int count, double tolerance)
{
  char text[2048];
  snprintf(text, sizeof text,
           HEAD
           "%s"
           "analyses:\n"
           "  - backbone: {from: 1 mm, to: 3 m, points: 800}\n"
           "  - response: {method: harmonic-balance, sweep: {parameter: forcing.angular_frequency, values: "
           "[0.3 rad/s, 2.2 rad/s]}, family: {parameter: 'loads[0].harmonics[0].amplitude', values: "
           "[%s]}, stability: false}\n",
           system, range);
  test_result r = test_result_run(text);
  curve c = {0};
  c.angular_frequency = test_values(&r, "backbone", "angular_frequency", &c.n);
  c.rms = test_values(&r, "backbone", "a.position.rms_ac", NULL);
  int64_t n;
  double *p = test_values(&r, "response", "forcing.angular_frequency", &n);
  double *load = test_values(&r, "response", "loads[0].harmonics[0].amplitude", NULL);
  double *rms = test_values(&r, "response", "a.position.rms_ac", NULL);
  int seen = 0;
  for (int64_t i = 0; i < n;) {
    int64_t end = i, top = i;
    while (end < n && load[end] == load[i]) end++;
    for (int64_t k = i; k < end; k++)
      if (rms[k] > rms[top]) top = k;
    double w = backbone_at(&c, rms[top]);
    print_message("  load %.4g N: peak of rms %.4f at %.5f rad/s, backbone there %.5f rad/s\n", load[i],
                  rms[top], p[top], w);
    assert_true(fabs(p[top] / w - 1.0) < tolerance);
    seen++;
    i = end;
  }
  assert_int_equal(seen, count);
  test_result_close(&r);
  free(c.angular_frequency), free(c.rms), free(p), free(load), free(rms);
}

static void the_backbone_goes_through_the_peaks(void **state)
{
  (void)state;
  check_peaks("bodies: [{name: a, mass: 1 kg}]\n"
              "springs: [{from: a, stiffness: 1 N/m, cubic: 0.5 N/m3, damping: 0.02 N s/m}]\n"
              "loads: [{on: a, harmonics: [{amplitude: 0.01 N}]}]\n",
              "0.005 N, 0.01 N, 0.02 N, 0.03 N", 4, 1e-3);
  check_peaks("bodies: [{name: a, mass: 1 kg, position: 0.2245 m}]\n"
              "springs: [{from: a, damping: 0.05 N s/m}]\n"
              "clearances: [{gap: {from: a, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
              "loads: [{on: a, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]\n",
              "0.002 N, 0.004 N, 0.006 N, 0.008 N", 4, 2e-3);
}

/* Where the third harmonic meets the second mode the curve turns; it is followed through. */
static void internal_resonance_turns_the_curve(void **state)
{
  (void)state;
  curve c = run(HEAD "bodies: [{name: a, mass: 1 kg}, {name: b, mass: 1 kg}]\n"
                     "springs: [{from: a, stiffness: 1 N/m, cubic: 0.5 N/m3}, {from: a, to: b, stiffness: 1 "
                     "N/m}, {from: b, stiffness: 1 N/m}]\n"
                     "analyses: [{backbone: {from: 10 mm, to: 8 m, harmonics: 9, points: 60}}]\n");
  int turns = 0;
  for (int64_t i = 0; i < c.n; i++) {
    turns += c.kind[i] == 1;
    assert_true(fabs(c.ratio[i]) < 1e-9);
  }
  print_message("  %d points, %d turns, up to an amplitude of %.3g m\n", (int)c.n, turns,
                c.amplitude[c.n - 1]);
  assert_true(turns >= 2 && fabs(c.amplitude[c.n - 1] - 8.0) < 1e-9);
  release(&c);
}

/* Over energy a mode goes on where the amplitude of what is measured falls again. */
static void a_range_of_energy(void **state)
{
  (void)state;
  curve c = run(
      HEAD "bodies: [{name: a, mass: 1 kg}]\n"
           "springs: [{from: a, stiffness: 1 N/m, cubic: 0.5 N/m3}]\n"
           "analyses: [{backbone: {measure: energy, from: 1 mJ, to: 5 J, harmonics: 15, points: 30}}]\n");
  assert_true(fabs(c.energy[0] / 1e-3 - 1.0) < 1e-2); /* that of the linear mode */
  assert_true(c.energy[c.n - 1] >= 5.0 && c.energy[c.n - 2] < 5.0);
  for (int64_t i = 0; i < c.n; i++)
    assert_true(fabs(c.angular_frequency[i] / duffing_angular_frequency(0.5, c.high[i]) - 1.0) < 1e-10);
  release(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(duffing_has_the_period_of_elliptic_integrals),
      cmocka_unit_test(a_gap_has_the_period_of_arcs_and_flights),
      cmocka_unit_test(a_linear_system_keeps_angular_frequency_and_damping),
      cmocka_unit_test(a_slider_damps_as_the_area_of_its_loop),
      cmocka_unit_test(the_tensioner_goes_from_stuck_to_sliding),
      cmocka_unit_test(tangents_are_exact),
      cmocka_unit_test(condensed_coordinates_change_nothing),
      cmocka_unit_test(the_backbone_goes_through_the_peaks),
      cmocka_unit_test(internal_resonance_turns_the_curve),
      cmocka_unit_test(a_range_of_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
