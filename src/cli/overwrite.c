/* cli/overwrite.c — see overwrite.h. */
#include "cli/overwrite.h"
#include "base/platform.h"
#include "io/results_read.h"
#include "report/replace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A regular file with something in it; what else is there, the writer judges. */
static bool is_file(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
}

/* Another process is writing it: the writer says who. */
static bool is_locked(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  bool locked = fd >= 0 && cap_platform_locked(fd);
  if (fd >= 0) close(fd);
  return locked;
}

/* "OUT.h5.part" of a run that was killed, to be freed; NULL when there is none that could be resumed. */
static char *killed_run(const char *path)
{
  char *part = NULL;
  cap_results_file *file = NULL;
  cap_error error;
  if (asprintf(&part, "%s.part", path) < 0) return NULL;
  bool there = is_file(part) && !is_locked(part) && cap_results_read_open(part, &file, &error) == CAP_OK;
  cap_results_read_close(file);
  if (there) return part;
  free(part);
  return NULL;
}

static cap_status refuse_unfinished(const char *path, cap_error *error)
{
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "%s holds an interrupted run: --resume continues it, --force starts over, -o selects "
      "another file",
      path);
}

cap_status cap_overwrite_result(const char *path, bool force, cap_error *error)
{
  cap_results_file *file = NULL;
  cap_error unread;
  char *part = force ? NULL : killed_run(path);
  cap_status status = part ? refuse_unfinished(part, error) : CAP_OK;
  free(part);
  if (status != CAP_OK || !is_file(path)) return status;
  if (cap_results_read_open(path, &file, &unread) != CAP_OK)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "%s is not a result of capstan and is not overwritten; remove it, or select another "
        "file with -o",
        path);
  const cap_results_tree *tree = cap_results_read_tree(file);
  if (!force && !tree->complete) status = refuse_unfinished(path, error);
  if (!force && tree->complete)
    status = cap_status_fail(error, CAP_ERR_INPUT,
                             "%s already holds a result (%s): --force overwrites it, -o selects another file",
                             path, tree->meta.name);
  cap_results_read_close(file);
  return status;
}

cap_status cap_overwrite_same(const char *path, const char *drive, cap_error *error)
{
  cap_results_file *file = NULL;
  cap_error unread;
  bool same = is_file(path) && cap_results_read_open(path, &file, &unread) == CAP_OK &&
              strcmp(cap_results_read_tree(file)->meta.drive, drive) == 0;
  cap_results_read_close(file);
  if (same || !is_file(path)) return CAP_OK;
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "%s is not a result of capstan %s and is not overwritten; remove it, or select another "
      "file with -o",
      path, drive);
}

cap_status cap_overwrite_page(const char *path, cap_error *error)
{
  return cap_replace_page(path, error);
}

cap_status cap_overwrite_picture(const char *path, cap_error *error)
{
  return cap_replace_marked(path, "<svg", "an SVG picture", error);
}

cap_status cap_overwrite_text(const char *path, bool force, cap_error *error)
{
  if (force || !is_file(path)) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "%s already exists: --force overwrites it, -o selects another file", path);
}
