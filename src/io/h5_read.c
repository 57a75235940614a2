/* io/h5_read.c — see h5_read.h. */
#include "io/h5_read.h"
#include "io/h5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ATTRIBUTE = 1 << 24 /* bytes */ };

/* A driver of HDF5's virtual file layer that reads a descriptor */

typedef struct driver_file {
  H5FD_t public; /* first: HDF5 knows only this */
  const cap_h5_input *in;
  haddr_t eoa;
} driver_file;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t maxaddr)
{
  (void)name;
  (void)maxaddr;
  cap_h5_input *const *in = H5Pget_driver_info(access);
  if ((flags & (H5F_ACC_RDWR | H5F_ACC_TRUNC | H5F_ACC_CREAT)) || !in) return NULL;
  driver_file *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->in = *in;
  return &f->public;
}

static herr_t driver_close(H5FD_t *file)
{
  free(file);
  return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
  uintptr_t x = (uintptr_t)((const driver_file *)a)->in, y = (uintptr_t)((const driver_file *)b)->in;
  return x < y ? -1 : x > y;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
  (void)file;
  if (flags)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t driver_eoa(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((driver_file *)file)->eoa = address;
  return 0;
}

static haddr_t driver_eof(const H5FD_t *file, H5FD_mem_t type)
{
  (void)type;
  return (haddr_t)((const driver_file *)file)->in->size;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          void *buffer)
{
  (void)type;
  (void)transfer;
  const cap_h5_input *in = ((driver_file *)file)->in;
  char *next = buffer;
  if (address > (haddr_t)in->size || size > (haddr_t)in->size - address) return -1;
  while (size > 0) {
    ssize_t got = pread(in->fd, next, size, (off_t)address);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    next += got;
    address += (haddr_t)got;
    size -= (size_t)got;
  }
  return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *buffer)
{
  (void)file, (void)type, (void)transfer, (void)address, (void)size, (void)buffer;
  return -1;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value = 513, /* of those for testing and for one's own */
#endif
    .name = "capstan_input",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_STRONG, /* nothing outlives the descriptor */
    .fapl_size = sizeof(cap_h5_input *),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_eof,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY};

bool cap_h5_read_open(cap_h5_input *in, int fd, int64_t size)
{
  *in = (cap_h5_input){.fd = fd, .size = size, .file = -1, .driver = H5FDregister(&driver)};
  hid_t access = in->driver < 0 ? -1 : H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_driver(access, in->driver, &in) >= 0)
    in->file = H5Fopen("input", H5F_ACC_RDONLY, access);
  /* what HDF5 had to say is lost with the next call that succeeds */
  if (access >= 0 && in->file >= 0) H5Pclose(access);
  return in->file >= 0;
}

void cap_h5_read_close(cap_h5_input *in)
{
  if (in->file > 0) H5Fclose(in->file);
  if (in->driver > 0) H5FDunregister(in->driver);
  *in = (cap_h5_input){.fd = -1};
}

/* Links */

bool cap_h5_read_has(hid_t parent, const char *name)
{
  return !strchr(name, '/') && strcmp(name, ".") != 0 && H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

static hid_t find(cap_h5_input *in, hid_t parent, const char *name, H5I_type_t kind)
{
  H5L_info_t info;
  in->wrong = NULL;
  if (!cap_h5_read_has(parent, name) || H5Lget_info(parent, name, &info, H5P_DEFAULT) < 0) return -1;
  if (info.type != H5L_TYPE_HARD) {
    in->wrong = "it is a link to another place, which is not followed";
    return -1;
  }
  hid_t object = H5Oopen(parent, name, H5P_DEFAULT);
  if (object < 0 || H5Iget_type(object) == kind) return object;
  in->wrong = kind == H5I_GROUP ? "it is not a group" : "it is not a dataset";
  H5Oclose(object);
  return -1;
}

hid_t cap_h5_read_group(cap_h5_input *in, hid_t parent, const char *name)
{
  return find(in, parent, name, H5I_GROUP);
}

/* Where its values are, which may be anywhere; NULL: in the file, as they are. */
static const char *foreign_values(hid_t dataset)
{
  /* only what lies in one piece in the file has a place there; this is faster than the list of properties */
  if (H5Dget_offset(dataset) != HADDR_UNDEF) return NULL;
  hid_t create = H5Dget_create_plist(dataset);
  if (create < 0) return "its description cannot be read";
  const char *wrong = NULL;
  H5D_layout_t layout = H5Pget_layout(create);
  if (H5Pget_external_count(create) != 0 || layout == H5D_VIRTUAL) wrong = "its values are in another file";
  else if (H5Pget_nfilters(create) != 0) wrong = "it is compressed or filtered, as no result is";
  else if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED && layout != H5D_COMPACT)
    wrong = "its layout is not known";
  H5Pclose(create);
  return wrong;
}

/* Bytes of all values, as they are in the file; -1: more than an int64_t holds. */
static int64_t bytes_of(hid_t dataset)
{
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  size_t one = type < 0 ? 0 : H5Tget_size(type);
  int64_t bytes = -1;
  if (n < 0 || one == 0 || __builtin_mul_overflow((int64_t)n, one, &bytes)) bytes = -1;
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  return bytes;
}

hid_t cap_h5_read_dataset(cap_h5_input *in, hid_t parent, const char *name)
{
  hid_t dataset = find(in, parent, name, H5I_DATASET);
  if (dataset < 0) return -1;
  in->wrong = foreign_values(dataset);
  if (!in->wrong) {
    int64_t bytes = bytes_of(dataset);
    if (bytes < 0 || bytes > in->size || (bytes > 0 && H5Dget_storage_size(dataset) < (hsize_t)bytes))
      in->wrong = "it says that it has more values than the file has";
  }
  if (!in->wrong) return dataset;
  H5Dclose(dataset);
  return -1;
}

bool cap_h5_read_claim(cap_h5_input *in, hid_t dataset)
{
  int64_t bytes = bytes_of(dataset);
  if (bytes >= 0 && bytes <= in->size - in->claimed) {
    in->claimed += bytes;
    return true;
  }
  in->wrong = "all datasets together say that they have more values than the file has";
  return false;
}

/* Links of a group, as they are met. */
typedef struct links {
  cap_arena *arena;
  int n, room;
  bool ordered; /* all of them have a number of their creation */
  struct link {
    int64_t number;
    const char *name;
  } * list; /* [room] */
} links;

static herr_t note_link(hid_t group, const char *name, const H5L_info_t *info, void *self)
{
  links *l = self;
  (void)group;
  char *copy = l->n < l->room ? cap_arena_copy_text(l->arena, name) : NULL;
  if (!copy) return -1;
  l->ordered = l->ordered && info->corder_valid;
  l->list[l->n++] = (struct link){info->corder, copy};
  return 0;
}

static int by_number(const void *a, const void *b)
{
  int64_t x = ((const struct link *)a)->number, y = ((const struct link *)b)->number;
  return x < y ? -1 : x > y;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct link *)a)->name, ((const struct link *)b)->name);
}

/* In the order of the file, which needs no table: HDF5 frees what was never set when the table of a damaged
 * group comes to an early end. Files that other tools have rewritten may have lost the order of creation. */
bool cap_h5_read_names(cap_h5_input *in, hid_t group, cap_arena *arena, int *n, const char ***names)
{
  H5G_info_t info;
  in->wrong = NULL;
  if (H5Gget_info(group, &info) < 0) return false;
  if (info.nlinks > (hsize_t)in->size / 8 || info.nlinks > INT32_MAX) { /* none takes fewer bytes */
    in->wrong = "it says that it has more members than the file has room for";
    return false;
  }
  links l = {.arena = arena, .room = (int)info.nlinks, .ordered = true};
  const char **list = CAP_ARENA_NEW(arena, const char *, info.nlinks);
  l.list = CAP_ARENA_NEW(arena, struct link, info.nlinks);
  if (!list || !l.list) return false;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, note_link, &l) < 0 || l.n != l.room)
    return false;
  qsort(l.list, (size_t)l.n, sizeof *l.list, l.ordered ? by_number : by_name);
  for (int i = 0; i < l.n; i++) list[i] = l.list[i].name;
  *n = l.n;
  *names = list;
  return true;
}

/* Attributes */

/* The attribute when it is one value of the wanted class, else -1. */
static hid_t attribute_open(hid_t object, const char *name, H5T_class_t class)
{
  if (H5Aexists(object, name) <= 0) return -1;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return -1;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  bool fits = type >= 0 && H5Tget_class(type) == class && space >= 0 &&
              H5Sget_simple_extent_npoints(space) == 1 &&
              H5Tget_size(type) <= (class == H5T_STRING ? MOST_ATTRIBUTE : 8);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  if (fits) return attribute;
  H5Aclose(attribute);
  return -1;
}

static hid_t variable_text(void)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

/* The results of before have texts of this kind. */
static const char *read_variable(hid_t attribute, cap_arena *arena)
{
  char *read = NULL;
  hid_t type = variable_text();
  bool ok = type >= 0 && H5Aread(attribute, type, &read) >= 0 && read;
  if (type >= 0) H5Tclose(type);
  const char *text = ok ? cap_arena_copy_text(arena, read) : NULL;
  if (read) H5free_memory(read);
  return text;
}

static const char *read_fixed(hid_t attribute, hid_t type, cap_arena *arena)
{
  char *text = cap_arena_alloc(arena, H5Tget_size(type) + 1);
  return text && H5Aread(attribute, type, text) >= 0 ? text : NULL;
}

bool cap_h5_read_attribute_text(hid_t object, const char *name, cap_arena *arena, const char **value)
{
  hid_t attribute = attribute_open(object, name, H5T_STRING);
  if (attribute < 0) return false;
  hid_t type = H5Aget_type(attribute);
  bool variable = type >= 0 && H5Tis_variable_str(type) > 0;
  const char *text = type < 0   ? NULL
                     : variable ? read_variable(attribute, arena)
                                : read_fixed(attribute, type, arena);
  if (type >= 0) H5Tclose(type);
  H5Aclose(attribute);
  if (text) *value = text;
  return text != NULL;
}

static bool attribute_read(hid_t object, const char *name, H5T_class_t class, hid_t type, void *value)
{
  hid_t attribute = attribute_open(object, name, class);
  if (attribute < 0) return false;
  bool ok = H5Aread(attribute, type, value) >= 0;
  H5Aclose(attribute);
  return ok;
}

bool cap_h5_read_attribute_integer(hid_t object, const char *name, int64_t *value)
{
  return attribute_read(object, name, H5T_INTEGER, H5T_NATIVE_INT64, value);
}

bool cap_h5_read_attribute_real(hid_t object, const char *name, double *value)
{
  return attribute_read(object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, value);
}

/* Values */

static bool is_of(hid_t dataset, hid_t small, hid_t big)
{
  hid_t type = H5Dget_type(dataset);
  bool is = type >= 0 && (H5Tequal(type, small) > 0 || H5Tequal(type, big) > 0);
  if (type >= 0) H5Tclose(type);
  return is;
}

bool cap_h5_read_is_real(hid_t dataset)
{
  return is_of(dataset, H5T_IEEE_F64LE, H5T_IEEE_F64BE);
}

bool cap_h5_read_is_integer(hid_t dataset)
{
  return is_of(dataset, H5T_STD_I64LE, H5T_STD_I64BE);
}

/* Extent of a dataset with at most one dimension, -1 when it has more or too many points for an int. */
static int64_t extent_of(hid_t dataset)
{
  hid_t space = H5Dget_space(dataset);
  int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  hssize_t n = rank == 0 || rank == 1 ? H5Sget_simple_extent_npoints(space) : -1;
  if (space >= 0) H5Sclose(space);
  return n > INT32_MAX ? -1 : n;
}

/* Values of a dataset of fixed-length texts, each with room for its ending zero. */
static char *read_text_block(hid_t dataset, cap_arena *arena, int64_t n, size_t *size)
{
  hid_t stored = H5Dget_type(dataset);
  bool text = stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0;
  *size = text ? H5Tget_size(stored) + 1 : 0;
  if (stored >= 0) H5Tclose(stored);
  if (!text) return NULL;
  hid_t type = H5Tcopy(H5T_C_S1);
  bool made = type >= 0 && H5Tset_size(type, *size) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  char *block = made ? cap_arena_array(arena, (size_t)n, *size) : NULL;
  if (block && n > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) block = NULL;
  if (type >= 0) H5Tclose(type);
  return block;
}

bool cap_h5_read_text(cap_h5_input *in, hid_t dataset, cap_arena *arena, const char **value)
{
  size_t size;
  if (extent_of(dataset) != 1 || !cap_h5_read_claim(in, dataset)) return false;
  const char *block = read_text_block(dataset, arena, 1, &size);
  if (block) *value = block;
  return block != NULL;
}

bool cap_h5_read_texts(cap_h5_input *in, hid_t parent, const char *name, cap_arena *arena, int *n,
                       const char ***values)
{
  hid_t dataset = cap_h5_read_dataset(in, parent, name);
  if (dataset < 0) return false;
  size_t size = 0;
  int64_t count = cap_h5_read_claim(in, dataset) ? extent_of(dataset) : -1;
  char *block = count < 0 ? NULL : read_text_block(dataset, arena, count, &size);
  const char **list = block ? CAP_ARENA_NEW(arena, const char *, count) : NULL;
  H5Dclose(dataset);
  if (!list) return false;
  for (int64_t i = 0; i < count; i++) list[i] = block + (size_t)i * size;
  *n = (int)count;
  *values = list;
  return true;
}

bool cap_h5_read_reals(cap_h5_input *in, hid_t parent, const char *name, cap_arena *arena, int *n,
                       double **values)
{
  hid_t dataset = cap_h5_read_dataset(in, parent, name);
  if (dataset < 0) return false;
  int64_t count = cap_h5_read_is_real(dataset) && cap_h5_read_claim(in, dataset) ? extent_of(dataset) : -1;
  double *list = count < 0 ? NULL : CAP_ARENA_NEW(arena, double, count);
  bool ok = list &&
            (count == 0 || H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, list) >= 0);
  H5Dclose(dataset);
  if (!ok) return false;
  *n = (int)count;
  *values = list;
  return true;
}
