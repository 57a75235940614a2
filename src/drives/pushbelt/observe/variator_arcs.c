/* drives/pushbelt/observe/variator_arcs.c — see variator_arcs.h. */
#include "drives/pushbelt/observe/variator_arcs.h"

#include <math.h>

static const double END_SHARE = 0.15; /* of an arc, in which the peaks of entry and exit are looked for */
static const double INNER_END = 0.05; /* of an arc, at either end, that its inner part leaves out */
static const double IDLE_SHARE = 0.1; /* of the push strand's force */
enum { SMOOTH = 20 };                 /* parts of an arc */

/* The points of one arc. */
typedef struct arc {
  const cap_variator_curves *curves;
  int first, n;
} arc;

static arc arc_of(const cap_variator_curves *c, int pulley)
{
  int section = pulley == CAP_VARIATOR_PRI ? CAP_VARIATOR_IN_PRI : CAP_VARIATOR_IN_SEC;
  return (arc){c, c->first[section], c->first[section + 1] - c->first[section]};
}

static double at(const arc *a, int quantity, int i)
{
  return a->curves->value[quantity][a->first + i];
}

/* Angle at the border between points i - 1 and i; the ends lie half a step outside of the first and last. */
static double border(const arc *a, int i)
{
  if (i == 0) return 1.5 * at(a, CAP_VARIATOR_ANGLE, 0) - 0.5 * at(a, CAP_VARIATOR_ANGLE, 1);
  if (i == a->n) return 1.5 * at(a, CAP_VARIATOR_ANGLE, a->n - 1) - 0.5 * at(a, CAP_VARIATOR_ANGLE, a->n - 2);
  return 0.5 * (at(a, CAP_VARIATOR_ANGLE, i - 1) + at(a, CAP_VARIATOR_ANGLE, i));
}

static double step(const arc *a, int i)
{
  return border(a, i + 1) - border(a, i);
}

static double mean_over_angle(const arc *a, int quantity)
{
  double total = 0.0;
  for (int i = 0; i < a->n; i++) total += at(a, quantity, i) * step(a, i);
  return total / (border(a, a->n) - border(a, 0));
}

/* Where the friction turns around for good: the extremum of its integral behind which that changes most. */
static double turnaround(const arc *a)
{
  double sum = 0.0, least = 0.0, most = 0.0, at_least = border(a, 0), at_most = at_least;
  for (int i = 0; i < a->n; i++) {
    sum += at(a, CAP_VARIATOR_FLANK_LONGITUDINAL, i) * step(a, i);
    if (sum < least) least = sum, at_least = border(a, i + 1);
    if (sum > most) most = sum, at_most = border(a, i + 1);
  }
  return sum - least >= most - sum ? at_least : at_most;
}

static double largest(const arc *a, int quantity, int from, int until)
{
  double most = -INFINITY;
  for (int i = from; i < until; i++) most = fmax(most, at(a, quantity, i));
  return most;
}

/* Up to where the push force stays low from the entry on. */
static double idle_by_push(const arc *a, double strand)
{
  int i = 0;
  while (i < a->n && at(a, CAP_VARIATOR_PUSH, i) < IDLE_SHARE * strand) i++;
  return border(a, i) - border(a, 0);
}

/* How far the push force falls behind what it has reached, means over a twentieth of the arc. */
static double largest_fall(const arc *a, double strand)
{
  int width = a->n / SMOOTH > 0 ? a->n / SMOOTH : 1;
  double sum = 0.0, most = -INFINITY, fall = 0.0;
  for (int i = 0; i < a->n; i++) {
    sum += at(a, CAP_VARIATOR_PUSH, i) - (i >= width ? at(a, CAP_VARIATOR_PUSH, i - width) : 0.0);
    if (i + 1 < width) continue;
    most = fmax(most, sum / width);
    fall = fmax(fall, most - sum / width);
  }
  return fall / strand;
}

static double spread(const arc *a, int quantity)
{
  int cut = a->n / 10, used = a->n - 2 * cut;
  double mean = 0.0, squares = 0.0;
  for (int i = cut; i < cut + used; i++) mean += at(a, quantity, i) / used;
  for (int i = cut; i < cut + used; i++) squares += pow(at(a, quantity, i) - mean, 2.0) / used;
  return sqrt(squares);
}

/* Peak to peak, with the given part at the ends of the arc left out. *place: angle of the smallest. */
static double spiral_of(const arc *a, int quantity, double left_out, double *place)
{
  double entry = border(a, 0), whole = border(a, a->n) - entry, least = INFINITY, most = -INFINITY;
  for (int i = 0; i < a->n; i++) {
    double r = at(a, quantity, i), share = (at(a, CAP_VARIATOR_ANGLE, i) - entry) / whole;
    if (share < left_out || share > 1.0 - left_out) continue;
    if (r < least) least = r, *place = at(a, CAP_VARIATOR_ANGLE, i);
    most = fmax(most, r);
  }
  return most - least;
}

static void take_spiral(cap_variator_figures *f, const arc *a, int pulley)
{
  double place = NAN, unused, *value = f->value + pulley;
  value[CAP_VARIATOR_FIGURE_SPIRAL_P] = spiral_of(a, CAP_VARIATOR_RADIUS, 0.0, &place);
  value[CAP_VARIATOR_FIGURE_SPIRAL_INNER_P] = spiral_of(a, CAP_VARIATOR_RADIUS, INNER_END, &unused);
  value[CAP_VARIATOR_FIGURE_SPIRAL_RING_P] = spiral_of(a, CAP_VARIATOR_RING_RADIUS, 0.0, &unused);
  value[CAP_VARIATOR_FIGURE_SPIRAL_RING_INNER_P] = spiral_of(a, CAP_VARIATOR_RING_RADIUS, INNER_END, &unused);
  f->value[CAP_VARIATOR_FIGURE_SPIRAL_AT_P + pulley] = (place - border(a, 0)) /
                                                       (border(a, a->n) - border(a, 0));
}

static void take_peaks(cap_variator_figures *f, const arc *a, int pulley)
{
  int end = (int)ceil(END_SHARE * a->n);
  double normal = mean_over_angle(a, CAP_VARIATOR_FLANK_NORMAL);
  double saddle = mean_over_angle(a, CAP_VARIATOR_SADDLE_NORMAL);
  f->value[CAP_VARIATOR_FIGURE_NORMAL_P + pulley] = normal;
  f->value[CAP_VARIATOR_FIGURE_ENTRY_PEAK_P + pulley] = largest(a, CAP_VARIATOR_FLANK_NORMAL, 0, end) /
                                                        normal;
  f->value[CAP_VARIATOR_FIGURE_EXIT_PEAK_P + pulley] = largest(a, CAP_VARIATOR_FLANK_NORMAL, a->n - end,
                                                               a->n) /
                                                       normal;
  f->value[CAP_VARIATOR_FIGURE_SADDLE_ENTRY_P + pulley] = largest(a, CAP_VARIATOR_SADDLE_NORMAL, 0, end) /
                                                          saddle;
  f->value[CAP_VARIATOR_FIGURE_SADDLE_EXIT_P + pulley] = largest(a, CAP_VARIATOR_SADDLE_NORMAL, a->n - end,
                                                                 a->n) /
                                                         saddle;
}

void cap_variator_arcs_take(cap_variator_figures *f, const cap_variator_curves *c, int pulley)
{
  arc a = arc_of(c, pulley);
  if (a.n < 2) return;
  double entry = border(&a, 0), leave = border(&a, a.n), turn = turnaround(&a);
  double strand = fmax(f->scalar[CAP_VARIATOR_PUSH_US].value, f->scalar[CAP_VARIATOR_PUSH_LS].value);
  f->value[CAP_VARIATOR_FIGURE_ARC_P + pulley] = leave - entry;
  f->value[CAP_VARIATOR_FIGURE_ENTRY_P + pulley] = entry;
  f->value[CAP_VARIATOR_FIGURE_IDLE_P + pulley] = turn - entry;
  f->value[CAP_VARIATOR_FIGURE_ACTIVE_P + pulley] = leave - turn;
  if (pulley == CAP_VARIATOR_PRI) {
    f->value[CAP_VARIATOR_FIGURE_IDLE_PUSH] = idle_by_push(&a, strand);
    f->value[CAP_VARIATOR_FIGURE_PUSH_FALL] = largest_fall(&a, strand);
  }
  f->value[CAP_VARIATOR_FIGURE_PITCH_SPREAD_P + pulley] = spread(&a, CAP_VARIATOR_PITCH);
  f->value[CAP_VARIATOR_FIGURE_PUSH_MOST_P + pulley] = largest(&a, CAP_VARIATOR_PUSH, 0, a.n);
  f->value[CAP_VARIATOR_FIGURE_HEAD_SHARE_P + pulley] = mean_over_angle(&a, CAP_VARIATOR_PUSH_HEAD) /
                                                        mean_over_angle(&a, CAP_VARIATOR_PUSH);
  take_spiral(f, &a, pulley);
  take_peaks(f, &a, pulley);
}

void cap_variator_arcs_spiral(const cap_variator_curves *c, int quantity, double *out)
{
  for (int i = 0; i < c->npoint; i++) out[i] = NAN;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    arc a = arc_of(c, p);
    if (a.n < 2) continue;
    double mean = mean_over_angle(&a, quantity);
    for (int i = 0; i < a.n; i++) out[a.first + i] = at(&a, quantity, i) - mean;
  }
}
