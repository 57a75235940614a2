/* drives/accessory/analyses/life_output.c — see life.h: the table over the speeds, arrays of pulleys, spans
 * and resonances, and what a person wants to read. */
#include "drives/accessory/analyses/life.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double known(double value)
{
  return isfinite(value) ? value : NAN;
}

static double hub(const cap_belt_statics *s, int i)
{
  return hypot(s->pulleys[i].hub_x, s->pulleys[i].hub_y);
}

static bool absolute(const cap_life *w)
{
  return isfinite(w->life);
}

/* ---- the table ----------------------------------------------------------------------------------------- */

/* name, unit, meaning, value: p the speed, w the whole, i a pulley or the span that leaves it */
#define SPEED_COLUMNS(X)                                                                                     \
  X("speed", "rad/s", "crank speed", p->speed)                                                               \
  X("weight", "1", "time share at this speed", p->weight)                                                    \
  X("belt.speed", "m/s", "belt speed at the entry of the crank", p->s.belt_speed)                            \
  X("belt.passes", "1/s", "revolution frequency of the belt", p->pass.passes)                                \
  X("belt.tension", "N", "mean tension of the spans", p->pass.tension)                                       \
  X("damage", "1/s", "damage, in the unit of the law", p->damage.rate)                                       \
  X("relative", "1", "life at this speed relative to that at the first",                                     \
    w->points[0].damage.rate / p->damage.rate)                                                               \
  X("life", "s", "life at this speed only", p->life)

#define PULLEY_COLUMNS(X)                                                                                    \
  X("pulley", "share", "1", "share of belt damage due to", p->damage.share[i])                               \
  X("pulley", "hub", "N", "hub load of", hub(&p->s, i))                                                      \
  X("pulley", "safety", "1", "slip safety of", known(p->slip_safety[i]))                                     \
  X("pulley", "friction_slope", "s/m", "slope of friction vs sliding velocity at the exit of",               \
    p->friction_slope[i])                                                                                    \
  X("span", "frequency", "Hz", "first natural frequency of the span after", p->frequency[i])                 \
  X("span", "margin", "Hz", "nearest order minus the frequency (or twice it) of the span after",             \
    p->margin[i])                                                                                            \
  X("span", "order", "1", "that order (negative: at twice the frequency) of the span after", p->nearest[i])

#define COUNT_SPEED(name, unit, text, value)        +1
#define COUNT_PULLEY(kind, name, unit, text, value) +1
enum { NSPEED = 0 SPEED_COLUMNS(COUNT_SPEED), NPULLEY = 0 PULLEY_COLUMNS(COUNT_PULLEY) };

#define NAME_SPEED(name, unit, text, value) columns[n++] = (cap_column){name, unit, text};
#define NAME_PULLEY(kind, part, unit, text, value)                                                           \
  columns[n++] = (cap_column){cap_arena_format(a, "%s.%s.%s", kind, w->belt->pulleys[i].name, part), unit,   \
                              cap_arena_format(a, "%s %s", text, w->belt->pulleys[i].name)};

static bool name_columns(cap_life *w, cap_column *columns)
{
  cap_arena *a = &w->arena;
  int n = 0;
  SPEED_COLUMNS(NAME_SPEED)
  for (int i = 0; i < w->belt->npulley; i++) {
    PULLEY_COLUMNS(NAME_PULLEY)
  }
  for (int k = 0; k < n; k++)
    if (!columns[k].name || !columns[k].long_name) return false;
  return true;
}

#define PUT_SPEED(name, unit, text, value)        row[n++] = (value);
#define PUT_PULLEY(kind, name, unit, text, value) row[n++] = (value);

static void fill_row(const cap_life *w, const cap_life_point *p, double *row)
{
  int n = 0;
  SPEED_COLUMNS(PUT_SPEED)
  for (int i = 0; i < w->belt->npulley; i++) {
    PULLEY_COLUMNS(PUT_PULLEY)
  }
}

static cap_status put_table(cap_run *run, cap_life *w)
{
  int n = NSPEED + NPULLEY * w->belt->npulley;
  cap_column *columns = CAP_ARENA_NEW(&w->arena, cap_column, n);
  double *row = CAP_ARENA_NEW(&w->arena, double, n);
  if (!columns || !row || !name_columns(w, columns))
    return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(run->sink->columns(run->sink, n, columns));
  for (int k = 0; k < w->npoint; k++) {
    fill_row(w, &w->points[k], row);
    CAP_TRY(run->sink->rows(run->sink, 1, row));
  }
  return CAP_OK;
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

static const char *names_of_pulleys(cap_life *w)
{
  size_t room = 1;
  for (int i = 0; i < w->belt->npulley; i++) room += strlen(w->belt->pulleys[i].name) + 1;
  char *names = CAP_ARENA_NEW(&w->arena, char, room), *end = names;
  for (int i = 0; names && i < w->belt->npulley; i++)
    end += sprintf(end, "%s%s", i ? "," : "", w->belt->pulleys[i].name);
  return names;
}

#define PULLEY_ARRAYS(X)                                                                                     \
  X("pulley.number", "1", "pulley number, in the order of `pulleys`", i + 1)                                 \
  X("pulley.share", "1", "share of belt damage over the duty cycle", p->share)                               \
  X("pulley.hub_most", "N", "largest hub load, including at rest", p->hub_most)                              \
  X("pulley.hub_equivalent", "N", "cubic mean hub load over its revolutions", p->hub_equivalent)             \
  X("pulley.static_safety", "1", "static bearing safety: permissible peak load (or C0) / largest hub load",  \
    p->static_safety)                                                                                        \
  X("pulley.dynamic_safety", "1",                                                                            \
    "dynamic bearing safety: permissible continuous load (or C) / mean hub load", p->dynamic_safety)         \
  X("pulley.bearing_life", "s", "bearing life L10", p->bearing_life)                                         \
  X("pulley.slip_safety", "1", "smallest slip safety", known(p->slip_safety))                                \
  X("pulley.slip_speed", "rad/s", "crank speed at the smallest slip safety", p->slip_speed)                  \
  X("span.entry", "rad", "entry angle of the span after it at the next pulley", e->entry)                    \
  X("span.exit", "rad", "exit angle of the span after it", e->exit)                                          \
  X("span.position", "m", "lateral position of the belt on the next pulley, from its centre", e->position)

#define PUT_ARRAY(name, unit, text, value)                                                                   \
  for (int i = 0; i < n; i++) {                                                                              \
    const cap_life_pulley *p = &w->pulleys[i];                                                               \
    const cap_belt_noise_entry *e = &w->entries[i];                                                          \
    (void)p, (void)e;                                                                                        \
    values[i] = (value);                                                                                     \
  }                                                                                                          \
  CAP_TRY(sink->array(sink, (cap_column){name, unit, text}, 1, &n, NULL, values));

static cap_status put_pulleys(cap_run *run, cap_life *w)
{
  cap_sink *sink = run->sink;
  int64_t n = w->belt->npulley;
  double values[CAP_BELT_PATH_MOST];
  const char *names = names_of_pulleys(w);
  if (!names) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(sink->text(sink, "pulleys", names));
  PULLEY_ARRAYS(PUT_ARRAY)
  return CAP_OK;
}

#define RESONANCE_ARRAYS(X)                                                                                  \
  X("resonance.order", "1", "engine order", r->order)                                                        \
  X("resonance.span", "1", spans, r->span + 1)                                                               \
  X("resonance.multiple", "1", "1: at the frequency of the span, 2: at twice it (parametric)", r->multiple)  \
  X("resonance.speed", "rad/s", "crank speed", r->speed)                                                     \
  X("resonance.frequency", "Hz", "frequency of the order", r->frequency)                                     \
  X("resonance.margin", "rad/s", "nearest speed of the duty cycle minus that speed", r->margin)

#define PUT_RESONANCE(name, unit, text, value)                                                               \
  for (int k = 0; k < n; k++) {                                                                              \
    const cap_life_resonance *r = &w->resonances[k];                                                         \
    values[k] = (value);                                                                                     \
  }                                                                                                          \
  CAP_TRY(sink->array(sink, (cap_column){name, unit, text}, 1, &n, NULL, values));

/* What the numbers of spans stand for, as io/codes.h reads it. */
static const char *spans_named(cap_life *w)
{
  const char *text = "number of the pulley before the span:";
  for (int i = 0; text && i < w->belt->npulley; i++)
    text = cap_arena_format(&w->arena, "%s%s %d = %s", text, i ? "," : "", i + 1, w->belt->pulleys[i].name);
  return text;
}

static cap_status put_resonances(cap_run *run, cap_life *w)
{
  cap_sink *sink = run->sink;
  int64_t n = w->nresonance;
  if (!n) return CAP_OK;
  double *values = CAP_ARENA_NEW(&w->arena, double, n);
  const char *spans = spans_named(w);
  if (!values || !spans) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  RESONANCE_ARRAYS(PUT_RESONANCE)
  return CAP_OK;
}

static cap_status put_numbers(cap_run *run, const cap_life *w)
{
  cap_sink *sink = run->sink;
  const cap_column damage = {"duty.damage", "1/s", "damage over the duty cycle, in the unit of the law"};
  const cap_column relative = {"duty.relative", "1", "life relative to that at the first speed"};
  const cap_column life = {"duty.life", "s", "belt life"};
  const cap_column used = {"duty.used", "1", "share of the life used up by the target"};
  CAP_TRY(sink->text(sink, "law", w->s->fatigue.law == CAP_BELT_LIFE_STRESS ? "stress" : "diameter"));
  CAP_TRY(sink->number(sink, damage, w->rate));
  CAP_TRY(sink->number(sink, relative, w->relative));
  if (absolute(w)) CAP_TRY(sink->number(sink, life, w->life));
  if (w->s->target_given) CAP_TRY(sink->number(sink, used, w->used));
  return CAP_OK;
}

cap_status cap_life_output(cap_run *run, cap_life *w)
{
  CAP_TRY(run->sink->open(run->sink, "life", "life",
                          "indicators of life and noise over a duty cycle, from fits and guidelines; for "
                          "ranking designs, not a durability proof"));
  CAP_TRY(put_table(run, w));
  CAP_TRY(put_numbers(run, w));
  CAP_TRY(put_pulleys(run, w));
  CAP_TRY(put_resonances(run, w));
  return run->sink->close(run->sink);
}

/* ---- notes --------------------------------------------------------------------------------------------- */

static double rpm(double speed)
{
  return speed * 30.0 / M_PI;
}

static double degrees(double angle)
{
  return angle * 180.0 / M_PI;
}

/* "-" for what is not known. */
static const char *shown(char text[32], const char *format, double value)
{
  if (isfinite(value)) snprintf(text, 32, format, value);
  else snprintf(text, 32, "-");
  return text;
}

static void tell_life(cap_run *run, const cap_life *w)
{
  char used[64] = "";
  if (w->s->target_given) snprintf(used, sizeof used, "; the target uses up a share of %.3g", w->used);
  if (absolute(w))
    cap_progress_note(run->progress, "life: %.4g h over the duty cycle (indicator)%s", w->life / 3600.0,
                      used);
  else
    cap_progress_note(
        run->progress,
        "life: over the duty cycle, %.4g times that at %.6g rpm (relative; no reference specified)",
        w->relative, rpm(w->points[0].speed));
}

/* The diameters to which the law of §32.1 was fitted, m. */
static const double FITTED_LOW = 0.0796, FITTED_HIGH = 0.176;

static void tell_fit(cap_run *run, const cap_life *w)
{
  char names[200] = "";
  if (w->s->fatigue.law != CAP_BELT_LIFE_DIAMETER) return;
  for (int i = 0; i < w->belt->npulley; i++) {
    double d = w->belt->pulleys[i].effective;
    size_t used = strlen(names);
    if (d >= FITTED_LOW * (1.0 - 1e-9) && d <= FITTED_HIGH * (1.0 + 1e-9)) continue;
    snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", w->belt->pulleys[i].name);
  }
  if (*names)
    cap_progress_note(run->progress,
                      "life: diameter outside the range of the fit of the law (79.6 mm to 176 mm): %s",
                      names);
}

static void tell_pulleys(cap_run *run, const cap_life *w)
{
  char text[6][32];
  cap_progress_note(run->progress, "  %-20s %9s %9s %9s %9s %9s %9s %9s", "over the duty cycle", "damage %",
                    "hub max", "hub mean", "static S", "dynamic S", "L10 h", "slip S");
  for (int i = 0; i < w->belt->npulley; i++) {
    const cap_life_pulley *p = &w->pulleys[i];
    cap_progress_note(
        run->progress, "    %-18.18s %9.2f %9s %9s %9s %9s %9s %9s", w->belt->pulleys[i].name,
        100.0 * p->share, shown(text[0], "%.1f", p->hub_most), shown(text[1], "%.1f", p->hub_equivalent),
        shown(text[2], "%.2f", p->static_safety), shown(text[3], "%.2f", p->dynamic_safety),
        shown(text[4], "%.0f", p->bearing_life / 3600.0), shown(text[5], "%.2f", p->slip_safety));
  }
}

static void warn_pulleys(cap_run *run, const cap_life *w)
{
  for (int i = 0; i < w->belt->npulley; i++) {
    const cap_life_pulley *p = &w->pulleys[i];
    const char *name = w->belt->pulleys[i].name, *next = w->belt->pulleys[(i + 1) % w->belt->npulley].name;
    if (p->slip_safety < w->s->slip_limit)
      cap_progress_note(run->progress,
                        "life: squeal: slip safety of %s is %.3f at %.0f rpm, below the limit of %.3g", name,
                        p->slip_safety, rpm(p->slip_speed), w->s->slip_limit);
    if (p->static_safety < 1.0)
      cap_progress_note(run->progress, "life: hub load of %s exceeds the static limit: %.0f N (safety %.3f)",
                        name, p->hub_most, p->static_safety);
    if (p->dynamic_safety < 1.0)
      cap_progress_note(run->progress,
                        "life: mean hub load of %s exceeds the dynamic limit: %.0f N (safety %.3f)", name,
                        p->hub_equivalent, p->dynamic_safety);
    if (fabs(w->entries[i].entry) > w->s->entry_limit)
      cap_progress_note(run->progress,
                        "life: chirp: the span from %s enters %s at %.3f deg, above the limit of %.3g deg",
                        name, next, degrees(w->entries[i].entry), degrees(w->s->entry_limit));
  }
}

enum { RESONANCES_TOLD = 6 };

/* The nearest to the duty cycle after `last`, ties in their order; -1 when there is none. */
static int next_resonance(const cap_life *w, int last)
{
  int best = -1;
  for (int k = 0; k < w->nresonance; k++) {
    double near = w->resonances[k].near;
    if (!(near <= w->s->resonance_limit)) continue;
    if (last >= 0) {
      double before = w->resonances[last].near;
      if (near < before || (near == before && k <= last)) continue;
    }
    if (best < 0 || near < w->resonances[best].near) best = k;
  }
  return best;
}

static void warn_resonances(cap_run *run, const cap_life *w)
{
  int told = 0, rest = 0;
  for (int k = next_resonance(w, -1); k >= 0; k = next_resonance(w, k)) {
    const cap_life_resonance *r = &w->resonances[k];
    if (told++ >= RESONANCES_TOLD) {
      rest++;
      continue;
    }
    cap_progress_note(run->progress,
                      "life: resonance: order %g meets %s of the span after %s at %.0f rpm (%.1f Hz), %.0f "
                      "rpm from the duty cycle",
                      r->order, r->multiple > 1.5 ? "twice the frequency" : "the frequency",
                      w->belt->pulleys[r->span].name, rpm(r->speed), r->frequency, rpm(fabs(r->margin)));
  }
  if (rest) cap_progress_note(run->progress, "life: %d more resonances are in the results", rest);
}

void cap_life_output_tell(cap_run *run, const cap_life *w)
{
  tell_life(run, w);
  tell_fit(run, w);
  tell_pulleys(run, w);
  warn_pulleys(run, w);
  warn_resonances(run, w);
}
