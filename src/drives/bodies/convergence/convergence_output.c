/* drives/bodies/convergence/convergence_output.c — see convergence.h: the table, the fitted orders, and what
 * is told about them. */
#include "drives/bodies/convergence/convergence.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_name[CAP_CONVERGENCE_ORDERS] = {"position", "velocity", "force"};

static const cap_column columns[] = {
    {"epsilon", "1", "small parameter of the contact"},
    {"damping_ratio", "1", "damping ratio of the contact"},
    {"position_error", "1", "largest relative position error after the layer"},
    {"velocity_error", "1", "largest relative velocity error after the layer"},
    {"force_error", "1", "largest relative error of a contact force after the layer"},
    {"constraint_velocity", "m/s", "largest constraint velocity after the layer"},
    {"order_position", "1", "slope of the position error from the previous value"},
    {"order_velocity", "1", "slope of the velocity error from the previous value"},
    {"order_force", "1", "slope of the force error from the previous value"},
    {"position_floor", "1", "uncertainty of the position error"},
    {"velocity_floor", "1", "uncertainty of the velocity error"},
    {"force_floor", "1", "uncertainty of the force error"},
    {"layer", "s", "duration of the initial layer"},
    {"layer_position_error", "1", "largest relative position error within the layer"},
    {"layer_velocity_error", "1", "largest relative velocity error within the layer"},
    {"layer_force_error", "1", "largest relative error of a contact force within the layer"},
    {"layer_constraint_velocity", "m/s", "largest constraint velocity within the layer"},
    {"angular_frequency", "rad/s", "angular frequency of the force error within the layer, from its zeros"},
    {"angular_frequency_predicted", "rad/s", "angular frequency predicted by the layer equation"},
    {"steps", "1", "time steps of the viscoelastic motion"},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static cap_status put_table(cap_convergence *j)
{
  cap_sink *sink = j->run->sink;
  CAP_TRY(sink->columns(sink, COLUMNS, columns));
  for (int k = 0; k < j->npoint; k++) {
    const cap_convergence_point *p = &j->points[k];
    double row[COLUMNS] = {p->epsilon, p->ratio};
    int n = 2;
    for (int kind = 0; kind < CAP_CONVERGENCE_KINDS; kind++) row[n++] = p->error[kind];
    for (int kind = 0; kind < CAP_CONVERGENCE_ORDERS; kind++) row[n++] = p->order[kind];
    for (int kind = 0; kind < CAP_CONVERGENCE_ORDERS; kind++) row[n++] = p->floor[kind];
    row[n++] = p->ends - j->ideal->t0;
    for (int kind = 0; kind < CAP_CONVERGENCE_KINDS; kind++) row[n++] = p->inside[kind];
    row[n++] = p->measured;
    row[n++] = p->layer.angular_frequency;
    row[n++] = (double)p->count.steps;
    CAP_TRY(sink->rows(sink, 1, row));
  }
  return CAP_OK;
}

static cap_status put_orders(cap_convergence *j)
{
  cap_sink *sink = j->run->sink;
  int64_t n = j->nratio;
  cap_column axis = {"damping_ratios", "1", "damping ratios"};
  CAP_TRY(sink->array(sink, axis, 1, &n, NULL, j->s->ratios.values.v));
  for (int kind = 0; kind < CAP_CONVERGENCE_ORDERS; kind++) {
    char name[64], text[128];
    snprintf(name, sizeof name, "order.%s", kind_name[kind]);
    snprintf(text, sizeof text, "fitted order of the %s error in epsilon", kind_name[kind]);
    CAP_TRY(sink->array(sink, (cap_column){name, "1", text}, 1, &n, axis.name, j->slope + kind * n));
    snprintf(name, sizeof name, "used.%s", kind_name[kind]);
    snprintf(text, sizeof text, "number of values of epsilon used for the order of the %s error",
             kind_name[kind]);
    CAP_TRY(sink->array(sink, (cap_column){name, "1", text}, 1, &n, axis.name, j->used + kind * n));
    snprintf(name, sizeof name, "decades.%s", kind_name[kind]);
    snprintf(text, sizeof text, "decades of epsilon used for the order of the %s error", kind_name[kind]);
    CAP_TRY(sink->array(sink, (cap_column){name, "1", text}, 1, &n, axis.name, j->decades + kind * n));
  }
  cap_column window = {"window", "s", "start of the comparison after the layer"};
  return sink->array(sink, window, 1, &n, axis.name, j->start);
}

cap_status cap_convergence_output_put(cap_convergence *j)
{
  cap_sink *sink = j->run->sink;
  CAP_TRY(sink->text(sink, "method", j->type->name));
  CAP_TRY(sink->text(sink, "parameter", j->s->epsilons.path));
  CAP_TRY(put_table(j));
  return put_orders(j);
}

/* "force 1.998 (7 of 9 values, 3.0 decades, others at the floor of the computation)" */
static void tell_order(const cap_convergence *j, int ratio, int kind, char *text, size_t size)
{
  int at = kind * j->nratio + ratio, used = (int)j->used[at], low = 0;
  for (int k = 0; k < j->nepsilon; k++)
    low += cap_convergence_compare_at_floor(&j->points[ratio * j->nepsilon + k], kind);
  const char *others = low ? ", others at the numerical floor" : "";
  if (used >= 2)
    snprintf(text, size, "%s %.3f (%d of %d values, %.1f decades%s)", kind_name[kind], j->slope[at], used,
             j->nepsilon, j->decades[at], others);
  else snprintf(text, size, "%s unknown (%d of %d values%s)", kind_name[kind], used, j->nepsilon, others);
}

void cap_convergence_output_tell(const cap_convergence *j)
{
  for (int r = 0; r < j->nratio; r++) {
    char text[CAP_CONVERGENCE_ORDERS][160];
    int waiting = 0, slipping = 0;
    for (int k = 0; k < j->nepsilon; k++) {
      waiting += !j->points[r * j->nepsilon + k].settled;
      slipping += j->points[r * j->nepsilon + k].count.slipping > 0;
    }
    for (int kind = 0; kind < CAP_CONVERGENCE_ORDERS; kind++)
      tell_order(j, r, kind, text[kind], sizeof text[kind]);
    double value = j->s->ratios.values.v[r];
    cap_progress_note(j->run->progress, "convergence: damping ratio %.6g, order in epsilon of: %s, %s, %s",
                      value, text[0], text[1], text[2]);
    if (waiting)
      cap_progress_note(j->run->progress,
                        "convergence: damping ratio %.6g: for %d values of %s the initial layer exceeds half "
                        "the run; no error is evaluated after it",
                        value, waiting, j->s->epsilons.path);
    if (slipping)
      cap_progress_note(j->run->progress,
                        "convergence: damping ratio %.6g: for %d values of %s a contact slips temporarily, "
                        "unlike ideal rolling; increase friction, or remove it",
                        value, slipping, j->s->epsilons.path);
  }
}
