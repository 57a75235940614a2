/* A ring of elements of a pushbelt that press on each other, and nothing else. Include after cmocka.h. */
#pragma once
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "model/data.h"
#include "pushbelt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements of the reference belt, with heads that are a little thicker. */
static inline cap_variator push_chain_variator(int simulated, int real)
{
  cap_variator v = pushbelt_chain(simulated, real);
  v.element.head_thickness = 1.501e-3;
  return v;
}

/* Pins, as far up as those of the reference belt. */
static inline void push_chain_pins(cap_variator *v, double clearance)
{
  v->element.pin = 4.43e-3, v->element.pin_length = 1e-3;
  v->contact.pin_clearance = clearance, v->contact.pin_stiffness = 2e7;
}

/* Its coordinates and the chain alone; v must outlive it. */
static inline cap_model *push_chain_model(cap_variator *v)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  cap_error error = {0};
  double mass = v->iota * v->element.mass, inertia = v->iota * v->element.inertia;
  assert_non_null(b);
  for (int k = 0; k < v->simulated; k++) {
    int x = cap_builder_dof(b, "x", "m", mass, 0.0, 0.0);
    if (k == 0) v->x = x;
  }
  for (int k = 0; k < v->simulated; k++) cap_builder_dof(b, "y", "m", mass, 0.0, 0.0);
  for (int k = 0; k < v->simulated; k++) cap_builder_dof(b, "pitch", "rad", inertia, 0.0, 0.0);
  v->y = v->x + v->simulated;
  v->pitch = v->y + v->simulated;
  if (cap_push_chain_build(b, v, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_fastest(b, cap_push_chain_angular_frequency(v));
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  return m;
}

/* How far the origin of the next element is ahead, along the normal of the joint, when both touch at their
 * edges, pressed by xi, and it is turned by delta. */
static inline double push_chain_ahead(const cap_variator *v, int i, int j, double delta, double xi)
{
  double behind = cap_variator_geometry_edge_thickness(v, i),
         front = cap_variator_geometry_edge_thickness(v, j);
  double joints = cap_variator_geometry_joints(v), one = delta / joints;
  double rho = v->element.edge_radius, psi = fmin(fmax(-one, 0.0), v->element.edge_turn);
  double lever = (0.5 * behind / joints - rho) * cos(one) + v->element.edge * sin(one) + rho * cos(one + psi);
  return joints * lever + 0.5 * front - 0.5 * (behind + front) * xi;
}

/* Two arcs and two strands of `strand` joints each, clockwise, every joint pressed by xi, the first and the
 * last in the middle of an arc. Where the number of elements is odd one is missing: the last joint
 * is open. */
static inline void push_chain_loop(const cap_variator *v, int strand, double xi, double *q)
{
  int half = (v->simulated + 1) / 2, arc = half - strand;
  double x = 0.0, y = 0.0, pitch = 0.0;
  for (int k = 0; k < v->simulated; k++) {
    q[v->x + k] = x, q[v->y + k] = y, q[v->pitch + k] = pitch;
    double delta = (k + arc / 2) % half < arc ? -M_PI / arc : 0.0;
    double ahead = push_chain_ahead(v, k, (k + 1) % v->simulated, delta, xi);
    double normal = cap_push_chain_normal(v, pitch, pitch + delta);
    pitch += delta;
    x += ahead * cos(normal), y += ahead * sin(normal);
  }
}
