/* drives/pushbelt/contact/push_chain.h — the elements of a pushbelt press on each other all the way round: a
 * closed chain.
 *
 * Maths:   docs/theory.md §44; geometry of a joint §40.2, law §40.1.
 * Reads:   q, v of all elements; the sections of drives/pushbelt/contact/groove.h. Adds: h.
 *
 * One batch of as many elements as the belt has: joint k is between element k and the one in front of it,
 * k + 1, the last with the first. Each touches at its rocking edge (an arc) and at its head (a point), and a
 * pin on its front lies with clearance in a hole of the one in front. Normal forces by (2.36) with
 * xi = g/t_loc, whose thickness may differ from element to element, and a damper in proportion to the
 * stiffness; nothing pulls. Where neighbours are offset along their faces by more than the clearance the wall
 * of the hole holds the pin, as a spring with such a damper, without friction, and whatever the gap between
 * the faces. Friction along the faces is a bristle with radial return: the inner states are its forces, edges
 * of all joints and then heads of all. They are marched. A joint acts on both elements in one point. Lost
 * energy is counted by the section of the element behind.
 *
 * While it marches, dampers and bristles go by the mean velocities of the step, and losses are told as
 * energies over the step (cap_eval.jump): the mean of the forces at its ends times the way between them.
 *
 * Only steppers that march can move it. In a model of one lane.
 */
#pragma once
#include "drives/pushbelt/description/variator.h"
#include "model/builder.h"

/* Of joint k; forces are those of simulated elements, which pass on the force of the belt. */
enum {
  CAP_PUSH_CHAIN_EDGE,     /* N */
  CAP_PUSH_CHAIN_HEAD,     /* N */
  CAP_PUSH_CHAIN_EDGE_GAP, /* m, positive: open */
  CAP_PUSH_CHAIN_HEAD_GAP, /* m */
  CAP_PUSH_CHAIN_FRICTION, /* N, on the element behind along n of the one in front: positive outward */
  CAP_PUSH_CHAIN_PIN,      /* N, the same of the pin */
  CAP_PUSH_CHAIN_NOUTPUT
};
enum { CAP_PUSH_CHAIN_LOSS_FRICTION, CAP_PUSH_CHAIN_LOSS_DAMPING, CAP_PUSH_CHAIN_NLOSS };

extern const cap_element_type cap_push_chain_type;

/* Adds the batch; the coordinates of the elements exist, v lies in the builder's arena, and the batch that
 * knows the section of each element (drives/pushbelt/contact/groove.h) was described before; without it all
 * is counted in the first section. first (or NULL) receives the handle of joint 0, those of the others
 * follow. Tells the largest angular frequency of inner steps. CAP_ERR_INPUT: what is not available. */
cap_status cap_push_chain_build(cap_builder *b, const cap_variator *v, int *first, cap_error *error);

/* The largest angular frequency of a chain whose elements all touch with the full stiffness, rad/s: 2 over
 * it is the
 * largest stable step of an explicit method. */
double cap_push_chain_angular_frequency(const cap_variator *v);

/* Normal forces of edge and head together between elements i and j, the next one, at rest; poses: x, y,
 * pitch. */
double cap_push_chain_joint(const cap_variator *v, int i, int j, const double pose_i[3],
                            const double pose_j[3]);

/* What i gives to j through their joint, whose outputs these are: force along x and y, and moment about the
 * origin of i, counter-clockwise; friction as if all of it were at the edge. */
void cap_push_chain_give(const cap_variator *v, int i, const double pose_i[3], const double pose_j[3],
                         const double output[CAP_PUSH_CHAIN_NOUTPUT], double given[3]);

/* Angle of the normal of a joint between elements of these pitches, along which its normal force acts: the
 * pitch of j, the one in front, or of stacks that of the faces of the real elements at the joint. rad */
double cap_push_chain_normal(const cap_variator *v, double pitch_i, double pitch_j);
