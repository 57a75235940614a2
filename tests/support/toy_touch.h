/* tests/support/toy_touch.h — small contacts of points that touch and part, for tests of set-valued laws.
 * Include after system.h. */
#pragma once
#include "elements/elements.h"
#include "model/builder.h"
#include "toy_contact.h"

/* A point (x, y) over the floor y = par[0] that runs with the speed par[1] along x. */
static inline void toy_floor_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                  const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const double *par = b->par + 2 * (first + k);
    rows[k].J[0][1] = 1.0;
    rows[k].J[1][0] = 1.0;
    rows[k].b[1] = par[1];
    rows[k].gap[0] = q[b->coord[2 * (first + k) + 1]] - par[0];
  }
}

static inline void toy_floor_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                  const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                                  const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)q, (void)x, (void)rows, (void)dt, (void)dx;
  for (int k = 0; k < count; k++) drows[k].gap[0] = dq[b->coord[2 * (first + k) + 1] * stride];
}

static const cap_contact_type toy_floor = {
    .name = "toy floor",
    .nparam = 2,
    .ncoord = 2,
    .nrow = 2,
    .normal = true,
    .ngap = 1,
    .lift = {1},
    .row_name = {"normal", "along"},
    .rows = toy_floor_rows,
    .turn = toy_floor_turn,
};

/* A point (x, y) inside of a circle of radius par[0]. */
static inline void toy_bowl_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                 const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + 2 * (first + k);
    double px = q[at[0]], py = q[at[1]], r = hypot(px, py);
    rows[k].J[0][0] = -px / r;
    rows[k].J[0][1] = -py / r;
    rows[k].J[1][0] = -py / r;
    rows[k].J[1][1] = px / r;
    rows[k].gap[0] = b->par[first + k] - r;
  }
}

static const cap_contact_type toy_bowl = {
    .name = "toy bowl",
    .nparam = 1,
    .ncoord = 2,
    .nrow = 2,
    .normal = true,
    .ngap = 1,
    .lift = {1},
    .row_name = {"normal", "along"},
    .rows = toy_bowl_rows,
};

/* A point (x, y, z) over the floor z = 0: two directions of friction. */
static inline void toy_plane_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                  const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    rows[k].J[0][2] = rows[k].J[1][0] = rows[k].J[2][1] = 1.0;
    rows[k].gap[0] = q[b->coord[3 * (first + k) + 2]];
  }
}

static const cap_contact_type toy_plane = {
    .name = "toy plane",
    .ncoord = 3,
    .nrow = 3,
    .normal = true,
    .ngap = 1,
    .lift = {2},
    .row_name = {"normal", "x", "y"},
    .rows = toy_plane_rows,
};

/* Two points on a line, the second par[0] ahead of the first at least. */
static inline void toy_pair_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                                 const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + 2 * (first + k);
    rows[k].J[0][0] = -1.0;
    rows[k].J[0][1] = 1.0;
    rows[k].gap[0] = q[at[1]] - q[at[0]] - b->par[first + k];
  }
}

static const cap_contact_type toy_pair = {
    .name = "toy pair",
    .nparam = 1,
    .ncoord = 2,
    .nrow = 1,
    .normal = true,
    .ngap = 1,
    .lift = {1},
    .row_name = {"normal"},
    .rows = toy_pair_rows,
};

static const double toy_gravity = 9.81;

/* One point mass of 2 kg in the plane at (x, y) with velocity (u, w) under gravity that pulls along x by
 * `tilt` rad; contact type with its parameters. */
static inline test_system toy_point(const cap_contact_type *type, const double *par, cap_contact_law law,
                                    double tilt, double x, double y, double u, double w)
{
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  int dofs[2] = {cap_builder_dof(b, "point.x", "m", 2.0, x, u),
                 cap_builder_dof(b, "point.y", "m", 2.0, y, w)};
  double along = 2.0 * toy_gravity * sin(tilt), down = -2.0 * toy_gravity * cos(tilt);
  cap_builder_element(b, &cap_weight_type, "weight.x", 0, CAP_GROUND, &along, NULL);
  cap_builder_element(b, &cap_weight_type, "weight.y", 1, CAP_GROUND, &down, NULL);
  int contact = cap_builder_contact(b, type, "touch", dofs, NULL, par, &law);
  cap_term force = {CAP_TERM_CONTACT_FORCE, contact * 4, -1.0};
  cap_builder_channel(b, "touch.force", "N", "normal force", 1, &force);
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static inline void toy_close(test_system *s)
{
  cap_data_free(s->d);
  cap_model_free(s->m);
  *s = (test_system){0};
}
