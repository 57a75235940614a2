/* drives/pushbelt/tracking/tracking_table.h — a flat ring that lies askew on a crowned saddle: its
 * parameters, and the tracking force as a table F_t(F_n, z0).
 *
 * Maths:   docs/theory.md §39. The table is made by drives/pushbelt/tracking/tracking_solver.h or read from
 *          elsewhere.
 * Between the points of the grid: bicubic with the slopes of splines, so that F_t and its derivatives are
 * continuous; F_t(F_n, -z0) = -F_t(F_n, z0) and F_t(0, z0) = 0 exactly, F_t = 0 where F_n < 0. Beyond the
 * grid: continued along the tangent in both directions (capm_tracking_table_inside tells).
 * Cost:    two searches, 16 products.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include <stdbool.h>

/* One layer of a ring, the saddle under it. */
typedef struct capm_tracking_ring {
  double modulus;   /* Pa */
  double poisson;   /* 1 */
  double thickness; /* m, h */
  double width;     /* m, L */
  double radius;    /* m, R: of the ring's own bend, round the pulley */
  double crown;     /* m, R_S: of the saddle across the ring */
  double saddle;    /* m: width of the saddle; INFINITY = wider than the ring ever reaches */
  double depth;     /* m, b: along the ring */
} capm_tracking_ring;

typedef struct capm_tracking_table {
  int nforce, nplace;
  double *force; /* [nforce] N, from 0 */
  double *place; /* [nplace] m, from 0 */
  /* [nforce][nplace] N: F_t and its derivatives to F_n, to z0, to both */
  double *value, *by_force, *by_place, *by_both;
} capm_tracking_table;

typedef struct capm_tracking_table_force {
  double value;    /* N: F_t, on the ring in the direction of z0 */
  double by_force; /* 1: its derivative to F_n */
  double by_place; /* N/m: to z0 */
} capm_tracking_table_force;

/* From values[nforce][nplace] at forces and places that increase; memory from the arena. Places of both signs
 * must mirror each other, and the odd part is taken. CAP_ERR_INPUT: fewer than two forces or two places above
 * 0; something that does not increase, does not mirror or is not finite; a negative force. */
cap_status capm_tracking_table_make(cap_arena *arena, int nforce, const double *force, int nplace,
                                    const double *place, const double *values, capm_tracking_table *table);
capm_tracking_table_force capm_tracking_table_at(const capm_tracking_table *table, double force,
                                                 double place);
bool capm_tracking_table_inside(const capm_tracking_table *table, double force, double place);
