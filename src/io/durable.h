/* io/durable.h — finished files made durable behind one's back.
 *
 * A file that must not be lost is written under another name, synced to the disk, and renamed. The disk takes
 * some milliseconds for that, in which a core would stand idle. A cap_durable has a thread that does it:
 * files are put into a queue and get their names in the order in which they were put, many with one wait for
 * the disk. Only then is a file there, and `done` called. When the queue is full, putting waits.
 *
 * To be made in the process that uses it, after any fork.
 */
#pragma once
#include "base/status.h"
#include <stdint.h>

typedef struct cap_durable cap_durable;

/* One file: complete under the name `fresh`, to be named `target`. */
typedef struct cap_durable_file {
  const char *fresh, *target;
  const char *old; /* removed after that (while `hold` is open); may be NULL */
  int fd;          /* of `fresh`; closed at the end */
  int hold;        /* closed after all else: a lock; or -1 */
  int64_t tag;     /* for `done` */
} cap_durable_file;

/* What has become of a file: CAP_OK, or CAP_ERR_IO with the reason. Called from the thread. */
typedef void cap_durable_done(void *self, int64_t tag, const char *target, cap_status status,
                              const char *reason);

/* `most`: files in the queue. `done` may be NULL. */
cap_status cap_durable_create(int most, cap_durable_done *done, void *self, cap_durable **durable,
                              cap_error *error);
/* Takes both descriptors, also when it fails; texts are copied. Fails at once when an earlier file did. */
cap_status cap_durable_put(cap_durable *durable, const cap_durable_file *file, cap_error *error);
/* Until all files that were put have their names; the first failure so far, if any. */
cap_status cap_durable_wait(cap_durable *durable, cap_error *error);
/* Waits as well. Accepts NULL. */
void cap_durable_free(cap_durable *durable);
/* Make the names in the folder of `path` durable, as far as the file system can. */
void cap_durable_sync_folder(const char *path);
