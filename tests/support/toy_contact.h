/* tests/support/toy_contact.h — small contacts and systems for tests of constraints: a knife edge, a point on
 * a circle. */
#pragma once
#include "elements/elements.h"
#include "model/builder.h"

#include <math.h>

/* Knife edge: the velocity of the centre (x, y) normal to the heading phi vanishes. */
static inline void toy_knife_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                  const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    double phi = q[b->coord[(first + k) * 3 + 2]];
    rows[k].J[0][0] = -sin(phi);
    rows[k].J[0][1] = cos(phi);
  }
}

static inline void toy_knife_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                  const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                                  const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)rows, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    int i = b->coord[(first + k) * 3 + 2];
    drows[k].J[0][0] = -cos(q[i]) * dq[i * stride];
    drows[k].J[0][1] = -sin(q[i]) * dq[i * stride];
  }
}

static const cap_contact_type toy_knife = {
    .name = "toy knife",
    .ncoord = 3,
    .nrow = 1,
    .row_name = {"sideways"},
    .rows = toy_knife_rows,
    .turn = toy_knife_turn,
};

/* Rod: the point (x, y) stays at distance `par[0]` from the origin;
 * a normal row that is the rate of a gap. */
static inline void toy_rod_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    double px = q[b->coord[(first + k) * 2]], py = q[b->coord[(first + k) * 2 + 1]], r = hypot(px, py);
    rows[k].J[0][0] = px / r;
    rows[k].J[0][1] = py / r;
    rows[k].gap[0] = r - b->par[first + k];
  }
}

static inline void toy_rod_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                                const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)rows, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) {
    int i = b->coord[(first + k) * 2], j = b->coord[(first + k) * 2 + 1];
    double px = q[i], py = q[j], dpx = dq[i * stride], dpy = dq[j * stride], r = hypot(px, py);
    double dr = (px * dpx + py * dpy) / r;
    drows[k].J[0][0] = dpx / r - px * dr / (r * r);
    drows[k].J[0][1] = dpy / r - py * dr / (r * r);
    drows[k].gap[0] = dr;
  }
}

static const cap_contact_type toy_rod = {
    .name = "toy rod",
    .nparam = 1,
    .ncoord = 2,
    .nrow = 1,
    .ngap = 1,
    .lift = {1},
    .row_name = {"along"},
    .rows = toy_rod_rows,
    .turn = toy_rod_turn,
};

enum { TOY_X, TOY_Y, TOY_PHI };
static const double toy_mass = 2.0, toy_pull = 3.0, toy_spin = 1.5; /* kg, N down the slope, rad/s */

/* A knife edge that starts at rest with spin: x, y, heading. pull = m g sin(slope). */
static inline cap_model *toy_knife_edge(cap_contact_law law)
{
  cap_builder *b = cap_builder_create(1);
  int dofs[3] = {cap_builder_dof(b, "sleigh.x", "m", toy_mass, 0.0, 0.0),
                 cap_builder_dof(b, "sleigh.y", "m", toy_mass, 0.0, 0.0),
                 cap_builder_dof(b, "sleigh.heading", "rad", 0.4, 0.0, toy_spin)};
  double weight = toy_pull;
  cap_builder_element(b, &cap_weight_type, "weight", TOY_X, CAP_GROUND, &weight, NULL);
  int contact = cap_builder_contact(b, &toy_knife, "blade", dofs, NULL, NULL, &law);
  cap_term force = {CAP_TERM_CONTACT_FORCE, contact * 4, 1.0},
           speed = {CAP_TERM_CONTACT_SPEED, contact * 4, 1.0};
  cap_builder_channel(b, "blade.force", "N", "force of the blade", 1, &force);
  cap_builder_channel(b, "blade.slip", "m/s", "velocity across the blade", 1, &speed);
  cap_model *m = NULL;
  cap_error error = {0};
  if (cap_builder_finish(b, &m, &error) != CAP_OK) m = NULL;
  cap_builder_free(b);
  return m;
}

/* Its closed form: position, and the force with which the blade resists. */
static inline void toy_knife_exact(double t, double *x, double *y, double *lambda)
{
  double g = toy_pull / toy_mass, w = toy_spin, s = sin(w * t);
  *x = 0.5 * g / (w * w) * s * s;
  *y = 0.5 * g / (w * w) * (w * t - 0.5 * sin(2.0 * w * t));
  *lambda = -2.0 * toy_pull * s;
}

/* A pendulum: a point on a rod of length 1 that starts at rest,
 * a third of a right angle from the vertical. */
static inline cap_model *toy_pendulum(cap_contact_law law)
{
  cap_builder *b = cap_builder_create(1);
  int dofs[2] = {cap_builder_dof(b, "bob.x", "m", toy_mass, 0.5, 0.0),
                 cap_builder_dof(b, "bob.y", "m", toy_mass, -sqrt(0.75), 0.0)};
  double weight = -9.81 * toy_mass, length = 1.0;
  cap_builder_element(b, &cap_weight_type, "weight", 1, CAP_GROUND, &weight, NULL);
  cap_builder_contact(b, &toy_rod, "rod", dofs, NULL, &length, &law);
  cap_model *m = NULL;
  cap_error error = {0};
  if (cap_builder_finish(b, &m, &error) != CAP_OK) m = NULL;
  cap_builder_free(b);
  return m;
}
