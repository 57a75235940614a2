/* drives/pushbelt/sheave/sheave.h — one pulley of a pushbelt variator: what the keys of its model file
 * fill. */
#pragma once
#include "base/fields.h"
#include "base/status.h"
#include "drives/pushbelt/contact/maxwell_element.h"
#include "drives/pushbelt/description/compliance.h"

typedef enum cap_sheave_shape { CAP_SHEAVE_CONSTANT, CAP_SHEAVE_SPIRAL, CAP_SHEAVE_POINTS } cap_sheave_shape;

typedef struct cap_sheave_spec {
  struct {
    double wedge, inner, outer, speed;
  } pulley;
  struct {
    int elements;
    double wrap, stiffness;
    struct {
      int shape;
      double radius, entry, exit;
      cap_series points;
    } radius;
  } belt;
  cap_compliance_spec compliance;
  struct {
    double mass, damping;
  } loose;
  struct {
    double force, amplitude, angular_frequency, phase;
    cap_input_key input; /* the force */
  } clamping;
  struct {
    double closing, velocity;
    bool closing_given;
  } initial;
  int flanks, solver;
} cap_sheave_spec;

/* What elements are computed before and behind the arc, rad. */
#define CAP_SHEAVE_MARGIN (25.0 * M_PI / 180.0)

/* The pulley and its course, memory from the arena; and how many elements are computed. */
cap_status cap_sheave_pulley_lay(const cap_sheave_spec *s, cap_arena *arena, cap_maxwell_pulley *pulley,
                                 int *count, cap_error *error);
/* The clamping force at the largest axial travel that the pulley allows, N. */
double cap_sheave_pulley_strongest(const cap_maxwell_pulley *pulley, int count);
/* Closing at which the flanks carry the force, m. */
cap_status cap_sheave_pulley_closing(const cap_maxwell_pulley *pulley, int count, double force,
                                     double *closing, cap_error *error);
