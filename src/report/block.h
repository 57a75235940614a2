/* report/block.h — arrays of numbers as deflated blocks, for a page that inflates them when it is opened.
 *
 * Neighbours of a channel are alike: their words are subtracted as integers at a distance (`stride` values, 0
 * where that gains nothing), then the bytes are sorted by their place in the word, so that the bytes of signs
 * and exponents lie together. Arrays are gathered to blocks of about a megabyte, each a stream of zlib; an
 * array lies in one block. All of it can be undone exactly (web/src/block.ts).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cap_block {
  unsigned char *bytes; /* deflated */
  size_t size;
} cap_block;

typedef struct cap_block_list {
  int nblock;
  cap_block *blocks;   /* finished */
  unsigned char *open; /* the block being filled, not yet deflated */
  size_t nopen, room;
} cap_block_list;

/* How the values of an array are stored. */
typedef struct cap_block_form {
  bool single; /* 32 bits each, else 64 */
  double base; /* taken off before values are cut to 32 bits */
  int64_t row; /* length of a matrix' rows; 0 or 1: a vector */
} cap_block_form;

typedef struct cap_block_place {
  int block;
  size_t offset; /* bytes of the inflated block */
  int64_t stride;
} cap_block_place;

/* Append n values. Neighbours are sought next to each other and a row apart.
 * False when memory is exhausted. */
bool cap_block_add(cap_block_list *list, int64_t n, const double *values, const cap_block_form *form,
                   cap_block_place *place);
/* Deflate what is left over. */
bool cap_block_finish(cap_block_list *list);
void cap_block_free(cap_block_list *list);
