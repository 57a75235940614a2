/* drives/accessory/analyses/life_duty.c — see life.h: the duty cycle computed.
 *
 * Resonances are looked for from half the lowest to one and a half times the highest speed of the duty
 * cycle: what lies beyond is far from all of it.
 */
#include "drives/accessory/analyses/life.h"
#include "laws/stick.h"

#include <math.h>
#include <stdlib.h>

enum { SCANNED = 240, REFINED = 40 }; /* speeds looked at for resonances; steps to each */

static const double SCAN_LOW = 0.5, SCAN_HIGH = 1.5;

static cap_status run_at(const cap_life *w, double speed, cap_belt_statics *s, cap_error *error)
{
  cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .speed = speed};
  return cap_belt_statics_solve(w->belt, &which, s, error);
}

/* ---- damage -------------------------------------------------------------------------------------------- */

static double heat(const cap_life *w, int k)
{
  const cap_reals *t = &w->s->temperature;
  if (!t->n) return 0.0;
  double base = w->s->reference_given ? w->s->reference.temperature : t->v[0];
  return t->v[t->n > 1 ? k : 0] - base;
}

static cap_belt_life_pass rig(const cap_life *w)
{
  const cap_life_reference *r = &w->s->reference;
  int ribs = r->ribs_given ? r->ribs : w->belt->ribs;
  cap_belt_life_pass p = {.tension = r->tension, .ribs = ribs > 0 ? ribs : 1};
  p.passes = r->speed / r->length;
  for (int k = 0; k < r->groove.n + r->back.n; k++) {
    bool back = k >= r->groove.n;
    p.back[p.n] = back;
    p.tight[p.n] = r->tension;
    p.diameter[p.n++] = back ? r->back.v[k - r->groove.n] : r->groove.v[k];
  }
  return p;
}

/* *unit: damage at which a belt is worn out; NaN when nobody said. */
static cap_status worn_out(const cap_life *w, double *unit, cap_error *error)
{
  const cap_life_spec *s = w->s;
  cap_belt_life_damage damage;
  cap_belt_statics at;
  *unit = s->fatigue.law == CAP_BELT_LIFE_STRESS ? 1.0 : NAN;
  if (!s->reference_given) return CAP_OK;
  if (s->reference.at_given) CAP_TRY(run_at(w, s->reference.at, &at, error));
  cap_belt_life_pass pass = s->reference.at_given ? cap_belt_life_running(w->belt, &at) : rig(w);
  cap_belt_life_miner(&s->fatigue, &pass, &damage);
  *unit = damage.rate * s->reference.life;
  return CAP_OK;
}

static void sum_up(cap_life *w, double unit)
{
  w->rate = 0.0;
  for (int k = 0; k < w->npoint; k++) {
    cap_life_point *p = &w->points[k];
    p->life = unit / p->damage.rate;
    w->rate += p->weight * p->damage.rate;
  }
  for (int i = 0; i < w->belt->npulley; i++) {
    w->pulleys[i].share = 0.0;
    for (int k = 0; k < w->npoint; k++)
      w->pulleys[i].share += w->points[k].weight * w->points[k].damage.rate * w->points[k].damage.share[i] /
                             w->rate;
  }
  w->life = unit / w->rate;
  w->relative = w->points[0].damage.rate / w->rate;
  w->used = w->s->target_given ? w->s->target / w->life : NAN;
}

/* ---- hub loads ----------------------------------------------------------------------------------------- */

static double hub(const cap_belt_statics *s, int i)
{
  return hypot(s->pulleys[i].hub_x, s->pulleys[i].hub_y);
}

/* `rest`: the drive at rest without loads, or NULL. */
static void load_bearing(cap_life *w, int i, const cap_belt_statics *rest)
{
  const cap_belt_bearing *b = &w->belt->pulleys[i].bearing;
  cap_life_pulley *p = &w->pulleys[i];
  double turns = 0.0, cubes = 0.0;
  p->hub_most = rest ? hub(rest, i) : 0.0;
  for (int k = 0; k < w->npoint; k++) {
    const cap_life_point *at = &w->points[k];
    double load = hub(&at->s, i), turned = at->weight * at->s.pulleys[i].speed / (2.0 * M_PI);
    p->hub_most = fmax(p->hub_most, load);
    turns += turned;
    cubes += turned * load * load * load;
  }
  p->hub_equivalent = cbrt(cubes / turns);
  double once = b->static_load > 0.0 ? b->static_load : b->C0;
  double lasting = b->dynamic_load > 0.0 ? b->dynamic_load : b->C;
  p->static_safety = once > 0.0 ? once / p->hub_most : NAN;
  p->dynamic_safety = lasting > 0.0 ? lasting / p->hub_equivalent : NAN;
  p->bearing_life = b->C > 0.0 ? 1e6 * pow(b->C / p->hub_equivalent, 3.0) / turns : NAN;
}

/* ---- slip ---------------------------------------------------------------------------------------------- */

/* Friction falls with the sliding at the exit of each pulley, and the safety with it. */
static void assess_slip(const cap_life *w, cap_life_point *p)
{
  for (int i = 0; i < w->belt->npulley; i++) {
    const cap_belt_statics_pulley *at = &p->s.pulleys[i];
    double mu = w->belt->pulleys[i].friction, over = 0.0;
    const capm_friction friction = capm_friction_keys_below(&w->s->stribeck, mu);
    p->slip_safety[i] = at->safety;
    p->friction_slope[i] = 0.0;
    if (!w->s->stribeck_given || !(mu > 0.0)) continue;
    double speed = fabs(at->slip_speed);
    p->slip_safety[i] *= capm_friction_square(&friction, speed * speed, &over) / mu;
    p->friction_slope[i] = 2.0 * speed * over;
  }
}

static void least_safety(cap_life *w, int i)
{
  w->pulleys[i].slip_safety = INFINITY;
  w->pulleys[i].slip_speed = w->points[0].speed;
  for (int k = 0; k < w->npoint; k++)
    if (w->points[k].slip_safety[i] < w->pulleys[i].slip_safety) {
      w->pulleys[i].slip_safety = w->points[k].slip_safety[i];
      w->pulleys[i].slip_speed = w->points[k].speed;
    }
}

/* ---- spans --------------------------------------------------------------------------------------------- */

static void assess_spans(const cap_life *w, cap_life_point *p)
{
  for (int i = 0; i < w->belt->npulley; i++) {
    p->frequency[i] = cap_belt_noise_frequency(w->belt, &p->s, i, 1);
    p->margin[i] = p->nearest[i] = NAN;
    for (int o = 0; o < w->s->orders.n; o++)
      for (int multiple = 1; multiple <= 2; multiple++) {
        double order = w->s->orders.v[o];
        double apart = order * p->speed / (2.0 * M_PI) - multiple * p->frequency[i];
        if (fabs(apart) >= fabs(p->margin[i])) continue; /* NaN: the first one is taken */
        p->margin[i] = apart;
        p->nearest[i] = multiple == 1 ? order : -order;
      }
  }
}

typedef struct meeting {
  int span;
  double order, multiple;
} meeting;

/* Hz by which the order lies above the span; NaN where the drive does not run. */
static double apart_at(const cap_life *w, const meeting *m, double speed)
{
  cap_belt_statics s;
  cap_error error;
  if (run_at(w, speed, &s, &error) != CAP_OK) return NAN;
  return m->order * speed / (2.0 * M_PI) - m->multiple * cap_belt_noise_frequency(w->belt, &s, m->span, 1);
}

static double refine(const cap_life *w, const meeting *m, double low, double high, double at_low)
{
  for (int k = 0; k < REFINED; k++) {
    double middle = 0.5 * (low + high), apart = apart_at(w, m, middle);
    if (apart * at_low > 0.0) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

static void add_resonance(cap_life *w, const meeting *m, double speed)
{
  cap_life_resonance r = {m->span,  m->order, m->multiple, speed, m->order * speed / (2.0 * M_PI),
                          INFINITY, INFINITY};
  if (w->nresonance >= CAP_LIFE_RESONANCES) return;
  for (int k = 0; k < w->npoint; k++) {
    double margin = w->points[k].speed - speed;
    if (w->points[k].weight > 0.0 && fabs(margin) < fabs(r.margin)) r.margin = margin;
  }
  r.near = fabs(r.margin) / speed;
  w->resonances[w->nresonance++] = r;
}

static int by_order(const void *a, const void *b)
{
  const cap_life_resonance *x = a, *y = b;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  return x->speed < y->speed ? -1 : x->speed > y->speed;
}

static cap_status find_resonances(cap_run *run, cap_life *w)
{
  int n = w->belt->npulley;
  double low = INFINITY, high = 0.0;
  double *frequency = CAP_ARENA_NEW(&w->arena, double, (SCANNED * n));
  w->resonances = CAP_ARENA_NEW(&w->arena, cap_life_resonance, CAP_LIFE_RESONANCES);
  if (!frequency || !w->resonances) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < w->npoint; k++) {
    low = fmin(low, SCAN_LOW * w->points[k].speed);
    high = fmax(high, SCAN_HIGH * w->points[k].speed);
  }
  double step = (high - low) / (SCANNED - 1);
  for (int k = 0; k < SCANNED; k++) {
    cap_belt_statics s;
    cap_error error;
    bool found = run_at(w, low + k * step, &s, &error) == CAP_OK;
    for (int i = 0; i < n; i++)
      frequency[k * n + i] = found ? cap_belt_noise_frequency(w->belt, &s, i, 1) : NAN;
  }
  for (int o = 0; o < w->s->orders.n; o++)
    for (int k = 0; k + 1 < SCANNED; k++)
      for (int i = 0; i < 2 * n; i++) {
        meeting m = {i / 2, w->s->orders.v[o], 1 + i % 2};
        double speed = low + k * step, next = speed + step;
        double here = m.order * speed / (2.0 * M_PI) - m.multiple * frequency[k * n + m.span];
        double there = m.order * next / (2.0 * M_PI) - m.multiple * frequency[(k + 1) * n + m.span];
        if (here * there <= 0.0 && here != 0.0) add_resonance(w, &m, refine(w, &m, speed, next, here));
      }
  qsort(w->resonances, (size_t)w->nresonance, sizeof *w->resonances, by_order);
  return CAP_OK;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

static cap_status compute_point(cap_run *run, cap_life *w, int k)
{
  cap_life_point *p = &w->points[k];
  double sum = 0.0;
  for (int i = 0; i < w->s->weights.n; i++) sum += w->s->weights.v[i];
  p->speed = w->s->speeds.n ? w->s->speeds.v[k] : w->belt->speed;
  p->weight = w->s->weights.n ? w->s->weights.v[k] / sum : 1.0 / w->npoint;
  CAP_TRY(run_at(w, p->speed, &p->s, run->error));
  p->pass = cap_belt_life_running(w->belt, &p->s);
  p->pass.heat = heat(w, k);
  cap_belt_life_miner(&w->s->fatigue, &p->pass, &p->damage);
  assess_slip(w, p);
  assess_spans(w, p);
  return CAP_OK;
}

cap_status cap_life_duty(cap_run *run, cap_life *w)
{
  double unit;
  cap_belt_statics rest;
  cap_error error;
  cap_belt_statics_case resting = {.arm = CAP_BELT_STATICS_FREE, .unloaded = true};
  w->npoint = w->s->speeds.n ? w->s->speeds.n : 1;
  w->points = CAP_ARENA_NEW(&w->arena, cap_life_point, w->npoint);
  w->pulleys = CAP_ARENA_NEW(&w->arena, cap_life_pulley, w->belt->npulley);
  if (!w->points || !w->pulleys) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < w->npoint; k++) CAP_TRY(compute_point(run, w, k));
  CAP_TRY(worn_out(w, &unit, run->error));
  sum_up(w, unit);
  bool rests = cap_belt_statics_solve(w->belt, &resting, &rest, &error) == CAP_OK;
  for (int i = 0; i < w->belt->npulley; i++) {
    load_bearing(w, i, rests ? &rest : NULL);
    least_safety(w, i);
  }
  cap_belt_noise_entries(w->belt, &w->points[0].s.path, w->entries);
  return find_resonances(run, w);
}
