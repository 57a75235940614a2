/* io/h5.h — the few HDF5 calls that writing a result needs, each as one checked function (reading:
 * h5_read.h).
 *
 * Everything returns false on failure; cap_h5_reason then gives the library's own words. No object carries a
 * time stamp, so equal contents give equal bytes.
 *
 * Every entry point of io/ that uses HDF5 does so between cap_h5_enter and cap_h5_leave, which do not nest.
 * HDF5 is used by one thread at a time, since not every build of it (Debian's, for one) knows threads; two
 * models may so be read and written by two threads. The library's error printing and its plugins, which a
 * file could ask for, are off in between, and afterwards as the host had them.
 */
#pragma once
#include "io/h5_image.h"
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cap_h5_host { /* what the program around the library has set */
  unsigned second; /* what prints errors is set by the calls of HDF5 1.8 and later, else by the older ones */
  H5E_auto1_t print1;
  H5E_auto2_t print2;
  void *self;       /* its own */
  unsigned plugins; /* that may be loaded */
} cap_h5_host;
void cap_h5_enter(cap_h5_host *host);
void cap_h5_leave(const cap_h5_host *host);
/* The innermost message of the last call, which must have been the one that failed; else "". */
void cap_h5_reason(char *text, size_t size);

/* Property lists, a type and a space that all writing calls share: making them anew for each attribute takes
 * longer than the attribute. */
enum { CAP_H5_SHORT = 64 /* bytes of a text whose type is kept */ };

typedef struct cap_h5_tools {
  hid_t group;               /* links keep their order of creation */
  hid_t early, late;         /* datasets whose space is reserved at once, or when they are written */
  hid_t scalar, single;      /* one value, and a list of one */
  hid_t list;                /* of references, as DIMENSION_LIST has them */
  hid_t use;                 /* a reference and a number, as REFERENCE_LIST has them */
  hid_t texts[CAP_H5_SHORT]; /* of that many bytes; 0 = not yet made */
} cap_h5_tools;
bool cap_h5_tools_open(cap_h5_tools *tools);
void cap_h5_tools_close(cap_h5_tools *tools); /* also after a failed open */

/* A new file in memory, `user_block` bytes before it left to the caller; negative on failure. */
hid_t cap_h5_create(cap_h5_image *image, size_t user_block);
/* A group whose links keep their order of creation. */
hid_t cap_h5_group(const cap_h5_tools *tools, hid_t parent, const char *name);
/* A contiguous dataset of doubles (or int64_t) with its space reserved and nothing written: its values are at
 * *offset in the file, -1 when it is empty. Stays open for attributes; negative on failure. */
hid_t cap_h5_reserve(const cap_h5_tools *tools, hid_t parent, const char *name, bool integer, int rank,
                     const int64_t *dims, int64_t *offset);

bool cap_h5_put_text(cap_h5_tools *tools, hid_t object, const char *name, const char *value);
bool cap_h5_put_integer(const cap_h5_tools *tools, hid_t object, const char *name, int64_t value);
bool cap_h5_put_real(const cap_h5_tools *tools, hid_t object, const char *name, double value);
bool cap_h5_put_flag(const cap_h5_tools *tools, hid_t object, const char *name, bool value);
/* Dimension scales, as H5DS and netCDF have them. A scale is a dataset of one dimension; `name`: its own.
 * `uses`: the dimensions of other datasets that it is attached to, [nuse]. */
typedef struct cap_h5_use {
  hobj_ref_t dataset;
  int dimension;
} cap_h5_use;
bool cap_h5_reference(hid_t dataset, hobj_ref_t *reference);
bool cap_h5_put_scale(cap_h5_tools *tools, hid_t dataset, const char *name, int nuse, const cap_h5_use *uses);
/* The scale of each dimension of a dataset. */
bool cap_h5_put_dimensions(cap_h5_tools *tools, hid_t dataset, int rank, const hobj_ref_t *scales);
/* A dimension without values: a scale of which only the length counts. Stays open. */
hid_t cap_h5_dimension(const cap_h5_tools *tools, hid_t parent, const char *name, int64_t length);

/* Scalar text and number; a list of texts (n may be 0). The dataset stays open when `dataset` is not NULL. */
bool cap_h5_write_text(const cap_h5_tools *tools, hid_t parent, const char *name, const char *value,
                       hid_t *dataset);
bool cap_h5_write_real(const cap_h5_tools *tools, hid_t parent, const char *name, double value,
                       hid_t *dataset);
bool cap_h5_write_texts(const cap_h5_tools *tools, hid_t parent, const char *name, int n,
                        const char *const *values, hid_t *dataset);
bool cap_h5_write_reals(const cap_h5_tools *tools, hid_t parent, const char *name, int n,
                        const double *values, hid_t *dataset);
