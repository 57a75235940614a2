/* report/block.c — see block.h. */
#include "report/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
  FULL_BLOCK = 1 << 20, /* bytes before deflating: several blocks can be inflated at a time */
  SHORT_ARRAY = 64,     /* values; too few to tell which stride is best */
};

static void sort_bytes_single(int64_t n, int64_t stride, const double *values, double base,
                              unsigned char *out)
{
  for (int64_t i = 0; i < n; i++) {
    float value = (float)(values[i] - base);
    float before = stride && i >= stride ? (float)(values[i - stride] - base) : 0.0f;
    uint32_t word, last;
    memcpy(&word, &value, sizeof word);
    memcpy(&last, &before, sizeof last);
    word -= last;
    for (int k = 0; k < 4; k++) out[k * n + i] = (unsigned char)(word >> (8 * k));
  }
}

static void sort_bytes_double(int64_t n, int64_t stride, const double *values, unsigned char *out)
{
  for (int64_t i = 0; i < n; i++) {
    double before = stride && i >= stride ? values[i - stride] : 0.0;
    uint64_t word, last;
    memcpy(&word, &values[i], sizeof word);
    memcpy(&last, &before, sizeof last);
    word -= last;
    for (int k = 0; k < 8; k++) out[k * n + i] = (unsigned char)(word >> (8 * k));
  }
}

static void sort_bytes(int64_t n, int64_t stride, const double *values, const cap_block_form *form,
                       unsigned char *out)
{
  if (form->single) sort_bytes_single(n, stride, values, form->base, out);
  else sort_bytes_double(n, stride, values, out);
}

/* Bits that the bytes of each place would take if they were coded one by one. */
static double estimate_bits(int64_t n, int nplace, const unsigned char *bytes)
{
  double bits = 0;
  for (int k = 0; k < nplace; k++) {
    int64_t count[256] = {0};
    for (int64_t i = 0; i < n; i++) count[bytes[k * n + i]]++;
    for (int b = 0; b < 256; b++)
      if (count[b]) bits -= (double)count[b] * log2((double)count[b] / (double)n);
  }
  return bits;
}

/* Leave the array with the best of the strides in `out`. */
static int64_t choose_stride(int64_t n, const double *values, const cap_block_form *form, unsigned char *out)
{
  const int64_t row = form->row, strides[] = {0, 1, row};
  int nplace = form->single ? 4 : 8, ntried = n < SHORT_ARRAY ? 1 : row > 1 && row < n ? 3 : 2;
  int best = 0, last = 0;
  double fewest = INFINITY;
  for (int i = 0; i < ntried; i++) {
    sort_bytes(n, strides[i], values, form, out);
    last = i;
    double bits = ntried > 1 ? estimate_bits(n, nplace, out) : 0;
    if (bits >= fewest) continue;
    fewest = bits;
    best = i;
  }
  if (last != best) sort_bytes(n, strides[best], values, form, out);
  return strides[best];
}

static bool deflate_open(cap_block_list *list)
{
  if (list->nopen == 0) return true;
  cap_block *blocks = realloc(list->blocks, ((size_t)list->nblock + 1) * sizeof *blocks);
  if (!blocks) return false;
  list->blocks = blocks;
  uLongf size = compressBound(list->nopen);
  unsigned char *bytes = malloc(size);
  if (!bytes || compress2(bytes, &size, list->open, list->nopen, Z_DEFAULT_COMPRESSION) != Z_OK) {
    free(bytes);
    return false;
  }
  unsigned char *fitted = realloc(bytes, size);
  blocks[list->nblock++] = (cap_block){fitted ? fitted : bytes, size};
  list->nopen = 0;
  return true;
}

static bool make_room(cap_block_list *list, size_t size)
{
  if (list->nopen > 0 && list->nopen + size > FULL_BLOCK && !deflate_open(list)) return false;
  if (list->nopen + size <= list->room) return true;
  size_t room = list->nopen + size > FULL_BLOCK ? list->nopen + size : FULL_BLOCK;
  unsigned char *open = realloc(list->open, room);
  if (!open) return false;
  list->open = open;
  list->room = room;
  return true;
}

bool cap_block_add(cap_block_list *list, int64_t n, const double *values, const cap_block_form *form,
                   cap_block_place *place)
{
  size_t size = (size_t)n * (form->single ? 4 : 8);
  if (!make_room(list, size)) return false;
  *place = (cap_block_place){list->nblock, list->nopen, 0};
  if (n > 0) place->stride = choose_stride(n, values, form, list->open + list->nopen);
  list->nopen += size;
  return true;
}

bool cap_block_finish(cap_block_list *list)
{
  return deflate_open(list);
}

void cap_block_free(cap_block_list *list)
{
  for (int i = 0; i < list->nblock; i++) free(list->blocks[i].bytes);
  free(list->blocks);
  free(list->open);
  *list = (cap_block_list){0};
}
