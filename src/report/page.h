/* report/page.h — an HTML file being written: the template with JSON data in its place.
 *
 * Arrays of numbers go into deflated blocks (block.h) that follow the JSON text, each in base64 in an element
 * of its own. Written to a temporary name in the same folder and renamed by cap_page_finish. Errors of
 * writing are remembered and told there, so that the calls in between need no check.
 */
#pragma once
#include "base/status.h"
#include "report/block.h"

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
/* Numbers into the page's blocks, and a string that says where they are (web/src/block.ts). */
void cap_page_values(cap_page *page, int64_t n, const double *values, cap_block_form form);
/* Blocks of values begun so far: the page must know how many it should find. */
int cap_page_blocks(const cap_page *page);
/* Bytes that the page has by now, with its blocks and the template. */
int64_t cap_page_size(const cap_page *page);
/* JSON text that exists already. */
void cap_page_json(cap_page *page, const char *json);
