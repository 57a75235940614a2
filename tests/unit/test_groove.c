/* Flanks of a pushbelt between sheaves that give way: forces as the gradient of their energy, torque of the
 * slopes, the coupled contact and the rows of single flanks as references, friction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/groove.h"
#include "../support/system.h"
#include "drives/pushbelt/contact/flank.h"
#include "drives/pushbelt/contact/maxwell.h"

static void check_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

static void scatter(grooves *g, uint64_t *seed, double size)
{
  for (int k = 0; k < g->v.simulated; k++) {
    g->q[g->v.x + k] += test_random(seed, -size, size);
    g->q[g->v.y + k] += test_random(seed, -size, size);
    g->q[g->v.pitch + k] += test_random(seed, -0.02, 0.02);
  }
}

static const double closed[2] = {60e-6, 80e-6};

/* ---- potential ----------------------------------------------------------------------------------------- */

typedef struct variant {
  const char *name;
  int sheaves;
  bool separate, curved;
  double sphere;
  int points;
  bool whole;
} variant;

static const variant variants[] = {
    {"cone, rigid", 0, false, false, 0.0, 1, false},
    {"cone, tilt", 1, false, false, 0.0, 1, false},
    {"cone, plate", 2, false, false, 0.0, 1, false},
    {"cone, plate, separate", 2, true, false, 0.0, 1, false},
    {"cone, plate, sphere", 2, false, false, 0.05, 1, false},
    {"curve, rigid", 0, false, true, 0.0, 1, false},
    {"curve, plate", 2, false, true, 0.0, 1, false},
    {"curve, plate, sphere", 2, false, true, 0.1, 1, false},
    {"curve, plate, separate, sphere", 2, true, true, 0.1, 1, false},
    {"cone, plate, two points", 2, false, false, 0.0, 2, false},
    {"cone, tilt, two points, separate", 1, true, false, 0.0, 2, false},
    {"cone, tilt, two points as one", 1, false, false, 0.0, 2, true},
};

static cap_variator variator_of(const variant *c, int n)
{
  cap_variator v = grooves_variator(n, 1.3, c->sheaves);
  v.contact.flank_coupled = !c->separate;
  v.contact.flank_friction = (capm_friction){0};
  v.contact.flank_damping = 0.0;
  v.contact.flank_points = c->points;
  v.contact.flank_whole = c->whole;
  if (c->curved) grooves_curve(&v, 0.7, c->sphere);
  else v.pulley[0].flank_radius = v.pulley[1].flank_radius = c->sphere;
  return v;
}

/* Forces on all coordinates that may move against central differences of the energy. */
static void forces_are_the_gradient_of_the_energy(void **state)
{
  (void)state;
  enum { N = 40 };
  for (size_t c = 0; c < sizeof variants / sizeof *variants; c++) {
    uint64_t seed = 5 + c;
    cap_variator v = variator_of(&variants[c], N);
    grooves g = {0};
    grooves_open(&g, &v);
    grooves_place(&g, 0.0, closed);
    scatter(&g, &seed, 20e-6);
    grooves_march(&g, 1e-6, NULL);
    double largest = 0.0, worst = 0.0, moments = 0.0;
    for (int i = 0; i < g.model->nv; i++) largest = fmax(largest, fabs(g.h[i]));
    assert_true(largest > 10.0);
    for (int i = 0; i < g.model->nv; i++) {
      bool turns = i >= g.v.pitch && i < g.v.pitch + N;
      double at = g.q[i], step = turns ? 2e-5 : 3e-8, e[2];
      for (int s = 0; s < 2; s++) {
        g.q[i] = at + (s ? step : -step);
        e[s] = grooves_energy(&g);
      }
      g.q[i] = at;
      double slope = -(e[1] - e[0]) / (2.0 * step), off = fabs(g.h[i] - slope);
      if (turns) moments = fmax(moments, off);
      else worst = fmax(worst, off / largest);
    }
    print_message("  %-36s %.1e  %.1e N m\n", variants[c].name, worst, moments);
    assert_true(worst < 3e-6 && moments < 1e-4);
    grooves_close(&g);
  }
}

/* Sheaves by tables, of the functions' own numbers on a grid: energy again, no torque, and forces near those
 * of the functions. */
static void tables_have_a_potential_too(void **state)
{
  (void)state;
  enum { N = 40, RADII = 15, ANGLES = 61, ROWS = RADII * RADII * ANGLES };
  const variant c = {"", 2, false, false, 0.0, 1, false};
  cap_variator v = variator_of(&c, N), tabled = v;
  cap_arena arena = {0};
  cap_error error = {0};
  double *row[4];
  for (int k = 0; k < 4; k++) assert_non_null(row[k] = CAP_ARENA_NEW(&arena, double, ROWS));
  for (int p = 0; p < 2; p++)
    for (int s = 0; s < 2; s++) {
      for (int k = 0; k < ROWS; k++) {
        row[0][k] = 0.02 + 0.004 * (k / (RADII * ANGLES)), row[1][k] = 0.02 + 0.004 * (k / ANGLES % RADII);
        row[2][k] = M_PI * (k % ANGLES) / (ANGLES - 1);
        row[3][k] = cap_influence_at(&v.pulley[p].sheave[s], row[0][k], row[2][k], row[1][k], 0.0);
      }
      cap_influence_table *table = NULL;
      assert_int_equal(cap_influence_table_make(&arena, ROWS, row[0], row[1], row[2], row[3], &table, &error),
                       CAP_OK);
      tabled.pulley[p].sheave[s] = (cap_influence){.table = table};
    }
  grooves g = {0}, f = {0};
  grooves_open(&g, &tabled);
  grooves_open(&f, &v);
  uint64_t seed = 4;
  grooves_place(&g, 0.0, closed);
  scatter(&g, &seed, 20e-6);
  memcpy(f.q, g.q, sizeof(double) * (size_t)g.model->nv);
  grooves_march(&g, 1e-6, NULL);
  grooves_march(&f, 1e-6, NULL);
  double largest = 0.0, worst = 0.0;
  for (int i = 0; i < g.model->nv; i++) largest = fmax(largest, fabs(g.h[i]));
  for (int i = 0; i < g.v.pitch; i++) {
    double at = g.q[i], step = 3e-8, e[2];
    for (int s = 0; s < 2; s++) g.q[i] = at + (s ? step : -step), e[s] = grooves_energy(&g);
    g.q[i] = at;
    worst = fmax(worst, fabs(g.h[i] + (e[1] - e[0]) / (2.0 * step)) / largest);
    check_near(g.h[i], f.h[i], 0.03 * largest);
  }
  print_message("  table: %.1e\n", worst);
  assert_true(worst < 1e-6);
  for (int p = 0; p < 2; p++) assert_true(g.h[g.v.pulley[p].rotation] == 0.0);
  grooves_close(&g);
  grooves_close(&f);
  tabled.simulated = 700, tabled.iota = 437.0 / 700.0;
  cap_builder *b = cap_builder_create(1);
  assert_int_equal(cap_groove_build(b, &tabled, NULL, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "at most 640, got 700"));
  cap_builder_free(b);
  cap_arena_free(&arena);
}

/* Without friction the slopes of a deflected sheave turn nothing: no torque on the pulleys, and none on all
 * elements of a pulley about its axis. */
static void slopes_have_no_torque(void **state)
{
  (void)state;
  for (size_t c = 0; c < sizeof variants / sizeof *variants; c++) {
    uint64_t seed = 11 + c;
    cap_variator v = variator_of(&variants[c], 120);
    grooves g = {0};
    grooves_open(&g, &v);
    grooves_place(&g, 0.0, closed);
    scatter(&g, &seed, 10e-6);
    grooves_march(&g, 1e-6, NULL);
    for (int p = 0; p < 2; p++) {
      double torque = 0.0, size = 0.0;
      for (int k = 0; k < g.v.simulated; k++) {
        if (grooves_output(&g, k)[CAP_GROOVE_PULLEY] != p) continue;
        double x = g.q[g.v.x + k] - g.v.pulley[p].x, y = g.q[g.v.y + k];
        double part = x * g.h[g.v.y + k] - y * g.h[g.v.x + k] + g.h[g.v.pitch + k];
        torque += part;
        size += fabs(part);
      }
      assert_true(variants[c].sheaves == 0 || size > 1e-2);
      assert_true(fabs(torque) < 1e-11 + 1e-12 * size);
      assert_true(g.h[g.v.pulley[p].rotation] == 0.0);
    }
    grooves_close(&g);
  }
}

/* ---- references ---------------------------------------------------------------------------------------- */

/* The forces of a pulley are those of cap_maxwell_solve on all of them, by amplitudes and by all forces. */
static void forces_are_those_of_the_coupled_contact(void **state)
{
  (void)state;
  enum { N = 120 };
  for (int separate = 0; separate < 2; separate++) {
    uint64_t seed = 3;
    const variant c = {"", 2, separate, false, 0.0, 1, false};
    cap_variator v = variator_of(&c, N);
    grooves g = {0};
    grooves_open(&g, &v);
    grooves_place(&g, 0.0, closed);
    scatter(&g, &seed, 20e-6);
    grooves_march(&g, 1e-6, NULL);
    for (int p = 0; p < 2; p++) {
      cap_maxwell m = {.coupled = !separate, .form = CAP_MAXWELL_FULL};
      for (int s = 0; s < 2; s++) m.sheave[s] = v.pulley[p].sheave[s];
      double r[N], phi[N], give[N], depth[N], f0[N], f1[N], sine = sin(v.wedge), cosine = cos(v.wedge);
      for (int k = 0; k < N; k++) {
        double pitch = g.q[g.v.pitch + k];
        double x = g.q[g.v.x + k] - sin(pitch) * v.element.flank - v.pulley[p].x;
        double y = g.q[g.v.y + k] + cos(pitch) * v.element.flank;
        r[k] = hypot(x, y), phi[k] = atan2(y, x);
        double delta = sine * (v.pulley[p].radius - r[k]) + 0.5 * cosine * closed[p];
        depth[k] = (separate ? 1.0 : 2.0) * delta / cosine;
        give[k] = (separate ? 1.0 : 2.0) / (v.iota * v.contact.flank_stiffness * cosine * cosine);
      }
      cap_maxwell_contacts contacts = {
          .n = N, .r = r, .phi = phi, .compliance = give, .penetration = {depth, depth}};
      cap_maxwell_result result = {.force = {f0, f1}};
      double *memory = calloc(cap_maxwell_room(&m, N), sizeof(double)), most = 0.0;
      assert_non_null(memory);
      assert_int_equal(cap_maxwell_solve(&m, &contacts, N, memory, &result), CAP_OK);
      for (int k = 0; k < N; k++) most = fmax(most, f0[k]);
      assert_true(most > 10.0);
      for (int k = 0; k < N; k++) {
        const double *out = grooves_output(&g, k);
        double axial = out[CAP_GROOVE_PULLEY] == p ? out[CAP_GROOVE_AXIAL] : 0.0;
        check_near(axial, 0.5 * (f0[k] + f1[k]), 1e-9 * most);
      }
      free(memory);
    }
    double q[2] = {closed[0], closed[1]}, sums[2], shown[2] = {0.0, 0.0};
    assert_int_equal(cap_groove_axial(&g.v, g.q + g.v.x, g.q + g.v.y, g.q + g.v.pitch, q, sums), CAP_OK);
    for (int k = 0; k < N; k++)
      if (grooves_output(&g, k)[CAP_GROOVE_PULLEY] >= 0.0)
        shown[(int)grooves_output(&g, k)[CAP_GROOVE_PULLEY]] += grooves_output(&g, k)[CAP_GROOVE_AXIAL];
    for (int p = 0; p < 2; p++) check_near(sums[p], shown[p], 1e-9 * sums[p]);
    grooves_close(&g);
  }
}

/* Rigid sheaves: each element is a flank contact of flank.h; generalised forces are J' f. */
static void rigid_sheaves_are_single_flanks(void **state)
{
  (void)state;
  enum { N = 60 };
  for (int curved = 0; curved < 2; curved++) {
    uint64_t seed = 21;
    const variant c = {"", 0, false, curved, 0.08, 1, false};
    cap_variator v = variator_of(&c, N);
    v.contact.flank_friction = (capm_friction){0.09, 0.09, 0.0, 0.0};
    v.contact.flank_damping = 3e-6;
    v.element.patch_length = v.element.patch_breadth = 0.0;
    grooves g = {0};
    grooves_open(&g, &v);
    grooves_place(&g, 11.0, closed);
    scatter(&g, &seed, 10e-6);
    for (int i = 0; i < g.model->nv; i++) g.vel[i] += test_random(&seed, -0.05, 0.05);
    double *before = grooves_new(g.model->nx);
    memcpy(before, g.x, sizeof(double) * (size_t)g.model->nx);
    grooves_march(&g, 0.0, NULL); /* forces only: nothing moves */
    assert_memory_equal(before, g.x, sizeof(double) * (size_t)g.model->nx);
    free(before);
    grooves_march(&g, 1e-18, NULL);
    int touching = 0;
    double axial[2] = {0.0, 0.0}, turning[2] = {0.0, 0.0};
    for (int k = 0; k < N; k++) {
      const double *out = grooves_output(&g, k);
      if (out[CAP_GROOVE_PULLEY] < 0.0) {
        assert_true(g.h[g.v.x + k] == 0.0 && g.h[g.v.y + k] == 0.0 && g.h[g.v.pitch + k] == 0.0);
        continue;
      }
      int p = (int)out[CAP_GROOVE_PULLEY];
      const cap_variator_pulley *pulley = &g.v.pulley[p];
      const double up = v.element.flank + 0.08 * sin(v.wedge);
      cap_flank_curve curve = {.low = pulley->shape_low, .high = pulley->shape_high};
      memcpy(curve.a, pulley->shape, sizeof curve.a);
      double par[CAP_FLANK_CURVE_NPARAM] = {0.0, up, pulley->x, pulley->y};
      int coords[] = {g.v.x + k, g.v.y + k, g.v.pitch + k, pulley->rotation, pulley->closing};
      if (curved) {
        double low = -0.1, high = 0.1, x = 0.0, r[3]; /* foot of the sphere that touches there */
        for (int i = 0; i < 100; i++) {
          x = 0.5 * (low + high);
          cap_flank_contour(&curve, x, r);
          if (r[0] + 0.08 / sqrt(1.0 + r[1] * r[1]) > pulley->radius + 0.08 * sin(v.wedge)) low = x;
          else high = x;
        }
        par[CAP_FLANK_CURVE_M0] = x - 0.08 * r[1] / sqrt(1.0 + r[1] * r[1]);
        par[CAP_FLANK_CURVE_RADIUS] = 0.08;
        par[CAP_FLANK_CURVE_LOW] = curve.low, par[CAP_FLANK_CURVE_HIGH] = curve.high;
        memcpy(par + CAP_FLANK_CURVE_A, curve.a, sizeof curve.a);
      } else {
        par[CAP_FLANK_CONE_RHO0] = pulley->radius + 0.08 * sin(v.wedge);
        par[CAP_FLANK_CONE_ANGLE] = v.wedge;
        par[CAP_FLANK_CONE_RADIUS] = 0.08;
      }
      cap_contact_batch batch = {.par = par, .coord = coords};
      cap_contact_rows rows = {0};
      const cap_contact_type *type = curved ? &cap_flank_curve_type : &cap_flank_cone_type;
      type->rows(&batch, 0, 1, 0.0, g.q, NULL, &rows);
      double speed[3] = {0.0, 0.0, 0.0}, f[3];
      for (int row = 0; row < 3; row++)
        for (int i = 0; i < 5; i++)
          speed[row] += rows.J[row][i] * g.vel[coords[i]] * (i == 3 ? -1.0 : 1.0); /* clockwise */
      double stiffness = v.iota * v.contact.flank_stiffness;
      double normal = fmax(0.0, -stiffness * rows.gap[0] - 3e-6 * stiffness * speed[0]);
      check_near(out[CAP_GROOVE_NORMAL], normal, 1e-8 * (normal + 1.0));
      check_near(out[CAP_GROOVE_SLIDE_T], -speed[1], 1e-12);
      check_near(out[CAP_GROOVE_SLIDE_G], speed[2], 1e-12);
      check_near(out[CAP_GROOVE_RADIUS], rows.measure[0], 1e-14);
      check_near(out[CAP_GROOVE_ANGLE], rows.measure[1], 1e-12);
      f[0] = 2.0 * normal, f[1] = -out[CAP_GROOVE_LONGITUDINAL], f[2] = out[CAP_GROOVE_RADIAL];
      assert_true(hypot(f[1], f[2]) <= 0.09 * f[0] * (1.0 + 1e-12));
      for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int row = 0; row < 3; row++) sum += rows.J[row][i] * f[row];
        check_near(g.h[coords[i]], sum, 1e-8 * (fabs(sum) + 1.0));
      }
      for (int row = 0; row < 3; row++) {
        axial[p] += rows.J[row][4] * f[row];
        turning[p] -= rows.J[row][3] * f[row];
      }
      touching++;
    }
    for (int p = 0; p < 2; p++) {
      check_near(g.h[g.v.pulley[p].closing], axial[p], 1e-9 * fabs(axial[p]));
      check_near(g.h[g.v.pulley[p].rotation], turning[p], 1e-9 * (fabs(turning[p]) + 1.0));
    }
    assert_true(touching > N / 3);
    grooves_close(&g);
  }
}

/* ---- friction ------------------------------------------------------------------------------------------ */

/* One element of the primary arc, everything else far away. */
static int alone(grooves *g)
{
  int kept = -1;
  for (int k = 0; k < g->v.simulated; k++)
    if (kept < 0 && g->q[g->v.x + k] < -0.9 * g->v.pulley[0].radius) kept = k;
    else g->q[g->v.y + k] += 5.0;
  assert_true(kept >= 0);
  return kept;
}

/* An element that slides is pushed by mu N against the slip, one that sticks holds what its bristle has. */
static void friction_is_against_the_slip(void **state)
{
  (void)state;
  cap_variator v = grooves_variator(40, 1.0, 1);
  v.element.patch_length = v.element.patch_breadth = 0.0;
  grooves g = {0};
  grooves_open(&g, &v);
  grooves_place(&g, 11.0, closed);
  int k = alone(&g);
  g.vel[g.v.x + k] += 0.3, g.vel[g.v.y + k] -= 0.4;
  for (int step = 0; step < 20; step++) grooves_march(&g, 1e-6, NULL);
  const double *out = grooves_output(&g, k);
  double f = hypot(out[CAP_GROOVE_LONGITUDINAL], out[CAP_GROOVE_RADIAL]);
  check_near(f, 2.0 * 0.09 * out[CAP_GROOVE_NORMAL], 1e-9 * f);
  double slip = hypot(out[CAP_GROOVE_SLIDE_T], out[CAP_GROOVE_SLIDE_G]);
  check_near(out[CAP_GROOVE_LONGITUDINAL] / f, -out[CAP_GROOVE_SLIDE_T] / slip, 1e-6);
  check_near(out[CAP_GROOVE_RADIAL] / f, -out[CAP_GROOVE_SLIDE_G] / slip, 1e-6);
  assert_true(out[CAP_GROOVE_SECTION] == CAP_VARIATOR_IN_PRI);
  grooves_close(&g);
}

static void friction_follows_the_coefficient(void **state)
{
  (void)state;
  const capm_friction laws[] = {{0.12, 0.07, 0.2, 0.0}, {0.1, 0.0, 0.34, 1.5}, {0.1, 0.0, 0.79, 3.0}};
  for (size_t c = 0; c < sizeof laws / sizeof *laws; c++)
    for (double speed = 0.01; speed < 3.0; speed *= 3.0) {
      cap_variator v = grooves_variator(40, 1.0, 0);
      v.element.patch_length = v.element.patch_breadth = 0.0;
      v.contact.flank_friction = laws[c];
      grooves g = {0};
      grooves_open(&g, &v);
      grooves_place(&g, 11.0, closed);
      int k = alone(&g);
      g.vel[g.v.y + k] += speed;
      for (int step = 0; step < 400; step++) grooves_march(&g, 1e-6, NULL);
      const double *out = grooves_output(&g, k);
      double slip = hypot(out[CAP_GROOVE_SLIDE_T], out[CAP_GROOVE_SLIDE_G]);
      double mu = capm_friction_at(&laws[c], slip, NULL);
      check_near(hypot(out[CAP_GROOVE_LONGITUDINAL], out[CAP_GROOVE_RADIAL]),
                 2.0 * mu * out[CAP_GROOVE_NORMAL], 1e-9 * out[CAP_GROOVE_NORMAL]);
      grooves_close(&g);
    }
}

/* Drilling of an evenly pressed flank of 1.5 x 4.5 mm: where it slides only the extent along the slip
 * resists; where it does not, 1.23472 mm of the limit; both flanks, each with its spin about its own
 * normal. */
static void drilling_of_a_flank(void **state)
{
  (void)state;
  const double t = 1.5e-3, H = 4.5e-3;
  for (int way = 0; way < 3; way++) {
    cap_variator v = grooves_variator(40, 1.0, 0);
    grooves g = {0};
    grooves_open(&g, &v);
    grooves_place(&g, 11.0, closed);
    int k = alone(&g);
    double spin = way ? 2.0 : -50.0, pitch = g.q[g.v.pitch + k]; /* spin about the flank's point */
    if (way) g.vel[g.v.y + k] += 0.5 * (way == 1 ? cos(pitch) : sin(pitch));
    if (way) g.vel[g.v.x + k] += 0.5 * (way == 1 ? -sin(pitch) : cos(pitch));
    g.vel[g.v.pitch + k] += spin;
    g.vel[g.v.x + k] += spin * cos(pitch) * v.element.flank,
        g.vel[g.v.y + k] += spin * sin(pitch) * v.element.flank;
    for (int step = 0; step < 4000; step++) grooves_march(&g, 1e-6, NULL);
    const double *out = grooves_output(&g, k);
    double limit = 2.0 * 0.09 * out[CAP_GROOVE_NORMAL], cosine = cos(v.wedge);
    double along = out[CAP_GROOVE_SLIDE_T], across = out[CAP_GROOVE_SLIDE_G], slip = hypot(along, across);
    double square = (t * t * along * along + H * H * across * across) / (12.0 * slip * slip * slip);
    double expected = way ? -limit * square * spin * cosine * cosine : limit * 1.23472e-3 * cosine;
    if (way) assert_true(fabs(way == 1 ? across : along) > 0.9 * slip);
    check_near(out[CAP_GROOVE_DRILLING], expected, 2e-3 * fabs(expected));
    grooves_close(&g);
  }
}

/* An element that is pressed by N sinks in by N/(c sin b). */
static void sinks_in(void **state)
{
  (void)state;
  const double stiffness[] = {2e7, 6e7, 1e8}, depth[] = {26.2e-6, 8.735e-6, 5.241e-6}; /* under 100 N */
  for (int i = 0; i < 3; i++) {
    cap_variator v = grooves_variator(437, 1.0, 0);
    v.contact.flank_stiffness = stiffness[i];
    grooves g = {0};
    grooves_open(&g, &v);
    grooves_place(&g, 0.0, (const double[]){0.0, 0.0});
    int k = alone(&g), p = g.q[g.v.x + k] > 0.5 * v.centre_distance;
    double x = g.q[g.v.x + k] - v.pulley[p].x, y = g.q[g.v.y + k], r = hypot(x, y);
    double up = v.pulley[p].radius - v.element.flank - depth[i]; /* of the centre of gravity */
    g.q[g.v.x + k] += (up - r) * x / r, g.q[g.v.y + k] += (up - r) * y / r;
    grooves_march(&g, 1e-9, NULL);
    check_near(grooves_output(&g, k)[CAP_GROOVE_NORMAL], 100.0, 0.2);
    grooves_close(&g);
  }
}

/* Friction that is all used up along the generatrix: of the radial force on the elements sheaves bear
 * 1/(2 tan(b + r)) where they go inward, and 1/(2 tan(b - r)) outward, tan r = mu. */
static void bounds_of_the_axial_force(void **state)
{
  (void)state;
  for (int way = -1; way <= 1; way += 2) {
    cap_variator v = grooves_variator(40, 1.0, 0);
    v.contact.flank_damping = 0.0;
    grooves g = {0};
    grooves_open(&g, &v);
    grooves_place(&g, 0.0, closed);
    int k = alone(&g), p = g.q[g.v.x + k] > 0.5 * v.centre_distance;
    double x = g.q[g.v.x + k] - v.pulley[p].x, y = g.q[g.v.y + k], r = hypot(x, y);
    for (int q = 0; q < 2; q++) g.vel[g.v.pulley[q].rotation] = 0.0;
    g.vel[g.v.x + k] = way * 0.05 * x / r, g.vel[g.v.y + k] = way * 0.05 * y / r;
    for (int step = 0; step < 400; step++) grooves_march(&g, 1e-6, NULL);
    double radial = (g.h[g.v.x + k] * x + g.h[g.v.y + k] * y) / r,
           axial = grooves_output(&g, k)[CAP_GROOVE_AXIAL];
    check_near(axial / radial, 0.5 / tan(v.wedge - way * atan(0.09)), 2e-3);
    grooves_close(&g);
  }
}

/* ---- motion -------------------------------------------------------------------------------------------- */

/* Stored, kinetic and lost energy of a run by the explicit stepper, relative to what went through. */
static double residual_of(const cap_model *m, cap_data *d, double time, double step, double *scale)
{
  cap_stepper_settings settings = {.step = step, .audit = true};
  cap_error error = {0};
  void *memory = NULL;
  assert_int_equal(cap_leapfrog_type.create(m, &settings, &memory, &error), CAP_OK);
  cap_data_start_audit(m, d);
  if (cap_leapfrog_type.advance(memory, m, d, &time, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_leapfrog_type.free(memory);
  cap_balance_line lines[64];
  int n = cap_data_balance(m, d, 0, lines, scale);
  return lines[n - 1].energy;
}

static cap_data *data_of(const grooves *g)
{
  cap_data *d = cap_data_create(g->model);
  assert_non_null(d);
  memcpy(d->q, g->q, sizeof(double) * (size_t)g->model->nv);
  memcpy(d->v, g->vel, sizeof(double) * (size_t)g->model->nv);
  return d;
}

/* Elements that are thrown into the grooves spiral in, slide and come to rest on the turning pulleys: what
 * they lose is told, and the error of the balance falls with the square of the step. */
static void spiralling_in_balances(void **state)
{
  (void)state;
  double scale, off[2];
  for (int fine = 0; fine < 2; fine++) {
    cap_variator v = grooves_variator(60, 1.0, 1);
    grooves g = {0};
    grooves_open(&g, &v);
    const double open[2] = {-20e-6, -20e-6};
    grooves_place(&g, 11.0, open);
    for (int p = 0; p < 2; p++) g.vel[g.v.pulley[p].rotation] *= 1.02, g.vel[g.v.pulley[p].closing] = 0.05;
    cap_data *d = data_of(&g);
    off[fine] = residual_of(g.model, d, 1.0e-3, fine ? 2.5e-7 : 5e-7, &scale);
    print_message("  residual %.2e of %.3g J\n", off[fine] / scale, scale);
    cap_data_free(d);
    grooves_close(&g);
  }
  assert_true(fabs(off[0]) < 3e-4 * scale && fabs(off[1]) < 3e-4 * scale);
}

/* A closing sheave pushes elements outward against friction: power into the sheave is what they gain and
 * lose. Without the friction part of the axial force it is not. */
static void closing_does_work_against_friction(void **state)
{
  (void)state;
  cap_variator v = grooves_variator(40, 1.0, 1);
  v.contact.flank_damping = 0.0;
  grooves g = {0};
  grooves_open(&g, &v);
  grooves_place(&g, 0.0, closed);
  double speed = 0.02, h = 1e-6, tangent = tan(v.wedge), input = 0.0, normal_part = 0.0, start = 0.0;
  double jump[2 * CAP_GROOVE_NLOSS] = {0}, work = 0.0;
  for (int step = 0; step < 200; step++) { /* elements are moved outward as the groove is, at constant load */
    if (step == 100) {
      start = grooves_energy(&g);
      memset(jump, 0, sizeof jump);
      input = normal_part = work = 0.0;
    }
    for (int k = 0; k < g.v.simulated; k++) {
      const double *out = grooves_output(&g, k);
      int p = step ? (int)out[CAP_GROOVE_PULLEY] : -1;
      double angle = p >= 0 ? out[CAP_GROOVE_ANGLE] : 0.0, out_speed = p >= 0 ? 0.5 * speed / tangent : 0.0;
      g.vel[g.v.x + k] = out_speed * cos(angle), g.vel[g.v.y + k] = out_speed * sin(angle);
      g.vel[g.v.pitch + k] = 0.0;
      g.q[g.v.x + k] += h * g.vel[g.v.x + k], g.q[g.v.y + k] += h * g.vel[g.v.y + k];
    }
    for (int p = 0; p < 2; p++) {
      g.vel[g.v.pulley[p].rotation] = 0.0;
      g.vel[g.v.pulley[p].closing] = speed;
      g.q[g.v.pulley[p].closing] += h * speed;
    }
    grooves_march(&g, h, jump);
    for (int i = 0; i < g.model->nv; i++) work -= h * g.h[i] * g.vel[i];
    for (int p = 0; p < 2; p++) input -= h * g.h[g.v.pulley[p].closing] * speed;
    for (int k = 0; k < g.v.simulated; k++)
      normal_part += h * speed * cos(v.wedge) * grooves_output(&g, k)[CAP_GROOVE_NORMAL];
  }
  double lost = 0.0, stored = grooves_energy(&g) - start;
  for (int m = 0; m < 2 * CAP_GROOVE_NLOSS; m++) lost += jump[m];
  assert_true(lost > 1e-4);
  check_near(work, stored + lost, 2e-3 * lost);
  double missing = input - normal_part;
  print_message("  friction part of the axial work %.3g of %.3g J lost\n", missing, lost);
  assert_true(fabs(missing) > 0.02 * lost); /* 0.5 sin b^2 of it: the rest is the elements' */
  grooves_close(&g);
}

/* ---- others -------------------------------------------------------------------------------------------- */

/* The offset of an even arc: elements placed at the radius carry about that force. */
static void offset_carries_the_force(void **state)
{
  (void)state;
  cap_variator v = grooves_variator(437, 1.0, 0);
  grooves g = {0};
  grooves_open(&g, &v);
  cap_variator_line line = cap_variator_geometry_line(437 * 1.5e-3, v.centre_distance, 1.0);
  double z[2], sums[2], force = 12e3;
  for (int p = 0; p < 2; p++) z[p] = cap_groove_offset(&g.v, p, v.pulley[p].radius, line.wrap[p], force);
  grooves_place(&g, 0.0, z);
  assert_int_equal(cap_groove_axial(&g.v, g.q + g.v.x, g.q + g.v.y, g.q + g.v.pitch, z, sums), CAP_OK);
  for (int p = 0; p < 2; p++) check_near(sums[p], force, 0.04 * force); /* and some on the tangents */
  for (int p = 0; p < 2; p++)
    check_near(cap_groove_offset_closing(&g.v, p, v.pulley[p].radius + 1e-4), 2e-4 * tan(v.wedge), 1e-12);
  grooves_close(&g);
  cap_variator soft = grooves_variator(437, 1.0, 2);
  double more = cap_groove_offset(&soft, 0, v.pulley[0].radius, line.wrap[0], force);
  assert_true(more > 1.5 * z[0] && more < 20.0 * z[0]);
}

/* The cold and the warm solution, with and without hints, are the same to rounding; warm ones take one
 * iteration. */
static void warm_starts_take_one_iteration(void **state)
{
  (void)state;
  cap_variator v = grooves_variator(200, 1.0, 2);
  grooves g = {0};
  grooves_open(&g, &v);
  grooves_place(&g, 11.0, closed);
  for (int step = 0; step < 500; step++) {
    for (int i = 0; i < g.v.pulley[0].rotation; i++) g.q[i] += 1e-6 * g.vel[i];
    grooves_march(&g, 1e-6, NULL);
  }
  int64_t all = 0;
  for (int k = 0; k < CAP_SOLVES_NCOUNT; k++) all += g.solves[k];
  assert_true(all == 1000 && g.solves[1] > 900 && g.solves[5] + g.solves[6] == 0);
  grooves_close(&g);
}

/* One that stands for two real elements feels twice what each of them does, in pitch as well: they pitch each
 * for itself, on points of their own. */
static void simulated_elements_feel_what_real_ones_do(void **state)
{
  (void)state;
  enum { N = 40 };
  for (int points = 1; points <= 3; points++) { /* 3: two that deform as one */
    double h[2][3 * N];
    for (int k = 0; k < 2; k++) {
      grooves g = {0};
      cap_variator v = grooves_variator(N, 1.0, 0);
      v.iota = 1.0 + k;
      v.real = N * (1 + k);
      v.contact.flank_points = points > 1 ? 2 : 1;
      v.contact.flank_whole = points == 3;
      grooves_open(&g, &v);
      grooves_place(&g, 11.0, closed);
      for (int i = 0; i < N; i++) g.q[g.v.pitch + i] += 0.01 + 1e-3 * i;
      grooves_march(&g, 1e-6, NULL);
      memcpy(h[k], g.h + g.v.x, sizeof h[k]);
      grooves_close(&g);
    }
    double largest = 0.0;
    for (int i = 0; i < 3 * N; i++) {
      largest = fmax(largest, fabs(h[0][i]));
      assert_true(fabs(h[1][i] - 2.0 * h[0][i]) <= 1e-9 * fabs(h[0][i]) + 1e-12);
    }
    assert_true(largest > 100.0);
  }
}

/* Sum of the normal forces as shown. */
static double all_normals(const grooves *g)
{
  double sum = 0.0;
  for (int k = 0; k < g->v.simulated; k++) sum += grooves_output(g, k)[CAP_GROOVE_NORMAL];
  return sum;
}

/* Elements deep in one half of an arc tilt the sheaves, which close on others that are far out of the
 * unloaded groove. Rows of results, which know no amplitudes of before, show these, too. */
static void rows_show_all_that_touch(void **state)
{
  (void)state;
  cap_variator v = grooves_variator(200, 1.0, 1);
  grooves g = {0};
  grooves_open(&g, &v);
  grooves_place(&g, 0.0, (const double[2]){0.0, 0.0});
  for (int k = 0; k < g.v.simulated; k++) {
    double x = g.q[g.v.x + k], y = g.q[g.v.y + k], r = hypot(x, y);
    if (x > 0.0) continue;
    double out = y > 0.0 ? -1.5e-3 : 0.45e-3;
    g.q[g.v.x + k] += out * x / r, g.q[g.v.y + k] += out * y / r;
  }
  for (int twice = 0; twice < 2; twice++) grooves_march(&g, 1e-12, NULL);
  double marched = all_normals(&g), far = 0.0;
  for (int k = 0; k < g.v.simulated; k++)
    if (g.q[g.v.y + k] < 0.0) far += grooves_output(&g, k)[CAP_GROOVE_NORMAL];
  cap_eval row = {.nlane = 1, .t = &(double){0.0}, .q = g.q, .v = g.vel, .x = g.x, .h = g.h, .xdot = g.xdot};
  row.force = g.force;
  cap_model_rates(g.model, &row);
  assert_true(far > 0.01 * marched);
  check_near(all_normals(&g), marched, 1e-9 * marched);
  grooves_close(&g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_the_gradient_of_the_energy),
      cmocka_unit_test(tables_have_a_potential_too),
      cmocka_unit_test(slopes_have_no_torque),
      cmocka_unit_test(forces_are_those_of_the_coupled_contact),
      cmocka_unit_test(rigid_sheaves_are_single_flanks),
      cmocka_unit_test(friction_is_against_the_slip),
      cmocka_unit_test(friction_follows_the_coefficient),
      cmocka_unit_test(drilling_of_a_flank),
      cmocka_unit_test(sinks_in),
      cmocka_unit_test(bounds_of_the_axial_force),
      cmocka_unit_test(spiralling_in_balances),
      cmocka_unit_test(closing_does_work_against_friction),
      cmocka_unit_test(offset_carries_the_force),
      cmocka_unit_test(warm_starts_take_one_iteration),
      cmocka_unit_test(simulated_elements_feel_what_real_ones_do),
      cmocka_unit_test(rows_show_all_that_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
