/* io/results_stream.c — see results_stream.h. */
#include "io/results_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 18 /* bytes of the buffer: half of a usual second-level cache */ };

cap_status cap_results_stream_write(int fd, const void *bytes, size_t size, int64_t offset, const char *path,
                                    cap_error *error)
{
  const char *next = bytes;
  while (size > 0) {
    ssize_t wrote = pwrite(fd, next, size, offset);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path,
                             wrote < 0 ? strerror(errno) : "nothing was written");
    next += wrote;
    offset += wrote;
    size -= (size_t)wrote;
  }
  return CAP_OK;
}

static cap_status flush(cap_results_stream *s)
{
  int64_t offset = (int64_t)(s->position - s->used);
  CAP_TRY(cap_results_stream_write(s->fd, s->buffer, s->used, offset, s->path, s->error));
  s->used = 0;
  return CAP_OK;
}

cap_status cap_results_stream_begin(cap_results_stream *s, int fd, const char *path, uint64_t length,
                                    int nrange, cap_error *error)
{
  unsigned char block[CAP_RESULTS_BLOCK];
  uint64_t whole = length + 16 * (uint64_t)nrange;
  *s = (cap_results_stream){.fd = fd, .path = path, .error = error, .range_room = nrange};
  s->room = whole < ROOM ? (size_t)whole : ROOM;
  s->buffer = malloc(s->room);
  s->ranges = malloc((size_t)nrange * sizeof *s->ranges + 1);
  if (!s->buffer || !s->ranges)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", path);
  cap_digest_init(&s->digest);
  cap_results_block_make(block, whole, (uint64_t)nrange, length);
  return cap_results_stream_put(s, block, sizeof block);
}

void *cap_results_stream_room(cap_results_stream *s, size_t size, size_t *given)
{
  if (s->used == s->room && flush(s) != CAP_OK) return NULL;
  *given = size < s->room - s->used ? size : s->room - s->used;
  return s->buffer + s->used;
}

void cap_results_stream_filled(cap_results_stream *s, size_t size)
{
  if (!s->open) cap_digest_add(&s->digest, s->buffer + s->used, size);
  s->used += size;
  s->position += size;
}

cap_status cap_results_stream_put(cap_results_stream *s, const void *bytes, size_t size)
{
  const char *next = bytes;
  while (size > 0) {
    size_t n;
    void *room = cap_results_stream_room(s, size, &n);
    if (!room) return CAP_ERR_IO;
    memcpy(room, next, n);
    cap_results_stream_filled(s, n);
    next += n;
    size -= n;
  }
  return CAP_OK;
}

void cap_results_stream_open(cap_results_stream *s)
{
  s->ranges[s->nrange].start = s->position;
  s->open = true;
}

void cap_results_stream_shut(cap_results_stream *s)
{
  s->ranges[s->nrange++].end = s->position;
  s->open = false;
}

cap_status cap_results_stream_end(cap_results_stream *s)
{
  unsigned char number[16];
  for (int i = 0; i < s->nrange; i++) {
    cap_results_block_put(number, s->ranges[i].start);
    cap_results_block_put(number + 8, s->ranges[i].end);
    CAP_TRY(cap_results_stream_put(s, number, sizeof number));
  }
  cap_results_block_put(number, cap_digest_value(&s->digest));
  if (s->position == s->used) { /* all of it is in the buffer */
    memcpy(s->buffer + CAP_RESULTS_BLOCK_DIGEST, number, 8);
    return flush(s);
  }
  CAP_TRY(flush(s));
  return cap_results_stream_write(s->fd, number, 8, CAP_RESULTS_BLOCK_DIGEST, s->path, s->error);
}

void cap_results_stream_free(cap_results_stream *s)
{
  free(s->buffer);
  free(s->ranges);
  *s = (cap_results_stream){.fd = -1};
}
