/* A belt of curved segments against closed forms: the rope on a drum, the capstan at speed, the free ring,
 * the wave along a belt, the string that moves, and a belt at rest that must not creep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "elements/elements.h"
#include "model/builder.h"

/* A belt and how finely it is cut; contact and damping in units of the mesh. */
typedef struct belt {
  double EA, EI, mass, length; /* N, N m2, kg/m, m of a segment (unstrained) */
  double normal, tangential;   /* of EA/l^2 */
  double ratio, axial;         /* damping of the contact, and along the belt, of the mesh's own pulsation */
  double mu, drag;             /* 1, 1/s */
  double load; /* N/m on the pulleys, about: the damper comes in over a tenth of its penetration */
} belt;

static capm_beam beam_of(const belt *p)
{
  double pulsation = 2.0 * sqrt(p->EA / p->mass) / p->length; /* EA/l (2 - 2 cos) at its largest */
  return (capm_beam){
      .EA = p->EA, .EI = p->EI, .length = p->length, .axial = 2.0 * p->axial / pulsation * p->EA};
}

static void pulley_of(const belt *p, double x, double y, double r, double side, int rotation, double *par)
{
  double k = p->normal * p->EA / (p->length * p->length),
         kt = p->tangential * p->EA / (p->length * p->length);
  for (int i = 0; i < CAP_BELT_PULLEY_NPARAM; i++) par[i] = 0.0;
  par[CAP_MOUNT_X] = x, par[CAP_MOUNT_Y] = y;
  par[CAP_MOUNT_ARM] = par[CAP_MOUNT_HUB] = -1;
  par[CAP_BELT_PULLEY_ROTATION] = rotation;
  par[CAP_BELT_PULLEY_RADIUS] = r;
  par[CAP_BELT_PULLEY_SIDE] = side;
  par[CAP_BELT_PULLEY_NORMAL] = k;
  par[CAP_BELT_PULLEY_DAMPING] = 2.0 * p->ratio * sqrt(k * p->mass);
  par[CAP_BELT_PULLEY_TOUCH] = 0.1 * p->load / k;
  par[CAP_BELT_PULLEY_TANGENTIAL] = kt;
  par[CAP_BELT_PULLEY_SHEAR] = 2.0 * p->ratio * sqrt(kt * p->mass);
  par[CAP_BELT_PULLEY_MU_STATIC] = par[CAP_BELT_PULLEY_MU_KINETIC] = p->mu;
}

static double rotary_of(const belt *p)
{
  return p->mass * p->length * p->length * p->length / 24.0;
}

static void add_segments(cap_builder *b, const belt *p, int count, int first, bool closed)
{
  capm_beam beam = beam_of(p);
  const double par[CAP_BEAM_NPARAM] = {beam.EA, beam.EI, beam.length, beam.axial, beam.bending, 0.0};
  const double drag[CAP_BELT_DRAG_NPARAM] = {p->drag, p->mass * p->length},
               rest[CAP_BELT_CONTACT_POINTS] = {0};
  static const char *const whole[1] = {"belt"};
  for (int k = 0; k < count; k++) {
    int i = first + 3 * k, j = closed && k + 1 == count ? first : i + 3;
    cap_builder_element(b, &cap_beam_type, "belt", i, j, par, NULL);
    cap_builder_element(b, &cap_belt_contact_type, "belt", i, j, &p->length, rest);
    cap_builder_element(b, &cap_belt_drag_type, "belt", i, j, drag, NULL);
  }
  cap_builder_common(b, &cap_beam_type, 1, whole, 0, NULL);
  cap_builder_common(b, &cap_belt_drag_type, 1, whole, 0, NULL);
}

static test_system finish(cap_builder *b)
{
  test_system s = {0};
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* Forces of the elements at the present state, [noutput]. */
static double *forces_of(const test_system *s)
{
  double *h = calloc((size_t)(s->m->nv + s->m->nx + s->m->noutput), sizeof(double));
  assert_non_null(h);
  cap_eval e = {.nlane = 1, .t = s->d->t, .q = s->d->q, .v = s->d->v, .x = s->d->x, .h = h};
  e.xdot = h + s->m->nv;
  e.force = h + s->m->nv + s->m->nx;
  cap_model_rates(s->m, &e);
  memmove(h, e.force, sizeof(double) * (size_t)s->m->noutput);
  return h;
}

/* ---- rope on a drum ------------------------------------------------------------------------------------ */

/* A rope that wraps a drum by the angle `wrap`, held at its first end, pulled by T2 at its last, over `lead`
 * segments of straight rope at either end. The drum turns slowly with the pull. */
static test_system open_drum(const belt *p, double r, double wrap, int lead, double T2, double surface)
{
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  int arc = (int)lround(wrap * r / p->length), count = arc + 2 * lead;
  double start = -M_PI_2, reach = lead * p->length; /* the rope comes along +x and turns to the left */
  cap_motion turning = {.mean = 0.0};
  double time[2] = {0.0, 1.0}, speed[2] = {surface / r, surface / r};
  assert_int_equal(cap_motion_shaft(cap_builder_arena(b), 2, time, speed, 0, NULL, NULL, NULL, &turning),
                   CAP_OK);
  int drum = cap_builder_driven(b, "drum", "rad", &turning), first = drum + 1;
  for (int k = 0; k <= count; k++) {
    double s = k * p->length - reach, on = fmin(fmax(s, 0.0), arc * p->length), angle = start + on / r;
    double off = s - on, x = r * cos(angle) - off * sin(angle), y = r * sin(angle) + off * cos(angle);
    double m = p->mass * p->length * (k % count ? 1.0 : 0.5);
    cap_motion at_x = {.mean = x}, at_y = {.mean = y};
    if (k == 0) {
      cap_builder_driven(b, "x", "m", &at_x);
      cap_builder_driven(b, "y", "m", &at_y);
    } else {
      cap_builder_dof(b, "x", "m", m, x, 0.0);
      cap_builder_dof(b, "y", "m", m, y, 0.0);
    }
    cap_builder_dof(b, "phi", "rad", rotary_of(p) * (k % count ? 1.0 : 0.5), angle + M_PI_2, 0.0);
  }
  add_segments(b, p, count, first, false);
  double pulley[CAP_BELT_PULLEY_NPARAM], way = start + M_PI_2 + arc * p->length / r;
  const char *const name[1] = {"drum"};
  pulley_of(p, 0.0, 0.0, r, 1.0, drum, pulley);
  cap_builder_common(b, &cap_belt_contact_type, 1, name, CAP_BELT_PULLEY_NPARAM, pulley);
  const double pull[2] = {T2 * cos(way), T2 * sin(way)};
  /* a damper as stiff as a wave along the rope takes it in and leaves none of the start */
  const double absorber[CAP_LINK_NPARAM] = {[CAP_LINK_C] = sqrt(p->EA * p->mass)};
  for (int i = 0; i < 2; i++) {
    cap_builder_element(b, &cap_weight_type, "pull", first + 3 * count + i, CAP_GROUND, &pull[i], NULL);
    cap_builder_element(b, &cap_link_type, "absorber", first + 3 * count + i, CAP_GROUND, absorber, NULL);
  }
  capm_beam beam = beam_of(p);
  cap_builder_fastest(b, cap_belt_pulsation_of(&beam, T2, p->mass, rotary_of(p), pulley));
  return finish(b);
}

static double drum_error(double wrap, double degrees, double EI, double mu)
{
  const double r = 0.1, T2 = 100.0;
  belt p = {.EA = 1e5,
            .EI = EI,
            .mass = 0.1,
            .normal = 4.0,
            .tangential = 4.0,
            .ratio = 0.2,
            .axial = 0.1,
            .mu = mu,
            .drag = 400.0,
            .load = T2 / r};
  p.length = wrap * r / round(wrap * 180.0 / M_PI / degrees);
  test_system s = open_drum(&p, r, wrap, 4, T2, 0.4);
  test_run(&s, &cap_leapfrog_type, 0.0, 0.06);
  double *force = forces_of(&s), T1 = force[s.m->batches[0].elem_adr + 1];
  double end = force[s.m->batches[0].elem_adr + s.m->batches[0].n - 2];
  double normal = 0.0, sliding = 0.0;
  for (int k = 0; k < s.m->batches[1].n; k++) {
    const double *out = force + s.m->batches[1].output_adr + k * CAP_BELT_CONTACT_NOUTPUT;
    normal += out[CAP_BELT_CONTACT_NORMAL], sliding += out[CAP_BELT_CONTACT_SLIDING];
  }
  double ratio = T1 / end, expected = exp(mu * wrap), error = ratio / expected - 1.0;
  double by_nodes = mu * wrap * (1.0 + mu * mu) * pow(degrees * M_PI / 180.0, 2) / 12.0;
  print_message(
      "  wrap %.0f deg by %4.1f deg: T1 %.3f, T2 %.4f N, ratio %.5f (%.5f), off %+.4f %%; nodes alone "
      "%+.3f %%; slides %.4f; balance %.1e, %ld steps\n",
      wrap * 180 / M_PI, degrees, T1, end, ratio, expected, 100 * error, 100 * by_nodes, sliding / normal,
      test_balance(&s, NULL), (long)s.d->steps[0]);
  free(force);
  test_system_close(&s);
  return error;
}

static void rope_on_a_drum(void **state)
{
  (void)state;
  assert_true(fabs(drum_error(M_PI, 10.0, 1e-6, 0.5)) < 1e-3);
  assert_true(fabs(drum_error(M_PI, 5.0, 1e-6, 0.5)) < 3e-4);
  assert_true(fabs(drum_error(2.0 * M_PI, 10.0, 1e-6, 0.5)) < 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rope_on_a_drum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
