/* io/feed_file.h — CSV files that feed the inputs of a model while it runs (capstan run --input).
 *
 *   time [s], crank_speed [rpm], pump_torque [N m]
 *   0, 800, 2
 *   0.5, 3000, 12
 *
 * A column "time" and one for each input, by its name, in any unit of its dimension (io/csv.h). Several files
 * may share the inputs among them; together they have all, each once. A file whose values are linear between
 * its rows covers the whole run; one whose values are held until the next row begins no later than the run.
 */
#pragma once
#include "io/model_file.h"
#include "model/model.h"

typedef struct cap_feed_source {
  const char *path; /* as given */
  bool held;        /* until the next row; else linear */
} cap_feed_source;

enum { CAP_FEED_SOURCES = 64 }; /* at most */

/* Read them for the built model of the file and hand them to it (cap_model_file.feed, fed_by). Findings go to
 * `diag`, with file, line and column: CAP_ERR_INPUT. Without sources nothing is done. */
cap_status cap_feed_file_read(cap_model_file *file, const cap_model *model, int nsource,
                              const cap_feed_source *sources, cap_diag *diag);
