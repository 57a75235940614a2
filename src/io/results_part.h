/* io/results_part.h — OUT.h5.part, the file of a run that is not finished: its lock, its life, its end.
 *
 * Brings the file up to date with a tree (results_tree.h): in place where only rows and a checkpoint are new,
 * by a new file renamed over it where the structure changed. Loads what an earlier run left behind.
 */
#pragma once
#include "io/durable.h"
#include "io/results_tree.h"
#include <sys/types.h>

typedef struct cap_results_part {
  cap_results_tree *tree;
  cap_error *error;
  char *path, *part, *fresh; /* OUT.h5, OUT.h5.part, OUT.h5.part.new */
  mode_t mode;      /* permissions of a file that is replaced or continued; 0 = as the umask has it */
  int fd;           /* of the part, locked; -1 after the finish */
  int source;       /* where the tree's offsets point: fd, or an incomplete OUT.h5 that is resumed */
  bool restructure; /* the file's structure is behind the tree's */
  bool uncommitted; /* the open group's checkpoint is newer than the one in the file */
  bool elsewhere;   /* what is resumed was computed on another kind of machine */
  bool unnamed;     /* there is no file: everything stays in memory until the finish, and then in `held` */
  int held;         /* descriptor of the finished file without a name; -1 = none */
  bool brief;       /* begin with an empty file, see results.h */
  cap_durable *durable; /* takes the finished file; or NULL */
  int64_t tag;
  double written; /* s, when the file was last brought up to date */
} cap_results_part;

/* Lock and begin the part file of `path` (NULL: of no file); with `resume`, load the tree from it or from an
 * incomplete `path`. The caller has set tree and error, and closes also after a failure. */
cap_status cap_results_part_open(cap_results_part *part, const char *path, const cap_results_meta *meta,
                                 bool resume);
/* Bring the file up to date; `group` is the open one or NULL. */
cap_status cap_results_part_update(cap_results_part *part, cap_results_group *group);
/* Write the tree to a new file and rename it to `target`. */
cap_status cap_results_part_replace(cap_results_part *part, const char *target, bool reserve);
/* s since the file was last brought up to date. */
double cap_results_part_age(const cap_results_part *part);
/* The final form, complete or not, and where it went. */
cap_status cap_results_part_finish(cap_results_part *part, bool complete, const char **where);
/* The bytes of the file `from` as the finished file `path`, with the same lock and by the same rename. */
cap_status cap_results_part_save(int from, const char *path, cap_error *error);
void cap_results_part_close(cap_results_part *part); /* accepts a zeroed one with fd and source -1 */
