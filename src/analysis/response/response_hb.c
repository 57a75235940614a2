/* analysis/response/response_hb.c — response by harmonic balance and arc-length continuation.
 *
 * Maths: docs/theory.md §12 and §13. For each member of the family the branch through the solution at the
 * first value of the sweep is followed through all its folds, then the one through the solution at the last
 * value unless it is the same. The sweep's parameter may be anything: where it is the angular frequency of
 * the
 * forcing and nothing but loads and imposed motions depends on it, derivatives are exact; else the model is
 * built anew along the curve. Members are independent and run on several threads; what is written depends on
 * the order of the family alone.
 */
#include "analysis/response/response_hb.h"
#include "base/parallel.h"
#include "elements/elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cap_status cap_response_hb_model(cap_response *r, int family, double p, cap_model **m, cap_error *error)
{
  const char *paths[2] = {r->spec->sweep.path, r->spec->family.path};
  double values[2] = {p, r->spec->family.path ? r->spec->family.values.v[family] : 0.0};
  cap_run run = *r->run;
  run.error = error;
  return run.rebuild(&run, r->spec->family.path ? 2 : 1, paths, 1, values, m);
}

/* ---- what the parameter is ----------------------------------------------------------------------------- */

static bool same_values(int n, const double *a, const double *b)
{
  return n == 0 || memcmp(a, b, sizeof(double) * (size_t)n) == 0;
}

/* A load but for its angular frequency, which is a multiple of the forcing's. */
static bool same_load(const double *a, const double *b, double ratio)
{
  return a[CAP_LOAD_MEAN] == b[CAP_LOAD_MEAN] && a[CAP_LOAD_AMPLITUDE] == b[CAP_LOAD_AMPLITUDE] &&
         a[CAP_LOAD_PHASE] == b[CAP_LOAD_PHASE] &&
         fabs(a[CAP_LOAD_ANGULAR_FREQUENCY] * ratio - b[CAP_LOAD_ANGULAR_FREQUENCY]) <=
             1e-12 * b[CAP_LOAD_ANGULAR_FREQUENCY];
}

static bool same_elements(const cap_model *a, const cap_model *b, double ratio)
{
  if (a->nbatch != b->nbatch) return false;
  for (int k = 0; k < a->nbatch; k++) {
    const cap_batch *one = &a->batches[k], *other = &b->batches[k];
    int size = one->type->nparam;
    if (one->type != other->type || one->n != other->n) return false;
    for (int n = 0; n < one->n; n++) {
      const double *par = one->par + n * size, *with = other->par + n * size;
      if (one->type == &cap_load_type ? !same_load(par, with, ratio) : !same_values(size, par, with))
        return false;
    }
  }
  return true;
}

static bool same_motions(const cap_model *a, const cap_model *b, double ratio)
{
  for (int k = 0; k < a->nmotion; k++) {
    const cap_motion *one = &a->motions[k], *other = &b->motions[k];
    if (one->mean != other->mean || one->amplitude != other->amplitude || one->phase != other->phase ||
        one->nsample || one->nspeed ||
        fabs(one->angular_frequency * ratio - other->angular_frequency) > 1e-12 * other->angular_frequency)
      return false;
  }
  return true;
}

/* Whether the models at both ends of the sweep differ in the angular frequency of the forcing alone, which
 * is the
 * sweep's parameter itself. */
static bool is_angular_frequency(const cap_model *a, const cap_model *b, double first, double last)
{
  if (fabs(a->period[0] * first - 2.0 * M_PI) > 1e-9 || fabs(b->period[0] * last - 2.0 * M_PI) > 1e-9)
    return false;
  double ratio = last / first;
  return same_elements(a, b, ratio) && same_motions(a, b, ratio) && same_values(a->nv, a->mass, b->mass) &&
         same_values(a->nslider, a->slider_k, b->slider_k) &&
         same_values(a->nslider, a->slider_limit, b->slider_limit) &&
         same_values(a->nstate, a->initial, b->initial);
}

/* ---- one member ---------------------------------------------------------------------------------------- */

typedef struct follower {
  cap_response *r;
  int family;
  cap_model *m; /* at the first value */
  cap_hb_branches *set;
} follower;

static cap_status build(void *self, double p, cap_model **m, cap_error *error)
{
  const follower *w = self;
  return cap_response_hb_model(w->r, w->family, p, m, error);
}

/* Counts a point; how many there will be nobody knows. */
static bool stopped(void *self)
{
  const follower *w = self;
  const cap_progress *progress = w->r->run->progress;
  long done = atomic_fetch_add(w->r->done, 1) + 1;
  if (done % 64 == 0) cap_progress_report(progress, "response", (double)done, 0.0, "points");
  return cap_progress_stopped(progress);
}

static cap_status open_set(follower *w, bool stability, cap_error *error)
{
  const cap_response_spec *spec = w->r->spec;
  double first = spec->sweep.values.v[0], last = spec->sweep.values.v[spec->sweep.values.n - 1];
  cap_model *m = NULL;
  cap_hb_branches_settings settings = {.first = first,
                                       .last = last,
                                       .harmonics = spec->harmonics,
                                       .samples = spec->samples,
                                       .harmonics_most = spec->harmonics_most,
                                       .tolerance = spec->tolerance,
                                       .truncation = true,
                                       .stability = stability,
                                       .stopped = stopped,
                                       .stopped_self = w};
  settings.source = (cap_hb_curve_source){build, w, fmin(first, last), fmax(first, last)};
  CAP_TRY(build(w, first, &w->m, error));
  CAP_TRY(build(w, last, &m, error));
  settings.parameter = is_angular_frequency(w->m, m, first, last) ? CAP_HB_CURVE_ANGULAR_FREQUENCY
                                                                  : CAP_HB_CURVE_MODEL;
  cap_model_free(m);
  return cap_hb_branches_create(w->m, &settings, &w->set, error);
}

/* Curves without stability are better than none. */
static cap_status open_set_anyway(follower *w, cap_response_member *member, cap_error *error)
{
  cap_error why = {0};
  cap_status status = open_set(w, w->r->spec->stability, &why);
  if (status == CAP_ERR_UNSUPPORTED && w->r->spec->stability) {
    cap_error again = {0};
    snprintf(member->unstable, sizeof member->unstable, "%.390s", why.text);
    cap_model_free(w->m);
    w->m = NULL;
    if (open_set(w, false, &again) == CAP_OK) return CAP_OK;
  }
  return status == CAP_OK ? CAP_OK : cap_status_fail(error, status, "%s", why.text);
}

static cap_status find_branches(follower *w, cap_response_member *member, cap_error *error)
{
  cap_error why = {0};
  cap_status status = cap_hb_branches_follow_ends(w->set, member->note, &why);
  if (status == CAP_RETRY_NOCONV || status == CAP_RETRY_NONFINITE) {
    snprintf(member->failure, sizeof member->failure, "%.390s", why.text);
    return CAP_OK; /* what others find stays */
  }
  if (status != CAP_OK) return cap_status_fail(error, status, "%s", why.text);
  if (!w->r->spec->searches) return CAP_OK;
  cap_search search = {.set = w->set,
                       .spec = &w->r->spec->search,
                       .seed = (uint64_t)w->r->run->seed,
                       .progress = w->r->run->progress};
  status = cap_search_run(&search, error);
  cap_search_left(&search, member->search);
  return status;
}

typedef struct task {
  cap_response *r;
  cap_response_member *members;
} task;

static cap_status do_member(void *self, int family, cap_error *error)
{
  const task *t = self;
  cap_response own = *t->r;
  cap_run run = *own.run;
  own.run = &run;
  run.error = error;
  follower w = {.r = &own, .family = family};
  cap_response_member *member = &t->members[family];
  member->family = family;
  if (own.shooting) return cap_response_shooting_member(&own, member, error);
  cap_status status = open_set_anyway(&w, member, error);
  if (status == CAP_OK) status = find_branches(&w, member, error);
  if (status == CAP_OK) status = cap_response_hb_output_collect(&own, w.set, member, error);
  cap_hb_branches_free(w.set);
  cap_model_free(w.m);
  return status;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* A response of which nothing was found is a failure; a member without branches is told. */
static cap_status check_found(cap_response *r, const cap_response_member *members)
{
  int missed = 0;
  for (int k = 0; k < r->nfamily; k++) {
    if (!members[k].failure[0]) continue;
    missed++;
    cap_progress_note(r->run->progress, "response: member %d of the family: %s", k + 1, members[k].failure);
  }
  if (missed < r->nfamily) return CAP_OK;
  return cap_status_fail(r->run->error, CAP_ERR_NUMERICS, "response: %s", members[0].failure);
}

cap_status cap_response_hb(cap_response *r)
{
  cap_response_member *members = calloc((size_t)r->nfamily, sizeof *members);
  if (!members) return cap_status_fail(r->run->error, CAP_ERR_NOMEM, "out of memory");
  task t = {r, members};
  cap_status status = cap_parallel_for(r->nfamily, r->run->threads, do_member, &t, r->run->error);
  if (status == CAP_OK) status = check_found(r, members);
  if (status == CAP_OK) status = cap_response_hb_output_put(r, members);
  for (int k = 0; k < r->nfamily; k++) {
    free(members[k].rows);
    cap_arena_free(&members[k].arena);
  }
  free(members);
  return status;
}
