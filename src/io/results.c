/* io/results.c — see results.h. */
#include "io/results.h"
#include "io/h5.h"
#include "io/results_layout.h"
#include "io/results_load.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double SECONDS_BEHIND = 0.25;
enum { MOST_BUFFERED = 1 << 21 /* values held in memory by one table */ };

struct cap_results {
  cap_sink sink; /* first: the sink's functions find their results here */
  cap_results_tree tree;
  cap_results_group *group;  /* the open one */
  char *path, *part, *fresh; /* OUT.h5, OUT.h5.part, OUT.h5.part.new */
  const char *where;         /* of the finished file */
  int fd;                    /* of the part, locked; -1 after the finish */
  int source;                /* where the tree's offsets point: fd, or an incomplete OUT.h5 that is resumed */
  bool eager, restructure;   /* restructure: the file's structure is behind the tree's */
  bool uncommitted;          /* the open group's checkpoint is newer than the one in the file */
  double written;            /* s, when the file was last brought up to date */
  cap_status failed;
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cap_results *results_of(cap_sink *sink)
{
  return (cap_results *)sink;
}

static cap_status no_memory(cap_results *r)
{
  return cap_status_fail(r->sink.error, CAP_ERR_NOMEM, "out of memory for the results of '%s'", r->path);
}

/* The lock and the part file */

/* 1 locked, 0 another run has it, -1 this file system knows no locks. */
static int lock_file(int fd)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return 1;
  return errno == EAGAIN || errno == EACCES ? 0 : -1;
}

static bool same_file(int fd, const char *path)
{
  struct stat a, b;
  return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Open or create the part file and lock it. Its holder renames new files over it, so what was opened may no
 * longer be what the name means when the lock is got; then another run is at work. */
static cap_status take_part(cap_results *r, bool *created)
{
  struct stat info;
  *created = stat(r->part, &info) != 0;
  r->fd = open(r->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (r->fd < 0)
    return cap_status_fail(r->sink.error, CAP_ERR_IO, "cannot write '%s': %s", r->part, strerror(errno));
  if (lock_file(r->fd) == 0 || !same_file(r->fd, r->part)) {
    *created = false;
    return cap_status_fail(r->sink.error, CAP_ERR_IO, "'%s' is being written by another run", r->part);
  }
  return CAP_OK;
}

static cap_status sync_folder(const char *path)
{
  char *copy = strdup(path);
  if (!copy) return CAP_ERR_NOMEM;
  int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(copy);
  if (fd < 0) return CAP_ERR_IO;
  fsync(fd); /* not every file system can; the file itself is safe already */
  close(fd);
  return CAP_OK;
}

/* Write the tree to a new file and rename it to `target`. */
static cap_status replace(cap_results *r, const char *target, bool reserve)
{
  int fd = -1;
  cap_error *error = r->sink.error;
  CAP_TRY(cap_results_layout_write(&r->tree, r->source, r->fresh, reserve, &fd, error));
  lock_file(fd);
  if (fsync(fd) != 0 || rename(r->fresh, target) != 0) {
    cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", target, strerror(errno));
    unlink(r->fresh);
    close(fd);
    return CAP_ERR_IO;
  }
  sync_folder(target);
  cap_results_layout_adopt(&r->tree);
  if (target != r->part) unlink(r->part); /* while it is locked */
  if (r->source >= 0 && r->source != r->fd) close(r->source);
  close(r->fd);
  r->fd = r->source = fd;
  r->restructure = r->uncommitted = false;
  r->written = now();
  return CAP_OK;
}

/* Bring the part file up to date with the tree. */
static cap_status update(cap_results *r)
{
  cap_results_group *g = r->group;
  if (r->restructure || (g && g->nrow > g->capacity)) return replace(r, r->part, true);
  if (!g) return CAP_OK;
  CAP_TRY(cap_results_layout_append(g, r->fd, r->sink.error));
  if (r->uncommitted) CAP_TRY(cap_results_layout_commit(g, r->fd, r->sink.error));
  r->uncommitted = false;
  r->written = now();
  return CAP_OK;
}

/* The same when it is due; failures stick, since the file can no longer be trusted to hold all. */
static cap_status settle(cap_results *r, bool due)
{
  if (!due && !r->eager && now() - r->written < SECONDS_BEHIND) return CAP_OK;
  r->failed = update(r);
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
  group->opened = true;
  if (!group->loaded) r->restructure = true;
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
  cap_results_tree_free_checkpoint(&g->checkpoint);
  r->restructure = true;
}

static bool same_columns(const cap_results_group *g, int ncolumn, const cap_column *columns)
{
  if (g->ncolumn != ncolumn) return false;
  for (int i = 0; i < ncolumn; i++)
    if (strcmp(g->columns[i].name, columns[i].name) != 0) return false;
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
  d->axes = cap_arena_copy_text(arena, axes ? axes : "");
  return d->name && d->unit && d->long_name && d->axes ? CAP_OK : no_memory(r);
}

static cap_status sink_columns(cap_sink *sink, int ncolumn, const cap_column *columns)
{
  cap_results *r = results_of(sink);
  cap_results_group *g = r->group;
  /* on a resumed group this only repeats what is known; a finished one may be asked for it before the restore
   */
  if (r->failed == CAP_OK && g && g->loaded) {
    if (same_columns(g, ncolumn, columns)) return CAP_OK;
    return cap_status_fail(sink->error, CAP_ERR_INPUT, "cannot resume '%s': its columns differ", g->name);
  }
  CAP_TRY(check_open(r));
  if (g->ncolumn > 0)
    return cap_status_fail(sink->error, CAP_ERR_IO, "'%s' has its columns already", g->name);
  cap_results_dataset *made = calloc((size_t)ncolumn + 1, sizeof *made);
  if (!made) return no_memory(r);
  g->columns = made;
  for (int i = 0; i < ncolumn; i++) {
    if (!name_allowed(columns[i].name) || cap_results_tree_dataset(g, columns[i].name))
      return cap_status_fail(sink->error, CAP_ERR_IO,
                             "'%s' is no name, or not a new one, for a column of '%s'",
                             columns[i].name ? columns[i].name : "", g->name);
    CAP_TRY(describe(r, &made[i], CAP_RESULTS_COLUMN, columns[i], NULL));
    made[i].rank = 1;
    g->ncolumn = i + 1;
  }
  r->restructure = true;
  return CAP_OK;
}

static cap_status grow_buffer(cap_results *r, int64_t nrow)
{
  cap_results_group *g = r->group;
  if (g->nbuffer + nrow <= g->buffer_room) return CAP_OK;
  int64_t room = g->buffer_room ? 2 * g->buffer_room : 64;
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
  memcpy(g->buffer + g->nbuffer * g->ncolumn, values, (size_t)nrow * (size_t)g->ncolumn * sizeof *values);
  g->nbuffer += nrow;
  g->nrow += nrow;
  return g->nbuffer * g->ncolumn > MOST_BUFFERED ? settle(r, true) : CAP_OK;
}

/* The item to (re)place: what is put twice under one name counts as put once, since a resumed analysis
 * repeats what it put before its restore. */
static cap_status place_item(cap_results *r, cap_results_role role, cap_column what, const char *axes,
                             cap_results_dataset **item)
{
  CAP_TRY(check_open(r));
  cap_results_group *g = r->group;
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
  r->restructure = true;
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
  r->restructure = true;
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
  r->restructure = true;
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
  c->nitem = r->group->nitem;
  c->nbalance = r->group->balance.nline > 0;
  r->uncommitted = true;
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
  if (!same_views(c, nview, views))
    return cap_status_fail(sink->error, CAP_ERR_INPUT, "cannot resume '%s': its state has another form",
                           g->name);
  for (int i = 0; i < nview; i++)
    if (views[i].count) memcpy(views[i].values, c->views[i].view.values, (size_t)views[i].count * 8);
  *found = true;
  return CAP_OK;
}

static cap_status sink_close(cap_sink *sink)
{
  cap_results *r = results_of(sink);
  if (r->failed != CAP_OK) return r->failed;
  if (!r->group) return cap_status_fail(sink->error, CAP_ERR_IO, "no group of results is open");
  if (!r->group->complete) {
    r->group->complete = true;
    r->restructure = true;
  }
  r->group = NULL;
  return settle(r, false);
}

/* Create, resume, finish */

/* What keeps the run in `old` from being continued by one with `meta`; NULL = nothing. */
static const char *difference(const cap_results_meta *old, const cap_results_meta *meta)
{
  if (strcmp(old->model, meta->model) != 0) return "the model file";
  bool same = old->nsetting == meta->nsetting;
  for (int i = 0; same && i < meta->nsetting; i++) same = strcmp(old->settings[i], meta->settings[i]) == 0;
  if (!same) return "the settings (--set)";
#define CAP_RESULTS_META_COMPARE(member, attribute)                                                          \
  if (strcmp(old->member, meta->member) != 0) return attribute;
  CAP_RESULTS_META_TEXTS(CAP_RESULTS_META_COMPARE)
#undef CAP_RESULTS_META_COMPARE
  if (old->seed != meta->seed) return "the seed";
  return NULL;
}

/* Cut each group to what its checkpoint covers; running groups without one start afresh. */
static void cut_to_checkpoints(cap_results_tree *tree)
{
  for (int i = tree->ngroup - 1; i >= 0; i--) {
    cap_results_group *g = tree->groups[i];
    const cap_results_checkpoint *c = &g->checkpoint;
    if (!g->complete && !c->found) {
      cap_results_tree_remove_group(tree, i);
      continue;
    }
    if (!g->complete) {
      if (c->nrow < g->nrow) g->nrow = c->nrow;
      if (c->nitem < g->nitem) cap_results_tree_cut_items(g, (int)c->nitem);
      if (!c->nbalance) g->balance.nline = 0;
    }
    g->nstored = g->nrow;
    g->loaded = true;
  }
}

static bool readable_offsets(const cap_results_tree *tree)
{
  for (int i = 0; i < tree->ngroup; i++) {
    const cap_results_group *g = tree->groups[i];
    for (int k = 0; k < g->ncolumn; k++)
      if (g->nrow > 0 && g->columns[k].offset < 0) return false;
    for (int k = 0; k < g->nitem; k++)
      if (g->items[k].role == CAP_RESULTS_ARRAY && cap_results_tree_count(&g->items[k]) > 0 &&
          g->items[k].offset < 0)
        return false;
  }
  return true;
}

static cap_status load_earlier(cap_results *r, const char *earlier, const cap_results_meta *meta)
{
  hid_t file;
  cap_error *error = r->sink.error;
  CAP_TRY(cap_results_load_open(&r->tree, earlier, &file, error));
  H5Fclose(file);
  const char *differs = difference(&r->tree.meta, meta);
  if (differs)
    return cap_status_fail(error, CAP_ERR_INPUT, "cannot resume '%s': %s differs from the run that it holds",
                           earlier, differs);
  cut_to_checkpoints(&r->tree);
  if (!readable_offsets(&r->tree))
    return cap_status_fail(error, CAP_ERR_IO, "cannot resume '%s': it was rewritten by another tool",
                           earlier);
  r->tree.complete = false;
  if (strcmp(earlier, r->part) == 0) {
    r->source = r->fd;
    return CAP_OK;
  }
  r->source = open(earlier, O_RDONLY | O_CLOEXEC);
  if (r->source < 0)
    return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", earlier, strerror(errno));
  return CAP_OK;
}

static int64_t size_of(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 ? (int64_t)info.st_size : -1;
}

static cap_status begin(cap_results *r, const cap_results_meta *meta, bool resume)
{
  const char *earlier = !resume                ? NULL
                        : size_of(r->part) > 0 ? r->part
                        : size_of(r->path) > 0 ? r->path
                                               : NULL;
  if (earlier) CAP_TRY(load_earlier(r, earlier, meta));
  CAP_TRY(cap_results_tree_set_meta(&r->tree, meta, r->sink.error));
  return replace(r, r->part, true);
}

/* Refuse at once what could not be renamed to at the end, and never replace a file that is no result. */
static cap_status check_target(const char *path, cap_error *error)
{
  struct stat info;
  if (stat(path, &info) != 0) {
    if (errno == ENOENT) return CAP_OK;
    return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  }
  if (S_ISDIR(info.st_mode))
    return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': it is a directory", path);
  if (!S_ISREG(info.st_mode))
    return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': it is not a regular file", path);
  if (info.st_size > 0 && H5Fis_hdf5(path) <= 0)
    return cap_status_fail(error, CAP_ERR_IO, "'%s' exists and is not an HDF5 file: it is not overwritten",
                           path);
  return CAP_OK;
}

static char *with_ending(const char *path, const char *ending)
{
  size_t size = strlen(path) + strlen(ending) + 1;
  char *text = malloc(size);
  if (text) snprintf(text, size, "%s%s", path, ending);
  return text;
}

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
                       .close = sink_close};
}

cap_status cap_results_create(const char *path, const cap_results_meta *meta, cap_results_options options,
                              cap_results **results, cap_error *error)
{
  *results = NULL;
  cap_h5_quiet();
  CAP_TRY(check_target(path, error));
  cap_results *r = calloc(1, sizeof *r);
  if (!r) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for '%s'", path);
  set_sink(r, error);
  r->fd = r->source = -1;
  r->eager = options.eager;
  r->path = strdup(path);
  r->part = with_ending(path, ".part");
  r->fresh = with_ending(path, ".part.new");
  bool created = false;
  cap_results_meta whole = *meta;
  whole.version = CAPSTAN_VERSION;
  whole.git_hash = CAPSTAN_GIT_HASH;
  whole.compiler = CAPSTAN_COMPILER;
  whole.flags = CAPSTAN_FLAGS;
  if (!whole.drive) whole.drive = "";
  if (!whole.name) whole.name = "";
  if (!whole.model) whole.model = "";
  cap_status status = r->path && r->part && r->fresh ? take_part(r, &created) : no_memory(r);
  if (status == CAP_OK) status = begin(r, &whole, options.resume);
  if (status != CAP_OK) {
    if (created) unlink(r->part);
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

const cap_results_tree *cap_results_contents(const cap_results *results)
{
  return &results->tree;
}

const char *cap_results_where(const cap_results *results)
{
  return results->where ? results->where : results->part;
}

static bool holds_complete_result(const char *path)
{
  cap_results_tree tree;
  hid_t file;
  if (cap_results_load_open(&tree, path, &file, NULL) != CAP_OK) return false;
  bool complete = tree.complete;
  cap_results_tree_free(&tree);
  H5Fclose(file);
  return complete;
}

/* Groups of an interrupted run that this one did not come to are no part of a complete result. */
static void drop_unopened(cap_results_tree *tree)
{
  for (int i = tree->ngroup - 1; i >= 0; i--)
    if (!tree->groups[i]->opened) cap_results_tree_remove_group(tree, i);
  for (int i = 0; i < tree->ngroup; i++) tree->groups[i]->index = i;
}

cap_status cap_results_finish(cap_results *r, bool complete)
{
  if (r->failed != CAP_OK && (complete || r->failed == CAP_ERR_NOMEM)) return r->failed;
  if (complete && r->group) CAP_TRY(sink_close(&r->sink));
  if (complete) drop_unopened(&r->tree);
  r->tree.complete = complete;
  const char *target = !complete && holds_complete_result(r->path) ? r->part : r->path;
  cap_status status = replace(r, target, false);
  if (status != CAP_OK) {
    r->failed = status;
    return status;
  }
  r->where = target;
  close(r->fd);
  r->fd = r->source = -1;
  r->failed = CAP_ERR_IO; /* nothing more goes into it */
  return CAP_OK;
}

void cap_results_free(cap_results *results)
{
  if (!results) return;
  if (results->source >= 0 && results->source != results->fd) close(results->source);
  if (results->fd >= 0) close(results->fd);
  cap_results_tree_free(&results->tree);
  free(results->path);
  free(results->part);
  free(results->fresh);
  free(results);
}
