/* io/results_part.c — see results_part.h. */
#include "io/results_part.h"
#include "base/clock.h"
#include "base/platform.h"
#include "io/h5.h"
#include "io/results_block.h"
#include "io/results_layout.h"
#include "io/results_load.h"
#include "io/results_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(int fd, const char *path)
{
  struct stat a, b;
  return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Open or create the part file and lock it. Its holder renames new files over it, so what was opened may no
 * longer be what the name means when the lock is got; then another run is at work. */
static cap_status take(cap_results_part *p, bool *created)
{
  struct stat info;
  *created = lstat(p->part, &info) != 0;
  if (!*created && S_ISLNK(info.st_mode))
    return cap_status_fail(p->error, CAP_ERR_IO, "'%s' is a symbolic link and is not written; remove it",
                           p->part);
  /* a result keeps its permissions, also while it is made */
  if (stat(p->path, &info) == 0 || !*created) p->mode = info.st_mode & 0777;
  p->fd = open(p->part, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, p->mode ? p->mode : 0666);
  if (p->fd >= 0 && *created && p->mode) fchmod(p->fd, p->mode);
  if (p->fd < 0)
    return cap_status_fail(p->error, CAP_ERR_IO, "cannot write '%s': %s", p->part, strerror(errno));
  if (cap_platform_lock(p->fd) == 0 || !same_file(p->fd, p->part)) {
    *created = false;
    return cap_status_fail(p->error, CAP_ERR_IO, "'%s' is being written by another run", p->part);
  }
  return CAP_OK;
}

cap_status cap_results_part_replace(cap_results_part *p, const char *target, bool reserve)
{
  int fd = -1;
  cap_error *error = p->error;
  CAP_TRY(cap_results_layout_write(p->tree, p->source, p->fresh, p->mode, reserve, &fd, error));
  cap_platform_lock(fd);
  /* a file without results has nothing to lose: a run that has just begun does not wait for the disk */
  bool durable = p->tree->ngroup > 0 || p->tree->complete;
  if ((durable && fsync(fd) != 0) || rename(p->fresh, target) != 0) {
    cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", target, strerror(errno));
    unlink(p->fresh);
    close(fd);
    return CAP_ERR_IO;
  }
  if (durable) cap_durable_sync_folder(target);
  cap_results_layout_adopt(p->tree);
  if (target != p->part) unlink(p->part); /* while it is locked */
  if (p->source >= 0 && p->source != p->fd) close(p->source);
  close(p->fd);
  p->fd = p->source = fd;
  p->restructure = p->uncommitted = false;
  p->written = cap_clock_wall();
  return CAP_OK;
}

cap_status cap_results_part_update(cap_results_part *p, cap_results_group *g)
{
  if (p->unnamed) {
    p->written = cap_clock_wall();
    return CAP_OK;
  }
  if (p->restructure || (g && g->nrow > g->capacity)) return cap_results_part_replace(p, p->part, true);
  if (!g) return CAP_OK;
  CAP_TRY(cap_results_layout_append(g, p->fd, p->error));
  if (p->uncommitted) CAP_TRY(cap_results_layout_commit(g, p->fd, p->error));
  p->uncommitted = false;
  p->written = cap_clock_wall();
  return CAP_OK;
}

/* An earlier run */

/* What keeps the run in `old` from being continued by one with `meta`; NULL = nothing. */
static const char *difference(const cap_results_meta *old, const cap_results_meta *meta)
{
  if (strcmp(old->model, meta->model) != 0) return "the model file";
  bool same = old->nsetting == meta->nsetting;
  for (int i = 0; same && i < meta->nsetting; i++) same = strcmp(old->settings[i], meta->settings[i]) == 0;
  if (!same) return "the settings (--set)";
  if (strcmp(old->fed_by, meta->fed_by ? meta->fed_by : "") != 0)
    return "the files that feed inputs (--input)";
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
      cap_results_tree_cut_items(g, c->nitem);
      if (!c->nbalance) g->balance.nline = 0;
    }
    g->rows = c->rows;
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

static cap_status load_earlier(cap_results_part *p, const char *earlier, const cap_results_meta *meta)
{
  cap_h5_input in;
  cap_error *error = p->error, own = {0};
  cap_status status = cap_results_load_open(p->tree, earlier, &in, &own);
  if (status != CAP_OK)
    return cap_status_fail(error, status, "cannot resume: %.900s; without that file the run begins anew",
                           own.text);
  cap_results_load_close(&in);
  const char *differs = difference(&p->tree->meta, meta);
  if (differs)
    return cap_status_fail(error, CAP_ERR_INPUT, "cannot resume '%s': %s differs from the run that it holds",
                           earlier, differs);
  cut_to_checkpoints(p->tree);
  if (!readable_offsets(p->tree))
    return cap_status_fail(error, CAP_ERR_IO, "cannot resume '%s': it was rewritten by another tool",
                           earlier);
  p->tree->complete = false;
  if (strcmp(earlier, p->part) == 0) {
    p->source = p->fd;
    return CAP_OK;
  }
  p->source = open(earlier, O_RDONLY | O_CLOEXEC);
  if (p->source < 0)
    return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", earlier, strerror(errno));
  return CAP_OK;
}

/* All kinds of machine that a resumed run was computed on; they are compared by their texts. */
static cap_status join_machines(cap_results_part *p, const cap_results_meta *old, cap_results_meta *meta)
{
#define CAP_RESULTS_MACHINE_JOIN(member, attribute)                                                          \
  if (*old->member && !strstr(old->member, meta->member)) p->elsewhere = true;                               \
  if (*old->member)                                                                                          \
    meta->member = strstr(old->member, meta->member)                                                         \
                       ? old->member                                                                         \
                       : cap_arena_format(&p->tree->arena, "%s; %s", old->member, meta->member);             \
  if (!meta->member) return cap_status_fail(p->error, CAP_ERR_NOMEM, "out of memory");
  CAP_RESULTS_META_MACHINE(CAP_RESULTS_MACHINE_JOIN)
#undef CAP_RESULTS_MACHINE_JOIN
  return CAP_OK;
}

static int64_t size_of(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 ? (int64_t)info.st_size : -1;
}

static cap_status begin(cap_results_part *p, const cap_results_meta *meta, bool resume)
{
  const char *earlier = !resume                ? NULL
                        : size_of(p->part) > 0 ? p->part
                        : size_of(p->path) > 0 ? p->path
                                               : NULL;
  cap_results_meta own = *meta;
  if (earlier) CAP_TRY(load_earlier(p, earlier, meta));
  p->tree->bare = p->brief;
  if (earlier) CAP_TRY(join_machines(p, &p->tree->meta, &own));
  CAP_TRY(cap_results_tree_set_meta(p->tree, &own, p->error));
  if (!p->brief || earlier) return cap_results_part_replace(p, p->part, true);
  if (ftruncate(p->fd, 0) != 0)
    return cap_status_fail(p->error, CAP_ERR_IO, "cannot write '%s': %s", p->part, strerror(errno));
  p->restructure = true;
  p->written = cap_clock_wall();
  return CAP_OK;
}

/* Whether it may be replaced: a result or another HDF5 file, whole or not. */
static bool begins_as_result(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool known = fd >= 0 && cap_results_block_known(fd);
  if (fd >= 0) close(fd);
  if (known) return true;
  cap_h5_host host;
  cap_h5_enter(&host);
  known = H5Fis_hdf5(path) > 0;
  cap_h5_leave(&host);
  return known;
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
  if (info.st_size > 0 && !begins_as_result(path))
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

static cap_status set_names(cap_results_part *p, const char *path)
{
  p->path = strdup(path);
  p->part = with_ending(path, ".part");
  p->fresh = with_ending(path, ".part.new");
  if (p->path && p->part && p->fresh) return CAP_OK;
  return cap_status_fail(p->error, CAP_ERR_NOMEM, "out of memory for the results of '%s'", path);
}

static cap_status begin_unnamed(cap_results_part *p, const cap_results_meta *meta)
{
  p->unnamed = true;
  p->written = cap_clock_wall();
  if (!(p->path = strdup("the results in memory")))
    return cap_status_fail(p->error, CAP_ERR_NOMEM, "out of memory for results");
  return cap_results_tree_set_meta(p->tree, meta, p->error);
}

/* Open, lock, and write the first form of the file. */
cap_status cap_results_part_open(cap_results_part *p, const char *path, const cap_results_meta *meta,
                                 bool resume)
{
  bool created = false;
  p->fd = p->source = p->held = -1;
  if (!path) return begin_unnamed(p, meta);
  CAP_TRY(check_target(path, p->error));
  CAP_TRY(set_names(p, path));
  cap_status status = take(p, &created);
  if (status == CAP_OK) status = begin(p, meta, resume);
  if (status != CAP_OK && created) unlink(p->part);
  return status;
}

double cap_results_part_age(const cap_results_part *p)
{
  return cap_clock_wall() - p->written;
}

static bool holds_complete_result(const char *path)
{
  cap_results_tree tree;
  cap_h5_input in;
  if (cap_results_load_open(&tree, path, &in, NULL) != CAP_OK) return false;
  bool complete = tree.complete;
  cap_results_tree_free(&tree);
  cap_results_load_close(&in);
  return complete;
}

/* The finished file to the thread that makes it durable; the part stays locked until it is there. */
static cap_status hand_over(cap_results_part *p)
{
  int fd = -1;
  CAP_TRY(cap_results_layout_write(p->tree, p->source, p->fresh, p->mode, false, &fd, p->error));
  cap_durable_file file = {p->fresh, p->path, p->part, fd, p->fd, p->tag};
  if (p->source >= 0 && p->source != p->fd) close(p->source);
  p->fd = p->source = -1;
  return cap_durable_put(p->durable, &file, p->error);
}

cap_status cap_results_part_finish(cap_results_part *p, bool complete, const char **where)
{
  p->tree->complete = complete;
  if (p->unnamed) return cap_results_layout_hold(p->tree, p->path, &p->held, p->error);
  const char *target = !complete && holds_complete_result(p->path) ? p->part : p->path;
  *where = target;
  if (p->durable && target == p->path) return hand_over(p);
  CAP_TRY(cap_results_part_replace(p, target, false));
  close(p->fd);
  p->fd = p->source = -1;
  return CAP_OK;
}

static cap_status copy_bytes(int from, int to, const char *path, cap_error *error)
{
  enum { ROOM = 1 << 20 };
  char *bytes = malloc(ROOM);
  if (!bytes) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", path);
  cap_status status = CAP_OK;
  for (int64_t at = 0, n = 1; status == CAP_OK && n > 0; at += n) {
    do n = pread(from, bytes, ROOM, at);
    while (n < 0 && errno == EINTR);
    if (n > 0) status = cap_results_stream_write(to, bytes, (size_t)n, at, path, error);
    else if (n < 0)
      status = cap_status_fail(error, CAP_ERR_IO, "cannot read the results for '%s': %s", path,
                               strerror(errno));
  }
  free(bytes);
  return status;
}

static cap_status save(const cap_results_part *p, int from)
{
  unlink(p->fresh); /* what was left or planted under the name is not followed */
  int fd = open(p->fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, p->mode ? p->mode : 0666);
  if (fd < 0)
    return cap_status_fail(p->error, CAP_ERR_IO, "cannot write '%s': %s", p->fresh, strerror(errno));
  if (p->mode) fchmod(fd, p->mode);
  cap_status status = copy_bytes(from, fd, p->fresh, p->error);
  if (status == CAP_OK && (fsync(fd) != 0 || rename(p->fresh, p->path) != 0))
    status = cap_status_fail(p->error, CAP_ERR_IO, "cannot write '%s': %s", p->path, strerror(errno));
  close(fd);
  if (status != CAP_OK) unlink(p->fresh);
  else cap_durable_sync_folder(p->path);
  return status;
}

cap_status cap_results_part_save(int from, const char *path, cap_error *error)
{
  bool created = false;
  cap_results_part p = {.error = error, .fd = -1, .source = -1, .held = -1};
  CAP_TRY(check_target(path, error));
  cap_status status = set_names(&p, path);
  if (status == CAP_OK) status = take(&p, &created);
  bool ours = status == CAP_OK;
  if (ours) status = save(&p, from);
  if (ours && (created || status == CAP_OK)) unlink(p.part); /* while it is locked */
  cap_results_part_close(&p);
  return status;
}

/* A part without contents is nothing to resume; it goes while it is locked. */
static void drop_empty(const cap_results_part *p)
{
  struct stat info;
  if (p->fd >= 0 && p->part && fstat(p->fd, &info) == 0 && info.st_size == 0 && same_file(p->fd, p->part))
    unlink(p->part);
}

void cap_results_part_close(cap_results_part *p)
{
  if (p->brief) drop_empty(p);
  if (p->source >= 0 && p->source != p->fd) close(p->source);
  if (p->fd >= 0) close(p->fd);
  if (p->held >= 0) close(p->held);
  free(p->path);
  free(p->part);
  free(p->fresh);
}
