/* analysis/response/response_hb_output.c — branches as rows of a table, and what is known of each.
 *
 * One row a point: the sweep's and the family's parameter, the branch, what the point is, its stability, the
 * accuracy, then every channel's mean, rms and extremes, and the amplitudes of its harmonics when asked for.
 * One entry a branch in the arrays branch.*, one text each for its name, how it was found and how it ends.
 */
#include "analysis/observe/motion_rows.h"
#include "analysis/orbit/confirm.h"
#include "analysis/response/response_hb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SWEEP,
  FAMILY,
  BRANCH,
  KIND,
  MULTIPLIER,
  UNSTABLE,
  HARMONICS,
  TRUNCATION,
  DISTANCE,
  RMS_DISTANCE,
  MULTIPLIER_DISTANCE,
  FIXED
};

/* The columns of the channels, as other analyses of periodic motions have them. */
static cap_motion_rows channels_of(const cap_response *r)
{
  return (cap_motion_rows){.channels = r->channels, .orders = r->spec->orders};
}

int cap_response_hb_output_columns(const cap_response *r)
{
  const cap_motion_rows channels = channels_of(r);
  return FIXED + cap_motion_rows_width(&channels);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static double family_value(const cap_response *r, const cap_response_member *member)
{
  return r->spec->family.path ? r->spec->family.values.v[member->family] : 0.0;
}

void cap_response_hb_output_motion(const cap_response *r, const cap_response_member *member,
                                   const cap_response_motion *motion, int nsample, const double *waves,
                                   double *row)
{
  row[SWEEP] = motion->p;
  row[FAMILY] = family_value(r, member);
  row[BRANCH] = motion->branch;
  row[KIND] = motion->kind;
  row[MULTIPLIER] = motion->largest;
  row[UNSTABLE] = motion->unstable >= 0 ? motion->unstable : NAN;
  row[HARMONICS] = row[TRUNCATION] = NAN;
  row[DISTANCE] = row[RMS_DISTANCE] = row[MULTIPLIER_DISTANCE] = NAN;
  const cap_motion_rows channels = channels_of(r);
  cap_motion_rows_values(&channels, nsample, waves, 1, row + FIXED);
}

double cap_response_hb_output_stable(const cap_response_member *member, int first_row)
{
  int known = 0, stable = 0;
  for (int k = first_row; k < member->nrow; k++) {
    const double *row = member->rows + (size_t)k * (size_t)member->ncolumn;
    if (row[KIND] != CAP_HB_POINT || !isfinite(row[UNSTABLE])) continue;
    known++;
    stable += row[UNSTABLE] == 0.0;
  }
  return known ? (double)stable / known : NAN;
}

/* What the rows of a member are made from. */
typedef struct collector {
  cap_response *r;
  cap_hb_branches *set;
  cap_response_member *member;
  cap_confirm *confirm; /* NULL: not wanted, or not possible */
  double span;          /* of the sweep */
} collector;

/* How far an orbit by shooting is: its positions, and the parameter where it was let free. */
static double distance_of(const collector *w, const cap_confirm_result *result)
{
  return fmax(result->position, fabs(result->shift) / w->span);
}

static void judge_confirmation(collector *w, const cap_hb *hb, const cap_hb_point *point,
                               const cap_confirm_result *result, double *row)
{
  cap_response_member *member = w->member;
  /* where a branch meets orbits of fewer periods, its own last one is such */
  int period = cap_hb_branches_known_period(w->set, hb, point->x);
  bool same = result->same || (result->found && period < hb->sub && result->period == period);
  member->nverified++;
  if (result->found) row[DISTANCE] = distance_of(w, result);
  if (result->found) row[RMS_DISTANCE] = result->rms_ac;
  if (!same) {
    if (!member->unconfirmed[0])
      snprintf(member->unconfirmed, sizeof member->unconfirmed, "at %.9g: %.200s", point->p, result->reason);
    return;
  }
  member->nconfirmed++;
  member->distance = fmax(member->distance, distance_of(w, result));
  if (isnan(point->largest)) return;
  row[MULTIPLIER_DISTANCE] = fabs(result->largest - point->largest);
  member->multiplier = fmax(member->multiplier, row[MULTIPLIER_DISTANCE]);
  /* at special points a multiplier is on the circle, and which side it falls on says nothing */
  member->nother += point->kind == CAP_HB_POINT && result->unstable != point->unstable;
}

/* The orbit by shooting from this one: at the same parameter; where there is none, or near a fold where it is
 * much farther along the curve than across it, the nearest one of all parameters. */
static cap_status confirm_point(collector *w, cap_hb *hb, const cap_hb_point *point, double angular_frequency,
                                double *row, cap_error *error)
{
  cap_confirm_result result = {0}, near;
  cap_confirm_parameter parameter = {
      .source = &cap_hb_branches_settings_of(w->set)->source, .p = point->p, .scale = 0.1 * w->span};
  if (point->kind != CAP_HB_FOLD) {
    cap_model *m = NULL;
    CAP_TRY(cap_response_hb_model(w->r, w->member->family, point->p, &m, error));
    cap_status status = cap_confirm_balance(w->confirm, m, hb, point->x, angular_frequency, &result, error);
    cap_model_free(m);
    CAP_TRY(status);
  }
  if (!result.same || result.position > 1e-4) {
    parameter.at_once = true;
    CAP_TRY(cap_confirm_balance_near(w->confirm, &parameter, hb, point->x, angular_frequency, &near, error));
    if (!result.same || (near.same && distance_of(w, &near) < result.position)) result = near;
  }
  judge_confirmation(w, hb, point, &result, row);
  return cap_progress_stopped(w->r->run->progress) ? cap_status_fail(error, CAP_STOPPED, "interrupted")
                                                   : CAP_OK;
}

static cap_status fill_row(collector *w, int branch, int index, double *row, cap_error *error)
{
  const cap_response *r = w->r;
  cap_hb_branches *set = w->set;
  const cap_hb_point *point = &cap_hb_branches_get(set, branch)->points[index];
  cap_hb *hb = cap_hb_branches_hb_of(set, branch);
  double angular_frequency;
  CAP_TRY(cap_hb_branches_place(set, hb, point->p, &angular_frequency, error));
  row[SWEEP] = point->p;
  row[BRANCH] = branch;
  row[KIND] = point->kind;
  row[MULTIPLIER] = point->largest;
  row[UNSTABLE] = point->unstable >= 0 ? point->unstable : NAN;
  row[HARMONICS] = point->harmonics;
  row[TRUNCATION] = point->truncation;
  row[DISTANCE] = row[RMS_DISTANCE] = row[MULTIPLIER_DISTANCE] = NAN;
  if (w->confirm && (point->kind != CAP_HB_POINT || index % r->spec->verify_every == 0))
    CAP_TRY(confirm_point(w, hb, point, angular_frequency, row, error));
  const cap_motion_rows channels = channels_of(r);
  return cap_motion_rows_fill(&channels, hb, point->x, angular_frequency, row + FIXED, error);
}

static cap_status describe(const cap_hb_branch *b, cap_arena *arena, cap_response_branch *out)
{
  int stable = 0, known = 0;
  *out = (cap_response_branch){.period = b->sub,
                               .parent = b->parent,
                               .closed = b->closed,
                               .complete = b->complete[0] && b->complete[1],
                               .from = INFINITY,
                               .to = -INFINITY};
  for (int k = 0; k < b->npoint; k++) {
    out->from = fmin(out->from, b->points[k].p);
    out->to = fmax(out->to, b->points[k].p);
    if (b->points[k].kind != CAP_HB_POINT || b->points[k].unstable < 0) continue;
    known++;
    stable += b->points[k].unstable == 0;
  }
  out->stable = known ? (double)stable / known : NAN;
  out->name = cap_arena_copy_text(arena, b->name);
  out->found = cap_arena_copy_text(arena, b->found);
  const char *between = b->shortfall[0] ? "; " : "";
  out->complete = out->complete && !b->shortfall[0];
  out->ends = b->closed ? cap_arena_format(arena, "%s%s%s", b->end[1], between, b->shortfall)
                        : cap_arena_format(arena, "%s; %s%s%s", b->end[0], b->end[1], between, b->shortfall);
  return out->name && out->found && out->ends ? CAP_OK : CAP_ERR_NOMEM;
}

static cap_status collect_branch(collector *w, int b, cap_error *error)
{
  const cap_hb_branch *branch = cap_hb_branches_get(w->set, b);
  cap_response_member *member = w->member;
  if (describe(branch, &member->arena, &member->branches[b]) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  member->nbranch++;
  for (int k = 0; k < branch->npoint; k++) {
    double *row = member->rows + (size_t)member->nrow * (size_t)member->ncolumn;
    row[FAMILY] = family_value(w->r, member);
    CAP_TRY(fill_row(w, b, k, row, error));
    member->nrow++;
  }
  return CAP_OK;
}

/* A model that shooting cannot do is told, not refused: the branches are there. */
static cap_status open_confirmation(collector *w, cap_error *error)
{
  cap_error why = {0};
  cap_model *m = NULL;
  if (!w->r->spec->verify) return CAP_OK;
  CAP_TRY(cap_response_hb_model(w->r, w->member->family, w->r->spec->sweep.values.v[0], &m, error));
  cap_status status = cap_confirm_create(m, NULL, &w->confirm, &why);
  cap_model_free(m);
  if (status == CAP_ERR_UNSUPPORTED) {
    snprintf(w->member->refused, sizeof w->member->refused, "%.390s", why.text);
    return CAP_OK;
  }
  return status == CAP_OK ? CAP_OK : cap_status_fail(error, status, "%s", why.text);
}

cap_status cap_response_hb_output_collect(cap_response *r, cap_hb_branches *set, cap_response_member *member,
                                          cap_error *error)
{
  size_t total = 0;
  int nbranch = cap_hb_branches_count(set);
  collector w = {.r = r, .set = set, .member = member};
  const cap_reals *sweep = &r->spec->sweep.values;
  w.span = fabs(sweep->v[sweep->n - 1] - sweep->v[0]);
  if (!(w.span > 0.0)) w.span = fmax(fabs(sweep->v[0]), 1e-300);
  for (int b = 0; b < nbranch; b++) total += (size_t)cap_hb_branches_get(set, b)->npoint;
  member->ncolumn = cap_response_hb_output_columns(r);
  member->branches = CAP_ARENA_NEW(&member->arena, cap_response_branch, nbranch);
  member->rows = calloc(total * (size_t)member->ncolumn + 1, sizeof(double));
  if (!member->branches || !member->rows) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = open_confirmation(&w, error);
  for (int b = 0; b < nbranch && status == CAP_OK; b++) status = collect_branch(&w, b, error);
  cap_confirm_free(w.confirm);
  return status;
}

/* ---- columns ------------------------------------------------------------------------------------------- */

static void fixed_columns(const cap_response *r, cap_column *columns)
{
  const cap_sweep *family = &r->spec->family, *sweep = &r->spec->sweep;
  columns[SWEEP] = (cap_column){sweep->path, sweep->target->unit, sweep->target->doc};
  columns[FAMILY] = family->path ? (cap_column){family->path, family->target->unit, family->target->doc}
                                 : (cap_column){"family", "1", "member of the family"};
  columns[BRANCH] = (cap_column){"branch", "1", "number of the branch"};
  columns[KIND] = (cap_column){
      "kind", "1", "0: point, 1: fold, 2: branch point, 3: period doubling, 4: Neimark-Sacker point"};
  columns[MULTIPLIER] = (cap_column){"multiplier", "1", "largest modulus of the Floquet multipliers"};
  columns[UNSTABLE] = (cap_column){"unstable", "1", "number of Floquet multipliers outside the unit circle"};
  columns[HARMONICS] = (cap_column){"harmonics", "1",
                                    "number of harmonics of the forcing in the harmonic balance"};
  columns[TRUNCATION] = (cap_column){"truncation", "1",
                                     "truncation error of the harmonics relative to the motion, estimated"};
  columns[DISTANCE] = (cap_column){"distance", "1",
                                   "distance from the orbit by shooting relative to the extent of the orbit"};
  columns[RMS_DISTANCE] = (cap_column){
      "rms_distance", "1", "relative difference in the rms of the positions from the orbit by shooting"};
  columns[MULTIPLIER_DISTANCE] = (cap_column){
      "multiplier_distance", "1", "difference in the largest multiplier from the orbit by shooting"};
}

static cap_status put_columns(const cap_response *r)
{
  cap_column fixed[FIXED];
  cap_motion_rows channels;
  fixed_columns(r, fixed);
  cap_status status = cap_motion_rows_open(r->run, r->spec->orders, &channels);
  if (status == CAP_OK) status = cap_motion_rows_declare(&channels, FIXED, fixed, r->run);
  cap_motion_rows_close(&channels);
  return status;
}

/* ---- branches ------------------------------------------------------------------------------------------ */

enum { AXIS, OF_FAMILY, PERIOD, PARENT, CLOSED, FROM, TO, STABLE, ARRAYS };

static void branch_values(const cap_response *r, const cap_response_member *member, int before, int b,
                          double values[ARRAYS])
{
  const cap_response_branch *branch = &member->branches[b];
  values[AXIS] = before + b + 1;
  values[OF_FAMILY] = family_value(r, member);
  values[PERIOD] = branch->period;
  values[PARENT] = branch->parent < 0 ? 0.0 : before + branch->parent + 1;
  values[CLOSED] = branch->closed;
  values[FROM] = branch->from;
  values[TO] = branch->to;
  values[STABLE] = branch->stable;
}

static cap_status put_arrays(const cap_response *r, const cap_response_member *members, int nbranch)
{
  cap_sink *sink = r->run->sink;
  const char *unit = r->spec->sweep.target->unit;
  const cap_column what[ARRAYS] = {
      {"branches", "1", "number of the branch"},
      {"branch.family", r->spec->family.path ? r->spec->family.target->unit : "1",
       "family parameter of the branch"},
      {"branch.period", "1", "period, in forcing periods"},
      {"branch.parent", "1", "branch from which it emanates, 0 = none"},
      {"branch.closed", "1", "1 if the branch is a closed curve"},
      {"branch.from", unit, "smallest value of the swept parameter on the branch"},
      {"branch.to", unit, "largest value of the swept parameter on the branch"},
      {"branch.stable", "1", "share of stable points"}};
  double *values = calloc((size_t)nbranch * ARRAYS + ARRAYS, sizeof *values), one[ARRAYS];
  if (!values) return cap_status_fail(r->run->error, CAP_ERR_NOMEM, "out of memory");
  int64_t at = 0, count = nbranch;
  for (int k = 0; k < r->nfamily; k++) {
    int before = (int)at;
    for (int b = 0; b < members[k].nbranch; b++, at++) {
      branch_values(r, &members[k], before, b, one);
      for (int a = 0; a < ARRAYS; a++) values[a * count + at] = one[a];
    }
  }
  cap_status status = CAP_OK;
  for (int a = 0; a < ARRAYS && status == CAP_OK; a++)
    status = sink->array(sink, what[a], 1, &count, a ? "branches" : NULL, values + a * count);
  free(values);
  return status;
}

static cap_status put_texts(const cap_response *r, const cap_response_member *member, int before)
{
  cap_sink *sink = r->run->sink;
  char name[64];
  for (int b = 0; b < member->nbranch; b++) {
    const cap_response_branch *branch = &member->branches[b];
    snprintf(name, sizeof name, "branch.%d.name", before + b + 1);
    CAP_TRY(sink->text(sink, name, branch->name));
    snprintf(name, sizeof name, "branch.%d.found", before + b + 1);
    CAP_TRY(sink->text(sink, name, branch->found));
    snprintf(name, sizeof name, "branch.%d.ends", before + b + 1);
    CAP_TRY(sink->text(sink, name, branch->ends));
    if (!branch->complete)
      cap_progress_note(r->run->progress, "response: branch %d (%s): %s", before + b + 1, branch->name,
                        branch->ends);
  }
  if (member->unstable[0]) {
    snprintf(name, sizeof name, "family.%d.stability", member->family + 1);
    CAP_TRY(sink->text(sink, name, member->unstable));
    cap_progress_note(r->run->progress, "response: without stability: %s", member->unstable);
  }
  for (int side = 0; side < 2; side++) {
    if (!member->note[side][0]) continue;
    snprintf(name, sizeof name, "family.%d.%s", member->family + 1, side == 0 ? "first" : "last");
    CAP_TRY(sink->text(sink, name, member->note[side]));
    cap_progress_note(r->run->progress, "response: no branch from the %s value: %s",
                      side == 0 ? "first" : "last", member->note[side]);
  }
  if (!member->search[0]) return CAP_OK;
  snprintf(name, sizeof name, "family.%d.search", member->family + 1);
  cap_progress_note(r->run->progress, "response: search: %s", member->search);
  return sink->text(sink, name, member->search);
}

/* What shooting said of all members together. */
static cap_status put_confirmation(const cap_response *r, const cap_response_member *members)
{
  cap_sink *sink = r->run->sink;
  int verified = 0, confirmed = 0, other = 0;
  double distance = 0.0, multiplier = 0.0;
  if (!r->spec->verify) return CAP_OK;
  for (int k = 0; k < r->nfamily; k++) {
    const cap_response_member *member = &members[k];
    const char *trouble = member->refused[0] ? member->refused : member->unconfirmed;
    char name[64];
    verified += member->nverified, confirmed += member->nconfirmed, other += member->nother;
    distance = fmax(distance, member->distance);
    multiplier = fmax(multiplier, member->multiplier);
    if (!trouble[0]) continue;
    snprintf(name, sizeof name, "family.%d.verify", k + 1);
    CAP_TRY(sink->text(sink, name, trouble));
    cap_progress_note(r->run->progress, "response: not confirmed by shooting: %s", trouble);
  }
  CAP_TRY(
      sink->number(sink, (cap_column){"verified", "1", "number of orbits verified by shooting"}, verified));
  CAP_TRY(sink->number(sink, (cap_column){"confirmed", "1", "number of orbits confirmed by shooting"},
                       confirmed));
  CAP_TRY(
      sink->number(sink,
                   (cap_column){"stability.differs", "1",
                                "number of confirmed orbits with a different number of unstable multipliers"},
                   other));
  CAP_TRY(sink->number(
      sink,
      (cap_column){"distance.largest", "1", "largest distance of a confirmed orbit from that by shooting"},
      distance));
  return sink->number(sink,
                      (cap_column){"multiplier_distance.largest", "1",
                                   "largest difference in the largest multiplier from that by shooting"},
                      multiplier);
}

cap_status cap_response_hb_output_put(cap_response *r, const cap_response_member *members)
{
  cap_sink *sink = r->run->sink;
  int nbranch = 0;
  CAP_TRY(put_columns(r));
  CAP_TRY(sink->text(sink, "method", r->method));
  if (!r->shooting)
    CAP_TRY(sink->number(
        sink, (cap_column){"harmonics.asked", "1", "initial number of harmonics of the harmonic balance"},
        r->spec->harmonics));
  for (int k = 0; k < r->nfamily; k++) {
    const cap_response_member *member = &members[k];
    for (int row = 0; row < member->nrow; row++)
      member->rows[(size_t)row * (size_t)member->ncolumn + BRANCH] += nbranch + 1;
    if (member->nrow) CAP_TRY(sink->rows(sink, member->nrow, member->rows));
    CAP_TRY(put_texts(r, member, nbranch));
    nbranch += member->nbranch;
  }
  CAP_TRY(put_arrays(r, members, nbranch));
  CAP_TRY(put_confirmation(r, members));
  return sink->close(sink);
}
