/* drives/ring.h — keys of the drive "ring": one ring by any of its models, free or laid over two pulleys. */
#pragma once
#include "base/fields.h"
#include "elements/ring.h"

typedef struct cap_ring_spec {
  struct {
    int model; /* index in cap_ring_models */
    int nodes, outputs;
    double length, free_length, prestress, damping;
    bool free_length_given, prestress_given;
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
} cap_ring_spec;

/* What the keys say, for cap_ring_build. */
cap_ring_shape cap_ring_drive_shape(const cap_ring_spec *spec);
