/* io/h5_image.c — see h5_image.h: a driver of HDF5's virtual file layer. */
#include "io/h5_image.h"
#include "base/platform.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 20 };

typedef struct driver_file {
  H5FD_t public; /* first: HDF5 knows only this */
  cap_h5_image *image;
  haddr_t eoa;
} driver_file;

/* Pieces */

/* How many of them end before `start`. */
static int pieces_before(const cap_h5_image *image, size_t start)
{
  int low = 0, high = image->npiece;
  while (low < high) {
    int middle = (low + high) / 2;
    if (image->pieces[middle].end < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Note that [start, end) was written. */
static bool add_piece(cap_h5_image *image, size_t start, size_t end)
{
  int first = pieces_before(image, start), last = first;
  while (last < image->npiece && image->pieces[last].start <= end) {
    if (image->pieces[last].start < start) start = image->pieces[last].start;
    if (image->pieces[last].end > end) end = image->pieces[last].end;
    last++;
  }
  if (first == last && image->npiece == image->piece_room) {
    int room = image->piece_room ? 2 * image->piece_room : 64;
    cap_h5_image_piece *more = realloc(image->pieces, (size_t)room * sizeof *more);
    if (!more) return false;
    image->pieces = more;
    image->piece_room = room;
  }
  memmove(image->pieces + first + 1, image->pieces + last,
          (size_t)(image->npiece - last) * sizeof *image->pieces);
  image->npiece += first + 1 - last;
  image->pieces[first] = (cap_h5_image_piece){start, end};
  return true;
}

/* Forget what lies beyond `size`. */
static void cut(cap_h5_image *image, size_t size)
{
  while (image->npiece && image->pieces[image->npiece - 1].start >= size) image->npiece--;
  if (image->npiece && image->pieces[image->npiece - 1].end > size)
    image->pieces[image->npiece - 1].end = size;
  image->size = size;
}

static bool make_room(cap_h5_image *image, size_t size)
{
  if (size <= image->room) return true;
  size_t room = image->room ? image->room : FIRST_ROOM;
  while (room < size && room <= SIZE_MAX / 2) room *= 2;
  if (room < size) return false;
  void *bytes = image->bytes ? cap_platform_grow_pages(image->bytes, image->room, room)
                             : cap_platform_pages(room);
  if (!bytes) return false;
  image->bytes = bytes;
  image->room = room;
  return true;
}

/* The driver */

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t maxaddr)
{
  (void)name;
  (void)maxaddr;
  cap_h5_image *const *image = H5Pget_driver_info(access);
  if (!(flags & H5F_ACC_CREAT) || !image) return NULL; /* there is never one already */
  driver_file *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->image = *image;
  return &f->public;
}

static herr_t driver_close(H5FD_t *file)
{
  free(file);
  return 0;
}

static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
  uintptr_t x = (uintptr_t)((const driver_file *)a)->image, y = (uintptr_t)((const driver_file *)b)->image;
  return x < y ? -1 : x > y;
}

/* What HDF5's driver for files says, since the layout of the file depends on it. */
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
  return ((const driver_file *)file)->image->size;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                          void *buffer)
{
  (void)type;
  (void)transfer;
  const cap_h5_image *image = ((driver_file *)file)->image;
  size_t there = address < image->size ? image->size - (size_t)address : 0;
  if (there > size) there = size;
  if (there) memcpy(buffer, image->bytes + address, there);
  memset((char *)buffer + there, 0, size - there);
  return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *buffer)
{
  (void)type;
  (void)transfer;
  cap_h5_image *image = ((driver_file *)file)->image;
  if (size == 0) return 0;
  if (address > SIZE_MAX / 2 || size > SIZE_MAX / 2 || !make_room(image, (size_t)address + size)) return -1;
  if (!add_piece(image, (size_t)address, (size_t)address + size)) return -1;
  memcpy(image->bytes + address, buffer, size);
  if (image->size < address + size) image->size = (size_t)address + size;
  return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
  (void)transfer;
  (void)closing;
  driver_file *f = (driver_file *)file;
  if (!make_room(f->image, (size_t)f->eoa)) return -1;
  cut(f->image, (size_t)f->eoa);
  return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value = 512, /* of those for testing and for one's own */
#endif
    .name = "capstan_image",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_STRONG, /* nothing outlives the image */
    .fapl_size = sizeof(cap_h5_image *),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY};

hid_t cap_h5_image_create(cap_h5_image *image, hid_t create, hid_t access)
{
  hid_t own = H5FDregister(&driver);
  if (own < 0) return -1;
  image->driver = own;
  return H5Pset_driver(access, own, &image) < 0 ? -1 : H5Fcreate("image", H5F_ACC_TRUNC, create, access);
}

void cap_h5_image_release(cap_h5_image *image)
{
  if (image->driver > 0) H5FDunregister(image->driver);
  image->driver = 0;
}

void cap_h5_image_free(cap_h5_image *image)
{
  cap_h5_image_release(image);
  cap_platform_free_pages(image->bytes, image->room);
  free(image->pieces);
  *image = (cap_h5_image){0};
}
