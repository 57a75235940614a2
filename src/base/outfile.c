/* base/outfile.c — see outfile.h. */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cap_status failed(const char *path, int failure, cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path, strerror(failure));
}

/* What `path` leads to, to be freed: links are followed, names that are free stay as they are. */
static char *followed(const char *path)
{
  struct stat info;
  char *real = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? realpath(path, NULL) : NULL;
  return real ? real : strdup(path);
}

static bool is_in_place(const struct stat *info)
{
  return S_ISCHR(info->st_mode) || S_ISBLK(info->st_mode) || S_ISFIFO(info->st_mode);
}

/* A name that somebody left or planted is removed, not followed. */
static int create(const char *temporary, const struct stat *replaced)
{
  mode_t mode = replaced ? replaced->st_mode & 0777 : 0666;
  unlink(temporary);
  int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd >= 0 && replaced)
    fchmod(fd, mode); /* whatever the umask takes; where it fails, no more is allowed */
  return fd;
}

static int open_file(cap_outfile *out, const char *path)
{
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return -1;
  }
  if (!exists || !is_in_place(&info)) return create(out->temporary, exists ? &info : NULL);
  out->temporary[0] = '\0';
  return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

cap_status cap_outfile_open(cap_outfile *out, const char *path, cap_error *error)
{
  *out = (cap_outfile){0};
  out->path = followed(path);
  if (!out->path || asprintf(&out->temporary, "%s.%ld.new", out->path, (long)getpid()) < 0) {
    out->temporary = NULL;
    cap_outfile_abandon(out);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", path);
  }
  int fd = open_file(out, path);
  out->stream = fd < 0 ? NULL : fdopen(fd, "wb");
  if (out->stream) return CAP_OK;
  int failure = errno;
  if (fd >= 0) close(fd);
  else out->temporary[0] = '\0';
  cap_outfile_abandon(out);
  return failed(path, failure, error);
}

cap_status cap_outfile_commit(cap_outfile *out, cap_error *error)
{
  int failure = 0;
  if (!out->stream)
    return cap_status_fail(error, CAP_ERR_IO, "internal error: a file was closed that was not open");
  if (ferror(out->stream)) failure = EIO;
  if (fflush(out->stream) != 0) failure = errno;
  bool in_place = !out->temporary[0];
  if (!failure && !in_place && !out->hasty && fsync(fileno(out->stream)) != 0 && errno != EINVAL)
    failure = errno;
  if (fclose(out->stream) != 0 && !failure) failure = errno;
  out->stream = NULL;
  if (!failure && !in_place && rename(out->temporary, out->path) != 0) failure = errno;
  cap_status status = failure ? failed(out->path, failure, error) : CAP_OK;
  if (!failure) out->temporary[0] = '\0'; /* gone: nothing to remove */
  cap_outfile_abandon(out);
  return status;
}

void cap_outfile_abandon(cap_outfile *out)
{
  if (out->stream) fclose(out->stream);
  if (out->temporary && out->temporary[0]) unlink(out->temporary);
  free(out->path);
  free(out->temporary);
  *out = (cap_outfile){0};
}

cap_status cap_outfile_folder(const char *path, cap_error *error)
{
  struct stat info;
  if (mkdir(path, 0777) == 0) return CAP_OK;
  int failure = errno;
  if (failure == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_IO, "cannot make the folder '%s': %s", path, strerror(failure));
}
