/* drives/pushbelt/observe/variator_record.c — see variator_record.h. */
#include "drives/pushbelt/observe/variator_record.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SLOTS = 4000, BATCHES = CAP_VARIATOR_MEANS_MOST, BATCHES_A_REVOLUTION = 40 };
enum { ROWS, HEAD };                       /* of `slip` */
enum { SINCE, BEGIN, LASTED, NOW, NSLIP }; /* of each pulley */

static const double KEPT = 1.75;       /* revolutions */
static const double SLIP_SHARE = 0.02; /* of the belt's speed */

cap_status cap_variator_record_create(cap_variator_record *r, int n, int average_elements, double every,
                                      double revolution, int nlevel, cap_error *error)
{
  double rows = ceil(KEPT * revolution / every) + 2.0;
  *r = (cap_variator_record){.stride = (int)fmax(1.0, ceil(rows / MOST_SLOTS)), .revolution = revolution};
  int slots = (int)fmax(4.0, ceil(rows / r->stride));
  double length = fmax(revolution / BATCHES_A_REVOLUTION, every);
  CAP_TRY(cap_variator_track_create(&r->track, n, average_elements, slots, error));
  CAP_TRY(cap_variator_means_create(&r->means, CAP_VARIATOR_SCALARS, nlevel, BATCHES, length, error));
  r->slip = calloc(HEAD + CAP_VARIATOR_PULLEYS * NSLIP, sizeof(double));
  return r->slip ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

void cap_variator_record_free(cap_variator_record *r)
{
  cap_variator_track_free(&r->track);
  cap_variator_means_free(&r->means);
  free(r->slip);
  *r = (cap_variator_record){0};
}

void cap_variator_record_start(cap_variator_record *r, double t, const double *levels)
{
  cap_variator_means_start(&r->means, t, levels);
}

static void watch_slip(cap_variator_record *r, const cap_variator_sample *s, int pulley)
{
  double *slip = r->slip + HEAD + pulley * NSLIP;
  bool slips = cap_variator_sample_slips(s, pulley, SLIP_SHARE);
  if (slips && slip[NOW] == 0.0) slip[SINCE] = s->t;
  slip[NOW] = slips;
  if (!slips || !(s->t - slip[SINCE] > slip[LASTED])) return;
  slip[LASTED] = s->t - slip[SINCE];
  slip[BEGIN] = slip[SINCE];
}

bool cap_variator_record_take(cap_variator_record *r, const cap_variator_sample *s)
{
  double scalars[CAP_VARIATOR_SCALARS];
  int64_t row = (int64_t)r->slip[ROWS];
  if (row % r->stride == 0) cap_variator_track_take(&r->track, s);
  r->slip[ROWS] += 1.0;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) watch_slip(r, s, p);
  cap_variator_sample_reduce(s, scalars);
  return cap_variator_means_take(&r->means, s->t, scalars);
}

void cap_variator_record_views(const cap_variator_record *r, cap_view views[CAP_VARIATOR_RECORD_VIEWS])
{
  views[0] = (cap_view){"variator_track", "SI",          "elements followed around the belt", false,
                        r->track.count,   r->track.state};
  views[1] = (cap_view){"variator_means", "SI", "sums over time", false, r->means.count, r->means.state};
  views[2] = (cap_view){"variator_slip", "s", "macro slip", false, HEAD + CAP_VARIATOR_PULLEYS * NSLIP,
                        r->slip};
}

cap_variator_macro cap_variator_record_macro(const cap_variator_record *r, int pulley)
{
  const double *slip = r->slip + HEAD + pulley * NSLIP;
  return (cap_variator_macro){.begin = slip[BEGIN], .lasted = slip[LASTED], .now = slip[NOW] != 0.0};
}
