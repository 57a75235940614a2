/* io/results_fill.c — see results_fill.h. */
#include "io/results_fill.h"
#include "base/platform.h"
#include "io/results_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BLOCK = 2048,   /* doubles put at once */
  LARGE = 1 << 26 /* bytes of a file whose space is asked for before anything is written */
};

typedef enum segment_kind { ROWS, VALUES, VIEW, RECORD } segment_kind;

/* Bytes of the file that are not HDF5's own. */
typedef struct segment {
  segment_kind kind;
  bool open; /* the run goes on to write them */
  int64_t offset, size;
  const cap_results_group *group;
  int index, slot; /* of the column, item or view */
} segment;

typedef struct segments {
  segment *list;
  int n, room, nopen;
} segments;

typedef struct filler {
  const cap_h5_image *image;
  int source;
  double *block; /* [BLOCK] */
  cap_results_stream to;
} filler;

/* Where everything is */

/* What is empty has no place. */
static bool add_segment(segments *all, segment s)
{
  if (s.size == 0) return true;
  if (all->n == all->room) {
    int room = all->room ? 2 * all->room : 64;
    segment *list = realloc(all->list, (size_t)room * sizeof *list);
    if (!list) return false;
    all->list = list;
    all->room = room;
  }
  all->list[all->n++] = s;
  all->nopen += s.open;
  return true;
}

static bool list_slots(segments *all, const cap_results_group *group, bool open)
{
  const cap_results_checkpoint *c = &group->checkpoint;
  bool ok = true;
  for (int slot = 0; slot < 2; slot++) {
    int64_t record = c->next_commit_offset[slot];
    for (int i = 0; ok && i < c->nview; i++)
      ok = add_segment(all, (segment){VIEW, open, c->views[i].next_offset[slot], c->views[i].view.count * 8,
                                      group, i, slot});
    ok = ok && add_segment(all, (segment){RECORD, open, record, CAP_RESULTS_RECORD * 8, group, 0, slot});
  }
  return ok;
}

static bool list_group(segments *all, const cap_results_group *group, bool reserve, bool slots)
{
  bool open = reserve && !group->complete, ok = true;
  for (int i = 0; ok && i < group->ncolumn; i++)
    ok = add_segment(
        all, (segment){ROWS, open, group->columns[i].next_offset, group->next_capacity * 8, group, i, 0});
  for (int i = 0; ok && i < group->nitem; i++) {
    const cap_results_dataset *d = &group->items[i];
    if (d->role != CAP_RESULTS_ARRAY) continue;
    ok = add_segment(all,
                     (segment){VALUES, false, d->next_offset, cap_results_tree_count(d) * 8, group, i, 0});
  }
  return ok && (!slots || !group->checkpoint.found || list_slots(all, group, open));
}

static int by_offset(const void *a, const void *b)
{
  int64_t x = ((const segment *)a)->offset, y = ((const segment *)b)->offset;
  return x < y ? -1 : x > y;
}

/* All of them in the order of the file; the caller frees the list. */
static bool list_segments(const cap_results_tree *tree, bool reserve, segments *all)
{
  for (int i = 0; i < tree->ngroup; i++)
    if (!list_group(all, tree->groups[i], reserve, !tree->complete)) return false;
  if (all->n) qsort(all->list, (size_t)all->n, sizeof *all->list, by_offset);
  return true;
}

/* What is in them */

cap_status cap_results_fill_read(int source, void *bytes, size_t size, int64_t offset, const char *path,
                                 cap_error *error)
{
  char *next = bytes;
  while (size > 0) {
    ssize_t got = pread(source, next, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return cap_status_fail(error, CAP_ERR_IO, "cannot read back what was written for '%s': %s", path,
                             got < 0 ? strerror(errno) : "the file is shorter than it should be");
    next += got;
    offset += got;
    size -= (size_t)got;
  }
  return CAP_OK;
}

void cap_results_fill_record(const cap_results_checkpoint *c, int64_t record[CAP_RESULTS_RECORD])
{
  const int64_t values[CAP_RESULTS_RECORD] = {c->sequence, c->nrow,          c->nitem,
                                              c->nbalance, (int64_t)c->rows, cap_results_tree_checksum(c)};
  memcpy(record, values, sizeof values);
}

/* Values of the source, straight into the stream. */
static cap_status move(filler *f, int64_t from, int64_t count)
{
  for (size_t n, left = (size_t)count * 8; left > 0; left -= n, from += (int64_t)n) {
    void *room = cap_results_stream_room(&f->to, left, &n);
    if (!room) return CAP_ERR_IO;
    CAP_TRY(cap_results_fill_read(f->source, room, n, from, f->to.path, f->to.error));
    cap_results_stream_filled(&f->to, n);
  }
  return CAP_OK;
}

/* Rows in memory; one of them may come to lie across the end of the stream's room. */
static cap_status put_buffered(filler *f, const cap_results_group *group, int column)
{
  for (int64_t n, first = 0; first < group->nbuffer; first += n) {
    size_t given;
    void *room = cap_results_stream_room(&f->to, (size_t)(group->nbuffer - first) * 8, &given);
    if (!room) return CAP_ERR_IO;
    n = given < 8 ? 1 : (int64_t)(given / 8);
    cap_results_tree_gather(group, column, first, n, given < 8 ? f->block : room);
    if (given < 8) CAP_TRY(cap_results_stream_put(&f->to, f->block, 8));
    else cap_results_stream_filled(&f->to, (size_t)n * 8);
  }
  return CAP_OK;
}

/* Rows of the source, rows in memory, and room that holds nothing yet: it reads as NaN, for tools that do
 * not know of checkpoints. */
static cap_status put_rows(filler *f, const cap_results_group *group, int column)
{
  CAP_TRY(move(f, group->columns[column].offset, group->nstored));
  CAP_TRY(put_buffered(f, group, column));
  int64_t blank = group->next_capacity - group->nrow;
  for (int64_t i = 0; i < (blank < BLOCK ? blank : BLOCK); i++) f->block[i] = NAN;
  for (; blank > 0; blank -= BLOCK)
    CAP_TRY(cap_results_stream_put(&f->to, f->block, (size_t)(blank < BLOCK ? blank : BLOCK) * 8));
  return CAP_OK;
}

static cap_status put_record(filler *f, const cap_results_checkpoint *c, int slot)
{
  int64_t record[CAP_RESULTS_RECORD] = {0}; /* the older slot is not valid */
  if (slot == (int)(c->sequence & 1)) cap_results_fill_record(c, record);
  return cap_results_stream_put(&f->to, record, sizeof record);
}

static cap_status put_segment(filler *f, const segment *s)
{
  const cap_results_group *group = s->group;
  if (s->kind == ROWS) return put_rows(f, group, s->index);
  if (s->kind == RECORD) return put_record(f, &group->checkpoint, s->slot);
  if (s->kind == VIEW)
    return cap_results_stream_put(&f->to, group->checkpoint.views[s->index].view.values, (size_t)s->size);
  const cap_results_dataset *d = &group->items[s->index];
  return d->values ? cap_results_stream_put(&f->to, d->values, (size_t)s->size)
                   : move(f, d->offset, s->size / 8);
}

/* HDF5's own bytes up to `end`. */
static cap_status put_structure(filler *f, int64_t end)
{
  int64_t here = (int64_t)f->to.position;
  if (here > end || end > (int64_t)f->image->size)
    return cap_status_fail(f->to.error, CAP_ERR_IO, "cannot write '%s': HDF5 has made its parts overlap",
                           f->to.path);
  return cap_results_stream_put(&f->to, f->image->bytes + here, (size_t)(end - here));
}

static cap_status put_all(filler *f, const segments *all)
{
  for (int k = 0; k < all->n; k++) {
    const segment *s = &all->list[k];
    CAP_TRY(put_structure(f, s->offset));
    if (s->open) cap_results_stream_open(&f->to);
    CAP_TRY(put_segment(f, s));
    if (s->open) cap_results_stream_shut(&f->to);
  }
  CAP_TRY(put_structure(f, (int64_t)f->image->size));
  return cap_results_stream_end(&f->to);
}

/* The space of a large file is asked for at once, since little can be told from half a file. */
static cap_status ask_for_space(int target, uint64_t size, const char *path, cap_error *error)
{
  if (size <= LARGE) return CAP_OK;
  int failure = cap_platform_ask_for_room(target, (int64_t)size);
  if (!failure) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s' (%.1f MB): %s", path, (double)size / 1e6,
                         strerror(failure));
}

cap_status cap_results_fill(const cap_results_tree *tree, const cap_h5_image *image, int source, bool reserve,
                            int target, const char *path, cap_error *error)
{
  segments all = {0};
  filler f = {.image = image, .source = source};
  f.block = malloc(BLOCK * sizeof *f.block);
  cap_status status = f.block && list_segments(tree, reserve, &all)
                          ? ask_for_space(target, image->size, path, error)
                          : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", path);
  if (status == CAP_OK) status = cap_results_stream_begin(&f.to, target, path, image->size, all.nopen, error);
  if (status == CAP_OK) status = put_all(&f, &all);
  cap_results_stream_free(&f.to);
  free(all.list);
  free(f.block);
  return status;
}
