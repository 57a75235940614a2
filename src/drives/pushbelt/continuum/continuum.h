/* drives/pushbelt/continuum/continuum.h — keys of the analysis "continuum", and what its parts put out.
 *
 * Maths: docs/theory.md §49. The point of the model's own loads (continuum.c), and on request a map over
 * ratio and torque, a slip curve, shifting (continuum_map.c).
 */
#pragma once
#include "analysis/analysis.h"
#include "drives/pushbelt/continuum/variator_continuum.h"

/* Points of loads: what is not given is that of the model. */
typedef struct cap_continuum_grid {
  bool given;
  cap_reals ratio;                /* i_g on the ring's line */
  cap_reals torque, torque_ratio; /* M_S, N m; or M_P over that of (2.49) with S = 1, 1: one of them */
  cap_reals thrust_ratio;         /* shifting: i_F */
  double speed, clamping;         /* 0 = of the model */
} cap_continuum_grid;

typedef struct cap_continuum_spec {
  int kind;
  int model, centre; /* index of their choices */
  bool bends;        /* rings, at the entry */
  double tilt;       /* rad; 0 = from the compliance */
  int places;
  cap_continuum_grid map, slip_curve, shift;
} cap_continuum_spec;

cap_variator_continuum_settings cap_continuum_settings(const cap_continuum_spec *s,
                                                       const cap_progress *progress);

/* Figures of a point that stand in every result. */
int cap_continuum_count(void);
cap_column cap_continuum_figure(int k);
double cap_continuum_value(const cap_variator_continuum_point *point, int k);
/* The most important of them come first: as many are in slip curves. */
enum { CAP_CONTINUUM_FIRST = 12 };

/* Loads of the model with those of a grid. */
cap_variator_loads cap_continuum_loads(const cap_variator *v, const cap_continuum_grid *g);
/* M_S of entry k of the grid's torques at these loads. */
double cap_continuum_torque(const cap_variator_continuum *c, const cap_continuum_grid *g,
                            const cap_variator_loads *load, int k);

/* Groups "map", "slip curve" and "shift" of the results. */
cap_status cap_continuum_map(cap_run *run, const cap_continuum_spec *s);
cap_status cap_continuum_map_slip(cap_run *run, const cap_continuum_spec *s);
cap_status cap_continuum_map_shift(cap_run *run, const cap_continuum_spec *s);
