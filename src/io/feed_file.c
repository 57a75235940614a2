/* io/feed_file.c — see feed_file.h. */
#include "io/feed_file.h"
#include "analysis/feed.h"
#include "base/nearest.h"
#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
  cap_model_file *file;
  const cap_model *m;
  cap_units *units;
  cap_diag *diag;
  cap_feed_track *tracks; /* [ninput] in the order of the files */
  int ntrack;
  const char **from;  /* [ninput] the file of each input, or NULL */
  double start, end;  /* of all analyses that follow inputs */
  const char *fed_by; /* names, ways and hashes of the files so far */
  const char *path;   /* the file that is being read, its numbers and its time */
  cap_csv csv;
  int time;
} reading;

static int slot_of(const cap_model *m, const char *name)
{
  for (int k = 0; k < m->ninput; k++)
    if (strcmp(m->inputs[k].name, name) == 0) return k;
  return -1;
}

/* For a message, in SI. */
static const char *quantity(reading *r, double value, const char *unit)
{
  return cap_diag_quantity(r->diag, NULL, value, unit);
}

/* ---- when inputs are followed -------------------------------------------------------------------------- */

static bool span_of(reading *r)
{
  double time = r->m->t0;
  bool any = false;
  cap_diag *unused = calloc(1, sizeof *unused);
  if (!unused) return false;
  for (int k = 0; k < r->file->analyses.n; k++) {
    const void *spec = (const char *)r->file->analyses.items + (size_t)k * cap_registry_largest_spec();
    const cap_analysis *analysis = cap_registry_analyses[*(const int *)spec];
    double start = time;
    if (analysis->check) analysis->check(r->m, spec, &time, "", unused);
    if (!analysis->follows) continue;
    if (!any) r->start = start;
    r->end = time;
    any = true;
  }
  cap_diag_free(unused);
  free(unused);
  return any;
}

/* ---- one column ---------------------------------------------------------------------------------------- */

static void report_unknown(reading *r, int column)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, r->csv.names[column]);
  for (int k = 0; k < r->m->ninput; k++) cap_nearest_offer(&nearest, r->m->inputs[k].name);
  cap_diag_add(r->diag, r->csv.header_line, r->csv.places[column], NULL,
               "expected the name of an input of the model, got the column \"%.60s\"%s%s%s",
               r->csv.names[column], nearest.best ? "; did you mean \"" : "",
               nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
}

static bool take_unit(reading *r, int column, const char *unit)
{
  const char *got = r->csv.units[column], *noun = cap_units_noun(unit);
  if (cap_csv_take(&r->csv, column, r->units, unit)) return true;
  cap_diag_add(r->diag, r->csv.header_line, r->csv.places[column], NULL,
               "\"%.60s\": expected %s%s%s%s, got %s%s", r->csv.names[column], noun ? noun : "a quantity",
               *unit ? " in a unit such as \"" : " without a unit", unit, *unit ? "\"" : "",
               *got ? got : "no unit", cap_csv_hint(got, unit));
  return false;
}

static void check_values(reading *r, int column, const cap_input *input)
{
  char why[CAP_INPUT_WHY];
  for (int k = 0; k < r->csv.nrow; k++)
    if (!cap_input_accepts(input, r->csv.values[column][k], why)) {
      cap_diag_add(r->diag, r->csv.lines[k], 1, NULL, "%s", why);
      return;
    }
}

/* Nothing can follow a position that jumps. */
static void check_position(reading *r, int column, const cap_input *input, const cap_feed_track *track)
{
  double low = input->start, high = low;
  if (track->held) {
    cap_diag_add(r->diag, r->csv.header_line, r->csv.places[column], NULL,
                 "the input \"%s\" imposes a position, which must not jump; expected values that are linear "
                 "between the rows (--input), got values held until the next row (--input-held)",
                 input->name);
    return;
  }
  for (int k = 0; k < track->n; k++) low = fmin(low, track->value[k]), high = fmax(high, track->value[k]);
  double first = cap_feed_value(track, r->start);
  if (fabs(first - input->start) > 1e-9 * fmax(high - low, fabs(input->start)))
    cap_diag_add(r->diag, r->csv.lines[0], 1, NULL,
                 "the input \"%s\" imposes a position, which must not jump; expected %s at t = %s, its start "
                 "in the model, got %s",
                 input->name, quantity(r, input->start, input->unit), quantity(r, r->start, "s"),
                 quantity(r, first, input->unit));
}

/* The initial state was found with the start of the model. */
static void note_start(reading *r, const cap_input *input, const cap_feed_track *track)
{
  double first = cap_feed_value(track, r->start), start = input->start;
  if (fabs(first - start) <= 1e-9 * fmax(fabs(first), fabs(start))) return;
  cap_diag_note(r->diag, r->csv.lines[0], 1,
                "the input \"%s\" begins with %s; the initial state is that with its start in the model, %s",
                input->name, quantity(r, first, input->unit), quantity(r, start, input->unit));
}

static void take_column(reading *r, int column, bool held)
{
  int slot = slot_of(r->m, r->csv.names[column]), before = r->diag->nerror;
  if (slot < 0) {
    report_unknown(r, column);
    return;
  }
  const cap_input *input = &r->m->inputs[slot];
  if (r->from[slot])
    cap_diag_add(r->diag, r->csv.header_line, r->csv.places[column], NULL,
                 "the input \"%s\" is fed by %s already; expected each input in one file", input->name,
                 r->from[slot]);
  if (!take_unit(r, column, input->unit) || r->diag->nerror > before) return;
  cap_feed_track *track = &r->tracks[r->ntrack++];
  *track = (cap_feed_track){.slot = slot,
                            .held = held,
                            .n = r->csv.nrow,
                            .t = r->csv.values[r->time],
                            .value = r->csv.values[column]};
  r->from[slot] = r->path;
  check_values(r, column, input);
  if (input->position) check_position(r, column, input, track);
  else note_start(r, input, track);
}

/* ---- one file ------------------------------------------------------------------------------------------ */

static bool take_time(reading *r, bool held)
{
  const cap_csv *csv = &r->csv;
  r->time = cap_csv_find(csv, "time");
  if (r->time < 0) {
    cap_diag_add(r->diag, csv->header_line, 1, NULL, "expected a column \"time [s]\", got none");
    return false;
  }
  if (!take_unit(r, r->time, "s")) return false;
  const double *t = csv->values[r->time];
  const int last = csv->nrow - 1;
  for (int k = 1; k <= last; k++)
    if (!(t[k] > t[k - 1])) {
      cap_diag_add(r->diag, csv->lines[k], 1, NULL,
                   "expected a time above %s, that of the row before, got %s", quantity(r, t[k - 1], "s"),
                   quantity(r, t[k], "s"));
      return false;
    }
  if (!(t[0] <= r->start))
    cap_diag_add(r->diag, csv->lines[0], 1, NULL,
                 "begins after the run; expected a first row at t = %s or before, got %s",
                 quantity(r, r->start, "s"), quantity(r, t[0], "s"));
  if (!held && !(t[last] >= r->end))
    cap_diag_add(r->diag, csv->lines[last], 1, NULL,
                 "ends before the run; expected a last row at t = %s or later, got %s; or a file whose "
                 "values are held (--input-held)",
                 quantity(r, r->end, "s"), quantity(r, t[last], "s"));
  return true;
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool note_source(reading *r, const cap_feed_source *source)
{
  char hash[CAP_HASH_TEXT];
  cap_hash_format(r->csv.hash, hash);
  r->fed_by = cap_arena_format(&r->file->arena, "%s%s%s (%s, %s)", r->fed_by, *r->fed_by ? "; " : "",
                               base_name(source->path), source->held ? "held" : "linear", hash);
  return r->fed_by != NULL;
}

static cap_status read_source(reading *r, const cap_feed_source *source)
{
  const char *before = r->diag->file;
  cap_status status = cap_csv_read(source->path, r->units, &r->file->arena, r->diag, &r->csv);
  if (status == CAP_OK && !note_source(r, source)) status = CAP_ERR_NOMEM;
  if (status != CAP_OK) return status;
  r->diag->file = r->path = cap_arena_copy_text(&r->diag->arena, source->path);
  if (!r->path) status = CAP_ERR_NOMEM;
  else if (take_time(r, source->held))
    for (int c = 0; c < r->csv.ncolumn; c++)
      if (c != r->time) take_column(r, c, source->held);
  r->diag->file = before;
  return status;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static void check_all(reading *r)
{
  char list[400] = "";
  int missing = 0;
  for (int k = 0; k < r->m->ninput; k++) {
    if (r->from[k]) continue;
    size_t n = strlen(list);
    snprintf(list + n, sizeof list - n, "%s\"%s\"", missing++ ? ", " : "", r->m->inputs[k].name);
  }
  if (!missing) return;
  r->diag->file = r->path;
  cap_diag_add(r->diag, r->csv.header_line, 1, NULL,
               "the model has input%s %s, which no file feeds; expected a column for each",
               missing > 1 ? "s" : "", list);
}

static cap_status read_all(reading *r, int nsource, const cap_feed_source *sources)
{
  const char *model = r->diag->file;
  int before = r->diag->nerror;
  if (!r->m->ninput || !span_of(r)) {
    r->diag->file = sources[0].path;
    cap_diag_add(r->diag, 0, 0, NULL, "%s",
                 r->m->ninput ? "expected an analysis that follows inputs (transient, quasistatic), got none"
                              : "expected a model with inputs, keys such as \"{input: NAME, start: "
                                "VALUE}\", got none");
    r->diag->file = model;
    return CAP_ERR_INPUT;
  }
  if (nsource > CAP_FEED_SOURCES) {
    cap_diag_add(r->diag, 0, 0, NULL, "expected at most %d files that feed inputs, got %d", CAP_FEED_SOURCES,
                 nsource);
    return CAP_ERR_INPUT;
  }
  cap_status worst = CAP_OK;
  for (int k = 0; k < nsource; k++) {
    cap_status status = read_source(r, &sources[k]);
    if (status == CAP_ERR_NOMEM) return status;
    if (status != CAP_OK) worst = status;
  }
  if (worst == CAP_OK && r->diag->nerror == before) check_all(r);
  r->diag->file = model;
  return worst == CAP_OK && r->diag->nerror > before ? CAP_ERR_INPUT : worst;
}

cap_status cap_feed_file_read(cap_model_file *file, const cap_model *model, int nsource,
                              const cap_feed_source *sources, cap_diag *diag)
{
  if (!nsource) return CAP_OK;
  cap_arena *arena = &file->arena;
  reading r = {.file = file, .m = model, .diag = diag, .fed_by = ""};
  cap_feed *feed = CAP_ARENA_NEW(arena, cap_feed, 1);
  r.tracks = CAP_ARENA_NEW(arena, cap_feed_track, model->ninput);
  r.from = CAP_ARENA_NEW(arena, const char *, model->ninput);
  r.units = cap_units_create();
  cap_status status = feed && r.tracks && r.from && r.units ? read_all(&r, nsource, sources) : CAP_ERR_NOMEM;
  cap_units_free(r.units);
  if (status == CAP_ERR_NOMEM) cap_diag_add(diag, 0, 0, NULL, "out of memory");
  if (status != CAP_OK) return status;
  *feed = (cap_feed){r.ntrack, r.tracks};
  file->feed = feed;
  file->fed_by = r.fed_by;
  return CAP_OK;
}
