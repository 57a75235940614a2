/* step/exact/exact_regime.h — the linear system that holds while a given set of sliders sticks (inside of
 * exact.c).
 *
 * With S the sticking set and a_s = w_s - s_s constant for s in S:
 *   M q'' + C q' + K_S q = f0 - sum_{slipping} b_s z_s - sum_S k_s b_s a_s + harmonics,
 *   K_S = K + sum_S k_s b_s b_s^T
 * so that q = rest - sum_S anchor_s a_s - sum_{slipping} anchor_s w_s + harmonic response + modes.
 * Three stages, each built when first needed: static (factors of K_S), forced (harmonic response), modes.
 */
#pragma once
#include "base/status.h"
#include "step/exact/exact.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct cap_exact_regime {
  uint64_t stuck;                                   /* bit s: slider s sticks */
  bool has_static, has_forced, has_modes, prepared; /* stages that were built */
  bool regular;                                     /* K_S is invertible */
  bool responsive;                                  /* the harmonic response exists */
  bool diagonalisable;                              /* the modes are well conditioned */
  int ndrift, nrigid; /* columns of rigid motion (exact_drift.h): first positions, then undamped velocities */
  int *drift;         /* [2 nv] */
  double drift_rate;  /* 1/s, scale of the velocity columns */
  bool modal;         /* all of it: pieces are sums of modes, else Taylor series */
  int nmode;          /* a conjugate pair counts once */
  double *alpha, *beta, *rate;        /* [2 nv + nharmonic] exponents, then the harmonics; rate = modulus */
  int *column;                        /* [nmode] of the mode in shape */
  double *shape, *inverse;            /* [2 nv][2 nv] real and imaginary parts of the modes */
  double *stiffness;                  /* [nv][nv] K_S */
  double *lu;                         /* [nv][nv] its factors */
  int *pivot;                         /* [nv] */
  double *anchor, *rest;              /* [nslider][nv] K_S^-1 b_s k_s; [nv] K_S^-1 f0 */
  double *hc, *hs;                    /* [nharmonic][nv] response: hc cos + hs sin */
  double *slide_size;                 /* [nslider][2 nv] the same sums of moduli */
  double *slide;                      /* [nslider][2 nv] b_s . shape */
  double *slide_c, *slide_s;          /* [nslider][nharmonic] of s_s, imposed motion included */
  double largest_rate, smallest_rate; /* of the eigenvalues, 1/s */
} cap_exact_regime;

enum { CAP_EXACT_MOST_REGIMES = 64, CAP_EXACT_SERIES_ORDER = 24 };

/* The form s(tau) of a linear output on one piece: constant + sum_j e^(alpha_j tau) (p_j cos + r_j
 * sin)(beta_j tau), or a Taylor polynomial in series mode. */
typedef struct cap_exact_curve {
  double constant, linear, quadratic; /* polynomial in tau; the last two for rigid motion */
  double *p, *r;                      /* [4][nterm] of the derivatives 0 to 3 */
  double *size;                       /* [nterm] modulus of (p, r) */
  double *blur;     /* [nterm] what (p, r) would be without cancellation; times rounding, their error */
  double summed[2]; /* the same for the constant; series: for the value and the slope at the start */
  double taylor[CAP_EXACT_SERIES_ORDER + 1]; /* series mode: the whole curve, its constant included */
} cap_exact_curve;

typedef struct cap_exact_piece {
  const cap_exact_regime *regime;
  bool series;
  int nterm;
  double t;                          /* s, its start */
  double length;                     /* s, for which it may be used */
  double *mean, *linear, *quadratic; /* [2 nv] polynomial part of (q, v); the last two for rigid motion */
  double *modal;                     /* [2 nv] modal coordinates at the start */
  double *doubt;                     /* [2 nv] sums of moduli behind `modal` */
  double *cos0, *sin0;               /* [nharmonic] phases at the start */
  double *anchored;                  /* [nslider] a_s of sticking sliders, w_s of slipping ones */
  double *series_q;                  /* [order + 1][nv] Taylor coefficients of q */
  cap_exact_curve *slider;           /* [nslider] s_s */
  double *growth, *ec, *es;          /* [nterm] e^(alpha tau), times cos and sin, at the last tau evaluated */
} cap_exact_piece;

struct cap_exact {
  int nv, nharmonic, nslider, nx, n; /* nx = 2 nv, n = nx + nslider */
  cap_linear linear;                 /* own copy */
  cap_arena arena;                   /* holds everything below */
  double *mass_inverse;              /* [nv][nv] */
  double *reach;                     /* [nslider] limit / k */
  uint64_t loose;                    /* sliders without a limit force never stick */
  bool known;                        /* the numbers of a system have been set */
  int nregime, oldest;
  cap_exact_regime *regimes[CAP_EXACT_MOST_REGIMES];
  cap_exact_piece piece;
  int *index;                 /* [2 nv] scratch */
  double *work;               /* scratch of the stages */
  double *column, *column2;   /* [n * n] scratch of the tangent */
  double *node_y, *node_z;    /* [n], [nslider] of visitors */
  cap_exact_curve functional; /* of exact_range.c */
};

/* The set of all sliders that can stick. */
uint64_t cap_exact_regime_all_stuck(const cap_exact *e);
/* The regime of a sticking set; CAP_ERR_NOMEM. */
cap_status cap_exact_regime_get(cap_exact *e, uint64_t stuck, cap_exact_regime **regime);
/* Build a stage if it is not there; look at `regular` and `responsive` for what came out. */
void cap_exact_regime_static(cap_exact *e, cap_exact_regime *regime);
void cap_exact_regime_forced(cap_exact *e, cap_exact_regime *regime);
/* All stages, for propagation; CAP_ERR_NUMERICS when the eigenvalues cannot be found. */
cap_status cap_exact_regime_prepare(cap_exact *e, cap_exact_regime *regime);
/* Doubles of scratch that the stages use. */
size_t cap_exact_regime_work(int nv);
