/* io/results_block.c — see results_block.h. */
#include "io/results_block.h"
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  LAYOUT = 1,
  PIECE = 1 << 18 /* bytes read at once: they stay in the cache while the digest takes them */
};

static const unsigned char magic[8] = {0x93, 'C', 'A', 'P', 'S', 'T', 'A', 'N'};
static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

void cap_results_block_put(unsigned char bytes[8], uint64_t value)
{
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char bytes[8])
{
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

void cap_results_block_make(unsigned char block[CAP_RESULTS_BLOCK], uint64_t length, uint64_t nrange,
                            uint64_t table)
{
  static const char words[] =
      "\nA result of Capstan. From byte 512 on it is an HDF5 file, which h5py, h5dump and MATLAB open as it "
      "is.\n"
      "capstan verify FILE shows whether it is whole; docs/results.md says what is in it.\n";
  memset(block, 0, CAP_RESULTS_BLOCK);
  memcpy(block, magic, sizeof magic);
  cap_results_block_put(block + 8, (uint64_t)LAYOUT | (uint64_t)(nrange > 0) << 32);
  cap_results_block_put(block + 16, length);
  cap_results_block_put(block + 32, nrange);
  cap_results_block_put(block + 40, nrange ? table : 0);
  memcpy(block + 64, words, sizeof words - 1);
}

typedef struct reader {
  int fd;
  const char *path;
  uint64_t size;
  unsigned char *piece; /* [PIECE] */
  cap_digest digest;
  cap_error *error;
} reader;

static cap_status damaged(const reader *r, const char *what)
{
  return cap_status_fail(r->error, CAP_ERR_IO, "%s: damaged result file: %s", r->path, what);
}

static cap_status fetch(const reader *r, void *bytes, size_t size, uint64_t offset)
{
  char *next = bytes;
  while (size > 0) {
    ssize_t got = pread(r->fd, next, size, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return cap_status_fail(r->error, CAP_ERR_IO, "cannot read '%s': %s", r->path, strerror(errno));
    if (got == 0) return damaged(r, "it became shorter while it was read");
    next += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return CAP_OK;
}

static cap_status add(reader *r, uint64_t start, uint64_t end)
{
  while (start < end) {
    size_t n = end - start < PIECE ? (size_t)(end - start) : PIECE;
    CAP_TRY(fetch(r, r->piece, n, start));
    cap_digest_add(&r->digest, r->piece, n);
    start += n;
  }
  return CAP_OK;
}

/* The table, with ranges in order and apart; NULL and a status when it is not so. */
static cap_status read_table(const reader *r, uint64_t n, uint64_t at, cap_results_range **ranges)
{
  *ranges = NULL;
  if (n > (r->size - CAP_RESULTS_BLOCK) / 16 || at != r->size - 16 * n)
    return damaged(r, "the table of what its run writes is not at its end");
  unsigned char *bytes = malloc((size_t)n * 16 + 1);
  cap_results_range *list = malloc((size_t)n * sizeof *list + sizeof *list);
  cap_status status = bytes && list
                          ? fetch(r, bytes, (size_t)n * 16, at)
                          : cap_status_fail(r->error, CAP_ERR_NOMEM, "out of memory to read '%s'", r->path);
  uint64_t last = CAP_RESULTS_BLOCK;
  for (uint64_t i = 0; status == CAP_OK && i < n; i++) {
    list[i] = (cap_results_range){get(bytes + 16 * i), get(bytes + 16 * i + 8)};
    if (list[i].start < last || list[i].end < list[i].start || list[i].end > at)
      status = damaged(r, "the table of what its run writes has no order");
    last = list[i].end;
  }
  free(bytes);
  if (status == CAP_OK) *ranges = list;
  else free(list);
  return status;
}

static cap_status digest_file(reader *r, const unsigned char block[CAP_RESULTS_BLOCK])
{
  unsigned char head[CAP_RESULTS_BLOCK];
  uint64_t n = get(block + 32), from = CAP_RESULTS_BLOCK;
  cap_results_range *ranges;
  CAP_TRY(read_table(r, n, n ? get(block + 40) : r->size, &ranges));
  memcpy(head, block, sizeof head);
  memset(head + CAP_RESULTS_BLOCK_DIGEST, 0, 8);
  cap_digest_init(&r->digest);
  cap_digest_add(&r->digest, head, sizeof head);
  cap_status status = CAP_OK;
  for (uint64_t i = 0; status == CAP_OK && i < n; i++) {
    status = add(r, from, ranges[i].start);
    from = ranges[i].end;
  }
  free(ranges);
  CAP_TRY(status);
  return add(r, from, r->size);
}

static cap_status check_block(reader *r, const unsigned char block[CAP_RESULTS_BLOCK])
{
  uint64_t kind = get(block + 8), length = get(block + 16);
  if (kind != LAYOUT && kind != ((uint64_t)LAYOUT | (uint64_t)1 << 32))
    return damaged(r, "the layout of its first block is not known to this program");
  if (r->size < length)
    return cap_status_fail(r->error, CAP_ERR_IO,
                           "%s: damaged result file: truncated, %llu of %llu bytes are there", r->path,
                           (unsigned long long)r->size, (unsigned long long)length);
  if (r->size > length) return damaged(r, "it is longer than it was written");
  if ((kind != LAYOUT) != (get(block + 32) > 0)) return damaged(r, "its first block contradicts itself");
  r->piece = malloc(PIECE);
  if (!r->piece) return cap_status_fail(r->error, CAP_ERR_NOMEM, "out of memory to read '%s'", r->path);
  cap_status status = digest_file(r, block);
  free(r->piece);
  CAP_TRY(status);
  return cap_digest_value(&r->digest) == get(block + CAP_RESULTS_BLOCK_DIGEST)
             ? CAP_OK
             : damaged(r, "its bytes are not those that were written (the digest differs)");
}

cap_status cap_results_block_check(int fd, const char *path, bool *old, cap_error *error)
{
  unsigned char first[CAP_RESULTS_BLOCK + sizeof signature] = {0};
  struct stat info;
  reader r = {.fd = fd, .path = path, .error = error};
  *old = false;
  if (fstat(fd, &info) != 0)
    return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode)) return cap_status_fail(error, CAP_ERR_IO, "%s: is a directory", path);
  if (!S_ISREG(info.st_mode)) return cap_status_fail(error, CAP_ERR_IO, "%s: not a regular file", path);
  r.size = (uint64_t)info.st_size;
  size_t there = r.size < sizeof first ? (size_t)r.size : sizeof first;
  CAP_TRY(fetch(&r, first, there, 0));
  if (memcmp(first, magic, sizeof magic) == 0) {
    if (there == sizeof first) return check_block(&r, first);
    return cap_status_fail(error, CAP_ERR_IO, "%s: damaged result file: truncated, %llu bytes are there",
                           path, (unsigned long long)r.size);
  }
  *old = memcmp(first, signature, sizeof signature) == 0;
  if (*old) return CAP_OK;
  if (memcmp(first + CAP_RESULTS_BLOCK, signature, sizeof signature) == 0)
    return damaged(&r, "its first bytes are not those of a result");
  return cap_status_fail(error, CAP_ERR_IO, "%s: not an HDF5 file", path);
}

static bool begins_with(int fd, const unsigned char bytes[8])
{
  unsigned char first[8];
  return pread(fd, first, sizeof first, 0) == (ssize_t)sizeof first &&
         memcmp(first, bytes, sizeof first) == 0;
}

bool cap_results_block_known(int fd)
{
  return begins_with(fd, magic);
}

bool cap_results_block_missing(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool missing = fd >= 0 && begins_with(fd, signature);
  if (fd >= 0) close(fd);
  return missing;
}
