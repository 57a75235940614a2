/* io/h5_read.h — the few HDF5 calls that reading a result needs, each as one checked function.
 *
 * A file may be damaged, or made to harm. Nothing in it is believed: only hard links are followed, no values
 * are taken from other files, no filter and no plugin is run, and no dataset, nor all of them together, may
 * have more values than the file has bytes. What is refused is said in `wrong`.
 *
 * HDF5 reads from the descriptor that was checked, not from a path that may mean another file by then.
 */
#pragma once
#include "base/arena.h"
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cap_h5_input {
  int fd;       /* the caller's */
  int64_t size; /* bytes of the file */
  hid_t driver, file;
  int64_t claimed;   /* bytes of the values of all datasets that were found */
  const char *wrong; /* why something was refused; NULL: HDF5 knows (cap_h5_reason) */
} cap_h5_input;

/* Open the file of a descriptor; false when HDF5 cannot. `in` must live until it is closed. */
bool cap_h5_read_open(cap_h5_input *in, int fd, int64_t size);
void cap_h5_read_close(cap_h5_input *in); /* accepts a zeroed one; leaves the descriptor open */

/* A member that is there by a hard link; -1 when there is none or it is something else. */
hid_t cap_h5_read_group(cap_h5_input *in, hid_t parent, const char *name);
hid_t cap_h5_read_dataset(cap_h5_input *in, hid_t parent, const char *name);
/* Whether a member of that name is there, of whatever kind. */
bool cap_h5_read_has(hid_t parent, const char *name);

/* Attributes that are missing or of another type give false and leave *value alone. */
bool cap_h5_read_attribute_text(hid_t object, const char *name, cap_arena *arena, const char **value);
bool cap_h5_read_attribute_integer(hid_t object, const char *name, int64_t *value);
bool cap_h5_read_attribute_real(hid_t object, const char *name, double *value);

/* The values of a dataset are counted into `claimed`, once for each call. */
bool cap_h5_read_claim(cap_h5_input *in, hid_t dataset);
bool cap_h5_read_text(cap_h5_input *in, hid_t dataset, cap_arena *arena, const char **value);
bool cap_h5_read_texts(cap_h5_input *in, hid_t parent, const char *name, cap_arena *arena, int *n,
                       const char ***values);
bool cap_h5_read_reals(cap_h5_input *in, hid_t parent, const char *name, cap_arena *arena, int *n,
                       double **values);
/* Whether its values are doubles or int64_t in the order of this or another machine. */
bool cap_h5_read_is_real(hid_t dataset);
bool cap_h5_read_is_integer(hid_t dataset);
/* Names of the links of a group in their order of creation. */
bool cap_h5_read_names(cap_h5_input *in, hid_t group, cap_arena *arena, int *n, const char ***names);
