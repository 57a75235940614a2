/* report/page.h — an HTML file being written: the template with JSON data in its place.
 *
 * Written to a temporary name in the same folder and renamed by cap_page_finish. Errors of writing are
 * remembered and told there, so that the calls in between need no check.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct cap_page cap_page;

/* Start the page `html`; CAP_ERR_UNSUPPORTED when the build has no template. */
cap_status cap_page_start(const char *html, cap_page **page, cap_error *error);
/* The rest of the template, then the final name. Frees the page, also on failure. */
cap_status cap_page_finish(cap_page *page, cap_error *error);
void cap_page_discard(cap_page *page); /* nothing is left behind; accepts NULL */

/* Parts of the JSON text, as they are. */
__attribute__((format(printf, 2, 3))) void cap_page_put(cap_page *page, const char *format, ...);
/* A string in quotes; absolute paths in it lose their folders. NULL = "". */
void cap_page_string(cap_page *page, const char *text);
/* The same without words that contain a path, for compiler flags. */
void cap_page_flags(cap_page *page, const char *flags);
/* A number; null when it is not finite. */
void cap_page_number(cap_page *page, double value);
/* Values as a string of base64, 32 or 64 bits each, little-endian (web/src/data.ts). */
void cap_page_values(cap_page *page, int64_t n, const double *values, bool single);
/* JSON text that exists already. */
void cap_page_json(cap_page *page, const char *json);
