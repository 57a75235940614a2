/* io/h5.c — see h5.h. */
#include "io/h5.h"
#include "base/arena.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* For HDF5, which keeps everything in globals. */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

void cap_h5_enter(cap_h5_host *host)
{
  pthread_mutex_lock(&hdf5_lock);
  *host = (cap_h5_host){.second = 1};
  H5Eauto_is_v2(H5E_DEFAULT, &host->second);
  if (host->second) H5Eget_auto2(H5E_DEFAULT, &host->print2, &host->self);
  else H5Eget_auto1(&host->print1, &host->self);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLget_loading_state(&host->plugins);
  H5PLset_loading_state(0);
}

void cap_h5_leave(const cap_h5_host *host)
{
  H5PLset_loading_state(host->plugins);
  if (host->second) H5Eset_auto2(H5E_DEFAULT, host->print2, host->self);
  else H5Eset_auto1(host->print1, host->self);
  pthread_mutex_unlock(&hdf5_lock);
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

hid_t cap_h5_create(cap_h5_image *image, size_t user_block)
{
  hid_t access = access_properties();
  hid_t create = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  if (access >= 0 && create >= 0 && H5Pset_userblock(create, user_block) >= 0 &&
      H5Pset_obj_track_times(create, 0) >= 0 &&
      H5Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
    file = cap_h5_image_create(image, create, access);
  H5Pclose(create);
  H5Pclose(access);
  return file;
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
  if (space >= 0) H5Sclose(space);
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

static hid_t use_type(void)
{
  hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(cap_h5_use));
  if (type >= 0 && (H5Tinsert(type, "dataset", offsetof(cap_h5_use, dataset), H5T_STD_REF_OBJ) < 0 ||
                    H5Tinsert(type, "dimension", offsetof(cap_h5_use, dimension), H5T_NATIVE_INT) < 0)) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

bool cap_h5_tools_open(cap_h5_tools *tools)
{
  *tools = (cap_h5_tools){.group = group_properties(),
                          .early = dataset_properties(H5D_ALLOC_TIME_EARLY),
                          .late = dataset_properties(H5D_ALLOC_TIME_LATE),
                          .scalar = H5Screate(H5S_SCALAR),
                          .single = H5Screate_simple(1, &(hsize_t){1}, NULL),
                          .list = H5Tvlen_create(H5T_STD_REF_OBJ),
                          .use = use_type()};
  return tools->group >= 0 && tools->early >= 0 && tools->late >= 0 && tools->scalar >= 0 &&
         tools->single >= 0 && tools->list >= 0 && tools->use >= 0;
}

void cap_h5_tools_close(cap_h5_tools *tools)
{
  if (tools->group >= 0) H5Pclose(tools->group);
  if (tools->early >= 0) H5Pclose(tools->early);
  if (tools->late >= 0) H5Pclose(tools->late);
  if (tools->scalar >= 0) H5Sclose(tools->scalar);
  if (tools->single >= 0) H5Sclose(tools->single);
  if (tools->list >= 0) H5Tclose(tools->list);
  if (tools->use >= 0) H5Tclose(tools->use);
  for (int i = 0; i < CAP_H5_SHORT; i++)
    if (tools->texts[i] > 0) H5Tclose(tools->texts[i]);
}

static bool attribute_write_in(hid_t space, hid_t object, const char *name, hid_t type, const void *value)
{
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) ok = H5Aclose(attribute) >= 0 && ok;
  return ok;
}

static bool attribute_write(const cap_h5_tools *tools, hid_t object, const char *name, hid_t type,
                            const void *value)
{
  return attribute_write_in(tools->scalar, object, name, type, value);
}

/* The same attributes of many datasets have texts of a few lengths. */
static hid_t kept_text_type(cap_h5_tools *tools, size_t size)
{
  hid_t *kept = &tools->texts[size];
  if (*kept == 0) *kept = text_type(size);
  return *kept;
}

/* Attributes have a fixed length, too: texts of the variable kind lie in a heap of the whole file, where
 * one wrong byte ruins all of them. Readers such as h5py hand them out as bytes. */
bool cap_h5_put_text(cap_h5_tools *tools, hid_t object, const char *name, const char *value)
{
  if (!value) value = "";
  size_t size = strlen(value) + 1;
  bool brief = size < CAP_H5_SHORT;
  hid_t type = brief ? kept_text_type(tools, size) : text_type(size);
  bool ok = type >= 0 && attribute_write(tools, object, name, type, value);
  if (type >= 0 && !brief) H5Tclose(type);
  return ok;
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

/* Create, write, and hand out or close. n < 0 means a scalar. */
static bool dataset_write(const cap_h5_tools *tools, hid_t parent, const char *name, hid_t type, int n,
                          const void *values, hid_t *dataset)
{
  hsize_t extent = n > 0 ? (hsize_t)n : 0;
  hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
  hid_t made = space < 0 ? -1 : H5Dcreate2(parent, name, type, space, H5P_DEFAULT, tools->late, H5P_DEFAULT);
  if (space >= 0) H5Sclose(space);
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
  if (type >= 0) H5Tclose(type);
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
                        const char *const *values, hid_t *dataset)
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
  bool ok = type >= 0 && dataset_write(tools, parent, name, type, n, block, dataset);
  if (type >= 0) H5Tclose(type);
  cap_arena_free(&arena);
  return ok;
}

/* Dimension scales */

bool cap_h5_reference(hid_t dataset, hobj_ref_t *reference)
{
  return H5Rcreate(reference, dataset, ".", H5R_OBJECT, -1) >= 0;
}

static bool put_list(hid_t object, const char *name, hid_t type, int n, const void *values)
{
  hsize_t extent = (hsize_t)n;
  hid_t space = H5Screate_simple(1, &extent, NULL);
  bool ok = space >= 0 && attribute_write_in(space, object, name, type, values);
  if (space >= 0) H5Sclose(space);
  return ok;
}

bool cap_h5_put_scale(cap_h5_tools *tools, hid_t dataset, const char *name, int nuse, const cap_h5_use *uses)
{
  return cap_h5_put_text(tools, dataset, "CLASS", "DIMENSION_SCALE") &&
         cap_h5_put_text(tools, dataset, "NAME", name) &&
         (nuse == 0 || put_list(dataset, "REFERENCE_LIST", tools->use, nuse, uses));
}

bool cap_h5_put_dimensions(cap_h5_tools *tools, hid_t dataset, int rank, const hobj_ref_t *scales)
{
  hvl_t lists[H5S_MAX_RANK];
  hobj_ref_t own[H5S_MAX_RANK];
  for (int i = 0; i < rank; i++) {
    own[i] = scales[i];
    lists[i] = (hvl_t){1, &own[i]};
  }
  if (rank == 1) return attribute_write_in(tools->single, dataset, "DIMENSION_LIST", tools->list, lists);
  return put_list(dataset, "DIMENSION_LIST", tools->list, rank, lists);
}

hid_t cap_h5_dimension(const cap_h5_tools *tools, hid_t parent, const char *name, int64_t length)
{
  hsize_t extent = (hsize_t)length;
  hid_t space = H5Screate_simple(1, &extent, NULL);
  hid_t dataset = space < 0 ? -1
                            : H5Dcreate2(parent, name, H5T_IEEE_F32BE, space, H5P_DEFAULT, tools->late,
                                         H5P_DEFAULT);
  if (space >= 0) H5Sclose(space);
  return dataset;
}
