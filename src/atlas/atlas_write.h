/* atlas/atlas_write.h — outcomes as JSON (the shape of docs/atlas.md), and as a folder of pages. */
#pragma once
#include "atlas/atlas.h"
#include <stdio.h>

/* One object without a line end. */
void cap_atlas_write_json(FILE *out, const cap_atlas_outcome *outcome);

/* DIR/<id>.json and, where the build has the report's page, DIR/<id>.html. */
cap_status cap_atlas_write_entry(const char *folder, const cap_atlas_outcome *outcome, cap_error *error);

/* One line of the index. */
typedef struct cap_atlas_write_line {
  const char *id, *title, *source;
  int nclaim, nheld, nchanged, ntrouble;
} cap_atlas_write_line;

/* DIR/index.html with links to the pages (or to the JSON files, when the build has no page). */
cap_status cap_atlas_write_index(const char *folder, int nline, const cap_atlas_write_line *lines,
                                 cap_error *error);
