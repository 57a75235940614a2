/* drives/pushbelt/observe/variator_curves.c — see variator_curves.h. */
#include "drives/pushbelt/observe/variator_curves.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_POINTS = 8, POINTS_MOST = 1 << 24 };

typedef struct work {
  const cap_variator_track *track;
  cap_variator_pass *passes; /* [nelement][sections] */
} work;

static const cap_variator_pass *pass_of(const work *w, int element, int section)
{
  return &w->passes[element * CAP_VARIATOR_SECTIONS + section];
}

static bool passed(const work *w, int element, int section)
{
  const cap_variator_pass *p = pass_of(w, element, section);
  return p->to > p->from;
}

/* Virtual spans, and how the points are shared out among the sections. */
static void plan(cap_variator_curves *c, const work *w, int npoint)
{
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
    for (int j = 0; j < w->track->nelement; j++) {
      if (!passed(w, j, s)) continue;
      const cap_variator_pass *p = pass_of(w, j, s);
      c->elements[s]++;
      c->span[s] += cap_variator_track_time(w->track, p->to) - cap_variator_track_time(w->track, p->from);
    }
    if (c->elements[s]) c->span[s] /= c->elements[s];
    c->revolution += c->span[s];
  }
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
    int points = c->elements[s] ? capm_whole_between(round(npoint * c->span[s] / c->revolution), LEAST_POINTS,
                                                     POINTS_MOST)
                                : 0;
    c->first[s + 1] = c->first[s] + points;
  }
  c->npoint = c->first[CAP_VARIATOR_SECTIONS];
}

static bool reserve(cap_variator_curves *c)
{
  size_t n = (size_t)c->npoint, lists = 2 + 2 * CAP_VARIATOR_QUANTITIES + CAP_VARIATOR_CURVE_SINGLES;
  double *next = c->block = calloc(n * lists + 1, sizeof(double));
  if (!c->block) return false;
  c->time = next, next += n;
  c->position = next, next += n;
  for (int k = 0; k < CAP_VARIATOR_QUANTITIES; k++) c->value[k] = next, next += n;
  for (int k = 0; k < CAP_VARIATOR_QUANTITIES; k++) c->spread[k] = next, next += n;
  for (int k = 0; k < CAP_VARIATOR_CURVE_SINGLES; k++) c->single[k] = next, next += n;
  return true;
}

/* A row between two of a pass, from the share of the pass that has gone by. */
typedef struct between {
  int row;
  double rest;
} between;

static between place_in(const cap_variator_track *t, const cap_variator_pass *p, double share)
{
  double from = cap_variator_track_time(t, p->from), to = cap_variator_track_time(t, p->to);
  double at = from + share * (to - from);
  int low = p->from, high = p->to;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (cap_variator_track_time(t, middle) <= at) low = middle;
    else high = middle;
  }
  /* values of the row `to` belong to the next section, where some of them jump */
  if (high == p->to && low > p->from) low--, high--;
  double a = cap_variator_track_time(t, low), b = cap_variator_track_time(t, high);
  return (between){low, fmin(1.0, (at - a) / (b - a))};
}

static double value_at(const cap_variator_track *t, int element, between b, int quantity)
{
  double low = cap_variator_track_value(t, b.row, element, quantity);
  double high = cap_variator_track_value(t, b.row + 1, element, quantity);
  return low + b.rest * (high - low);
}

static void average_point(cap_variator_curves *c, const work *w, int section, int point, double share)
{
  double n = c->elements[section];
  for (int j = 0; j < w->track->nelement; j++) {
    if (!passed(w, j, section)) continue;
    between b = place_in(w->track, pass_of(w, j, section), share);
    for (int k = 0; k < CAP_VARIATOR_QUANTITIES; k++) {
      double v = value_at(w->track, j, b, k);
      c->value[k][point] += v / n;
      c->spread[k][point] += v * v;
    }
  }
  for (int k = 0; k < CAP_VARIATOR_QUANTITIES; k++) {
    double mean = c->value[k][point], square = c->spread[k][point];
    c->spread[k][point] = n > 1 ? sqrt(fmax(0.0, square - n * mean * mean) / (n - 1)) : 0.0;
  }
}

static void average_section(cap_variator_curves *c, const work *w, int section, double *time,
                            double *position)
{
  int first = c->first[section], points = c->first[section + 1] - first;
  double apart = points ? c->span[section] / points : 0.0;
  for (int i = 0; i < points; i++) {
    average_point(c, w, section, first + i, (i + 0.5) / points);
    double half = 0.5 * apart * c->value[CAP_VARIATOR_SPEED][first + i];
    c->time[first + i] = *time + 0.5 * apart;
    c->position[first + i] = *position + half;
    *time += apart;
    *position += 2.0 * half;
  }
}

/* ---- single elements ----------------------------------------------------------------------------------- */

/* The push force of one element at the points; NAN in sections that it has not passed. */
static void follow(cap_variator_curves *c, const work *w, int element, double *out)
{
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
    int first = c->first[s], points = c->first[s + 1] - first;
    for (int i = 0; i < points; i++)
      out[first + i] = passed(w, element, s)
                           ? value_at(w->track, element,
                                      place_in(w->track, pass_of(w, element, s), (i + 0.5) / points),
                                      CAP_VARIATOR_PUSH)
                           : NAN;
  }
}

/* Standard deviation over mean in the middle 80 % of a section. */
static double variation(const cap_variator_curves *c, int section, const double *values)
{
  int n = c->first[section + 1] - c->first[section], cut = n / 10, used = n - 2 * cut;
  const double *v = values + c->first[section] + cut;
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < used; i++) mean += v[i] / used;
  for (int i = 0; i < used; i++) squares += (v[i] - mean) * (v[i] - mean) / used;
  return sqrt(squares) / fabs(mean);
}

static double mean_of(const cap_variator_curves *c, int section, int quantity)
{
  double total = 0.0;
  int n = c->first[section + 1] - c->first[section];
  for (int i = c->first[section]; i < c->first[section + 1]; i++) total += c->value[quantity][i];
  return n ? total / n : 0.0;
}

static void judge_strand(cap_variator_curves *c, const work *w, double *scratch)
{
  double us = mean_of(c, CAP_VARIATOR_IN_US, CAP_VARIATOR_PUSH);
  double ls = mean_of(c, CAP_VARIATOR_IN_LS, CAP_VARIATOR_PUSH);
  int strand = c->push_strand = us >= ls ? CAP_VARIATOR_IN_US : CAP_VARIATOR_IN_LS, used = 0;
  c->push_variation = c->single_variation = NAN;
  if (!c->elements[strand]) return;
  c->push_variation = variation(c, strand, c->value[CAP_VARIATOR_PUSH]);
  c->single_variation = 0.0;
  for (int j = 0; j < w->track->nelement; j++) {
    if (!passed(w, j, strand)) continue;
    follow(c, w, j, scratch);
    c->single_variation += variation(c, strand, scratch);
    used++;
  }
  c->single_variation /= used;
}

static cap_status make(cap_variator_curves *c, const work *w, double from, int npoint, cap_error *error)
{
  double time = 0.0, position = 0.0;
  for (int j = 0; j < w->track->nelement; j++)
    cap_variator_track_passes(w->track, j, from, &w->passes[j * CAP_VARIATOR_SECTIONS]);
  plan(c, w, npoint);
  double *scratch = calloc((size_t)c->npoint + 1, sizeof *scratch);
  if (!scratch || !reserve(c)) {
    free(scratch);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) average_section(c, w, s, &time, &position);
  for (int k = 0; k < CAP_VARIATOR_CURVE_SINGLES; k++)
    follow(c, w, k < w->track->nelement ? k : 0, c->single[k]);
  judge_strand(c, w, scratch);
  free(scratch);
  return CAP_OK;
}

cap_status cap_variator_curves_make(cap_variator_curves *c, const cap_variator_track *t, double from,
                                    int npoint, cap_error *error)
{
  *c = (cap_variator_curves){0};
  work w = {t, calloc((size_t)t->nelement * CAP_VARIATOR_SECTIONS, sizeof *w.passes)};
  if (!w.passes) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = make(c, &w, from, npoint, error);
  free(w.passes);
  return status;
}

void cap_variator_curves_free(cap_variator_curves *c)
{
  free(c->block);
  *c = (cap_variator_curves){0};
}

bool cap_variator_curves_complete(const cap_variator_curves *c)
{
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++)
    if (!c->elements[s]) return false;
  return true;
}

static double integral(const cap_variator_curves *c, int section, int quantity, bool magnitude)
{
  int first = c->first[section], points = c->first[section + 1] - first;
  double total = 0.0;
  for (int i = 0; i < points; i++) {
    double v = c->value[quantity][first + i];
    total += magnitude ? fabs(v) : v;
  }
  return points ? total * c->span[section] / points : 0.0;
}

double cap_variator_curves_total(const cap_variator_curves *c, int section, int quantity, double nreal)
{
  return nreal * integral(c, section, quantity, false) / c->revolution;
}

double cap_variator_curves_magnitude(const cap_variator_curves *c, int section, int quantity, double nreal)
{
  return nreal * integral(c, section, quantity, true) / c->revolution;
}
