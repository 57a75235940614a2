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
  X(STEADY, "stationary_from", "s", "time from which on the run is stationary")                              \
  X(IS_STEADY, "stationary", "1", "1 where the run is stationary at its end")                                \
  X(TURNAROUND, "last_turnaround", "s", "begin of the last turnaround of the belt")                          \
  X(REVOLUTION, "revolution", "s", "virtual time of a turnaround")                                           \
  X(AVERAGED, "averaged_elements", "1", "elements of the space-averaging element, fewest of a section")      \
  X(PUSH_VARIATION, "push_variation", "1", "variation of the push force in the push strand, averaged")       \
  X(SINGLE_VARIATION, "push_variation_single", "1", "the same of single elements")                           \
  X(SLIP, "slip", "1", "slip against the reference ratio")                                                   \
  X(TORQUE_RATIO, "torque_ratio", "1", "torque ratio r = M_S over the torque at the slip limit")             \
  X(SAFETY_P, "safety_pri", "1", "safety against slip, primary")                                             \
  X(SAFETY_S, "safety_sec", "1", "safety against slip, secondary")                                           \
  X(COORDINATES, "coordinates", "1", "degrees of freedom of the model")                                      \
  X(CONTACTS, "contacts", "1", "places where two bodies of it can touch")                                    \
  X(POWER_P, "power_pri", "W", "power from the primary pulley into the belt")                                \
  X(POWER_S, "power_sec", "W", "power from the secondary pulley into the belt")                              \
  X(EFFICIENCY, "efficiency", "1", "power out over power in")                                                \
  X(EFFICIENCY_LOCAL, "efficiency_local", "1", "1 - losses of the contacts over power in, exact works")      \
  X(EFFICIENCY_AVERAGE, "efficiency_average", "1", "the same by the space-averaging element")                \
  X(EFFICIENCY_GLOBAL, "efficiency_global", "1", "with losses of bearings and hydraulics")                   \
  X(LOSS_BEARINGS, "loss_bearings", "W", "power lost in the bearings")                                       \
  X(LOSS_HYDRAULICS, "loss_hydraulics", "W", "power lost in the hydraulics")                                 \
  X(RING_SHARE, "ring_share", "1", "share of the torque that the rings carry")                               \
  X(TENSION_RATIO, "tension_ratio", "1", "ring tension of the strands, ratio without centrifugal part")      \
  X(TENSION_CAPSTAN, "tension_capstan", "1", "e^(mu phi) of the smaller arc")                                \
  X(TENSION_EXPECTED, "tension_expected", "1", "the same with the lever and the use of the friction")        \
  X(TENSION_MOST, "tension_most", "1", "largest over smallest ring tension, without centrifugal part")       \
  X(ERROR_TORQUE, "error_torque_identity", "1",                                                              \
    "error of (F_Tl - F_Tu) r_ring + (F_Pu - F_Pl) r_edge = M_P")                                            \
  X(ERROR_LONGITUDINAL, "error_longitudinal", "1", "transmitting forces around the belt, over magnitudes")   \
  X(ERROR_TRACTION, "error_traction", "1", "ring friction around the belt, over magnitudes")                 \
  X(ERROR_CLAMPING, "error_clamping", "1", "error of the axial forces on the secondary against F_S")         \
  X(ERROR_LOAD, "error_load", "1", "error of the moments on the secondary against M_S")                      \
  X(BALANCE_TORQUE, "balance_torque", "1", "error of what the strands carry against M_P, levers of strands") \
  X(BALANCE_LONGITUDINAL, "balance_longitudinal", "1",                                                       \
    "power of transmitting forces less losses in the belt")                                                  \
  X(BALANCE_TRACTION, "balance_traction", "1",                                                               \
    "power of the ring friction around the belt, over magnitudes")                                           \
  X(BALANCE_CLAMPING, "balance_clamping", "1", "error of the axial forces with the sheave's own motion")     \
  X(BALANCE_LOAD, "balance_load", "1", "error of the moments with the secondary's own inertia")              \
  X(AVERAGE_LONGITUDINAL, "average_longitudinal", "1", "transmitting forces around the averaged curve")      \
  X(AVERAGE_TRACTION, "average_traction", "1", "ring friction around the averaged curve")                    \
  X(AVERAGE_CLAMPING, "average_clamping", "1", "error of the averaged axial force against F_S")              \
  X(AVERAGE_LOAD, "average_load", "1", "error of the averaged moment against M_S")                           \
  X(IDLE_P, "idle_pri", "rad", "idle arc, primary: up to the turnaround point")                              \
  X(IDLE_S, "idle_sec", "rad", "idle arc, secondary")                                                        \
  X(ACTIVE_P, "active_pri", "rad", "active arc, primary: from the turnaround point on")                      \
  X(ACTIVE_S, "active_sec", "rad", "active arc, secondary")                                                  \
  X(IDLE_PUSH, "idle_push", "rad", "part of the primary's arc up to 10 % of the push strand's force")        \
  X(PUSH_FALL, "push_fall", "1", "largest fall of the push force along the primary, over the push strand's") \
  X(ARC_P, "arc_pri", "rad", "arc, primary")                                                                 \
  X(ARC_S, "arc_sec", "rad", "arc, secondary")                                                               \
  X(ENTRY_P, "entry_pri", "rad", "angle of the entry from the middle of the arc, primary")                   \
  X(ENTRY_S, "entry_sec", "rad", "angle of the entry from the middle of the arc, secondary")                 \
  X(SPIRAL_P, "spiral_pri", "m", "spiral running, peak to peak, primary")                                    \
  X(SPIRAL_S, "spiral_sec", "m", "spiral running, peak to peak, secondary")                                  \
  X(SPIRAL_AT_P, "spiral_least_pri", "1", "place of the smallest radius, share of the arc, primary")         \
  X(SPIRAL_AT_S, "spiral_least_sec", "1", "place of the smallest radius, share of the arc, secondary")       \
  X(PITCH_SPREAD_P, "pitch_spread_pri", "rad", "standard deviation of the pitch along the arc, primary")     \
  X(PITCH_SPREAD_S, "pitch_spread_sec", "rad", "standard deviation of the pitch along the arc, secondary")   \
  X(NORMAL_P, "normal_pri", "N", "mean normal force of a flank, primary")                                    \
  X(NORMAL_S, "normal_sec", "N", "mean normal force of a flank, secondary")                                  \
  X(ENTRY_PEAK_P, "entry_peak_pri", "1", "largest normal force of the entry over the mean, primary")         \
  X(ENTRY_PEAK_S, "entry_peak_sec", "1", "largest normal force of the entry over the mean, secondary")       \
  X(EXIT_PEAK_P, "exit_peak_pri", "1", "largest normal force of the exit over the mean, primary")            \
  X(EXIT_PEAK_S, "exit_peak_sec", "1", "largest normal force of the exit over the mean, secondary")          \
  X(SADDLE_ENTRY_P, "saddle_entry_pri", "1", "largest saddle force of the entry over the mean, primary")     \
  X(SADDLE_ENTRY_S, "saddle_entry_sec", "1", "largest saddle force of the entry over the mean, secondary")   \
  X(SADDLE_EXIT_P, "saddle_exit_pri", "1", "largest saddle force of the exit over the mean, primary")        \
  X(SADDLE_EXIT_S, "saddle_exit_sec", "1", "largest saddle force of the exit over the mean, secondary")      \
  X(PUSH_MOST_P, "push_most_pri", "N", "largest push force in the primary's arc")                            \
  X(PUSH_MOST_S, "push_most_sec", "N", "largest push force in the secondary's arc")                          \
  X(HEAD_SHARE_P, "head_share_pri", "1", "head's share of the push forces in the primary's arc")             \
  X(HEAD_SHARE_S, "head_share_sec", "1", "head's share of the push forces in the secondary's arc")           \
  X(TRACTION_P, "traction_pri", "N", "sum of the ring friction on the elements, primary")                    \
  X(TRACTION_S, "traction_sec", "N", "sum of the ring friction on the elements, secondary")                  \
  X(MACRO, "macro_slip", "1", "1 where a pulley slips as a whole")                                           \
  X(MACRO_BEGIN, "macro_slip_begin", "s", "time at which that began")                                        \
  X(POWER_SCALE, "power_scale", "W", "power that the residual is compared with")                             \
  X(POWER_LOST, "power_lost", "W", "all losses of the run")                                                  \
  X(RESIDUAL, "residual_power", "1", "power not accounted for, over that power")                             \
  X(RESIDUAL_LOSS, "residual_losses", "1", "power not accounted for, over the losses")                       \
  X(CREDIBLE, "credible", "1", "1 where the power balance closes within 0.1 % and within 2 % of the losses")

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
  double from, until; /* s, of the means */
  cap_variator_mean scalar[CAP_VARIATOR_SCALARS];
  double value[CAP_VARIATOR_NFIGURE], error[CAP_VARIATOR_NFIGURE];  /* error: NAN where there is none */
  cap_variator_mean loss[CAP_VARIATOR_LOST][CAP_VARIATOR_SECTIONS]; /* W */
  double average[CAP_VARIATOR_LOST][CAP_VARIATOR_SECTIONS]; /* W by the averaged element; NAN: not known */
} cap_variator_figures;

/* Step 1 of 2.4.1: when i_F stays within 2 % and i_s within 0.5 % over a quarter of a revolution; INFINITY:
 * they do not yet. */
double cap_variator_figures_steady(const cap_variator_record *r);

/* The curves are those of passes after cap_variator_figures_window(record). */
double cap_variator_figures_window(const cap_variator_record *r);
void cap_variator_figures_make(cap_variator_figures *f, const cap_variator *v, const cap_variator_record *r,
                               const cap_variator_curves *c, const cap_variator_levels *levels,
                               const cap_variator_terms *terms);
