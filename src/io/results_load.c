/* io/results_load.c — see results_load.h. */
#include "io/results_load.h"
#include "base/digest.h"
#include "base/headroom.h"
#include "drives/drive.h"
#include "io/channel_names.h"
#include "io/h5.h"
#include "io/results_block.h"
#include "io/results_dims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  BLOCK = 65536, /* doubles read at once */
  /* bytes that HDF5 may take to read a file: for itself, and for what describes the datasets, which is at
   * most all of the file, and in long ones little of it */
  HEADROOM = 1 << 23,
  MOST_HEADROOM = 1 << 25
};

static const char *const role_names[] = {"column", "array", "number", "text"};

/* What is read, from where. */
typedef struct loader {
  cap_results_tree *tree;
  cap_h5_input *in;
  const char *path;
  cap_error *error;
} loader;

static cap_status no_memory(const loader *l)
{
  return cap_status_fail(l->error, CAP_ERR_NOMEM, "out of memory to read '%s'", l->path);
}

static cap_status damaged(const loader *l, const char *what)
{
  return l->in->wrong ? cap_status_fail(l->error, CAP_ERR_IO, "%s: damaged result file: %s: %s", l->path,
                                        what, l->in->wrong)
                      : cap_status_fail(l->error, CAP_ERR_IO, "%s: damaged result file: %s", l->path, what);
}

static bool load_meta(const loader *l, int64_t *format)
{
  cap_results_tree *tree = l->tree;
  hid_t meta = cap_h5_read_group(l->in, l->in->file, "meta");
  if (meta < 0) return false;
  cap_arena *arena = &tree->arena;
  int64_t complete = 0;
  bool ok = cap_h5_read_attribute_integer(meta, "format", format) &&
            cap_h5_read_attribute_integer(meta, "complete", &complete) &&
            cap_h5_read_attribute_integer(meta, "seed", &tree->meta.seed);
#define CAP_RESULTS_META_READ(member, attribute)                                                             \
  ok = ok && cap_h5_read_attribute_text(meta, attribute, arena, &tree->meta.member);
  CAP_RESULTS_META_TEXTS(CAP_RESULTS_META_READ)
#undef CAP_RESULTS_META_READ
#define CAP_RESULTS_MACHINE_READ(member, attribute)                                                          \
  if (!cap_h5_read_attribute_text(meta, attribute, arena, &tree->meta.member)) tree->meta.member = "";
  CAP_RESULTS_META_MACHINE(CAP_RESULTS_MACHINE_READ)
#undef CAP_RESULTS_MACHINE_READ
#define CAP_RESULTS_TITLE_READ(member, label, example, doc)                                                  \
  if (!cap_h5_read_attribute_text(meta, "title_block." #member, arena, &tree->meta.title.member))            \
    tree->meta.title.member = "";
  CAP_TITLE_BLOCK(CAP_RESULTS_TITLE_READ)
#undef CAP_RESULTS_TITLE_READ
  if (!cap_h5_read_attribute_text(meta, "fed_by", arena, &tree->meta.fed_by)) tree->meta.fed_by = "";
  tree->complete = complete == 1;
  const char **settings = NULL;
  ok = ok && cap_h5_read_texts(l->in, meta, "settings", arena, &tree->meta.nsetting, &settings);
  tree->meta.settings = settings;
  hid_t model = ok ? cap_h5_read_dataset(l->in, meta, "model") : -1;
  ok = ok && model >= 0 && cap_h5_read_text(l->in, model, arena, &tree->meta.model);
  if (model >= 0) H5Dclose(model);
  H5Gclose(meta);
  return ok;
}

static bool role_of(hid_t dataset, cap_arena *arena, cap_results_role *role)
{
  const char *text;
  if (!cap_h5_read_attribute_text(dataset, "role", arena, &text)) return false;
  for (int i = 0; i < 4; i++)
    if (strcmp(text, role_names[i]) == 0) {
      *role = (cap_results_role)i;
      return true;
    }
  return false;
}

static bool load_extent(hid_t dataset, cap_results_dataset *d)
{
  hsize_t extent[H5S_MAX_RANK];
  hid_t space = H5Dget_space(dataset);
  int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  bool ok = rank >= 0 && rank <= CAP_RESULTS_RANK && H5Sget_simple_extent_dims(space, extent, NULL) >= 0;
  if (space >= 0) H5Sclose(space);
  d->rank = rank;
  int64_t count = 1;
  for (int i = 0; ok && i < rank; i++) {
    ok = extent[i] <= INT64_MAX / 16 && !__builtin_mul_overflow(count, (int64_t)extent[i], &count) &&
         count <= INT64_MAX / 16;
    d->dims[i] = (int64_t)extent[i];
  }
  return ok;
}

/* A dataset of native numbers in one piece, as the writer made it, has an offset to read at. */
static int64_t offset_of(hid_t dataset, hid_t native)
{
  hid_t type = H5Dget_type(dataset);
  bool same = type >= 0 && H5Tequal(type, native) > 0;
  if (type >= 0) H5Tclose(type);
  haddr_t address = same ? H5Dget_offset(dataset) : HADDR_UNDEF;
  return address == HADDR_UNDEF ? -1 : (int64_t)address;
}

static bool load_dataset(const loader *l, hid_t dataset, cap_results_dataset *d)
{
  cap_arena *arena = &l->tree->arena;
  if (!role_of(dataset, arena, &d->role) || !load_extent(dataset, d)) return false;
  d->axes = d->unit = d->long_name = "";
  cap_h5_read_attribute_text(dataset, "unit", arena, &d->unit);
  cap_h5_read_attribute_text(dataset, "long_name", arena, &d->long_name);
  cap_h5_read_attribute_text(dataset, "axes", arena, &d->axes);
  d->offset = -1;
  if (d->role == CAP_RESULTS_TEXT) return d->rank == 0 && cap_h5_read_text(l->in, dataset, arena, &d->text);
  if (!cap_h5_read_is_real(dataset) || !cap_h5_read_claim(l->in, dataset)) return false;
  if (d->role == CAP_RESULTS_NUMBER)
    return d->rank == 0 &&
           H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &d->number) >= 0;
  d->offset = offset_of(dataset, H5T_NATIVE_DOUBLE);
  return d->role == CAP_RESULTS_ARRAY ? d->rank >= 1 : d->rank == 1;
}

/* Whether a text is the name of a channel or the path of a parameter. */
static bool holds_name(const char *name)
{
  static const char *const names[] = {"sweep", "over", "parameter"};
  const char *dot = strrchr(name, '.');
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(name, names[k]) == 0) return true;
  return dot && strcmp(dot, ".measure") == 0;
}

/* The drive of a model file, by its line "drive: NAME"; NULL: it has no such line (a study). */
static const cap_drive *drive_of(const char *model)
{
  char name[64];
  const char *at = model ? strstr(model, "\ndrive:") : NULL;
  if (!at || sscanf(at + 7, " %63[a-z-]", name) != 1) return NULL;
  return cap_registry_drive(name);
}

/* Under present names, whatever they were called when the file was written. */
static bool rename_dataset(cap_results_tree *tree, cap_results_dataset *d)
{
  const cap_drive *drive = drive_of(tree->meta.model);
  const cap_field *const of[] = {drive ? drive->fields : NULL, NULL};
  if (d->text && holds_name(d->name)) {
    d->text = cap_channel_names_present(d->text, of, &tree->arena);
    if (!d->text) return false;
  }
  d->stored = d->name;
  d->name = cap_channel_names_present(d->stored, of, &tree->arena);
  if (*d->axes) d->axes = cap_channel_names_list(d->axes, of, &tree->arena);
  return d->name && d->axes;
}

static cap_status add_dataset(const loader *l, cap_results_group *group, const cap_results_dataset *d)
{
  if (d->role != CAP_RESULTS_COLUMN) {
    group->items[group->nitem++] = *d;
    return CAP_OK;
  }
  if (group->ncolumn == 0) group->nrow = group->capacity = d->dims[0];
  if (d->dims[0] != group->nrow) return damaged(l, "columns of one table differ in length");
  group->columns[group->ncolumn++] = *d;
  return CAP_OK;
}

/* All datasets of a group: columns to `columns`, the others to `items`. */
static cap_status load_datasets(const loader *l, cap_results_group *group, hid_t id)
{
  int n;
  const char **names;
  if (!cap_h5_read_names(l->in, id, &l->tree->arena, &n, &names)) return damaged(l, group->name);
  group->columns = calloc((size_t)n + 1, sizeof *group->columns);
  group->items = calloc((size_t)n + 1, sizeof *group->items);
  if (!group->columns || !group->items) return no_memory(l);
  for (int i = 0; i < n; i++) {
    cap_results_dataset d = {.name = names[i]};
    if (strncmp(names[i], CAP_RESULTS_DIMENSION, sizeof CAP_RESULTS_DIMENSION - 1) == 0) continue;
    hid_t dataset = cap_h5_read_dataset(l->in, id, names[i]);
    bool ok = dataset >= 0 && load_dataset(l, dataset, &d);
    if (dataset >= 0) H5Dclose(dataset);
    if (!ok) return damaged(l, names[i]);
    if (l->tree->format == CAP_RESULTS_FIRST && !rename_dataset(l->tree, &d)) return no_memory(l);
    CAP_TRY(add_dataset(l, group, &d));
  }
  return CAP_OK;
}

/* The audit and the checkpoint live in /audit/<group> and /checkpoint/<group>; -1 when there is none. */
static cap_status open_side(const loader *l, const char *room, const char *group, hid_t *side)
{
  *side = -1;
  if (!cap_h5_read_has(l->in->file, room)) return CAP_OK;
  hid_t parent = cap_h5_read_group(l->in, l->in->file, room);
  if (parent < 0) return damaged(l, room);
  bool there = cap_h5_read_has(parent, group);
  if (there) *side = cap_h5_read_group(l->in, parent, group);
  H5Gclose(parent);
  return there && *side < 0 ? damaged(l, room) : CAP_OK;
}

static cap_status load_balance(const loader *l, cap_results_group *group, hid_t id)
{
  int nname, nkind, nenergy;
  const char **names, **kinds;
  double *energies;
  cap_arena *arena = &l->tree->arena;
  cap_results_balance *b = &group->balance;
  bool ok = cap_h5_read_texts(l->in, id, "name", arena, &nname, &names) &&
            cap_h5_read_texts(l->in, id, "kind", arena, &nkind, &kinds) &&
            cap_h5_read_reals(l->in, id, "energy", arena, &nenergy, &energies) && nname == nkind &&
            nname == nenergy && cap_h5_read_attribute_real(id, "residual", &b->residual) &&
            cap_h5_read_attribute_real(id, "scale", &b->scale) &&
            cap_h5_read_attribute_real(id, "relative", &b->relative);
  if (!ok) return damaged(l, "/audit");
  b->lines = calloc((size_t)nname + 1, sizeof *b->lines);
  if (!b->lines) return no_memory(l);
  b->nline = nname;
  for (int i = 0; i < nname; i++) b->lines[i] = (cap_balance_line){names[i], kinds[i], energies[i]};
  return CAP_OK;
}

static bool load_view(const loader *l, hid_t id, const char *name, cap_results_view *out)
{
  hid_t dataset = cap_h5_read_dataset(l->in, id, name);
  if (dataset < 0) return false;
  cap_results_dataset d = {0};
  cap_view *view = &out->view;
  *view = (cap_view){.name = name, .unit = "", .meaning = "", .integer = cap_h5_read_is_integer(dataset)};
  cap_h5_read_attribute_text(dataset, "unit", &l->tree->arena, &view->unit);
  cap_h5_read_attribute_text(dataset, "long_name", &l->tree->arena, &view->meaning);
  bool ok = (view->integer || cap_h5_read_is_real(dataset)) && load_extent(dataset, &d) && d.rank == 1 &&
            cap_h5_read_claim(l->in, dataset);
  view->count = ok ? d.dims[0] : 0;
  view->values = ok ? calloc((size_t)view->count + 1, 8) : NULL;
  hid_t native = view->integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  ok = view->values &&
       (view->count == 0 || H5Dread(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, view->values) >= 0);
  H5Dclose(dataset);
  return ok;
}

static bool load_views(const loader *l, hid_t parent, const char *slot, cap_results_checkpoint *c)
{
  int n = 0;
  const char **names = NULL;
  hid_t id = cap_h5_read_group(l->in, parent, slot);
  if (id < 0) return false;
  bool ok = cap_h5_read_names(l->in, id, &l->tree->arena, &n, &names);
  c->views = ok ? calloc((size_t)n + 1, sizeof *c->views) : NULL;
  ok = c->views != NULL;
  for (; ok && c->nview < n; c->nview++) ok = load_view(l, id, names[c->nview], &c->views[c->nview]);
  H5Gclose(id);
  return ok;
}

/* The record that makes a slot valid. Those of the formats before have no sum of the rows. */
static void read_commit(const int64_t *record, bool summed, cap_results_checkpoint *c)
{
  c->sequence = record[0];
  c->nrow = record[1];
  c->nitem = record[2];
  c->nbalance = record[3];
  c->summed = summed;
  c->rows = summed ? (uint64_t)record[4] : 0;
  c->found = record[0] > 0 && record[1] >= 0 && record[2] >= 0 &&
             record[summed ? 5 : 4] == cap_results_tree_checksum(c);
}

/* One slot; false unless it was written to its end. */
static bool load_slot(const loader *l, hid_t parent, const char *slot, const char *commit,
                      cap_results_checkpoint *c)
{
  cap_results_view record = {0};
  bool summed = l->tree->format >= CAP_RESULTS_CHECKED;
  if (!load_views(l, parent, slot, c)) return false;
  if (load_view(l, parent, commit, &record) && record.view.integer && record.view.count == (summed ? 6 : 5))
    read_commit(record.view.values, summed, c);
  free(record.view.values);
  return c->found;
}

/* The newer of the slots that were written to their end. */
static void load_checkpoint(const loader *l, hid_t id, cap_results_checkpoint *best)
{
  static const char *const slots[] = {"a", "b"}, *const commits[] = {"commit_a", "commit_b"};
  for (int i = 0; i < 2; i++) {
    cap_results_checkpoint slot = {0};
    bool found = load_slot(l, id, slots[i], commits[i], &slot);
    if (found && (!best->found || slot.sequence > best->sequence)) {
      cap_results_tree_free_checkpoint(best);
      *best = slot;
    } else {
      cap_results_tree_free_checkpoint(&slot);
    }
  }
}

static bool fetch(int fd, void *bytes, size_t size, int64_t offset)
{
  char *next = bytes;
  while (size > 0) {
    ssize_t got = pread(fd, next, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    offset += got;
    size -= (size_t)got;
  }
  return true;
}

/* What one column adds to the sum of the rows. */
static cap_status sum_column(const loader *l, const cap_results_group *group, int column, double *block,
                             uint64_t *sum)
{
  int64_t n, offset = group->columns[column].offset;
  if (offset < 0 && group->nrow > 0) return damaged(l, "the rows of a run are not as it has written them");
  for (int64_t first = 0; first < group->nrow; first += n) {
    n = group->nrow - first < BLOCK ? group->nrow - first : BLOCK;
    if (!fetch(l->in->fd, block, (size_t)n * 8, offset + first * 8)) return damaged(l, group->name);
    *sum += cap_results_tree_sum(block, n, first * group->ncolumn + column, group->ncolumn);
  }
  return CAP_OK;
}

/* The rows that a run has written so far, which the digest leaves out, have a sum in their checkpoint. */
static cap_status check_rows(const loader *l, const cap_results_group *group)
{
  uint64_t sum = 0;
  cap_status status = CAP_OK;
  double *block = malloc(BLOCK * sizeof *block);
  if (!block) return no_memory(l);
  for (int i = 0; status == CAP_OK && i < group->ncolumn; i++) status = sum_column(l, group, i, block, &sum);
  free(block);
  CAP_TRY(status);
  if (sum == group->checkpoint.rows) return CAP_OK;
  return cap_status_fail(l->error, CAP_ERR_IO,
                         "%s: damaged result file: rows of '%s' are not those that were written", l->path,
                         group->name);
}

/* A running group of a file that was not finished has room for more rows than it holds. */
static cap_status cut_to_checkpoint(const loader *l, cap_results_group *group)
{
  const cap_results_checkpoint *c = &group->checkpoint;
  if (c->found && (c->nrow > group->capacity || c->nitem > group->nitem))
    return damaged(l, "its checkpoint counts more rows or results than are there");
  group->nrow = c->found ? c->nrow : 0;
  cap_results_tree_cut_items(group, c->found ? c->nitem : 0);
  if (!c->found || !c->nbalance) group->balance.nline = 0;
  return c->found && c->summed ? check_rows(l, group) : CAP_OK;
}

/* A group with what its own attributes say. */
static cap_status begin_group(const loader *l, hid_t id, const char *name, cap_results_group **made,
                              int64_t *reserved)
{
  const char *kind = "", *title = "", *status = "";
  int64_t index = 0;
  cap_arena *arena = &l->tree->arena;
  bool ok = cap_h5_read_attribute_text(id, "kind", arena, &kind) &&
            cap_h5_read_attribute_text(id, "title", arena, &title) &&
            cap_h5_read_attribute_text(id, "status", arena, &status) &&
            cap_h5_read_attribute_integer(id, "index", &index) && index >= 0 && index <= INT32_MAX;
  cap_h5_read_attribute_integer(id, "reserved", reserved);
  if (!ok) return damaged(l, name);
  cap_results_group *group = *made = cap_results_tree_add_group(l->tree, name, kind, title);
  if (!group) return no_memory(l);
  group->index = (int)index;
  group->complete = strcmp(status, "complete") == 0;
  return CAP_OK;
}

static cap_status load_sides(const loader *l, cap_results_group *group)
{
  hid_t side;
  CAP_TRY(open_side(l, "audit", group->name, &side));
  if (side >= 0) {
    cap_status loaded = load_balance(l, group, side);
    H5Gclose(side);
    CAP_TRY(loaded);
  }
  CAP_TRY(open_side(l, "checkpoint", group->name, &side));
  if (side >= 0) {
    load_checkpoint(l, side, &group->checkpoint);
    H5Gclose(side);
    /* a kill leaves one slot whole at every moment */
    if (!group->checkpoint.found && l->tree->format >= CAP_RESULTS_CHECKED)
      return damaged(l, "no state in its checkpoint is whole");
  }
  return CAP_OK;
}

static cap_status load_group(const loader *l, const char *name)
{
  int64_t reserved = 0;
  cap_results_group *group = NULL;
  hid_t id = cap_h5_read_group(l->in, l->in->file, name);
  if (id < 0) return damaged(l, name);
  cap_status loaded = begin_group(l, id, name, &group, &reserved);
  if (loaded == CAP_OK) loaded = load_datasets(l, group, id);
  H5Gclose(id);
  CAP_TRY(loaded);
  CAP_TRY(load_sides(l, group));
  if (reserved) CAP_TRY(cut_to_checkpoint(l, group));
  for (int i = 0; i < group->ncolumn; i++) group->columns[i].dims[0] = group->nrow;
  return CAP_OK;
}

/* A format that this program reads, and the first block that belongs to it. */
static cap_status check_format(const loader *l, int64_t format)
{
  if (format == 0)
    return cap_status_fail(l->error, CAP_ERR_IO, "%s: an HDF5 file, but not a result of Capstan", l->path);
  if (format < CAP_RESULTS_FIRST || format > CAP_RESULTS_FORMAT)
    return cap_status_fail(l->error, CAP_ERR_IO,
                           "%s: result format %lld, this program reads formats %d to %d", l->path,
                           (long long)format, CAP_RESULTS_FIRST, CAP_RESULTS_FORMAT);
  if (l->tree->unchecked != (format < CAP_RESULTS_CHECKED))
    return damaged(l, "it lost its first 512 bytes, or another tool has rewritten it; its digest is missing");
  return CAP_OK;
}

static cap_status load(const loader *l, const char *only)
{
  int64_t format = 0;
  int n;
  const char **names;
  bool meta = load_meta(l, &format);
  CAP_TRY(check_format(l, format));
  if (!meta) return damaged(l, "/meta");
  l->tree->format = (int)format;
  if (only) return cap_h5_read_has(l->in->file, only) ? load_group(l, only) : CAP_OK;
  if (!cap_h5_read_names(l->in, l->in->file, &l->tree->arena, &n, &names)) return damaged(l, "/");
  for (int i = 0; i < n; i++) {
    if (strcmp(names[i], "meta") == 0 || strcmp(names[i], "audit") == 0 ||
        strcmp(names[i], "checkpoint") == 0)
      continue;
    CAP_TRY(load_group(l, names[i]));
  }
  return CAP_OK;
}

static cap_status load_checked(const loader *l, int fd, int64_t size, const char *only)
{
  char reason[256];
  size_t most = size < MOST_HEADROOM ? (size_t)size : MOST_HEADROOM;
  if (!cap_headroom(HEADROOM + most)) return no_memory(l);
  if (!cap_h5_read_open(l->in, fd, size)) {
    cap_h5_reason(reason, sizeof reason);
    return cap_status_fail(l->error, CAP_ERR_IO, "%s: damaged or truncated HDF5 file: %s", l->path, reason);
  }
  return load(l, only);
}

cap_status cap_results_load_open(cap_results_tree *tree, const char *path, cap_h5_input *in, cap_error *error)
{
  return cap_results_load_group(tree, path, NULL, in, error);
}

cap_status cap_results_load_group(cap_results_tree *tree, const char *path, const char *only,
                                  cap_h5_input *in, cap_error *error)
{
  *tree = (cap_results_tree){0};
  *in = (cap_h5_input){.fd = -1};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not wait for the writer of a pipe */
  if (fd < 0) return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
  return cap_results_load_descriptor(tree, fd, path, only, in, error);
}

cap_status cap_results_load_descriptor(cap_results_tree *tree, int fd, const char *path, const char *only,
                                       cap_h5_input *in, cap_error *error)
{
  struct stat info;
  loader l = {tree, in, path, error};
  *tree = (cap_results_tree){0};
  *in = (cap_h5_input){.fd = -1};
  cap_status status = cap_results_block_check(fd, path, &tree->unchecked, error);
  if (status == CAP_OK && fstat(fd, &info) != 0)
    status = cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
  if (status == CAP_OK) {
    cap_h5_host host;
    cap_h5_enter(&host);
    status = load_checked(&l, fd, (int64_t)info.st_size, only);
    if (status != CAP_OK) cap_h5_read_close(in);
    cap_h5_leave(&host);
  }
  if (status == CAP_OK) return CAP_OK;
  cap_results_tree_free(tree);
  close(fd);
  return status;
}

void cap_results_load_close(cap_h5_input *in)
{
  cap_h5_host host;
  int fd = in->fd;
  cap_h5_enter(&host);
  cap_h5_read_close(in);
  cap_h5_leave(&host);
  if (fd >= 0) close(fd);
}
