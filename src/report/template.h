/* report/template.h — the page without its data, as web/ bundles it; the build makes its bytes.
 *
 * Size 0: the build had no Node.js, and there is no page.
 */
#pragma once
#include <stddef.h>

extern const unsigned char cap_template_html[];
extern const size_t cap_template_size;
