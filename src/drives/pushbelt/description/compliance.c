/* drives/pushbelt/description/compliance.c — see compliance.h. */
#include "drives/pushbelt/description/compliance.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <strings.h>

#define SECTION(key_, member, fields_, ...)                                                                  \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SECTION, .offset = offsetof(cap_compliance_spec, member),                 \
    .fields = fields_, .doc = __VA_ARGS__                                                                    \
  }
#define PLATE(side, values)                                                                                  \
  {                                                                                                          \
    .key = "plate", .kind = CAP_FIELD_REALS, .offset = offsetof(cap_compliance_side, plate), .unit = "m/N",  \
    .low = 0, .high = INFINITY, .least = 1, .most = CAP_INFLUENCE_HARMONICS, .fallback = values,             \
    .example = values,                                                                                       \
    .doc = "compliances c_m of the plate for the harmonics m = 0, 1, 2, ... along the circumference"         \
  }
#define TILT(value)                                                                                          \
  {                                                                                                          \
    .key = "tilt", .kind = CAP_FIELD_REAL, .offset = offsetof(cap_compliance_side, tilt),                    \
    .unit = "rad/(N m)", .low = 0, .high = INFINITY, .fallback = value, .example = value,                    \
    .doc = "tilt compliance k_t: tilt of the whole sheave per moment"                                        \
  }
#define LOOSE "[2.4e-9 m/N, 3.2e-9 m/N, 1.6e-9 m/N, 0.7e-9 m/N, 0.3e-9 m/N, 0.16e-9 m/N]"
#define FIXED "[1.4e-9 m/N, 2e-9 m/N, 1e-9 m/N, 0.4e-9 m/N, 0.2e-9 m/N, 0.1e-9 m/N]"
static const cap_field loose_tilt_fields[] = {TILT("9e-7 rad/(N m)"), {0}};
static const cap_field fixed_tilt_fields[] = {TILT("5e-7 rad/(N m)"), {0}};
static const cap_field loose_plate_fields[] = {TILT("9e-7 rad/(N m)"), PLATE(loose, LOOSE), {0}};
static const cap_field fixed_plate_fields[] = {TILT("5e-7 rad/(N m)"), PLATE(fixed, FIXED), {0}};

static const cap_table_column columns[] = {{"r", "m", true},
                                           {"r0", "m", true},
                                           {"angle", "rad", false},
                                           {"phi", "rad", false},
                                           {"phi0", "rad", false},
                                           {"influence", "m/N", true},
                                           {0}};
#define TABLE(key_, member, ...)                                                                             \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_TABLE, .offset = offsetof(cap_compliance_spec, member),                   \
    .columns = columns, .required = true, .example = "sheave_movable.csv", .doc = __VA_ARGS__                \
  }

static const cap_field tilt_fields[] = {
    SECTION("movable", side[0], loose_tilt_fields, "compliance of the movable sheave", .was = "loose"),
    SECTION("fixed", side[1], fixed_tilt_fields, "compliance of the fixed sheave"),
    {0}};
static const cap_field plate_fields[] = {
    SECTION("movable", side[0], loose_plate_fields, "compliance of the movable sheave", .was = "loose"),
    SECTION("fixed", side[1], fixed_plate_fields, "compliance of the fixed sheave"),
    {0}};
static const cap_field table_fields[] = {
    TABLE("movable", table[0],
          "influence numbers of the movable sheave: axial displacement at radius r per axial force at radius "
          "r0, at an angle between the two",
          .was = "loose"),
    TABLE("fixed", table[1], "compliance of the fixed sheave"),
    {0}};
const cap_variant cap_compliance_variants[] = {
    {"none", "rigid sheaves", NULL},
    {"tilt", "sheaves that tilt without bending", tilt_fields},
    {"tilt+plate", "sheaves that tilt and bend as plates", plate_fields},
    {"table", "influence numbers of a finite-element model", table_fields},
    {0}};

/* ---- influence numbers --------------------------------------------------------------------------------- */

/* NULL: there is none of that name. */
static const double *column_of(const cap_table *t, const char *name)
{
  for (int c = 0; c < t->ncolumn; c++)
    if (strcasecmp(t->names[c], name) == 0) return t->values[c];
  return NULL;
}

/* A file tells either the angle between, or both angles. */
static cap_status table_of(const cap_table *t, cap_arena *arena, cap_influence_table **table,
                           cap_error *error)
{
  const double *angle = column_of(t, "angle"), *phi = column_of(t, "phi"), *phi0 = column_of(t, "phi0");
  if (!angle && phi && phi0) {
    double *between = CAP_ARENA_NEW(arena, double, t->nrow);
    if (!between) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    for (int k = 0; k < t->nrow; k++) between[k] = phi[k] - phi0[k];
    angle = between;
  }
  if (!angle)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "missing column; expected \"angle\", or both \"phi\" and \"phi0\"");
  return cap_influence_table_make(arena, t->nrow, column_of(t, "r"), column_of(t, "r0"), angle,
                                  column_of(t, "influence"), table, error);
}

cap_status cap_compliance_influence(const cap_compliance_spec *s, int side, double inner, double outer,
                                    cap_arena *arena, cap_influence *influence, cap_error *error)
{
  const cap_compliance_side *from = &s->side[side];
  *influence = (cap_influence){.inner = inner, .outer = outer};
  if (s->kind == CAP_COMPLIANCE_TILT || s->kind == CAP_COMPLIANCE_TILT_PLATE) influence->tilt = from->tilt;
  for (int k = 0; s->kind == CAP_COMPLIANCE_TILT_PLATE && k < from->plate.n; k++)
    influence->plate[k] = from->plate.v[k];
  cap_influence_table *table = NULL;
  if (s->kind == CAP_COMPLIANCE_TABLE) CAP_TRY(table_of(&s->table[side], arena, &table, error));
  influence->table = table;
  return CAP_OK;
}

static void check_table(const cap_table *given, const char *path, cap_diag *diag)
{
  cap_arena arena = {0};
  cap_error error;
  cap_influence_table *table;
  if (table_of(given, &arena, &table, &error) != CAP_OK) {
    cap_diag_at(diag, path, "%s", error.text);
  } else {
    if (table->asymmetry > 1e-6)
      cap_diag_warn(diag, path,
                    "the influence numbers are not symmetric in r and r0; expected a difference of at most "
                    "1e-6 of the largest, got %.3g; their mean is used",
                    table->asymmetry);
    if (table->least < -1e-9)
      cap_diag_warn(
          diag, path,
          "the influence numbers are not positive semidefinite; expected eigenvalues of at least 0, got %.3g "
          "of "
          "the largest; unless the compliance of the flanks makes up for it, there may be no solution, or "
          "more than one",
          table->least);
  }
  cap_arena_free(&arena);
}

void cap_compliance_check(const cap_compliance_spec *s, const char *path, cap_diag *diag)
{
  for (int side = 0; side < CAP_COMPLIANCE_SIDES && s->kind == CAP_COMPLIANCE_TABLE; side++) {
    char at[160];
    snprintf(at, sizeof at, "%s.%s", path, side ? "fixed" : "movable");
    check_table(&s->table[side], at, diag);
  }
}
