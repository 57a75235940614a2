/* drives/pushbelt/variator/variator_subject.c — what a variator offers to generic analyses
 * (model/subject.h). */
#include "analysis/stationary/stationary_subject.h"
#include "drives/pushbelt/carry/variator_carry.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/observe/variator_asked.h"
#include "drives/pushbelt/observe/variator_gauge.h"

#include <math.h>

/* Time in which the belt goes around; 0 = it stands. */
static double turn(const void *self)
{
  const cap_variator *v = self;
  cap_variator_line ring = cap_variator_geometry_line(v->ring_length, v->centre_distance, v->load.ratio);
  cap_variator_line edge = cap_variator_geometry_beside(&ring, -cap_variator_geometry_ring_over_edge(v));
  double speed = fabs(v->load.speed) * edge.r[CAP_VARIATOR_PRI];
  return speed > 0.0 ? cap_variator_geometry_length(&edge) / speed : 0.0;
}

static double speed(const void *self)
{
  return ((const cap_variator *)self)->load.speed;
}

static bool same(const void *self, const void *other)
{
  const cap_variator *v = self, *w = other;
  bool alike = v->ring_length == w->ring_length && v->simulated == w->simulated && v->real == w->real;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++)
    alike = alike && v->pulley[p].x == w->pulley[p].x && v->pulley[p].radius == w->pulley[p].radius;
  return alike;
}

/* Whatever the results are to show. */
static void slips(const cap_model *m, int outputs[2])
{
  for (int b = 0; b < m->nbatch; b++)
    for (int p = 0; m->batches[b].type == &cap_variator_gauge_type && p < CAP_VARIATOR_PULLEYS; p++)
      outputs[p] = m->batches[b].output_adr + CAP_VARIATOR_GAUGE_SLIP + p;
}

static bool carry(const cap_model *from, const cap_data *was, const cap_model *m, cap_data *d)
{
  cap_variator_carry belt = {0};
  cap_error why = {0};
  bool taken = cap_variator_carry_take(from, was, &belt, &why) == CAP_OK &&
               cap_variator_carry_start(&belt, m, d, &why) == CAP_OK;
  cap_variator_carry_store_free(&belt);
  return taken;
}

/* Of a belt that has come apart there is no state to start from. */
static cap_status put_state(cap_run *run)
{
  cap_variator_carry belt = {0};
  cap_error why = {0};
  if (cap_variator_of(run->model)->load.speed == 0.0) return CAP_OK;
  cap_status status = cap_variator_carry_take(run->model, run->data, &belt, &why);
  if (status == CAP_ERR_NOMEM) return cap_status_fail(run->error, status, "%s", why.text);
  if (status != CAP_OK) return CAP_OK;
  status = cap_variator_carry_store_put(&belt, run->sink);
  cap_variator_carry_store_free(&belt);
  return status;
}

/* Groups of figures that are of one size. */
enum { PUSH = 1, LOSS };

#define LOST(what)                                                                                           \
  {                                                                                                          \
    .name = "power.lost." what, .share = CAP_VARIATOR_ASKED_LOSS, .group = LOSS                              \
  }
static const cap_stationary_figure watched[] = {
    {.name = "ratio.speed", .share = CAP_VARIATOR_ASKED_SPEED},
    {.name = "ratio.thrust", .share = CAP_VARIATOR_ASKED_THRUST, .scale = 1.0},
    {.name = "belt.endplay", .share = CAP_VARIATOR_ASKED_GAPS, .scale = CAP_VARIATOR_ASKED_ELEMENT},
    {.name = "belt.open", .share = CAP_VARIATOR_ASKED_GAPS, .scale = CAP_VARIATOR_ASKED_ELEMENT},
    {.name = "upper.push", .share = CAP_VARIATOR_ASKED_PUSH, .group = PUSH},
    {.name = "lower.push", .share = CAP_VARIATOR_ASKED_PUSH, .group = PUSH},
    LOST("flank.primary.longitudinal"),
    LOST("flank.secondary.longitudinal"),
    LOST("flank.primary.radial"),
    LOST("flank.secondary.radial"),
    LOST("ring.primary"),
    LOST("ring.secondary"),
    LOST("ring.strands"),
    LOST("flank.drilling"),
    LOST("elements"),
    LOST("damping"),
    {0}};
#undef LOST

static const cap_stationary_subject stationary = {.watched = watched,
                                                  .shifts = "ratio.speed",
                                                  .turn = turn,
                                                  .speed = speed,
                                                  .same = same,
                                                  .slips = slips,
                                                  .carry = carry,
                                                  .put_state = put_state};

const cap_subject_type cap_variator_subject = {
    .name = "pushbelt variator",
    .alone = "a variator is not computed in a batch of several models",
    .no_rates =
        "not available for a pushbelt, whose contacts have no tangents; expected transient, stationary or "
        "continuum",
    .runs = true,
    .stationary = &stationary,
};
