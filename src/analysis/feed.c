/* analysis/feed.c — see feed.h. */
#include "analysis/feed.h"
#include "model/data.h"
#include "model/input.h"
#include "model/model.h"

#include <math.h>

/* The last of its times that is not after t; -1: all are. */
static int last_at(const cap_feed_track *track, double t)
{
  int low = -1, high = track->n;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (track->t[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

/* Rate from the value `from` at t, behind the time k. */
static double rate_of(const cap_feed_track *track, int k, double t, double from)
{
  if (track->held || k < 0 || k + 1 >= track->n) return 0.0;
  return (track->value[k + 1] - from) / (track->t[k + 1] - t);
}

double cap_feed_value(const cap_feed_track *track, double t)
{
  int k = last_at(track, t);
  if (k < 0) return track->value[0];
  if (track->held || k + 1 >= track->n || track->t[k] == t) return track->value[k];
  double rate = rate_of(track, k, track->t[k], track->value[k]);
  return track->value[k] + rate * (t - track->t[k]);
}

double cap_feed_next(const cap_feed *feed, double t)
{
  double next = INFINITY;
  for (int i = 0; i < feed->ntrack; i++) {
    const cap_feed_track *track = &feed->tracks[i];
    int k = last_at(track, t) + 1;
    if (k < track->n) next = fmin(next, track->t[k]);
  }
  return next;
}

static double present(const cap_model *m, const cap_data *d, const cap_feed_track *track)
{
  double t = *d->t;
  if (!m->inputs[track->slot].position) return cap_feed_value(track, t);
  return cap_input_at(d->input, track->slot, t);
}

void cap_feed_hold(const cap_feed *feed, const cap_model *m, cap_data *d)
{
  for (int i = 0; i < feed->ntrack; i++)
    cap_input_set(d->input, feed->tracks[i].slot, *d->t, present(m, d, &feed->tracks[i]), 0.0);
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
}

void cap_feed_at(const cap_feed *feed, cap_data *d, double t)
{
  for (int i = 0; i < feed->ntrack; i++)
    cap_input_set(d->input, feed->tracks[i].slot, t, cap_feed_value(&feed->tracks[i], t), 0.0);
}

void cap_feed_go(const cap_feed *feed, const cap_model *m, cap_data *d, bool begin)
{
  bool set = false;
  for (int i = 0; i < feed->ntrack; i++) {
    const cap_feed_track *track = &feed->tracks[i];
    int k = last_at(track, *d->t);
    if (!begin && (k < 0 || track->t[k] != *d->t)) continue;
    double value = present(m, d, track);
    cap_input_set(d->input, track->slot, *d->t, value, rate_of(track, k, *d->t, value));
    set = true;
  }
  if (set) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
}
