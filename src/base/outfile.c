/* base/outfile.c — see outfile.h. */
#include "base/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cap_status failed(const char *path, int failure, cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", path, strerror(failure));
}

cap_status cap_outfile_open(cap_outfile *out, const char *path, cap_error *error)
{
  *out = (cap_outfile){0};
  size_t size = strlen(path) + 24;
  out->path = strdup(path);
  out->temporary = malloc(size);
  if (!out->path || !out->temporary) {
    cap_outfile_abandon(out);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", path);
  }
  snprintf(out->temporary, size, "%s.%ld.new", path, (long)getpid());
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
    cap_outfile_abandon(out);
    return failed(path, EISDIR, error);
  }
  out->stream = fopen(out->temporary, "wbe");
  if (out->stream) return CAP_OK;
  int failure = errno;
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
  if (!failure && fsync(fileno(out->stream)) != 0 && errno != EINVAL) failure = errno;
  if (fclose(out->stream) != 0 && !failure) failure = errno;
  out->stream = NULL;
  if (!failure && rename(out->temporary, out->path) != 0) failure = errno;
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
