/* io/results.c — see results.h. */
#include "io/results.h"
#include "base/machine.h"
#include "base/names.h"
#include "base/progress.h"
#include "io/results_layout.h"
#include "io/results_part.h"
#include "linalg/lapack.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SECONDS_BEHIND = 0.25;
enum { MOST_BUFFERED = 1 << 21 /* values held in memory by one table */ };

struct cap_results {
  cap_sink sink; /* first: the sink's functions find their results here */
  cap_results_tree tree;
  cap_results_part part;
  cap_results_group *group; /* the open one */
  const char *where;        /* of the finished file */
  bool eager;
  bool ending; /* what is put now goes into the finished file: the part is not brought up to date for it */
  cap_status failed;
  const volatile sig_atomic_t *heard; /* cap_results_listen */
};

static cap_results *results_of(cap_sink *sink)
{
  return (cap_results *)sink;
}

static cap_status no_memory(cap_results *r)
{
  return cap_status_fail(r->sink.error, CAP_ERR_NOMEM, "out of memory for the results of '%s'", r->part.path);
}

/* Bring the file up to date when that is due; failures stick,
 * since it can no longer be trusted to hold all. */
static cap_status settle(cap_results *r, bool due)
{
  if (!due && r->ending) return CAP_OK;
  if (!due && !r->eager && cap_results_part_age(&r->part) < SECONDS_BEHIND) return CAP_OK;
  r->failed = cap_results_part_update(&r->part, r->group);
  return r->failed;
}

/* The sink */

static bool name_allowed(const char *name)
{
  return name && name[0] && !strchr(name, '/') && strcmp(name, ".") != 0;
}

static cap_status check_open(cap_results *r)
{
  if (r->failed != CAP_OK) return r->failed;
  if (!r->group) return cap_status_fail(r->sink.error, CAP_ERR_IO, "results were put outside of a group");
  if (r->group->restored && r->group->complete)
    return cap_status_fail(r->sink.error, CAP_ERR_IO, "results were put into the finished group '%s'",
                           r->group->name);
  return CAP_OK;
}

/* The group that this open means: "name", or "name-2" when that was opened before. One that was loaded from
 * an interrupted run counts as not yet opened. */
static cap_results_group *next_group(cap_results *r, const char *name, const char *kind, const char *title)
{
  size_t size = strlen(name) + 16;
  char *unique = malloc(size);
  if (!unique) return NULL;
  snprintf(unique, size, "%s", name);
  cap_results_group *group = cap_results_tree_group(&r->tree, unique);
  for (int k = 2; group && group->opened; k++) {
    snprintf(unique, size, "%s-%d", name, k);
    group = cap_results_tree_group(&r->tree, unique);
  }
  if (!group) group = cap_results_tree_add_group(&r->tree, unique, kind, title);
  free(unique);
  return group;
}

static cap_status sink_open(cap_sink *sink, const char *name, const char *kind, const char *title)
{
  cap_results *r = results_of(sink);
  if (r->failed != CAP_OK) return r->failed;
  if (r->group) return cap_status_fail(sink->error, CAP_ERR_IO, "group '%s' is still open", r->group->name);
  if (!name_allowed(name) || strcmp(name, "meta") == 0 || strcmp(name, "audit") == 0 ||
      strcmp(name, "checkpoint") == 0)
    return cap_status_fail(sink->error, CAP_ERR_IO, "'%s' cannot be the name of a group of results", name);
  cap_results_group *group = next_group(r, name, kind, title);
  if (!group) return no_memory(r);
  bool moved = cap_results_tree_open_group(&r->tree, group);
  if (!group->loaded || moved) r->part.restructure = true;
  r->group = group;
  return CAP_OK;
}

/* Start the table of a loaded group again, for an analysis that did not ask for its checkpoint. Items are
 * replaced as it puts them again. */
static void start_over(cap_results *r)
{
  cap_results_group *g = r->group;
  if (!g->loaded || g->restored) return;
  g->loaded = g->complete = false;
  g->nrow = g->nstored = g->nbuffer = 0;
  g->rows = 0;
  cap_results_tree_free_checkpoint(&g->checkpoint);
  r->part.restructure = true;
}

/* Names as results have them: those of a user's own parts are quoted where they are no words. */
static const char *legal_name(cap_results *r, const char *name)
{
  return name ? cap_names_quoted(name, &r->tree.arena) : NULL;
}

/* The same of names that are joined by ",". */
static const char *legal_list(cap_results *r, const char *names)
{
  cap_arena *arena = &r->tree.arena;
  const char *out = "";
  for (const char *at = names;; at++) {
    size_t length = strcspn(at, ",");
    const char *one = cap_arena_format(arena, "%.*s", (int)length, at);
    if (one) one = legal_name(r, one);
    out = one ? cap_arena_format(arena, "%s%s%s", out, at == names ? "" : ",", one) : NULL;
    at += length;
    if (!out || !*at) return out;
  }
}

static bool same_columns(const cap_results_group *g, int ncolumn, const char *const *legal)
{
  if (g->ncolumn != ncolumn) return false;
  for (int i = 0; i < ncolumn; i++)
    if (!legal[i] || strcmp(g->columns[i].name, legal[i]) != 0) return false;
  return true;
}

static cap_status describe(cap_results *r, cap_results_dataset *d, cap_results_role role, cap_column what,
                           const char *axes)
{
  cap_arena *arena = &r->tree.arena;
  d->role = role;
  d->offset = -1;
  d->name = cap_arena_copy_text(arena, what.name);
  d->unit = cap_arena_copy_text(arena, what.unit ? what.unit : "");
  d->long_name = cap_arena_copy_text(arena, what.long_name ? what.long_name : "");
  d->axes = legal_list(r, axes ? axes : "");
  return d->name && d->unit && d->long_name && d->axes ? CAP_OK : no_memory(r);
}

static cap_status sink_columns(cap_sink *sink, int ncolumn, const cap_column *columns)
{
  cap_results *r = results_of(sink);
  cap_results_group *g = r->group;
  const char **legal = CAP_ARENA_NEW(&r->tree.arena, const char *, ncolumn + 1);
  if (!legal) return no_memory(r);
  for (int i = 0; i < ncolumn; i++) legal[i] = legal_name(r, columns[i].name);
  /* on a resumed group this only repeats what is known;
   * a finished one may be asked for it before the restore */
  if (r->failed == CAP_OK && g && g->loaded) {
    if (same_columns(g, ncolumn, legal)) return CAP_OK;
    return cap_status_fail(
        sink->error, CAP_ERR_INPUT,
        "cannot resume '%s': its columns differ; expected those of this model; run without --resume",
        g->name);
  }
  CAP_TRY(check_open(r));
  if (g->ncolumn > 0)
    return cap_status_fail(sink->error, CAP_ERR_IO, "'%s' has its columns already", g->name);
  cap_results_dataset *made = calloc((size_t)ncolumn + 1, sizeof *made);
  if (!made) return no_memory(r);
  g->columns = made;
  for (int i = 0; i < ncolumn; i++) {
    if (!name_allowed(legal[i]) || cap_results_tree_dataset(g, legal[i]))
      return cap_status_fail(sink->error, CAP_ERR_IO,
                             "'%s' is no name, or not a new one, for a column of '%s'",
                             columns[i].name ? columns[i].name : "", g->name);
    cap_column what = {legal[i], columns[i].unit, columns[i].long_name};
    CAP_TRY(describe(r, &made[i], CAP_RESULTS_COLUMN, what, NULL));
    made[i].rank = 1;
    g->ncolumn = i + 1;
  }
  r->part.restructure = true;
  return CAP_OK;
}

static cap_status grow_buffer(cap_results *r, int64_t nrow)
{
  cap_results_group *g = r->group;
  if (g->nbuffer + nrow <= g->buffer_room) return CAP_OK;
  int64_t room = g->buffer_room ? 2 * g->buffer_room : CAP_RESULTS_TILE; /* whole tiles */
  while (room < g->nbuffer + nrow) room *= 2;
  double *buffer = realloc(g->buffer, (size_t)room * (size_t)g->ncolumn * sizeof *buffer);
  if (!buffer) return no_memory(r);
  g->buffer = buffer;
  g->buffer_room = room;
  return CAP_OK;
}

static cap_status sink_rows(cap_sink *sink, int nrow, const double *values)
{
  cap_results *r = results_of(sink);
  CAP_TRY(check_open(r));
  cap_results_group *g = r->group;
  if (g->ncolumn == 0)
    return cap_status_fail(sink->error, CAP_ERR_IO, "'%s' has rows but no columns", g->name);
  start_over(r);
  CAP_TRY(grow_buffer(r, nrow));
  cap_results_tree_buffer(g, nrow, values);
  return g->nbuffer * g->ncolumn > MOST_BUFFERED ? settle(r, true) : CAP_OK;
}

/* The item to (re)place: what is put twice under one name counts as put once, since a resumed analysis
 * repeats what it put before its restore. */
static cap_status place_item(cap_results *r, cap_results_role role, cap_column what, const char *axes,
                             cap_results_dataset **item)
{
  CAP_TRY(check_open(r));
  cap_results_group *g = r->group;
  what.name = legal_name(r, what.name);
  if (!name_allowed(what.name))
    return cap_status_fail(r->sink.error, CAP_ERR_IO, "'%s' cannot be the name of a result in '%s'",
                           what.name ? what.name : "", g->name);
  cap_results_dataset *d = cap_results_tree_dataset(g, what.name);
  if (d && d->role == CAP_RESULTS_COLUMN)
    return cap_status_fail(r->sink.error, CAP_ERR_IO, "'%s' of '%s' is a column already", what.name, g->name);
  if (!d) d = cap_results_tree_add_item(g);
  if (!d) return no_memory(r);
  free(d->values);
  *d = (cap_results_dataset){.offset = -1};
  r->part.restructure = true;
  *item = d;
  cap_status status = describe(r, d, role, what, axes);
  if (status != CAP_OK) r->failed = status;
  return status;
}

static cap_status sink_array(cap_sink *sink, cap_column what, int rank, const int64_t *dims, const char *axes,
                             const double *values)
{
  cap_results *r = results_of(sink);
  if (rank < 1 || rank > CAP_RESULTS_RANK)
    return cap_status_fail(sink->error, CAP_ERR_IO, "array '%s' has rank %d", what.name, rank);
  int64_t count = 1;
  for (int i = 0; i < rank; i++)
    if (dims[i] < 0 || __builtin_mul_overflow(count, dims[i], &count) || count > INT64_MAX / 16)
      return cap_status_fail(sink->error, CAP_ERR_IO, "array '%s' has a dimension out of range", what.name);
  cap_results_dataset *d = NULL;
  CAP_TRY(place_item(r, CAP_RESULTS_ARRAY, what, axes, &d));
  d->rank = rank;
  memcpy(d->dims, dims, (size_t)rank * sizeof *dims);
  d->values = malloc((size_t)count * 8 + 8);
  if (!d->values) return r->failed = no_memory(r);
  if (count) memcpy(d->values, values, (size_t)count * 8);
  return CAP_OK;
}

static cap_status sink_text(cap_sink *sink, const char *name, const char *value)
{
  cap_results *r = results_of(sink);
  cap_results_dataset *d = NULL;
  CAP_TRY(place_item(r, CAP_RESULTS_TEXT, (cap_column){.name = name}, NULL, &d));
  d->text = cap_arena_copy_text(&r->tree.arena, value ? value : "");
  return d->text ? CAP_OK : (r->failed = no_memory(r));
}

static cap_status sink_number(cap_sink *sink, cap_column what, double value)
{
  cap_results *r = results_of(sink);
  cap_results_dataset *d = NULL;
  CAP_TRY(place_item(r, CAP_RESULTS_NUMBER, what, NULL, &d));
  d->number = value;
  return CAP_OK;
}

static cap_status sink_balance(cap_sink *sink, int nline, const cap_balance_line *lines)
{
  cap_results *r = results_of(sink);
  CAP_TRY(check_open(r));
  cap_results_balance *b = &r->group->balance;
  cap_balance_line *copy = calloc((size_t)nline + 1, sizeof *copy);
  if (!copy) return no_memory(r);
  free(b->lines);
  b->lines = copy;
  b->nline = 0;
  for (int i = 0; i < nline; i++) {
    copy[i] = (cap_balance_line){cap_arena_copy_text(&r->tree.arena, lines[i].name),
                                 cap_arena_copy_text(&r->tree.arena, lines[i].kind), lines[i].energy};
    if (!copy[i].name || !copy[i].kind) return no_memory(r);
  }
  b->nline = nline;
  cap_results_tree_sum_balance(b);
  r->part.restructure = true;
  return CAP_OK;
}

static bool same_views(const cap_results_checkpoint *c, int nview, const cap_view *views)
{
  if (c->nview != nview) return false;
  for (int i = 0; i < nview; i++) {
    const cap_view *view = &c->views[i].view;
    if (strcmp(view->name, views[i].name) != 0 || view->integer != views[i].integer ||
        view->count != views[i].count)
      return false;
  }
  return true;
}

/* Whether the checkpoint has what the views ask for. */
static bool serves(const cap_results_checkpoint *c, int nview, const cap_view *views)
{
  for (; nview > c->nview; nview--)
    if (strncmp(views[nview - 1].name, CAP_VIEW_CARRIED, strlen(CAP_VIEW_CARRIED)) != 0) return false;
  return same_views(c, nview, views);
}

/* Make room for views of this shape. */
static cap_status shape_checkpoint(cap_results *r, int nview, const cap_view *views)
{
  cap_results_checkpoint *c = &r->group->checkpoint;
  int64_t sequence = c->sequence;
  cap_results_tree_free_checkpoint(c);
  c->sequence = sequence;
  c->views = calloc((size_t)nview + 1, sizeof *c->views);
  if (!c->views) return no_memory(r);
  for (int i = 0; i < nview; i++) {
    cap_arena *arena = &r->tree.arena;
    if (!name_allowed(views[i].name) || views[i].count < 0)
      return cap_status_fail(r->sink.error, CAP_ERR_IO, "a part of the state in '%s' has no name or size",
                             r->group->name);
    c->views[i].view = (cap_view){
        .name = cap_arena_copy_text(arena, views[i].name),
        .unit = cap_arena_copy_text(arena, views[i].unit ? views[i].unit : ""),
        .meaning = cap_arena_copy_text(arena, views[i].meaning ? views[i].meaning : ""),
        .integer = views[i].integer,
        .count = views[i].count,
        .values = malloc((size_t)views[i].count * 8 + 8)};
    c->nview = i + 1;
    const cap_view *made = &c->views[i].view;
    if (!made->name || !made->unit || !made->meaning || !made->values) return no_memory(r);
  }
  r->part.restructure = true;
  return CAP_OK;
}

static cap_status sink_checkpoint(cap_sink *sink, int nview, const cap_view *views)
{
  cap_results *r = results_of(sink);
  CAP_TRY(check_open(r));
  start_over(r);
  cap_results_checkpoint *c = &r->group->checkpoint;
  if (!c->found || !same_views(c, nview, views)) {
    cap_status status = shape_checkpoint(r, nview, views);
    if (status != CAP_OK) return r->failed = status;
  }
  for (int i = 0; i < nview; i++)
    if (views[i].count) memcpy(c->views[i].view.values, views[i].values, (size_t)views[i].count * 8);
  c->found = true;
  if (c->sequence == 0) c->sequence = 1;
  c->nrow = r->group->nrow;
  c->rows = r->group->rows;
  c->summed = true;
  c->nitem = r->group->nitem;
  c->nbalance = r->group->balance.nline > 0;
  r->part.uncommitted = true;
  return settle(r, false);
}

static cap_status sink_restore(cap_sink *sink, int nview, const cap_view *views, bool *found, bool *finished)
{
  cap_results *r = results_of(sink);
  *found = *finished = false;
  if (r->failed != CAP_OK) return r->failed;
  cap_results_group *g = r->group;
  if (!g) return cap_status_fail(sink->error, CAP_ERR_IO, "a state was asked for outside of a group");
  if (!g->loaded) return CAP_OK;
  const cap_results_checkpoint *c = &g->checkpoint;
  g->restored = true;
  *finished = g->complete;
  if (!c->found) return CAP_OK;
  if (nview && !serves(c, nview, views))
    return cap_status_fail(
        sink->error, CAP_ERR_INPUT,
        "cannot resume '%s': its state has another form; expected that of this model; run without --resume",
        g->name);
  for (int i = 0; i < nview && i < c->nview; i++)
    if (views[i].count) memcpy(views[i].values, c->views[i].view.values, (size_t)views[i].count * 8);
  *found = true;
  return CAP_OK;
}

static const cap_view *sink_kept(cap_sink *sink, const char *name)
{
  const cap_results_group *g = results_of(sink)->group;
  for (int i = 0; g && g->restored && g->checkpoint.found && i < g->checkpoint.nview; i++)
    if (strcmp(g->checkpoint.views[i].view.name, name) == 0) return &g->checkpoint.views[i].view;
  return NULL;
}

static cap_status sink_close(cap_sink *sink)
{
  cap_results *r = results_of(sink);
  if (r->failed != CAP_OK) return r->failed;
  if (!r->group) return cap_status_fail(sink->error, CAP_ERR_IO, "no group of results is open");
  if (r->heard && cap_progress_signal(r->heard))
    return cap_status_fail(sink->error, CAP_STOPPED, "interrupted");
  if (!r->group->complete) {
    r->group->complete = true;
    r->part.restructure = true;
  }
  r->group = NULL;
  return settle(r, false);
}

/* Create, resume, finish */

static void set_sink(cap_results *r, cap_error *error)
{
  r->sink = (cap_sink){.error = error,
                       .open = sink_open,
                       .columns = sink_columns,
                       .rows = sink_rows,
                       .array = sink_array,
                       .text = sink_text,
                       .number = sink_number,
                       .balance = sink_balance,
                       .checkpoint = sink_checkpoint,
                       .restore = sink_restore,
                       .kept = sink_kept,
                       .close = sink_close};
}

void cap_results_listen(cap_results *r, const volatile sig_atomic_t *heard)
{
  r->heard = heard;
}

cap_status cap_results_create(const char *path, const cap_results_meta *meta, cap_results_options options,
                              cap_results **results, cap_error *error)
{
  *results = NULL;
  cap_results *r = calloc(1, sizeof *r);
  if (!r) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for '%s'", path ? path : "results");
  set_sink(r, error);
  r->eager = options.eager;
  r->part = (cap_results_part){.tree = &r->tree,
                               .error = error,
                               .fd = -1,
                               .source = -1,
                               .held = -1,
                               .brief = options.brief,
                               .durable = options.durable,
                               .tag = options.tag};
  char processor[CAP_MACHINE_TEXT], blas[CAP_MACHINE_TEXT], libm[CAP_MACHINE_TEXT];
  cap_results_meta whole = *meta;
  cap_machine_processor(processor);
  cap_machine_libm(libm);
  capm_lapack_name(blas, sizeof blas);
  whole.processor = processor, whole.blas = blas, whole.libm = libm;
  whole.version = CAPSTAN_VERSION;
  whole.git_hash = CAPSTAN_GIT_HASH;
  whole.compiler = CAPSTAN_COMPILER;
  whole.flags = CAPSTAN_FLAGS;
  if (!whole.drive) whole.drive = "";
  if (!whole.name) whole.name = "";
  if (!whole.model) whole.model = "";
  cap_status status = cap_results_part_open(&r->part, path, &whole, options.resume);
  if (status != CAP_OK) {
    cap_results_free(r);
    return status;
  }
  *results = r;
  return CAP_OK;
}

cap_sink *cap_results_sink(cap_results *results)
{
  return &results->sink;
}

bool cap_results_elsewhere(const cap_results *r)
{
  return r->part.elsewhere;
}

const cap_results_tree *cap_results_contents(const cap_results *results)
{
  return &results->tree;
}

const char *cap_results_where(const cap_results *results)
{
  return results->where ? results->where : results->part.part;
}

/* Groups of an interrupted run that this one did not come to are no part of a complete result. */
static void drop_unopened(cap_results_tree *tree)
{
  for (int i = tree->ngroup - 1; i >= 0; i--)
    if (!tree->groups[i]->opened) cap_results_tree_remove_group(tree, i);
  for (int i = 0; i < tree->ngroup; i++) tree->groups[i]->index = i;
}

void cap_results_leave(cap_results *results)
{
  results->group = NULL;
  results->ending = true;
}

int64_t cap_results_count(const cap_results_group *group, const cap_results_dataset *dataset)
{
  return dataset->role == CAP_RESULTS_COLUMN ? group->nrow : cap_results_tree_count(dataset);
}

cap_status cap_results_peek(cap_results *results, const cap_results_group *group,
                            const cap_results_dataset *dataset, double *values, cap_error *error)
{
  return cap_results_layout_peek(group, dataset, results->part.source, results->part.path, values, error);
}

cap_status cap_results_pause(cap_results *r)
{
  if (r->failed != CAP_OK) return r->failed;
  cap_status status = cap_results_part_replace(&r->part, r->part.part, true);
  r->failed = status == CAP_OK ? CAP_ERR_IO : status;
  return status;
}

cap_status cap_results_finish(cap_results *r, bool complete)
{
  if (r->failed != CAP_OK && (complete || r->failed == CAP_ERR_NOMEM)) return r->failed;
  if (complete && r->group) CAP_TRY(sink_close(&r->sink));
  if (complete) drop_unopened(&r->tree);
  cap_status status = cap_results_part_finish(&r->part, complete, &r->where);
  r->failed = status == CAP_OK ? CAP_ERR_IO : status; /* nothing more goes into it */
  return status;
}

int cap_results_take(cap_results *results)
{
  int fd = results->part.held;
  results->part.held = -1;
  return fd;
}

void cap_results_free(cap_results *results)
{
  if (!results) return;
  cap_results_part_close(&results->part);
  cap_results_tree_free(&results->tree);
  free(results);
}
