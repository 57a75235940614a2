/* elements/elements.h — the force elements of the program, one type each.
 *
 * The force of an element is what resists its deflection u = q_i - q_j: it acts as -force on i and +force on
 * j. The parameters stand in the order of the enums; SI units.
 */
#pragma once
#include "laws/beam.h"
#include "laws/clearance.h"
#include "model/builder.h"
#include "model/model.h"

/* Spring and damper in parallel: force = k u + c v + f0. */
enum { CAP_LINK_K, CAP_LINK_C, CAP_LINK_F0, CAP_LINK_NPARAM };
extern const cap_element_type cap_link_type;

/* Applied load f(t) = mean + amplitude sin(angular frequency t + phase), along +q_i; its force is -f. */
enum { CAP_LOAD_MEAN, CAP_LOAD_AMPLITUDE, CAP_LOAD_ANGULAR_FREQUENCY, CAP_LOAD_PHASE, CAP_LOAD_NPARAM };
extern const cap_element_type cap_load_type;

/* Applied load that is an input (model/input.h), times FACTOR, along +q_i; its force is minus that. START: of
 * the input, for whoever takes it as a constant. */
enum { CAP_LOAD_INPUT_SLOT, CAP_LOAD_INPUT_FACTOR, CAP_LOAD_INPUT_START, CAP_LOAD_INPUT_NPARAM };
extern const cap_element_type cap_load_input_type;
/* The load that a key names as an input, whose value is `start`, times `factor`, along +q_i. Returns the
 * handle. */
int cap_load_input_add(cap_builder *b, const char *name, int i, const cap_input_key *key, double start,
                       double factor);

/* Constant force of a potential, such as weight along +q_i; its force is -weight. */
enum { CAP_WEIGHT_FORCE, CAP_WEIGHT_NPARAM };
extern const cap_element_type cap_weight_type;

/* Modified Dahl restoring force (laws/dahl.h): its force is its inner state. */
enum { CAP_DAHL_A, CAP_DAHL_B, CAP_DAHL_D, CAP_DAHL_E, CAP_DAHL_LAMBDA, CAP_DAHL_MU, CAP_DAHL_NPARAM };
extern const cap_element_type cap_dahl_type;

/* Spring of second, third and fifth power (laws/polynomial.h): force = k2 u^2 + k3 u^3 + k5 u^5. */
enum { CAP_POLYNOMIAL_K2, CAP_POLYNOMIAL_K3, CAP_POLYNOMIAL_K5, CAP_POLYNOMIAL_NPARAM };
extern const cap_element_type cap_polynomial_type;

/* Spring with clearance and hysteresis (laws/clearance.h); cap_clearance_params fills the parameters from the
 * law. */
enum {
  CAP_CLEARANCE_KIND,
  CAP_CLEARANCE_SIGMA,
  CAP_CLEARANCE_WIDTH,
  CAP_CLEARANCE_COUNT,
  CAP_CLEARANCE_SLOPE,
  CAP_CLEARANCE_OFFSET,
  CAP_CLEARANCE_H1,
  CAP_CLEARANCE_H2,
  CAP_CLEARANCE_LOW,
  CAP_CLEARANCE_HIGH,
  CAP_CLEARANCE_AT,
  CAP_CLEARANCE_JUMP = CAP_CLEARANCE_AT + CAPM_CLEARANCE_STAGES,
  CAP_CLEARANCE_NPARAM = CAP_CLEARANCE_JUMP + CAPM_CLEARANCE_STAGES
};
extern const cap_element_type cap_clearance_type;
void cap_clearance_params(const capm_clearance *p, double par[CAP_CLEARANCE_NPARAM]);

/* Orientation of a rigid body in space: i is the first of the three consecutive coordinates whose rates are
 * its angular velocities about its principal axes, with masses I1, I2, I3; j = CAP_GROUND. Its four inner
 * states are a quaternion (linalg/quaternion.h), body to world. It adds the gyroscopic torque; its force is
 * 0. */
enum { CAP_ATTITUDE_I1, CAP_ATTITUDE_I2, CAP_ATTITUDE_I3, CAP_ATTITUDE_NPARAM };
extern const cap_element_type cap_attitude_type;

/* Planar beam between two nodes (laws/beam.h): i and j are the first of the three consecutive coordinates
 * (x, y, phi) of its ends, phi in rad and free to count turns; neither is the ground. Without mass: that is
 * the nodes'. Its force is the axial one, tension positive. With one part (cap_builder_common) all beams
 * count as one mechanism of that name. */
enum {
  CAP_BEAM_EA,
  CAP_BEAM_EI,
  CAP_BEAM_LENGTH,
  CAP_BEAM_AXIAL,
  CAP_BEAM_BENDING,
  CAP_BEAM_CURVATURE,
  CAP_BEAM_NPARAM
};
extern const cap_element_type cap_beam_type;
