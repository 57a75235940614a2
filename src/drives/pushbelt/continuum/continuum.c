/* drives/pushbelt/continuum/continuum.c — see continuum.h: keys, checks, and the point of the model's
 * loads. */
#include "drives/pushbelt/continuum/continuum.h"
#include "analysis/analysis.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- keys ---------------------------------------------------------------------------------------------- */

#define RATIOS(purpose, must)                                                                                \
  {                                                                                                          \
    .key = "ratio", .kind = CAP_FIELD_REALS, .offset = offsetof(cap_continuum_grid, ratio), .unit = "",      \
    .required = must, .low = 0, .low_open = true, .high = 100, .increasing = true, .least = 1, .most = 2001, \
    .example = "{from: 0.45, to: 2.4, count: 40, spacing: log}", .doc = purpose                              \
  }
#define TORQUES                                                                                              \
  {.key = "torque",                                                                                          \
   .kind = CAP_FIELD_REALS,                                                                                  \
   .offset = offsetof(cap_continuum_grid, torque),                                                           \
   .unit = "N m",                                                                                            \
   .low = -1e6,                                                                                              \
   .high = 1e6,                                                                                              \
   .increasing = true,                                                                                       \
   .least = 1,                                                                                               \
   .most = 2001,                                                                                             \
   .example = "[-120 N m, -60 N m, 0 N m]",                                                                  \
   .doc = "torques M_S on the secondary; negative: braking"},                                                \
  {                                                                                                          \
    .key = "torque_ratio", .kind = CAP_FIELD_REALS, .offset = offsetof(cap_continuum_grid, torque_ratio),    \
    .unit = "", .low = -2, .high = 2, .increasing = true, .least = 1, .most = 2001,                          \
    .example = "{from: 0, to: 0.8, count: 25}",                                                              \
    .doc = "instead of torque: torque ratios, transmitted torque over the largest transmissible one (eq. "   \
           "2.49 with S = 1); 1/1.3 is a clamping safety of 1.3"                                             \
  }
#define LOADS                                                                                                \
  {.key = "speed",                                                                                           \
   .kind = CAP_FIELD_REAL,                                                                                   \
   .offset = offsetof(cap_continuum_grid, speed),                                                            \
   .unit = "rad/s",                                                                                          \
   .fallback = "0 rad/s",                                                                                    \
   .low = 0,                                                                                                 \
   .high = 1e5,                                                                                              \
   .example = "2000 rpm",                                                                                    \
   .doc = "speed of the primary; 0: that of the model"},                                                     \
  {                                                                                                          \
    .key = "clamping", .kind = CAP_FIELD_REAL, .offset = offsetof(cap_continuum_grid, clamping),             \
    .unit = "N", .fallback = "0 N", .low = 0, .high = 1e9, .example = "16.46 kN",                            \
    .doc = "clamping force F_S of the secondary; 0: that of the model"                                       \
  }

static const cap_field map_fields[] = {
    RATIOS("geometric ratios i_g = r_S/r_P of the ring's centre line", true), TORQUES, LOADS, {0}};
static const cap_field slip_fields[] = {
    RATIOS("geometric ratio, one number; default: that of the model", false), TORQUES, LOADS, {0}};
static const cap_field shift_fields[] = {
    RATIOS("geometric ratios i_g = r_S/r_P of the ring's centre line", true),
    {.key = "thrust_ratio",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(cap_continuum_grid, thrust_ratio),
     .unit = "",
     .required = true,
     .low = 0,
     .low_open = true,
     .high = 100,
     .increasing = true,
     .least = 1,
     .most = 2001,
     .example = "{from: 0.7, to: 1.6, count: 19, spacing: log}",
     .doc = "thrust ratios i_F = F_P/F_S for which the rate of shifting is computed"},
    TORQUES,
    LOADS,
    {0}};

static const char *const models[] = {"compliant", "creep", "grashof", NULL};
static const char *const centres[] = {"axial", "normal", NULL};

#define GRID(name, table, text, sample)                                                                      \
  {                                                                                                          \
    .key = #name, .kind = CAP_FIELD_SECTION, .offset = offsetof(cap_continuum_spec, name), .fields = table,  \
    .present = 1 + offsetof(cap_continuum_spec, name.given), .example = sample, .doc = text                  \
  }

const cap_field cap_continuum_fields[] = {
    {.key = "model",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_continuum_spec, model),
     .choices = models,
     .fallback = "compliant",
     .example = "creep",
     .doc = "model of the arcs: compliant (radial creep in the tilted groove, flanks of stiffness "
            "flank.stiffness), creep (the same with rigid flanks; grashof with rigid sheaves) or grashof "
            "(idle and active arcs of Eytelwein and Grashof)"},
    {.key = "ring_bending",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_continuum_spec, bends),
     .fallback = "true",
     .example = "false",
     .doc = "compliant: how deep elements sink in at the entry of an arc with the bending stiffness of the "
            "rings; false: without"},
    {.key = "centre",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_continuum_spec, centre),
     .choices = centres,
     .fallback = "axial",
     .example = "normal",
     .doc = "where the groove is widest: at the centre of the axial force, which closes the power balance, "
            "or of the normal force, as published"},
    {.key = "tilt",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_continuum_spec, tilt),
     .unit = "rad",
     .fallback = "0 rad",
     .low = 0,
     .high = 0.1,
     .example = "1e-3 rad",
     .doc = "tilt Delta (Sattler) of both pulleys; 0: computed from forces and compliance of the sheaves"},
    {.key = "points",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_continuum_spec, places),
     .fallback = "121",
     .low = 2,
     .high = 10000,
     .example = "201",
     .was = "places",
     .doc = "number of points of the curves along each section: primary arc (PRI), upper strand (US), "
            "secondary arc (SEC), lower strand (LS)"},
    GRID(map, map_fields, "map of all results vs ratio and torque",
         "{ratio: {from: 0.45, to: 2.4, count: 40}, torque_ratio: {from: 0, to: 0.8, count: 25}}"),
    GRID(slip_curve, slip_fields, "slip curve: slip vs torque (eq. 5.1)",
         "{torque_ratio: {from: 0, to: 0.8, count: 81}}"),
    GRID(shift, shift_fields, "rate of shifting vs ratio and thrust ratio",
         "{ratio: [0.5, 1, 2], thrust_ratio: {from: 0.7, to: 1.6, count: 19}}"),
    {0}};

cap_variator_continuum_settings cap_continuum_settings(const cap_continuum_spec *s,
                                                       const cap_progress *progress)
{
  return (cap_variator_continuum_settings){.model = (cap_variator_continuum_model)s->model,
                                           .limp = !s->bends,
                                           .by = s->centre == 1 ? CAP_VARIATOR_CONTINUUM_NORMAL
                                                                : CAP_VARIATOR_CONTINUUM_AXIAL,
                                           .tilt = {s->tilt, s->tilt},
                                           .progress = progress};
}

cap_variator_loads cap_continuum_loads(const cap_variator *v, const cap_continuum_grid *g)
{
  cap_variator_loads load = v->load;
  if (g->speed > 0.0) load.speed = g->speed;
  if (g->clamping > 0.0) load.clamping = g->clamping;
  return load;
}

double cap_continuum_torque(const cap_variator_continuum *c, const cap_continuum_grid *g,
                            const cap_variator_loads *load, int k)
{
  if (g->torque.n > 0) return g->torque.v[k];
  return -g->torque_ratio.v[k] * cap_variator_continuum_capacity(c, load->ratio, load->clamping);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static void check_ratio(cap_variator_continuum *c, cap_variator_loads load, double ratio, const char *key,
                        cap_diag *diag)
{
  cap_variator_continuum_point p;
  cap_error error;
  load.ratio = ratio;
  load.torque = 0.0;
  if (cap_variator_continuum_solve(c, &load, 0.0, &p, &error) != CAP_OK)
    cap_diag_at(diag, key, "%s", error.text);
}

static void check_grid(const cap_model *m, cap_variator_continuum *c, const cap_continuum_grid *g,
                       const char *path, const char *name, bool needs_torque, cap_diag *diag)
{
  char key[192];
  if (!g->given) return;
  snprintf(key, sizeof key, "%s.%s", path, name);
  if (g->torque.n > 0 && g->torque_ratio.n > 0)
    cap_diag_at(diag, key, "torque conflicts with torque_ratio; specify only one");
  else if (needs_torque && g->torque.n == 0 && g->torque_ratio.n == 0)
    cap_diag_at(diag, key, "incomplete; expected torque or torque_ratio");
  if (!needs_torque && g->torque.n + g->torque_ratio.n > 1)
    cap_diag_at(diag, key, "expected at most one torque, the same at all points, got %d",
                g->torque.n + g->torque_ratio.n);
  snprintf(key, sizeof key, "%s.%s.ratio", path, name);
  cap_variator_loads load = cap_continuum_loads(cap_variator_of(m), g);
  if (!(load.clamping > 0.0)) {
    snprintf(key, sizeof key, "%s.%s.clamping", path, name);
    cap_diag_at(diag, key, "expected a clamping force above 0 N, here or in the model, got 0 N");
    return;
  }
  if (g->ratio.n > 0) check_ratio(c, load, g->ratio.v[0], key, diag);
  if (g->ratio.n > 1) check_ratio(c, load, g->ratio.v[g->ratio.n - 1], key, diag);
}

/* What keeps all points from shifting. */
static void check_shift(const cap_model *m, cap_variator_continuum *c, const cap_continuum_spec *s,
                        const char *path, cap_diag *diag)
{
  char key[192];
  cap_variator_continuum_point p;
  cap_error error;
  cap_variator_loads load = cap_continuum_loads(cap_variator_of(m), &s->shift);
  load.ratio = s->shift.ratio.v[0], load.torque = 0.0;
  snprintf(key, sizeof key, "%s.shift", path);
  if (s->model == CAP_VARIATOR_CONTINUUM_GRASHOF)
    cap_diag_at(diag, key,
                "shifting requires the creep mode; expected model: compliant or creep, got grashof");
  else if (cap_variator_continuum_solve(c, &load, 1e-6, &p, &error) == CAP_ERR_UNSUPPORTED)
    cap_diag_at(diag, key, "%s", error.text);
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  const cap_continuum_spec *s = self;
  const cap_variator_continuum_settings settings = cap_continuum_settings(s, m->progress);
  char key[192];
  (void)time;
  if (!cap_variator_of(m)) {
    cap_diag_at(diag, path, "requires a pushbelt; expected drive: variator");
    return;
  }
  cap_variator_continuum *c;
  cap_error error;
  if (cap_variator_continuum_create(cap_variator_of(m), &settings, &c, &error) != CAP_OK) {
    cap_diag_at(diag, path, "%s", error.text);
    return;
  }
  if (cap_variator_of(m)->load.clamping > 0.0)
    check_ratio(c, cap_variator_of(m)->load, cap_variator_of(m)->load.ratio, path, diag);
  else cap_diag_at(diag, path, "requires a clamping force at the start; expected more than 0 N, got 0 N");
  check_grid(m, c, &s->map, path, "map", true, diag);
  check_grid(m, c, &s->slip_curve, path, "slip_curve", true, diag);
  if (s->slip_curve.given && s->slip_curve.ratio.n > 1) {
    snprintf(key, sizeof key, "%s.slip_curve.ratio", path);
    cap_diag_at(diag, key, "expected one ratio of a slip curve, got %d; use map for several ratios",
                s->slip_curve.ratio.n);
  }
  check_grid(m, c, &s->shift, path, "shift", false, diag);
  if (s->shift.given) check_shift(m, c, s, path, diag);
  cap_variator_continuum_free(c);
}

/* ---- figures ------------------------------------------------------------------------------------------- */

typedef struct figure {
  cap_column what;
  size_t offset;
} figure;

#define OF(member) offsetof(cap_variator_continuum_point, member)
#define PULLEY(k, member)                                                                                    \
  (offsetof(cap_variator_continuum_point, pulley) + (k) * sizeof(cap_variator_continuum_pulley) +            \
   offsetof(cap_variator_continuum_pulley, member))

static const figure figures[] = {
    {{"thrust_ratio", "1", "thrust ratio i_F = F_P/F_S"}, OF(thrust_ratio)},
    {{"speed_ratio", "1", "speed ratio i_s = omega_P/omega_S"}, OF(speed_ratio)},
    {{"efficiency", "1", "efficiency: power out over power in; 0: no power transmitted"}, OF(efficiency)},
    {{"torque.primary", "N m", "torque on the primary, including all losses"}, PULLEY(0, torque)},
    {{"push.upper", "N", "push force in the upper strand"}, OF(push[0])},
    {{"push.lower", "N", "push force in the lower strand"}, OF(push[1])},
    {{"ring.upper", "N", "ring tension in the upper strand"}, OF(ring[0])},
    {{"ring.lower", "N", "ring tension in the lower strand"}, OF(ring[1])},
    {{"endplay", "m", "operational endplay"}, OF(endplay)},
    {{"prestress", "N", "push force added by missing endplay (prestress)"}, OF(prestress)},
    {{"torque.limit", "N m", "torque on the secondary at which macro slip begins"}, OF(torque_limit)},
    {{"torque.transition", "N m", "transition torque on the secondary: equal push forces in both strands"},
     OF(torque_transition)},
    {{"torque_ratio.reached", "1", "torque ratio: transmitted torque over the largest transmissible one"},
     OF(torque_ratio)},
    {{"force.primary", "N", "clamping force of the primary"}, PULLEY(0, clamping)},
    {{"speed.secondary", "rad/s", "speed of the secondary"}, PULLEY(1, speed)},
    {{"ring.share", "1", "share of the torque that the rings transmit"}, OF(ring_share)},
    {{"ring.growth", "1",
      "logarithm of the ratio of the ring tensions without centrifugal part, lower over upper strand"},
     OF(ring_growth)},
    {{"ring.slip", "m/s", "sliding velocity of the ring on the saddles of the smaller pulley"},
     OF(ring_slip)},
    {{"slip.creep", "1", "part of the slip due to creep in the grooves"}, OF(slip_creep)},
    {{"slip.chain", "1", "part of the slip due to compressive strain of the elements"}, OF(slip_chain)},
    {{"slip.gaps", "1", "part of the slip due to gaps between the elements"}, OF(slip_gaps)},
    {{"tilt.primary", "rad", "tilt Delta (Sattler) of the primary sheaves"}, PULLEY(0, tilt)},
    {{"tilt.secondary", "rad", "tilt Delta (Sattler) of the secondary sheaves"}, PULLEY(1, tilt)},
    {{"spiral.primary", "m", "spiral running on the primary: largest minus smallest running radius"},
     PULLEY(0, spiral)},
    {{"spiral.secondary", "m", "spiral running on the secondary: largest minus smallest running radius"},
     PULLEY(1, spiral)},
    {{"minimum.primary", "1",
      "position of the smallest running radius in the primary arc, as a fraction of the arc from the entry"},
     PULLEY(0, centre)},
    {{"minimum.secondary", "1",
      "position of the smallest running radius in the secondary arc, as a fraction of the arc from the "
      "entry"},
     PULLEY(1, centre)},
    {{"entry.primary", "1",
      "direction of slip at the entry of the primary, along the generatrix: -1 = inward, 1 = outward; "
      "compliant "
      "flanks"},
     PULLEY(0, entry)},
    {{"entry.secondary", "1",
      "direction of slip at the entry of the secondary, along the generatrix: -1 = inward, 1 = outward; "
      "compliant flanks"},
     PULLEY(1, entry)},
    {{"loss", "W", "total power lost"}, OF(loss)},
    {{"loss.longitudinal.primary", "W", "power lost by longitudinal friction of the flanks, primary"},
     PULLEY(0, loss_along)},
    {{"loss.radial.primary", "W", "power lost by radial friction of the flanks, primary"},
     PULLEY(0, loss_across)},
    {{"loss.longitudinal.secondary", "W", "power lost by longitudinal friction of the flanks, secondary"},
     PULLEY(1, loss_along)},
    {{"loss.radial.secondary", "W", "power lost by radial friction of the flanks, secondary"},
     PULLEY(1, loss_across)},
    {{"loss.ends.primary", "W",
      "power lost by friction of the flanks as elements sink in and come out, primary; compliant flanks"},
     PULLEY(0, loss_ends)},
    {{"loss.ends.secondary", "W",
      "power lost by friction of the flanks as elements sink in and come out, secondary; compliant flanks"},
     PULLEY(1, loss_ends)},
    {{"loss.ring", "W", "power lost by friction between rings and saddles"}, OF(loss_ring)},
    {{"loss.chain", "W", "power lost at the flanks by strain of the elements and gaps between them"},
     OF(loss_chain)},
    {{"radius.primary", "m", "running radius of the rocking edges on the primary"}, PULLEY(0, radius)},
    {{"radius.secondary", "m", "running radius of the rocking edges on the secondary"}, PULLEY(1, radius)},
};

int cap_continuum_count(void)
{
  return (int)(sizeof figures / sizeof *figures);
}

cap_column cap_continuum_figure(int k)
{
  return figures[k].what;
}

double cap_continuum_value(const cap_variator_continuum_point *point, int k)
{
  return *(const double *)(const void *)((const char *)point + figures[k].offset);
}

/* ---- the point ----------------------------------------------------------------------------------------- */

static const cap_column curve_columns[] = {
    {"push", "N", "push force between elements"},
    {"ring_tension", "N", "ring tension"},
    {"net", "N", "net force: ring tension minus push force and centrifugal force"},
    {"normal", "N", "normal force on one flank of a real element"},
    {"axial", "N", "axial force of a real element on one sheave"},
    {"longitudinal", "N", "longitudinal friction force on both flanks of a real element"},
    {"slip", "m/s",
     "longitudinal sliding velocity of the elements on the sheaves; positive: elements faster"},
    {"slip.radial", "m/s", "radial sliding velocity of the elements on the sheaves; positive: outward"},
    {"spiral", "m", "spiral running: running radius minus its mean over the arc"},
    {"section", "1",
     "section of the belt: 0 = primary arc, 1 = upper strand, 2 = secondary arc, 3 = lower strand"},
};
enum { CURVES = sizeof curve_columns / sizeof *curve_columns };

static cap_status put_curves(cap_run *run, const cap_variator_continuum *c,
                             const cap_variator_continuum_point *p, int n, double *work)
{
  const int64_t dims[1] = {4 * (int64_t)n};
  size_t m = 4 * (size_t)n;
  cap_sink *sink = run->sink;
  double *of[CURVES];
  for (int k = 0; k < CURVES; k++) of[k] = work + (size_t)(k + 1) * m;
  cap_variator_continuum_curves curves = {.along = work,
                                          .push = of[0],
                                          .ring = of[1],
                                          .net = of[2],
                                          .normal = of[3],
                                          .axial = of[4],
                                          .longitudinal = of[5],
                                          .slip = of[6],
                                          .radial = of[7],
                                          .radius = of[8],
                                          .section = of[9]};
  CAP_TRY(cap_variator_continuum_curve(c, p, n, &curves, run->error));
  CAP_TRY(sink->array(
      sink, (cap_column){"along", "m", "position along the belt, from the entry of the primary arc"}, 1, dims,
      NULL, work));
  for (int k = 0; k < CURVES; k++) CAP_TRY(sink->array(sink, curve_columns[k], 1, dims, "along", of[k]));
  return CAP_OK;
}

static const char *state_text(cap_variator_continuum_state state)
{
  if (state == CAP_VARIATOR_CONTINUUM_SLIDES_PRI) return "macro slip on the primary";
  if (state == CAP_VARIATOR_CONTINUUM_SLIDES_SEC) return "macro slip on the secondary";
  if (state == CAP_VARIATOR_CONTINUUM_UNSOLVED) return "no solution found";
  return "holds";
}

static cap_status put_point(cap_run *run, const cap_continuum_spec *s, const cap_variator_continuum *c,
                            const cap_variator_continuum_point *p)
{
  cap_sink *sink = run->sink;
  CAP_TRY(sink->open(sink, "continuum", "continuum", "continuum model of the pushbelt variator"));
  CAP_TRY(sink->text(sink, "state", state_text(p->state)));
  for (int k = 0; k < cap_continuum_count(); k++) {
    double value = cap_continuum_value(p, k);
    if (isfinite(value)) CAP_TRY(sink->number(sink, figures[k].what, value));
  }
  CAP_TRY(sink->number(
      sink,
      (cap_column){"slides", "1",
                   "macro slip: 0 = none, 1 = on the primary, 2 = on the secondary, 3 = no solution found"},
      (double)p->state));
  if (p->state == CAP_VARIATOR_CONTINUUM_HOLDS) {
    double *work = malloc((CURVES + 1) * 4 * (size_t)s->places * sizeof *work);
    if (!work) return cap_status_fail(run->error, CAP_ERR_NOMEM, "%s", cap_status_text(CAP_ERR_NOMEM));
    cap_status status = put_curves(run, c, p, s->places, work);
    free(work);
    CAP_TRY(status);
  }
  return sink->close(sink);
}

static cap_status run_point(cap_run *run, const cap_continuum_spec *s)
{
  const cap_variator *v = cap_variator_of(run->model);
  const cap_variator_continuum_settings settings = cap_continuum_settings(s, run->progress);
  cap_variator_continuum *c;
  cap_variator_continuum_point p;
  CAP_TRY(cap_variator_continuum_create(v, &settings, &c, run->error));
  cap_status status = cap_variator_continuum_solve(c, &v->load, 0.0, &p, run->error);
  if (status == CAP_OK) status = put_point(run, s, c, &p);
  cap_variator_continuum_free(c);
  return status;
}

static cap_status continuum(cap_run *run, const void *self)
{
  const cap_continuum_spec *s = self;
  CAP_TRY(run_point(run, s));
  if (s->map.given) CAP_TRY(cap_continuum_map(run, s));
  if (s->slip_curve.given) CAP_TRY(cap_continuum_map_slip(run, s));
  if (s->shift.given) CAP_TRY(cap_continuum_map_shift(run, s));
  return CAP_OK;
}

const char cap_continuum_doc[] =
    "continuum model of a pushbelt variator: thrust ratio, slip, forces, losses, maps, rate of shifting";

const cap_analysis cap_continuum_analysis = {
    .name = "continuum",
    .doc = cap_continuum_doc,
    .fields = cap_continuum_fields,
    .spec_size = sizeof(cap_continuum_spec),
    .contacts = true,
    .still = true,
    .marched = true,
    .check = check,
    .run = continuum,
};
