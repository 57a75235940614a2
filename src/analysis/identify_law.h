/* analysis/identify_law.h — both hysteresis laws over a steady cycle, for several parameter sets at once.
 *
 * Steady: the inner state is that of the periodic orbit, so it is no parameter. Masing is exact at every
 * sample (projection along each stroke); Dahl is marched over nodes of each stroke and interpolated by cubics
 * with exact slopes, error below 1e-4 N for the tensioner of the document. Node places and weights depend on
 * the deflection alone and are prepared once.
 */
#pragma once
#include "analysis/identify.h"
#include "laws/dahl_lanes.h"

enum { CAP_IDENTIFY_LAW_LANES = CAPM_DAHL_LANES };

typedef struct cap_identify_model {
  const cap_identify_cycle *cycle;
  cap_identify_law law;
  int npoint;                                     /* places where the force is wanted */
  const double *u, *v;                            /* [npoint] */
  const int *stroke_of;                           /* [npoint] */
  int nnode;                                      /* Dahl: nodes of all strokes */
  int stroke_adr[CAP_IDENTIFY_CYCLE_STROKES + 1]; /* first node of each stroke */
  double *node_u;                                 /* [nnode] */
  double (*node_force)[CAPM_DAHL_LANES], (*node_slope)[CAPM_DAHL_LANES];
  int *node_of;        /* [npoint] */
  double (*weight)[4]; /* [npoint]: of force and slope at that node, force and slope at the next */
} cap_identify_model;

/* Prepare the law at npoint places of the cycle; u, v and stroke_of are kept by reference. */
cap_status cap_identify_law_init(cap_identify_model *model, const cap_identify_cycle *cycle,
                                 cap_identify_law law, int npoint, const double *u, const double *v,
                                 const int *stroke_of, cap_arena *arena);

/* force[lane * npoint + i] for nlane parameter sets (a b d e Lambda mu, or k k0 alpha F0 c). */
void cap_identify_law_force(cap_identify_model *model, int nlane,
                            double parameters[][CAP_IDENTIFY_PARAMETERS], double *force);

/* Masing's inner deflection w at the places, for the friction limit eta = alpha/k (m); returns the length
 * slipped a cycle, m (0 = never slips, w is then the stuck orbit about zero mean). */
double cap_identify_law_slider(const cap_identify_model *model, double eta, double *w);
