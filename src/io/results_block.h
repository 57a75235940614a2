/* io/results_block.h — the first 512 bytes of a result file, HDF5's user block: what shows that the file is
 * whole.
 *
 *    0  8 bytes    93 43 41 50 53 54 41 4e ("\x93CAPSTAN")
 *    8  uint32     layout of this block, 1
 *   12  uint32     kind: 0 the file is not changed any more, 1 a run writes into the ranges of its table
 *   16  uint64     length of the file in bytes
 *   24  uint64     digest: XXH64, seed 0, of all bytes of the file but those in the ranges of the table,
 *                  with these eight taken as zero
 *   32  uint64     ranges in the table, 0 of kind 0
 *   40  uint64     where the table is (the end of the file of HDF5); two uint64 for each range: its first
 *                  byte and the first one after it
 *   64  text       a sentence for those who look at the file with other tools
 *
 * Numbers are little-endian; other bytes are zero. HDF5 itself begins at 512. The results of before have no
 * such block: they begin with HDF5's signature. A block that is damaged leaves that signature at 512, by
 * which it is known.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

enum { CAP_RESULTS_BLOCK = 512, CAP_RESULTS_BLOCK_DIGEST = 24 /* place of the digest */ };

/* Bytes [start, end) that change while the file is being written. */
typedef struct cap_results_range {
  uint64_t start, end;
} cap_results_range;

/* The block without its digest. The table of `nrange` begins at `table` and ends the file. */
void cap_results_block_make(unsigned char block[CAP_RESULTS_BLOCK], uint64_t length, uint64_t nrange,
                            uint64_t table);
void cap_results_block_put(unsigned char bytes[8], uint64_t value);

/* What a file is by its bytes, before HDF5 sees them. CAP_ERR_IO with the reason when it is none that could
 * be read, or is not whole. `*old`: a result of before, or a foreign HDF5 file, of which nothing can be
 * said. */
cap_status cap_results_block_check(int fd, const char *path, bool *old, cap_error *error);
/* Whether the file begins as a result does, whole or not. */
bool cap_results_block_known(int fd);
/* Whether it is a result of before, or another HDF5 file: nothing shows whether such a file is whole. */
bool cap_results_block_missing(const char *path);
