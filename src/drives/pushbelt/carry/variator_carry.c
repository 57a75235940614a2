/* drives/pushbelt/carry/variator_carry.c — see variator_carry.h. What is written and read, and what fits, is
 * in variator_carry_store.c. */
#include "drives/pushbelt/carry/variator_carry.h"
#include "drives/pushbelt/carry/variator_carry_part.h"
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/description/tuned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRI = CAP_VARIATOR_PRI, SEC = CAP_VARIATOR_SEC, NCOLUMN = CAP_VARIATOR_CARRY_NCOLUMN };

/* ---- the line ------------------------------------------------------------------------------------------ */

/* Its parts in their order from the start of the lower strand. */
static const int order[CAP_VARIATOR_SECTIONS] = {CAP_VARIATOR_IN_LS, CAP_VARIATOR_IN_PRI, CAP_VARIATOR_IN_US,
                                                 CAP_VARIATOR_IN_SEC};

typedef struct line {
  double x[CAP_VARIATOR_SECTIONS];     /* m: of the pulley whose arc it is, or which it leaves; y is 0 */
  double r[CAP_VARIATOR_SECTIONS];     /* m: of that arc */
  double pitch[CAP_VARIATOR_SECTIONS]; /* rad, where the part begins */
  double size[CAP_VARIATOR_SECTIONS], begin[CAP_VARIATOR_SECTIONS], length; /* m */
} line;

static line line_of(double length, double distance, double theta)
{
  cap_variator_line of = cap_variator_geometry_line(length, distance, (1.0 + theta) / (1.0 - theta));
  const double lower = M_PI - of.rise, arc[] = {of.r[PRI] * of.wrap[PRI], of.r[SEC] * of.wrap[SEC]};
  line l = {.x = {distance, 0.0, 0.0, distance},
            .r = {of.r[SEC], of.r[PRI], of.r[PRI], of.r[SEC]},
            .pitch = {lower, lower, of.rise, of.rise},
            .size = {of.strand, arc[PRI], of.strand, arc[SEC]}};
  for (int k = 0; k < CAP_VARIATOR_SECTIONS; k++) {
    l.begin[k] = l.length;
    l.length += l.size[k];
  }
  return l;
}

static bool is_arc(int part)
{
  return part % 2 == 1;
}

static int part_at(const line *l, double place)
{
  int part = CAP_VARIATOR_SECTIONS - 1;
  while (part > 0 && place < l->begin[part]) part--;
  return part;
}

/* A point of the line and its pitch, which falls by 2 pi in each turn. */
static void line_at(const line *l, double place, double point[2], double *pitch)
{
  double turns = floor(place / l->length), within = place - turns * l->length;
  int part = part_at(l, within);
  double along = within - l->begin[part], a = l->pitch[part] - (is_arc(part) ? along / l->r[part] : 0.0);
  double ahead = is_arc(part) ? 0.0 : along;
  point[0] = l->x[part] - l->r[part] * sin(a) + ahead * cos(a);
  point[1] = l->r[part] * cos(a) + ahead * sin(a);
  *pitch = a - 2.0 * M_PI * turns;
}

/* Nearest place of one part. */
static double nearest_of(const line *l, int part, const double point[2])
{
  double a = l->pitch[part], dx = point[0] - l->x[part], along;
  if (is_arc(part)) {
    double wrap = l->size[part] / l->r[part];
    along = l->r[part] * (0.5 * wrap + remainder(a - atan2(-dx, point[1]) - 0.5 * wrap, 2.0 * M_PI));
  } else along = (dx + l->r[part] * sin(a)) * cos(a) + (point[1] - l->r[part] * cos(a)) * sin(a);
  return l->begin[part] + fmin(fmax(along, 0.0), l->size[part]);
}

/* The place of a point and its distance, positive outside. */
static double project(const line *l, const double point[2], double *off)
{
  double best = INFINITY, place = 0.0;
  for (int part = 0; part < CAP_VARIATOR_SECTIONS; part++) {
    double at = nearest_of(l, part, point), foot[2], pitch;
    line_at(l, at, foot, &pitch);
    double dx = point[0] - foot[0], dy = point[1] - foot[1], far = hypot(dx, dy);
    if (!(far < best)) continue;
    best = far;
    place = at;
    *off = -dx * sin(pitch) + dy * cos(pitch);
  }
  return place;
}

/* The same share of the same part of another line. */
static double carried(const line *from, const line *to, double place)
{
  double turns = floor(place / from->length), within = place - turns * from->length;
  int part = part_at(from, within);
  return turns * to->length + to->begin[part] +
         (within - from->begin[part]) * to->size[part] / from->size[part];
}

/* ---- functions of the place ---------------------------------------------------------------------------- */

typedef struct course {
  const cap_variator *v;
  const cap_variator_carry *belt;
  line line;
  int n;
  double *place, *joint; /* [n] of elements and of the joints in front of them */
  double *pitch;         /* [n] rad: falls from the first on */
  double ahead;          /* elements: where the pitch of the other belt's elements is read before their own */
} course;

static const double *column(const course *c, int which)
{
  return c->belt->elements + (size_t)which * (size_t)c->n;
}

/* What follows from the places. */
static void set_course(course *c)
{
  for (int k = 0; k < c->n; k++) {
    double foot[2], a;
    line_at(&c->line, c->place[k], foot, &a);
    c->pitch[k] = a + column(c, CAP_VARIATOR_CARRY_TILT)[k];
    double next = k + 1 < c->n ? c->place[k + 1] : c->place[0] + c->line.length;
    c->joint[k] = 0.5 * (c->place[k] + next);
  }
}

/* The last of `at` that is not beyond the place, and the share of the way to the next one. */
static int find(const course *c, const double *at, double place, double *share)
{
  double s = place - floor((place - at[0]) / c->line.length) * c->line.length;
  int low = 0, high = c->n;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    *(at[middle] <= s ? &low : &high) = middle;
  }
  double next = low + 1 < c->n ? at[low + 1] : at[0] + c->line.length;
  *share = next > at[low] ? fmin(fmax((s - at[low]) / (next - at[low]), 0.0), 1.0) : 0.0;
  return low;
}

static double read_at(const course *c, const double *at, const double *values, double place)
{
  double share;
  int k = find(c, at, place, &share), next = k + 1 < c->n ? k + 1 : 0;
  return values[k] + share * (values[next] - values[k]);
}

static double section_at(const course *c, double place)
{
  double share;
  int k = find(c, c->place, place, &share), next = k + 1 < c->n ? k + 1 : 0;
  return column(c, CAP_VARIATOR_CARRY_SECTION)[share < 0.5 ? k : next];
}

/* The pitch itself is read between elements, not that against the line, whose curvature jumps: elements keep
 * theirs until they are bent around a pulley, and heads would meet. What counts is the pitch of the faces
 * that meet in a joint, which stand a share of the way to the element in front, in both belts: on an arc the
 * push of pitched elements would need other room else. */
static double pitch_at(const course *c, double at)
{
  double share;
  int k = find(c, c->place, at, &share);
  double size = (k + 1 < c->n ? c->place[k + 1] : c->place[0] + c->line.length) - c->place[k];
  double place = at + c->ahead * size;
  double turns = floor((place - c->place[0]) / c->line.length);
  k = find(c, c->place, place, &share);
  double next = k + 1 < c->n ? c->pitch[k + 1] : c->pitch[0] - 2.0 * M_PI;
  return c->pitch[k] + share * (next - c->pitch[k]) - 2.0 * M_PI * turns;
}

static void pose_at(const void *self, double place, double pose[3])
{
  const course *c = self;
  double point[2], pitch, off = read_at(c, c->place, column(c, CAP_VARIATOR_CARRY_OFF), place);
  line_at(&c->line, place, point, &pitch);
  pose[2] = pitch_at(c, place);
  pose[0] = point[0] - off * sin(pitch) + c->v->element.edge * sin(pose[2]);
  pose[1] = point[1] + off * cos(pitch) - c->v->element.edge * cos(pose[2]);
}

/* ---- joints -------------------------------------------------------------------------------------------- */

typedef struct joint {
  const cap_variator *v;
  int i, j;
  cap_variator_carry_pose pose;
  const void *self;
  double behind[3];
} joint;

static double force_at(const joint *w, double place)
{
  double pose[3];
  w->pose(w->self, place, pose);
  return cap_push_chain_joint(w->v, w->i, w->j, w->behind, pose);
}

/* The logarithm makes the exponential part of the law nearly straight. */
double cap_variator_carry_next(const cap_variator *v, int i, int j, cap_variator_carry_pose pose,
                               const void *self, double from, double push)
{
  joint w = {.v = v, .i = i, .j = j, .pose = pose, .self = self};
  const double t = 0.5 *
                   (cap_variator_geometry_edge_thickness(v, i) + cap_variator_geometry_edge_thickness(v, j));
  const double soft = v->contact.edge.c / v->contact.edge.k * exp(-v->contact.edge.k * v->contact.edge.xi0);
  double low = from + 0.5 * t, high = from + 1.5 * t, want = log(push + soft);
  pose(self, from, w.behind);
  /* a bracket that is as narrow as the law is steep */
  for (double width = 1e-4 * t, mid = from + t; width < 0.25 * t; width *= 4.0)
    if (force_at(&w, mid - width) > push && force_at(&w, mid + width) < push) {
      low = mid - width;
      high = mid + width;
      break;
    }
  double at_low = log(force_at(&w, low) + soft) - want, at_high = log(force_at(&w, high) + soft) - want;
  for (int k = 0; k < 100 && high - low > 1e-16; k++) {
    double weight = at_low / (at_low - at_high), middle = low + (high - low) * (k % 3 == 2 ? 0.5 : weight);
    double at = log(force_at(&w, middle) + soft) - want;
    if (fabs(at) < 1e-12 || middle <= low || middle >= high) return middle;
    if (at > 0.0) low = middle, at_low = at;
    else high = middle, at_high = at;
  }
  return 0.5 * (low + high);
}

/* ---- taken --------------------------------------------------------------------------------------------- */

/* Places that rise from element to element. */
static cap_status set_places(course *c, const cap_data *d, cap_error *error)
{
  const cap_variator *v = c->v;
  double *places = c->place, *columns = c->belt->elements;
  size_t n = (size_t)c->n;
  for (int k = 0; k < c->n; k++) {
    double pitch = d->q[v->pitch + k], vx = d->v[v->x + k], vy = d->v[v->y + k], foot[2], a;
    double edge[] = {d->q[v->x + k] - v->element.edge * sin(pitch),
                     d->q[v->y + k] + v->element.edge * cos(pitch)};
    places[k] = project(&c->line, edge, &columns[CAP_VARIATOR_CARRY_OFF * n + (size_t)k]);
    line_at(&c->line, places[k], foot, &a);
    columns[CAP_VARIATOR_CARRY_TILT * n + (size_t)k] = remainder(pitch - a, 2.0 * M_PI);
    columns[CAP_VARIATOR_CARRY_VT * n + (size_t)k] = vx * cos(a) + vy * sin(a);
    columns[CAP_VARIATOR_CARRY_VN * n + (size_t)k] = vy * cos(a) - vx * sin(a);
    columns[CAP_VARIATOR_CARRY_TURN * n + (size_t)k] = d->v[v->pitch + k];
    double step = k ? places[k] - places[k - 1] : 0.0;
    step -= floor(step / c->line.length) * c->line.length;
    if (k) places[k] = places[k - 1] + step;
    if (step > 0.5 * c->line.length || places[k] >= places[0] + c->line.length)
      return cap_status_fail(
          error, CAP_ERR_NUMERICS,
          "element %d is out of order along the belt; no state can be transferred from this run", k);
  }
  return CAP_OK;
}

static void set_pushes(const course *c)
{
  double *columns = c->belt->elements;
  for (int k = 0; k < c->n; k++) {
    int next = k + 1 < c->n ? k + 1 : 0;
    double pose[3], ahead = c->place[next] + (next ? 0.0 : c->line.length), gap = 0.0;
    joint w = {.v = c->v, .i = k, .j = next};
    w.pose = pose_at, w.self = c;
    pose_at(c, c->place[k], pose);
    memcpy(w.behind, pose, sizeof pose);
    double push = force_at(&w, ahead);
    if (push < CAP_TUNED_LEAST_PUSH)
      gap = ahead - cap_variator_carry_next(c->v, k, next, pose_at, c, c->place[k], CAP_TUNED_LEAST_PUSH);
    columns[(size_t)CAP_VARIATOR_CARRY_PUSH * (size_t)c->n + (size_t)k] = push;
    columns[(size_t)CAP_VARIATOR_CARRY_GAP * (size_t)c->n + (size_t)k] = fmax(gap, 0.0);
  }
}

cap_status cap_variator_carry_take(const cap_model *m, const cap_data *d, cap_variator_carry *belt,
                                   cap_error *error)
{
  const cap_variator *v = cap_variator_of(m);
  cap_variator_carry_layout layout = cap_variator_carry_store_layout_of(m);
  CAP_TRY(cap_variator_carry_store_make(m, &layout, d, belt, error));
  course c = {.v = v,
              .belt = belt,
              .n = v->simulated,
              .line = line_of(v->laid.length, v->laid.centre_distance, v->laid.theta),
              .place = belt->elements,
              .joint = calloc(2 * (size_t)v->simulated, sizeof(double))};
  cap_status status = c.joint ? set_places(&c, d, error)
                              : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  c.pitch = c.joint + c.n;
  const double *sections = d->x + layout.sections;
  for (int k = 0; status == CAP_OK && k < c.n; k++)
    belt->elements[(size_t)CAP_VARIATOR_CARRY_SECTION * (size_t)c.n + (size_t)k] =
        layout.sections < 0 ? order[part_at(&c.line, fmod(c.place[k], c.line.length))] : sections[k];
  if (status == CAP_OK) {
    set_course(&c);
    set_pushes(&c);
  }
  free(c.joint);
  if (status != CAP_OK) cap_variator_carry_store_free(belt);
  return status;
}

/* ---- put on another belt ------------------------------------------------------------------------------- */

/* By how much the elements of another belt are made to fit, sigma:
 *   < 0       gaps are wider, 1 - sigma times as wide
 *   0 .. 1    elements in the strands stand up: their pitch against the line is 1 - sigma of what it was
 *   1 .. 2    and gaps are narrower, 2 - sigma times as wide
 *   2 .. 3    and all joints press harder, by up to CAP_TUNED_CARRY_PRESS.
 * A belt that needs more does not fit: its state is no start for the other one */
enum { TIGHTEST = 3 };

typedef struct fitting {
  const course *c;
  const double *pitch; /* [c->n] as it was */
  const cap_variator *v;
  double *place; /* [v->simulated] */
} fitting;

/* Elements one after another: what they need more than there is. */
static double march(const fitting *f, double sigma)
{
  const course *c = f->c;
  const cap_variator *v = f->v;
  const double *push = column(c, CAP_VARIATOR_CARRY_PUSH), *gap = column(c, CAP_VARIATOR_CARRY_GAP);
  const double *section = column(c, CAP_VARIATOR_CARRY_SECTION);
  double keep = 1.0 - fmin(fmax(sigma, 0.0), 1.0), open = sigma < 0.0 ? 1.0 - sigma : 2.0 - fmax(sigma, 1.0);
  double more = CAP_TUNED_CARRY_PRESS * fmax(sigma - 2.0, 0.0), at = c->place[0];
  for (int k = 0; k < c->n; k++) {
    double foot[2], a;
    line_at(&c->line, c->place[k], foot, &a);
    c->pitch[k] = a + (fmod(trunc(section[k]), 2.0) != 0.0 ? keep : 1.0) * (f->pitch[k] - a);
  }
  for (int k = 0; k < v->simulated; k++) {
    double middle = at + 0.5 * cap_variator_geometry_edge_thickness(v, k);
    double here = fmax(read_at(c, c->joint, push, middle), CAP_TUNED_LEAST_PUSH) + more;
    f->place[k] = at;
    at = cap_variator_carry_next(v, k, (k + 1) % v->simulated, pose_at, c, at, here) +
         fmax(open, 0.0) * read_at(c, c->joint, gap, middle);
  }
  return at - c->place[0] - c->line.length;
}

/* Find sigma: what is missing falls with it. */
static cap_status fit(const fitting *f, cap_error *error)
{
  double low = 0.0, at_low = march(f, low), high = 0.0, at_high = at_low, miss = at_low;
  while (at_high > 0.0 && high < TIGHTEST) {
    low = high, at_low = at_high;
    at_high = miss = march(f, high += 1.0);
  }
  for (double step = 1.0; at_low < 0.0 && low > -1e6; step *= 4.0) {
    high = low, at_high = at_low;
    at_low = miss = march(f, low -= step);
  }
  if (at_high > 0.0 || at_low < 0.0)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "the elements of the transferred state do not fit the ring; expected a total gap of 0 mm, got %s%.3g "
        "mm",
        at_high > 0.0 ? "-" : "", 1e3 * fabs(miss));
  for (int k = 0; k < 100 && fabs(miss) > 1e-13 && high - low > 1e-15 * (1.0 + fabs(high)); k++) {
    double middle = k % 4 == 3 ? 0.5 * (low + high) : low + (high - low) * at_low / (at_low - at_high);
    miss = march(f, middle);
    if (miss > 0.0) low = middle, at_low = miss;
    else high = middle, at_high = miss;
  }
  return CAP_OK;
}

/* A belt without gaps that is to have some gets them in its lower strand. */
static void allow_gaps(const course *c)
{
  double *gap = c->belt->elements + (size_t)CAP_VARIATOR_CARRY_GAP * (size_t)c->n, sum = 0.0;
  for (int k = 0; k < c->n; k++) sum += gap[k];
  for (int k = 0; k < c->n && !(sum > 1e-9); k++)
    if (column(c, CAP_VARIATOR_CARRY_SECTION)[k] == CAP_VARIATOR_IN_LS) gap[k] = 1e-9;
}

/* Elements of a coarse belt may stand in pairs, one pitched forward and the next one backward; those of a
 * finer one would not stay so. A mean over three, in which such a pattern vanishes; `turn`: what they change
 * by from the last to the first. */
static void smooth(int n, double *values, double turn)
{
  double first = values[0], before = values[n - 1] - turn;
  for (int k = 0; k < n; k++) {
    double here = values[k], next = k + 1 < n ? values[k + 1] : first + turn;
    values[k] = 0.25 * before + 0.5 * here + 0.25 * next;
    before = here;
  }
}

static void smooth_all(const course *c)
{
  static const int which[] = {CAP_VARIATOR_CARRY_VT, CAP_VARIATOR_CARRY_VN, CAP_VARIATOR_CARRY_TURN,
                              CAP_VARIATOR_CARRY_PUSH};
  for (size_t k = 0; k < sizeof which / sizeof *which; k++)
    smooth(c->n, c->belt->elements + (size_t)which[k] * (size_t)c->n, 0.0);
  smooth(c->n, c->pitch, -2.0 * M_PI);
}

static cap_status find_places(const course *c, const cap_variator *v, bool same, double *place,
                              cap_error *error)
{
  if (same) {
    memcpy(place, c->place, sizeof *place * (size_t)c->n);
    return CAP_OK;
  }
  if (v->simulated > c->n) smooth_all(c);
  double *pitch = malloc(sizeof *pitch * (size_t)c->n);
  if (!pitch) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  memcpy(pitch, c->pitch, sizeof *pitch * (size_t)c->n);
  allow_gaps(c);
  cap_status status = fit(&(fitting){c, pitch, v, place}, error);
  free(pitch);
  return status;
}

static void set_elements(const course *c, const cap_model *m, double speed, const double *place, cap_data *d)
{
  const cap_variator *v = cap_variator_of(m);
  for (int k = 0; k < v->simulated; k++) {
    double pose[3], point[2], a;
    pose_at(c, place[k], pose);
    line_at(&c->line, place[k], point, &a);
    double vt = speed * read_at(c, c->place, column(c, CAP_VARIATOR_CARRY_VT), place[k]);
    double vn = speed * read_at(c, c->place, column(c, CAP_VARIATOR_CARRY_VN), place[k]);
    d->q[v->x + k] = pose[0], d->q[v->y + k] = pose[1], d->q[v->pitch + k] = pose[2];
    d->v[v->x + k] = vt * cos(a) - vn * sin(a);
    d->v[v->y + k] = vt * sin(a) + vn * cos(a);
    d->v[v->pitch + k] = speed * read_at(c, c->place, column(c, CAP_VARIATOR_CARRY_TURN), place[k]);
  }
}

static void set_inner(const course *c, const cap_model *m, const cap_variator_carry_layout *layout,
                      const double *place, cap_data *d)
{
  int n = cap_variator_of(m)->simulated, row = NCOLUMN;
  for (int i = 0; i < layout->nbatch; i++) {
    const cap_batch *b = &m->batches[layout->batch[i]];
    const double *at = b->type == &cap_push_chain_type ? c->joint : c->place;
    for (int s = 0; s < b->type->nstate; s++, row++)
      for (int k = 0; k < n; k++) {
        double next = k + 1 < n ? place[k + 1] : place[0] + c->line.length;
        double here = at == c->joint ? 0.5 * (place[k] + next) : place[k];
        d->x[b->x_adr + s * n + k] = read_at(c, at, column(c, row), here);
      }
  }
  for (int k = 0; layout->sections >= 0 && k < n; k++) d->x[layout->sections + k] = section_at(c, place[k]);
}

static void set_rest(const cap_variator_carry *belt, const cap_model *m,
                     const cap_variator_carry_layout *layout, double speed, cap_data *d)
{
  const double *others = belt->drive + CAP_VARIATOR_CARRY_NHEAD;
  for (int k = 0, at = 0; k < m->nv; k++) {
    if (cap_variator_carry_store_is_element(cap_variator_of(m), k)) continue;
    d->q[k] = m->initial[k] + belt->rest[at];
    d->v[k] = speed * belt->rest[layout->nrest + at++];
  }
  for (int k = 0; k < layout->nother; k++) d->x[layout->other[k]] = others[k];
}

/* Elements of a belt without pins, or with more clearance, may lean so far that the pins of this one would
 * press by more than CAP_TUNED_CARRY_PIN in the mean. Then they stand up until each presses by that at most;
 * in a stack of equal ones, whose offset is t tan of the pitch against the line. False: all stay as they
 * are. */
static bool stand_up(course *c)
{
  const cap_variator_contacts *k = &c->v->contact;
  const double *tilt = column(c, CAP_VARIATOR_CARRY_TILT), t = c->v->element.thickness;
  double most = atan((k->pin_clearance + CAP_TUNED_CARRY_PIN / fmax(k->pin_stiffness, 1.0)) / t), sum = 0.0;
  for (int i = 0; i < c->n; i++)
    sum += k->pin_stiffness * fmax(t * fabs(tan(tilt[i])) - k->pin_clearance, 0.0);
  if (!(sum > CAP_TUNED_CARRY_PIN * c->n)) return false;
  for (int i = 0; i < c->n; i++) c->pitch[i] += fmin(fmax(tilt[i], -most), most) - tilt[i];
  return true;
}

cap_status cap_variator_carry_start(const cap_variator_carry *belt, const cap_model *m, cap_data *d,
                                    cap_error *error)
{
  CAP_TRY(cap_variator_carry_store_fits(belt, m, error));
  const cap_variator *v = cap_variator_of(m);
  const double *head = belt->drive;
  cap_variator_carry_layout layout = cap_variator_carry_store_layout_of(m);
  line was = line_of(head[CAP_VARIATOR_CARRY_LAID_LENGTH], head[CAP_VARIATOR_CARRY_LAID_DISTANCE],
                     head[CAP_VARIATOR_CARRY_LAID_THETA]);
  course c = {.v = v,
              .belt = belt,
              .n = (int)head[CAP_VARIATOR_CARRY_SIMULATED],
              .ahead = 0.5 / head[CAP_VARIATOR_CARRY_STACK] - 0.5 * head[CAP_VARIATOR_CARRY_SIMULATED] /
                                                                  v->simulated /
                                                                  cap_variator_geometry_joints(v),
              .line = line_of(v->laid.length, v->laid.centre_distance, v->laid.theta)};
  double *room = calloc(3 * (size_t)c.n + (size_t)v->simulated, sizeof *room);
  if (!room) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  double *place = room + 3 * c.n, speed = v->load.speed / head[CAP_VARIATOR_CARRY_SPEED];
  c.place = room, c.joint = room + c.n, c.pitch = room + 2 * c.n;
  for (int k = 0; k < c.n; k++) c.place[k] = carried(&was, &c.line, belt->elements[k]);
  set_course(&c);
  bool stood = stand_up(&c), same = !stood && c.n == v->simulated && memcmp(&was, &c.line, sizeof was) == 0;
  cap_status status = find_places(&c, v, same, place, error);
  if (status == CAP_OK) {
    set_elements(&c, m, speed, place, d);
    set_inner(&c, m, &layout, place, d);
    set_rest(belt, m, &layout, speed, d);
    cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  }
  free(room);
  return status;
}
