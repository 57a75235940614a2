/* io/h5_image.h — an HDF5 file that is made in memory.
 *
 * HDF5 writes a small file in dozens of small pieces, and does not recover when the disk is full while it
 * closes one. Here it writes into memory; what it has made is then an array of bytes, which goes to the disk
 * in one piece or some, with calls that say what went wrong. The bytes are those that HDF5's own driver for
 * files would have written.
 *
 * Space that HDF5 reserves and does not write takes address space only: the image of a file of gigabytes has
 * as many pages as its description needs.
 */
#pragma once
#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct cap_h5_image_piece {
  size_t start, end; /* bytes */
} cap_h5_image_piece;

typedef struct cap_h5_image {
  unsigned char *bytes; /* [size]; what was never written is zero */
  size_t size, room;
  int npiece, piece_room; /* what was written; pieces neither touch nor overlap, in the order of the file */
  cap_h5_image_piece *pieces;
  hid_t driver; /* ours; 0 = not yet registered. HDF5 still reads it after the file has let it go */
} cap_h5_image;

/* A new file in a zeroed image; negative on failure. The image is complete when the file is closed, and must
 * live until then. `access` and `create` are lists of properties as for H5Fcreate. */
hid_t cap_h5_image_create(cap_h5_image *image, hid_t create, hid_t access);
/* Once the file is closed: HDF5 is no longer needed for it. */
void cap_h5_image_release(cap_h5_image *image);
void cap_h5_image_free(cap_h5_image *image); /* also what was not released */
