/* drives/oscillator/clearance_oscillator.c — masses with springs and clearances between them, forced
 * harmonically.
 *
 * Eq. (8) of Kim, Rook and Singh for one mass, any number of masses here. Springs may have terms of second,
 * third and fifth power (Duffing's oscillator). Bodies are named; springs, clearances and loads name the
 * bodies between which they act ("ground" is the fixed frame). One angular frequency drives all loads; each
 * load may
 * have a mean and several harmonics of it.
 */
#include "base/nearest.h"
#include "drives/drive.h"
#include "drives/registry.h"
#include "elements/elements.h"
#include "linalg/eigen.h"
#include "model/builder.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct body {
  const char *name;
  double mass, q0, v0;
} body;

typedef struct spring {
  const char *from, *to;
  double k, c, f0;
  double quadratic, cubic, quintic;
  bool polynomial; /* one of these was given */
} spring;

typedef struct stage {
  double at, stiffness;
} stage;

typedef struct clearance {
  int law;
  const char *from, *to;
  double stiffness, inner, low, high; /* gap */
  double left;                        /* stages */
  cap_list stages;
  int smoothing;
  double sigma;
  double h1, h2;
} clearance;

typedef struct harmonic {
  int order;
  double amplitude, phase;
} harmonic;

typedef struct load {
  const char *on;
  double mean;
  cap_input_key mean_input;
  cap_list harmonics;
} load;

typedef struct spec {
  cap_list bodies, springs, clearances, loads;
  struct {
    double angular_frequency;
  } forcing;
  double start;
} spec;

#define REAL(type, key_, member, unit_, ...)                                                                 \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(type, member), .unit = unit_, __VA_ARGS__        \
  }
#define TEXT(type, key_, member, ...)                                                                        \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_TEXT, .offset = offsetof(type, member), __VA_ARGS__                       \
  }
#define LIST(type, key_, member, fields_, item, ...)                                                         \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_LIST, .offset = offsetof(type, member), .fields = fields_,                \
    .item_size = sizeof(item), __VA_ARGS__                                                                   \
  }
#define ENDS(type)                                                                                           \
  TEXT(type, "from", from, .required = true, .example = "gear", .doc = "body at the first end"),             \
      TEXT(type, "to", to, .fallback = "ground", .example = "ground",                                        \
           .doc =                                                                                            \
               "body at the second end, or ground; the deflection is the position of from minus that of to")

static const cap_field body_fields[] = {
    TEXT(body, "name", name, .means = CAP_MEANS_NAME, .required = true, .example = "gear",
         .doc = "name of the body, used by springs, clearances and loads"),
    REAL(body, "mass", mass, "kg", .required = true, .low = 0, .low_open = true, .high = INFINITY,
         .example = "1 kg", .doc = "mass"),
    REAL(body, "position", q0, "m", .fallback = "0 m", .example = "0.2 m", .doc = "initial position"),
    REAL(body, "velocity", v0, "m/s", .fallback = "0 m/s", .example = "0 m/s", .doc = "initial velocity"),
    {0}};

#define POWER(key_, member, unit_, example_, doc_)                                                           \
  REAL(spring, key_, member, unit_, .fallback = "0 " unit_, .example = example_, .doc = doc_,                \
       .present = 1 + offsetof(spring, polynomial))

static const cap_field spring_fields[] = {
    ENDS(spring),
    REAL(spring, "stiffness", k, "N/m", .fallback = "0 N/m", .low = 0, .high = INFINITY, .example = "1 N/m",
         .doc = "stiffness"),
    REAL(spring, "damping", c, "N s/m", .fallback = "0 N s/m", .low = 0, .high = INFINITY,
         .example = "0.05 N s/m", .doc = "viscous damping"),
    REAL(spring, "preload", f0, "N", .fallback = "0 N", .example = "0 N", .doc = "force at zero deflection"),
    POWER("quadratic", quadratic, "N/m2", "0.1 N/m2", "quadratic coefficient: force per squared deflection"),
    POWER("cubic", cubic, "N/m3", "0.5 N/m3",
          "cubic coefficient: force per cubed deflection; hardening if positive, softening if negative"),
    POWER("quintic", quintic, "N/m5", "0.01 N/m5",
          "quintic coefficient: force per fifth power of the deflection"),
    {0}};

static const char *const smoothings[] = {"exact", "g1", "g2", "g3", "g4", NULL};

#define SMOOTH                                                                                               \
  {.key = "smoothing",                                                                                       \
   .kind = CAP_FIELD_CHOICE,                                                                                 \
   .offset = offsetof(clearance, smoothing),                                                                 \
   .choices = smoothings,                                                                                    \
   .fallback = "exact",                                                                                      \
   .example = "g1",                                                                                          \
   .doc = "exact corners, or corners rounded by x tanh (g1), x arctan (g2), log cosh (g3) or a quartic "     \
          "spline (g4)"},                                                                                    \
      REAL(clearance, "sigma", sigma, "", .fallback = "100", .low = 0, .low_open = true, .high = 1e12,       \
           .example = "100",                                                                                 \
           .doc = "sharpness of the corners: per metre for g1 to g3; for g4 the rounding extends over half " \
                  "the gap divided by sigma")

static const cap_field gap_fields[] = {
    ENDS(clearance),
    REAL(clearance, "stiffness", stiffness, "N/m", .required = true, .low = 0, .low_open = true,
         .high = INFINITY, .example = "1 N/m", .doc = "stiffness outside the gap"),
    REAL(clearance, "inner_ratio", inner, "", .fallback = "0", .low = 0, .high = 1, .example = "0.18",
         .was = "inner", .doc = "ratio alpha of the stiffness inside the gap to that outside"),
    REAL(clearance, "low", low, "m", .required = true, .example = "-0.1745 m",
         .doc = "lower edge of the gap"),
    REAL(clearance, "high", high, "m", .required = true, .example = "0.1745 m",
         .doc = "upper edge of the gap"),
    SMOOTH,
    REAL(clearance, "H1", h1, "N", .fallback = "0 N", .low = 0, .high = INFINITY, .example = "0.005 N",
         .doc = "height of the friction hysteresis inside the gap"),
    REAL(clearance, "H2", h2, "N", .fallback = "0 N", .low = 0, .high = INFINITY, .example = "0.02 N",
         .doc = "height of the friction hysteresis outside the gap"),
    {0}};

static const cap_field stage_fields[] = {REAL(stage, "at", at, "m", .required = true, .example = "0.1 m",
                                              .doc = "deflection at which the stiffness changes"),
                                         REAL(stage, "stiffness", stiffness, "N/m", .required = true,
                                              .low = 0, .high = INFINITY, .example = "1 N/m",
                                              .doc = "stiffness above this deflection"),
                                         {0}};

static const cap_field stages_fields[] = {
    ENDS(clearance),
    REAL(clearance, "stiffness_below", left, "N/m", .required = true, .low = 0, .high = INFINITY,
         .example = "1 N/m", .was = "left", .doc = "stiffness below the first stage"),
    LIST(clearance, "stages", stages, stage_fields, stage, .required = true, .least = 1,
         .most = CAPM_CLEARANCE_STAGES,
         .example = "[{at: -0.1 m, stiffness: 0 N/m}, {at: 0.2 m, stiffness: 1 N/m}]",
         .doc = "stages of the stiffness, in ascending order"),
    SMOOTH,
    {0}};

static const cap_variant clearance_laws[] = {
    {"gap",
     "two-stage spring: inner stiffness between low and high, full stiffness outside (eq. 1), with friction "
     "hysteresis (eq. 3)",
     gap_fields},
    {"stages", "any number of stages, asymmetric; zero force at zero deflection", stages_fields},
    {0}};

static const cap_field harmonic_fields[] = {
    {.key = "order",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(harmonic, order),
     .fallback = "1",
     .low = 1,
     .high = 1000,
     .example = "1",
     .doc = "multiple of the angular frequency of the forcing"},
    REAL(harmonic, "amplitude", amplitude, "N", .required = true, .example = "0.008 N", .doc = "amplitude"),
    REAL(harmonic, "phase", phase, "rad", .fallback = "0 rad", .example = "0 rad",
         .doc = "phase of the sine"),
    {0}};

static const cap_field load_fields[] = {
    TEXT(load, "on", on, .required = true, .example = "gear", .doc = "body to which the load is applied"),
    REAL(load, "mean", mean, "N", .input = 1 + offsetof(load, mean_input), .fallback = "0 N",
         .example = "0.05 N", .doc = "mean force"),
    LIST(load, "harmonics", harmonics, harmonic_fields, harmonic, .most = 32,
         .example = "[{amplitude: 0.008 N}]",
         .doc = "terms amplitude sin(order Omega t + phase), any number"),
    {0}};

static const cap_field forcing_fields[] = {{.key = "angular_frequency",
                                            .kind = CAP_FIELD_REAL,
                                            .offset = 0,
                                            .unit = "rad/s",
                                            .required = true,
                                            .low = 0,
                                            .low_open = true,
                                            .high = INFINITY,
                                            .example = "1 rad/s",
                                            .was = "pulsation",
                                            .hertz = "frequency",
                                            .doc = "angular frequency Omega of all loads"},
                                           {0}};

static const cap_field fields[] = {
    LIST(spec, "bodies", bodies, body_fields, body, .required = true, .least = 1, .most = 1000,
         .example = "[{name: gear, mass: 1 kg}]", .doc = "masses, each with one coordinate"),
    LIST(spec, "springs", springs, spring_fields, spring, .most = 4000,
         .example = "[{from: gear, damping: 0.05 N s/m}]",
         .doc = "springs and dampers, linear or polynomial"),
    {.key = "clearances",
     .kind = CAP_FIELD_STEPS,
     .offset = offsetof(spec, clearances),
     .variants = clearance_laws,
     .item_size = sizeof(clearance),
     .most = 1000,
     .example = "[{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]",
     .doc = "springs with clearance"},
    LIST(spec, "loads", loads, load_fields, load, .most = 1000,
         .example = "[{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]",
         .doc = "forces on bodies"),
    {.key = "forcing",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, forcing),
     .fields = forcing_fields,
     .required = true,
     .doc = "excitation common to all loads"},
    REAL(spec, "start", start, "s", .fallback = "0 s", .example = "0 s", .doc = "start time"),
    {0}};

/* ---- names --------------------------------------------------------------------------------------------- */

enum { UNKNOWN_BODY = -2 };

static int find_body(const spec *s, const char *name)
{
  const body *bodies = s->bodies.items;
  if (strcmp(name, "ground") == 0) return CAP_GROUND;
  for (int k = 0; k < s->bodies.n; k++)
    if (strcmp(bodies[k].name, name) == 0) return k;
  return UNKNOWN_BODY;
}

static void refuse_body(const spec *s, const char *name, const char *path, cap_diag *diag)
{
  const body *bodies = s->bodies.items;
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int k = 0; k < s->bodies.n; k++) cap_nearest_offer(&nearest, bodies[k].name);
  cap_diag_at(diag, path, "unknown body; expected the name of a body, got \"%s\"%s%s%s", name,
              nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
              nearest.best ? "\"?" : "");
}

static void check_body(const spec *s, const char *name, bool ground, const char *path, cap_diag *diag)
{
  int found = find_body(s, name);
  if (found == UNKNOWN_BODY) refuse_body(s, name, path, diag);
  if (found == CAP_GROUND && !ground) cap_diag_at(diag, path, "expected a body, got the ground");
}

static void check_ends(const spec *s, const char *list, int k, const char *inner, const char *from,
                       const char *to, cap_diag *diag)
{
  char path[128];
  snprintf(path, sizeof path, "%s[%d]%s.from", list, k, inner);
  check_body(s, from, false, path, diag);
  snprintf(path, sizeof path, "%s[%d]%s.to", list, k, inner);
  check_body(s, to, true, path, diag);
  if (strcmp(from, to) == 0) cap_diag_at(diag, path, "expected two different bodies, got \"%s\" twice", to);
}

static void check_clearance(const clearance *c, int k, cap_diag *diag)
{
  char path[128];
  if (c->law == 0 && !(c->low < c->high)) {
    snprintf(path, sizeof path, "clearances[%d].gap.high", k);
    cap_diag_at(diag, path, "expected an edge above the lower one (%s), got %s",
                cap_diag_quantity(diag, path, c->low, "m"), cap_diag_quantity(diag, path, c->high, "m"));
  }
  const stage *stages = c->stages.items;
  for (int j = 1; c->law == 1 && j < c->stages.n; j++)
    if (!(stages[j].at > stages[j - 1].at)) {
      snprintf(path, sizeof path, "clearances[%d].stages.stages[%d].at", k, j);
      cap_diag_at(diag, path, "expected a deflection above that of the stage before (%s), got %s",
                  cap_diag_quantity(diag, path, stages[j - 1].at, "m"),
                  cap_diag_quantity(diag, path, stages[j].at, "m"));
    }
}

static void check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  const body *bodies = s->bodies.items;
  const spring *springs = s->springs.items;
  const clearance *clearances = s->clearances.items;
  const load *loads = s->loads.items;
  char path[128];
  for (int k = 0; k < s->bodies.n; k++) {
    snprintf(path, sizeof path, "bodies[%d].name", k);
    int found = find_body(s, bodies[k].name);
    if (found == CAP_GROUND)
      cap_diag_at(diag, path,
                  "reserved name; expected a name other than \"ground\", which is the fixed frame");
    else if (found != k)
      cap_diag_at(diag, path, "duplicate name; expected unique names of bodies, got \"%s\" twice",
                  bodies[k].name);
  }
  for (int k = 0; k < s->springs.n; k++)
    check_ends(s, "springs", k, "", springs[k].from, springs[k].to, diag);
  for (int k = 0; k < s->clearances.n; k++) {
    check_ends(s, "clearances", k, clearances[k].law == 0 ? ".gap" : ".stages", clearances[k].from,
               clearances[k].to, diag);
    check_clearance(&clearances[k], k, diag);
  }
  for (int k = 0; k < s->loads.n; k++) {
    snprintf(path, sizeof path, "loads[%d].on", k);
    check_body(s, loads[k].on, false, path, diag);
  }
}

/* ---- the system ---------------------------------------------------------------------------------------- */

static capm_clearance law_of(const clearance *c)
{
  capm_clearance p = {.kind = c->smoothing, .sigma = c->sigma};
  double left = c->law == 0 ? c->stiffness : c->left, before = left;
  if (c->law == 0) {
    double jump = (1.0 - c->inner) * c->stiffness;
    p.nstage = 2;
    p.at[0] = p.low = c->low;
    p.at[1] = p.high = c->high;
    p.jump[0] = -jump;
    p.jump[1] = jump;
    p.h1 = c->h1;
    p.h2 = c->h2;
  }
  const stage *stages = c->stages.items;
  for (int j = 0; c->law == 1 && j < c->stages.n; j++) {
    p.at[j] = stages[j].at;
    p.jump[j] = stages[j].stiffness - before;
    before = stages[j].stiffness;
    p.nstage = j + 1;
  }
  double span = p.nstage > 1 ? p.at[p.nstage - 1] - p.at[0] : 2.0 * fabs(p.at[0]);
  p.width = 0.5 * span / c->sigma;
  capm_clearance_finish(&p, left);
  return p;
}

/* Which body a channel is of, said where there are several. */
static const char *label_of(const spec *s, const char *what, const char *whose, char *label, size_t size)
{
  if (s->bodies.n == 1) return what;
  snprintf(label, size, "%s of %s", what, whose);
  return label;
}

static cap_status add_loads(const spec *s, cap_builder *b, cap_error *error)
{
  const load *loads = s->loads.items;
  for (int k = 0; k < s->loads.n; k++) {
    const harmonic *harmonics = loads[k].harmonics.items;
    int i = find_body(s, loads[k].on), count = loads[k].harmonics.n ? loads[k].harmonics.n : 1;
    const cap_input_key *input = &loads[k].mean_input;
    cap_term *terms = CAP_ARENA_NEW(cap_builder_arena(b), cap_term, count + 1);
    if (!terms) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    char name[128], label[200];
    for (int h = 0; h < count; h++) {
      double par[CAP_LOAD_NPARAM] = {h == 0 && !input->name ? loads[k].mean : 0.0, 0.0,
                                     s->forcing.angular_frequency, 0.0};
      if (loads[k].harmonics.n) {
        par[CAP_LOAD_AMPLITUDE] = harmonics[h].amplitude;
        par[CAP_LOAD_ANGULAR_FREQUENCY] = harmonics[h].order * s->forcing.angular_frequency;
        par[CAP_LOAD_PHASE] = harmonics[h].phase;
      }
      snprintf(name, sizeof name, "%s.load%d", loads[k].on, h + 1);
      int element = cap_builder_element(b, &cap_load_type, name, i, CAP_GROUND, par, NULL);
      terms[h] = (cap_term){CAP_TERM_FORCE, element, -1.0};
    }
    if (input->name) {
      snprintf(name, sizeof name, "%s.load_input", loads[k].on);
      int element = cap_load_input_add(b, name, i, input, loads[k].mean, 1.0);
      terms[count++] = (cap_term){CAP_TERM_FORCE, element, -1.0};
    }
    snprintf(name, sizeof name, "%s.load", loads[k].on);
    cap_builder_channel(b, name, "N", label_of(s, "applied load", loads[k].on, label, sizeof label), count,
                        terms);
    cap_builder_film(b);
  }
  return CAP_OK;
}

static void add_clearances(const spec *s, cap_builder *b)
{
  const clearance *clearances = s->clearances.items;
  for (int k = 0; k < s->clearances.n; k++) {
    const clearance *c = &clearances[k];
    double par[CAP_CLEARANCE_NPARAM];
    char name[128], channel[160], what[2][40];
    int i = find_body(s, c->from), j = find_body(s, c->to);
    capm_clearance p = law_of(c);
    cap_clearance_params(&p, par);
    snprintf(name, sizeof name, s->clearances.n > 1 ? "clearance%d" : "clearance", k + 1);
    snprintf(what[0], sizeof what[0], "deflection of the %.20s", name);
    snprintf(what[1], sizeof what[1], "force of the %.20s", name);
    cap_term force = {CAP_TERM_FORCE, cap_builder_element(b, &cap_clearance_type, name, i, j, par, NULL),
                      1.0};
    cap_term deflection[2] = {{CAP_TERM_Q, i, 1.0}, {CAP_TERM_Q, j, -1.0}};
    snprintf(channel, sizeof channel, "%s.deflection", name);
    cap_builder_channel(b, channel, "m", what[0], j == CAP_GROUND ? 1 : 2, deflection);
    cap_builder_film(b);
    snprintf(channel, sizeof channel, "%s.force", name);
    cap_builder_channel(b, channel, "N", what[1], 1, &force);
    cap_builder_film(b);
  }
}

static void add_spring(const spec *s, int k, cap_builder *b)
{
  const spring *springs = s->springs.items, *own = &springs[k];
  double par[CAP_LINK_NPARAM] = {own->k, own->c, own->f0};
  int i = find_body(s, own->from), j = find_body(s, own->to);
  char name[64];
  snprintf(name, sizeof name, s->springs.n > 1 ? "spring%d" : "spring", k + 1);
  cap_builder_element(b, &cap_link_type, name, i, j, par, NULL);
  if (!own->polynomial) return;
  double powers[CAP_POLYNOMIAL_NPARAM] = {own->quadratic, own->cubic, own->quintic};
  snprintf(name, sizeof name, s->springs.n > 1 ? "spring%d.polynomial" : "spring.polynomial", k + 1);
  cap_builder_element(b, &cap_polynomial_type, name, i, j, powers, NULL);
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static const char *shown_name(const char *name)
{
  return strcmp(name, "ground") == 0 ? NULL : name;
}

/* Where the law is softest: the gap; not a number where it goes on without end. */
static void gap_of(const capm_clearance *p, double left, double gap[2], double *right)
{
  double slope = left, least = left;
  gap[0] = NAN;
  gap[1] = p->nstage ? p->at[0] : NAN;
  for (int j = 0; j < p->nstage; j++) {
    slope += p->jump[j];
    if (slope >= least) continue;
    least = slope;
    gap[0] = p->at[j];
    gap[1] = j + 1 < p->nstage ? p->at[j + 1] : NAN;
  }
  *right = slope;
}

static void draw_clearances(const spec *s, cap_builder *b, double *values, const char **names)
{
  const clearance *clearances = s->clearances.items;
  int n = s->clearances.n;
  double *low = values, *high = values + n, *left = values + 2 * n, *right = values + 3 * n;
  for (int k = 0; k < n; k++) {
    double gap[2];
    capm_clearance p = law_of(&clearances[k]);
    left[k] = clearances[k].law == 0 ? clearances[k].stiffness : clearances[k].left;
    gap_of(&p, left[k], gap, &right[k]);
    low[k] = gap[0];
    high[k] = gap[1];
    names[k] = cap_arena_format(cap_builder_arena(b), n > 1 ? "clearance%d" : "clearance", k + 1);
  }
  cap_builder_scene_names(b, "clearance.names", n, names);
  for (int k = 0; k < n; k++) names[k] = shown_name(clearances[k].from);
  cap_builder_scene_names(b, "clearance.from", n, names);
  for (int k = 0; k < n; k++) names[k] = shown_name(clearances[k].to);
  cap_builder_scene_names(b, "clearance.to", n, names);
  cap_builder_scene_array(b, "clearance.low", "m", "lower edge of the gap; not a number: none", n, low);
  cap_builder_scene_array(b, "clearance.high", "m", "upper edge of the gap; not a number: none", n, high);
  cap_builder_scene_array(b, "clearance.left", "N/m", "stiffness far below the gap", n, left);
  cap_builder_scene_array(b, "clearance.right", "N/m", "stiffness far above the gap", n, right);
}

static cap_status draw(const spec *s, cap_builder *b, cap_error *error)
{
  const body *bodies = s->bodies.items;
  const spring *springs = s->springs.items;
  int most = s->bodies.n + s->springs.n + s->clearances.n;
  double *values = CAP_ARENA_NEW(cap_builder_arena(b), double, 4 * most);
  const char **names = CAP_ARENA_NEW(cap_builder_arena(b), const char *, most);
  if (!values || !names) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < s->bodies.n; k++) names[k] = bodies[k].name, values[k] = bodies[k].mass;
  cap_builder_scene_names(b, "bodies", s->bodies.n, names);
  cap_builder_scene_array(b, "body.mass", "kg", "mass of each body", s->bodies.n, values);
  for (int k = 0; k < s->springs.n; k++) names[k] = shown_name(springs[k].from), values[k] = springs[k].k;
  cap_builder_scene_names(b, "spring.from", s->springs.n, names);
  cap_builder_scene_array(b, "spring.stiffness", "N/m", "stiffness of each spring", s->springs.n, values);
  for (int k = 0; k < s->springs.n; k++) names[k] = shown_name(springs[k].to);
  cap_builder_scene_names(b, "spring.to", s->springs.n, names);
  draw_clearances(s, b, values, names);
  return CAP_OK;
}

static cap_status build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  const body *bodies = s->bodies.items;
  char name[160], label[200];
  cap_builder_start(b, s->start);
  for (int k = 0; k < s->bodies.n; k++) {
    int i = cap_builder_dof(b, bodies[k].name, "m", bodies[k].mass, bodies[k].q0, bodies[k].v0);
    cap_term position = {CAP_TERM_Q, i, 1.0}, velocity = {CAP_TERM_V, i, 1.0};
    snprintf(name, sizeof name, "%s.position", bodies[k].name);
    cap_builder_channel(b, name, "m", label_of(s, "position", bodies[k].name, label, sizeof label), 1,
                        &position);
    cap_builder_film(b);
    snprintf(name, sizeof name, "%s.velocity", bodies[k].name);
    cap_builder_channel(b, name, "m/s", label_of(s, "velocity", bodies[k].name, label, sizeof label), 1,
                        &velocity);
    cap_builder_film(b);
  }
  for (int k = 0; k < s->springs.n; k++) add_spring(s, k, b);
  add_clearances(s, b);
  CAP_TRY(add_loads(s, b, error));
  cap_builder_period(b, 2.0 * M_PI / s->forcing.angular_frequency);
  return draw(s, b, error);
}

/* ---- for people ---------------------------------------------------------------------------------------- */

static void add_stiffness(double *k, int n, int i, int j, double stiffness)
{
  if (i >= 0) k[i * n + i] += stiffness;
  if (j >= 0) k[j * n + j] += stiffness;
  if (i < 0 || j < 0) return;
  k[i * n + j] -= stiffness;
  k[j * n + i] -= stiffness;
}

/* Natural frequencies of the linear system with each clearance in its softest stage, or closed. */
static void add_frequencies(const spec *s, bool closed, cap_summary *out)
{
  int n = s->bodies.n;
  const body *bodies = s->bodies.items;
  const spring *springs = s->springs.items;
  const clearance *clearances = s->clearances.items;
  cap_arena arena = {0};
  double *k = CAP_ARENA_NEW(&arena, double, (n * n)), *m = CAP_ARENA_NEW(&arena, double, (n * n));
  double *values = CAP_ARENA_NEW(&arena, double, n);
  if (!k || !m || !values) {
    out->exhausted = true;
    cap_arena_free(&arena);
    return;
  }
  for (int i = 0; i < n; i++) m[i * n + i] = bodies[i].mass;
  for (int i = 0; i < s->springs.n; i++)
    add_stiffness(k, n, find_body(s, springs[i].from), find_body(s, springs[i].to), springs[i].k);
  for (int i = 0; i < s->clearances.n; i++) {
    capm_clearance p = law_of(&clearances[i]);
    double left = clearances[i].law == 0 ? clearances[i].stiffness : clearances[i].left, slope = left;
    double least = left, most = left;
    for (int j = 0; j < p.nstage; j++) {
      slope += p.jump[j];
      least = fmin(least, slope), most = fmax(most, slope);
    }
    add_stiffness(k, n, find_body(s, clearances[i].from), find_body(s, clearances[i].to),
                  closed ? most : least);
  }
  if (capm_eigen_symmetric(n, k, m, values, NULL) == CAP_OK)
    for (int i = 0; i < n; i++) {
      char name[32];
      snprintf(name, sizeof name, "mode %d", i + 1);
      cap_summary_item(out, name);
      cap_summary_number(out, closed ? "stiffest stages" : "softest stages", "Hz",
                         sqrt(fmax(values[i], 0.0)) / (2.0 * M_PI));
    }
  cap_summary_item(out, NULL);
  cap_arena_free(&arena);
}

static void summarise(const void *self, const void *description, const cap_model *model, cap_summary *out)
{
  const spec *s = self;
  const body *bodies = s->bodies.items;
  const clearance *clearances = s->clearances.items;
  const spring *springs = s->springs.items;
  (void)description, (void)model;
  cap_summary_begin(out, "bodies");
  for (int k = 0; k < s->bodies.n; k++) {
    cap_summary_item(out, bodies[k].name);
    cap_summary_number(out, "mass", "kg", bodies[k].mass);
    cap_summary_number(out, "position at the start", "mm", bodies[k].q0);
    cap_summary_number(out, "velocity at the start", "mm/s", bodies[k].v0);
  }
  if (s->springs.n) cap_summary_begin(out, "springs");
  for (int k = 0; k < s->springs.n; k++) {
    char name[160];
    snprintf(name, sizeof name, "%s - %s", springs[k].from, springs[k].to);
    cap_summary_item(out, name);
    cap_summary_number(out, "stiffness", "N/m", springs[k].k);
    cap_summary_number(out, "damping", "N s/m", springs[k].c);
    if (springs[k].polynomial) cap_summary_text(out, "law", "polynomial");
  }
  if (s->clearances.n) cap_summary_begin(out, "clearances");
  for (int k = 0; k < s->clearances.n; k++) {
    double gap[2], right, left = clearances[k].law == 0 ? clearances[k].stiffness : clearances[k].left;
    capm_clearance p = law_of(&clearances[k]);
    char name[160];
    gap_of(&p, left, gap, &right);
    snprintf(name, sizeof name, "%s - %s", clearances[k].from, clearances[k].to);
    cap_summary_item(out, name);
    cap_summary_number(out, "lower edge", "mm", gap[0]);
    cap_summary_number(out, "upper edge", "mm", gap[1]);
    cap_summary_number(out, "clearance", "mm", gap[1] - gap[0]);
    cap_summary_number(out, "stiffness below", "N/m", left);
    cap_summary_number(out, "stiffness above", "N/m", right);
  }
  cap_summary_begin(out, "natural frequencies without damping, linear");
  add_frequencies(s, false, out);
  add_frequencies(s, true, out);
  cap_summary_begin(out, "excitation");
  cap_summary_number(out, "frequency", "Hz", s->forcing.angular_frequency / (2.0 * M_PI));
  cap_summary_number(out, "loads", "", s->loads.n);
}

typedef enum link_kind { LINK_SPRING, LINK_DAMPER, LINK_GAP } link_kind;

/* Bodies in a row from the ground on; springs and clearances between two of them each have a height y. */
static void draw_link(const spec *s, const char *from, const char *to, double y, link_kind kind,
                      const char *text, cap_drawing *d)
{
  int a = find_body(s, from), b = find_body(s, to), low = a < b ? a : b, high = a < b ? b : a;
  double x0 = low < 0 ? 0.0 : 2.0 + 3.0 * low + 1.0, x1 = 2.0 + 3.0 * high;
  double middle = 0.5 * (x0 + x1);
  if (kind == LINK_GAP) {
    cap_drawing_spring(d, x0, y, middle - 0.1, y, 0.3);
    cap_drawing_line(d, CAP_DRAWING_GUIDE, middle - 0.1, y - 0.25, middle - 0.1, y + 0.25);
    cap_drawing_line(d, CAP_DRAWING_GUIDE, middle + 0.1, y - 0.25, middle + 0.1, y + 0.25);
    cap_drawing_line(d, CAP_DRAWING_ARM, middle + 0.1, y, x1, y);
  } else if (kind == LINK_DAMPER) cap_drawing_damper(d, x0, y, x1, y, 0.3);
  else cap_drawing_spring(d, x0, y, x1, y, 0.3);
  cap_drawing_text(d, middle, y + 0.2, 0.0, 1.0, "\n%s", text);
}

static void draw_scheme(const void *self, const void *description, const cap_model *model, cap_drawing *d)
{
  const spec *s = self;
  const body *bodies = s->bodies.items;
  const spring *springs = s->springs.items;
  const clearance *clearances = s->clearances.items;
  const load *loads = s->loads.items;
  int rows = s->springs.n + s->clearances.n;
  double height = 0.5 + 0.9 * rows;
  char text[128];
  (void)description, (void)model;
  d->scheme = true;
  cap_drawing_wall(d, 0.0, height, 0.0, 0.0, -0.15);
  for (int k = 0; k < s->bodies.n; k++) {
    double x = 2.0 + 3.0 * k;
    cap_drawing_box(d, CAP_DRAWING_PART, x, 0.0, 1.0, height);
    cap_drawing_text(d, x + 0.5, 0.0, 0.0, -1.0, "%s\n%.4g kg", bodies[k].name, bodies[k].mass);
  }
  for (int k = 0; k < s->springs.n; k++) {
    bool damper = springs[k].k == 0.0 && !springs[k].polynomial && springs[k].c > 0.0;
    if (damper) snprintf(text, sizeof text, "%.4g N s/m", springs[k].c);
    else snprintf(text, sizeof text, "%.4g N/m%s", springs[k].k, springs[k].polynomial ? ", polynomial" : "");
    draw_link(s, springs[k].from, springs[k].to, 0.4 + 0.9 * k, damper ? LINK_DAMPER : LINK_SPRING, text, d);
  }
  for (int k = 0; k < s->clearances.n; k++) {
    double gap[2], right, left = clearances[k].law == 0 ? clearances[k].stiffness : clearances[k].left;
    capm_clearance p = law_of(&clearances[k]);
    gap_of(&p, left, gap, &right);
    if (isfinite(gap[1] - gap[0])) snprintf(text, sizeof text, "clearance %.4g mm", 1e3 * (gap[1] - gap[0]));
    else snprintf(text, sizeof text, "stop");
    draw_link(s, clearances[k].from, clearances[k].to, 0.4 + 0.9 * (s->springs.n + k), LINK_GAP, text, d);
  }
  for (int k = 0; k < s->loads.n; k++) {
    double x = 2.0 + 3.0 * find_body(s, loads[k].on) + 1.0, y = height - 0.25;
    cap_drawing_arrow(d, x, y, x + 0.7, y);
    cap_drawing_text(d, x + 0.7, y, 1.0, 0.0, "\nload, %.4g Hz", s->forcing.angular_frequency / (2.0 * M_PI));
  }
}

const cap_drive cap_clearance_oscillator_drive = {
    .name = "clearance-oscillator",
    .doc = "masses connected by springs and clearances, with harmonic forcing: backlash, a stop, an "
           "overrunning clutch (Kim, Rook and Singh)",
    .starter = "clearance_oscillator",
    .fields = fields,
    .spec_size = sizeof(spec),
    .check = check,
    .build = build,
    .summarise = summarise,
    .draw = draw_scheme,
};
