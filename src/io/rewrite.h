/* io/rewrite.h — the text of a YAML file with other words at the places of some, and nothing else changed:
 * comments, layout, quoting, anchors and ends of lines stay. */
#pragma once
#include "io/renames.h"

/* `text` (without a byte order mark) with the edits of r; in r->arena. NULL when memory ran out. */
const char *cap_rewrite_text(cap_renames *r, const char *text);
