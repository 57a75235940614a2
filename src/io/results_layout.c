/* io/results_layout.c — see results_layout.h. */
#include "io/results_layout.h"
#include "base/headroom.h"
#include "base/platform.h"
#include "io/h5.h"
#include "io/results_dims.h"
#include "io/results_fill.h"
#include "io/results_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  BLOCK = 65536,        /* doubles moved at once */
  FIRST_CAPACITY = 256, /* rows */
  HEADROOM = 1 << 23,
  HEADROOM_EACH = 1 << 14 /* bytes, for a file and for each dataset: several times what was seen */
};

/* Structure: what HDF5 writes */

static bool put_description(cap_h5_tools *tools, hid_t dataset, const char *role,
                            const cap_results_dataset *d)
{
  bool ok = cap_h5_put_text(tools, dataset, "role", role) &&
            cap_h5_put_text(tools, dataset, "unit", d->unit) &&
            cap_h5_put_text(tools, dataset, "long_name", d->long_name);
  /* as the CF conventions have it */
  if (ok && d->role != CAP_RESULTS_TEXT)
    ok = cap_h5_put_text(tools, dataset, "units", *d->unit ? d->unit : "1");
  if (ok && d->role == CAP_RESULTS_ARRAY) ok = cap_h5_put_text(tools, dataset, "axes", d->axes);
  return ok;
}

/* The dataset stays open; negative on failure. */
static hid_t described(cap_h5_tools *tools, hid_t dataset, const char *role, const cap_results_dataset *d)
{
  if (dataset < 0 || put_description(tools, dataset, role, d)) return dataset;
  H5Dclose(dataset);
  return -1;
}

static hid_t write_column(cap_h5_tools *tools, hid_t group, cap_results_dataset *d, int64_t capacity)
{
  hid_t dataset = cap_h5_reserve(tools, group, d->name, false, 1, &capacity, &d->next_offset);
  return described(tools, dataset, "column", d);
}

static hid_t write_item(cap_h5_tools *tools, hid_t group, cap_results_dataset *d)
{
  hid_t dataset = -1;
  if (d->role == CAP_RESULTS_ARRAY) {
    dataset = cap_h5_reserve(tools, group, d->name, false, d->rank, d->dims, &d->next_offset);
    return described(tools, dataset, "array", d);
  }
  if (d->role == CAP_RESULTS_NUMBER)
    return cap_h5_write_real(tools, group, d->name, d->number, &dataset)
               ? described(tools, dataset, "number", d)
               : -1;
  return cap_h5_write_text(tools, group, d->name, d->text, &dataset) ? described(tools, dataset, "text", d)
                                                                     : -1;
}

/* All datasets of a group; `open` gets them, columns first. The finished form has scales. */
static bool write_datasets(cap_h5_tools *tools, hid_t id, cap_results_group *group, bool scales, hid_t *open)
{
  for (int i = 0; i < group->ncolumn; i++) {
    open[i] = write_column(tools, id, &group->columns[i], group->next_capacity);
    if (open[i] < 0) return false;
  }
  hid_t *items = open + group->ncolumn;
  for (int i = 0; i < group->nitem; i++) {
    items[i] = write_item(tools, id, &group->items[i]);
    if (items[i] < 0) return false;
  }
  return !scales || cap_results_dims_put(tools, id, group, open, items);
}

static bool close_all(int n, const hid_t *datasets)
{
  bool ok = true;
  for (int i = 0; i < n; i++)
    if (datasets[i] >= 0) ok = H5Dclose(datasets[i]) >= 0 && ok;
  return ok;
}

/* Rows that the file shall have room for. */
static int64_t capacity_for(const cap_results_group *group, bool reserve)
{
  if (!reserve || group->complete) return group->nrow;
  return group->nrow < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : 2 * group->nrow;
}

static bool write_group(cap_h5_tools *tools, hid_t file, cap_results_group *group, bool reserve, bool scales)
{
  hid_t id = cap_h5_group(tools, file, group->name);
  if (id < 0) return false;
  group->next_capacity = capacity_for(group, reserve);
  bool ok = cap_h5_put_text(tools, id, "kind", group->kind) &&
            cap_h5_put_text(tools, id, "title", group->title) &&
            cap_h5_put_integer(tools, id, "index", group->index) &&
            cap_h5_put_text(tools, id, "status", group->complete ? "complete" : "running");
  if (ok && reserve && !group->complete) ok = cap_h5_put_flag(tools, id, "reserved", true);
  int n = group->ncolumn + group->nitem;
  hid_t *open = malloc((size_t)n * sizeof *open + sizeof *open);
  for (int i = 0; open && i < n; i++) open[i] = -1;
  ok = ok && open && write_datasets(tools, id, group, scales, open);
  if (open) ok = close_all(n, open) && ok;
  free(open);
  return H5Gclose(id) >= 0 && ok;
}

static bool write_meta(cap_h5_tools *tools, hid_t file, const cap_results_tree *tree)
{
  const cap_results_meta *m = &tree->meta;
  hid_t id = cap_h5_group(tools, file, "meta");
  if (id < 0) return false;
  bool ok = cap_h5_put_integer(tools, id, "format", CAP_RESULTS_FORMAT);
#define CAP_RESULTS_META_WRITE(member, attribute) ok = ok && cap_h5_put_text(tools, id, attribute, m->member);
  CAP_RESULTS_META_TEXTS(CAP_RESULTS_META_WRITE)
  CAP_RESULTS_META_MACHINE(CAP_RESULTS_META_WRITE)
#undef CAP_RESULTS_META_WRITE
#define CAP_RESULTS_TITLE_WRITE(member, label, example, doc)                                                 \
  if (ok && m->title.member && *m->title.member)                                                             \
    ok = cap_h5_put_text(tools, id, "title_block." #member, m->title.member);
  CAP_TITLE_BLOCK(CAP_RESULTS_TITLE_WRITE)
#undef CAP_RESULTS_TITLE_WRITE
  if (ok && *m->fed_by) ok = cap_h5_put_text(tools, id, "fed_by", m->fed_by);
  ok = ok && cap_h5_put_integer(tools, id, "seed", m->seed) &&
       cap_h5_put_flag(tools, id, "complete", tree->complete) &&
       cap_h5_write_text(tools, id, "model", m->model, NULL) &&
       cap_h5_write_texts(tools, id, "settings", m->nsetting, m->settings, NULL);
  return H5Gclose(id) >= 0 && ok;
}

static bool write_lines(cap_h5_tools *tools, hid_t id, const cap_results_balance *b, bool scales)
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
  hid_t open[3] = {-1, -1, -1};
  ok = ok && cap_h5_write_texts(tools, id, "name", b->nline, names, &open[0]) &&
       cap_h5_write_texts(tools, id, "kind", b->nline, kinds, &open[1]) &&
       cap_h5_write_reals(tools, id, "energy", b->nline, energies, &open[2]) &&
       cap_h5_put_text(tools, open[2], "unit", "J") && cap_h5_put_text(tools, open[2], "units", "J") &&
       (!scales || cap_results_dims_put_along(tools, open[0], "name", 2, open + 1));
  ok = close_all(3, open) && ok;
  cap_arena_free(&arena);
  return ok;
}

static bool write_balance(cap_h5_tools *tools, hid_t audit, const cap_results_group *group, bool scales)
{
  const cap_results_balance *b = &group->balance;
  if (b->nline == 0) return true;
  hid_t id = cap_h5_group(tools, audit, group->name);
  if (id < 0) return false;
  bool ok = cap_h5_put_real(tools, id, "residual", b->residual) &&
            cap_h5_put_real(tools, id, "scale", b->scale) &&
            cap_h5_put_real(tools, id, "relative", b->relative) && write_lines(tools, id, b, scales);
  return H5Gclose(id) >= 0 && ok;
}

static bool reserve_slot(cap_h5_tools *tools, hid_t parent, cap_results_checkpoint *c, int slot)
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
  hid_t commit = ok ? cap_h5_reserve(tools, parent, slot ? "commit_b" : "commit_a", true, 1,
                                     &(int64_t){CAP_RESULTS_RECORD}, &c->next_commit_offset[slot])
                    : -1;
  return commit >= 0 && H5Dclose(commit) >= 0 && ok;
}

static bool write_checkpoint(cap_h5_tools *tools, hid_t checkpoints, cap_results_group *group)
{
  if (!group->checkpoint.found) return true;
  hid_t id = cap_h5_group(tools, checkpoints, group->name);
  if (id < 0) return false;
  bool ok = reserve_slot(tools, id, &group->checkpoint, 0) && reserve_slot(tools, id, &group->checkpoint, 1);
  return H5Gclose(id) >= 0 && ok;
}

static bool write_structure(cap_h5_tools *tools, cap_results_tree *tree, cap_h5_image *image, bool reserve)
{
  bool scales = !reserve && !tree->bare;
  hid_t file = cap_h5_create(image, CAP_RESULTS_BLOCK);
  if (file < 0) return false;
  bool ok = write_meta(tools, file, tree);
  for (int i = 0; ok && i < tree->ngroup; i++)
    ok = write_group(tools, file, tree->groups[i], reserve, scales);
  hid_t audit = ok ? cap_h5_group(tools, file, "audit") : -1;
  for (int i = 0; audit >= 0 && ok && i < tree->ngroup; i++)
    ok = write_balance(tools, audit, tree->groups[i], scales);
  ok = audit >= 0 && H5Gclose(audit) >= 0 && ok;
  if (ok && !tree->complete) {
    hid_t checkpoints = cap_h5_group(tools, file, "checkpoint");
    for (int i = 0; checkpoints >= 0 && ok && i < tree->ngroup; i++)
      ok = write_checkpoint(tools, checkpoints, tree->groups[i]);
    ok = checkpoints >= 0 && H5Gclose(checkpoints) >= 0 && ok;
  }
  return H5Fclose(file) >= 0 && ok;
}

static cap_status write_file(const cap_results_tree *tree, int source, const char *path, mode_t mode,
                             const cap_h5_image *image, bool reserve, int *fd, cap_error *error)
{
  unlink(path); /* what was left or planted under the name is not followed */
  int target = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode ? mode : 0666);
  if (target >= 0 && mode) fchmod(target, mode);
  if (target < 0) return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  cap_status status = cap_results_fill(tree, image, source, reserve, target, path, error);
  if (status == CAP_OK) {
    *fd = target;
    return CAP_OK;
  }
  close(target);
  unlink(path);
  return status;
}

/* What HDF5 may take for the structure of a file, and its image. */
static size_t headroom_for(const cap_results_tree *tree)
{
  size_t n = 0;
  for (int i = 0; i < tree->ngroup; i++) {
    const cap_results_group *g = tree->groups[i];
    n += (size_t)g->ncolumn + (size_t)g->nitem + 2 * (size_t)g->checkpoint.nview + 16;
  }
  return HEADROOM + n * HEADROOM_EACH;
}

/* What HDF5 has to say about the file; `image` is to be freed in every case. */
static cap_status make_image(cap_results_tree *tree, const char *path, bool reserve, cap_h5_image *image,
                             cap_error *error)
{
  if (!cap_headroom(headroom_for(tree)))
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", path);
  cap_h5_tools tools;
  cap_h5_host host;
  cap_h5_enter(&host);
  bool made = cap_h5_tools_open(&tools) && write_structure(&tools, tree, image, reserve);
  cap_h5_tools_close(&tools);
  cap_h5_image_release(image);
  cap_h5_leave(&host);
  if (made) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_NOMEM, "cannot make '%s': HDF5 failed to make its structure", path);
}

cap_status cap_results_layout_write(cap_results_tree *tree, int source, const char *path, mode_t mode,
                                    bool reserve, int *fd, cap_error *error)
{
  cap_h5_image image = {0};
  cap_status status = make_image(tree, path, reserve, &image, error);
  if (status == CAP_OK) status = write_file(tree, source, path, mode, &image, reserve, fd, error);
  cap_h5_image_free(&image);
  return status;
}

cap_status cap_results_layout_hold(cap_results_tree *tree, const char *name, int *fd, cap_error *error)
{
  cap_h5_image image = {0};
  int target = -1;
  cap_status status = make_image(tree, name, false, &image, error);
  if (status == CAP_OK && (target = cap_platform_unnamed_file()) < 0)
    status = cap_status_fail(error, CAP_ERR_IO, "cannot keep %s: %s", name, strerror(errno));
  if (status == CAP_OK) status = cap_results_fill(tree, &image, -1, false, target, name, error);
  cap_h5_image_free(&image);
  if (status == CAP_OK) *fd = target;
  else if (target >= 0) close(target);
  return status;
}

cap_status cap_results_layout_peek(const cap_results_group *group, const cap_results_dataset *dataset,
                                   int source, const char *path, double *values, cap_error *error)
{
  if (dataset->role == CAP_RESULTS_ARRAY) {
    size_t size = (size_t)cap_results_tree_count(dataset) * 8;
    if (size == 0) return CAP_OK;
    if (!dataset->values) return cap_results_fill_read(source, values, size, dataset->offset, path, error);
    memcpy(values, dataset->values, size);
    return CAP_OK;
  }
  size_t stored = (size_t)group->nstored * 8;
  if (stored) CAP_TRY(cap_results_fill_read(source, values, stored, dataset->offset, path, error));
  int column = (int)(dataset - group->columns);
  if (group->nbuffer) cap_results_tree_gather(group, column, 0, group->nbuffer, values + group->nstored);
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

/* The buffered rows of one column. */
static cap_status append_column(const cap_results_group *group, int column, int fd, double *block,
                                cap_error *error)
{
  int64_t to = group->columns[column].offset + group->nstored * 8;
  for (int64_t n, first = 0; first < group->nbuffer; first += n) {
    n = group->nbuffer - first < BLOCK ? group->nbuffer - first : BLOCK;
    cap_results_tree_gather(group, column, first, n, block);
    CAP_TRY(cap_results_stream_write(fd, block, (size_t)n * 8, to + first * 8, group->name, error));
  }
  return CAP_OK;
}

cap_status cap_results_layout_append(cap_results_group *group, int fd, cap_error *error)
{
  double *block = malloc(BLOCK * sizeof *block);
  if (!block) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write rows");
  cap_status status = CAP_OK;
  for (int i = 0; status == CAP_OK && i < group->ncolumn; i++)
    status = append_column(group, i, fd, block, error);
  free(block);
  CAP_TRY(status);
  group->nstored = group->nrow;
  group->nbuffer = 0;
  return CAP_OK;
}

static cap_status make_durable(int fd, cap_error *error)
{
  if (cap_platform_sync_data(fd) == 0) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_IO, "cannot make the checkpoint durable: %s", strerror(errno));
}

cap_status cap_results_layout_commit(cap_results_group *group, int fd, cap_error *error)
{
  int64_t record[CAP_RESULTS_RECORD];
  cap_results_checkpoint *c = &group->checkpoint;
  c->sequence++;
  int slot = (int)(c->sequence & 1);
  for (int i = 0; i < c->nview; i++) {
    const cap_view *view = &c->views[i].view;
    CAP_TRY(cap_results_stream_write(fd, view->values, (size_t)view->count * 8, c->views[i].offset[slot],
                                     group->name, error));
  }
  CAP_TRY(make_durable(fd, error));
  cap_results_fill_record(c, record);
  CAP_TRY(cap_results_stream_write(fd, record, sizeof record, c->commit_offset[slot], group->name, error));
  return make_durable(fd, error);
}
