/* report/rows.h — the table of a group in a page, thinned where it is long.
 *
 * Columns are read piece by piece and at most twice, so that a table of any length takes little memory:
 *   - short tables are kept as they are, at 64 bits when they are small;
 *   - of long ones those rows are kept in which some channel has its smallest or largest value of a slot of
 *     rows;
 *   - when that would be too many, each channel keeps the extremes of its own slots, and the last rows are
 *     added in full, for curves of one channel over another;
 *   - of the cases of a study, which are no course of anything, as many as there is room for are kept, evenly
 *     spread.
 */
#pragma once
#include "report/writer.h"

/* `"table":{...},` */
cap_status cap_rows_put(cap_writer *writer, const cap_results_group *group);
