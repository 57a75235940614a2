/* drives/pushbelt/observe/variator_sample.c — see variator_sample.h. */
#include "drives/pushbelt/observe/variator_sample.h"
#include "drives/pushbelt/description/tuned.h"

#include <math.h>
#include <stdlib.h>

const char *const cap_variator_sample_sections[CAP_VARIATOR_SECTIONS] = {"pri", "us", "sec", "ls"};

const cap_column cap_variator_sample_columns[CAP_VARIATOR_QUANTITIES] = {
    [CAP_VARIATOR_FLANK_NORMAL] = {"flank.normal", "N", "normal force on a flank"},
    [CAP_VARIATOR_FLANK_LONGITUDINAL] =
        {"flank.longitudinal", "N",
         "longitudinal friction force of the sheaves on the element, positive in the running direction"},
    [CAP_VARIATOR_FLANK_RADIAL] = {"flank.radial", "N",
                                   "radial friction force of the sheaves on the element, positive outward"},
    [CAP_VARIATOR_FLANK_AXIAL] = {"flank.axial", "N", "axial force on one sheave"},
    [CAP_VARIATOR_PUSH_EDGE] = {"push.edge", "N", "push force at the rocking edge"},
    [CAP_VARIATOR_PUSH_HEAD] = {"push.head", "N", "push force at the head"},
    [CAP_VARIATOR_PUSH] = {"push.sum", "N", "push force, rocking edge and head together"},
    [CAP_VARIATOR_SADDLE_NORMAL] = {"saddle.normal", "N", "normal force between ring and element"},
    [CAP_VARIATOR_RING_TRACTION] =
        {"ring.traction", "N",
         "friction force of the ring on the element, positive in the running direction"},
    [CAP_VARIATOR_RING_TENSION] = {"ring.tension", "N", "ring tension"},
    [CAP_VARIATOR_SLIP_LONGITUDINAL] = {"slip.longitudinal", "m/s",
                                        "longitudinal sliding velocity of the flank on the sheave"},
    [CAP_VARIATOR_SLIP_RADIAL] = {"slip.radial", "m/s", "radial sliding velocity of the flank on the sheave"},
    [CAP_VARIATOR_SLIP_RING] = {"slip.ring", "m/s", "sliding velocity of the saddle on the ring"},
    [CAP_VARIATOR_PITCH] = {"pitch", "rad", "pitch of the element relative to the sheave's radius"},
    [CAP_VARIATOR_RADIUS] = {"radius", "m", "running radius of the centre of gravity"},
    [CAP_VARIATOR_ANGLE] = {"angle", "rad", "angle along the arc"},
    [CAP_VARIATOR_SPEED] = {"speed", "m/s", "speed of the element"},
    [CAP_VARIATOR_GAP_EDGE] = {"gap.edge", "m", "gap at the rocking edge"},
    [CAP_VARIATOR_GAP_HEAD] = {"gap.head", "m", "gap at the head"},
    [CAP_VARIATOR_LOSS_LONGITUDINAL] = {"loss.longitudinal", "W",
                                        "power lost by longitudinal friction of the flanks"},
    [CAP_VARIATOR_LOSS_RADIAL] = {"loss.radial", "W", "power lost by radial friction of the flanks"},
    [CAP_VARIATOR_LOSS_RING] = {"loss.ring", "W", "power lost by friction between element and ring"},
    [CAP_VARIATOR_MOMENT] = {"moment", "N m", "moment of the sheaves on the element about the pulley axis"},
    [CAP_VARIATOR_POWER_FLANK] = {"power.flank", "W",
                                  "power of the longitudinal friction force on the element"},
    [CAP_VARIATOR_POWER_RING] = {"power.ring", "W", "power of the ring friction at the ring's surface"},
    [CAP_VARIATOR_RING_RADIUS] = {"ring.radius", "m", "radius of the outer face of the rings"},
    [CAP_VARIATOR_CARRIED] = {"carried", "N m", "moment about the primary axis that the belt transmits"},
};

const cap_column cap_variator_sample_scalars[CAP_VARIATOR_SCALARS] = {
    [CAP_VARIATOR_RATIO] = {"ratio", "1", "speed ratio i_s = omega_P/omega_S"},
    [CAP_VARIATOR_THRUST] = {"thrust", "1", "thrust ratio i_F = F_P/F_S"},
    [CAP_VARIATOR_FORCE_P] = {"force_pri", "N", "sum of the axial forces on a primary sheave"},
    [CAP_VARIATOR_FORCE_S] = {"force_sec", "N", "sum of the axial forces on a secondary sheave"},
    [CAP_VARIATOR_MOMENT_P] = {"torque_pri", "N m", "torque of the primary pulley on the belt"},
    [CAP_VARIATOR_MOMENT_S] = {"torque_sec", "N m", "torque of the secondary pulley on the belt"},
    [CAP_VARIATOR_OMEGA_P] = {"speed_pri", "rad/s", "speed of the primary pulley"},
    [CAP_VARIATOR_OMEGA_S] = {"speed_sec", "rad/s", "speed of the secondary pulley"},
    [CAP_VARIATOR_ENDPLAY] = {"endplay", "m",
                              "endplay at the rocking edges: sum of all gaps, penetrations negative"},
    [CAP_VARIATOR_ENDPLAY_HEAD] = {"endplay_head", "m",
                                   "endplay at the heads: sum of all gaps, penetrations negative"},
    [CAP_VARIATOR_OEP] = {"oep", "m", "operational endplay at the rocking edges: sum of the open gaps"},
    [CAP_VARIATOR_OEP_HEAD] = {"oep_head", "m", "operational endplay at the heads: sum of the open gaps"},
    [CAP_VARIATOR_PUSH_US] = {"push_us", "N", "push force in the upper strand"},
    [CAP_VARIATOR_PUSH_LS] = {"push_ls", "N", "push force in the lower strand"},
    [CAP_VARIATOR_HEAD_US] = {"head_us", "N", "push force of the heads in the upper strand"},
    [CAP_VARIATOR_HEAD_LS] = {"head_ls", "N", "push force of the heads in the lower strand"},
    [CAP_VARIATOR_TENSION_US] = {"tension_us", "N", "ring tension in the upper strand"},
    [CAP_VARIATOR_TENSION_LS] = {"tension_ls", "N", "ring tension in the lower strand"},
    [CAP_VARIATOR_SUM_LONGITUDINAL] =
        {"sum_longitudinal", "N", "sum of the longitudinal friction forces of the flanks around the belt"},
    [CAP_VARIATOR_ABS_LONGITUDINAL] =
        {"abs_longitudinal", "N",
         "sum of the magnitudes of the longitudinal friction forces around the belt"},
    [CAP_VARIATOR_SUM_TRACTION] = {"sum_traction", "N", "sum of the ring friction forces around the belt"},
    [CAP_VARIATOR_ABS_TRACTION] = {"abs_traction", "N",
                                   "sum of the magnitudes of the ring friction forces around the belt"},
    [CAP_VARIATOR_SUM_POWER_FLANK] = {"sum_power_flank", "W",
                                      "power of the longitudinal friction forces of the flanks on the belt"},
    [CAP_VARIATOR_ABS_POWER_FLANK] =
        {"abs_power_flank", "W", "power of the magnitudes of the longitudinal friction forces on the belt"},
    [CAP_VARIATOR_SUM_POWER_RING] = {"sum_power_ring", "W",
                                     "power of the ring friction at the ring's surface"},
    [CAP_VARIATOR_ABS_POWER_RING] = {"abs_power_ring", "W",
                                     "power of the magnitudes of the ring friction at the ring's surface"},
    [CAP_VARIATOR_CARRIED_US] = {"carried_us", "N m",
                                 "moment about the primary axis that the upper strand transmits"},
    [CAP_VARIATOR_CARRIED_LS] = {"carried_ls", "N m",
                                 "moment about the primary axis that the lower strand transmits"},
    [CAP_VARIATOR_HALF_TRACTION_P] = {"half_traction_pri", "N",
                                      "sum of the ring friction forces on the primary half of the belt"},
    [CAP_VARIATOR_HALF_TRACTION_S] = {"half_traction_sec", "N",
                                      "sum of the ring friction forces on the secondary half of the belt"},
    [CAP_VARIATOR_HALF_SADDLE_P] = {"half_saddle_pri", "N",
                                    "sum of the normal forces of the ring on the primary half of the belt"},
    [CAP_VARIATOR_HALF_SADDLE_S] = {"half_saddle_sec", "N",
                                    "sum of the normal forces of the ring on the secondary half of the belt"},
    [CAP_VARIATOR_BELT_SPEED] = {"belt_speed", "m/s", "mean speed of the elements"},
    [CAP_VARIATOR_RADIUS_P] = {"radius_pri", "m", "mean running radius of the centres of gravity, primary"},
    [CAP_VARIATOR_RADIUS_S] = {"radius_sec", "m", "mean running radius of the centres of gravity, secondary"},
    [CAP_VARIATOR_PITCH_P] = {"pitch_pri", "rad",
                              "mean pitch of the elements relative to the sheave's radius, primary"},
    [CAP_VARIATOR_PITCH_S] = {"pitch_sec", "rad",
                              "mean pitch of the elements relative to the sheave's radius, secondary"},
    [CAP_VARIATOR_SLIP_P] = {"slip_pri", "m/s", "mean longitudinal sliding velocity of the flanks, primary"},
    [CAP_VARIATOR_SLIP_S] = {"slip_sec", "m/s",
                             "mean longitudinal sliding velocity of the flanks, secondary"},
    [CAP_VARIATOR_STICKING] = {"sticking", "1", "share of the flanks that stick"},
    [CAP_VARIATOR_WRAP_P] = {"wrap_pri", "rad", "wrap angle in contact, primary"},
    [CAP_VARIATOR_WRAP_S] = {"wrap_sec", "rad", "wrap angle in contact, secondary"},
    [CAP_VARIATOR_CLAMPING_S] = {"clamping_sec", "N", "clamping force F_S on the secondary"},
    [CAP_VARIATOR_TORQUE_S] = {"load_sec", "N m", "load torque M_S on the secondary"},
};

cap_status cap_variator_sample_create(cap_variator_sample *s, int n, double iota, cap_error *error)
{
  *s = (cap_variator_sample){.n = n, .iota = iota};
  s->block = calloc((size_t)n * (CAP_VARIATOR_QUANTITIES + 2), sizeof(double));
  if (!s->block) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  s->section = s->block;
  s->nearer = s->block + n;
  for (int k = 0; k < CAP_VARIATOR_QUANTITIES; k++) s->value[k] = s->block + (size_t)n * (size_t)(k + 2);
  return CAP_OK;
}

void cap_variator_sample_free(cap_variator_sample *s)
{
  free(s->block);
  *s = (cap_variator_sample){0};
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

static double sum(const cap_variator_sample *s, int quantity)
{
  double total = 0.0;
  for (int k = 0; k < s->n; k++) total += s->value[quantity][k];
  return total * s->iota;
}

static double sum_magnitudes(const cap_variator_sample *s, int quantity)
{
  double total = 0.0;
  for (int k = 0; k < s->n; k++) total += fabs(s->value[quantity][k]);
  return total * s->iota;
}

static double sum_open(const cap_variator_sample *s, int quantity)
{
  double total = 0.0;
  for (int k = 0; k < s->n; k++) total += fmax(0.0, s->value[quantity][k]);
  return total * s->iota;
}

static bool in(const cap_variator_sample *s, int k, int section)
{
  return (int)s->section[k] == section;
}

/* Of the half of the belt about a pulley. */
static double sum_half(const cap_variator_sample *s, int pulley, int quantity, bool magnitudes)
{
  double total = 0.0;
  for (int k = 0; k < s->n; k++) {
    double value = s->value[quantity][k];
    if ((int)s->nearer[k] == pulley) total += magnitudes ? fabs(value) : value;
  }
  return total * s->iota;
}

static double sum_in(const cap_variator_sample *s, int section, int quantity)
{
  double total = 0.0;
  for (int k = 0; k < s->n; k++) total += in(s, k, section) ? s->value[quantity][k] : 0.0;
  return total * s->iota;
}

static double mean_in(const cap_variator_sample *s, int section, int quantity)
{
  double total = 0.0;
  int count = 0;
  for (int k = 0; k < s->n; k++)
    if (in(s, k, section)) total += s->value[quantity][k], count++;
  return count ? total / count : 0.0;
}

/* The longest row of neighbours in a strand: one that has just lost a sheave may stand apart. */
static int longest_row(const cap_variator_sample *s, int section, int *first)
{
  int most = 0, row = 0;
  for (int k = 0; k < 2 * s->n && row < s->n; k++) {
    row = in(s, k % s->n, section) ? row + 1 : 0;
    if (row > most) most = row, *first = k + 1 - row;
  }
  return most;
}

/* Over the middle half of them. */
static double mean_amid(const cap_variator_sample *s, int section, int quantity)
{
  int first = 0, count = longest_row(s, section, &first);
  int from = count / 4, until = count - count / 4;
  double total = 0.0;
  for (int j = from; j < until; j++) total += s->value[quantity][(first + j) % s->n];
  return until > from ? total / (until - from) : 0.0;
}

static double wrap(const cap_variator_sample *s, int section)
{
  double least = INFINITY, most = -INFINITY;
  for (int k = 0; k < s->n; k++)
    if (in(s, k, section)) {
      least = fmin(least, s->value[CAP_VARIATOR_ANGLE][k]);
      most = fmax(most, s->value[CAP_VARIATOR_ANGLE][k]);
    }
  return most > least ? most - least : 0.0;
}

/* Mean slip in an arc weighed by the normal force; *same:
 * share of that force that slides as the mean does. */
static double weighed_slip(const cap_variator_sample *s, int section, double *same)
{
  const double *normal = s->value[CAP_VARIATOR_FLANK_NORMAL],
               *slip = s->value[CAP_VARIATOR_SLIP_LONGITUDINAL];
  double weight = 0.0, total = 0.0, forward = 0.0;
  for (int k = 0; k < s->n; k++) {
    if (!in(s, k, section)) continue;
    weight += normal[k];
    total += normal[k] * slip[k];
    forward += slip[k] > 0.0 ? normal[k] : 0.0;
  }
  *same = weight > 0.0 ? (total > 0.0 ? forward : weight - forward) / weight : 0.0;
  return weight > 0.0 ? total / weight : 0.0;
}

static double sticking(const cap_variator_sample *s)
{
  int touching = 0, stuck = 0;
  for (int k = 0; k < s->n; k++) {
    if (!(s->value[CAP_VARIATOR_FLANK_NORMAL][k] > 0.0)) continue;
    touching++;
    stuck += hypot(s->value[CAP_VARIATOR_SLIP_LONGITUDINAL][k], s->value[CAP_VARIATOR_SLIP_RADIAL][k]) <
             CAP_TUNED_FLANK_STILL;
  }
  return touching ? (double)stuck / touching : 0.0;
}

static void reduce_pulley(const cap_variator_sample *s, int pulley, double *out)
{
  int arc = pulley == CAP_VARIATOR_PRI ? CAP_VARIATOR_IN_PRI : CAP_VARIATOR_IN_SEC;
  double same;
  out[CAP_VARIATOR_FORCE_P + pulley] = sum_in(s, arc, CAP_VARIATOR_FLANK_AXIAL);
  out[CAP_VARIATOR_MOMENT_P + pulley] = sum_in(s, arc, CAP_VARIATOR_MOMENT);
  out[CAP_VARIATOR_OMEGA_P + pulley] = s->omega[pulley];
  out[CAP_VARIATOR_RADIUS_P + pulley] = mean_in(s, arc, CAP_VARIATOR_RADIUS);
  out[CAP_VARIATOR_PITCH_P + pulley] = mean_in(s, arc, CAP_VARIATOR_PITCH);
  out[CAP_VARIATOR_SLIP_P + pulley] = weighed_slip(s, arc, &same);
  out[CAP_VARIATOR_WRAP_P + pulley] = wrap(s, arc);
  out[CAP_VARIATOR_HALF_TRACTION_P + pulley] = sum_half(s, pulley, CAP_VARIATOR_RING_TRACTION, false);
  out[CAP_VARIATOR_HALF_SADDLE_P + pulley] = sum_half(s, pulley, CAP_VARIATOR_SADDLE_NORMAL, true);
}

static void reduce_strand(const cap_variator_sample *s, int strand, double *out)
{
  int section = strand == 0 ? CAP_VARIATOR_IN_US : CAP_VARIATOR_IN_LS;
  out[CAP_VARIATOR_PUSH_US + strand] = mean_amid(s, section, CAP_VARIATOR_PUSH);
  out[CAP_VARIATOR_HEAD_US + strand] = mean_amid(s, section, CAP_VARIATOR_PUSH_HEAD);
  out[CAP_VARIATOR_TENSION_US + strand] = mean_amid(s, section, CAP_VARIATOR_RING_TENSION);
  out[CAP_VARIATOR_CARRIED_US + strand] = mean_amid(s, section, CAP_VARIATOR_CARRIED);
}

/* Of what stands still or does not touch there is none: 0, as the channels have it. */
static double ratio(double of, double to)
{
  return to != 0.0 ? of / to : 0.0;
}

void cap_variator_sample_reduce(const cap_variator_sample *s, double scalars[CAP_VARIATOR_SCALARS])
{
  for (int i = 0; i < 2; i++) {
    reduce_pulley(s, i, scalars);
    reduce_strand(s, i, scalars);
  }
  scalars[CAP_VARIATOR_RATIO] = ratio(s->omega[CAP_VARIATOR_PRI], s->omega[CAP_VARIATOR_SEC]);
  scalars[CAP_VARIATOR_THRUST] = ratio(scalars[CAP_VARIATOR_FORCE_P], scalars[CAP_VARIATOR_FORCE_S]);
  scalars[CAP_VARIATOR_ENDPLAY] = sum(s, CAP_VARIATOR_GAP_EDGE);
  scalars[CAP_VARIATOR_ENDPLAY_HEAD] = sum(s, CAP_VARIATOR_GAP_HEAD);
  scalars[CAP_VARIATOR_OEP] = sum_open(s, CAP_VARIATOR_GAP_EDGE);
  scalars[CAP_VARIATOR_OEP_HEAD] = sum_open(s, CAP_VARIATOR_GAP_HEAD);
  scalars[CAP_VARIATOR_SUM_LONGITUDINAL] = sum(s, CAP_VARIATOR_FLANK_LONGITUDINAL);
  scalars[CAP_VARIATOR_ABS_LONGITUDINAL] = sum_magnitudes(s, CAP_VARIATOR_FLANK_LONGITUDINAL);
  scalars[CAP_VARIATOR_SUM_TRACTION] = sum(s, CAP_VARIATOR_RING_TRACTION);
  scalars[CAP_VARIATOR_ABS_TRACTION] = sum_magnitudes(s, CAP_VARIATOR_RING_TRACTION);
  scalars[CAP_VARIATOR_SUM_POWER_FLANK] = sum(s, CAP_VARIATOR_POWER_FLANK);
  scalars[CAP_VARIATOR_ABS_POWER_FLANK] = sum_magnitudes(s, CAP_VARIATOR_POWER_FLANK);
  scalars[CAP_VARIATOR_SUM_POWER_RING] = sum(s, CAP_VARIATOR_POWER_RING);
  scalars[CAP_VARIATOR_ABS_POWER_RING] = sum_magnitudes(s, CAP_VARIATOR_POWER_RING);
  scalars[CAP_VARIATOR_BELT_SPEED] = sum(s, CAP_VARIATOR_SPEED) / (s->n * s->iota);
  scalars[CAP_VARIATOR_STICKING] = sticking(s);
  scalars[CAP_VARIATOR_CLAMPING_S] = s->clamping;
  scalars[CAP_VARIATOR_TORQUE_S] = s->torque;
}

bool cap_variator_sample_slips(const cap_variator_sample *s, int pulley, double share)
{
  int arc = pulley == CAP_VARIATOR_PRI ? CAP_VARIATOR_IN_PRI : CAP_VARIATOR_IN_SEC;
  double same, slip = weighed_slip(s, arc, &same);
  double speed = sum(s, CAP_VARIATOR_SPEED) / (s->n * s->iota);
  return same > 0.95 && fabs(slip) > share * fabs(speed);
}
