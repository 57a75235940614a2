/* drives/tensioner/tensioner_law.c — see tensioner_law.h. */
#include "drives/tensioner/tensioner_law.h"
#include "elements/elements.h"
#include "laws/linear.h"

#include <math.h>
#include <stdio.h>

#define REAL(name, member, unit_, low_, open_, example_, doc_)                                               \
  {                                                                                                          \
    .key = name, .kind = CAP_FIELD_REAL, .offset = offsetof(cap_tensioner_law, member), .unit = unit_,       \
    .low = low_, .low_open = open_, .high = INFINITY, .example = example_, .doc = doc_, .required = true     \
  }
#define OPTIONAL(name, member, unit_, low_, fallback_, example_, ...)                                        \
  {                                                                                                          \
    .key = name, .kind = CAP_FIELD_REAL, .offset = offsetof(cap_tensioner_law, member), .unit = unit_,       \
    .low = low_, .high = INFINITY, .fallback = fallback_, .example = example_, .doc = __VA_ARGS__            \
  }
#define SPRING                                                                                               \
  REAL("k0", k0, "N/m", 0, false, "2.34e5 N/m", "stiffness of the spring parallel to the friction"),         \
      OPTIONAL("F0", F0, "N", -INFINITY, "0 N", "-573 N",                                                    \
               "constant subtracted from the force: the preload at zero deflection is -F0"),                 \
      OPTIONAL("c", c, "N s/m", 0, "0 N s/m", "1.93e4 N s/m", "viscous damping"),                            \
      OPTIONAL("c_angular_frequency", c_angular_frequency, "rad/s", 0, "0 rad/s", "9.4 rad/s",               \
               "angular frequency at which c was identified; when given, c is scaled such that c times the " \
               "angular frequency of the excitation stays constant (eq. 29); 0 = not scaled",                \
               .was = "c_pulsation", .hertz = "c_frequency")

const cap_field cap_tensioner_law_linear_fields[] = {SPRING, {0}};

const cap_field cap_tensioner_law_coulomb_fields[] = {
    SPRING, REAL("alpha", alpha, "N", 0, false, "163 N", "friction force"), {0}};

static const cap_field slider_fields[] = {{.key = "k",
                                           .kind = CAP_FIELD_REAL,
                                           .offset = offsetof(cap_tensioner_slider, k),
                                           .unit = "N/m",
                                           .low = 0,
                                           .low_open = true,
                                           .high = INFINITY,
                                           .required = true,
                                           .example = "4.84e5 N/m",
                                           .doc = "stiffness of the spring in series with the friction"},
                                          {.key = "alpha",
                                           .kind = CAP_FIELD_REAL,
                                           .offset = offsetof(cap_tensioner_slider, alpha),
                                           .unit = "N",
                                           .low = 0,
                                           .low_open = true,
                                           .high = INFINITY,
                                           .required = true,
                                           .example = "163 N",
                                           .doc = "friction force"},
                                          {.key = "w0",
                                           .kind = CAP_FIELD_REAL,
                                           .offset = offsetof(cap_tensioner_slider, w0),
                                           .unit = "m",
                                           .fallback = "0 m",
                                           .example = "-0.324 mm",
                                           .doc = "initial deflection of its spring, within +-alpha/k"},
                                          {0}};

const cap_field cap_tensioner_law_masing_fields[] = {
    SPRING,
    {.key = "sliders",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(cap_tensioner_law, sliders),
     .fields = slider_fields,
     .item_size = sizeof(cap_tensioner_slider),
     .required = true,
     .least = 1,
     .example = "[{k: 4.84e5 N/m, alpha: 163 N}]",
     .doc = "Jenkins elements (a spring and Coulomb friction in series), all parallel to k0"},
    {0}};

const cap_field cap_tensioner_law_dahl_fields[] = {
    REAL("a", a, "N/m", -INFINITY, false, "7.146e4 N/m", "slope of the upper envelope h_u = a u + b"),
    REAL("b", b, "N", -INFINITY, false, "959.6 N", "upper envelope at zero deflection"),
    REAL("d", d, "N/m", -INFINITY, false, "5.322e4 N/m", "slope of the lower envelope h_l = d u + e"),
    REAL("e", e, "N", -INFINITY, false, "397.2 N", "lower envelope at zero deflection"),
    REAL("lambda", lambda, "", 0, true, "117355",
         "rate lambda at which the force approaches the envelope, N^(1-mu)/m"),
    {.key = "mu",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_tensioner_law, mu),
     .unit = "",
     .low = 0,
     .low_open = true,
     .high = 10,
     .required = true,
     .example = "0.37",
     .doc = "exponent mu of the distance to the envelope"},
    {.key = "force",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_tensioner_law, force),
     .unit = "N",
     .present = 1 + offsetof(cap_tensioner_law, force_given),
     .example = "1009 N",
     .doc = "initial force; default: midway between the envelopes"},
    {0}};

const char cap_tensioner_law_linear_doc[] = "spring and viscous damper: F = k0 u + c u' - F0";
const char cap_tensioner_law_coulomb_doc[] =
    "spring, damper and dry friction: F = k0 u + c u' - F0 + alpha Sign(u')";
const char cap_tensioner_law_masing_doc[] =
    "Masing law with viscous damper (eq. 8): F = sum k w + k0 u + c u' - F0, |w| <= alpha/k";
const char cap_tensioner_law_dahl_doc[] =
    "modified Dahl law (eq. 1): dF/du = lambda |h - F|^mu towards the envelope of the direction of motion";

#define VARIANT(name) {#name, cap_tensioner_law_##name##_doc, cap_tensioner_law_##name##_fields},
const cap_variant cap_tensioner_law_variants[] = {CAP_TENSIONER_LAWS(VARIANT){0}};

#define ADDRESS(name) &cap_tensioner_law_##name,
static const cap_tensioner_law_type *const types[] = {CAP_TENSIONER_LAWS(ADDRESS)};

/* ---- the laws ------------------------------------------------------------------------------------------ */

static void check_sliders(const cap_tensioner_law *law, const char *path, cap_diag *diag)
{
  char key[256];
  const cap_tensioner_slider *sliders = law->sliders.items;
  for (int s = 0; s < law->sliders.n; s++) {
    double most = sliders[s].alpha / sliders[s].k;
    snprintf(key, sizeof key, "%s.sliders[%d].w0", path, s);
    if (!(fabs(sliders[s].w0) <= most * (1.0 + 1e-12)))
      cap_diag_at(diag, key, "expected a deflection within +-alpha/k = +-%s, got %s",
                  cap_diag_quantity(diag, key, most, "m"), cap_diag_quantity(diag, key, sliders[s].w0, "m"));
  }
}

static void check_envelopes(const cap_tensioner_law *law, const char *path, cap_diag *diag)
{
  char key[256];
  snprintf(key, sizeof key, "%s.b", path);
  if (!(law->b > law->e))
    cap_diag_at(
        diag, key,
        "expected an upper envelope above the lower one at zero deflection (b > e), got b %s and e %s",
        cap_diag_quantity(diag, key, law->b, "N"), cap_diag_quantity(diag, key, law->e, "N"));
}

static void add_term(cap_tensioner_parts *parts, cap_term_kind kind, int index)
{
  parts->force[parts->nterm++] = (cap_term){kind, index, 1.0};
}

static void build_coulomb(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                          cap_tensioner_parts *parts)
{
  char label[256];
  snprintf(label, sizeof label, "%s.slider", name);
  add_term(parts, CAP_TERM_SLIDER, cap_builder_slider(b, label, i, CAP_GROUND, INFINITY, law->alpha, 0.0));
}

static void build_masing(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                         cap_tensioner_parts *parts)
{
  const cap_tensioner_slider *sliders = law->sliders.items;
  for (int s = 0; s < law->sliders.n; s++) {
    char label[256];
    snprintf(label, sizeof label, law->sliders.n > 1 ? "%s.slider%d" : "%s.slider", name, s + 1);
    add_term(parts, CAP_TERM_SLIDER,
             cap_builder_slider(b, label, i, CAP_GROUND, sliders[s].k, sliders[s].alpha,
                                sliders[s].k * sliders[s].w0));
  }
}

static int build_dahl(const cap_tensioner_law *law, cap_builder *b, const char *name, int i, double u0)
{
  double par[CAP_DAHL_NPARAM] = {law->a, law->b, law->d, law->e, law->lambda, law->mu};
  double middle = 0.5 * (law->a * u0 + law->b + law->d * u0 + law->e);
  double force = law->force_given ? law->force : middle;
  return cap_builder_element(b, &cap_dahl_type, name, i, CAP_GROUND, par, &force);
}

#define FACT(member, unit, meaning)                                                                          \
  {                                                                                                          \
    "law." #member, unit, meaning, offsetof(cap_tensioner_law, member)                                       \
  }
static const cap_tensioner_fact spring_facts[] = {
    FACT(k0, "N/m", "stiffness of the linear part"),
    FACT(c, "N s/m", "damping"),
    FACT(F0, "N", "offset: the force is k0 u + c u' - F0 plus friction"),
    {0}};
static const cap_tensioner_fact dahl_facts[] = {FACT(a, "N/m", "slope of the upper envelope"),
                                                FACT(b, "N", "upper envelope at zero deflection"),
                                                FACT(d, "N/m", "slope of the lower envelope"),
                                                FACT(e, "N", "lower envelope at zero deflection"),
                                                {0}};

const cap_tensioner_law_type cap_tensioner_law_linear = {.facts = spring_facts};
const cap_tensioner_law_type cap_tensioner_law_coulomb = {.facts = spring_facts, .sliders = build_coulomb};
const cap_tensioner_law_type cap_tensioner_law_masing = {
    .facts = spring_facts, .check = check_sliders, .sliders = build_masing};
const cap_tensioner_law_type cap_tensioner_law_dahl = {
    .facts = dahl_facts, .check = check_envelopes, .element = build_dahl};

/* ---- what they have in common -------------------------------------------------------------------------- */

void cap_tensioner_law_check(const cap_tensioner_law *law, const char *path, cap_diag *diag)
{
  if (types[law->kind]->check) types[law->kind]->check(law, path, diag);
}

static void build_linear_part(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                              double angular_frequency, cap_tensioner_parts *parts)
{
  double c = law->c;
  if (law->c_angular_frequency > 0.0 && angular_frequency > 0.0)
    c = capm_linear_scaled_damping(c, law->c_angular_frequency, angular_frequency);
  double par[CAP_LINK_NPARAM] = {[CAP_LINK_K] = law->k0, [CAP_LINK_C] = c, [CAP_LINK_F0] = -law->F0};
  add_term(parts, CAP_TERM_FORCE, cap_builder_element(b, &cap_link_type, name, i, CAP_GROUND, par, NULL));
}

cap_status cap_tensioner_law_build(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                                   double u0, double angular_frequency, cap_tensioner_parts *parts,
                                   cap_error *error)
{
  const cap_tensioner_law_type *type = types[law->kind];
  *parts = (cap_tensioner_parts){0};
  parts->force = CAP_ARENA_NEW(cap_builder_arena(b), cap_term,
                               2 + law->sliders.n); /* one slider of coulomb */
  if (!parts->force) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (type->element) {
    add_term(parts, CAP_TERM_FORCE, type->element(law, b, name, i, u0));
    return CAP_OK;
  }
  if (law->c_angular_frequency > 0.0 && angular_frequency <= 0.0)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "%s.c_angular_frequency: requires a known angular frequency of the excitation; specify "
        "the angular frequency of the motion, or remove c_angular_frequency",
        name);
  build_linear_part(law, b, name, i, angular_frequency, parts);
  if (type->sliders) type->sliders(law, b, name, i, parts);
  return CAP_OK;
}

static void channel(cap_builder *b, const char *name, const char *suffix, const char *unit,
                    const char *long_name, int nterm, const cap_term *terms)
{
  char full[256];
  snprintf(full, sizeof full, "%s.%s", name, suffix);
  cap_builder_channel(b, full, unit, long_name, nterm, terms);
}

/* The dry skeleton: the force without its viscous part. */
static cap_status add_dry_force(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                                const cap_tensioner_parts *parts, cap_error *error)
{
  cap_term *dry = CAP_ARENA_NEW(cap_builder_arena(b), cap_term, 1 + parts->nterm);
  if (!dry) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  dry[0] = (cap_term){CAP_TERM_CONSTANT, 0, -law->F0};
  dry[1] = (cap_term){CAP_TERM_Q, i, law->k0};
  for (int t = 1; t < parts->nterm; t++) dry[1 + t] = parts->force[t];
  channel(b, name, "dry_force", "N", "tensioner force without its viscous part", 1 + parts->nterm, dry);
  cap_builder_film(b);
  return CAP_OK;
}

/* The law by its name and numbers, for drawings. */
static void add_facts(const cap_tensioner_law *law, cap_builder *b)
{
  cap_builder_scene_text(b, "law", cap_tensioner_law_variants[law->kind].name);
  for (const cap_tensioner_fact *fact = types[law->kind]->facts; fact && fact->name; fact++)
    cap_builder_scene_number(b, fact->name, fact->unit, fact->meaning,
                             *(const double *)((const char *)law + fact->offset));
}

cap_status cap_tensioner_law_channels(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                                      const cap_tensioner_parts *parts, cap_error *error)
{
  cap_term deflection = {CAP_TERM_Q, i, 1.0}, velocity = {CAP_TERM_V, i, 1.0};
  add_facts(law, b);
  channel(b, name, "deflection", "m", "tensioner deflection", 1, &deflection);
  cap_builder_film(b);
  channel(b, name, "velocity", "m/s", "tensioner velocity", 1, &velocity);
  cap_builder_film(b);
  channel(b, name, "force", "N", "tensioner force", parts->nterm, parts->force);
  cap_builder_film(b);
  if (types[law->kind]->element) return CAP_OK;
  CAP_TRY(add_dry_force(law, b, name, i, parts, error));
  for (int t = 1; t < parts->nterm; t++) {
    char suffix[64], text[64];
    snprintf(suffix, sizeof suffix, parts->nterm > 2 ? "friction%d" : "friction", t);
    snprintf(text, sizeof text, parts->nterm > 2 ? "friction force of slider %d" : "friction force", t);
    channel(b, name, suffix, "N", text, 1, &parts->force[t]);
  }
  return CAP_OK;
}
