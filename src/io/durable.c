/* io/durable.c — see durable.h. */
#include "io/durable.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 3 }; /* files for which all of the file system is synced at once */

struct cap_durable {
  cap_durable_done *done;
  void *self;
  int most;
  cap_durable_file *queue; /* [most] those waiting; texts are owned */
  cap_durable_file *batch; /* [most] those at hand, the thread's */
  int nqueue, nbatch;
  bool ending;
  cap_error first; /* failure; status CAP_OK: none */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t came, went; /* there is something to do; there is room, or all is done */
};

void cap_durable_sync_folder(const char *path)
{
  char *copy = strdup(path);
  int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(copy);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

static void release(cap_durable_file *f)
{
  if (f->fd >= 0) close(f->fd);
  if (f->hold >= 0) close(f->hold);
  free((char *)f->fresh);
  free((char *)f->target);
  free((char *)f->old);
}

/* Of a file that failed: what holds nothing is no use to anyone. */
static void drop_empty(const char *path)
{
  struct stat info;
  if (path && stat(path, &info) == 0 && info.st_size == 0) unlink(path);
}

/* The name of a file whose contents are on the disk, or brought there. 0, or why not. */
static int finish(const cap_durable_file *f, bool synced)
{
  if ((!synced && fsync(f->fd) != 0) || rename(f->fresh, f->target) != 0) {
    int reason = errno ? errno : EIO;
    unlink(f->fresh);
    drop_empty(f->old);
    return reason;
  }
  return 0;
}

static bool same_folder(const char *a, const char *b)
{
  const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
  size_t na = end_a ? (size_t)(end_a - a) : 0, nb = end_b ? (size_t)(end_b - b) : 0;
  return (end_a == NULL) == (end_b == NULL) && na == nb && strncmp(a, b, na) == 0;
}

static void tell(cap_durable *d, const cap_durable_file *f, int failure)
{
  char text[1024] = "";
  if (failure) {
    snprintf(text, sizeof text, "cannot write '%s': %s", f->target, strerror(failure));
    pthread_mutex_lock(&d->lock);
    if (d->first.status == CAP_OK) cap_status_fail(&d->first, CAP_ERR_IO, "%s", text);
    pthread_mutex_unlock(&d->lock);
  }
  if (d->done) d->done(d->self, f->tag, f->target, failure ? CAP_ERR_IO : CAP_OK, text);
}

/* Each fsync waits for the disk, which a sync of the whole file system does once for many files. Where that
 * fails, each file tells for itself. (Linux tells failures of the disk this way from 5.8 on; a full disk is
 * told by the writes themselves.) */
static bool sync_all(const cap_durable *d)
{
  struct stat first, other;
  if (d->nbatch < MANY || fstat(d->batch[0].fd, &first) != 0) return false;
  for (int k = 1; k < d->nbatch; k++)
    if (fstat(d->batch[k].fd, &other) != 0 || other.st_dev != first.st_dev) return false;
  return cap_platform_sync_all(d->batch[0].fd);
}

/* The folder is synced once. */
static void work_off(cap_durable *d)
{
  int *failure = calloc((size_t)d->nbatch, sizeof *failure);
  bool synced = sync_all(d);
  for (int k = 0; k < d->nbatch; k++) {
    int failed = finish(&d->batch[k], synced);
    if (failure) failure[k] = failed;
    else if (!failed) cap_durable_sync_folder(d->batch[k].target); /* without memory, one by one */
    if (!failed && d->batch[k].old) unlink(d->batch[k].old);
    if (!failure) tell(d, &d->batch[k], failed);
  }
  for (int k = 0; failure && k < d->nbatch; k++)
    if (k == d->nbatch - 1 || !same_folder(d->batch[k].target, d->batch[k + 1].target))
      cap_durable_sync_folder(d->batch[k].target);
  for (int k = 0; failure && k < d->nbatch; k++) tell(d, &d->batch[k], failure[k]);
  free(failure);
  for (int k = 0; k < d->nbatch; k++) release(&d->batch[k]);
}

static void *run(void *self)
{
  cap_durable *d = self;
  pthread_mutex_lock(&d->lock);
  for (;;) {
    while (d->nqueue == 0 && !d->ending) pthread_cond_wait(&d->came, &d->lock);
    if (d->nqueue == 0) break;
    cap_durable_file *taken = d->queue;
    d->queue = d->batch;
    d->batch = taken;
    d->nbatch = d->nqueue;
    d->nqueue = 0;
    pthread_cond_broadcast(&d->went); /* there is room again */
    pthread_mutex_unlock(&d->lock);
    work_off(d);
    pthread_mutex_lock(&d->lock);
    d->nbatch = 0;
    pthread_cond_broadcast(&d->went);
  }
  pthread_mutex_unlock(&d->lock);
  return NULL;
}

cap_status cap_durable_create(int most, cap_durable_done *done, void *self, cap_durable **durable,
                              cap_error *error)
{
  *durable = NULL;
  cap_durable *d = calloc(1, sizeof *d);
  if (d) {
    d->queue = calloc((size_t)most, sizeof *d->queue);
    d->batch = calloc((size_t)most, sizeof *d->batch);
    d->most = most;
    d->done = done;
    d->self = self;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->came, NULL);
    pthread_cond_init(&d->went, NULL);
  }
  bool made = d && d->queue && d->batch;
  if (!made || pthread_create(&d->thread, NULL, run, d) != 0) {
    if (d) {
      free(d->queue);
      free(d->batch);
    }
    free(d);
    return cap_status_fail(error, CAP_ERR_NOMEM, "%s",
                           made ? "no thread can be made to write files" : "out of memory to write files");
  }
  *durable = d;
  return CAP_OK;
}

/* With the lock held. */
static cap_status first_failure(const cap_durable *d, cap_error *error)
{
  return d->first.status == CAP_OK ? CAP_OK : cap_status_fail(error, d->first.status, "%s", d->first.text);
}

cap_status cap_durable_put(cap_durable *d, const cap_durable_file *file, cap_error *error)
{
  cap_durable_file own = *file;
  own.fresh = strdup(file->fresh);
  own.target = strdup(file->target);
  own.old = file->old ? strdup(file->old) : NULL;
  pthread_mutex_lock(&d->lock);
  while (d->nqueue == d->most && d->first.status == CAP_OK) pthread_cond_wait(&d->went, &d->lock);
  cap_status status = first_failure(d, error);
  if (status == CAP_OK && (!own.fresh || !own.target || (file->old && !own.old)))
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to write '%s'", file->target);
  if (status == CAP_OK) {
    d->queue[d->nqueue++] = own;
    pthread_cond_signal(&d->came);
  }
  pthread_mutex_unlock(&d->lock);
  if (status == CAP_OK) return CAP_OK;
  unlink(file->fresh);
  drop_empty(file->old);
  release(&own);
  return status;
}

cap_status cap_durable_wait(cap_durable *d, cap_error *error)
{
  pthread_mutex_lock(&d->lock);
  while (d->nqueue || d->nbatch) pthread_cond_wait(&d->went, &d->lock);
  cap_status status = first_failure(d, error);
  pthread_mutex_unlock(&d->lock);
  return status;
}

void cap_durable_free(cap_durable *d)
{
  if (!d) return;
  pthread_mutex_lock(&d->lock);
  d->ending = true;
  pthread_cond_signal(&d->came);
  pthread_mutex_unlock(&d->lock);
  pthread_join(d->thread, NULL);
  pthread_mutex_destroy(&d->lock);
  pthread_cond_destroy(&d->came);
  pthread_cond_destroy(&d->went);
  free(d->queue);
  free(d->batch);
  free(d);
}
