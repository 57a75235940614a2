/* drives/pushbelt/continuum/variator_continuum.h — the stationary (or slowly shifting) pushbelt variator as
 * a continuum.
 *
 * Maths:   docs/theory.md §49.
 *
 * Independent of the element-by-element model: it reads the description
 * (drives/pushbelt/description/variator.h) alone. Each arc is a belt of constant width that creeps through a
 * tilted groove (variator_continuum_arc.h). With the net force of the belt N = F_T - F_P - (rho A + m/t) v^2
 * in the strands, x = ln(N_l / N_u) follows from torque and clamping of the secondary, the thrust of the
 * primary from x. Rings follow the capstan relation, push forces are what is left, endplay is what stretch,
 * compression and the lines of the belt leave.
 *
 * By default the flanks are compliant (variator_continuum_flank.h). With rigid ones (creep) i_F depends
 * neither on how far the sheaves tilt (Delta) nor on the speed; slip, spiral running, losses and shift rates
 * are proportional to Delta, which follows from the forces and the influence functions.
 *
 * What it leaves out: the pitch of elements, levers of ring and edge in the torque (one radius, that of the
 * rocking edge, to first order), curved sheaves.
 *
 * Cost: 3 to 8 ms a point, 0.5 ms with rigid flanks. A cap_variator_continuum serves one thread; it begins
 * with the arcs of the point before, which changes results by less than 1e-5.
 */
#pragma once
#include "base/status.h"
#include "drives/pushbelt/continuum/variator_continuum_arc.h"
#include "drives/pushbelt/description/variator.h"
#include "drives/pushbelt/description/variator_geometry.h"

/* Models of an arc: creep with compliant flanks; with rigid flanks, its limit; Eytelwein and Grashof. */
typedef enum cap_variator_continuum_model {
  CAP_VARIATOR_CONTINUUM_COMPLIANT,
  CAP_VARIATOR_CONTINUUM_CREEP, /* Grashof's where the sheaves are rigid */
  CAP_VARIATOR_CONTINUUM_GRASHOF
} cap_variator_continuum_model;

typedef struct cap_variator_continuum_settings {
  cap_variator_continuum_model model;
  bool limp;                        /* compliant flanks: rings without bending stiffness at the entry */
  cap_variator_continuum_centre by; /* which force makes the groove open */
  double
      tilt[CAP_VARIATOR_PULLEYS]; /* rad, Delta of Sattler; 0 = from the forces and the influence numbers */
  const cap_progress *progress;   /* whether to stop; or NULL */
} cap_variator_continuum_settings;

/* Where it ended: as asked, or sliding through a pulley; or nowhere. */
typedef enum cap_variator_continuum_state {
  CAP_VARIATOR_CONTINUUM_HOLDS,
  CAP_VARIATOR_CONTINUUM_SLIDES_PRI,
  CAP_VARIATOR_CONTINUUM_SLIDES_SEC,
  CAP_VARIATOR_CONTINUUM_UNSOLVED /* compliant flanks: no solution was found well below macro slip */
} cap_variator_continuum_state;

typedef struct cap_variator_continuum_pulley {
  double radius;      /* m, of the line of the rocking edge, mean over the arc */
  double ring_radius; /* m */
  double wrap;        /* rad */
  double speed;       /* rad/s */
  double clamping;    /* N */
  double torque;      /* N m on it; the primary's with all losses */
  double tilt;        /* rad, Delta of Sattler */
  double spiral;      /* m, largest less smallest radius along the arc, by all influence functions */
  double centre;      /* where along the arc, 0 to 1, the radius is smallest */
  double slip;        /* mean slip of the belt over the speed of the pulley, + forward */
  double loss_along, loss_across; /* W, of the flanks */
  double loss_ends;               /* W, compliant flanks: friction as elements sink in and come out */
  double entry; /* e_s(0), compliant flanks: radial direction of slip at the entry, -1 to 1 */
  cap_variator_continuum_arc arc;
} cap_variator_continuum_pulley;

typedef struct cap_variator_continuum_point {
  cap_variator_continuum_state state;
  cap_variator_loads load;
  double rate; /* 1/s, di_g/dt */
  cap_variator_continuum_pulley pulley[CAP_VARIATOR_PULLEYS];
  double strand;               /* m, length of each strand */
  double speed;                /* m/s of the belt on the line of the rocking edge */
  double thrust_ratio;         /* i_F */
  double speed_ratio;          /* i_s */
  double edge_ratio;           /* r_S / r_P at the rocking edge */
  double net[2];               /* N, N_u and N_l */
  double push[2], ring[2];     /* N, F_Pu and F_Pl, F_Tu and F_Tl */
  double ring_growth;          /* ln (F_Tl - rho A v^2)/(F_Tu - rho A v^2) */
  double ring_slip;            /* m/s, of the ring on the smaller pulley, + the elements run ahead */
  double ring_share;           /* of the torque that the rings carry */
  double stretch, compression; /* m, of the ring and of all elements */
  double endplay;              /* m, sum of the gaps (operational); 0: prestressed */
  double prestress;            /* N, push force that the lack of endplay adds in both strands */
  double slip_creep, slip_chain, slip_gaps; /* parts of i_s / edge_ratio - 1 */
  double torque_ratio;                      /* |M_P| over that of (2.49) with S = 1 */
  double torque_limit;      /* N m, M_S at which macro slip begins, of the sign of the torque */
  double torque_transition; /* N m, M_S at which both strands push alike, with the prestress of this point */
  double loss_ring, loss_chain; /* W, rings on the smaller pulley; flanks, by strain and gaps of the chain */
  double loss;                  /* W, all */
  double efficiency;            /* 0: no power goes through */
  int passes, sweeps;
  double rubs[CAP_VARIATOR_PULLEYS]; /* falling friction: largest change of mu in the last pass, relative */
} cap_variator_continuum_point;

typedef struct cap_variator_continuum cap_variator_continuum;

/* settings may be NULL. CAP_ERR_NOMEM, CAP_ERR_UNSUPPORTED (curved sheaves, flanks that lock). The variator
 * must outlive it. */
cap_status cap_variator_continuum_create(const cap_variator *v,
                                         const cap_variator_continuum_settings *settings,
                                         cap_variator_continuum **c, cap_error *error);
void cap_variator_continuum_free(cap_variator_continuum *c); /* accepts NULL */

/* The point of these loads while the ratio changes by `rate`. CAP_ERR_INPUT: a ratio that the belt cannot
 * reach, no clamping force. Macro slip is no error but a state: figures that have no value then are NAN. */
cap_status cap_variator_continuum_solve(cap_variator_continuum *c, const cap_variator_loads *load,
                                        double rate, cap_variator_continuum_point *point, cap_error *error);
/* The rate at which it shifts under this thrust ratio. CAP_ERR_NUMERICS: none within the creep mode. */
cap_status cap_variator_continuum_shift(cap_variator_continuum *c, const cap_variator_loads *load,
                                        double thrust_ratio, cap_variator_continuum_point *point,
                                        cap_error *error);

/* M_S that (2.49) with S = 1 gives at this ratio and clamping force, N m (> 0); NAN: no such ratio. */
double cap_variator_continuum_capacity(const cap_variator_continuum *c, double ratio, double clamping);

/* Curves of a point, sections in the order of travel PRI, US, SEC, LS, n places each; arrays of 4 n, any may
 * be NULL. Per real element where it is a force of elements. */
typedef struct cap_variator_continuum_curves {
  double *along;        /* m on the line of the rocking edge, from the entry of the primary */
  double *section;      /* CAP_VARIATOR_IN_* */
  double *push, *ring;  /* N */
  double *net;          /* N, F_T - F_P - (rho A + m/t) v^2 */
  double *normal;       /* N, of one flank */
  double *axial;        /* N, on one sheave */
  double *longitudinal; /* N, friction of both flanks on the element, + forward */
  double *slip;         /* m/s, along the belt, + ahead of the pulley */
  double *radial;       /* m/s, outward */
  double *radius;       /* m less the mean of the arc */
} cap_variator_continuum_curves;
cap_status cap_variator_continuum_curve(const cap_variator_continuum *c,
                                        const cap_variator_continuum_point *point, int n,
                                        const cap_variator_continuum_curves *curves, cap_error *error);
