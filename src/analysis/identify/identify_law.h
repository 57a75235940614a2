/* analysis/identify/identify_law.h — both hysteresis laws over a steady cycle, for several parameter sets at
 * once.
 *
 * The law runs on its periodic orbit, except over the lead: the rest of the stroke in which the samples begin
 * and the strokes up to its next occurrence. There it starts from a state of its own, one unknown more,
 * because recordings rarely begin exactly on the orbit. A cycle that slips wipes that out.
 *
 * Masing is exact at every sample (projection along each stroke). Dahl is marched over nodes of each piece
 * and interpolated by cubics with exact slopes, error below 1e-3 N for the tensioner of the document. Node
 * places and weights depend on the deflection alone and are prepared once.
 */
#pragma once
#include "analysis/identify/identify.h"
#include "laws/dahl_lanes.h"

enum {
  CAP_IDENTIFY_LAW_LANES = CAPM_DAHL_LANES,
  CAP_IDENTIFY_LAW_UNKNOWNS = CAP_IDENTIFY_PARAMETERS +
                              1, /* parameters, then the state at the first sample */
};

typedef struct cap_identify_model {
  const cap_identify_cycle *cycle;
  cap_identify_law law;
  int nparameter;              /* of the law */
  int npoint;                  /* places where the force is wanted */
  const double *u, *v;         /* [npoint] */
  int norbit;                  /* pieces of the orbit: strokes of the cycle, or none */
  int npiece;                  /* ... and of the lead after them */
  double *piece_u0, *piece_u1; /* [npiece] m */
  double *piece_w;             /* [npiece] m: Masing, w at its start */
  int *piece_of;               /* [npoint] */
  int nnode;                   /* Dahl: nodes of all pieces */
  int *piece_adr;              /* first node of each piece */
  double *node_u;              /* [nnode] */
  double (*node_force)[CAPM_DAHL_LANES], (*node_slope)[CAPM_DAHL_LANES];
  int *node_of;        /* [npoint] */
  double (*weight)[4]; /* [npoint]: of force and slope at that node, force and slope at the next */
} cap_identify_model;

/* Prepare the law at npoint places of the cycle; u and v are kept by reference. With `lead` the places are
 * the samples in their order in time and the first of them carries the state; otherwise all
 * lie on the orbit. */
cap_status cap_identify_law_init(cap_identify_model *model, const cap_identify_cycle *cycle,
                                 cap_identify_law law, int npoint, const double *u, const double *v,
                                 const int *stroke_of, bool lead, cap_arena *arena);

/* force[lane * npoint + i] for nlane sets of unknowns: a b d e Lambda mu, or k k0 alpha F0 c; then the state,
 * force or w (read with a lead only). */
void cap_identify_law_force(cap_identify_model *model, int nlane,
                            double unknowns[][CAP_IDENTIFY_LAW_UNKNOWNS], double *force);

/* Masing's inner deflection w at the places, for the friction limit eta = alpha/k (m) and the state `start`
 * (NAN: the lead runs on the orbit too); returns the length slipped a cycle, m (0 = never slips, w is then
 * stuck about a mean). */
double cap_identify_law_slider(cap_identify_model *model, double eta, double start, double *w);
