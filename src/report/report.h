/* report/report.h — results as one self-contained HTML page.
 *
 * The page itself (markup, style, program) is the template that web/ bundles and the build embeds; this file
 * puts data into it. A page loads nothing from anywhere, opens from a mail attachment, and is written under a
 * temporary name first, so that no half page is ever found under the final one. Absolute paths in texts are
 * cut down to their last part: nothing of the machine that made a page is in it. Pages stay below
 * CAP_BUDGET_PAGE bytes; what had to be left out for that is told on them.
 */
#pragma once
#include "base/status.h"
#include <stddef.h>

/* The page of the result file `h5`. CAP_ERR_INPUT when it is not a result that this version can read,
 * CAP_ERR_IO when the page cannot be written, CAP_ERR_UNSUPPORTED when the build has no page. */
cap_status cap_report_write(const char *h5, const char *html, cap_error *error);

/* One page that compares several results, of one drive or of several;
 * the same file may be among them twice. */
cap_status cap_report_compare(int nresult, const char *const *h5, const char *html, cap_error *error);

/* Length of a result's name without its endings: of "out/run.h5" and "out/run.h5.part" that of "out/run". */
size_t cap_report_stem(const char *path);

/* The page of atlas entries: `json` is one object as printed by `capstan atlas run ID --json`, or an array of
 * them (id, title, source, claims[], series[], wall_s). Claims with and without "holds", and plots of the
 * series. */
cap_status cap_report_series_page(const char *html, const char *json, cap_error *error);
