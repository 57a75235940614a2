/* study/factor.c — see factor.h. */
#include "study/factor.h"
#include "base/nearest.h"
#include "study/distribution.h"
#include "study/factor_formula.h"
#include "study/factor_path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One factor while it is read. */
typedef struct reading {
  cap_study_reading *r;
  int number;
  const cap_yaml_node *node; /* of the factor */
  const cap_study_fields_factor *raw;
  cap_study_factor *f;
  cap_bind_spot list, item; /* factors, [number] */
  cap_field target;         /* of its first path: dimension and limits */
  double own;               /* what the model has; NAN = nothing that could be taken */
  bool numeric, whole;
} reading;

/* ----------------------------------------------------------------------------------------------- findings */

static void report(const reading *in, const char *key, const char *text)
{
  char path[96];
  snprintf(path, sizeof path, "factors[%d]%s%s", in->number, key ? "." : "", key ? key : "");
  cap_diag_at(in->r->diag, path, "%s", text);
}

/* -------------------------------------------------------------------------------------------------- paths */

static bool same_unit(const reading *in, const char *a, const char *b)
{
  if (!*a || !*b) return !*a && !*b;
  return strcmp(a, b) == 0 || cap_units_alike(in->r->bind.units, a, b);
}

static bool join_target(reading *in, const char *key, int number, const cap_field *field, double own)
{
  bool numeric = field->kind == CAP_FIELD_REAL || field->kind == CAP_FIELD_INT;
  if (number == 0) {
    in->target = *field;
    in->own = own;
    in->numeric = numeric;
  } else if (numeric != in->numeric || (numeric && !same_unit(in, field->unit ? field->unit : "",
                                                              in->target.unit ? in->target.unit : ""))) {
    report(in, key, "expected keys of one kind and dimension");
    return false;
  }
  in->f->whole = in->whole = in->whole || field->kind == CAP_FIELD_INT;
  return true;
}

static bool read_paths(reading *in)
{
  const cap_study_fields_factor *raw = in->raw;
  char key[32];
  if (raw->path && raw->paths.n) {
    report(in, "paths", "\"path\" conflicts with \"paths\"; specify only one");
    return false;
  }
  in->f->npath = raw->path ? 1 : raw->paths.n;
  in->f->paths = raw->path ? &raw->path : raw->paths.v;
  bool good = true;
  for (int p = 0; p < in->f->npath; p++) {
    double own;
    snprintf(key, sizeof key, raw->path ? "path" : "paths[%d]", p);
    cap_field field;
    char at[96];
    snprintf(at, sizeof at, "factors[%d].%s", in->number, key);
    good = cap_factor_path_find(in->r, in->f->paths[p], at, &field, &own) &&
           join_target(in, key, p, &field, own) && good;
  }
  if (in->f->npath == 0) in->numeric = true;
  return good;
}

/* ------------------------------------------------------------------------------------------------- values */

/* The field that judges a value: dimension and limits of the target; `limits` false: the dimension alone. */
static cap_field value_field(const reading *in, bool limits)
{
  cap_field field = in->target;
  field.kind = CAP_FIELD_REAL;
  field.unit = in->f->unit;
  if (in->target.kind != CAP_FIELD_REAL) field.example = NULL;
  if (!limits) field.low = field.high = 0.0;
  return field;
}

static bool read_number(const reading *in, const cap_bind_spot *spot, const cap_yaml_node *node, bool limits,
                        double *value)
{
  cap_field field = value_field(in, limits);
  if (!cap_bind_value_real(&in->r->bind, spot, &field, node, value)) return false;
  if (!in->whole || *value == rint(*value)) return true;
  cap_bind_inner_report(&in->r->bind, spot, node, "expected a whole number, got \"%.60s\"", node->text);
  return false;
}

static bool read_key(const reading *in, const cap_yaml_node *map, const cap_bind_spot *up, const char *key,
                     bool limits, double *value)
{
  cap_bind_spot spot = {.up = up, .key = key};
  return read_number(in, &spot, cap_yaml_find(map, key), limits, value);
}

/* A factor that no key gives a dimension has that of its first value. */
static void take_unit(reading *in)
{
  static const char *const keys[] = {"from", "to", "values", "nominal", "distribution"};
  static const char *const inner[] = {"low", "mean", "mode", "high"};
  const cap_yaml_node *first = NULL;
  for (size_t k = 0; k < sizeof keys / sizeof *keys && !first; k++) {
    first = cap_yaml_find(in->node, keys[k]);
    if (first && first->kind == CAP_YAML_LIST) first = first->n ? first->items[0] : NULL;
    if (!first || first->kind != CAP_YAML_MAP) continue;
    const cap_yaml_node *law = first;
    first = NULL;
    for (size_t i = 0; i < sizeof inner / sizeof *inner && !first; i++) first = cap_yaml_find(law, inner[i]);
  }
  char si[CAP_UNITS_LONGEST] = "";
  double value;
  cap_diag *own = calloc(1, sizeof *own); /* what is wrong with it is told when it is read */
  if (first && own) {
    cap_study_reading silent = *in->r;
    silent.bind.diag = own;
    cap_study_reading_quantity(&silent, &in->item, first, &value, si);
    cap_diag_free(own);
  }
  free(own);
  const char *unit = cap_arena_copy_text(&in->r->study->arena, si);
  in->f->unit = unit ? unit : "";
}

static double *new_values(reading *in, int n)
{
  double *values = CAP_ARENA_NEW(&in->r->study->arena, double, n);
  if (!values) in->r->bind.exhausted = true;
  in->f->law = CAP_STUDY_LISTED;
  in->f->nvalue = values ? n : 0;
  in->f->values = values;
  return values;
}

static void span_values(cap_study_factor *f)
{
  f->low = INFINITY, f->high = -INFINITY;
  for (int k = 0; k < f->nvalue; k++) {
    f->low = fmin(f->low, f->values[k]);
    f->high = fmax(f->high, f->values[k]);
  }
}

static bool read_values(reading *in)
{
  const cap_yaml_node *list = cap_yaml_find(in->node, "values");
  double *values = new_values(in, list->n);
  if (!values) return false;
  cap_bind_spot up = {.up = &in->item, .key = "values"};
  bool good = true;
  for (int k = 0; k < list->n; k++) {
    cap_bind_spot spot = {.up = &up, .index = k};
    bool read = read_number(in, &spot, list->items[k], true, &values[k]);
    for (int i = 0; read && i < k && good; i++)
      if (values[i] == values[k]) {
        cap_bind_inner_report(&in->r->bind, &spot, list->items[k],
                              "duplicate value \"%.60s\"; expected different ones", list->items[k]->text);
        read = false;
      }
    good = read && good;
  }
  span_values(in->f);
  return good;
}

static bool read_levels(reading *in)
{
  const cap_named *levels = &in->raw->levels;
  double *values = new_values(in, levels->n);
  if (!values) return false;
  for (int k = 0; k < levels->n; k++) {
    values[k] = k + 1;
    for (int i = 0; i < k; i++)
      if (strcmp(levels->names[i], levels->names[k]) == 0) {
        report(in, "levels", "duplicate level; expected different ones");
        return false;
      }
  }
  in->f->nlevel = levels->n;
  in->f->levels = levels->v;
  in->f->labels = levels->names;
  in->f->unit = "";
  span_values(in->f);
  return true;
}

/* ------------------------------------------------------------------------------------------------- ranges */

static void expand(double *v, int n, double from, double to, bool logarithmic)
{
  for (int k = 0; k < n; k++) {
    double part = (double)k / (n - 1);
    v[k] = logarithmic ? from * pow(to / from, part) : from + (to - from) * part;
  }
  v[n - 1] = to; /* not a rounding beside it */
}

static bool count_whole(reading *in, double from, double to, int *count)
{
  if (in->raw->count) *count = in->raw->count;
  else if (fabs(to - from) < 10000) *count = (int)fabs(to - from) + 1;
  else {
    report(in, "to", "too many whole numbers; expected at most 10000; give \"count\" or \"values\"");
    return false;
  }
  if (in->raw->spacing == 0 && fmod(to - from, *count - 1) == 0.0) return true;
  report(in, in->raw->spacing ? "spacing" : "count",
         "the values between are no whole numbers; expected another \"count\"; give them one by one as "
         "\"values\"");
  return false;
}

static bool read_range(reading *in)
{
  double from, to;
  bool logarithmic = in->raw->spacing == 1;
  if (!in->raw->from || !in->raw->to) {
    report(in, NULL,
           in->raw->from ? "expected \"to\" next to \"from\", got nothing"
                         : "expected \"from\" next to \"to\", got nothing");
    return false;
  }
  bool first = read_key(in, in->node, &in->item, "from", true, &from);
  if (!read_key(in, in->node, &in->item, "to", true, &to) || !first) return false;
  if (from == to) {
    report(in, "to", "expected different ends of the range, got the same");
    return false;
  }
  if (logarithmic && !(from > 0.0 && to > 0.0)) {
    report(in, "spacing", "expected values above 0 for logarithmic spacing");
    return false;
  }
  in->f->logarithmic = logarithmic;
  int count = in->raw->count;
  if (in->whole && !count_whole(in, from, to, &count)) return false;
  if (count) {
    double *values = new_values(in, count);
    if (!values) return false;
    expand(values, count, from, to, logarithmic);
  }
  if (!count) in->f->law = logarithmic ? CAP_STUDY_LOG_UNIFORM : CAP_STUDY_UNIFORM;
  in->f->low = fmin(from, to), in->f->high = fmax(from, to);
  return true;
}

/* ------------------------------------------------------------------------------------------ distributions */

static bool check_law(const reading *in)
{
  const cap_study_factor *f = in->f;
  const char *key = "distribution";
  if (!(f->low < f->high)) return report(in, key, "expected \"low\" below \"high\""), false;
  switch (f->law) {
  case CAP_STUDY_LOG_UNIFORM:
    if (!(f->low > 0.0)) return report(in, key, "expected values above 0 for a log-uniform law"), false;
    break;
  case CAP_STUDY_TRIANGULAR:
    if (f->mean < f->low || f->mean > f->high)
      return report(in, key, "expected \"mode\" between \"low\" and \"high\""), false;
    break;
  case CAP_STUDY_LOG_NORMAL:
    if (!(f->mean > 0.0) || f->low < 0.0)
      return report(in, key, "expected values above 0 for a log-normal law"), false;
    break;
  default:
    break;
  }
  if (f->law != CAP_STUDY_NORMAL && f->law != CAP_STUDY_LOG_NORMAL) return true;
  if (!(f->deviation > 0.0)) return report(in, key, "expected \"deviation\" above 0"), false;
  if (cap_distribution_share(f) < 1e-6)
    return report(in, key, "expected \"low\" and \"high\" that contain at least one in a million, got less"),
           false;
  return true;
}

static bool read_distribution(reading *in)
{
  static const cap_study_law laws[] = {CAP_STUDY_UNIFORM, CAP_STUDY_LOG_UNIFORM, CAP_STUDY_NORMAL,
                                       CAP_STUDY_LOG_NORMAL, CAP_STUDY_TRIANGULAR};
  const cap_study_fields_distribution *raw = &in->raw->distribution;
  const cap_yaml_node *map = cap_yaml_find(in->node, "distribution");
  cap_bind_spot up = {.up = &in->item, .key = "distribution"};
  cap_study_factor *f = in->f;
  if (in->whole)
    return report(in, "distribution", "the key is a whole number; expected \"values\" or a range"), false;
  f->law = laws[raw->law];
  f->low = f->law == CAP_STUDY_LOG_NORMAL ? 0.0 : -INFINITY;
  f->high = INFINITY;
  f->logarithmic = f->law == CAP_STUDY_LOG_UNIFORM || f->law == CAP_STUDY_LOG_NORMAL;
  bool good = true;
  if (raw->low) good = read_key(in, map, &up, "low", true, &f->low) && good;
  if (raw->high) good = read_key(in, map, &up, "high", true, &f->high) && good;
  if (raw->mean) good = read_key(in, map, &up, "mean", true, &f->mean) && good;
  if (raw->mode) good = read_key(in, map, &up, "mode", true, &f->mean) && good;
  if (raw->deviation) good = read_key(in, map, &up, "deviation", false, &f->deviation) && good;
  return good && check_law(in);
}

/* --------------------------------------------------------------------------------------------- one factor */

/* Which of the ways to say what a factor does was used; a finding when there are several. */
static const char *way_of(const reading *in, bool *good)
{
  const cap_study_fields_factor *raw = in->raw;
  const struct {
    const char *key;
    bool given;
  } ways[] = {{"values", raw->values.n > 0},
              {"levels", raw->levels.n > 0},
              {"from", raw->from || raw->to},
              {"distribution", raw->distribution_given},
              {"formula", raw->formula != NULL}};
  const char *way = NULL;
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    if (!ways[k].given) continue;
    if (way) {
      char text[120];
      snprintf(text, sizeof text, "give either \"%s\" or \"%s\", not both", way, ways[k].key);
      report(in, ways[k].key, text);
      *good = false;
    }
    way = ways[k].key;
  }
  if (raw->count && (!way || strcmp(way, "from") != 0)) {
    report(in, "count", "\"count\" requires a range; expected \"from\" and \"to\"");
    *good = false;
  }
  return way;
}

static bool read_way(reading *in, const char *way)
{
  if (!way) {
    in->f->law = CAP_STUDY_LISTED; /* with the values of the table */
    if (in->r->study->design == CAP_STUDY_TABLE) return true;
    report(
        in, NULL,
        "expected \"values\", \"levels\", a range \"from\" and \"to\", a \"distribution\" or a \"formula\"");
    return false;
  }
  if (strcmp(way, "levels") == 0) {
    if (in->f->npath) return read_levels(in);
    report(in, "levels", "expected \"path\", a key of the model that takes the levels");
    return false;
  }
  if (!in->numeric) {
    report(in, way, "the key is no number; expected \"levels\"");
    return false;
  }
  if (strcmp(way, "values") == 0) return read_values(in);
  if (strcmp(way, "from") == 0) return read_range(in);
  if (strcmp(way, "distribution") == 0) return read_distribution(in);
  in->f->law = CAP_STUDY_FORMULA;
  in->f->formula = in->raw->formula;
  return true;
}

static bool read_nominal(reading *in)
{
  cap_study_factor *f = in->f;
  f->nominal = NAN;
  if (!in->raw->nominal) return true;
  if (f->law == CAP_STUDY_FORMULA) return report(in, "nominal", "expected no value next to a formula"), false;
  if (!f->nlevel) return read_key(in, in->node, &in->item, "nominal", true, &f->nominal);
  cap_nearest nearest;
  cap_nearest_start(&nearest, in->raw->nominal);
  for (int k = 0; k < f->nlevel; k++) {
    cap_nearest_offer(&nearest, f->labels[k]);
    if (strcmp(f->labels[k], in->raw->nominal) == 0) f->nominal = k + 1;
  }
  if (!isnan(f->nominal)) return true;
  char text[200], hint[100];
  snprintf(text, sizeof text, "expected the name of a level, got \"%.60s\"%s", in->raw->nominal,
           cap_study_reading_hint(nearest.best, hint));
  report(in, "nominal", text);
  return false;
}

/* What it is when nothing else is said; see the table of the keys. */
static double usual_nominal(const cap_study_factor *f, double own, bool distribution)
{
  if (f->nlevel) return 1.0;
  if (distribution) return f->law == CAP_STUDY_TRIANGULAR ? f->mean : cap_distribution_median(f);
  if (own >= f->low && own <= f->high) return own;
  return f->law == CAP_STUDY_LISTED ? f->values[(f->nvalue - 1) / 2] : cap_distribution_median(f);
}

static bool check_design(const reading *in)
{
  const cap_study_factor *f = in->f;
  if (in->r->design_unknown) return true;
  if (in->r->study->design != CAP_STUDY_GRID || f->law == CAP_STUDY_LISTED || f->law == CAP_STUDY_FORMULA)
    return true;
  report(
      in, in->raw->distribution_given ? "distribution" : "from",
      "only for designs that sample; expected \"values\", \"levels\" or a range with \"count\" for a grid");
  return false;
}

static bool read_factor(reading *in)
{
  cap_study_factor *f = in->f;
  bool good = true;
  f->name = in->raw->name;
  f->doc = in->raw->doc ? in->raw->doc : "";
  f->unit = "";
  if (!cap_study_reading_name(f->name)) {
    report(in, "name", "expected letters, digits and \"_\", a letter first, at most 60");
    good = false;
  }
  good = read_paths(in) && good;
  const char *way = way_of(in, &good);
  if (!good) return false;
  if (in->f->npath) f->unit = in->target.unit && in->target.kind == CAP_FIELD_REAL ? in->target.unit : "";
  else take_unit(in);
  good = read_way(in, way) && read_nominal(in) && check_design(in);
  bool later = f->law == CAP_STUDY_FORMULA || f->nvalue + (f->law != CAP_STUDY_LISTED) == 0;
  if (good && !later && isnan(f->nominal))
    f->nominal = usual_nominal(f, in->own, in->raw->distribution_given);
  return good;
}

/* ----------------------------------------------------------------------------------------------- together */

/* Whether setting `shorter` sets all of `longer` too: the same key, or a section above it. */
static bool covers(const char *shorter, const char *longer)
{
  size_t n = strlen(shorter);
  return strncmp(shorter, longer, n) == 0 && (!longer[n] || longer[n] == '.' || longer[n] == '[');
}

static void compare_paths(const cap_study_reading *r, int a, int b)
{
  const cap_study_factor *first = &r->study->factors[a], *second = &r->study->factors[b];
  char at[32];
  snprintf(at, sizeof at, "factors[%d]", b);
  for (int i = 0; i < first->npath; i++)
    for (int k = 0; k < second->npath; k++) {
      if (strcmp(first->paths[i], second->paths[k]) == 0)
        cap_diag_at(
            r->diag, at,
            "the key \"%.100s\" is set by the factor \"%s\" already; expected one factor for each key",
            second->paths[k], first->name);
      else if (covers(second->paths[k], first->paths[i]))
        cap_diag_at(
            r->diag, at,
            "it would undo what the factor \"%s\" sets within \"%.100s\"; expected it before that one",
            first->name, second->paths[k]);
    }
}

static void compare_factors(const cap_study_reading *r)
{
  const cap_study *s = r->study;
  for (int b = 0; b < s->nfactor; b++)
    for (int a = 0; a < b; a++) {
      char at[32];
      snprintf(at, sizeof at, "factors[%d].name", b);
      if (strcmp(s->factors[a].name, s->factors[b].name) == 0)
        cap_diag_at(r->diag, at, "duplicate name \"%s\"; expected a name of its own", s->factors[b].name);
      compare_paths(r, a, b);
    }
}

int cap_factor_named(const cap_study_reading *r, const char *name, const char *path)
{
  cap_nearest nearest;
  char hint[100];
  cap_nearest_start(&nearest, name);
  for (int f = 0; f < r->study->nfactor; f++) {
    if (strcmp(r->study->factors[f].name, name) == 0) return f;
    cap_nearest_offer(&nearest, r->study->factors[f].name);
  }
  cap_diag_at(r->diag, path, "there is no factor \"%.60s\"%s", name,
              cap_study_reading_hint(nearest.best, hint));
  return -1;
}

cap_status cap_factor_read_all(cap_study_reading *r)
{
  cap_study *s = r->study;
  const cap_list *list = &r->raw.factors;
  const cap_yaml_node *nodes = cap_yaml_find(r->root, "factors");
  s->nfactor = list->n;
  s->factors = CAP_ARENA_NEW(&s->arena, cap_study_factor, list->n);
  if (!s->factors) return CAP_ERR_NOMEM;
  int before = r->diag->nerror;
  for (int f = 0; f < s->nfactor; f++) {
    reading in = {.r = r, .number = f, .node = nodes->items[f], .f = &s->factors[f], .own = NAN};
    in.raw = (const cap_study_fields_factor *)list->items + f;
    in.list = (cap_bind_spot){.key = "factors"};
    in.item = (cap_bind_spot){.up = &in.list, .index = f};
    read_factor(&in);
  }
  if (r->bind.exhausted) return CAP_ERR_NOMEM;
  compare_factors(r);
  cap_status formulas = cap_factor_formula_order(r); /* names are there, whatever else is wrong */
  if (formulas != CAP_OK || r->diag->nerror == before) return formulas;
  s->nindependent = 0; /* nothing is to be concluded from factors with findings */
  return CAP_ERR_INPUT;
}

/* -------------------------------------------------------------------------------------- values of a table */

static int compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The values of a column, each once, in rising order. */
static cap_status list_column(cap_study_reading *r, cap_study_factor *f, const double *column)
{
  int n = (int)r->rows.nrow, used = 0;
  double *values = CAP_ARENA_NEW(&r->study->arena, double, n);
  if (!values) return CAP_ERR_NOMEM;
  memcpy(values, column, (size_t)n * sizeof *values);
  qsort(values, (size_t)n, sizeof *values, compare_doubles);
  for (int k = 0; k < n; k++)
    if (used == 0 || values[k] != values[used - 1]) values[used++] = values[k];
  f->values = values;
  f->nvalue = used;
  span_values(f);
  return CAP_OK;
}

cap_status cap_factor_complete(cap_study_reading *r)
{
  cap_study *s = r->study;
  for (int i = 0; i < s->nindependent && s->design == CAP_STUDY_TABLE; i++) {
    cap_study_factor *f = &s->factors[s->independent[i]];
    if (f->law == CAP_STUDY_LISTED && f->nvalue == 0)
      CAP_TRY(list_column(r, f, r->rows.columns[s->independent[i]]));
    if (isnan(f->nominal)) f->nominal = usual_nominal(f, NAN, false);
  }
  return cap_factor_formula_nominal(r);
}
