/* drives/pushbelt/observe/variator_figures.h — the global results of a variator (2.4.2), from its record and
 * its curves.
 *
 * Maths:   docs/theory.md §51.4 to §51.6
 *
 * Two kinds: means over time of what samples sum up (CAP_VARIATOR_SCALARS), with standard errors, and the
 * figures below. NAN: not to be told from this run.
 */
#pragma once
#include "drives/pushbelt/observe/variator_curves.h"
#include "drives/pushbelt/observe/variator_record.h"

/* X(id, name, unit, long_name) */
#define CAP_VARIATOR_FIGURES(X)                                                                              \
  X(STEADY, "stationary_from", "s", "time from which the run is stationary")                                 \
  X(IS_STEADY, "stationary", "1", "1 if the run is stationary at its end")                                   \
  X(TURNAROUND, "last_turnaround", "s", "start of the last turnaround of the belt")                          \
  X(REVOLUTION, "revolution", "s", "virtual time of an element around the belt")                             \
  X(AVERAGED, "averaged_elements", "1",                                                                      \
    "number of elements in the averaged curves, smallest of all sections")                                   \
  X(PUSH_VARIATION, "push_variation", "1", "variation of the push force in the push strand, averaged curve") \
  X(SINGLE_VARIATION, "push_variation_single", "1",                                                          \
    "variation of the push force in the push strand, single elements")                                       \
  X(SLIP, "slip", "1", "slip relative to the reference ratio")                                               \
  X(TORQUE_RATIO, "torque_ratio", "1", "torque ratio: M_S over the torque at the limit of macro slip")       \
  X(SAFETY_P, "safety_pri", "1", "clamping safety of the primary")                                           \
  X(SAFETY_S, "safety_sec", "1", "clamping safety of the secondary")                                         \
  X(COORDINATES, "coordinates", "1", "number of degrees of freedom of the model")                            \
  X(CONTACTS, "contacts", "1", "number of possible contacts of the model")                                   \
  X(POWER_P, "power_pri", "W", "power from the primary pulley into the belt")                                \
  X(POWER_S, "power_sec", "W", "power from the secondary pulley into the belt")                              \
  X(EFFICIENCY, "efficiency", "1", "efficiency: power out over power in")                                    \
  X(EFFICIENCY_LOCAL, "efficiency_local", "1", "efficiency from the losses of all contacts, by their work")  \
  X(EFFICIENCY_AVERAGE, "efficiency_average", "1",                                                           \
    "efficiency from the losses of all contacts, by the averaged curves")                                    \
  X(EFFICIENCY_GLOBAL, "efficiency_global", "1", "efficiency including bearings and hydraulics")             \
  X(LOSS_BEARINGS, "loss_bearings", "W", "power lost in the bearings")                                       \
  X(LOSS_HYDRAULICS, "loss_hydraulics", "W", "power consumption of the hydraulics")                          \
  X(RING_SHARE, "ring_share", "1", "share of the torque that the rings transmit")                            \
  X(TENSION_RATIO, "tension_ratio", "1",                                                                     \
    "ratio of the ring tensions of both strands, without centrifugal part")                                  \
  X(TENSION_CAPSTAN, "tension_capstan", "1",                                                                 \
    "largest ratio of the ring tensions by the capstan relation, smaller wrap angle")                        \
  X(TENSION_EXPECTED, "tension_expected", "1",                                                               \
    "expected ratio of the ring tensions, with the friction used and the lever of the ring")                 \
  X(TENSION_MOST, "tension_most", "1",                                                                       \
    "ratio of largest to smallest ring tension, without centrifugal part")                                   \
  X(ERROR_TORQUE, "error_torque_identity", "1",                                                              \
    "relative error of the primary torque from ring tensions and push forces of the strands")                \
  X(ERROR_LONGITUDINAL, "error_longitudinal", "1",                                                           \
    "sum of the longitudinal friction forces around the belt, over that of their magnitudes")                \
  X(ERROR_TRACTION, "error_traction", "1",                                                                   \
    "sum of the ring friction forces around the belt, over that of their magnitudes")                        \
  X(ERROR_CLAMPING, "error_clamping", "1",                                                                   \
    "relative error of the axial forces on the secondary against F_S")                                       \
  X(ERROR_LOAD, "error_load", "1", "relative error of the moments on the secondary against M_S")             \
  X(BALANCE_TORQUE, "balance_torque", "1",                                                                   \
    "relative error of the torque of both strands against M_P, with the levers of the strands")              \
  X(BALANCE_LONGITUDINAL, "balance_longitudinal", "1",                                                       \
    "power of the longitudinal friction forces minus losses in the belt, relative")                          \
  X(BALANCE_TRACTION, "balance_traction", "1",                                                               \
    "power of the ring friction around the belt, over that of the magnitudes")                               \
  X(BALANCE_CLAMPING, "balance_clamping", "1",                                                               \
    "relative error of the axial forces on the secondary, with inertia of the sheave")                       \
  X(BALANCE_LOAD, "balance_load", "1", "relative error of the moments on the secondary, with its inertia")   \
  X(AVERAGE_LONGITUDINAL, "average_longitudinal", "1",                                                       \
    "sum of the longitudinal friction forces along the averaged curve, relative")                            \
  X(AVERAGE_TRACTION, "average_traction", "1",                                                               \
    "sum of the ring friction forces along the averaged curve, relative")                                    \
  X(AVERAGE_CLAMPING, "average_clamping", "1", "relative error of the averaged axial force against F_S")     \
  X(AVERAGE_LOAD, "average_load", "1", "relative error of the averaged moment against M_S")                  \
  X(IDLE_P, "idle_pri", "rad", "idle arc of the primary, up to the turnaround point")                        \
  X(IDLE_S, "idle_sec", "rad", "idle arc of the secondary, up to the turnaround point")                      \
  X(ACTIVE_P, "active_pri", "rad", "active arc of the primary, from the turnaround point")                   \
  X(ACTIVE_S, "active_sec", "rad", "active arc of the secondary, from the turnaround point")                 \
  X(IDLE_PUSH, "idle_push", "rad",                                                                           \
    "part of the primary arc with less than 10 % of the push force of the push strand")                      \
  X(PUSH_FALL, "push_fall", "1",                                                                             \
    "largest decrease of the push force in the primary arc, over that of the push strand")                   \
  X(ARC_P, "arc_pri", "rad", "arc of the primary")                                                           \
  X(ARC_S, "arc_sec", "rad", "arc of the secondary")                                                         \
  X(ENTRY_P, "entry_pri", "rad", "angle of the entry from the middle of the arc, primary")                   \
  X(ENTRY_S, "entry_sec", "rad", "angle of the entry from the middle of the arc, secondary")                 \
  X(SPIRAL_P, "spiral_pri", "m", "spiral running on the primary, peak to peak")                              \
  X(SPIRAL_S, "spiral_sec", "m", "spiral running on the secondary, peak to peak")                            \
  X(SPIRAL_INNER_P, "spiral_inner_pri", "m",                                                                 \
    "spiral running on the primary, peak to peak over the inner 5 to 95 % of the arc")                       \
  X(SPIRAL_INNER_S, "spiral_inner_sec", "m",                                                                 \
    "spiral running on the secondary, peak to peak over the inner 5 to 95 % of the arc")                     \
  X(SPIRAL_RING_P, "spiral_ring_pri", "m",                                                                   \
    "spiral running of the rings' outer face on the primary, peak to peak")                                  \
  X(SPIRAL_RING_S, "spiral_ring_sec", "m",                                                                   \
    "spiral running of the rings' outer face on the secondary, peak to peak")                                \
  X(SPIRAL_RING_INNER_P, "spiral_ring_inner_pri", "m",                                                       \
    "spiral running of the rings' outer face on the primary, peak to peak over the inner 5 to 95 %")         \
  X(SPIRAL_RING_INNER_S, "spiral_ring_inner_sec", "m",                                                       \
    "spiral running of the rings' outer face on the secondary, peak to peak over the inner 5 to 95 %")       \
  X(SPIRAL_AT_P, "spiral_least_pri", "1",                                                                    \
    "position of the smallest running radius, as a fraction of the arc, primary")                            \
  X(SPIRAL_AT_S, "spiral_least_sec", "1",                                                                    \
    "position of the smallest running radius, as a fraction of the arc, secondary")                          \
  X(PITCH_SPREAD_P, "pitch_spread_pri", "rad",                                                               \
    "standard deviation of the element pitch along the arc, primary")                                        \
  X(PITCH_SPREAD_S, "pitch_spread_sec", "rad",                                                               \
    "standard deviation of the element pitch along the arc, secondary")                                      \
  X(NORMAL_P, "normal_pri", "N", "mean normal force on a flank, primary")                                    \
  X(NORMAL_S, "normal_sec", "N", "mean normal force on a flank, secondary")                                  \
  X(ENTRY_PEAK_P, "entry_peak_pri", "1",                                                                     \
    "largest normal force on a flank at the entry, over the mean, primary")                                  \
  X(ENTRY_PEAK_S, "entry_peak_sec", "1",                                                                     \
    "largest normal force on a flank at the entry, over the mean, secondary")                                \
  X(EXIT_PEAK_P, "exit_peak_pri", "1",                                                                       \
    "largest normal force on a flank at the exit, over the mean, primary")                                   \
  X(EXIT_PEAK_S, "exit_peak_sec", "1",                                                                       \
    "largest normal force on a flank at the exit, over the mean, secondary")                                 \
  X(SADDLE_ENTRY_P, "saddle_entry_pri", "1", "largest saddle force at the entry, over the mean, primary")    \
  X(SADDLE_ENTRY_S, "saddle_entry_sec", "1", "largest saddle force at the entry, over the mean, secondary")  \
  X(SADDLE_EXIT_P, "saddle_exit_pri", "1", "largest saddle force at the exit, over the mean, primary")       \
  X(SADDLE_EXIT_S, "saddle_exit_sec", "1", "largest saddle force at the exit, over the mean, secondary")     \
  X(PUSH_MOST_P, "push_most_pri", "N", "largest push force in the primary arc")                              \
  X(PUSH_MOST_S, "push_most_sec", "N", "largest push force in the secondary arc")                            \
  X(HEAD_SHARE_P, "head_share_pri", "1", "share of the heads in the push forces in the primary arc")         \
  X(HEAD_SHARE_S, "head_share_sec", "1", "share of the heads in the push forces in the secondary arc")       \
  X(TRACTION_P, "traction_pri", "N", "sum of the ring friction forces on the elements, primary")             \
  X(TRACTION_S, "traction_sec", "N", "sum of the ring friction forces on the elements, secondary")           \
  X(MACRO, "macro_slip", "1", "1 if macro slip occurs on a pulley")                                          \
  X(MACRO_BEGIN, "macro_slip_begin", "s", "time at which macro slip begins")                                 \
  X(POWER_SCALE, "power_scale", "W", "reference power of the power balance")                                 \
  X(POWER_LOST, "power_lost", "W", "total power lost")                                                       \
  X(RESIDUAL, "residual_power", "1", "residual of the power balance, over the reference power")              \
  X(RESIDUAL_LOSS, "residual_losses", "1", "residual of the power balance, over the losses")                 \
  X(CREDIBLE, "credible", "1", "1 if the power balance closes within 0.1 % and within 2 % of the losses")

enum {
#define CAP_VARIATOR_FIGURE_ID(id, name, unit, text) CAP_VARIATOR_FIGURE_##id,
  CAP_VARIATOR_FIGURES(CAP_VARIATOR_FIGURE_ID)
#undef CAP_VARIATOR_FIGURE_ID
      CAP_VARIATOR_NFIGURE
};

extern const cap_column cap_variator_figures_columns[CAP_VARIATOR_NFIGURE];

/* Losses by contact and direction. */
enum {
  CAP_VARIATOR_LOST_LONGITUDINAL,
  CAP_VARIATOR_LOST_RADIAL,
  CAP_VARIATOR_LOST_DRILLING,
  CAP_VARIATOR_LOST_FLANK_DAMPING,
  CAP_VARIATOR_LOST_RING,
  CAP_VARIATOR_LOST_RING_DAMPING,
  CAP_VARIATOR_LOST_PUSH,
  CAP_VARIATOR_LOST_PUSH_DAMPING,
  CAP_VARIATOR_LOST
};
extern const cap_column cap_variator_figures_losses[CAP_VARIATOR_LOST];

/* Which of the record's levels are what. */
typedef struct cap_variator_levels {
  int n;
  int loss[CAP_VARIATOR_LOST][CAP_VARIATOR_SECTIONS]; /* -1 = none */
  int input, lost;                 /* works done on the drive; lost in all mechanisms together */
  int residual, integrator;        /* J not accounted for; lost by the time integration */
  int power[CAP_VARIATOR_PULLEYS]; /* works done on the pulleys from outside, or -1 */
  int spin, sheave;                /* momenta of the secondary: N m s, N s; or -1 */
} cap_variator_levels;

/* What the user gives to the post-processing. */
typedef struct cap_variator_terms {
  double reference_ratio; /* i_s without torque, for (5.1); 0 = not given */
  double bearing_torque,
      bearing_friction;            /* N m; m: torque of the bearings of a shaft, and per clamping force */
  double pump_power, pump_slope;   /* W; m/s: power of the hydraulics, and per larger clamping force */
  double pump_torque, pump_stroke; /* N m; m: the same of a pump that the primary turns, per speed */
  bool from_steady;                /* means from the stationary time on, not the last turnaround */
} cap_variator_terms;

typedef struct cap_variator_figures {
  char why[200];      /* it is not stationary; empty: it is */
  double from, until; /* s, of the means */
  cap_variator_mean scalar[CAP_VARIATOR_SCALARS];
  double value[CAP_VARIATOR_NFIGURE], error[CAP_VARIATOR_NFIGURE];  /* error: NAN where there is none */
  cap_variator_mean loss[CAP_VARIATOR_LOST][CAP_VARIATOR_SECTIONS]; /* W */
  double average[CAP_VARIATOR_LOST][CAP_VARIATOR_SECTIONS]; /* W by the averaged element; NAN: not known */
} cap_variator_figures;

/* Step 1 of 2.4.1, by all key figures (docs/theory/variator.md §50.1): the time from which on the run is
 * stationary; NAN: it is not, or not yet known to be, and `why` (of this size) says what is in the way. */
double cap_variator_figures_steady(const cap_variator_record *r, const cap_variator_levels *levels, char *why,
                                   size_t size);

/* steady: as above. The curves are those of passes after it, or of the whole run. */
void cap_variator_figures_make(cap_variator_figures *f, const cap_variator *v, const cap_variator_record *r,
                               const cap_variator_curves *c, const cap_variator_levels *levels,
                               const cap_variator_terms *terms, double steady);
