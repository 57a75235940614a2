/* model/contact.h — contacts: rows of velocities that shall vanish, and what enforces them.
 *
 * Maths: docs/theory.md §17, §18. Row r of a contact is a relative velocity
 *     g_r = sum_c J_rc(q, x) v_c - b_r(q, x, t)        m/s
 * between a body and a surface that itself moves with b. A contact is either ideal (g = 0, enforced by a
 * multiplier Lambda that the stepper finds) or viscoelastic (a stick deflection z with z' = g while it
 * sticks, Lambda = k z + d g, limited by friction: laws/stick.h). Both act as M v' = h - J' Lambda. The
 * geometry is the same code in both cases: a contact type (room contact/) gives J, b and, of rows that are
 * the rate of a distance, the distance itself, and the derivatives of all of them along any direction.
 */
#pragma once
#include "laws/stick.h"
#include <stdbool.h>

enum { CAP_CONTACT_ROWS = 3, CAP_CONTACT_COORDS = 12, CAP_CONTACT_MEASURES = 4, CAP_CONTACT_BODIES = 2 };
enum { CAP_CONTACT_MECHS = 3 }; /* damping, slip (lost), surface (fed in by the surface's motion) */

/* One contact at one state, or the derivative of all that along a direction. */
typedef struct cap_contact_rows {
  double J[CAP_CONTACT_ROWS][CAP_CONTACT_COORDS];
  double b[CAP_CONTACT_ROWS];           /* m/s velocity of the surface */
  double gap[CAP_CONTACT_ROWS];         /* m, of rows that are its rate; else 0 */
  double measure[CAP_CONTACT_MEASURES]; /* what is worth a channel; no derivatives */
} cap_contact_rows;

typedef struct cap_contact_type cap_contact_type;

typedef struct cap_contact_batch {
  const cap_contact_type *type;
  bool ideal;
  int n;
  int contact_adr;     /* index of the first of them among all contacts */
  int row_adr;         /* of its first row among all rows; type->nrow each */
  int ideal_adr;       /* of its first row among the ideal ones; type->nrow each */
  int gap_adr;         /* of its first gap among those of ideal contacts; type->ngap each */
  int x_adr;           /* viscoelastic: of its first deflection z in x; type->nrow each */
  int mech_adr;        /* CAP_CONTACT_MECHS each */
  int output_adr;      /* in cap_eval.force: nrow forces, nrow velocities, nmeasure measures each */
  const int *coord;    /* [n][ncoord] velocities that it couples */
  const int *attitude; /* [n][nbody] index in x of the body's quaternion, or -1 */
  const double *par;   /* [n][nparam] */
  capm_stick *stick;   /* [n] of the tangential rows */
  capm_stick *normal;  /* [n] of the normal row: k and d alone, never slips */
  const double *load;  /* [n] N normal load of types without a normal row */
} cap_contact_batch;

struct cap_contact_type {
  const char *name, *doc;
  int nparam, ncoord, nbody, nrow, nmeasure;
  bool normal; /* row 0 is the normal direction, and its gap opens; the other rows are tangential */
  int ngap;    /* the first ngap rows are rates of a gap */
  int lift[CAP_CONTACT_ROWS]; /* of these: the coordinate (of ncoord, a translation) that is moved to close it
                               */
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
  double damping_ratio;         /* 1 = critical */
  double mu_static, mu_kinetic; /* INFINITY = never slips */
  double v_stribeck, width;     /* as in capm_stick */
  double load;                  /* N, of types without a normal row */
  bool loaded; /* start with z = Lambda / k of the ideal motion, which removes the initial layer */
} cap_contact_law;
