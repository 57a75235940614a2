/* drives/pushbelt/tracking/tracking.c — tracking force of a ring on a crowned saddle over normal force and
 * position.
 *
 * Maths: docs/theory.md §39, (2.38)-(2.41) of the thesis. The field is F_t(F_n, z0) on the grid of the given
 * forces and positions; beside it stand the tension, the zone in contact and how well the complementarity
 * holds. Profiles across the ring are those of chosen points.
 */
#include "analysis/analysis.h"
#include "drives/pushbelt/tracking/ring_tracking.h"
#include "drives/pushbelt/tracking/tracking_solver.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct profile {
  double force, position;
} profile;

typedef struct spec {
  int kind;
  cap_reals forces, positions;
  int intervals;
  cap_list profiles; /* of profile */
} spec;

static const cap_field profile_fields[] = {
    {.key = "force",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(profile, force),
     .unit = "N",
     .required = true,
     .low = 0,
     .high = 1e12,
     .example = "2 kN",
     .doc = "normal force F_n on the ring"},
    {.key = "position",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(profile, position),
     .unit = "m",
     .required = true,
     .low = -1e3,
     .high = 1e3,
     .example = "4 mm",
     .doc = "lateral position z0 of the ring's middle, from the crest of the saddle"},
    {0}};

const cap_field cap_tracking_fields[] = {
    {.key = "forces",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(spec, forces),
     .unit = "N",
     .required = true,
     .low = 0,
     .high = 1e12,
     .increasing = true,
     .least = 1,
     .most = 1001,
     .example = "{from: 0 N, to: 20 kN, count: 21}",
     .doc = "normal forces F_n on the ring"},
    {.key = "positions",
     .kind = CAP_FIELD_REALS,
     .offset = offsetof(spec, positions),
     .unit = "m",
     .required = true,
     .low = -1e3,
     .high = 1e3,
     .increasing = true,
     .least = 1,
     .most = 1001,
     .example = "{from: -9.75 mm, to: 9.75 mm, count: 21}",
     .doc = "lateral positions z0 of the ring's middle, from the crest of the saddle"},
    {.key = "intervals",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, intervals),
     .fallback = "100",
     .low = 4,
     .high = 1000,
     .example = "200",
     .doc = "number of equal intervals across the ring"},
    {.key = "profiles",
     .kind = CAP_FIELD_LIST,
     .offset = offsetof(spec, profiles),
     .fields = profile_fields,
     .item_size = sizeof(profile),
     .most = 50,
     .example = "[{force: 2 kN, position: 4 mm}]",
     .doc = "points for which pressure and gap across the ring are stored"},
    {0}};

/* `unit`: the key whose unit messages have. */
static void check_position(const cap_model *m, double z, const char *key, const char *unit, cap_diag *diag)
{
  const capm_tracking_ring *r = cap_ring_tracking_of(m);
  if (!(fabs(z) + 0.5 * r->width < r->crown))
    cap_diag_at(
        diag, key,
        "the ring reaches beyond the crown radius of the saddle; expected a position of less than %s, got "
        "%s",
        cap_diag_quantity(diag, unit, r->crown - 0.5 * r->width, "m"), cap_diag_quantity(diag, unit, z, "m"));
  else if (!(fabs(z) - 0.5 * r->width < 0.5 * r->saddle))
    cap_diag_at(
        diag, key,
        "the ring does not touch the saddle; expected a position of less than %s from the crest, got %s",
        cap_diag_quantity(diag, unit, 0.5 * (r->saddle + r->width), "m"),
        cap_diag_quantity(diag, unit, z, "m"));
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  const spec *s = self;
  const profile *profiles = s->profiles.items;
  char key[192], unit[200];
  (void)time;
  if (!cap_ring_tracking_of(m)) {
    cap_diag_at(diag, path, "requires a ring on a saddle; expected drive: ring-tracking");
    return;
  }
  cap_tracking *t;
  cap_error error;
  if (cap_tracking_solver_create(cap_ring_tracking_of(m), 4, &t, &error) == CAP_ERR_INPUT)
    cap_diag_at(diag, "ring.thickness", "%s", error.text);
  cap_tracking_solver_free(t);
  snprintf(key, sizeof key, "%s.positions", path);
  snprintf(unit, sizeof unit, "%s.from", key);
  const char *like = diag->written && diag->written(diag->locate_self, unit) ? unit : key;
  check_position(m, s->positions.v[0], key, like, diag);
  if (s->positions.n > 1) check_position(m, s->positions.v[s->positions.n - 1], key, like, diag);
  for (int k = 0; k < s->profiles.n; k++) {
    snprintf(key, sizeof key, "%s.profiles[%d].position", path, k);
    check_position(m, profiles[k].position, key, key, diag);
  }
}

/* --- the field ----------------------------------------------------------------------------------------- */

enum { TANGENTIAL, TENSION, BEGIN, END, PEAK, COMPLEMENTARITY, PENETRATION, FIELDS };
static const cap_column field_columns[FIELDS] = {
    {"tracking_force", "N", "tracking force on the ring, positive in the direction of its lateral position"},
    {"tension", "N", "tension of the ring layer"},
    {"contact.begin", "m", "lateral position of the first contact point, from the crest"},
    {"contact.end", "m", "lateral position of the last contact point, from the crest"},
    {"pressure.largest", "Pa", "largest contact pressure"},
    {"complementarity", "1",
     "complementarity error: largest product of pressure and gap over the product of their largest values"},
    {"penetration", "1", "largest penetration over the largest gap"},
};

static void keep(const cap_tracking_point *p, size_t at, size_t cells, double *fields)
{
  fields[TANGENTIAL * cells + at] = p->tangential;
  fields[TENSION * cells + at] = p->tension;
  fields[BEGIN * cells + at] = p->begin;
  fields[END * cells + at] = p->end;
  fields[PEAK * cells + at] = p->peak;
  fields[COMPLEMENTARITY * cells + at] = p->complementarity;
  fields[PENETRATION * cells + at] = p->penetration;
}

typedef struct sums {
  double complementarity, penetration, solutions, iterations, most;
} sums;

static cap_status compute(cap_run *run, const spec *s, cap_tracking *t, double *fields, sums *total)
{
  size_t cells = (size_t)s->forces.n * (size_t)s->positions.n;
  for (int j = 0; j < s->positions.n; j++)
    for (int i = 0; i < s->forces.n; i++) {
      cap_tracking_point p;
      CAP_TRY(cap_tracking_solver_at_force(t, s->positions.v[j], s->forces.v[i], &p, run->error));
      keep(&p, (size_t)i * s->positions.n + j, cells, fields);
      total->complementarity = fmax(total->complementarity, p.complementarity);
      total->penetration = fmax(total->penetration, p.penetration);
      total->solutions += p.solutions;
      total->iterations += p.iterations;
      total->most = fmax(total->most, fabs(p.tangential));
    }
  return CAP_OK;
}

/* Points of the field that do not lead back to the crest, and pairs of neighbours of which the one further
 * out or under more force has no larger force. */
typedef struct faults {
  double away, place, force;
} faults;

static faults count_faults(const spec *s, const double *tangential)
{
  faults f = {0};
  const double *z = s->positions.v, *force = s->forces.v;
  int n = s->positions.n;
  for (int i = 0; i < s->forces.n; i++)
    for (int j = 0; j < n; j++) {
      const double *here = tangential + (size_t)i * n + j;
      if (force[i] == 0.0) continue;
      if (z[j] != 0.0 && here[0] * z[j] >= 0.0) f.away++;
      if (j + 1 < n && z[j] >= 0.0 && fabs(here[1]) <= fabs(here[0])) f.place++;
      if (j > 0 && z[j] <= 0.0 && fabs(here[-1]) <= fabs(here[0])) f.place++;
      if (i > 0 && z[j] != 0.0 && fabs(here[0]) <= fabs(here[-n])) f.force++;
    }
  return f;
}

static cap_status put_field(cap_run *run, const spec *s, const double *fields, const sums *total)
{
  cap_sink *sink = run->sink;
  const int64_t dims[2] = {s->forces.n, s->positions.n};
  size_t cells = (size_t)s->forces.n * (size_t)s->positions.n;
  CAP_TRY(sink->array(sink, (cap_column){"force", "N", "normal force on the ring"}, 1, &dims[0], NULL,
                      s->forces.v));
  CAP_TRY(sink->array(sink, (cap_column){"position", "m", "lateral position of the ring"}, 1, &dims[1], NULL,
                      s->positions.v));
  for (int k = 0; k < FIELDS; k++)
    CAP_TRY(sink->array(sink, field_columns[k], 2, dims, "force,position", fields + (size_t)k * cells));
  faults f = count_faults(s, fields);
  CAP_TRY(sink->number(sink, (cap_column){"largest", "N", "largest tracking force"}, total->most));
  CAP_TRY(sink->number(
      sink, (cap_column){"away", "1", "number of points with a tracking force away from the crest"}, f.away));
  CAP_TRY(sink->number(sink,
                       (cap_column){"falls.position", "1",
                                    "number of neighbouring points between which the tracking force does not "
                                    "increase with the position"},
                       f.place));
  CAP_TRY(sink->number(sink,
                       (cap_column){"falls.force", "1",
                                    "number of neighbouring points between which the tracking force does not "
                                    "increase with the normal force"},
                       f.force));
  CAP_TRY(sink->number(
      sink, (cap_column){"complementarity.largest", "1", "largest complementarity error of all points"},
      total->complementarity));
  CAP_TRY(sink->number(
      sink,
      (cap_column){"penetration.largest", "1", "largest penetration of all points, over the largest gap"},
      total->penetration));
  CAP_TRY(sink->number(sink, (cap_column){"solutions", "1", "number of complementarity problems solved"},
                       total->solutions));
  return sink->number(
      sink, (cap_column){"iterations", "1", "total number of iterations of the complementarity solver"},
      total->iterations);
}

/* --- profiles ------------------------------------------------------------------------------------------ */

static cap_status put_profiles(cap_run *run, const spec *s, cap_tracking *t, double *work)
{
  cap_sink *sink = run->sink;
  const profile *profiles = s->profiles.items;
  int n = cap_tracking_solver_nodes(t), count = s->profiles.n;
  const int64_t dims[2] = {count, n};
  size_t cells = (size_t)count * n;
  double *number = work, *across = number + count, *place = across + n, *pressure = place + n,
         *gap = pressure + cells;
  for (int k = 0; k < count; k++) {
    cap_tracking_point p;
    CAP_TRY(cap_tracking_solver_at_force(t, profiles[k].position, profiles[k].force, &p, run->error));
    cap_tracking_solver_profile(t, place, pressure + (size_t)k * n, gap + (size_t)k * n);
    number[k] = k;
    for (int i = 0; i < n; i++) across[i] = place[i] - profiles[k].position;
  }
  CAP_TRY(sink->open(sink, "profiles", "tracking-profiles", "pressure across the ring"));
  CAP_TRY(
      sink->array(sink, (cap_column){"profile", "1", "number of the profile"}, 1, &dims[0], NULL, number));
  CAP_TRY(sink->array(sink, (cap_column){"across", "m", "distance across the ring, from its middle"}, 1,
                      &dims[1], NULL, across));
  CAP_TRY(sink->array(sink, (cap_column){"pressure", "Pa", "contact pressure of the saddle"}, 2, dims,
                      "profile,across", pressure));
  CAP_TRY(sink->array(sink, (cap_column){"gap", "m", "gap to the saddle"}, 2, dims, "profile,across", gap));
  for (int k = 0; k < count; k++) {
    number[k] = profiles[k].force;
    across[k] = profiles[k].position;
  }
  CAP_TRY(sink->array(sink, (cap_column){"profile.force", "N", "normal force on the ring"}, 1, &dims[0],
                      "profile", number));
  CAP_TRY(sink->array(sink, (cap_column){"profile.position", "m", "lateral position of the ring"}, 1,
                      &dims[0], "profile", across));
  return sink->close(sink);
}

static cap_status with_solver(cap_run *run, const spec *s, cap_tracking *t)
{
  size_t cells = (size_t)s->forces.n * (size_t)s->positions.n, n = (size_t)cap_tracking_solver_nodes(t);
  size_t count = (size_t)s->profiles.n, wide = n > count ? n : count;
  double *fields = calloc(FIELDS * cells, sizeof(double)),
         *work = calloc(count + 2 * wide + 2 * count * n, sizeof(double));
  sums total = {0};
  cap_status status = fields && work
                          ? compute(run, s, t, fields, &total)
                          : cap_status_fail(run->error, CAP_ERR_NOMEM, "%s", cap_status_text(CAP_ERR_NOMEM));
  if (status == CAP_OK)
    status = run->sink->open(run->sink, "tracking", "tracking", "tracking force of a ring on a saddle");
  if (status == CAP_OK) status = put_field(run, s, fields, &total);
  if (status == CAP_OK) status = run->sink->close(run->sink);
  if (status == CAP_OK && count > 0) status = put_profiles(run, s, t, work);
  free(fields);
  free(work);
  return status;
}

static cap_status tracking(cap_run *run, const void *self)
{
  const spec *s = self;
  cap_tracking *t;
  CAP_TRY(cap_tracking_solver_create(cap_ring_tracking_of(run->model), s->intervals, &t, run->error));
  cap_tracking_solver_listen(t, run->progress);
  cap_status status = with_solver(run, s, t);
  cap_tracking_solver_free(t);
  return status;
}

const char cap_tracking_doc[] =
    "tracking force of a ring on a crowned saddle vs normal force and lateral position";

const cap_analysis cap_tracking_analysis = {
    .name = "tracking",
    .doc = cap_tracking_doc,
    .fields = cap_tracking_fields,
    .spec_size = sizeof(spec),
    .still = true,
    .check = check,
    .run = tracking,
};
