/* report/report.c — see report.h. The JSON made here is described in web/src/data.ts. */
#include "report/report.h"
#include "report/arrays.h"
#include "report/rows.h"
#include "report/settings.h"
#include "report/template.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A text of any length; no more of it than a page can carry. */
static cap_status put_long_text(cap_writer *w, const char *key, const char *text, const char *what)
{
  size_t size = text ? strlen(text) : 0;
  if (size <= CAP_BUDGET_TEXT) {
    cap_writer_text(w->page, key, text);
    return CAP_OK;
  }
  char *front = strndup(text, CAP_BUDGET_TEXT);
  if (!front) return cap_writer_no_memory(w);
  cap_writer_text(w->page, key, front);
  free(front);
  return cap_writer_note(w, "%s is too long for the page: only its first %d bytes are shown.", what,
                         CAP_BUDGET_TEXT);
}

/* ---------------------------------------------------------------------------------------------- one group */

static cap_status put_item(cap_writer *w, const cap_results_dataset *d)
{
  cap_page_put(w->page, "{");
  if (d->role == CAP_RESULTS_TEXT) {
    CAP_TRY(put_long_text(w, "value", d->text, d->name));
    cap_page_put(w->page, "\"name\":");
    cap_page_string(w->page, d->name);
  } else {
    cap_writer_quantity(w->page, d);
    cap_page_put(w->page, "\"value\":");
    cap_page_number(w->page, d->number);
  }
  cap_page_put(w->page, "}");
  return CAP_OK;
}

/* The numbers or the texts as a list. */
static cap_status put_items(cap_writer *w, const cap_results_group *group, const char *key,
                            cap_results_role role)
{
  const char *gap = "";
  cap_page_put(w->page, "\"%s\":[", key);
  for (int i = 0; i < group->nitem; i++) {
    if (group->items[i].role != role) continue;
    cap_page_put(w->page, "%s", gap);
    CAP_TRY(put_item(w, &group->items[i]));
    gap = ",";
  }
  cap_page_put(w->page, "],");
  return CAP_OK;
}

static void put_balance(cap_page *page, const cap_results_balance *balance)
{
  cap_page_put(page, "\"audit\":{\"residual\":");
  cap_page_number(page, balance->relative);
  cap_page_put(page, ",\"lines\":[");
  for (int i = 0; i < balance->nline; i++) {
    const cap_balance_line *line = &balance->lines[i];
    cap_page_put(page, i ? ",{" : "{");
    cap_writer_text(page, "name", line->name);
    cap_writer_text(page, "kind", line->kind);
    cap_page_put(page, "\"energy\":");
    cap_page_number(page, line->energy);
    cap_page_put(page, "}");
  }
  cap_page_put(page, "]},");
}

static cap_status put_group(cap_writer *w, const cap_results_group *group)
{
  cap_page_put(w->page, "{");
  cap_writer_text(w->page, "name", group->name);
  cap_writer_text(w->page, "kind", group->kind);
  cap_writer_text(w->page, "title", group->title);
  if (group->ncolumn > 0) CAP_TRY(cap_rows_put(w, group));
  CAP_TRY(cap_arrays_put(w, group));
  CAP_TRY(put_items(w, group, "numbers", CAP_RESULTS_NUMBER));
  CAP_TRY(put_items(w, group, "texts", CAP_RESULTS_TEXT));
  if (group->balance.nline > 0) put_balance(w->page, &group->balance);
  cap_page_put(w->page, "\"status\":\"%s\"}", group->complete ? "complete" : "running");
  return CAP_OK;
}

/* --------------------------------------------------------------------------------------------- one report */

/* Pairs of label and text; nothing where the model file has no title block. */
static void put_title_block(cap_page *page, const cap_title_block *title)
{
  int n = 0;
#define PUT(member, label, example, doc)                                                                     \
  if (title->member && *title->member) {                                                                     \
    cap_page_put(page, n++ ? ",[\"" label "\"," : "\"title_block\":[[\"" label "\",");                       \
    cap_page_string(page, title->member);                                                                    \
    cap_page_put(page, "]");                                                                                 \
  }
  CAP_TITLE_BLOCK(PUT)
#undef PUT
  if (n) cap_page_put(page, "],");
}

static cap_status put_meta(cap_writer *w, const cap_results_tree *tree)
{
  cap_page *page = w->page;
  const cap_results_meta *meta = &tree->meta;
  cap_writer_text(page, "page", "report");
  cap_writer_text(page, "name", meta->name);
  cap_writer_text(page, "drive", meta->drive);
  cap_writer_text(page, "capstan_version", meta->version);
  cap_writer_text(page, "git_hash", meta->git_hash);
  cap_writer_text(page, "compiler", meta->compiler);
  cap_page_put(page, "\"flags\":");
  cap_page_flags(page, meta->flags);
  cap_page_put(page, ",\"seed\":%lld,\"complete\":%s,", (long long)meta->seed,
               tree->complete ? "true" : "false");
  cap_page_put(page, "\"settings\":[");
  for (int i = 0; i < meta->nsetting; i++) {
    cap_page_put(page, i ? "," : "");
    cap_page_string(page, meta->settings[i]);
  }
  cap_page_put(page, "],");
  if (meta->fed_by && *meta->fed_by) cap_writer_text(page, "fed_by", meta->fed_by);
  put_title_block(page, &meta->title);
  CAP_TRY(put_long_text(w, "model", meta->model, "The model file"));
  if (meta->version && strcmp(meta->version, CAPSTAN_VERSION) != 0)
    CAP_TRY(cap_writer_note(w, "The result was written by Capstan %s, this page by Capstan %s.",
                            meta->version, CAPSTAN_VERSION));
  if (meta->model && *meta->model && !cap_settings_put(page, meta))
    CAP_TRY(cap_writer_note(w, "No table of settings: Capstan %s cannot read the model of this result.",
                            CAPSTAN_VERSION));
  return CAP_OK;
}

static cap_status put_notes(cap_writer *w, bool last)
{
  if (last && cap_page_size(w->page) > CAP_BUDGET_PAGE)
    CAP_TRY(cap_writer_note(
        w, "The page is larger than %d MB: the result has more channels, arrays or texts than fit.",
        CAP_BUDGET_PAGE / 1000000));
  cap_page_put(w->page, "\"notes\":[");
  for (int i = 0; i < w->nnote; i++) {
    cap_page_put(w->page, i ? "," : "");
    cap_page_string(w->page, w->notes[i]);
  }
  cap_page_put(w->page, "]");
  return CAP_OK;
}

/* An object without its closing bracket. `last`: the page has no further report. */
static cap_status put_report(cap_writer *w, const char *label, bool last)
{
  const cap_results_tree *tree = cap_results_read_tree(w->file);
  cap_page_put(w->page, "{");
  cap_writer_text(w->page, "file", label);
  CAP_TRY(put_meta(w, tree));
  cap_page_put(w->page, "\"groups\":[");
  for (int i = 0; i < tree->ngroup; i++) {
    if (i) cap_page_put(w->page, ",");
    CAP_TRY(put_group(w, tree->groups[i]));
  }
  cap_page_put(w->page, "],");
  return put_notes(w, last);
}

static void put_blocks(cap_page *page)
{
  cap_page_put(page, ",\"blocks\":%d}", cap_page_blocks(page));
}

/* ----------------------------------------------------------------------------------------- results, pages */

static bool same_file(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

typedef struct result {
  cap_results_file *file;
  char label[120]; /* name of the file without folder and ending, made distinct */
} result;

size_t cap_report_stem(const char *path)
{
  static const char *const endings[] = {".part", ".h5", ".hdf5"};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t tail = strlen(endings[i]);
    if (length > tail && strncmp(path + length - tail, endings[i], tail) == 0 &&
        path[length - tail - 1] != '/')
      length -= tail;
  }
  return length;
}

static void name_result(result *results, int index, const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int length = (int)cap_report_stem(name);
  if (length > 100) length = 100;
  char *label = results[index].label;
  snprintf(label, sizeof results->label, "%.*s", length, name);
  for (int copy = 2, i = 0; i < index; i++)
    if (strcmp(results[i].label, label) == 0) {
      snprintf(label, sizeof results->label, "%.*s (%d)", length, name, copy++);
      i = -1;
    }
}

/* A run that has not ended has left its data beside the name that was given. */
static cap_status check_part(const char *h5, cap_error *error)
{
  char *part = NULL;
  if (access(h5, F_OK) == 0) return CAP_OK;
  if (asprintf(&part, "%s.part", h5) < 0) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  bool there = access(part, F_OK) == 0;
  cap_status status = CAP_OK;
  if (there)
    status = cap_status_fail(
        error, CAP_ERR_IO,
        "cannot read '%s': only '%s' exists, from a run that has not finished; use --resume to finish it", h5,
        part);
  free(part);
  return status;
}

static cap_status open_results(int n, const char *const *h5, const char *html, result *results,
                               cap_error *error)
{
  for (int i = 0; i < n; i++) {
    if (same_file(h5[i], html))
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "the page would overwrite the result '%s'; expected another name of the page; choose one", h5[i]);
    CAP_TRY(check_part(h5[i], error));
    CAP_TRY(cap_results_read_open(h5[i], &results[i].file, error));
    name_result(results, i, h5[i]);
  }
  return CAP_OK;
}

static cap_status put_reports(cap_page *page, int n, const result *results, cap_error *error)
{
  const cap_results_tree **trees = calloc((size_t)n, sizeof *trees);
  if (!trees) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int i = 0; i < n; i++) trees[i] = cap_results_read_tree(results[i].file);
  int64_t room = cap_budget_room(cap_template_size, n, trees);
  cap_status status = CAP_OK;
  for (int i = 0; i < n && status == CAP_OK; i++) {
    cap_writer w = {.file = results[i].file,
                    .page = page,
                    .error = error,
                    .budget = cap_budget_share(trees[i], room / n)};
    if (i > 0) cap_page_put(page, "},");
    status = put_report(&w, results[i].label, i == n - 1);
    cap_writer_free(&w);
  }
  free(trees);
  return status;
}

static cap_status put_comparison(cap_page *page, int n, const result *results, cap_error *error)
{
  cap_page_put(page, "{");
  cap_writer_text(page, "page", "compare");
  cap_writer_text(page, "capstan_version", CAPSTAN_VERSION);
  cap_writer_text(page, "git_hash", CAPSTAN_GIT_HASH);
  cap_page_put(page, "\"reports\":[");
  CAP_TRY(put_reports(page, n, results, error));
  cap_page_put(page, "}]");
  return CAP_OK;
}

static cap_status write_page(int n, const char *const *h5, const char *html, cap_error *error)
{
  cap_page *page = NULL;
  result *results = calloc((size_t)n, sizeof *results);
  if (!results) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = open_results(n, h5, html, results, error);
  if (status == CAP_OK) status = cap_page_start(html, &page, error);
  if (status == CAP_OK)
    status = n > 1 ? put_comparison(page, n, results, error) : put_reports(page, n, results, error);
  if (status == CAP_OK) {
    put_blocks(page);
    status = cap_page_finish(page, error);
  } else {
    cap_page_discard(page);
  }
  for (int i = 0; i < n; i++) cap_results_read_close(results[i].file);
  free(results);
  return status;
}

cap_status cap_report_write(const char *h5, const char *html, cap_error *error)
{
  return write_page(1, &h5, html, error);
}

cap_status cap_report_compare(int nresult, const char *const *h5, const char *html, cap_error *error)
{
  if (nresult < 2)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected at least two results for a comparison");
  return write_page(nresult, h5, html, error);
}

cap_status cap_report_series_page(const char *html, const char *json, cap_error *error)
{
  json += strspn(json, " \t\r\n");
  if (json[0] != '{' && json[0] != '[')
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "expected a JSON object or a list of objects for atlas entries");
  cap_page *page;
  CAP_TRY(cap_page_start(html, &page, error));
  cap_page_put(page, "{");
  cap_writer_text(page, "page", "atlas");
  cap_writer_text(page, "capstan_version", CAPSTAN_VERSION);
  cap_writer_text(page, "git_hash", CAPSTAN_GIT_HASH);
  cap_page_put(page, json[0] == '[' ? "\"entries\":" : "\"entries\":[");
  cap_page_json(page, json);
  cap_page_put(page, json[0] == '[' ? "}" : "]}");
  return cap_page_finish(page, error);
}
