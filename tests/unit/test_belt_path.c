/* The path of a belt: closed forms, derivatives, invariance, arm angles, and every layout that is refused. */
#include "../support/belt.h"
#include "drives/accessory/belt/belt_path.h"
#include "model/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { RANDOM_DRIVES = 200 };

static void near(double got, double want, double tolerance)
{
  if (!(fabs(got - want) <= tolerance)) fail_msg("%.15g is not %.15g within %.3g", got, want, tolerance);
}

static cap_belt *of_pulleys(belt_case *c, int n)
{
  c->belt = (cap_belt){.npulley = n, .pulleys = c->pulleys};
  return &c->belt;
}

static cap_belt_path solve(const cap_belt *belt, double angle)
{
  cap_belt_path path;
  cap_error error = {0};
  if (cap_belt_path_solve(belt, angle, &path, &error) != CAP_OK) fail_msg("refused: %s", error.text);
  return path;
}

static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

/* Grooved pulleys on a circle, in some spans an idler that dents the belt;
 * one pulley on an arm or a slide. */
static cap_belt *random_drive(belt_case *c, uint64_t *seed)
{
  int n = 3 + (int)(draw(seed) * 4.0), m = 0;
  double turn = draw(seed);
  for (int i = 0; i < n; i++) {
    double at = 2.0 * M_PI * (turn + i + 0.3 * draw(seed)) / n, next = 2.0 * M_PI * (turn + i + 1) / n;
    c->pulleys[m++] = belt_pulley("groove", 0.3 * cos(at), 0.3 * sin(at), 0.02 + 0.04 * draw(seed),
                                  CAP_BELT_GROOVE);
    if (draw(seed) < 0.5) continue;
    double middle = 0.5 * (at + next), reach = 0.3 * cos(0.5 * (next - at)) + 0.05 + 0.02 * draw(seed);
    c->pulleys[m++] = belt_pulley("back", reach * cos(middle), reach * sin(middle), 0.02 + 0.015 * draw(seed),
                                  CAP_BELT_BACK);
  }
  cap_belt *b = of_pulleys(c, m);
  cap_belt_pulley *p = &c->pulleys[(int)(draw(seed) * m)];
  double angle = 2.0 * M_PI * draw(seed), length = 0.05 + 0.1 * draw(seed);
  p->on_arm = true;
  b->arm = (cap_belt_arm){.length = length, .angle = angle, .sense = 1};
  b->arm.pivot_x = p->x - length * cos(angle);
  b->arm.pivot_y = p->y - length * sin(angle);
  if (draw(seed) < 0.5) return b;
  b->arm = (cap_belt_arm){.slide_x = cos(angle), .slide_y = sin(angle), .angle = length, .sense = 1};
  b->arm.pivot_x = p->x - length * cos(angle);
  b->arm.pivot_y = p->y - length * sin(angle);
  return b;
}

/* Calls `test` on random drives that a belt can run. */
static void on_random_drives(void (*test)(cap_belt *belt, const cap_belt_path *path))
{
  uint64_t seed = 20;
  int tried = 0;
  for (int done = 0; done < RANDOM_DRIVES; tried++) {
    belt_case c;
    cap_belt_path path;
    cap_belt *b = random_drive(&c, &seed);
    assert_true(tried < 20 * RANDOM_DRIVES);
    if (cap_belt_path_solve(b, b->arm.angle, &path, NULL) != CAP_OK) continue;
    test(b, &path);
    done++;
  }
}

/* ---- closed forms ----------------------------------------------------------------------------------- */

static void two_equal_pulleys(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = of_pulleys(&c, 2);
  c.pulleys[0] = belt_pulley("a", 0.1, 0.2, 0.1, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("b", 0.1 + 0.3, 0.2 + 0.4, 0.1, CAP_BELT_GROOVE);
  b->hb = 0.002;
  cap_belt_path path = solve(b, 0.0);
  near(path.length, 2.0 * 0.5 + 2.0 * M_PI * 0.1, 1e-15);
  near(path.effective_length, path.length - 2.0 * M_PI * 0.002, 1e-15);
  near(path.span[0].length, 0.5, 1e-15);
  near(path.pulley[0].wrap, M_PI, 1e-14);
  near(path.turning, 2.0 * M_PI, 1e-14);
  near(path.take_up, 0.0, 0.0);
  /* counter-clockwise: the span that leaves a runs to the right of the line from a to b */
  near(path.span[0].from[0], 0.1 + 0.1 * 0.8, 1e-15);
  near(path.span[0].from[1], 0.2 - 0.1 * 0.6, 1e-15);
}

static void two_unequal_pulleys(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = of_pulleys(&c, 2);
  double r = 0.03, R = 0.12, D = 0.4, tilt = asin((R - r) / D);
  c.pulleys[0] = belt_pulley("large", 0.0, 0.0, R, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("small", D, 0.0, r, CAP_BELT_GROOVE);
  cap_belt_path path = solve(b, 0.0);
  near(path.span[0].length, sqrt(D * D - (R - r) * (R - r)), 1e-15);
  near(path.span[0].direction, tilt, 1e-15);
  near(path.pulley[0].wrap, M_PI + 2.0 * tilt, 1e-14);
  near(path.pulley[1].wrap, M_PI - 2.0 * tilt, 1e-14);
  near(path.length, 2.0 * D * cos(tilt) + R * (M_PI + 2.0 * tilt) + r * (M_PI - 2.0 * tilt), 1e-15);
}

/* An idler on the back midway between two pulleys: crossed tangents on either side of it. */
static void idler_on_the_back(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = of_pulleys(&c, 3);
  double r = 0.05, s = 0.04, half = 0.2, h = 0.06, D = hypot(half, h);
  c.pulleys[0] = belt_pulley("left", -half, 0.0, r, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("idler", 0.0, -h, s, CAP_BELT_BACK);
  c.pulleys[2] = belt_pulley("right", half, 0.0, r, CAP_BELT_GROOVE);
  cap_belt_path path = solve(b, 0.0);
  double L = sqrt(D * D - (r + s) * (r + s)), tilt = asin((r + s) / D) - atan2(h, half);
  near(path.span[0].length, L, 1e-15);
  near(path.span[1].length, L, 1e-15);
  near(path.span[2].length, 2.0 * half, 1e-15);
  near(path.span[0].direction, tilt, 1e-15);
  near(path.span[1].direction, -tilt, 1e-15);
  near(path.pulley[1].wrap, 2.0 * tilt, 1e-14);
  near(path.pulley[0].wrap, M_PI + tilt, 1e-14);
  near(path.length, 2.0 * L + 2.0 * half + 2.0 * s * tilt + 2.0 * r * (M_PI + tilt), 1e-15);
  near(path.turning, 2.0 * M_PI, 1e-14);
}

/* A pulley carried along the line of centres (arm across it) takes up two lengths a length. */
static void take_up_of_a_slide(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = of_pulleys(&c, 2);
  c.pulleys[0] = belt_pulley("fixed", 0.0, 0.0, 0.1, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("moved", 0.5, 0.0, 0.1, CAP_BELT_GROOVE);
  c.pulleys[1].on_arm = true;
  b->arm = (cap_belt_arm){.pivot_x = 0.5, .pivot_y = 0.2, .length = 0.2, .angle = -0.5 * M_PI};
  cap_belt_path path = solve(b, b->arm.angle);
  near(path.pulley[1].centre[0], 0.5, 1e-15);
  near(path.pulley[1].centre[1], 0.0, 1e-15);
  near(path.take_up, 2.0 * 0.2, 1e-15);
  near(path.span[0].stretch, 0.2, 1e-15);
  near(path.dtake_up, 0.0, 1e-15); /* moves along the spans: neither swing nor curvature along them */
  /* with the arm along the line of centres it swings: sum of L a'^2 less the curvature 2 length */
  b->arm = (cap_belt_arm){.pivot_x = 0.3, .pivot_y = 0.0, .length = 0.2, .angle = 0.0};
  path = solve(b, 0.0);
  near(path.take_up, 0.0, 1e-15);
  near(path.dtake_up, 2.0 * (0.2 * 0.2 / 0.5 - 0.2), 1e-15);
  /* a linear tensioner along the line of centres, and across it: swing alone */
  b->arm = (cap_belt_arm){.pivot_x = 0.3, .slide_x = 1.0};
  path = solve(b, 0.2);
  near(path.pulley[1].centre[0], 0.5, 1e-15);
  near(path.length, 2.0 * 0.5 + 2.0 * M_PI * 0.1, 1e-15);
  near(path.take_up, 2.0, 1e-15);
  near(path.dtake_up, 0.0, 1e-15);
  b->arm = (cap_belt_arm){.pivot_x = 0.5, .slide_y = -1.0};
  path = solve(b, 0.0);
  near(path.take_up, 0.0, 1e-15);
  near(path.dtake_up, 2.0 / 0.5, 1e-14);
}

/* ---- derivatives and invariance --------------------------------------------------------------------- */

static double turn_between(double from, double to)
{
  return remainder(to - from, 2.0 * M_PI);
}

/* Central differences of a smooth function with step h: error of order h^2 f''', rounding 1e-16/h. */
static void differences_agree(cap_belt *b, const cap_belt_path *path)
{
  cap_belt_path low, high;
  const double h = 1e-5, relative = 2e-8;
  assert_int_equal(cap_belt_path_trace(b, b->arm.angle - h, &low), -1);
  assert_int_equal(cap_belt_path_trace(b, b->arm.angle + h, &high), -1);
  near((high.length - low.length) / (2 * h), path->take_up, relative);
  near((high.take_up - low.take_up) / (2 * h), path->dtake_up, relative * fmax(1.0, fabs(path->dtake_up)));
  double stretch = 0.0;
  for (int i = 0; i < path->n; i++) {
    const cap_belt_path_span *s = &path->span[i], *l = &low.span[i], *r = &high.span[i];
    const cap_belt_path_pulley *p = &path->pulley[i];
    double scale = fmax(1.0, fabs(s->ddirection));
    scale *= scale * scale; /* steep where a span is short */
    near((r->length - l->length) / (2 * h), s->dlength, relative * scale);
    near(turn_between(l->direction, r->direction) / (2 * h), s->ddirection, relative * scale);
    near((r->stretch - l->stretch) / (2 * h), s->dstretch, relative * scale);
    near((high.pulley[i].wrap - low.pulley[i].wrap) / (2 * h), p->dwrap, relative * 10.0 * scale);
    for (int k = 0; k < 2; k++)
      near((high.pulley[i].centre[k] - low.pulley[i].centre[k]) / (2 * h), p->dcentre[k], relative);
    stretch += s->stretch;
  }
  near(stretch, path->take_up, 1e-15);
}

static void derivatives(void **state)
{
  (void)state;
  on_random_drives(differences_agree);
}

/* Tangent points lie on both circles, the span is perpendicular to both radii and has its length. */
static void is_tangent(cap_belt *b, const cap_belt_path *path)
{
  for (int i = 0; i < path->n; i++) {
    int j = (i + 1) % path->n;
    const cap_belt_path_span *s = &path->span[i];
    double from[2], to[2], along[2];
    for (int k = 0; k < 2; k++) {
      from[k] = s->from[k] - path->pulley[i].centre[k];
      to[k] = s->to[k] - path->pulley[j].centre[k];
      along[k] = s->to[k] - s->from[k];
    }
    near(hypot(from[0], from[1]), b->pulleys[i].radius, 1e-15);
    near(hypot(to[0], to[1]), b->pulleys[j].radius, 1e-15);
    near(from[0] * s->u[0] + from[1] * s->u[1], 0.0, 1e-15);
    near(to[0] * s->u[0] + to[1] * s->u[1], 0.0, 1e-15);
    near(along[0] * s->u[0] + along[1] * s->u[1], s->length, 1e-15);
    near(s->u[0], cos(s->direction), 1e-15);
    near(s->u[1], sin(s->direction), 1e-15);
    near(path->pulley[i].arc, path->pulley[i].wrap * b->pulleys[i].radius, 1e-16);
  }
  near(path->turning, 2.0 * M_PI, 1e-13);
}

static void tangency(void **state)
{
  (void)state;
  on_random_drives(is_tangent);
}

/* The same drive turned by `turn`, scaled and moved. */
static void map_drive(belt_case *c, const cap_belt *b, double turn, double scale, double x, double y)
{
  double cs = scale * cos(turn), sn = scale * sin(turn);
  c->belt = *b;
  c->belt.pulleys = c->pulleys;
  for (int i = 0; i < b->npulley; i++) {
    c->pulleys[i] = b->pulleys[i];
    c->pulleys[i].x = cs * b->pulleys[i].x - sn * b->pulleys[i].y + x;
    c->pulleys[i].y = sn * b->pulleys[i].x + cs * b->pulleys[i].y + y;
    c->pulleys[i].radius *= scale;
  }
  c->belt.arm.pivot_x = cs * b->arm.pivot_x - sn * b->arm.pivot_y + x;
  c->belt.arm.pivot_y = sn * b->arm.pivot_x + cs * b->arm.pivot_y + y;
  c->belt.arm.length *= scale;
  c->belt.arm.slide_x = cos(turn) * b->arm.slide_x - sin(turn) * b->arm.slide_y;
  c->belt.arm.slide_y = sin(turn) * b->arm.slide_x + cos(turn) * b->arm.slide_y;
  if (cap_belt_slides(&b->arm)) c->belt.arm.angle *= scale;
  else c->belt.arm.angle += turn;
}

static void map_keeps(cap_belt *b, const cap_belt_path *path)
{
  belt_case c;
  const double turn = 2.3, scale = 1.7, tolerance = 1e-12;
  map_drive(&c, b, turn, scale, -0.4, 0.9);
  cap_belt_path mapped = solve(&c.belt, c.belt.arm.angle);
  near(mapped.length, scale * path->length, tolerance);
  double place = cap_belt_slides(&b->arm) ? scale
                                          : 1.0; /* a position grows with the drive, an angle does not */
  near(mapped.take_up, scale / place * path->take_up, tolerance);
  near(mapped.dtake_up, scale / (place * place) * path->dtake_up,
       tolerance * fmax(1.0, fabs(path->dtake_up)));
  for (int i = 0; i < path->n; i++) {
    near(mapped.span[i].length, scale * path->span[i].length, tolerance);
    near(turn_between(path->span[i].direction + turn, mapped.span[i].direction), 0.0, tolerance);
    near(mapped.pulley[i].wrap, path->pulley[i].wrap, tolerance);
  }
}

static void invariance(void **state)
{
  (void)state;
  on_random_drives(map_keeps);
}

/* Starting the list at another pulley changes nothing. */
static void shift_keeps(cap_belt *b, const cap_belt_path *path)
{
  belt_case c;
  c.belt = *b;
  c.belt.pulleys = c.pulleys;
  for (int i = 0; i < b->npulley; i++) c.pulleys[i] = b->pulleys[(i + 2) % b->npulley];
  cap_belt_path shifted = solve(&c.belt, b->arm.angle);
  near(shifted.length, path->length, 1e-14);
  near(shifted.take_up, path->take_up, 1e-14);
}

static void first_pulley_is_any(void **state)
{
  (void)state;
  on_random_drives(shift_keeps);
}

/* ---- arm angle of a length -------------------------------------------------------------------------- */

/* The length at the arm's angle leads back to that angle. */
static void length_gives_angle(cap_belt *b, const cap_belt_path *path)
{
  cap_belt_path_roots roots;
  cap_error error = {0};
  if (fabs(path->take_up) < 1e-3) return; /* near a dead centre the angle is ill-conditioned */
  b->arm.sense = path->take_up > 0.0 ? 1 : -1;
  double reach = cap_belt_slides(&b->arm) ? 0.03 : 0.3;
  b->arm.stop_low = b->arm.angle - reach;
  b->arm.stop_high = b->arm.angle + 1.1 * reach;
  if (cap_belt_path_arm_angle(b, path->length, &roots, &error) != CAP_OK) fail_msg("%s", error.text);
  near(roots.angle[0], b->arm.angle, 1e-15 / fabs(path->take_up) + 1e-13);
  for (int k = 0; k < roots.n; k++) near(solve(b, roots.angle[k]).length, path->length, 1e-14);
}

static void angle_of_a_length(void **state)
{
  (void)state;
  on_random_drives(length_gives_angle);
}

/* Two equal pulleys, the arm's pivot on the line of centres: L = 2 |c| + 2 pi r, c^2 = D^2 + l^2 + 2 D l cos,
 * dead centres at 0 and pi. */
static cap_belt *crank_slider(belt_case *c)
{
  cap_belt *b = of_pulleys(c, 2);
  c->pulleys[0] = belt_pulley("fixed", 0.0, 0.0, 0.05, CAP_BELT_GROOVE);
  c->pulleys[1] = belt_pulley("moved", 0.4, 0.0, 0.05, CAP_BELT_GROOVE);
  c->pulleys[1].on_arm = true;
  b->arm = (cap_belt_arm){.pivot_x = 0.3, .length = 0.1, .angle = 1.0, .sense = -1};
  b->arm.stop_low = -0.5;
  b->arm.stop_high = 2.5;
  return b;
}

static void dead_centre_cuts_the_travel(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = crank_slider(&c);
  cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES];
  assert_int_equal(cap_belt_path_arm_pieces(b, pieces), 2);
  assert_int_equal(pieces[0].end[0], CAP_BELT_PATH_STOP);
  assert_int_equal(pieces[0].end[1], CAP_BELT_PATH_DEAD);
  assert_int_equal(pieces[1].end[0], CAP_BELT_PATH_DEAD);
  assert_int_equal(pieces[1].end[1], CAP_BELT_PATH_STOP);
  near(pieces[0].angle[0], -0.5, 0.0);
  near(pieces[0].angle[1], 0.0, 1e-12);
  near(pieces[1].angle[1], 2.5, 0.0);
  near(pieces[1].length[0], 2.0 * 0.4 + 2.0 * M_PI * 0.05, 1e-15);
}

static void two_angles_of_a_length(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = crank_slider(&c);
  cap_belt_path_roots roots;
  double at = 0.3, length = 2.0 * sqrt(0.09 + 0.01 + 0.06 * cos(at)) + 2.0 * M_PI * 0.05;
  assert_int_equal(cap_belt_path_arm_angle(b, length, &roots, NULL), CAP_OK);
  assert_int_equal(roots.n, 2);
  near(roots.angle[0], at, 1e-13); /* the spring turns it towards smaller angles: it tightens above 0 only */
  near(roots.angle[1], -at, 1e-13);
  b->arm.sense = 1;
  assert_int_equal(cap_belt_path_arm_angle(b, length, &roots, NULL), CAP_OK);
  near(roots.angle[0], -at, 1e-13);
  b->arm.sense = 0; /* not known: the nearer one */
  assert_int_equal(cap_belt_path_arm_angle(b, length, &roots, NULL), CAP_OK);
  near(roots.angle[0], at, 1e-13);
}

static void pulleys_that_meet_end_the_travel(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = crank_slider(&c);
  cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES];
  b->arm.pivot_x = 0.15;
  b->arm.stop_low = 0.5;
  b->arm.stop_high = M_PI;
  /* centres 0.1 apart: 0.0225 + 0.01 + 0.03 cos = 0.01 */
  assert_int_equal(cap_belt_path_arm_pieces(b, pieces), 1);
  assert_int_equal(pieces[0].end[1], CAP_BELT_PATH_BLOCKED);
  near(pieces[0].angle[1], acos(-0.75), 1e-8);
  b->arm.stop_low = 3.0;
  assert_int_equal(cap_belt_path_arm_pieces(b, pieces), 0);
}

/* No stops: one turn about the arm's angle. */
static void travel_without_stops(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = crank_slider(&c);
  cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES];
  b->arm.stop_low = -INFINITY;
  b->arm.stop_high = INFINITY;
  assert_int_equal(cap_belt_path_arm_pieces(b, pieces), 3);
  near(pieces[0].angle[0], 1.0 - M_PI, 1e-15);
  near(pieces[1].angle[0], 0.0, 1e-12);
  near(pieces[1].angle[1], M_PI, 1e-12);
  near(pieces[2].angle[1], 1.0 + M_PI, 1e-15);
  /* a slide without stops: half the belt's length either way, as far as the pulleys clear each other */
  b->arm = (cap_belt_arm){.pivot_x = 0.4, .slide_x = 1.0, .sense = 1};
  b->arm.stop_low = -INFINITY;
  b->arm.stop_high = INFINITY;
  b->length0 = 1.2;
  assert_int_equal(cap_belt_path_arm_pieces(b, pieces), 2); /* on the other side it runs again, reversed */
  near(pieces[0].angle[0], -0.6, 1e-15);
  near(pieces[0].angle[1], -0.5, 1e-9);
  near(pieces[1].angle[0], -0.3, 1e-9);
  near(pieces[1].angle[1], 0.6, 1e-15);
  assert_int_equal(pieces[1].end[0], CAP_BELT_PATH_BLOCKED);
}

/* ---- refusals --------------------------------------------------------------------------------------- */

static void expect_text(cap_status status, const cap_error *error, const char *const *parts)
{
  assert_int_equal(status, CAP_ERR_INPUT);
  assert_int_equal(error->status, CAP_ERR_INPUT);
  for (; *parts; parts++)
    if (!strstr(error->text, *parts)) fail_msg("'%s' is not in: %s", *parts, error->text);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refused(const cap_belt *b, double angle, const char *const *parts)
{
  cap_belt_path path;
  cap_error error = {0};
  expect_text(cap_belt_path_solve(b, angle, &path, &error), &error, parts);
  assert_int_equal(cap_belt_path_solve(b, angle, &path, NULL), CAP_ERR_INPUT);
}

static void length_refused(const cap_belt *b, double length, const char *const *parts)
{
  cap_belt_path_roots roots;
  cap_error error = {0};
  expect_text(cap_belt_path_arm_angle(b, length, &roots, &error), &error, parts);
}

static const double arm_angle = 253.1 * BELT_DEG;

enum { ARC_POINTS = 24, OUTLINE_MOST = 8 * (ARC_POINTS + 1) };

/* The path as a polygon that runs along the spans and outside the arcs' chords. */
static int outline(const cap_belt *b, const cap_belt_path *path, double (*at)[2])
{
  int m = 0;
  for (int i = 0; i < path->n; i++) {
    const cap_belt_path_pulley *p = &path->pulley[i];
    double R = b->pulleys[i].side * b->pulleys[i].radius;
    for (int k = 0; k <= ARC_POINTS; k++, m++) {
      double a = path->span[i].direction - b->pulleys[i].side * p->wrap * (ARC_POINTS - k) / ARC_POINTS;
      at[m][0] = p->centre[0] + R * sin(a);
      at[m][1] = p->centre[1] - R * cos(a);
    }
  }
  return m;
}

static double beside(const double *a, const double *b, const double *p)
{
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static int count_crossings(int m, double (*at)[2])
{
  int n = 0;
  for (int i = 0; i < m; i++)
    for (int j = i + 2; j < m; j++) {
      const double *a = at[i], *b = at[i + 1], *c = at[j], *d = at[(j + 1) % m];
      if (i == 0 && j == m - 1) continue;
      n += beside(a, b, c) * beside(a, b, d) < 0.0 && beside(c, d, a) * beside(c, d, b) < 0.0;
    }
  return n;
}

/* Pulleys anywhere, on any side: what is refused has a reason, what is accepted is a simple loop. */
static void accepted_loops_are_simple(void **state)
{
  (void)state;
  uint64_t seed = 3;
  int accepted = 0, tangled = 0;
  for (int k = 0; k < 20000; k++) {
    belt_case c;
    cap_belt_path path;
    cap_error error = {0};
    double at[OUTLINE_MOST][2];
    int n = 2 + (int)(5.0 * draw(&seed));
    cap_belt *b = of_pulleys(&c, n);
    for (int i = 0; i < n; i++)
      c.pulleys[i] = belt_pulley("p", draw(&seed), draw(&seed), 0.02 + 0.15 * draw(&seed),
                                 draw(&seed) < 0.7 ? CAP_BELT_GROOVE : CAP_BELT_BACK);
    /* every other time with bodies smaller than their pitch circles, so that belts may meet between them */
    for (int i = 0; i < n; i++) c.pulleys[i].outside = k % 2 ? 1.8 * c.pulleys[i].radius : 0.0;
    cap_status status = cap_belt_path_solve(b, 0.0, &path, &error);
    bool laid = cap_belt_path_trace(b, 0.0, &path) < 0;
    int crossings = laid ? count_crossings(outline(b, &path, at), at) : 0;
    if (laid) near(remainder(path.turning, 2.0 * M_PI), 0.0, 1e-12);
    if (status == CAP_OK) assert_int_equal(crossings, 0);
    else assert_true(status == CAP_ERR_INPUT && error.text[0]);
    accepted += status == CAP_OK;
    tangled += crossings > 0;
  }
  assert_true(accepted > 1000 && tangled > 1000);
}

static void refuses_nonsense(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  b->npulley = 1;
  refused(b, arm_angle, PARTS("2 to 32 pulleys", "got 1"));
  b->npulley = 33;
  refused(b, arm_angle, PARTS("2 to 32 pulleys", "got 33"));
  b = belt_6pk1940(&c);
  c.pulleys[BELT_ALT].radius = 0.0;
  refused(b, arm_angle, PARTS("'ALT'", "radius above 0"));
  b = belt_6pk1940(&c);
  c.pulleys[BELT_WP].x = NAN;
  refused(b, arm_angle, PARTS("'WP'", "finite centre"));
  b = belt_6pk1940(&c);
  c.pulleys[BELT_WP].on_arm = true;
  refused(b, arm_angle, PARTS("one pulley on the arm, got 2"));
  b = belt_6pk1940(&c);
  refused(b, NAN, PARTS("finite angle"));
  b->arm.length = 0.0;
  refused(b, arm_angle, PARTS("length above 0"));
  length_refused(b, 1.9, PARTS("drive with a tensioner"));
}

static void refuses_overlap(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  c.pulleys[BELT_WP].x = 0.160;
  c.pulleys[BELT_WP].y = 0.330;
  refused(b, arm_angle, PARTS("'ALT' and 'WP' overlap", "at least 88 mm", "28 mm and 60 mm", "got 80.78 mm"));
  c.pulleys[BELT_WP].x = 0.230;
  c.pulleys[BELT_WP].y = 0.300;
  refused(b, arm_angle, PARTS("'ALT' lies inside pulley 'WP'", "at least 88 mm", "got 5 mm"));
}

static void refuses_missing_tangent(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  /* bodies 89 mm apart fit, the belt between them (pitch radii 29.2 and 61.1 mm) does not */
  c.pulleys[BELT_WP].x = 0.235 - 0.089;
  c.pulleys[BELT_WP].y = 0.300;
  refused(b, arm_angle,
          PARTS("'ALT' (groove) to 'WP' (back)", "above 90.3 mm", "29.2 mm and 61.1 mm", "got 89 mm"));
  cap_belt_path path;
  assert_int_equal(cap_belt_path_trace(b, arm_angle, &path), BELT_ALT);
  assert_true(isnan(path.length));
  /* a small pulley in the rim of a large one, whose body is told to be small */
  b = of_pulleys(&c, 2);
  c.pulleys[0] = belt_pulley("hub", 0.0, 0.0, 0.02, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("rim", 0.03, 0.0, 0.06, CAP_BELT_GROOVE);
  c.pulleys[1].outside = 0.01;
  refused(
      b, 0.0,
      PARTS("no common tangent from 'hub' to 'rim'", "one pitch circle lies inside the other", "got 30 mm"));
}

static void refuses_wrong_side(void **state)
{
  (void)state;
  static const struct {
    int pulley;
    const char *turning, *side, *name, *wrap;
  } cases[] = {
      {BELT_CRK, "got 0 deg", "side: groove", "'CRK'", "wrap angle 103.9 deg"},
      {BELT_TEN, "got 720 deg", "side: back", "'TEN'", "wrap angle 64.7 deg"},
      {BELT_ALT, "got 0 deg", "side: groove", "'ALT'", "wrap angle 156.5 deg"},
      {BELT_PS, "got 0 deg", "side: groove", "'PS'", "wrap angle 125.3 deg"},
      {BELT_AC, "got 0 deg", "side: groove", "'AC'", "wrap angle 84.8 deg"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    belt_case c;
    cap_belt *b = belt_6pk1940(&c);
    cap_belt_pulley *p = &c.pulleys[cases[k].pulley];
    p->side = -p->side;
    p->radius += p->side == CAP_BELT_GROOVE ? b->hb - b->hr : b->hr - b->hb;
    refused(b, arm_angle,
            PARTS(cases[k].turning, "turning angle of 360 deg", cases[k].side, cases[k].name, cases[k].wrap));
  }
}

static void exchange(belt_case *c, int i, int j)
{
  cap_belt_pulley kept = c->pulleys[i];
  c->pulleys[i] = c->pulleys[j];
  c->pulleys[j] = kept;
}

static void refuses_wrong_order(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  exchange(&c, BELT_ALT, BELT_WP);
  refused(b, arm_angle, PARTS("turning angle of 360 deg", "exchange 'WP' and 'ALT'"));
  b = belt_6pk1940(&c);
  for (int i = 0; i < 3; i++) exchange(&c, i, 5 - i);
  refused(b, arm_angle, PARTS("got 1080 deg", "reverse order", "counter-clockwise"));
}

static void refuses_span_over_pulley(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  exchange(&c, BELT_PS, BELT_WP);
  refused(b, arm_angle, PARTS("from 'ALT' to 'PS' crosses pulley 'WP'", "61.1 mm", "exchange 'PS' and 'WP'"));
}

static void refuses_crossing_spans(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  exchange(&c, BELT_PS, BELT_AC);
  refused(b, arm_angle,
          PARTS("the span from 'ALT' to 'WP' crosses the span from 'WP' to 'AC'", "exchange 'AC' and 'PS'"));
}

/* A star of three grooved pulleys and three idlers that nearly touch in its middle: bodies clear, belts do
 * not. */
static void refuses_belts_that_meet(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = of_pulleys(&c, 6);
  static const char *const name[] = {"g0", "b0", "g1", "b1", "g2", "b2"};
  for (int i = 0; i < 6; i++) {
    double at = M_PI / 3.0 * i, reach = i % 2 ? 0.06 : 0.3;
    c.pulleys[i] = belt_pulley(name[i], reach * cos(at), reach * sin(at), 0.05,
                               i % 2 ? CAP_BELT_BACK : CAP_BELT_GROOVE);
  }
  near(solve(b, 0.0).turning, 2.0 * M_PI, 1e-13); /* centres of idlers 104 mm apart, radii 50 mm */
  for (int i = 1; i < 6; i += 2) {
    c.pulleys[i].radius = 0.0525;
    c.pulleys[i].outside = 0.1;
  }
  refused(b, 0.0,
          PARTS("the belt on 'b0' touches the belt on 'b1'", "at least 105 mm", "52.5 mm and 52.5 mm",
                "got 103.9 mm"));
}

/* The belt crossed between two pulleys: it turns by nothing. */
static void refuses_crossed_belt(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = of_pulleys(&c, 2);
  c.pulleys[0] = belt_pulley("a", 0.0, 0.0, 0.1, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("b", 0.5, 0.0, 0.1, CAP_BELT_BACK);
  refused(b, 0.0, PARTS("got 0 deg", "side: groove of 'b'", "wrap angle 180.0 deg"));
}

/* An idler whose rim touches the span from outside is not wrapped. */
static void refuses_idler_without_wrap(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = of_pulleys(&c, 3);
  c.pulleys[0] = belt_pulley("left", -0.25, 0.0, 0.1, CAP_BELT_GROOVE);
  c.pulleys[1] = belt_pulley("idler", 0.0, -0.125 - 1e-9, 0.025, CAP_BELT_BACK);
  c.pulleys[2] = belt_pulley("right", 0.25, 0.0, 0.1, CAP_BELT_GROOVE);
  refused(b, 0.0, PARTS("turning angle of 360 deg"));
  c.pulleys[1].y = -0.125 + 1e-9;
  refused(b, 0.0, PARTS("does not touch 'idler'"));
  c.pulleys[1].y = -0.124;
  near(solve(b, 0.0).pulley[1].wrap, 2.0 * (asin(0.125 / hypot(0.25, 0.124)) - atan2(0.124, 0.25)), 1e-12);
}

static void refuses_lengths(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  length_refused(b, 2.01,
                 PARTS("too long for the arm near 253 deg",
                       "a pitch length of 1913.97 mm to 1995.01 mm between the stops", "got 2010.00 mm"));
  length_refused(b, 1.90,
                 PARTS("too short for the arm near 253 deg", "1913.97 mm to 1995.01 mm between the stops",
                       "got 1900.00 mm"));
  b->arm.sense = 1;
  length_refused(b, b->length0, PARTS("253.10 deg", "slackens it there", "towards larger angles"));
  b = crank_slider(&c);
  length_refused(b, 1.2, PARTS("too long", "to 1114.16 mm up to the stop, got 1200.00 mm"));
  b->arm.pivot_x = 0.15;
  b->arm.stop_low = 3.0;
  b->arm.stop_high = 3.1;
  length_refused(b, 1.0, PARTS("'fixed' and 'moved' overlap"));
  b = crank_slider(&c);
  b->arm = (cap_belt_arm){.pivot_x = 0.4, .slide_x = 1.0, .sense = 1, .stop_low = -0.02, .stop_high = 0.03};
  length_refused(b, 1.3, PARTS("too long", "slide near 0 mm", "1074.16 mm to 1174.16 mm between the stops"));
  b->arm.sense = -1;
  length_refused(b, 1.12, PARTS("slide position of 2.92 mm", "towards smaller positions"));
}

/* ---- the description -------------------------------------------------------------------------------- */

static void load_over_speed(void **state)
{
  (void)state;
  const double speed[] = {100.0, 200.0, 400.0}, torque[] = {4.0, 2.0, 3.0};
  cap_belt_load none = {0}, constant = {1, speed, torque}, table = {3, speed, torque};
  near(cap_belt_torque(&none, 10.0), 0.0, 0.0);
  near(cap_belt_torque(&constant, 10.0), 4.0, 0.0);
  near(cap_belt_torque(&constant, 1000.0), 4.0, 0.0);
  near(cap_belt_torque_slope(&constant, 100.0), 0.0, 0.0);
  const double at[] = {0.0, 100.0, 150.0, 200.0, 300.0, 400.0, 500.0};
  const double want[] = {4.0, 4.0, 3.0, 2.0, 2.5, 3.0, 3.0},
               slope[] = {0.0, -0.02, -0.02, 0.005, 0.005, 0.0, 0.0};
  for (int k = 0; k < 7; k++) {
    near(cap_belt_torque(&table, at[k]), want[k], 1e-15);
    near(cap_belt_torque_slope(&table, at[k]), slope[k], 1e-15);
  }
}

static void spring_of_the_arm(void **state)
{
  (void)state;
  cap_belt_arm arm = {.rate = 20.0, .torque_at = 29.0, .torque_angle = 4.4, .sense = -1};
  near(cap_belt_spring(&arm, 4.4), 29.0, 0.0);
  near(cap_belt_spring(&arm, 4.3), 27.0, 1e-12); /* it has relaxed in its own direction */
  arm.sense = 1;
  near(cap_belt_spring(&arm, 4.3), 31.0, 1e-12);
}

static void model_keeps_a_copy(void **state)
{
  (void)state;
  belt_case c;
  cap_belt *b = belt_6pk1940(&c);
  double speed[] = {10.0, 20.0}, torque[] = {1.0, 2.0};
  char name[] = "ALT";
  c.pulleys[BELT_ALT].load = (cap_belt_load){2, speed, torque};
  c.pulleys[BELT_ALT].name = name;
  cap_builder *builder = cap_builder_create(1);
  assert_non_null(builder);
  cap_builder_dof(builder, "crank", "rad", 1.0, 0.0, 0.0);
  cap_belt_describe(builder, b);
  memset(name, 'x', 3);
  speed[0] = torque[1] = -1.0;
  memset(c.pulleys, 0, sizeof c.pulleys);
  cap_model *m = NULL;
  cap_error error = {0};
  assert_int_equal(cap_builder_finish(builder, &m, &error), CAP_OK);
  cap_builder_free(builder);
  assert_non_null(cap_belt_of(m));
  assert_string_equal(cap_belt_of(m)->pulleys[BELT_ALT].name, "ALT");
  near(cap_belt_torque(&cap_belt_of(m)->pulleys[BELT_ALT].load, 15.0), 1.5, 1e-15);
  near(solve(cap_belt_of(m), arm_angle).length, 1.94754, 1e-5);
  cap_model_free(m);
}

static void belts_have_one_lane(void **state)
{
  (void)state;
  belt_case c;
  cap_builder *builder = cap_builder_create(2);
  assert_non_null(builder);
  for (int lane = 0; lane < 2; lane++) {
    cap_builder_lane(builder, lane);
    cap_builder_dof(builder, "crank", "rad", 1.0, 0.0, 0.0);
    cap_belt_describe(builder, belt_6pk1940(&c));
  }
  cap_model *m = NULL;
  cap_error error = {0};
  assert_int_equal(cap_builder_finish(builder, &m, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "one at a time"));
  cap_builder_free(builder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_equal_pulleys),
      cmocka_unit_test(two_unequal_pulleys),
      cmocka_unit_test(idler_on_the_back),
      cmocka_unit_test(take_up_of_a_slide),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(tangency),
      cmocka_unit_test(invariance),
      cmocka_unit_test(first_pulley_is_any),
      cmocka_unit_test(angle_of_a_length),
      cmocka_unit_test(dead_centre_cuts_the_travel),
      cmocka_unit_test(two_angles_of_a_length),
      cmocka_unit_test(pulleys_that_meet_end_the_travel),
      cmocka_unit_test(travel_without_stops),
      cmocka_unit_test(accepted_loops_are_simple),
      cmocka_unit_test(refuses_nonsense),
      cmocka_unit_test(refuses_overlap),
      cmocka_unit_test(refuses_missing_tangent),
      cmocka_unit_test(refuses_wrong_side),
      cmocka_unit_test(refuses_wrong_order),
      cmocka_unit_test(refuses_span_over_pulley),
      cmocka_unit_test(refuses_crossing_spans),
      cmocka_unit_test(refuses_belts_that_meet),
      cmocka_unit_test(refuses_crossed_belt),
      cmocka_unit_test(refuses_idler_without_wrap),
      cmocka_unit_test(refuses_lengths),
      cmocka_unit_test(load_over_speed),
      cmocka_unit_test(spring_of_the_arm),
      cmocka_unit_test(model_keeps_a_copy),
      cmocka_unit_test(belts_have_one_lane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
