/* report/replace.h — what is at the place of a page or a picture, and whether it may go: what can be made
 * again, and no other file. */
#pragma once
#include "base/status.h"

/* Refuse a file that does not have `mark` in its beginning; `what` it would be: "an SVG picture". */
cap_status cap_replace_marked(const char *path, const char *mark, const char *what, cap_error *error);
/* Refuse a file that is no page of the program. */
cap_status cap_replace_page(const char *path, cap_error *error);
