/* drives/accessory/belt/belt_path_arm.c — at which places of the tensioner a belt of given length fits.
 *
 * The arm's travel is sampled every degree, a slide's every millimetre, and cut where the take-up changes
 * sign (dead centres) and where the layout becomes impossible; each piece is monotone and holds at most one
 * angle for a length. See belt_path.h.
 */
#include "drives/accessory/belt/belt_path.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define MM 1e3

enum { SAMPLES_LEAST = 16, SAMPLES_MOST = 2000, HALVINGS = 60, NEWTON_MOST = 100 };

typedef struct sample {
  double angle, length, take_up;
  bool runs;
} sample;

static sample sample_at(const cap_belt *belt, double angle)
{
  cap_belt_path path;
  path.length = path.take_up = 0.0; /* when there is nothing to lay */
  bool runs = cap_belt_path_solve(belt, angle, &path, NULL) == CAP_OK;
  return (sample){angle, path.length, path.take_up, runs};
}

/* The travel: between the stops, or half a turn either way; of a slide half the belt's length, which no
 * pulley of it can be further away. */
static void travel(const cap_belt *belt, double *low, double *high)
{
  const cap_belt_arm *arm = &belt->arm;
  bool slides = cap_belt_slides(arm);
  double most = slides ? 0.5 * belt->length0 : PI;
  bool stopped = isfinite(arm->stop_low) && isfinite(arm->stop_high) && arm->stop_high > arm->stop_low &&
                 (slides || arm->stop_high - arm->stop_low <= 2.0 * PI);
  *low = stopped ? arm->stop_low : arm->angle - most;
  *high = stopped ? arm->stop_high : arm->angle + most;
}

static bool same_kind(sample a, sample b)
{
  return a.runs == b.runs && (!a.runs || (a.take_up > 0.0) == (b.take_up > 0.0));
}

/* The two nearest neighbours between a and b, which differ in kind. */
static void halve(const cap_belt *belt, sample *a, sample *b)
{
  for (int k = 0; k < HALVINGS; k++) {
    sample middle = sample_at(belt, 0.5 * (a->angle + b->angle));
    if (middle.angle <= a->angle || middle.angle >= b->angle) return;
    if (same_kind(middle, *a)) *a = middle;
    else *b = middle;
  }
}

typedef struct cutter {
  cap_belt_path_piece *pieces;
  int n;
  bool open;
} cutter;

static void begin(cutter *c, sample s, cap_belt_path_end end)
{
  c->open = s.runs && c->n < CAP_BELT_PATH_PIECES;
  if (!c->open) return;
  c->pieces[c->n].angle[0] = s.angle;
  c->pieces[c->n].length[0] = s.length;
  c->pieces[c->n].end[0] = end;
}

static void finish(cutter *c, sample s, cap_belt_path_end end)
{
  if (!c->open) return;
  c->pieces[c->n].angle[1] = s.angle;
  c->pieces[c->n].length[1] = s.length;
  c->pieces[c->n++].end[1] = end;
  c->open = false;
}

int cap_belt_path_arm_pieces(const cap_belt *belt, cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES])
{
  double low, high;
  travel(belt, &low, &high);
  if (!cap_belt_has_arm(belt) || !isfinite(low)) return 0;
  double samples = ceil((high - low) * cap_belt_words_of(&belt->arm)->scale);
  int nstep = (int)fmin(fmax(samples, SAMPLES_LEAST), SAMPLES_MOST);
  cutter c = {.pieces = pieces};
  sample before = sample_at(belt, low);
  begin(&c, before, CAP_BELT_PATH_STOP);
  for (int k = 1; k <= nstep; k++) {
    sample here = sample_at(belt, k < nstep ? low + (high - low) * k / nstep : high), a = before, b = here;
    before = here;
    if (same_kind(a, b)) continue;
    halve(belt, &a, &b);
    cap_belt_path_end end = a.runs && b.runs ? CAP_BELT_PATH_DEAD : CAP_BELT_PATH_BLOCKED;
    finish(&c, a, end);
    begin(&c, b, end);
  }
  finish(&c, before, CAP_BELT_PATH_STOP);
  return c.n;
}

/* Newton's method, kept within the bracket. */
static double solve_piece(const cap_belt *belt, const cap_belt_path_piece *piece, double length)
{
  double low = piece->angle[0], high = piece->angle[1], angle = 0.5 * (low + high);
  bool grows = piece->length[1] > piece->length[0];
  for (int k = 0; k < NEWTON_MOST; k++) {
    cap_belt_path path;
    cap_belt_path_trace(belt, angle, &path);
    double excess = path.length - length;
    if (excess == 0.0) return angle;
    if ((excess > 0.0) == grows) high = angle;
    else low = angle;
    double step = angle - excess / path.take_up;
    if (!(step >= low && step <= high)) step = 0.5 * (low + high);
    if (fabs(step - angle) <= 4e-16 * fmax(fabs(angle), fabs(piece->angle[1] - piece->angle[0]))) return step;
    angle = step;
  }
  return angle;
}

static bool holds(const cap_belt_path_piece *piece, double length)
{
  return (piece->length[0] - length) * (piece->length[1] - length) <= 0.0;
}

/* Whether the spring tightens the belt there. */
static bool tightens(const cap_belt_arm *arm, const cap_belt_path_piece *piece)
{
  return (piece->length[1] - piece->length[0]) * arm->sense >= 0.0;
}

static void insert_root(const cap_belt *belt, cap_belt_path_roots *roots, bool good[], double angle,
                        bool is_good)
{
  int at = roots->n++;
  for (; at > 0; at--) {
    bool nearer = fabs(angle - belt->arm.angle) < fabs(roots->angle[at - 1] - belt->arm.angle);
    if (is_good == good[at - 1] ? !nearer : !is_good) break;
    roots->angle[at] = roots->angle[at - 1];
    good[at] = good[at - 1];
  }
  roots->angle[at] = angle;
  good[at] = is_good;
}

static double distance(const cap_belt_path_piece *piece, double angle)
{
  return fmax(0.0, fmax(piece->angle[0] - angle, angle - piece->angle[1]));
}

/* The piece that is meant: nearest to where the tensioner starts, if there is one, of those where the spring
 * tightens the belt. */
static const cap_belt_path_piece *nearest_piece(const cap_belt_arm *arm, int n,
                                                const cap_belt_path_piece *pieces)
{
  const cap_belt_path_piece *best = NULL;
  for (int good = 1; good >= 0 && !best; good--)
    for (int k = 0; k < n; k++)
      if (tightens(arm, &pieces[k]) >= good &&
          (!best || distance(&pieces[k], arm->angle) < distance(best, arm->angle)))
        best = &pieces[k];
  return best;
}

/* " between the stops" where a stop that was given ends the piece. */
static const char *where_of(const cap_belt_arm *arm, const cap_belt_path_piece *piece)
{
  bool low = piece->end[0] == CAP_BELT_PATH_STOP && isfinite(arm->stop_low);
  bool high = piece->end[1] == CAP_BELT_PATH_STOP && isfinite(arm->stop_high);
  return low && high ? " between the stops" : low || high ? " up to the stop" : "";
}

/* Lengths are told as the belt's own was written: effective or pitch, at its measuring tension. */
static cap_status fail_length(const cap_belt *belt, int n, const cap_belt_path_piece *pieces, double length,
                              cap_error *error)
{
  const cap_belt_words *w = cap_belt_words_of(&belt->arm);
  const cap_belt_path_piece *piece = nearest_piece(&belt->arm, n, pieces);
  bool named = belt->named_length > 0.0, effective = named && !belt->named_pitch;
  double scale = named ? belt->named_length / length : 1.0, less = effective ? 2.0 * PI * belt->hb : 0.0;
  double shortest = fmin(piece->length[0], piece->length[1]),
         longest = fmax(piece->length[0], piece->length[1]);
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "the belt is too %s for the %s near %.6g %s; expected %s length of %.2f mm to %.2f "
                         "mm%s, got %.2f mm",
                         length < shortest ? "short" : "long", w->part, belt->arm.angle * w->scale, w->unit,
                         effective ? "an effective" : "a pitch", (shortest * scale - less) * MM,
                         (longest * scale - less) * MM, where_of(&belt->arm, piece),
                         (length * scale - less) * MM);
}

cap_status cap_belt_path_arm_angle(const cap_belt *belt, double length, cap_belt_path_roots *roots,
                                   cap_error *error)
{
  cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES];
  bool good[CAP_BELT_PATH_PIECES];
  cap_belt_path path;
  const cap_belt_words *words = cap_belt_words_of(&belt->arm);
  roots->n = 0;
  if (!cap_belt_has_arm(belt))
    return cap_status_fail(error, CAP_ERR_INPUT, "expected a drive with a tensioner");
  int n = cap_belt_path_arm_pieces(belt, pieces);
  if (n == 0) {
    /* the reason at one angle stands for all */
    double low, high, angle = belt->arm.angle;
    travel(belt, &low, &high);
    if (!(angle >= low && angle <= high)) angle = 0.5 * (low + high);
    CAP_TRY(cap_belt_path_solve(belt, angle, &path, error));
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the belt path is impossible at every %s %s between the stops; expected one at "
                           "which it is closed; move a pulley or the stops",
                           words->part, words->place);
  }
  for (int k = 0; k < n; k++)
    if (holds(&pieces[k], length))
      insert_root(belt, roots, good, solve_piece(belt, &pieces[k], length), tightens(&belt->arm, &pieces[k]));
  if (roots->n == 0) return fail_length(belt, n, pieces, length, error);
  if (!good[0])
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "the belt fits at the %s %s of %.2f %s, but the spring slackens it there; expected %s "
        "%s where the spring (towards %s %ss) tightens the belt",
        words->part, words->place, roots->angle[0] * words->scale, words->unit,
        cap_belt_slides(&belt->arm) ? "a" : "an", words->place, belt->arm.sense > 0 ? "larger" : "smaller",
        words->place);
  return CAP_OK;
}
