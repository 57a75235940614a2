/* drives/pushbelt/contact/groove.h — the flanks of all elements of a pushbelt in the grooves of both pulleys.
 *
 * Maths:   docs/theory.md §45; geometry of a flank §41, coupled contact §33.
 * Cost:    of the elements near a pulley only; tilting sheaves 12 ns an element of the belt and evaluation
 *
 * One batch of as many elements as the belt has. A flank touches by one point, or by a front and a rear one,
 * on cones or curved sheaves, which are rigid or deflect by functions or a table. Normal forces are the
 * gradient of one potential of elements and closings; flank dampers and friction act along the rows of
 * flank.h. Friction is a bristle in three directions: along the belt, along the generatrix and, for a flank
 * of some length, in drilling, with one limit for all three; it is marched. Lost energy is counted for each
 * pulley (parts pri, sec) as longitudinal, radial, drilling and damping.
 *
 * Set-valued friction (drives/pushbelt/impulses/held.h; one point, flat sheaves) has no bristles: its forces
 * are inner states that a stepper finds from the rows that the batch gives.
 *
 * Only steppers that march can move it. In a model of one lane.
 */
#pragma once
#include "drives/pushbelt/description/variator.h"
#include "model/builder.h"

/* What an element shows: forces of a simulated element, which stands for iota real ones. */
enum {
  CAP_GROOVE_PULLEY,       /* that it touches, or -1 */
  CAP_GROOVE_NORMAL,       /* N, of one flank; where they differ (2.34) their mean */
  CAP_GROOVE_LONGITUDINAL, /* N, friction of both flanks on the element, positive forward */
  CAP_GROOVE_RADIAL,       /* N, friction of both along the generatrix, on the element, positive outward */
  CAP_GROOVE_AXIAL,        /* N, on one sheave: normal and friction part */
  CAP_GROOVE_SLIDE_T,      /* m/s, of the element over the sheave, positive forward */
  CAP_GROOVE_SLIDE_G,      /* m/s, outward along the generatrix */
  CAP_GROOVE_RADIUS,       /* m, of the point of contact; of an element near no pulley 0 */
  CAP_GROOVE_ANGLE,        /* rad, of the flank about the axis, counter-clockwise from +x */
  CAP_GROOVE_SECTION,      /* CAP_VARIATOR_IN_* */
  CAP_GROOVE_DRILLING,     /* N m, on the element, counter-clockwise */
  CAP_GROOVE_REAR,         /* N, what of the normal force the rear point carries (two points) */
  CAP_GROOVE_TORQUE,       /* N m, on the pulley, clockwise */
  CAP_GROOVE_NOUTPUT
};
/* Mechanisms, of each pulley. */
enum {
  CAP_GROOVE_LOSS_LONGITUDINAL,
  CAP_GROOVE_LOSS_RADIAL,
  CAP_GROOVE_LOSS_DRILLING,
  CAP_GROOVE_LOSS_DAMPING,
  CAP_GROOVE_NLOSS
};

extern const cap_element_type cap_groove_type;       /* sheaves that are rigid or deflect by functions */
extern const cap_element_type cap_groove_table_type; /* by tables */
extern const cap_element_type cap_groove_held_type, cap_groove_held_table_type; /* set-valued friction */

/* The type of this variator's batch, for cap_builder_reads. */
const cap_element_type *cap_groove_type_of(const cap_variator *v);

/* Adds the batch; the coordinates of elements and pulleys exist, v lies in the builder's arena. sections:
 * [simulated] CAP_VARIATOR_IN_* at the start; NULL: the lower strand until they touch. Elements start with
 * friction unloaded. Tells the largest angular frequency. CAP_ERR_INPUT: what is not available. */
cap_status cap_groove_build(cap_builder *b, const cap_variator *v, const double *sections, cap_error *error);

/* Where in x (of the model) the sections of all elements stand, one after the other. */
int cap_groove_sections(const cap_batch *batch);

/* The section of an element whose centre is at (x, y), from geometry: within `near` of an arc, or in a
 * strand. */
int cap_groove_section_at(const cap_variator *v, double x, double y, double near);

/* How much nearer the loose sheave must come than in undeformed geometry, m, so that elements whose flanks
 * touch at `radius` along `wrap` carry the axial force `force` (N, on one sheave) evenly: both flanks'
 * compliance and the mean deflection of both sheaves. */
double cap_groove_offset(const cap_variator *v, int pulley, double radius, double wrap, double force);

/* Undeformed geometry: the closing at which an element without pitch whose flank's point is at `radius` just
 * touches. (A sphere on a curved sheave touches beside that point where the sheave is steeper than it.) */
double cap_groove_offset_closing(const cap_variator *v, int pulley, double radius);

/* Axial force on one sheave of each pulley without friction in a configuration: x, y, pitch [simulated],
 * closings of both pulleys. CAP_ERR_NUMERICS: no solution; CAP_ERR_NOMEM. */
cap_status cap_groove_axial(const cap_variator *v, const double *x, const double *y, const double *pitch,
                            const double closing[CAP_VARIATOR_PULLEYS], double force[CAP_VARIATOR_PULLEYS]);
