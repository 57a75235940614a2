/* atlas/atlas_write.c — see atlas_write.h. */
#include "atlas/atlas_write.h"
#include "base/json.h"
#include "base/markup.h"
#include "base/outfile.h"
#include "report/report.h"
#include "report/template.h"
#include "report/thin.h"

#include <stdlib.h>
#include <string.h>

/* JSON */

static void put_member(FILE *out, const char *name, const char *text)
{
  fprintf(out, "\"%s\": ", name);
  cap_json_text(out, text);
}

/* What the entry says, then why there is no value. */
static void put_note(FILE *out, const cap_atlas_claim *c)
{
  if (!c->claim->note[0] && !c->trouble) return;
  const char *between = c->claim->note[0] && c->trouble ? " -- " : "";
  char *note = NULL;
  if (asprintf(&note, "%s%s%s", c->claim->note, between, c->trouble ? c->trouble : "") < 0) return;
  fputs(", ", out);
  put_member(out, "note", note);
  free(note);
}

static void put_claim(FILE *out, const cap_atlas_claim *c)
{
  fputc('{', out);
  put_member(out, "id", c->claim->id);
  fputs(", ", out);
  put_member(out, "text", c->claim->text);
  fputs(", \"value\": ", out);
  cap_json_number(out, c->value);
  fputs(", ", out);
  put_member(out, "unit", c->claim->unit);
  fputs(", ", out);
  put_member(out, "expected", c->claim->expected);
  fprintf(out, ", \"holds\": %s", c->holds ? "true" : "false");
  put_note(out, c);
  fputc('}', out);
}

static void put_values(FILE *out, int64_t n, const double *values)
{
  fputc('[', out);
  for (int64_t i = 0; i < n; i++) {
    if (i) fputs(", ", out);
    cap_json_number(out, values[i]);
  }
  fputc(']', out);
}

static void put_axis(FILE *out, const char *name, const char *unit, int64_t n, const double *values)
{
  fputc('{', out);
  put_member(out, "name", name);
  fputs(", ", out);
  put_member(out, "unit", unit);
  fputs(", \"values\": ", out);
  put_values(out, n, values);
  fputc('}', out);
}

static void put_texts(FILE *out, const char *name, const cap_texts *texts)
{
  fprintf(out, ", \"%s\": [", name);
  for (int k = 0; k < texts->n; k++) {
    if (k) fputs(", ", out);
    cap_json_text(out, texts->v[k]);
  }
  fputc(']', out);
}

static void put_stable(FILE *out, const cap_atlas_series *s)
{
  fputs(", \"stable\": [", out);
  for (int64_t i = 0; i < s->n; i++)
    fprintf(out, "%s%s", i ? ", " : "",
            !(s->outside[i] >= 0) ? "null"
            : s->outside[i] > 0   ? "false"
                                  : "true");
  fputc(']', out);
}

static void put_points(FILE *out, const char *name, const cap_atlas_points *points)
{
  fprintf(out, ", \"%s\": [", name);
  for (int64_t i = 0; i < points->n; i++) {
    fputs(i ? ", {\"x\": " : "{\"x\": ", out);
    cap_json_number(out, points->x[i]);
    fputs(", \"y\": ", out);
    cap_json_number(out, points->y[i]);
    fputc('}', out);
  }
  fputc(']', out);
}

/* What a branch has beside x and y: arrays of the same length, and its special points. */
static void put_branch(FILE *out, const cap_atlas_series *s)
{
  static const char *const special[CAP_ATLAS_BRANCHES_KINDS] = {NULL, "folds", "branch_points",
                                                                "period_doublings", "neimark_sacker"};
  put_stable(out, s);
  for (int k = 0; k < s->nbeside; k++) {
    const char *name = s->beside_names->v[k], *dot = strrchr(name, '.');
    fputs(", ", out);
    cap_json_text(out, dot ? dot + 1 : name);
    fputs(": ", out);
    put_values(out, s->n, s->beside[k]);
  }
  for (int k = 1; k < CAP_ATLAS_BRANCHES_KINDS; k++) put_points(out, special[k], &s->special[k]);
  fputs(", ", out);
  put_member(out, "curve", s->curve);
  fputs(", ", out);
  put_member(out, "branch", s->branch->name);
  fprintf(out, ", \"period\": %d, \"closed\": %s, ", s->branch->period, s->branch->closed ? "true" : "false");
  put_member(out, "found", s->branch->found);
  fputs(", ", out);
  put_member(out, "ends", s->branch->ends);
}

static void put_series(FILE *out, const cap_atlas_series *s)
{
  fputc('{', out);
  put_member(out, "name", s->name);
  fputs(", \"x\": ", out);
  put_axis(out, s->x_name, s->x_unit, s->n, s->x);
  fputs(", \"y\": ", out);
  put_axis(out, s->y_name, s->y_unit, s->n, s->y);
  if (s->branch) put_branch(out, s);
  if (s->panels->n) put_texts(out, "panels", s->panels);
  fputc('}', out);
}

void cap_atlas_write_json(FILE *out, const cap_atlas_outcome *o)
{
  fputc('{', out);
  put_member(out, "id", o->entry->id);
  fputs(", ", out);
  put_member(out, "title", o->entry->title);
  fputs(", ", out);
  put_member(out, "source", o->entry->source);
  if (o->entry->note[0]) {
    fputs(", ", out);
    put_member(out, "note", o->entry->note);
  }
  fputs(",\n \"claims\": [", out);
  for (int i = 0; i < o->nclaim; i++) {
    if (i) fputs(",\n  ", out);
    put_claim(out, &o->claims[i]);
  }
  fputs("],\n \"series\": [", out);
  for (int i = 0; i < o->nseries; i++) {
    if (i) fputs(",\n  ", out);
    put_series(out, &o->series[i]);
  }
  fputs("],\n \"wall_s\": ", out);
  cap_json_number(out, o->wall_s);
  fputc('}', out);
}

/* The folder of pages */

enum { PAGE_POINTS = 4000, PAGE_SLOTS = 800 }; /* a longer series keeps the extremes of so many parts of it */

/* Copy of `values` with the kept ones alone; NULL when memory is exhausted. */
static const double *kept(cap_arena *arena, int64_t n, const uint64_t *bits, const double *values)
{
  double *copy = CAP_ARENA_NEW(arena, double, n);
  if (copy) capm_thin_gather(bits, 0, n, values, copy);
  return copy;
}

/* The same series with points left out that no one sees on a page, and without what is not drawn; the JSON
 * file has it all. */
static bool thin_series(cap_arena *arena, cap_atlas_series *s)
{
  s->nbeside = 0;
  if (s->n <= PAGE_POINTS) return true;
  const capm_thin_grid grid = {s->n, PAGE_SLOTS};
  uint64_t *bits = CAP_ARENA_NEW(arena, uint64_t, s->n / 64 + 1);
  if (!bits) return false;
  int64_t n = capm_thin_mark(&grid, 0, PAGE_SLOTS, s->x, bits);
  n += capm_thin_mark(&grid, 0, PAGE_SLOTS, s->y, bits);
  s->x = kept(arena, s->n, bits, s->x);
  s->y = kept(arena, s->n, bits, s->y);
  if (s->branch) s->outside = kept(arena, s->n, bits, s->outside);
  if (!s->x || !s->y || (s->branch && !s->outside)) return false;
  s->n = n;
  return true;
}

static char *path_of(const char *folder, const char *id, const char *ending)
{
  char *path = NULL;
  return asprintf(&path, "%s/%s.%s", folder, id, ending) < 0 ? NULL : path;
}

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the atlas' pages");
}

static cap_status write_json_file(const char *path, const char *json, cap_error *error)
{
  cap_outfile out;
  CAP_TRY(cap_outfile_open(&out, path, error));
  fprintf(out.stream, "%s\n", json);
  return cap_outfile_commit(&out, error);
}

static char *json_text(const cap_atlas_outcome *outcome)
{
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return NULL;
  cap_atlas_write_json(stream, outcome);
  bool failed = ferror(stream);
  if (fclose(stream) == 0 && !failed) return text;
  free(text);
  return NULL;
}

static cap_status write_page(const char *path, const cap_atlas_outcome *outcome, cap_error *error)
{
  cap_arena arena = {0};
  cap_atlas_outcome shown = *outcome;
  shown.series = CAP_ARENA_NEW(&arena, cap_atlas_series, outcome->nseries);
  bool ok = shown.series != NULL;
  for (int i = 0; ok && i < outcome->nseries; i++) {
    shown.series[i] = outcome->series[i];
    ok = thin_series(&arena, &shown.series[i]);
  }
  char *json = ok ? json_text(&shown) : NULL;
  cap_status status = json ? cap_report_series_page(path, json, error) : no_memory(error);
  free(json);
  cap_arena_free(&arena);
  return status;
}

cap_status cap_atlas_write_entry(const char *folder, const cap_atlas_outcome *outcome, cap_error *error)
{
  char *json = json_text(outcome);
  char *data = path_of(folder, outcome->entry->id, "json"),
       *page = path_of(folder, outcome->entry->id, "html");
  cap_status status = json && data && page ? write_json_file(data, json, error) : no_memory(error);
  if (status == CAP_OK && cap_template_size > 0) status = write_page(page, outcome, error);
  free(json);
  free(data);
  free(page);
  return status;
}

static const char index_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Capstan: the atlas</title>\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    ":root { color-scheme: light dark }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }\n"
    "table { border-collapse: collapse; width: 100% }\n"
    "td, th { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #8884; vertical-align: top }\n"
    "td.n { text-align: right; white-space: nowrap } small { opacity: .7 } .bad { color: #c43 }\n"
    "</style></head><body>\n<h1>The atlas</h1>\n"
    "<p>Figures, tables and statements of the sources, each as a model with the claims that are made of "
    "it.</p>\n"
    "<table><thead><tr><th>Entry</th><th>Source</th><th>Claims that hold</th></tr></thead><tbody>\n";

static void put_line(FILE *out, const cap_atlas_write_line *line)
{
  fputs("<tr><td><a href=\"", out);
  cap_markup_put(out, line->id);
  fprintf(out, ".%s\">", cap_template_size > 0 ? "html" : "json");
  cap_markup_put(out, line->title);
  fputs("</a><br><small>", out);
  cap_markup_put(out, line->id);
  fputs("</small></td><td>", out);
  cap_markup_put(out, line->source);
  fprintf(out, "</td><td class=\"n\">%d of %d", line->nheld, line->nclaim);
  if (line->ntrouble) fprintf(out, "<br><span class=\"bad\">%d not computed</span>", line->ntrouble);
  if (line->nchanged) fprintf(out, "<br><span class=\"bad\">%d changed</span>", line->nchanged);
  fputs("</td></tr>\n", out);
}

cap_status cap_atlas_write_index(const char *folder, int nline, const cap_atlas_write_line *lines,
                                 cap_error *error)
{
  cap_outfile out;
  char *path = path_of(folder, "index", "html");
  cap_status status = path ? cap_outfile_open(&out, path, error) : no_memory(error);
  free(path);
  CAP_TRY(status);
  int held = 0, claims = 0;
  fputs(index_head, out.stream);
  for (int i = 0; i < nline; i++) {
    put_line(out.stream, &lines[i]);
    held += lines[i].nheld;
    claims += lines[i].nclaim;
  }
  fprintf(out.stream, "</tbody></table>\n<p>%d of %d claims hold.</p>\n</body></html>\n", held, claims);
  return cap_outfile_commit(&out, error);
}
