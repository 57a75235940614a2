/* model/contact.h — contacts: rows of velocities that shall vanish, and what enforces them.
 *
 * Maths: docs/theory.md §17, §18. Row r of a contact is a relative velocity
 *     g_r = sum_c J_rc(q, x) v_c - b_r(q, x, t)        m/s
 * between a body and a surface that itself moves with b. A contact is either ideal (g = 0, enforced by a
 * multiplier Lambda that the stepper finds) or viscoelastic (a stick deflection z with z' = g while it
 * sticks, Lambda = k z + d g, limited by friction: laws/stick.h), set-valued (bodies that touch, part, stick
 * and slide; §36) or regularised (the same with smooth laws). All act as M v' = h - J' Lambda, so that the
 * normal force of a contact that presses is negative. The geometry is the same code in all cases: a contact
 * type (room contact/) gives J, b and, of rows that are the rate of a distance, the distance itself, and the
 * derivatives of all of them along any direction.
 *
 * Set-valued contacts. Row 0 of a type with a normal row is the rate of the gap (> 0 open). Its impulse over
 * a step is lambda_n = -Lambda_0 h >= 0 where the contact may part (unilateral), of any sign where it may not
 * (bilateral), or, compliant, that of the spring and damper Lambda_0 = -max(0, -k gap - d gap'). The other
 * rows, one or two, are dry friction: |Lambda_t| <= mu |Lambda_0|, or mu load for a type without a normal
 * row, against the slip; mu is taken at the slip before the step. mu INFINITY: rows that never slip, which
 * with ngap makes a joint. The forces, mean values over the last step, are inner states in x, like those of
 * sliders: what moves them is the stepper's business (step/timestepping.c), and no other takes them.
 * Regularised contacts have no states: the compliant normal row, or the load, and friction
 * -mu N g / sqrt(|g|^2 + v_regular^2); every stepper of smooth systems takes them.
 */
#pragma once
#include "laws/friction.h"
#include "laws/stick.h"
#include <stdbool.h>

enum { CAP_CONTACT_ROWS = 3, CAP_CONTACT_COORDS = 16, CAP_CONTACT_MEASURES = 4, CAP_CONTACT_BODIES = 2 };
enum { CAP_CONTACT_SPREAD = -1 };
enum { CAP_CONTACT_MECHS = 3 }; /* damping (or impact), slip (lost), surface (fed in by its motion) */

/* What enforces a contact. */
typedef enum cap_law_kind {
  CAP_LAW_BY_EPSILON, /* as cap_contact_law.epsilon says: one of the two that follow */
  CAP_LAW_IDEAL,
  CAP_LAW_VISCOELASTIC,
  CAP_LAW_SET_VALUED,
  CAP_LAW_REGULARISED,
} cap_law_kind;

/* The normal row of a set-valued contact; regularised ones are compliant. */
typedef enum cap_normal_kind {
  CAP_NORMAL_UNILATERAL,
  CAP_NORMAL_BILATERAL,
  CAP_NORMAL_COMPLIANT,
} cap_normal_kind;

/* Parameters of a set-valued or regularised contact. */
typedef struct cap_contact_touch {
  cap_normal_kind normal;
  double restitution;       /* Newton's, 0 to 1 */
  double restitution_speed; /* m/s: slower approaches do not bounce */
  double k, d;              /* N/m, N s/m of a compliant normal row */
  double v_regular;         /* m/s, regularised friction */
  capm_friction friction;
} cap_contact_touch;

/* One contact at one state, or the derivative of all that along a direction. */
typedef struct cap_contact_rows {
  double J[CAP_CONTACT_ROWS][CAP_CONTACT_COORDS];
  double b[CAP_CONTACT_ROWS];           /* m/s velocity of the surface */
  double gap[CAP_CONTACT_ROWS];         /* m, of rows that are its rate; else 0 */
  double measure[CAP_CONTACT_MEASURES]; /* what is worth a channel; no derivatives */
  int coord[CAP_CONTACT_COORDS]; /* of types that move: the velocities of J; unused ones repeat the first */
} cap_contact_rows;

typedef struct cap_contact_type cap_contact_type;

typedef struct cap_contact_batch {
  const cap_contact_type *type;
  cap_law_kind kind; /* never CAP_LAW_BY_EPSILON */
  bool ideal;        /* kind == CAP_LAW_IDEAL */
  int n;
  int contact_adr;           /* index of the first of them among all contacts */
  int row_adr;               /* of its first row among all rows; type->nrow each */
  int ideal_adr;             /* of its first row among the ideal ones; type->nrow each */
  int gap_adr;               /* of its first gap among those of ideal contacts; type->ngap each */
  int x_adr;                 /* viscoelastic: of its first deflection z in x; set-valued: of its first force
                                Lambda; type->nrow each */
  int mech_adr;              /* CAP_CONTACT_MECHS each */
  int output_adr;            /* in cap_eval.force: nrow forces, nrow velocities, nmeasure measures each */
  const int *coord;          /* [n][ncoord] velocities that it couples */
  const int *attitude;       /* [n][nbody] index in x of the body's quaternion, or -1 */
  const double *par;         /* [n][nparam] */
  capm_stick *stick;         /* [n] of the tangential rows */
  capm_stick *normal;        /* [n] of the normal row: k and d alone, never slips */
  const double *load;        /* [n] N normal load of types without a normal row */
  cap_contact_touch *touch;  /* [n] of set-valued and regularised contacts */
  const void *const *bodies; /* [n] what a contact has that is more than numbers (cap_builder_contact_body) */
} cap_contact_batch;

struct cap_contact_type {
  const char *name, *doc;
  int nparam, ncoord, nbody, nrow, nmeasure;
  bool moves;  /* which velocities it couples depends on the state: rows->coord in the place of b->coord */
  bool normal; /* row 0 is the normal direction, and its gap opens; the other rows are tangential */
  int ngap;    /* the first ngap rows are rates of a gap */
  int lift[CAP_CONTACT_ROWS]; /* of these: the coordinate (of ncoord, a translation) that is moved to close
                                 it; CAP_CONTACT_SPREAD: all, in the metric of their masses */
  const char *row_name[CAP_CONTACT_ROWS];
  /* Contacts [first, first + count) at (t, q, x). rows[count] is zero on entry. q and x have one lane. */
  void (*rows)(const cap_contact_batch *b, int first, int count, double t, const double *q, const double *x,
               cap_contact_rows *rows);
  /* Their derivative along (dt, dq, dx), where dq[i * stride] belongs to coordinate i; rows are those there.
   * drows[count] is zero on entry. */
  void (*turn)(const cap_contact_batch *b, int first, int count, double t, const double *q, const double *x,
               const cap_contact_rows *rows, double dt, const double *dq, const double *dx, int stride,
               cap_contact_rows *drows);
  /* Why contact k has no point of contact in this state; NULL while it has one. The function may be NULL. */
  const char *(*lost)(const cap_contact_batch *b, int k, const double *q, const double *x);
};

/* What enforces the rows of one contact, as a drive says it. */
typedef struct cap_contact_law {
  double epsilon;   /* 0 = ideal; k = stiffness / epsilon^2, d = 2 ratio sqrt(k m_eff) */
  double stiffness; /* N/m at epsilon = 1; 0 = m_eff (1 rad/s)^2: then sqrt(k / m_eff) is 1/epsilon rad/s */
  double damping_ratio; /* 1 = critical */
  capm_friction friction;
  double width; /* as in capm_stick */
  double load;  /* N, of types without a normal row */
  bool loaded;  /* start with z = Lambda / k of the ideal motion, which removes the initial layer */
  cap_law_kind kind;
  /* set-valued and regularised: of those above friction and load, and these */
  cap_normal_kind normal;
  double restitution, restitution_speed;   /* as in cap_contact_touch */
  double normal_stiffness, normal_damping; /* N/m, N s/m: compliant and regularised */
  double v_regular;                        /* m/s: regularised, with friction */
} cap_contact_law;
