/* analysis/search/search.c — see search.h: the order of things, and switching. */
#include "analysis/search/search.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BRANCHES_MOST = 200 };

const cap_field cap_search_fields[] = {
    {.key = "load",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_search_spec, load),
     .fallback = "30",
     .low = 0,
     .high = 10000,
     .example = "30",
     .doc = "number of values of the sweep, evenly spaced, at which the harmonic load is raised from zero to "
            "beyond its value: every solution at its value is a candidate; 0 = none"},
    {.key = "states",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_search_spec, states),
     .fallback = "32",
     .low = 0,
     .high = 100000,
     .example = "32",
     .doc = "number of random states at each of the values that are integrated to attractors; 0 = none"},
    {.key = "values",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_search_spec, values),
     .fallback = "30",
     .low = 1,
     .high = 10000,
     .example = "30",
     .doc = "number of values of the sweep, evenly spaced, at which random states are drawn"},
    {.key = "periods",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_search_spec, periods),
     .fallback = "3",
     .low = 1,
     .high = 12,
     .example = "3",
     .doc = "longest period of an orbit, in forcing periods"},
    {.key = "folds",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_search_spec, folds),
     .fallback = "false",
     .example = "true",
     .doc = "whether to follow every fold in the load to other folds at its value"},
    {.key = "deflation",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_search_spec, deflation),
     .fallback = "false",
     .example = "true",
     .doc = "whether to search for further solutions by deflation, at ten values of the sweep"},
    {0}};

double cap_search_value(const cap_search *s, int k, int count)
{
  const cap_hb_branches_settings *settings = cap_hb_branches_settings_of(s->set);
  return settings->first + (settings->last - settings->first) * (k + 0.5) / count;
}

double cap_search_size(const cap_search *s)
{
  double size = 1e-9;
  for (int b = 0; b < cap_hb_branches_count(s->set); b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(s->set, b);
    const cap_hb *hb = cap_hb_branches_hb_of(s->set, b);
    for (int k = 0; k < branch->npoint; k++)
      for (int i = 0; i < hb->nouter * hb->ncoef; i++)
        if (i % hb->ncoef) size = fmax(size, fabs(branch->points[k].x[i]));
  }
  return size;
}

bool cap_search_lost(cap_search *s, cap_status status, const char *found, const char *why)
{
  if (status != CAP_RETRY_NOCONV && status != CAP_RETRY_NONFINITE && status != CAP_ERR_NUMERICS) return false;
  if (s->nlost++ == 0) snprintf(s->lost, sizeof s->lost, "%.150s: %.230s", found, why);
  return true;
}

bool cap_search_folds_possible(const cap_search *s)
{
  /* derivatives to both parameters are at hand for the angular frequency alone */
  return cap_hb_branches_settings_of(s->set)->parameter == CAP_HB_CURVE_ANGULAR_FREQUENCY;
}

enum { LEFT = 800 };

__attribute__((format(printf, 2, 3))) static void append(char text[LEFT], const char *format, ...)
{
  size_t used = strlen(text);
  va_list arguments;
  if (used > 0 && used + 3 < LEFT) used += (size_t)snprintf(text + used, LEFT - used, "; ");
  va_start(arguments, format);
  vsnprintf(text + used, LEFT - used, format, arguments);
  va_end(arguments);
}

void cap_search_left(const cap_search *s, char text[LEFT])
{
  text[0] = 0;
  if (s->nlost)
    append(text, "%d of %d candidates gave no solution, the first: %s", s->nlost, s->noffer, s->lost);
  if (s->nlonger)
    append(text,
           "motions that are not periodic within %d periods, chaotic, unbounded or slow to settle at %d of "
           "%d values, the first at %.6g",
           s->spec->periods, s->nlonger, s->spec->values, s->longer);
  if (s->spec->folds && !cap_search_folds_possible(s))
    append(text, "no folds over the load: they are followed only in a sweep of the angular frequency on "
                 "which nothing but the loads depends");
}

cap_status cap_search_offer(cap_search *s, int sub, const double *x, double p, const char *found, bool *fresh,
                            cap_error *error)
{
  int before = cap_hb_branches_count(s->set), branch;
  cap_error why = {0};
  *fresh = false;
  if (before >= BRANCHES_MOST) return CAP_OK;
  cap_status status = cap_hb_branches_follow(s->set, sub, x, p, found, 0, &branch, &why);
  s->noffer++;
  if (cap_search_lost(s, status, found, why.text)) return CAP_OK;
  if (status != CAP_OK) return cap_status_fail(error, status, "%s", why.text);
  *fresh = cap_hb_branches_count(s->set) > before;
  return CAP_OK;
}

/* ---- switching ----------------------------------------------------------------------------------------- */

static cap_status switch_at(cap_search *s, int branch, int point, cap_error *error)
{
  const cap_hb_branch *from = cap_hb_branches_get(s->set, branch);
  int other;
  char name[160];
  cap_error why = {0};
  snprintf(name, sizeof name, "switching from %s at %.6g", from->name, from->points[point].p);
  cap_status status = cap_hb_branches_switch_at(s->set, branch, point, &other, &why);
  s->noffer++;
  if (cap_search_lost(s, status, name, why.text)) return CAP_OK;
  return status == CAP_OK ? CAP_OK : cap_status_fail(error, status, "%s", why.text);
}

/* Whether an orbit of several periods repeats itself earlier: there its branch meets that of the shorter
 * period, which is known. */
static bool is_junction(const cap_search *s, int branch, const cap_hb_point *point)
{
  const cap_hb *hb = cap_hb_branches_hb_of(s->set, branch);
  double whole = 0.0, part = 0.0;
  for (int i = 0; i < hb->nouter; i++)
    for (int h = 1; h <= hb->nharmonic; h++) {
      const double *a = point->x + i * hb->ncoef + 2 * h - 1;
      double *most = h % hb->sub ? &part : &whole;
      *most = fmax(*most, hypot(a[0], a[1]));
    }
  return hb->sub > 1 && part < 1e-4 * whole;
}

/* At all special points of branches that are new since the last time; those that arise are new, too. */
static cap_status switch_all(cap_search *s, cap_error *error)
{
  for (; s->next_branch < cap_hb_branches_count(s->set); s->next_branch++)
    for (int k = 0; k < cap_hb_branches_get(s->set, s->next_branch)->npoint; k++) {
      const cap_hb_branch *branch = cap_hb_branches_get(s->set, s->next_branch);
      const cap_hb_point *point = &branch->points[k];
      bool doubles = point->kind == CAP_HB_DOUBLING && 2 * branch->sub <= s->spec->periods;
      bool crosses = point->kind == CAP_HB_BRANCH_POINT && point->other &&
                     !is_junction(s, s->next_branch, point);
      if (!doubles && !crosses) continue;
      if (cap_hb_branches_count(s->set) >= BRANCHES_MOST) return CAP_OK;
      CAP_TRY(switch_at(s, s->next_branch, k, error));
    }
  return CAP_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static double processor_time(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef cap_status stage(cap_search *s, cap_error *error);

static cap_status timed(cap_search *s, int number, stage *run, cap_error *error)
{
  double start = processor_time();
  cap_status status = run(s, error);
  s->seconds[number] += processor_time() - start;
  return status;
}

cap_status cap_search_run(cap_search *s, cap_error *error)
{
  static stage *const stages[] = {switch_all, cap_search_load_run, cap_search_states_run,
                                  cap_search_folds_run, cap_search_deflation_run};
  const cap_search_spec *spec = s->spec;
  const bool wanted[] = {true, spec->load > 0, spec->states > 0, spec->folds, spec->deflation};
  for (int k = 0; k < 5; k++) {
    if (!wanted[k]) continue;
    CAP_TRY(timed(s, k, stages[k], error));
    CAP_TRY(timed(s, 0, switch_all, error));
  }
  return CAP_OK;
}
