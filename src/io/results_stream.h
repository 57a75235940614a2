/* io/results_stream.h — a new result file, written from its first byte to its last, with its digest.
 *
 * Bytes are put into a buffer, where the digest takes them while they are in the cache, and go to the file
 * in large pieces. Those of open ranges, which a run changes later on, are left out of the digest and named
 * in the table (results_block.h).
 */
#pragma once
#include "base/digest.h"
#include "base/status.h"
#include "io/results_block.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct cap_results_stream {
  int fd;
  const char *path; /* for messages */
  cap_error *error;
  unsigned char *buffer;
  size_t room, used;
  uint64_t position; /* of the next byte */
  bool open;         /* the bytes that come are in an open range */
  cap_digest digest;
  int nrange, range_room;
  cap_results_range *ranges;
} cap_results_stream;

/* `length`: of the file without its table, `nrange`: open ranges to come. The first block of the file is
 * put. */
cap_status cap_results_stream_begin(cap_results_stream *stream, int fd, const char *path, uint64_t length,
                                    int nrange, cap_error *error);
cap_status cap_results_stream_put(cap_results_stream *stream, const void *bytes, size_t size);
/* Room for at most `size` bytes to be filled by the caller, who then says how many they are; NULL and a
 * status in error when the disk is full. */
void *cap_results_stream_room(cap_results_stream *stream, size_t size, size_t *given);
void cap_results_stream_filled(cap_results_stream *stream, size_t size);
/* What comes is an open range, or is one no more. */
void cap_results_stream_open(cap_results_stream *stream);
void cap_results_stream_shut(cap_results_stream *stream);
/* The table, the digest; everything is in the file when it returns. */
cap_status cap_results_stream_end(cap_results_stream *stream);
void cap_results_stream_free(cap_results_stream *stream);

/* All bytes to a place of a file. */
cap_status cap_results_stream_write(int fd, const void *bytes, size_t size, int64_t offset, const char *path,
                                    cap_error *error);
