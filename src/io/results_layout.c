/* io/results_layout.c — see results_layout.h. */
#include "io/results_layout.h"
#include "io/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BLOCK = 65536,        /* doubles moved at once */
  FIRST_CAPACITY = 256, /* rows */
  SMALL = 1 << 20       /* bytes of a file that is put together in memory */
};

/* Structure: what HDF5 writes */

static bool put_description(const cap_h5_tools *tools, hid_t dataset, const char *role,
                            const cap_results_dataset *d)
{
  bool ok = cap_h5_put_text(tools, dataset, "role", role) &&
            cap_h5_put_text(tools, dataset, "unit", d->unit) &&
            cap_h5_put_text(tools, dataset, "long_name", d->long_name);
  if (ok && d->role == CAP_RESULTS_ARRAY) ok = cap_h5_put_text(tools, dataset, "axes", d->axes);
  return ok;
}

static bool write_column(const cap_h5_tools *tools, hid_t group, cap_results_dataset *d, int64_t capacity)
{
  hid_t dataset = cap_h5_reserve(tools, group, d->name, false, 1, &capacity, &d->next_offset);
  bool ok = dataset >= 0 && put_description(tools, dataset, "column", d);
  return dataset >= 0 && H5Dclose(dataset) >= 0 && ok;
}

static bool write_item(const cap_h5_tools *tools, hid_t group, cap_results_dataset *d)
{
  hid_t dataset = -1;
  const char *role = "array";
  bool ok = true;
  if (d->role == CAP_RESULTS_ARRAY) {
    dataset = cap_h5_reserve(tools, group, d->name, false, d->rank, d->dims, &d->next_offset);
  } else if (d->role == CAP_RESULTS_NUMBER) {
    role = "number";
    ok = cap_h5_write_real(tools, group, d->name, d->number, &dataset);
  } else {
    role = "text";
    ok = cap_h5_write_text(tools, group, d->name, d->text, &dataset);
  }
  if (!ok || dataset < 0) return false;
  ok = put_description(tools, dataset, role, d);
  return H5Dclose(dataset) >= 0 && ok;
}

/* Rows that the file shall have room for. */
static int64_t capacity_for(const cap_results_group *group, bool reserve)
{
  if (!reserve || group->complete) return group->nrow;
  return group->nrow < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : 2 * group->nrow;
}

static bool write_group(const cap_h5_tools *tools, hid_t file, cap_results_group *group, bool reserve)
{
  hid_t id = cap_h5_group(tools, file, group->name);
  if (id < 0) return false;
  group->next_capacity = capacity_for(group, reserve);
  bool ok = cap_h5_put_text(tools, id, "kind", group->kind) &&
            cap_h5_put_text(tools, id, "title", group->title) &&
            cap_h5_put_integer(tools, id, "index", group->index) &&
            cap_h5_put_text(tools, id, "status", group->complete ? "complete" : "running");
  if (ok && reserve && !group->complete) ok = cap_h5_put_flag(tools, id, "reserved", true);
  for (int i = 0; ok && i < group->ncolumn; i++)
    ok = write_column(tools, id, &group->columns[i], group->next_capacity);
  for (int i = 0; ok && i < group->nitem; i++) ok = write_item(tools, id, &group->items[i]);
  return H5Gclose(id) >= 0 && ok;
}

static bool write_meta(const cap_h5_tools *tools, hid_t file, const cap_results_tree *tree)
{
  const cap_results_meta *m = &tree->meta;
  hid_t id = cap_h5_group(tools, file, "meta");
  if (id < 0) return false;
  bool ok = cap_h5_put_integer(tools, id, "format", CAP_RESULTS_FORMAT);
#define CAP_RESULTS_META_WRITE(member, attribute) ok = ok && cap_h5_put_text(tools, id, attribute, m->member);
  CAP_RESULTS_META_TEXTS(CAP_RESULTS_META_WRITE)
#undef CAP_RESULTS_META_WRITE
#define CAP_RESULTS_TITLE_WRITE(member, label, example, doc)                                                 \
  if (ok && m->title.member && *m->title.member)                                                             \
    ok = cap_h5_put_text(tools, id, "title_block." #member, m->title.member);
  CAP_TITLE_BLOCK(CAP_RESULTS_TITLE_WRITE)
#undef CAP_RESULTS_TITLE_WRITE
  ok = ok && cap_h5_put_integer(tools, id, "seed", m->seed) &&
       cap_h5_put_flag(tools, id, "complete", tree->complete) &&
       cap_h5_write_text(tools, id, "model", m->model, NULL) &&
       cap_h5_write_texts(tools, id, "settings", m->nsetting, m->settings);
  return H5Gclose(id) >= 0 && ok;
}

static bool write_lines(const cap_h5_tools *tools, hid_t id, const cap_results_balance *b)
{
  cap_arena arena = {0};
  const char **names = CAP_ARENA_NEW(&arena, const char *, b->nline);
  const char **kinds = CAP_ARENA_NEW(&arena, const char *, b->nline);
  double *energies = CAP_ARENA_NEW(&arena, double, b->nline);
  bool ok = names && kinds && energies;
  for (int i = 0; ok && i < b->nline; i++) {
    names[i] = b->lines[i].name;
    kinds[i] = b->lines[i].kind;
    energies[i] = b->lines[i].energy;
  }
  hid_t energy = -1;
  ok = ok && cap_h5_write_texts(tools, id, "name", b->nline, names) &&
       cap_h5_write_texts(tools, id, "kind", b->nline, kinds) &&
       cap_h5_write_reals(tools, id, "energy", b->nline, energies, &energy);
  if (energy >= 0) {
    ok = cap_h5_put_text(tools, energy, "unit", "J") && ok;
    ok = H5Dclose(energy) >= 0 && ok;
  }
  cap_arena_free(&arena);
  return ok;
}

static bool write_balance(const cap_h5_tools *tools, hid_t audit, const cap_results_group *group)
{
  const cap_results_balance *b = &group->balance;
  if (b->nline == 0) return true;
  hid_t id = cap_h5_group(tools, audit, group->name);
  if (id < 0) return false;
  bool ok = cap_h5_put_real(tools, id, "residual", b->residual) &&
            cap_h5_put_real(tools, id, "scale", b->scale) &&
            cap_h5_put_real(tools, id, "relative", b->relative) && write_lines(tools, id, b);
  return H5Gclose(id) >= 0 && ok;
}

static bool reserve_slot(const cap_h5_tools *tools, hid_t parent, cap_results_checkpoint *c, int slot)
{
  hid_t id = cap_h5_group(tools, parent, slot ? "b" : "a");
  if (id < 0) return false;
  bool ok = true;
  for (int i = 0; ok && i < c->nview; i++) {
    cap_view *view = &c->views[i].view;
    hid_t dataset = cap_h5_reserve(tools, id, view->name, view->integer, 1, &view->count,
                                   &c->views[i].next_offset[slot]);
    ok = dataset >= 0 && cap_h5_put_text(tools, dataset, "unit", view->unit) &&
         cap_h5_put_text(tools, dataset, "long_name", view->meaning);
    ok = dataset >= 0 && H5Dclose(dataset) >= 0 && ok;
  }
  ok = H5Gclose(id) >= 0 && ok;
  hid_t commit = ok ? cap_h5_reserve(tools, parent, slot ? "commit_b" : "commit_a", true, 1, &(int64_t){5},
                                     &c->next_commit_offset[slot])
                    : -1;
  return commit >= 0 && H5Dclose(commit) >= 0 && ok;
}

static bool write_checkpoint(const cap_h5_tools *tools, hid_t checkpoints, cap_results_group *group)
{
  if (!group->checkpoint.found) return true;
  hid_t id = cap_h5_group(tools, checkpoints, group->name);
  if (id < 0) return false;
  bool ok = reserve_slot(tools, id, &group->checkpoint, 0) && reserve_slot(tools, id, &group->checkpoint, 1);
  return H5Gclose(id) >= 0 && ok;
}

static bool write_structure(const cap_h5_tools *tools, cap_results_tree *tree, cap_h5_image *image,
                            bool reserve)
{
  hid_t file = cap_h5_create(image);
  if (file < 0) return false;
  bool ok = write_meta(tools, file, tree);
  for (int i = 0; ok && i < tree->ngroup; i++) ok = write_group(tools, file, tree->groups[i], reserve);
  hid_t audit = ok ? cap_h5_group(tools, file, "audit") : -1;
  for (int i = 0; audit >= 0 && ok && i < tree->ngroup; i++)
    ok = write_balance(tools, audit, tree->groups[i]);
  ok = audit >= 0 && H5Gclose(audit) >= 0 && ok;
  if (ok && !tree->complete) {
    hid_t checkpoints = cap_h5_group(tools, file, "checkpoint");
    for (int i = 0; checkpoints >= 0 && ok && i < tree->ngroup; i++)
      ok = write_checkpoint(tools, checkpoints, tree->groups[i]);
    ok = checkpoints >= 0 && H5Gclose(checkpoints) >= 0 && ok;
  }
  return H5Fclose(file) >= 0 && ok;
}

/* Bulk values: plain reads and writes at known offsets */

typedef struct mover {
  int source, target;
  cap_h5_image *image; /* in place of the target; or NULL */
  const char *path;
  double *block; /* [BLOCK] */
  cap_error *error;
} mover;

static cap_status write_all(int fd, const void *bytes, size_t size, int64_t offset, const char *path,
                            cap_error *error)
{
  const char *next = bytes;
  while (size > 0) {
    ssize_t wrote = pwrite(fd, next, size, offset);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path,
                             wrote < 0 ? strerror(errno) : "nothing was written");
    next += wrote;
    offset += wrote;
    size -= (size_t)wrote;
  }
  return CAP_OK;
}

static cap_status put(const mover *m, const void *bytes, size_t size, int64_t offset)
{
  if (size == 0) return CAP_OK; /* what is empty has no place */
  if (!m->image) return write_all(m->target, bytes, size, offset, m->path, m->error);
  if (offset < 0 || (uint64_t)offset > m->image->size || size > m->image->size - (size_t)offset)
    return cap_status_fail(m->error, CAP_ERR_IO, "cannot write '%s': HDF5 has made it too short", m->path);
  memcpy(m->image->bytes + offset, bytes, size);
  return CAP_OK;
}

static cap_status read_all(const mover *m, void *bytes, size_t size, int64_t offset)
{
  char *next = bytes;
  while (size > 0) {
    ssize_t got = pread(m->source, next, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return cap_status_fail(m->error, CAP_ERR_IO, "cannot read back what was written for '%s': %s", m->path,
                             got < 0 ? strerror(errno) : "the file is shorter than it should be");
    next += got;
    offset += got;
    size -= (size_t)got;
  }
  return CAP_OK;
}

static cap_status move(const mover *m, int64_t from, int64_t to, int64_t count)
{
  while (count > 0) {
    int64_t n = count < BLOCK ? count : BLOCK;
    CAP_TRY(read_all(m, m->block, (size_t)n * 8, from));
    CAP_TRY(put(m, m->block, (size_t)n * 8, to));
    count -= n;
    from += n * 8;
    to += n * 8;
  }
  return CAP_OK;
}

/* The buffered rows of one column, to `to`. */
static cap_status spill(const mover *m, const cap_results_group *group, int column, int64_t to)
{
  for (int64_t first = 0; first < group->nbuffer; first += BLOCK) {
    int64_t n = group->nbuffer - first < BLOCK ? group->nbuffer - first : BLOCK;
    const double *value = group->buffer + first * group->ncolumn + column;
    for (int64_t i = 0; i < n; i++) m->block[i] = value[i * group->ncolumn];
    CAP_TRY(put(m, m->block, (size_t)n * 8, to + first * 8));
  }
  return CAP_OK;
}

/* Room that holds nothing yet reads as NaN, for tools that do not know of checkpoints. */
static cap_status blank(const mover *m, int64_t to, int64_t count)
{
  int64_t most = count < BLOCK ? count : BLOCK;
  for (int64_t i = 0; i < most; i++) m->block[i] = NAN;
  for (; count > 0; count -= BLOCK, to += (int64_t)BLOCK * 8)
    CAP_TRY(put(m, m->block, (size_t)(count < BLOCK ? count : BLOCK) * 8, to));
  return CAP_OK;
}

static cap_status fill_columns(const mover *m, const cap_results_group *group)
{
  for (int i = 0; i < group->ncolumn; i++) {
    int64_t to = group->columns[i].next_offset;
    CAP_TRY(move(m, group->columns[i].offset, to, group->nstored));
    CAP_TRY(spill(m, group, i, to + group->nstored * 8));
    CAP_TRY(blank(m, to + group->nrow * 8, group->next_capacity - group->nrow));
  }
  return CAP_OK;
}

static cap_status fill_items(const mover *m, const cap_results_group *group)
{
  for (int i = 0; i < group->nitem; i++) {
    const cap_results_dataset *d = &group->items[i];
    int64_t count = cap_results_tree_count(d);
    if (d->role != CAP_RESULTS_ARRAY || count == 0) continue;
    if (d->values) CAP_TRY(put(m, d->values, (size_t)count * 8, d->next_offset));
    else CAP_TRY(move(m, d->offset, d->next_offset, count));
  }
  return CAP_OK;
}

static cap_status write_views(const mover *m, const cap_results_checkpoint *c, const int64_t *offset_of_view,
                              size_t stride)
{
  for (int i = 0; i < c->nview; i++) {
    const cap_view *view = &c->views[i].view;
    int64_t offset = *(const int64_t *)((const char *)offset_of_view + (size_t)i * stride);
    CAP_TRY(put(m, view->values, (size_t)view->count * 8, offset));
  }
  return CAP_OK;
}

static cap_status write_commit(const mover *m, const cap_results_checkpoint *c, int64_t offset)
{
  int64_t record[5] = {c->sequence, c->nrow, c->nitem, c->nbalance, cap_results_tree_checksum(c)};
  return put(m, record, sizeof record, offset);
}

static cap_status fill_checkpoint(const mover *m, const cap_results_checkpoint *c)
{
  if (!c->found) return CAP_OK;
  int slot = (int)(c->sequence & 1);
  static const int64_t nothing[5] = {0};
  for (int s = 0; s < 2; s++) {
    if (c->nview) CAP_TRY(write_views(m, c, &c->views[0].next_offset[s], sizeof c->views[0]));
    CAP_TRY(put(m, nothing, sizeof nothing, c->next_commit_offset[s]));
  }
  return write_commit(m, c, c->next_commit_offset[slot]);
}

static cap_status fill(const mover *m, const cap_results_tree *tree)
{
  for (int i = 0; i < tree->ngroup; i++) {
    CAP_TRY(fill_columns(m, tree->groups[i]));
    CAP_TRY(fill_items(m, tree->groups[i]));
    if (!tree->complete) CAP_TRY(fill_checkpoint(m, &tree->groups[i]->checkpoint));
  }
  return CAP_OK;
}

/* A large file: the space is asked for before anything is written, since little can be told from half a file;
 * then what HDF5 has made, then the values in between. */
static cap_status write_large(const mover *m, const cap_results_tree *tree, const cap_h5_image *image)
{
  int failure = posix_fallocate(m->target, 0, (off_t)image->size);
  if (failure && failure != EINVAL && failure != EOPNOTSUPP)
    return cap_status_fail(m->error, CAP_ERR_IO, "cannot write '%s' (%.1f MB): %s", m->path,
                           (double)image->size / 1e6, strerror(failure));
  for (int k = 0; k < image->npiece; k++) {
    const cap_h5_image_piece *piece = &image->pieces[k];
    CAP_TRY(put(m, image->bytes + piece->start, piece->end - piece->start, (int64_t)piece->start));
  }
  if (ftruncate(m->target, (off_t)image->size) != 0)
    return cap_status_fail(m->error, CAP_ERR_IO, "cannot write '%s': %s", m->path, strerror(errno));
  return fill(m, tree);
}

/* A small one is put together in memory. */
static cap_status write_small(mover *m, const cap_results_tree *tree, cap_h5_image *image)
{
  m->image = image;
  CAP_TRY(fill(m, tree));
  return write_all(m->target, image->bytes, image->size, 0, m->path, m->error);
}

static cap_status write_file(cap_results_tree *tree, int source, const char *path, cap_h5_image *image,
                             int *fd, cap_error *error)
{
  int target = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (target < 0) return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  mover m = {.source = source, .target = target, .path = path, .error = error};
  m.block = malloc(BLOCK * sizeof *m.block);
  cap_status status = !m.block ? cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", path)
                      : image->size <= SMALL ? write_small(&m, tree, image)
                                             : write_large(&m, tree, image);
  free(m.block);
  if (status == CAP_OK) {
    *fd = target;
    return CAP_OK;
  }
  close(target);
  unlink(path);
  return status;
}

cap_status cap_results_layout_write(cap_results_tree *tree, int source, const char *path, bool reserve,
                                    int *fd, cap_error *error)
{
  cap_h5_quiet();
  cap_h5_image image = {0};
  cap_h5_tools tools;
  bool made = cap_h5_tools_open(&tools) && write_structure(&tools, tree, &image, reserve);
  cap_h5_tools_close(&tools);
  cap_status status = made ? write_file(tree, source, path, &image, fd, error)
                           : cap_status_fail(error, CAP_ERR_NOMEM,
                                             "cannot make '%s': HDF5 failed to make its structure", path);
  cap_h5_image_free(&image);
  return status;
}

cap_status cap_results_layout_peek(const cap_results_group *group, const cap_results_dataset *dataset,
                                   int source, const char *path, double *values, cap_error *error)
{
  mover m = {.source = source, .target = -1, .path = path, .error = error};
  if (dataset->role == CAP_RESULTS_ARRAY) {
    size_t size = (size_t)cap_results_tree_count(dataset) * 8;
    if (size == 0) return CAP_OK;
    if (!dataset->values) return read_all(&m, values, size, dataset->offset);
    memcpy(values, dataset->values, size);
    return CAP_OK;
  }
  if (group->nstored) CAP_TRY(read_all(&m, values, (size_t)group->nstored * 8, dataset->offset));
  if (group->nbuffer == 0) return CAP_OK;
  const double *value = group->buffer + (dataset - group->columns);
  for (int64_t i = 0; i < group->nbuffer; i++) values[group->nstored + i] = value[i * group->ncolumn];
  return CAP_OK;
}

static void adopt_group(cap_results_group *group)
{
  for (int i = 0; i < group->ncolumn; i++) group->columns[i].offset = group->columns[i].next_offset;
  for (int i = 0; i < group->nitem; i++) {
    group->items[i].offset = group->items[i].next_offset;
    free(group->items[i].values);
    group->items[i].values = NULL;
  }
  cap_results_checkpoint *c = &group->checkpoint;
  for (int i = 0; i < c->nview; i++)
    memcpy(c->views[i].offset, c->views[i].next_offset, sizeof c->views[i].offset);
  memcpy(c->commit_offset, c->next_commit_offset, sizeof c->commit_offset);
  group->capacity = group->next_capacity;
  group->nstored = group->nrow;
  group->nbuffer = 0;
}

void cap_results_layout_adopt(cap_results_tree *tree)
{
  for (int i = 0; i < tree->ngroup; i++) adopt_group(tree->groups[i]);
}

cap_status cap_results_layout_append(cap_results_group *group, int fd, cap_error *error)
{
  double *block = malloc(BLOCK * sizeof *block);
  if (!block) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write rows");
  mover m = {.source = -1, .target = fd, .path = group->name, .block = block, .error = error};
  cap_status status = CAP_OK;
  for (int i = 0; status == CAP_OK && i < group->ncolumn; i++)
    status = spill(&m, group, i, group->columns[i].offset + group->nstored * 8);
  free(block);
  CAP_TRY(status);
  group->nstored = group->nrow;
  group->nbuffer = 0;
  return CAP_OK;
}

cap_status cap_results_layout_commit(cap_results_group *group, int fd, cap_error *error)
{
  cap_results_checkpoint *c = &group->checkpoint;
  const mover m = {.source = -1, .target = fd, .path = group->name, .error = error};
  c->sequence++;
  int slot = (int)(c->sequence & 1);
  if (c->nview) CAP_TRY(write_views(&m, c, &c->views[0].offset[slot], sizeof c->views[0]));
  if (fdatasync(fd) != 0)
    return cap_status_fail(error, CAP_ERR_IO, "cannot make the checkpoint durable: %s", strerror(errno));
  CAP_TRY(write_commit(&m, c, c->commit_offset[slot]));
  if (fdatasync(fd) != 0)
    return cap_status_fail(error, CAP_ERR_IO, "cannot make the checkpoint durable: %s", strerror(errno));
  return CAP_OK;
}
