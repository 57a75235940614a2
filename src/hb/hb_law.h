/* hb/hb_law.h — one nonlinear element or slider over a periodic deflection: coefficients in, coefficients of
 * its force out, with the exact tangent of what is computed.
 *
 * Maths: docs/theory.md §13 (alternating frequency/time). The force is evaluated at N equidistant samples, 64
 * of them at a time as lanes of the element's own kernel. Elements with an inner state are marched over the
 * period by the implicit midpoint rule from the state that closes the period; sliders by projection from the
 * sample where they must be at their limit. Piecewise-linear laws are exact (hb_pieces.h). Coulomb friction
 * has its force as unknown beside the deflection.
 */
#pragma once
#include "hb/fourier.h"
#include "hb/hb_pieces.h"
#include "model/model.h"

typedef enum cap_hb_law_kind {
  CAP_HB_LAW_MEMORYLESS,
  CAP_HB_LAW_PIECES, /* piecewise linear in the deflection: no samples */
  CAP_HB_LAW_STATE,  /* one inner state */
  CAP_HB_LAW_SLIDER, /* spring in series with dry friction */
  CAP_HB_LAW_COULOMB
} cap_hb_law_kind;

enum { CAP_HB_LAW_SEGMENTS = 8 };

/* The second part of a step within which the deflection turns. */
typedef struct cap_hb_turn {
  double at;            /* fraction of the step; 0: there is none */
  double u, v, x, rate; /* rate of the inner state: derivatives and value */
} cap_hb_turn;

typedef struct cap_hb_law {
  cap_hb_law_kind kind;
  int i, j;              /* coordinates of the model */
  int elem, slider;      /* number in the model, or -1 */
  cap_batch lanes;       /* the element alone, its deflection the only coordinate, 64 equal lanes */
  cap_batch segments;    /* the same, fewer lanes: segments of the period */
  cap_hb_pieces *pieces; /* where the type can be piecewise linear, else NULL */
  double *scratch;       /* [ncoef][ncoef], with corners only */
  double k, limit;       /* of a slider */
  double rest;           /* force of a slider that never slips, or start of an inner state */
  double rest_u;         /* m: initial deflection of an element with an inner state */
  double regular;        /* N s/m: Coulomb friction is proj(z + regular v) */
  double mobility;       /* 1/kg: sum of the inverse masses of its free ends */
  /* samples of the last evaluation, [nsample] */
  double *u, *v;               /* deflection and its velocity */
  double *f, *f_u, *f_v, *f_x; /* force and its derivatives */
  double *x;                   /* inner state, or force of a slider */
  double *x_u, *x_v, *x_x;     /* rate of the inner state: derivatives at the middle of the step that starts
                                * here; for sliders x_u is k where stuck at the sample, 0 where slipping */
  double *x_rate;              /* the rate itself */
  cap_hb_turn *turns;          /* inner states only */
  bool rate_dependent;         /* some f_v is not zero */
  double *march;               /* [nsample + ncoef][stride] tangent of x; inner states only */
  double *work;                /* [4 ncoef + nrow + 18] */
} cap_hb_law;

typedef struct cap_hb_law_result {
  double *force;   /* [ncoef] coefficients; for Coulomb friction: the projected force */
  double *tangent; /* [ncoef][ncoef] to those of the deflection, or NULL */
  double *to_w;    /* [ncoef] to the base angular frequency, or NULL */
  double *to_z;    /* [ncoef][ncoef] Coulomb friction: to the coefficients of the force; or NULL */
} cap_hb_law_result;

/* Length of a row of `march`: the coefficients and one more, in blocks of 16. */
static inline int cap_hb_law_stride(int ncoef)
{
  return (ncoef + 16) / 16 * 16;
}

/* Element k of a batch of m, one lane of it. Refused: more than one inner state. */
cap_status cap_hb_law_element(const cap_model *m, int lane, const cap_batch *b, int k, const capm_fourier *f,
                              cap_arena *arena, cap_hb_law *law, cap_error *error);
cap_status cap_hb_law_slider(const cap_model *m, int lane, int slider, const capm_fourier *f,
                             cap_arena *arena, cap_hb_law *law, cap_error *error);
/* Read the parameters of another model of the same structure. */
void cap_hb_law_update(cap_hb_law *law, const cap_model *m, int lane);

/* Evaluate at deflection u[ncoef], base angular frequency w and, for Coulomb friction, force z[ncoef].
 * `period` gives
 * the elements the time: theta = 2 pi is a period. */
cap_status cap_hb_law_evaluate(cap_hb_law *law, const capm_fourier *f, double w, double period,
                               const double *u, const double *z, const cap_hb_law_result *out,
                               cap_error *error);

/* Only the samples of u, v, f, f_u and f_v, also of a law with corners, whose evaluation leaves none. For
 * laws without memory; the others have theirs from an evaluation. */
void cap_hb_law_samples(cap_hb_law *law, const capm_fourier *f, double w, double period, const double *u);
