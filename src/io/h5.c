/* io/h5.c — see h5.h. */
#include "io/h5.h"

#include <stdio.h>
#include <string.h>

void cap_h5_quiet(void)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

typedef struct reason {
  char *text;
  size_t size;
} reason;

static herr_t keep_innermost(unsigned n, const H5E_error2_t *entry, void *self)
{
  reason *r = self;
  (void)n;
  if (entry->desc) snprintf(r->text, r->size, "%s", entry->desc);
  return 0;
}

void cap_h5_reason(char *text, size_t size)
{
  if (size) text[0] = '\0';
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, &(reason){text, size});
}

/* One file format for all versions of the library, so that the bytes do not depend on it. */
static hid_t access_properties(void)
{
  hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
  if (properties >= 0 && H5Pset_libver_bounds(properties, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0) {
    H5Pclose(properties);
    return -1;
  }
  return properties;
}

hid_t cap_h5_create(cap_h5_image *image)
{
  hid_t access = access_properties();
  hid_t create = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  if (access >= 0 && create >= 0 && H5Pset_obj_track_times(create, 0) >= 0 &&
      H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
    file = cap_h5_image_create(image, create, access);
  H5Pclose(create);
  H5Pclose(access);
  return file;
}

hid_t cap_h5_open(const char *path)
{
  return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}

hid_t cap_h5_group(const cap_h5_tools *tools, hid_t parent, const char *name)
{
  return H5Gcreate2(parent, name, H5P_DEFAULT, tools->group, H5P_DEFAULT);
}

hid_t cap_h5_reserve(const cap_h5_tools *tools, hid_t parent, const char *name, bool integer, int rank,
                     const int64_t *dims, int64_t *offset)
{
  hsize_t extent[H5S_MAX_RANK];
  bool empty = false;
  for (int i = 0; i < rank; i++) {
    extent[i] = (hsize_t)dims[i];
    empty = empty || dims[i] == 0;
  }
  hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
  hid_t type = integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
  hid_t dataset = space < 0 ? -1
                            : H5Dcreate2(parent, name, type, space, H5P_DEFAULT,
                                         empty ? tools->late : tools->early, H5P_DEFAULT);
  H5Sclose(space);
  if (dataset < 0) return dataset;
  haddr_t address = empty ? HADDR_UNDEF : H5Dget_offset(dataset);
  *offset = address == HADDR_UNDEF ? -1 : (int64_t)address;
  if (!empty && *offset < 0) {
    H5Dclose(dataset);
    return -1;
  }
  return dataset;
}

/* Texts in datasets have a fixed length, their end marked by zero. */
static hid_t text_type(size_t size)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && (H5Tset_size(type, size) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0 ||
                    H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

/* Contiguous datasets without time stamps. */
static hid_t dataset_properties(H5D_alloc_time_t when)
{
  hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  if (create >= 0 && H5Pset_obj_track_times(create, 0) >= 0 &&
      H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_alloc_time(create, when) >= 0)
    return create;
  H5Pclose(create);
  return -1;
}

static hid_t group_properties(void)
{
  hid_t create = H5Pcreate(H5P_GROUP_CREATE);
  if (create >= 0 && H5Pset_obj_track_times(create, 0) >= 0 &&
      H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
    return create;
  H5Pclose(create);
  return -1;
}

bool cap_h5_tools_open(cap_h5_tools *tools)
{
  *tools = (cap_h5_tools){group_properties(), dataset_properties(H5D_ALLOC_TIME_EARLY),
                          dataset_properties(H5D_ALLOC_TIME_LATE), text_type(H5T_VARIABLE),
                          H5Screate(H5S_SCALAR)};
  return tools->group >= 0 && tools->early >= 0 && tools->late >= 0 && tools->text >= 0 && tools->scalar >= 0;
}

void cap_h5_tools_close(cap_h5_tools *tools)
{
  if (tools->group >= 0) H5Pclose(tools->group);
  if (tools->early >= 0) H5Pclose(tools->early);
  if (tools->late >= 0) H5Pclose(tools->late);
  if (tools->text >= 0) H5Tclose(tools->text);
  if (tools->scalar >= 0) H5Sclose(tools->scalar);
}

static bool attribute_write(const cap_h5_tools *tools, hid_t object, const char *name, hid_t type,
                            const void *value)
{
  hid_t attribute = H5Acreate2(object, name, type, tools->scalar, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) ok = H5Aclose(attribute) >= 0 && ok;
  return ok;
}

/* Attributes have the variable kind, since readers such as h5py hand only that out as text. */
bool cap_h5_put_text(const cap_h5_tools *tools, hid_t object, const char *name, const char *value)
{
  if (!value) value = "";
  return attribute_write(tools, object, name, tools->text, &value);
}

bool cap_h5_put_integer(const cap_h5_tools *tools, hid_t object, const char *name, int64_t value)
{
  return attribute_write(tools, object, name, H5T_NATIVE_INT64, &value);
}

bool cap_h5_put_real(const cap_h5_tools *tools, hid_t object, const char *name, double value)
{
  return attribute_write(tools, object, name, H5T_NATIVE_DOUBLE, &value);
}

bool cap_h5_put_flag(const cap_h5_tools *tools, hid_t object, const char *name, bool value)
{
  return attribute_write(tools, object, name, H5T_NATIVE_UINT8, &(uint8_t){value});
}

/* The attribute when it is one value of the wanted class, else -1. */
static hid_t attribute_open(hid_t object, const char *name, H5T_class_t class)
{
  if (H5Aexists(object, name) <= 0) return -1;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) return -1;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  bool fits = type >= 0 && H5Tget_class(type) == class && space >= 0 &&
              H5Sget_simple_extent_npoints(space) == 1;
  H5Tclose(type);
  H5Sclose(space);
  if (fits) return attribute;
  H5Aclose(attribute);
  return -1;
}

static const char *read_variable(hid_t attribute, cap_arena *arena)
{
  char *read = NULL;
  hid_t type = text_type(H5T_VARIABLE);
  bool ok = type >= 0 && H5Aread(attribute, type, &read) >= 0 && read;
  H5Tclose(type);
  const char *text = ok ? cap_arena_copy_text(arena, read) : NULL;
  if (read) H5free_memory(read);
  return text;
}

static const char *read_fixed(hid_t attribute, hid_t type, cap_arena *arena)
{
  char *text = cap_arena_alloc(arena, H5Tget_size(type) + 1);
  return text && H5Aread(attribute, type, text) >= 0 ? text : NULL;
}

bool cap_h5_get_text(hid_t object, const char *name, cap_arena *arena, const char **value)
{
  hid_t attribute = attribute_open(object, name, H5T_STRING);
  if (attribute < 0) return false;
  hid_t type = H5Aget_type(attribute);
  bool variable = type >= 0 && H5Tis_variable_str(type) > 0;
  const char *text = variable ? read_variable(attribute, arena) : read_fixed(attribute, type, arena);
  H5Tclose(type);
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

bool cap_h5_get_integer(hid_t object, const char *name, int64_t *value)
{
  return attribute_read(object, name, H5T_INTEGER, H5T_NATIVE_INT64, value);
}

bool cap_h5_get_real(hid_t object, const char *name, double *value)
{
  return attribute_read(object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, value);
}

/* Create, write, and hand out or close. n < 0 means a scalar. */
static bool dataset_write(const cap_h5_tools *tools, hid_t parent, const char *name, hid_t type, int n,
                          const void *values, hid_t *dataset)
{
  hsize_t extent = n > 0 ? (hsize_t)n : 0;
  hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
  hid_t made = space < 0 ? -1 : H5Dcreate2(parent, name, type, space, H5P_DEFAULT, tools->late, H5P_DEFAULT);
  H5Sclose(space);
  if (made < 0) return false;
  bool ok = n == 0 || H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (dataset && ok) *dataset = made;
  else ok = H5Dclose(made) >= 0 && ok;
  return ok;
}

bool cap_h5_write_text(const cap_h5_tools *tools, hid_t parent, const char *name, const char *value,
                       hid_t *dataset)
{
  if (!value) value = "";
  hid_t type = text_type(strlen(value) + 1);
  bool ok = type >= 0 && dataset_write(tools, parent, name, type, -1, value, dataset);
  H5Tclose(type);
  return ok;
}

bool cap_h5_write_real(const cap_h5_tools *tools, hid_t parent, const char *name, double value,
                       hid_t *dataset)
{
  return dataset_write(tools, parent, name, H5T_NATIVE_DOUBLE, -1, &value, dataset);
}

bool cap_h5_write_reals(const cap_h5_tools *tools, hid_t parent, const char *name, int n,
                        const double *values, hid_t *dataset)
{
  return dataset_write(tools, parent, name, H5T_NATIVE_DOUBLE, n, values, dataset);
}

bool cap_h5_write_texts(const cap_h5_tools *tools, hid_t parent, const char *name, int n,
                        const char *const *values)
{
  size_t size = 1;
  for (int i = 0; i < n; i++) {
    size_t length = strlen(values[i]) + 1;
    if (length > size) size = length;
  }
  cap_arena arena = {0};
  char *block = cap_arena_array(&arena, (size_t)n, size);
  if (!block) return false;
  for (int i = 0; i < n; i++) memcpy(block + (size_t)i * size, values[i], strlen(values[i]) + 1);
  hid_t type = text_type(size);
  bool ok = type >= 0 && dataset_write(tools, parent, name, type, n, block, NULL);
  H5Tclose(type);
  cap_arena_free(&arena);
  return ok;
}

/* Extent of a dataset with at most one dimension, -1 when it has more or too many points for an int. */
static int64_t extent_of(hid_t dataset)
{
  hid_t space = H5Dget_space(dataset);
  int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  hssize_t n = rank == 0 || rank == 1 ? H5Sget_simple_extent_npoints(space) : -1;
  H5Sclose(space);
  return n > INT32_MAX ? -1 : n;
}

/* Values of a dataset of fixed-length texts, each with room for its ending zero. */
static char *read_text_block(hid_t dataset, cap_arena *arena, int64_t n, size_t *size)
{
  hid_t stored = H5Dget_type(dataset);
  bool text = stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0;
  *size = text ? H5Tget_size(stored) + 1 : 0;
  H5Tclose(stored);
  if (!text) return NULL;
  hid_t type = text_type(*size);
  char *block = type < 0 ? NULL : cap_arena_array(arena, (size_t)n, *size);
  if (block && n > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0) block = NULL;
  H5Tclose(type);
  return block;
}

bool cap_h5_read_text(hid_t dataset, cap_arena *arena, const char **value)
{
  size_t size;
  if (extent_of(dataset) != 1) return false;
  const char *block = read_text_block(dataset, arena, 1, &size);
  if (block) *value = block;
  return block != NULL;
}

bool cap_h5_read_texts(hid_t parent, const char *name, cap_arena *arena, int *n, const char ***values)
{
  if (H5Lexists(parent, name, H5P_DEFAULT) <= 0) return false;
  hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
  if (dataset < 0) return false;
  size_t size = 0;
  int64_t count = extent_of(dataset);
  char *block = count < 0 ? NULL : read_text_block(dataset, arena, count, &size);
  const char **list = block ? CAP_ARENA_NEW(arena, const char *, count) : NULL;
  H5Dclose(dataset);
  if (!list) return false;
  for (int64_t i = 0; i < count; i++) list[i] = block + (size_t)i * size;
  *n = (int)count;
  *values = list;
  return true;
}

bool cap_h5_read_reals(hid_t parent, const char *name, cap_arena *arena, int *n, double **values)
{
  if (H5Lexists(parent, name, H5P_DEFAULT) <= 0) return false;
  hid_t dataset = H5Dopen2(parent, name, H5P_DEFAULT);
  if (dataset < 0) return false;
  int64_t count = extent_of(dataset);
  double *list = count < 0 ? NULL : CAP_ARENA_NEW(arena, double, count);
  bool ok = list &&
            (count == 0 || H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, list) >= 0);
  H5Dclose(dataset);
  if (!ok) return false;
  *n = (int)count;
  *values = list;
  return true;
}

bool cap_h5_names(hid_t group, cap_arena *arena, int *n, const char ***names)
{
  H5G_info_t info;
  if (H5Gget_info(group, &info) < 0 || info.nlinks > INT32_MAX) return false;
  const char **list = CAP_ARENA_NEW(arena, const char *, info.nlinks);
  if (!list) return false;
  /* files that other tools have rewritten may have lost the order of creation */
  H5_index_t order = H5_INDEX_CRT_ORDER;
  if (info.nlinks && H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, 0, NULL, 0, H5P_DEFAULT) < 0)
    order = H5_INDEX_NAME;
  for (hsize_t i = 0; i < info.nlinks; i++) {
    ssize_t length = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    char *name = length < 0 ? NULL : cap_arena_alloc(arena, (size_t)length + 1);
    if (!name ||
        H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, name, (size_t)length + 1, H5P_DEFAULT) < 0)
      return false;
    list[i] = name;
  }
  *n = (int)info.nlinks;
  *names = list;
  return true;
}
