/* report/settings.h — every key of a model with its value and where that came from, for a page.
 *
 * The model's text and the settings of a result are read again, as the program reads model files: the tables
 * of the drive tell units and defaults, the tree of the text tells lines. Nothing is refused: keys that this
 * version does not know are listed as they stand, and a drive that it does not know has no defaults.
 */
#pragma once
#include "io/results_tree.h"
#include "report/page.h"

/* `"settings_table":[...],` as described in web/src/data.ts. False, and nothing is put, when the text is no
 * model file that can be read. */
bool cap_settings_put(cap_page *page, const cap_results_meta *meta);
