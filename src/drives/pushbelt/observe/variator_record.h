/* drives/pushbelt/observe/variator_record.h — what a run of a variator leaves behind for its post-processing.
 *
 * Some elements followed around the belt (variator_track.h), means over time (variator_means.h), and since
 * when a pulley has been slipping as a whole. Bounded in memory however long the run; all of it is part of
 * the checkpoints.
 */
#pragma once
#include "drives/pushbelt/observe/variator_means.h"
#include "drives/pushbelt/observe/variator_track.h"

enum { CAP_VARIATOR_RECORD_VIEWS = 3 };

typedef struct cap_variator_record {
  cap_variator_track track;
  cap_variator_means means;
  int stride;        /* rows between those that the track takes */
  double revolution; /* s, expected */
  double *slip;      /* rows so far; then of each pulley CAP_VARIATOR_SLIP_* */
} cap_variator_record;

/* Macro slip of a pulley: since when it lasts (NAN: it does not), the longest that lasted, and its begin. */
typedef struct cap_variator_macro {
  double begin, lasted; /* s; lasted 0: none */
  bool now;             /* at the end of the run */
} cap_variator_macro;

/* n simulated elements, rows `every` seconds; nlevel works are followed. */
cap_status cap_variator_record_create(cap_variator_record *r, int n, int average_elements, double every,
                                      double revolution, int nlevel, cap_error *error);
void cap_variator_record_free(cap_variator_record *r); /* accepts a zeroed one */

void cap_variator_record_start(cap_variator_record *r, double t, const double *levels);
/* True: call cap_variator_means_close(&r->means, t, levels) with the levels of this moment. */
bool cap_variator_record_take(cap_variator_record *r, const cap_variator_sample *s);

void cap_variator_record_views(const cap_variator_record *r, cap_view views[CAP_VARIATOR_RECORD_VIEWS]);

cap_variator_macro cap_variator_record_macro(const cap_variator_record *r, int pulley);
