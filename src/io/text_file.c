/* io/text_file.c — see text_file.h. */
#include "io/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 5000 /* ms without a byte */ };

static cap_status refuse(cap_diag *diag, const char *what)
{
  cap_diag_add(diag, 0, 0, NULL, "%s", what);
  return CAP_ERR_INPUT;
}

/* Fifos and files of /proc may have nothing to read, for ever. */
static bool comes_something(int fd)
{
  struct pollfd wanted = {.fd = fd, .events = POLLIN};
  int n;
  do n = poll(&wanted, 1, PATIENCE);
  while (n < 0 && errno == EINTR);
  return n != 0;
}

/* Until the buffer is full or the file ends. */
static cap_status fill(int fd, char *buffer, size_t room, size_t *used, cap_diag *diag)
{
  while (*used < room) {
    if (!comes_something(fd))
      return refuse(diag, "expected a file, got one from which nothing comes: nobody writes to it");
    ssize_t n = read(fd, buffer + *used, room - *used);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return refuse(diag, "cannot be read to its end");
    if (n == 0) return CAP_OK;
    *used += (size_t)n;
  }
  return CAP_OK;
}

/* `room` is a guess of the size; it grows by doubling, because the size of a pipe is not known beforehand. */
static cap_status read_stream(int fd, size_t room, size_t most, cap_arena *arena, cap_diag *diag, char **text,
                              size_t *size)
{
  size_t used = 0;
  char *buffer = cap_arena_alloc(arena, room + 1);
  while (buffer) {
    CAP_TRY(fill(fd, buffer, room, &used, diag));
    if (used > most) {
      cap_diag_add(diag, 0, 0, NULL, "the file is too large; expected at most %zu MB", most / (1024 * 1024));
      return CAP_ERR_INPUT;
    }
    if (used < room) {
      buffer[used] = 0;
      *text = buffer;
      *size = used;
      return CAP_OK;
    }
    char *larger = cap_arena_alloc(arena, 2 * room + 1);
    if (larger) memcpy(larger, buffer, used);
    buffer = larger;
    room *= 2;
  }
  cap_diag_add(diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

cap_status cap_text_file_read(const char *path, size_t most, cap_arena *arena, cap_diag *diag, char **text,
                              size_t *size)
{
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    cap_diag_add(diag, 0, 0, NULL, "cannot be opened: %s", strerror(errno));
    return CAP_ERR_INPUT;
  }
  struct stat info;
  bool known = fstat(fd, &info) == 0;
  cap_status status;
  if (known && S_ISDIR(info.st_mode)) status = refuse(diag, "expected a file, got a folder");
  else if (known && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)))
    status = refuse(diag, "expected a file, got a device");
  else {
    size_t guess = known && S_ISREG(info.st_mode) && info.st_size >= 0 ? (size_t)info.st_size + 1 : 16 * 1024;
    status = read_stream(fd, guess <= most ? guess : most + 1, most, arena, diag, text, size);
  }
  close(fd);
  return status;
}

size_t cap_text_file_character(const unsigned char *at, size_t left)
{
  if (at[0] < 0x80) return 1;
  size_t n = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4 || n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if (at[0] == 0xe0 && at[1] < 0xa0) return 0; /* overlong */
  if (at[0] == 0xed && at[1] > 0x9f) return 0; /* surrogate */
  if (at[0] == 0xf0 && at[1] < 0x90) return 0;
  if (at[0] == 0xf4 && at[1] > 0x8f) return 0;
  return n;
}

cap_status cap_text_file_check(const char *text, size_t size, cap_diag *diag)
{
  const unsigned char *at = (const unsigned char *)text, *end = at + size;
  if (size >= 2 && ((at[0] == 0xff && at[1] == 0xfe) || (at[0] == 0xfe && at[1] == 0xff)))
    return refuse(diag, "expected UTF-8, got UTF-16; save the file as UTF-8");
  int line = 1, column = 1;
  while (at < end) {
    size_t n = cap_text_file_character(at, (size_t)(end - at));
    if (*at == 0) {
      cap_diag_add(diag, line, column, NULL, "expected a text file, got a zero byte");
      return CAP_ERR_INPUT;
    }
    if (n == 0) {
      cap_diag_add(diag, line, column, NULL, "expected UTF-8, got the byte 0x%02x; save the file as UTF-8",
                   *at);
      return CAP_ERR_INPUT;
    }
    if ((*at < 0x20 && *at != '\t' && *at != '\n' && *at != '\r') || *at == 0x7f) {
      cap_diag_add(diag, line, column, NULL, "expected text, got the control character 0x%02x; remove it",
                   *at);
      return CAP_ERR_INPUT;
    }
    column++;
    if (*at == '\n' || (*at == '\r' && (at + 1 == end || at[1] != '\n'))) line++, column = 1;
    at += n;
  }
  return CAP_OK;
}

void cap_text_file_clean(char *text)
{
  const unsigned char *from = (const unsigned char *)text;
  size_t left = strlen(text);
  char *to = text;
  while (left) {
    size_t n = cap_text_file_character(from, left);
    if (n == 0) {
      from++, left--;
      continue;
    }
    for (size_t i = 0; i < n; i++) to[i] = (char)from[i];
    if (*from < 0x20 || *from == 0x7f) *to = ' ';
    to += n, from += n, left -= n;
  }
  *to = 0;
}
