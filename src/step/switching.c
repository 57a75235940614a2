/* step/switching.c — rk5, rk8 and radau in one run: whichever is cheapest at the time.
 *
 * Maths: docs/theory.md §4.8. Which of the explicit methods goes through a motion with fewer evaluations
 * depends on the tolerance, on how smooth the motion is and on how many rows lie within a step; whether the
 * implicit one is cheaper than both, on whether stability limits their steps. That is measured rather than
 * guessed: what a second of the model costs is counted over windows of steps, another method is now and then
 * put on trial for a few of them, and stays where it is cheaper. A trial that fails makes the time to the
 * next one twice as long, so that all of them together cost little, and none of their steps is lost: each is
 * as right as any other. The implicit method gets its trials sooner where the last stages of the explicit
 * steps say that stability may limit them (the test of Hairer and Wanner); where it has proved itself it is
 * left by the same comparison.
 *
 * Counts, not clocks: the same run takes the same decisions on every machine. All that they follow from is
 * carried, and with it saved.
 */
#include "step/radau.h"
#include "step/rk.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIVE, EIGHT, IMPLICIT, METHODS };

/* Steps of a window; those of a trial, of which the first few find their length and do not count. */
static const double WINDOW[METHODS] = {16.0, 8.0, 16.0}, START_UP[METHODS] = {2.0, 2.0, 4.0},
                    TRIAL[METHODS] = {12.0, 8.0, 12.0};
/* A trial after others that have failed is as many times longer as the time since the last one, at most: what
 * the steps of another method have excited has to die away before the implicit one can show what it can. */
static const double LONGER_MOST = 8.0;
/* What a trial may cost beyond what the steps of the other would have, in windows of that: a step of the
 * implicit method is dear, and shows what it can after a few. */
static const double LOSS_MOST[METHODS] = {0.5, 1.0, 1.0};
/* Evaluations until a method that has failed is tried again: at first, for the implicit one in those of its
 * own, and at most. It is not tried before that either: a short run has no use for it. */
static const double PAUSE_FIRST[METHODS] = {200.0, 200.0, 480.0}, PAUSE_MOST = 1e6;
/* Whoever is on trial has to be this much cheaper, or two that are alike would change places for ever. */
static const double CHEAPER = 0.9;
/* Part of the last window in what a method is known to cost; single ones differ by a third. */
static const double LATEST = 0.3;
/* Steps at the limit of stability that make a motion stiff, and others in a row that make it not (Hairer and
 * Wanner's). */
static const double STIFF = 15.0, NOT_STIFF = 6.0;
/* An evaluation of the implicit method with its share of the linear algebra, in those of an explicit one:
 * the first for itself, the second for each state; measured on drives of 2 to 240 states. */
static const double IMPLICIT_COST = 1.7, IMPLICIT_COST_OF_STATE = 0.055;
/* How much longer the implicit method waits where nothing shows that a motion is stiff. */
static const double UNSEEN = 4.0;
/* First step of the implicit method over the last explicit one. */
static const double ENTRY = 4.0;
/* States above which its matrices would take more memory than a model, and more time than it could save. */
enum { STATES_MOST = 1000 };

/* What is carried over an advance beside that of the methods; doubles alone, for a view. */
typedef struct carried {
  double now, home;         /* method in use; the one that has proved itself, another than that in a trial */
  double steps, time, cost; /* of the present window: s, evaluations */
  double windows;           /* since the method is in use */
  double spent, window;  /* evaluations: of a trial beyond what `home` would have taken; of its last window */
  double price[METHODS]; /* evaluations a second, when last in use */
  double idle[METHODS];  /* evaluations since it was last in use */
  double pause[METHODS]; /* evaluations until it may be tried again */
  double stiff, calm, known; /* steps at the limit of stability, others since; 1: it is stiff */
  double length;             /* s, of the last explicit step */
  double entered;            /* 1: the implicit method has begun */
} carried;
enum { CARRIED = sizeof(carried) / sizeof(double) };

typedef struct memory {
  cap_stepper_settings settings;
  const cap_model *m;
  carried own;
  void *explicit, *implicit; /* implicit: NULL where it cannot take the model */
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_rk_5_type.free(w->explicit);
  cap_radau_type.free(w->implicit);
  free(w);
}

/* ---- which method -------------------------------------------------------------------------------------- */

/* What an evaluation of a method costs in those of the explicit ones. */
static double share_of(const memory *w, int method)
{
  return method == IMPLICIT ? IMPLICIT_COST + IMPLICIT_COST_OF_STATE * w->m->nstate : 1.0;
}

static double first_pause(const memory *w, int method)
{
  return PAUSE_FIRST[method] * share_of(w, method);
}

static void forget(memory *w)
{
  w->own = (carried){0};
  for (int k = 0; k < METHODS; k++) w->own.pause[k] = first_pause(w, k);
  w->own.idle[FIVE] = w->own.idle[EIGHT] = PAUSE_MOST; /* may be tried at once */
}

static bool implicit_now(const memory *w)
{
  return w->own.now == IMPLICIT;
}

static void begin_window(memory *w)
{
  w->own.steps = w->own.time = w->own.cost = 0.0;
}

/* From the next step on. */
static void use(memory *w, int method)
{
  if (method == IMPLICIT) w->own.entered = 0.0;
  else cap_rk_use(w->explicit, method == EIGHT ? 8 : 5);
  w->own.now = method;
  w->own.stiff = w->own.calm = w->own.known = 0.0;
  w->own.spent = w->own.windows = 0.0;
  begin_window(w);
}

/* Whether it has not been in use for as long as it has to wait; where nothing shows that a motion is stiff,
 * the implicit method waits longer. */
static bool rested(const memory *w, int method)
{
  double longer = method == IMPLICIT && w->own.known == 0.0 ? UNSEEN : 1.0;
  return w->own.idle[method] >= longer * w->own.pause[method];
}

/* The one to try beside `home`, or -1. */
static int candidate(const memory *w)
{
  const carried *own = &w->own;
  if (implicit_now(w)) { /* back to the explicit one that was the better when it was left */
    int better = own->price[EIGHT] > 0.0 && own->price[EIGHT] < own->price[FIVE] ? EIGHT : FIVE;
    return rested(w, better) ? better : -1;
  }
  if (w->implicit && rested(w, IMPLICIT)) return IMPLICIT;
  int other = own->now == FIVE ? EIGHT : FIVE;
  bool dearer = own->price[other] > 0.0 && own->price[(int)own->now] * CHEAPER > own->price[other];
  return rested(w, other) || dearer ? other : -1;
}

static void judge_trial(memory *w, bool lost)
{
  carried *own = &w->own;
  int now = (int)own->now, home = (int)own->home;
  if (!lost && own->price[now] < CHEAPER * own->price[home]) {
    own->home = now;
    own->pause[now] = first_pause(w, now);
    own->pause[home] = first_pause(w, home);
    own->windows = 0.0;
    begin_window(w);
    return;
  }
  own->pause[now] = fmin(2.0 * own->pause[now], PAUSE_MOST);
  use(w, home);
}

/* After each step. */
static void decide(memory *w, double length, double cost)
{
  carried *own = &w->own;
  const int now = (int)own->now;
  const bool trial = own->now != own->home;
  for (int k = 0; k < METHODS; k++) own->idle[k] += cost;
  own->idle[now] = 0.0;
  own->steps += 1.0;
  own->time += length;
  own->cost += cost;
  if (trial) own->spent += cost - length * own->price[(int)own->home];
  const double longer = trial ? fmin(own->pause[now] / first_pause(w, now), LONGER_MOST) : 1.0;
  if (trial && own->steps == longer * START_UP[now]) own->time = own->cost = 0.0;
  bool lost = trial && own->spent > LOSS_MOST[now] * own->window * (now == IMPLICIT ? longer : 1.0);
  if (!lost && own->steps < (trial ? longer * TRIAL[now] : WINDOW[now])) return;
  double price = own->time > 0.0 ? own->cost / own->time : own->price[now];
  own->windows += 1.0;
  own->price[now] += fmax(LATEST, 1.0 / own->windows) * (price - own->price[now]);
  if (!trial) own->window = own->cost;
  if (trial) {
    judge_trial(w, lost);
    return;
  }
  begin_window(w);
  int other = candidate(w);
  if (other >= 0) use(w, other);
}

/* The test of Hairer and Wanner: many steps at the limit, with few others between. */
static void watch(memory *w, double stiff)
{
  carried *own = &w->own;
  if (!(stiff > 0.0)) return;
  if (stiff > 1.0) {
    own->calm = 0.0;
    if ((own->stiff += 1.0) >= STIFF) own->known = 1.0;
  } else if ((own->calm += 1.0) >= NOT_STIFF) {
    own->stiff = own->known = 0.0;
  }
}

/* ---- the way to t_end ---------------------------------------------------------------------------------- */

/* Explicit steps, and what is known of such beyond the data; the data are at t_end, or where the implicit
 * method goes on. */
static cap_status go_explicit(memory *w, cap_data *d, double t_end, cap_error *error)
{
  void *rk = w->explicit;
  int64_t *count = &d->steps[CAP_STEPS_EVALUATIONS], before = *count;
  CAP_TRY(cap_rk_open(rk, d, error));
  while (cap_rk_front(rk) < t_end && !implicit_now(w)) {
    cap_rk_step step;
    CAP_TRY(cap_rk_go(rk, d, t_end, &step, error));
    w->own.length = step.length;
    watch(w, step.stiff);
    decide(w, step.length, (double)(*count - before));
    before = *count;
    if (w->settings.observer && cap_rk_front(rk) < t_end) {
      cap_rk_read(rk, d, cap_rk_front(rk));
      cap_rk_observe(rk, d);
    }
  }
  cap_rk_read(rk, d, fmin(cap_rk_front(rk), t_end));
  if (*d->t >= t_end) cap_rk_observe(rk, d);
  if (implicit_now(w) && *d->t >= cap_rk_front(rk)) cap_rk_leave(rk);
  return CAP_OK;
}

static cap_status go_implicit(memory *w, cap_data *d, double t_end, cap_error *error)
{
  const double share = share_of(w, IMPLICIT);
  int64_t *count = &d->steps[CAP_STEPS_EVALUATIONS];
  if (w->own.entered == 0.0) cap_radau_enter(w->implicit, ENTRY * w->own.length);
  w->own.entered = 1.0;
  CAP_TRY(cap_radau_open(w->implicit, d, t_end, error));
  while (*d->t < t_end && implicit_now(w)) {
    int64_t before = *count;
    double length;
    CAP_TRY(cap_radau_go(w->implicit, d, t_end, &length, error));
    decide(w, length, share * (double)(*count - before));
  }
  if (*d->t >= t_end) cap_radau_observe(w->implicit, d);
  return CAP_OK;
}

static void resume(void *self, cap_stepper_left left)
{
  memory *w = self;
  if (left == CAP_STEPPER_MOVED) forget(w);
  cap_rk_5_type.resume(w->explicit, left);
  if (left == CAP_STEPPER_MOVED) cap_rk_use(w->explicit, 5);
  if (w->implicit) cap_radau_type.resume(w->implicit, left);
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (tangent)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "switching provides no tangent of its solution");
  if (!w->settings.carry) resume(w, CAP_STEPPER_MOVED);
  while (*d->t < *t_end)
    CAP_TRY((!implicit_now(w) || cap_rk_known(w->explicit) ? go_explicit : go_implicit)(w, d, *t_end, error));
  return cap_model_check_finite(m, *d->t, d->y, error);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static int views(void *self, cap_view *views)
{
  memory *w = self;
  int n = 0;
  views[n++] = (cap_view){.name = CAP_VIEW_CARRIED "switching",
                          .unit = "SI",
                          .meaning = "method, window, prices, trials, stiffness",
                          .count = CARRIED,
                          .values = &w->own};
  n += cap_rk_5_type.views(w->explicit, views + n);
  if (!w->implicit) return n;
  views[n + cap_radau_type.views(w->implicit, views + n)].name = NULL;
  for (; views[n].name; n++)
    if (strcmp(views[n].name, CAP_VIEW_CARRIED "step") == 0) views[n].name = CAP_VIEW_CARRIED "implicit_step";
  return n;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  *self = w;
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->m = m;
  forget(w);
  cap_status status = cap_rk_create(m, settings, &w->explicit, error);
  if (status == CAP_OK && m->nstate <= STATES_MOST && !cap_stepper_obstacle(&cap_radau_type, m))
    status = cap_radau_type.create(m, settings, &w->implicit, error);
  if (status == CAP_OK) return CAP_OK;
  release(w);
  *self = NULL;
  return status;
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  (void)self;
  return cap_stepper_obstacle(&cap_rk_5_type, m);
}

/* More than radau, which viscoelastic contacts have for all else. Impacts of contacts that open are not in
 * its reach. */
static int moves(const cap_stepper_type *self, const cap_model *m)
{
  if (cap_stepper_obstacle(self, m)) return 0;
  return !m->ncontact ? 15 : cap_stepper_parting(m) ? 0 : 35;
}

const cap_stepper_type cap_switching_type = {
    .name = "switching",
    .doc = "rk5 or rk8, whichever is cheaper, and radau while the motion is stiff; goes over from one to the "
           "other by what their steps cost",
    .smooth = true,
    .inertia = true,
    .moves = moves,
    .obstacle = obstacle,
    .resume = resume,
    .views = views,
    .create = create,
    .advance = advance,
    .free = release,
};
