/* base/outfile.h — a text or data file that appears under its name only when it is whole.
 *
 * It is written beside its final place under a name of its own and renamed by the commit; a failure on the
 * way (a full disk, say) is remembered and told by the commit, and nothing is left behind. A file that is
 * replaced hands on its permissions; where the name is a link, what it leads to is replaced. Devices and
 * fifos are written in place, since a file under their name would be no device.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>
#include <stdio.h>

typedef struct cap_outfile {
  FILE *stream;           /* write here; NULL when it could not be opened */
  char *path, *temporary; /* temporary: "" = in place */
  bool hasty;             /* set after the open: do not wait for the disk, as it can be made again */
} cap_outfile;

/* Start writing `path`. After a failure the other two may still be called. */
cap_status cap_outfile_open(cap_outfile *out, const char *path, cap_error *error);
/* Make it appear, and end. */
cap_status cap_outfile_commit(cap_outfile *out, cap_error *error);
/* Forget it; also after a commit, when it does nothing. */
void cap_outfile_abandon(cap_outfile *out);
/* Make a folder unless it exists (its parent must). */
cap_status cap_outfile_folder(const char *path, cap_error *error);
