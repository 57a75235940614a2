/* report/report.c — see report.h. The JSON made here is described in web/src/data.ts. */
#include "report/report.h"
#include "io/results_read.h"
#include "report/page.h"
#include "report/thin.h"
#include "version.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  PAGE_VALUES = 3000000, /* numbers of all tables together: 16 MB of base64 at 32 bits */
  WHOLE_ROWS = 20000,    /* tables up to this length are kept as they are */
  MOST_SLOTS = 4000,     /* more than a screen has pixels */
  TAIL_ROWS = 20000,
  DOUBLE_VALUES = 100000, /* arrays up to this size keep 64 bits */
};

typedef struct writer {
  cap_results_file *file;
  cap_page *page;
  cap_error *error;
  int64_t table_values, array_values; /* what each table and each array may take */
} writer;

/* Which rows of a table go into the page, and how. */
typedef struct plan {
  const char *thinned; /* as in data.ts */
  int64_t rows, kept, slots;
  unsigned char *keep; /* [rows] when thinned by rows */
} plan;

static void put_key(cap_page *page, const char *key)
{
  cap_page_put(page, "\"%s\":", key);
}

static void put_string(cap_page *page, const char *key, const char *text)
{
  put_key(page, key);
  cap_page_string(page, text);
  cap_page_put(page, ",");
}

static void put_quantity(cap_page *page, const cap_results_dataset *d)
{
  put_string(page, "name", d->name);
  put_string(page, "unit", d->unit);
  put_string(page, "long_name", d->long_name);
}

static void put_range(cap_page *page, const capm_thin_range *range)
{
  cap_page_put(page, "\"bad\":%lld,", (long long)range->bad);
  if (isnan(range->mean)) return;
  cap_page_put(page, "\"stats\":{\"min\":");
  cap_page_number(page, range->min);
  cap_page_put(page, ",\"max\":");
  cap_page_number(page, range->max);
  cap_page_put(page, ",\"mean\":");
  cap_page_number(page, range->mean);
  cap_page_put(page, ",\"first\":");
  cap_page_number(page, range->first);
  cap_page_put(page, ",\"last\":");
  cap_page_number(page, range->last);
  cap_page_put(page, "},");
}

static cap_status no_memory(writer *w)
{
  return cap_status_fail(w->error, CAP_ERR_NOMEM, "out of memory");
}

/* Mark the rows in which any channel has a peak. */
static cap_status mark_rows(writer *w, const cap_results_group *group, plan *p)
{
  p->keep = calloc((size_t)p->rows, 1);
  if (!p->keep) return no_memory(w);
  for (int c = 1; c < group->ncolumn; c++) {
    double *values;
    CAP_TRY(cap_results_read_all(w->file, group, &group->columns[c], &values, NULL, w->error));
    capm_thin_mark(p->rows, values, p->slots, p->keep);
    free(values);
  }
  for (int64_t i = 0; i < p->rows; i++) p->kept += p->keep[i];
  return CAP_OK;
}

static cap_status make_plan(writer *w, const cap_results_group *group, plan *p)
{
  *p = (plan){.thinned = "no", .rows = group->nrow, .kept = group->nrow};
  if (p->rows <= WHOLE_ROWS && p->rows * group->ncolumn <= w->table_values) return CAP_OK;
  p->thinned = "rows";
  p->kept = 0;
  p->slots = p->rows < MOST_SLOTS ? p->rows : MOST_SLOTS;
  CAP_TRY(mark_rows(w, group, p));
  if (p->kept * group->ncolumn <= w->table_values) return CAP_OK;
  /* Too many channels have their peaks at different rows: each channel for itself. */
  p->thinned = "columns";
  int64_t most = w->table_values / (2 * (int64_t)group->ncolumn);
  if (p->slots > most) p->slots = most > 0 ? most : 1;
  p->kept = 2 * p->slots;
  return CAP_OK;
}

/* The values of a column that the plan leaves, in `values` itself or in a new array that replaces it. */
static cap_status apply_plan(writer *w, const plan *p, bool abscissa, double **values)
{
  if (strcmp(p->thinned, "rows") == 0) {
    capm_thin_gather(p->rows, p->keep, *values);
  } else if (strcmp(p->thinned, "columns") == 0) {
    double *out = malloc((size_t)p->kept * sizeof *out);
    if (!out) return no_memory(w);
    if (abscissa) capm_thin_abscissa(p->rows, *values, p->slots, out);
    else capm_thin_slots(p->rows, *values, p->slots, out);
    free(*values);
    *values = out;
  }
  return CAP_OK;
}

static void put_column(writer *w, const cap_results_dataset *d, const capm_thin_range *range, int64_t n,
                       const double *values, bool abscissa)
{
  cap_page_put(w->page, "{");
  put_quantity(w->page, d);
  put_range(w->page, range);
  put_key(w->page, "data");
  /* Rows of the abscissa must stay distinct. */
  cap_page_values(w->page, n, 1, values, !abscissa && capm_thin_single(range->min, range->max));
  cap_page_put(w->page, "}");
}

static cap_status put_columns(writer *w, const cap_results_group *group, const plan *p)
{
  cap_page_put(w->page, "{\"rows\":%lld,\"kept\":%lld,\"thinned\":\"%s\",\"slots\":%lld,\"columns\":[",
               (long long)p->rows, (long long)p->kept, p->thinned, (long long)p->slots);
  for (int c = 0; c < group->ncolumn; c++) {
    double *values;
    CAP_TRY(cap_results_read_all(w->file, group, &group->columns[c], &values, NULL, w->error));
    capm_thin_range range = capm_thin_describe(p->rows, values);
    cap_status status = apply_plan(w, p, c == 0, &values);
    if (status == CAP_OK) {
      if (c > 0) cap_page_put(w->page, ",");
      put_column(w, &group->columns[c], &range, p->kept, values, c == 0);
    }
    free(values);
    CAP_TRY(status);
  }
  cap_page_put(w->page, "]");
  return CAP_OK;
}

/* The last rows in full, for curves of one channel over another. */
static cap_status put_tail(writer *w, const cap_results_group *group)
{
  int64_t n = w->table_values / (4 * (int64_t)group->ncolumn);
  if (n > TAIL_ROWS) n = TAIL_ROWS;
  if (n > group->nrow) n = group->nrow;
  double *values = malloc((size_t)(n > 0 ? n : 1) * sizeof *values);
  if (!values) return no_memory(w);
  cap_page_put(w->page, ",\"tail\":{\"rows\":%lld,\"kept\":%lld,\"thinned\":\"no\",\"slots\":0,\"columns\":[",
               (long long)n, (long long)n);
  cap_status status = CAP_OK;
  for (int c = 0; c < group->ncolumn && status == CAP_OK; c++) {
    status = cap_results_read_part(w->file, group, &group->columns[c], group->nrow - n, 1, n, values,
                                   w->error);
    if (status != CAP_OK) break;
    capm_thin_range range = capm_thin_describe(n, values);
    if (c > 0) cap_page_put(w->page, ",");
    put_column(w, &group->columns[c], &range, n, values, c == 0);
  }
  cap_page_put(w->page, "]}");
  free(values);
  return status;
}

static cap_status put_table(writer *w, const cap_results_group *group)
{
  plan p;
  cap_status status = make_plan(w, group, &p);
  if (status == CAP_OK) {
    put_key(w->page, "table");
    status = put_columns(w, group, &p);
  }
  if (status == CAP_OK && strcmp(p.thinned, "columns") == 0) status = put_tail(w, group);
  cap_page_put(w->page, "},");
  free(p.keep);
  return status;
}

/* "a,b" as a JSON list. */
static void put_axes(cap_page *page, const char *axes)
{
  cap_page_put(page, "\"axes\":[");
  const char *gap = "";
  for (const char *at = axes; *at;) {
    at += strspn(at, ", ");
    size_t length = strcspn(at, ",");
    char name[256];
    if (length && length < sizeof name) {
      memcpy(name, at, length);
      name[length] = '\0';
      cap_page_put(page, "%s", gap);
      cap_page_string(page, name);
      gap = ",";
    }
    at += length;
  }
  cap_page_put(page, "],");
}

/* Values of one entry along the first dimension. */
static int64_t row_length(const cap_results_dataset *d)
{
  return d->rank > 1 && d->dims[0] > 0 ? cap_results_tree_count(d) / d->dims[0] : 1;
}

static cap_status put_array(writer *w, const cap_results_group *group, const cap_results_dataset *d)
{
  cap_page *page = w->page;
  int64_t count = cap_results_tree_count(d);
  bool omitted = count > w->array_values;
  double *values = NULL;
  if (!omitted) CAP_TRY(cap_results_read_all(w->file, group, d, &values, NULL, w->error));
  cap_page_put(page, "{");
  put_quantity(page, d);
  put_axes(page, d->axes);
  cap_page_put(page, "\"dims\":[");
  for (int i = 0; i < d->rank; i++) cap_page_put(page, "%s%lld", i ? "," : "", (long long)d->dims[i]);
  cap_page_put(page, "],\"omitted\":%s,\"data\":", omitted ? "true" : "false");
  cap_page_values(page, omitted ? 0 : count, row_length(d), values, count > DOUBLE_VALUES);
  cap_page_put(page, "}");
  free(values);
  return CAP_OK;
}

static cap_status put_item(writer *w, const cap_results_group *group, const cap_results_dataset *d)
{
  if (d->role == CAP_RESULTS_ARRAY) return put_array(w, group, d);
  cap_page_put(w->page, "{");
  if (d->role == CAP_RESULTS_TEXT) {
    put_string(w->page, "name", d->name);
    put_key(w->page, "value");
    cap_page_string(w->page, d->text);
  } else {
    put_quantity(w->page, d);
    put_key(w->page, "value");
    cap_page_number(w->page, d->number);
  }
  cap_page_put(w->page, "}");
  return CAP_OK;
}

/* The items of one role as a list. */
static cap_status put_items(writer *w, const cap_results_group *group, const char *key, cap_results_role role)
{
  const char *gap = "";
  cap_page_put(w->page, "\"%s\":[", key);
  for (int i = 0; i < group->nitem; i++) {
    if (group->items[i].role != role) continue;
    cap_page_put(w->page, "%s", gap);
    CAP_TRY(put_item(w, group, &group->items[i]));
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
    put_string(page, "name", line->name);
    put_string(page, "kind", line->kind);
    put_key(page, "energy");
    cap_page_number(page, line->energy);
    cap_page_put(page, "}");
  }
  cap_page_put(page, "]},");
}

static cap_status put_group(writer *w, const cap_results_group *group)
{
  cap_page_put(w->page, "{");
  put_string(w->page, "name", group->name);
  put_string(w->page, "kind", group->kind);
  put_string(w->page, "title", group->title);
  if (group->ncolumn > 0) CAP_TRY(put_table(w, group));
  CAP_TRY(put_items(w, group, "arrays", CAP_RESULTS_ARRAY));
  CAP_TRY(put_items(w, group, "numbers", CAP_RESULTS_NUMBER));
  CAP_TRY(put_items(w, group, "texts", CAP_RESULTS_TEXT));
  if (group->balance.nline > 0) put_balance(w->page, &group->balance);
  put_key(w->page, "status");
  cap_page_string(w->page, group->complete ? "complete" : "running");
  cap_page_put(w->page, "}");
  return CAP_OK;
}

static void put_meta(cap_page *page, const cap_results_tree *tree)
{
  const cap_results_meta *meta = &tree->meta;
  put_string(page, "page", "report");
  put_string(page, "name", meta->name);
  put_string(page, "drive", meta->drive);
  put_string(page, "capstan_version", meta->version);
  put_string(page, "git_hash", meta->git_hash);
  put_string(page, "compiler", meta->compiler);
  put_key(page, "flags");
  cap_page_flags(page, meta->flags);
  cap_page_put(page, ",\"seed\":%lld,\"complete\":%s,", (long long)meta->seed,
               tree->complete ? "true" : "false");
  put_string(page, "model", meta->model);
  cap_page_put(page, "\"settings\":[");
  for (int i = 0; i < meta->nsetting; i++) {
    cap_page_put(page, i ? "," : "");
    cap_page_string(page, meta->settings[i]);
  }
  cap_page_put(page, "],");
}

static cap_status put_report(writer *w, const cap_results_tree *tree)
{
  int ntable = 0, narray = 0;
  for (int i = 0; i < tree->ngroup; i++) {
    ntable += tree->groups[i]->ncolumn > 0;
    for (int j = 0; j < tree->groups[i]->nitem; j++)
      narray += tree->groups[i]->items[j].role == CAP_RESULTS_ARRAY;
  }
  /* The page's size is shared out; arrays are small as a rule and get half of it only when there are tables
   * too. */
  int64_t for_arrays = ntable && narray ? PAGE_VALUES / 2 : PAGE_VALUES;
  w->table_values = (narray ? for_arrays : PAGE_VALUES) / (ntable ? ntable : 1);
  w->array_values = for_arrays / (narray ? narray : 1);
  if (w->array_values < DOUBLE_VALUES) w->array_values = DOUBLE_VALUES;
  cap_page_put(w->page, "{");
  put_meta(w->page, tree);
  cap_page_put(w->page, "\"groups\":[");
  for (int i = 0; i < tree->ngroup; i++) {
    if (i) cap_page_put(w->page, ",");
    CAP_TRY(put_group(w, tree->groups[i]));
  }
  cap_page_put(w->page, "],\"blocks\":%d}", cap_page_blocks(w->page));
  return CAP_OK;
}

static bool same_file(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

cap_status cap_report_write(const char *h5, const char *html, cap_error *error)
{
  writer w = {.error = error};
  if (same_file(h5, html))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the page would replace the result '%s': choose another name", h5);
  CAP_TRY(cap_results_read_open(h5, &w.file, error));
  cap_status status = cap_page_start(html, &w.page, error);
  if (status == CAP_OK) status = put_report(&w, cap_results_read_tree(w.file));
  if (status == CAP_OK) status = cap_page_finish(w.page, error);
  else cap_page_discard(w.page);
  cap_results_read_close(w.file);
  return status;
}

cap_status cap_report_series_page(const char *html, const char *json, cap_error *error)
{
  json += strspn(json, " \t\r\n");
  if (json[0] != '{' && json[0] != '[')
    return cap_status_fail(error, CAP_ERR_INPUT, "atlas entries must be a JSON object or a list of them");
  cap_page *page;
  CAP_TRY(cap_page_start(html, &page, error));
  cap_page_put(page, "{");
  put_string(page, "page", "atlas");
  put_string(page, "capstan_version", CAPSTAN_VERSION);
  put_string(page, "git_hash", CAPSTAN_GIT_HASH);
  cap_page_put(page, json[0] == '[' ? "\"entries\":" : "\"entries\":[");
  cap_page_json(page, json);
  cap_page_put(page, json[0] == '[' ? "}" : "]}");
  return cap_page_finish(page, error);
}
