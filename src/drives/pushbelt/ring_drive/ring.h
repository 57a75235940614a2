/* drives/pushbelt/ring_drive/ring.h — keys of the drive "ring": one ring by any of its models, free or laid
 * over two pulleys. */
#pragma once
#include "base/diag.h"
#include "base/drawing.h"
#include "base/fields.h"
#include "base/summary.h"
#include "drives/pushbelt/ring/ring.h"
#include "model/input.h"

typedef struct cap_ring_spec {
  struct {
    int model; /* index in CAP_RING_MODELS */
    int nodes, outputs;
    double length, free_length, prestress, damping;
    bool length_given, free_length_given, prestress_given;
    struct {
      int layers, packs;
      double thickness, width, modulus, density;
    } section;
    int curvature;
  } ring;
  double centre_distance;
  struct {
    int shape;
    double theta, ratio, speed, theta_speed;
    bool theta_given, ratio_given;
  } start;
  struct {
    bool deformation, theta, travel;
  } locks;
  bool pulleys_given;
  struct {
    struct cap_ring_wheel {
      double radius, inertia, speed, torque;
      bool speed_given, torque_given;
      cap_input_key speed_input, torque_input;
    } secondary, primary;
    double stiffness, damping, friction, slip_speed;
    int points;
    double clamping, mass, drag;
    bool clamping_given;
    cap_input_key clamping_input;
  } pulleys;
} cap_ring_spec;

/* The ring lies over the pulleys at the start: its curve follows from them. */
void cap_ring_pulleys_shape(const cap_ring_spec *spec, cap_ring_shape *shape);
/* N: of the ring at the start; 0 = it follows from its free length. */
double cap_ring_pulleys_tension(const cap_ring_spec *spec, const cap_ring_section *section);
void cap_ring_pulleys_check(const cap_ring_spec *spec, cap_diag *diag);
/* Their coordinates, contacts and channels. */
cap_status cap_ring_pulleys_build(const cap_ring_spec *spec, const cap_ring_shape *shape,
                                  const cap_ring *ring, cap_builder *b, cap_error *error);
extern const cap_field cap_ring_pulleys_fields[];

/* What the keys say, for cap_ring_build. */
cap_ring_shape cap_ring_drive_shape(const cap_ring_spec *spec);

void cap_ring_summary(const void *spec, const void *description, const cap_model *model, cap_summary *out);
void cap_ring_summary_draw(const void *spec, const void *description, const cap_model *model, cap_drawing *d);
