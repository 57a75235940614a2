/* analysis/feed.h — inputs over time from tables, for a run in which no one sets them.
 *
 * Maths: docs/theory.md §2.9. At each of its times a track sets its input anew: to the value there, going on
 * linearly to that of the next time, or held until then. Whoever moves the system lands on all these times
 * (cap_feed_next) and lets the inputs go on from there (cap_feed_go); what is set depends on the time alone,
 * so nothing is remembered between two calls beside the inputs themselves.
 */
#pragma once
#include <stdbool.h>

typedef struct cap_model cap_model;
typedef struct cap_data cap_data;

typedef struct cap_feed_track {
  int slot;                /* of the input (model/input.h) */
  bool held;               /* between its times; else linear */
  int n;                   /* 1 or more; constant before the first and after the last */
  const double *t, *value; /* [n] strictly increasing; SI */
} cap_feed_track;

typedef struct cap_feed {
  int ntrack;
  const cap_feed_track *tracks; /* [ntrack] each of another input */
} cap_feed;

/* Of the track at t; where a held one changes, its new value. */
double cap_feed_value(const cap_feed_track *track, double t);
/* The first time after t at which an input is set anew; INFINITY: there is none. */
double cap_feed_next(const cap_feed *feed, double t);
/* All inputs as they are at the time of the data, held: for what goes before a start. Velocities that the
 * inputs impose are those of the data afterwards. */
void cap_feed_hold(const cap_feed *feed, const cap_model *m, cap_data *d);
/* All inputs as they are at t, for whoever moves by a sequence of equilibria; the data are not at t yet. */
void cap_feed_at(const cap_feed *feed, cap_data *d, double t);
/* From the time of the data on. `begin`: all inputs, else those alone that have a time of theirs here. A
 * position goes on from where it is. */
void cap_feed_go(const cap_feed *feed, const cap_model *m, cap_data *d, bool begin);
