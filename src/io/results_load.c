/* io/results_load.c — see results_load.h. */
#include "io/results_load.h"
#include "drives/drive.h"
#include "io/channel_names.h"
#include "io/h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const role_names[] = {"column", "array", "number", "text"};

static cap_status damaged(const char *path, const char *what, cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_IO, "%s: damaged result file: %s", path, what);
}

static bool load_meta(cap_results_tree *tree, hid_t file, int64_t *format)
{
  if (H5Lexists(file, "meta", H5P_DEFAULT) <= 0) return false;
  hid_t meta = H5Gopen2(file, "meta", H5P_DEFAULT);
  if (meta < 0) return false;
  cap_arena *arena = &tree->arena;
  int64_t complete = 0;
  bool ok = cap_h5_get_integer(meta, "format", format) && cap_h5_get_integer(meta, "complete", &complete) &&
            cap_h5_get_integer(meta, "seed", &tree->meta.seed);
#define CAP_RESULTS_META_READ(member, attribute)                                                             \
  ok = ok && cap_h5_get_text(meta, attribute, arena, &tree->meta.member);
  CAP_RESULTS_META_TEXTS(CAP_RESULTS_META_READ)
#undef CAP_RESULTS_META_READ
#define CAP_RESULTS_TITLE_READ(member, label, example, doc)                                                  \
  if (!cap_h5_get_text(meta, "title_block." #member, arena, &tree->meta.title.member))                       \
    tree->meta.title.member = "";
  CAP_TITLE_BLOCK(CAP_RESULTS_TITLE_READ)
#undef CAP_RESULTS_TITLE_READ
  tree->complete = complete == 1;
  const char **settings = NULL;
  ok = ok && cap_h5_read_texts(meta, "settings", arena, &tree->meta.nsetting, &settings);
  tree->meta.settings = settings;
  hid_t model = ok && H5Lexists(meta, "model", H5P_DEFAULT) > 0 ? H5Dopen2(meta, "model", H5P_DEFAULT) : -1;
  ok = ok && model >= 0 && cap_h5_read_text(model, arena, &tree->meta.model);
  if (model >= 0) H5Dclose(model);
  H5Gclose(meta);
  return ok;
}

static bool role_of(hid_t dataset, cap_arena *arena, cap_results_role *role)
{
  const char *text;
  if (!cap_h5_get_text(dataset, "role", arena, &text)) return false;
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
  H5Sclose(space);
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
  H5Tclose(type);
  haddr_t address = same ? H5Dget_offset(dataset) : HADDR_UNDEF;
  return address == HADDR_UNDEF ? -1 : (int64_t)address;
}

static bool load_dataset(hid_t dataset, cap_arena *arena, cap_results_dataset *d)
{
  if (!role_of(dataset, arena, &d->role) || !load_extent(dataset, d)) return false;
  d->axes = d->unit = d->long_name = "";
  cap_h5_get_text(dataset, "unit", arena, &d->unit);
  cap_h5_get_text(dataset, "long_name", arena, &d->long_name);
  cap_h5_get_text(dataset, "axes", arena, &d->axes);
  d->offset = -1;
  if (d->role == CAP_RESULTS_TEXT) return d->rank == 0 && cap_h5_read_text(dataset, arena, &d->text);
  hid_t type = H5Dget_type(dataset);
  bool real = type >= 0 && H5Tget_class(type) == H5T_FLOAT;
  H5Tclose(type);
  if (!real) return false;
  if (d->role == CAP_RESULTS_NUMBER)
    return d->rank == 0 &&
           H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &d->number) >= 0;
  d->offset = offset_of(dataset, H5T_NATIVE_DOUBLE);
  return d->role == CAP_RESULTS_ARRAY || d->rank == 1;
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

/* All datasets of a group: columns to `columns`, the others to `items`. */
static cap_status load_datasets(cap_results_tree *tree, cap_results_group *group, hid_t id, const char *path,
                                cap_error *error)
{
  int n;
  const char **names;
  if (!cap_h5_names(id, &tree->arena, &n, &names)) return damaged(path, group->name, error);
  group->columns = calloc((size_t)n + 1, sizeof *group->columns);
  group->items = calloc((size_t)n + 1, sizeof *group->items);
  if (!group->columns || !group->items) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int i = 0; i < n; i++) {
    cap_results_dataset d = {.name = names[i]};
    hid_t dataset = H5Dopen2(id, names[i], H5P_DEFAULT);
    bool ok = dataset >= 0 && load_dataset(dataset, &tree->arena, &d);
    if (dataset >= 0) H5Dclose(dataset);
    if (!ok) return damaged(path, names[i], error);
    if (tree->format == CAP_RESULTS_FIRST && !rename_dataset(tree, &d))
      return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    if (d.role != CAP_RESULTS_COLUMN) {
      group->items[group->nitem++] = d;
      continue;
    }
    if (group->ncolumn == 0) group->nrow = group->capacity = d.dims[0];
    if (d.dims[0] != group->nrow) return damaged(path, "columns of one table differ in length", error);
    group->columns[group->ncolumn++] = d;
  }
  return CAP_OK;
}

/* The audit and the checkpoint live in /audit/<group> and /checkpoint/<group>; -1 when there is none. */
static hid_t open_side(hid_t file, const char *room, const char *group)
{
  if (H5Lexists(file, room, H5P_DEFAULT) <= 0) return -1;
  hid_t parent = H5Gopen2(file, room, H5P_DEFAULT);
  hid_t side = -1;
  if (parent >= 0 && H5Lexists(parent, group, H5P_DEFAULT) > 0) side = H5Gopen2(parent, group, H5P_DEFAULT);
  H5Gclose(parent);
  return side;
}

static cap_status load_balance(cap_results_tree *tree, cap_results_group *group, hid_t id, const char *path,
                               cap_error *error)
{
  int nname, nkind, nenergy;
  const char **names, **kinds;
  double *energies;
  cap_results_balance *b = &group->balance;
  bool ok = cap_h5_read_texts(id, "name", &tree->arena, &nname, &names) &&
            cap_h5_read_texts(id, "kind", &tree->arena, &nkind, &kinds) &&
            cap_h5_read_reals(id, "energy", &tree->arena, &nenergy, &energies) && nname == nkind &&
            nname == nenergy && cap_h5_get_real(id, "residual", &b->residual) &&
            cap_h5_get_real(id, "scale", &b->scale) && cap_h5_get_real(id, "relative", &b->relative);
  if (!ok) return damaged(path, "/audit", error);
  b->lines = calloc((size_t)nname + 1, sizeof *b->lines);
  if (!b->lines) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  b->nline = nname;
  for (int i = 0; i < nname; i++) b->lines[i] = (cap_balance_line){names[i], kinds[i], energies[i]};
  return CAP_OK;
}

static bool load_view(hid_t id, const char *name, cap_arena *arena, cap_results_view *out)
{
  hid_t dataset = H5Dopen2(id, name, H5P_DEFAULT);
  if (dataset < 0) return false;
  cap_results_dataset d = {0};
  cap_view *view = &out->view;
  hid_t type = H5Dget_type(dataset);
  *view = (cap_view){.name = name, .unit = "", .meaning = "", .integer = H5Tget_class(type) == H5T_INTEGER};
  H5Tclose(type);
  cap_h5_get_text(dataset, "unit", arena, &view->unit);
  cap_h5_get_text(dataset, "long_name", arena, &view->meaning);
  bool ok = load_extent(dataset, &d) && d.rank == 1;
  view->count = ok ? d.dims[0] : 0;
  view->values = ok ? calloc((size_t)view->count + 1, 8) : NULL;
  hid_t native = view->integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  ok = view->values &&
       (view->count == 0 || H5Dread(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, view->values) >= 0);
  H5Dclose(dataset);
  return ok;
}

static bool load_views(hid_t parent, const char *slot, cap_arena *arena, cap_results_checkpoint *c)
{
  int n = 0;
  const char **names = NULL;
  if (H5Lexists(parent, slot, H5P_DEFAULT) <= 0) return false;
  hid_t id = H5Gopen2(parent, slot, H5P_DEFAULT);
  if (id < 0) return false;
  bool ok = cap_h5_names(id, arena, &n, &names);
  c->views = ok ? calloc((size_t)n + 1, sizeof *c->views) : NULL;
  ok = c->views != NULL;
  for (; ok && c->nview < n; c->nview++) ok = load_view(id, names[c->nview], arena, &c->views[c->nview]);
  H5Gclose(id);
  return ok;
}

/* One slot; false unless it was written to its end. */
static bool load_slot(hid_t parent, const char *slot, const char *commit, cap_arena *arena,
                      cap_results_checkpoint *c)
{
  cap_results_view record = {0};
  if (!load_views(parent, slot, arena, c) || H5Lexists(parent, commit, H5P_DEFAULT) <= 0) return false;
  bool ok = load_view(parent, commit, arena, &record) && record.view.integer && record.view.count == 5;
  if (ok) {
    const int64_t *v = record.view.values;
    c->sequence = v[0];
    c->nrow = v[1];
    c->nitem = v[2];
    c->nbalance = v[3];
    c->found = v[0] > 0 && v[1] >= 0 && v[2] >= 0 && v[4] == cap_results_tree_checksum(c);
  }
  free(record.view.values);
  return c->found;
}

/* The newer of the slots that were written to their end. */
static void load_checkpoint(hid_t id, cap_arena *arena, cap_results_checkpoint *best)
{
  static const char *const slots[] = {"a", "b"}, *const commits[] = {"commit_a", "commit_b"};
  for (int i = 0; i < 2; i++) {
    cap_results_checkpoint slot = {0};
    bool found = load_slot(id, slots[i], commits[i], arena, &slot);
    if (found && (!best->found || slot.sequence > best->sequence)) {
      cap_results_tree_free_checkpoint(best);
      *best = slot;
    } else {
      cap_results_tree_free_checkpoint(&slot);
    }
  }
}

/* A running group of a file that was not finished has room for more rows than it holds. */
static void cut_to_checkpoint(cap_results_group *group)
{
  const cap_results_checkpoint *c = &group->checkpoint;
  group->nrow = c->found && c->nrow <= group->capacity ? c->nrow : 0;
  cap_results_tree_cut_items(group, c->found ? (int)c->nitem : 0);
  if (!c->found || !c->nbalance) group->balance.nline = 0;
}

static cap_status load_group(cap_results_tree *tree, hid_t file, const char *name, const char *path,
                             cap_error *error)
{
  const char *kind = "", *title = "", *status = "";
  int64_t index = 0, reserved = 0;
  hid_t id = H5Gopen2(file, name, H5P_DEFAULT);
  if (id < 0) return damaged(path, name, error);
  bool ok = cap_h5_get_text(id, "kind", &tree->arena, &kind) &&
            cap_h5_get_text(id, "title", &tree->arena, &title) &&
            cap_h5_get_text(id, "status", &tree->arena, &status) && cap_h5_get_integer(id, "index", &index);
  cap_h5_get_integer(id, "reserved", &reserved);
  cap_results_group *group = ok ? cap_results_tree_add_group(tree, name, kind, title) : NULL;
  cap_status loaded = group ? load_datasets(tree, group, id, path, error) : damaged(path, name, error);
  H5Gclose(id);
  CAP_TRY(loaded);
  group->index = (int)index;
  group->complete = strcmp(status, "complete") == 0;

  hid_t side = open_side(file, "audit", name);
  if (side >= 0) {
    loaded = load_balance(tree, group, side, path, error);
    H5Gclose(side);
    CAP_TRY(loaded);
  }
  side = open_side(file, "checkpoint", name);
  if (side >= 0) {
    load_checkpoint(side, &tree->arena, &group->checkpoint);
    H5Gclose(side);
  }
  if (reserved) cut_to_checkpoint(group);
  for (int i = 0; i < group->ncolumn; i++) group->columns[i].dims[0] = group->nrow;
  return CAP_OK;
}

static cap_status load(cap_results_tree *tree, hid_t file, const char *path, const char *only,
                       cap_error *error)
{
  int64_t format = 0;
  int n;
  const char **names;
  bool meta = load_meta(tree, file, &format);
  if (format == 0)
    return cap_status_fail(error, CAP_ERR_IO, "%s: an HDF5 file, but not a result of Capstan", path);
  if (format != CAP_RESULTS_FIRST && format != CAP_RESULTS_FORMAT)
    return cap_status_fail(error, CAP_ERR_IO, "%s: result format %lld, this program reads formats %d and %d",
                           path, (long long)format, CAP_RESULTS_FIRST, CAP_RESULTS_FORMAT);
  if (!meta) return damaged(path, "/meta", error);
  tree->format = (int)format;
  if (only)
    return H5Lexists(file, only, H5P_DEFAULT) > 0 ? load_group(tree, file, only, path, error) : CAP_OK;
  if (!cap_h5_names(file, &tree->arena, &n, &names)) return damaged(path, "/", error);
  for (int i = 0; i < n; i++) {
    if (strcmp(names[i], "meta") == 0 || strcmp(names[i], "audit") == 0 ||
        strcmp(names[i], "checkpoint") == 0)
      continue;
    CAP_TRY(load_group(tree, file, names[i], path, error));
  }
  return CAP_OK;
}

/* What open(2) and the first bytes say, before HDF5 is asked: clearer words than the library's. */
static cap_status check_signature(const char *path, cap_error *error)
{
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char first[8] = {0};
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
  bool known = fstat(fd, &info) == 0;
  ssize_t got = known && S_ISREG(info.st_mode) ? read(fd, first, sizeof first) : 0;
  close(fd);
  if (known && S_ISDIR(info.st_mode)) return cap_status_fail(error, CAP_ERR_IO, "%s: is a directory", path);
  if (got != (ssize_t)sizeof first || memcmp(first, signature, sizeof first) != 0)
    return cap_status_fail(error, CAP_ERR_IO, "%s: not an HDF5 file", path);
  return CAP_OK;
}

cap_status cap_results_load_open(cap_results_tree *tree, const char *path, hid_t *file, cap_error *error)
{
  return cap_results_load_group(tree, path, NULL, file, error);
}

cap_status cap_results_load_group(cap_results_tree *tree, const char *path, const char *only, hid_t *file,
                                  cap_error *error)
{
  char reason[256];
  cap_h5_quiet();
  *tree = (cap_results_tree){0};
  *file = -1;
  CAP_TRY(check_signature(path, error));
  hid_t opened = cap_h5_open(path);
  if (opened < 0) {
    cap_h5_reason(reason, sizeof reason);
    return cap_status_fail(error, CAP_ERR_IO, "%s: damaged or truncated HDF5 file: %s", path, reason);
  }
  cap_status status = load(tree, opened, path, only, error);
  if (status != CAP_OK) {
    cap_results_tree_free(tree);
    H5Fclose(opened);
    return status;
  }
  *file = opened;
  return CAP_OK;
}
