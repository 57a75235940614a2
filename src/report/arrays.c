/* report/arrays.c — see arrays.h. */
#include "report/arrays.h"
#include "report/thin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The frames of a group's film that go into the page: every `step`-th and the last. */
typedef struct film {
  int64_t frames; /* 0: the group has no film */
  int64_t step, kept;
} film;

static int64_t kept_frames(int64_t frames, int64_t step)
{
  return (frames - 1) / step + 1 + ((frames - 1) % step != 0);
}

static film plan_film(const cap_writer *w, const cap_results_group *group)
{
  int64_t frames = 0, size = 0;
  for (int i = 0; i < group->nitem; i++) {
    const cap_results_dataset *d = &group->items[i];
    if (!cap_budget_is_film(d)) continue;
    size += cap_budget_array_size(d);
    if (strcmp(d->name, "film.time") == 0 && d->rank == 1) frames = d->dims[0];
  }
  film f = {.frames = frames, .step = 1, .kept = frames};
  while (f.kept > 2 && (double)size * (double)f.kept > (double)w->budget.film * (double)frames)
    f.kept = kept_frames(frames, ++f.step);
  return f;
}

/* Values of one entry along the first dimension. */
static int64_t row_length(const cap_results_dataset *d)
{
  return d->rank > 1 && d->dims[0] > 0 ? cap_results_tree_count(d) / d->dims[0] : 1;
}

static void put_names(cap_page *page, const char *axes)
{
  const char *gap = "";
  cap_page_put(page, "\"axes\":[");
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

/* All entries along the first dimension, or those of the frames that are kept; to be freed. */
static cap_status read_entries(cap_writer *w, const cap_results_group *group, const cap_results_dataset *d,
                               const film *f, bool framed, double **values)
{
  if (!framed || f->step == 1) return cap_results_read_all(w->file, group, d, values, NULL, w->error);
  int64_t row = row_length(d), even = (f->frames - 1) / f->step + 1;
  *values = malloc((size_t)(f->kept * row + 1) * sizeof **values);
  if (!*values) return cap_writer_no_memory(w);
  CAP_TRY(cap_results_read_part(w->file, group, d, 0, f->step, even, *values, w->error));
  if (f->kept == even) return CAP_OK;
  return cap_results_read_part(w->file, group, d, f->frames - 1, 1, 1, *values + even * row, w->error);
}

static void put_values(cap_page *page, const cap_results_dataset *d, int64_t n, const double *values)
{
  cap_block_form form = {.row = row_length(d)};
  int64_t count = cap_results_tree_count(d);
  if (cap_budget_array_size(d) < 8 * count) {
    capm_thin_range range = {0};
    capm_thin_describe(&range, n, values);
    form.single = capm_thin_single(&range, &form.base);
  }
  cap_page_values(page, n, values, form);
}

/* Arrays that are not in the page: how many, and the first of their names. */
typedef struct absent {
  int n;
  char names[200];
} absent;

static void remember(absent *a, const char *name)
{
  size_t length = strlen(a->names);
  if (a->n++ < 3) snprintf(a->names + length, sizeof a->names - length, "%s%.60s", length ? ", " : "", name);
}

static cap_status put_array(cap_writer *w, const cap_results_group *group, const cap_results_dataset *d,
                            const film *f, absent *left_out)
{
  cap_page *page = w->page;
  bool framed = cap_budget_is_film(d) && f->frames > 0 && d->rank > 0 && d->dims[0] == f->frames;
  bool omitted = !framed && cap_budget_array_size(d) > w->budget.array;
  int64_t first = framed ? f->kept : d->rank > 0 ? d->dims[0] : 1;
  double *values = NULL;
  cap_page_put(page, "{");
  cap_writer_quantity(page, d);
  put_names(page, d->axes);
  cap_page_put(page, "\"dims\":[%lld", (long long)first);
  for (int i = 1; i < d->rank; i++) cap_page_put(page, ",%lld", (long long)d->dims[i]);
  cap_page_put(page, "],\"omitted\":%s,\"data\":", omitted ? "true" : "false");
  cap_status status = omitted ? CAP_OK : read_entries(w, group, d, f, framed, &values);
  if (status == CAP_OK) put_values(page, d, omitted ? 0 : first * row_length(d), values);
  cap_page_put(page, "}");
  free(values);
  if (omitted) remember(left_out, d->name);
  return status;
}

cap_status cap_arrays_put(cap_writer *writer, const cap_results_group *group)
{
  film f = plan_film(writer, group);
  absent left_out = {0};
  const char *gap = "";
  cap_page_put(writer->page, "\"arrays\":[");
  for (int i = 0; i < group->nitem; i++) {
    if (group->items[i].role != CAP_RESULTS_ARRAY) continue;
    cap_page_put(writer->page, "%s", gap);
    CAP_TRY(put_array(writer, group, &group->items[i], &f, &left_out));
    gap = ",";
  }
  cap_page_put(writer->page, "],");
  if (left_out.n > 0)
    CAP_TRY(cap_writer_note(writer, "%s: too large for the page: %s %s%s.", group->name,
                            left_out.n == 1 ? "is" : "are", left_out.names,
                            left_out.n > 3 ? " and others" : ""));
  if (f.step == 1) return CAP_OK;
  return cap_writer_note(writer, "%s: of %lld animation frames the page contains %lld, one of every %lld.",
                         group->name, (long long)f.frames, (long long)f.kept, (long long)f.step);
}
