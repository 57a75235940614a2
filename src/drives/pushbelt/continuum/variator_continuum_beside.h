/* drives/pushbelt/continuum/variator_continuum_beside.h — the continuum's figures beside those of the
 * elements, in every result.
 *
 * Whoever has means of a stationary variator (analysis stationary, transients with means) fills a
 * cap_variator_continuum_seen and calls cap_variator_continuum_beside while its group of results is open:
 *
 *   cap_variator_continuum_seen seen = {.load = {omega_P, i_g, M_S, F_S}, .thrust_ratio = i_F, ...};
 *   CAP_TRY(cap_variator_continuum_beside(cap_variator_of(model), &seen, sink, error));
 *
 * It puts the numbers continuum.<figure> and distance.<figure> (what was seen less the continuum) for
 * thrust_ratio, speed_ratio, efficiency, push.upper, push.lower, ring.upper, ring.lower; with a text
 * "continuum" in their place where there is no continuum (curved sheaves, macro slip), which is no error. The
 * report shows numbers of a group as they are. Results of many points take the same as columns or arrays:
 * cap_variator_continuum_beside_column names them, cap_variator_continuum_beside_values fills a row. i_g is
 * that of the ring's line as it runs; NAN: as the model was given.
 */
#pragma once
#include "base/sink.h"
#include "drives/pushbelt/continuum/variator_continuum.h"

typedef struct cap_variator_continuum_seen {
  cap_variator_loads load;             /* means; a NAN stands for that of the model */
  double thrust_ratio, speed_ratio;    /* NAN: not known, here and below */
  double efficiency, push[2], ring[2]; /* N: upper, lower strand */
} cap_variator_continuum_seen;

/* All NAN. */
cap_variator_continuum_seen cap_variator_continuum_beside_nothing(void);

/* The continuum's figures, then the distances. */
enum {
  CAP_VARIATOR_CONTINUUM_BESIDE_THRUST,
  CAP_VARIATOR_CONTINUUM_BESIDE_RATIO,
  CAP_VARIATOR_CONTINUUM_BESIDE_EFFICIENCY,
  CAP_VARIATOR_CONTINUUM_BESIDE_PUSH, /* upper, lower */
  CAP_VARIATOR_CONTINUUM_BESIDE_RING = CAP_VARIATOR_CONTINUUM_BESIDE_PUSH + 2,
  CAP_VARIATOR_CONTINUUM_BESIDE_DISTANCE = CAP_VARIATOR_CONTINUUM_BESIDE_RING + 2, /* the same again */
  CAP_VARIATOR_CONTINUUM_BESIDE = 2 * CAP_VARIATOR_CONTINUUM_BESIDE_DISTANCE
};
cap_column cap_variator_continuum_beside_column(int k);
/* values[CAP_VARIATOR_CONTINUUM_BESIDE]; NAN: unknown, or there is no continuum (then `why`, if not NULL,
 * says so). CAP_ERR_NOMEM is the only failure. */
cap_status cap_variator_continuum_beside_values(const cap_variator *v,
                                                const cap_variator_continuum_seen *seen, double *values,
                                                cap_error *why);

/* Those values, or why there are none, into the open group. */
cap_status cap_variator_continuum_beside_put(const double *values, const cap_error *why, cap_sink *sink);

cap_status cap_variator_continuum_beside(const cap_variator *v, const cap_variator_continuum_seen *seen,
                                         cap_sink *sink, cap_error *error);
