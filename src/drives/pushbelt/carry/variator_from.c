/* drives/pushbelt/carry/variator_from.c — see variator_from.h. */
#include "drives/pushbelt/carry/variator_from.h"
#include "analysis/stationary/stationary_subject.h"
#include "drives/pushbelt/carry/variator_carry.h"
#include "drives/pushbelt/observe/variator_asked.h"
#include "drives/pushbelt/observe/variator_gauge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const cap_field cap_variator_from_fields[] = {
    {.key = "elements",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(cap_variator_from, elements),
     .present = 1 + offsetof(cap_variator_from, elements_given),
     .fallback = "0",
     .low = 0,
     .high = 2000,
     .example = "110",
     .doc = "number of simulated elements of a coarser belt, which is run to its stationary point first; "
            "this run starts from its final state"},
    {.key = "file",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_variator_from, file),
     .example = "variator_basis.h5",
     .doc = "result file of another run of the same variator, from whose final state this run starts; number "
            "of simulated elements and loads may differ, ratios by at most 10 %"},
    {.key = "group",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_variator_from, group),
     .example = "BC05",
     .doc = "group of the result file; default: the group with the name of the case, or the only one with a "
            "final state of a variator"},
    {0}};

static bool given(const void *keys)
{
  const cap_variator_from *from = keys;
  return from->elements_given || from->file;
}

static const char *file_of(const void *keys)
{
  return ((const cap_variator_from *)keys)->file;
}

static void check(const void *keys, const cap_model *m, const char *path, cap_diag *diag)
{
  const cap_variator_from *from = keys;
  char key[512];
  snprintf(key, sizeof key, "%s.from", path);
  if (given(from) && !cap_variator_of(m))
    cap_diag_at(diag, key, "requires a pushbelt; expected drive: variator");
  if (from->elements_given && from->file)
    cap_diag_at(diag, key, "elements conflicts with file; specify only one");
  if (from->group && !from->file)
    cap_diag_at(diag, key, "incomplete; expected file, the result file that contains the group");
  snprintf(key, sizeof key, "%s.from.elements", path);
  if (from->elements_given && from->elements < 8)
    cap_diag_at(diag, key, "expected at least 8 elements, got %d", from->elements);
}

/* ---- a file -------------------------------------------------------------------------------------------- */

static void release(void *state)
{
  if (state) cap_variator_carry_store_free(state);
  free(state);
}

static cap_status load(const void *keys, cap_run *run, const char *prefer, void **state, cap_error *error)
{
  enum { N = CAP_VARIATOR_CARRY_ARRAYS };
  const cap_variator_from *from = keys;
  const char *names[N];
  double *values[N] = {NULL};
  int64_t counts[N];
  cap_run own = *run;
  own.error = error;
  cap_variator_carry *belt = *state = calloc(1, sizeof *belt);
  if (!belt) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < N; k++) names[k] = cap_variator_carry_store_columns[k].name;
  CAP_TRY(own.recall(&own, from->file, from->group, prefer, N, names, values, counts));
  cap_error why = {0};
  if (cap_variator_carry_store_adopt(values, counts, belt, &why) == CAP_OK) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_INPUT, "%s: %s", from->file, why.text);
}

static cap_status place(const void *state, const cap_model *m, cap_data *d, cap_error *why)
{
  return cap_variator_carry_start(state, m, d, why);
}

/* ---- a coarser belt ------------------------------------------------------------------------------------ */

typedef struct coarse {
  cap_model *m;
  cap_data *d;
  cap_channels channels;
  cap_stationary_point point;
} coarse;

static cap_status build(coarse *c, const cap_variator_from *from, cap_run *run, const cap_start_goal *goal,
                        cap_error *error)
{
  char elements[64];
  cap_run own = *run;
  own.error = error, own.like = NULL;
  const char **settings = calloc((size_t)goal->nsetting + 1, sizeof *settings);
  if (!settings) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < goal->nsetting; k++) settings[k] = goal->settings[k];
  snprintf(elements, sizeof elements, "elements.simulated=%d", from->elements);
  settings[goal->nsetting] = elements;
  cap_status status = own.rebuild_set(&own, goal->nsetting + 1, settings, NULL, NULL, &c->m);
  free(settings);
  CAP_TRY(status);
  c->d = cap_data_create(c->m);
  return c->d ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

/* It is watched as variators are when nobody says otherwise. */
static cap_status run_coarse(coarse *c, cap_run *run, const cap_stationary_point_plan *given,
                             cap_error *error)
{
  const char *names[] = {"ratio.speed", "ratio.thrust"};
  const int watch[] = {0, 1};
  static const cap_stationary_figure figures[] = {
      {.name = "ratio.speed", .share = CAP_VARIATOR_ASKED_SPEED},
      {.name = "ratio.thrust", .share = CAP_VARIATOR_ASKED_THRUST, .scale = 1.0}};
  const cap_texts patterns = {2, names};
  CAP_TRY(cap_channels_select(&c->channels, c->m, &patterns, error));
  cap_stationary_point_plan plan = *given;
  plan.turn = cap_stationary_subject_turn(c->m);
  plan.every = plan.turn / 200.0;
  plan.lead = 0.25, plan.average = 0.4, plan.error = 0.05; /* where it has come to is wanted, not its means */
  plan.losses = false, plan.shifts = -1;
  plan.see = NULL;
  cap_stationary_subject_slips(c->m, plan.slip);
  plan.nwatch = c->channels.n, plan.watch = watch, plan.figure = figures;
  return cap_stationary_point_run(&plan, c->m, c->d, &c->channels, run->progress, &c->point, error);
}

static cap_status carry(const coarse *c, const cap_start_goal *goal, cap_error *error)
{
  cap_variator_carry belt = {0};
  CAP_TRY(cap_variator_carry_take(c->m, c->d, &belt, error));
  cap_status status = cap_variator_carry_start(&belt, goal->m, goal->d, error);
  cap_variator_carry_store_free(&belt);
  return status;
}

static void tell(const coarse *c, const cap_variator_from *from, const cap_run *run,
                 const cap_start_goal *goal, const char *why)
{
  const cap_stationary_point *p = &c->point;
  if (why)
    cap_progress_note(run->progress, "%s: no state transfer from a belt of %d elements: %s", goal->what,
                      from->elements, why);
  else
    cap_progress_note(
        run->progress,
        "%s: state transfer from a belt of %d elements, %s %.2f turns; %.3g s of processor time", goal->what,
        from->elements, p->end == CAP_STATIONARY_REACHED ? "stationary after" : "not stationary until",
        p->settled, p->seconds);
}

static cap_status approach(const void *keys, cap_run *run, const cap_stationary_point_plan *plan,
                           const cap_start_goal *goal, bool *warm, cap_error *error)
{
  const cap_variator_from *from = keys;
  coarse c = {0};
  cap_error why = {0};
  *warm = false;
  cap_status status = build(&c, from, run, goal, error);
  if (status != CAP_OK && status != CAP_ERR_NOMEM) {
    why = *error;
    cap_status_fail(error, status, "from.elements: %s", why.text);
  }
  if (status == CAP_OK) status = run_coarse(&c, run, plan, error);
  if (status == CAP_OK && c.point.end == CAP_STATIONARY_SLIPS) tell(&c, from, run, goal, "macro slip");
  else if (status == CAP_OK && c.point.end == CAP_STATIONARY_FAILED) tell(&c, from, run, goal, c.point.why);
  else if (status == CAP_OK) {
    cap_status carried = carry(&c, goal, &why);
    *warm = carried == CAP_OK;
    if (carried == CAP_ERR_NOMEM) status = cap_status_fail(error, carried, "%s", why.text);
    else tell(&c, from, run, goal, *warm ? NULL : why.text);
  }
  cap_stationary_point_free(&c.point);
  cap_channels_free(&c.channels);
  cap_data_free(c.d);
  cap_model_free(c.m);
  return status;
}

const cap_start_type cap_variator_from_start = {
    .name = "variator",
    .given = given,
    .file = file_of,
    .check = check,
    .load = load,
    .place = place,
    .release = release,
    .approach = approach,
};
