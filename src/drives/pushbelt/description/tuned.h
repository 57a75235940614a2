/* drives/pushbelt/description/tuned.h — constants of pushbelts with a dimension that were found at one size.
 *
 * They hold for a belt like that of the default parameters: 437 elements of 1.5 mm and some grams, rings of
 * 668 mm, axes 155 mm apart, forces of kN. A drive of another size would want others: what each should follow
 * is said with it. Numbers without a dimension, limits of keys and thresholds of single figures stay where
 * they are used.
 */
#pragma once

/* ---- mesh ---------------------------------------------------------------------------------------------- */

/* m: how far from the four jumps of its curvature elements of a graded ring are the finest. Should follow the
 * length over which a ring leaves a pulley, sqrt(EI/T), which is 1.8 mm at 5 kN. */
#define CAP_TUNED_MESH_WITHIN 8e-3

/* m: a step in the search of the foot of a contact on a ring, after which it is known to 1e-15 m, and to 2e-8
 * m at a jump. Should follow the radius of the smaller arc. */
#define CAP_TUNED_FOOT_SETTLED 1e-6

/* ---- starts -------------------------------------------------------------------------------------------- */

/* m, normal: of flanks that do not press at the start (docs/theory.md §43, `prestress`). Should follow the
 * deflection of a flank that presses, a few um. */
#define CAP_TUNED_START_OPEN 2e-5

/* m/s: slip of flanks and rings at the start, for friction that depends on it; of the order of what is seen,
 * from no calculation. Should follow the speed of the belt: rings slide by lever (1/r_P - 1/r_S) of it. */
#define CAP_TUNED_START_CREEP 0.03

/* N: with which elements touch that are laid without play. Should follow the stiffness of a joint. */
#define CAP_TUNED_LEAST_PUSH 1.0

/* N: by how much at most all joints are pressed harder, so that a belt carried over from another one fits.
 * Should follow the push force. */
#define CAP_TUNED_CARRY_PRESS 1000.0

/* N: by which the pins of a belt carried over from another one may press in the mean, some times what they do
 * in a belt that runs. Should follow the push force. */
#define CAP_TUNED_CARRY_PIN 200.0

/* N, between the elements of a stack at its start, which leaves nothing undetermined. Should follow the
 * stiffness of a joint. */
#define CAP_TUNED_STACK_SEAT 1e-3

/* m, of the ring in a clamp of the push force tester: lever of its turning stiffness. Should be a key. */
#define CAP_TUNED_CLAMP_LENGTH 0.01

/* ---- which elements may touch a groove ----------------------------------------------------------------- */

/* m, beyond an unloaded groove's radius, that no loaded one reaches: where the deflections of the sheaves are
 * not known yet (at 40 kN the far side of a groove closes so much that 3 % of the clamping force acts beyond
 * the unloaded radius). Should follow clamping force and compliance. */
#define CAP_TUNED_GROOVE_FARTHEST 3e-3

/* m: what is added to the bound by the deflections of the step before. */
#define CAP_TUNED_GROOVE_MARGIN 0.3e-3

/* m, beyond that: where elements stand that only fill up a vector. Any place where nothing touches. */
#define CAP_TUNED_GROOVE_ASIDE 5e-3

/* ---- sticking, as channels say it ---------------------------------------------------------------------- */

/* m/s: slower than this nothing slides. Flanks as of the variator document's claim; sliding rings go by 0.1
 * m/s and more. Should follow the speed of the belt. */
#define CAP_TUNED_FLANK_STILL 1e-4
#define CAP_TUNED_RING_STILL  1e-3

/* ---- set-valued contacts (impulses/pushbelt_impulses.c) ------------------------------------------------ */

/* All four are from the first runs of the basis variator with set-valued contacts; no comparison with other
 * values is written down. */

/* How much of a change of the set-valued impulses is made in a step: below 1 because the solver sees the fast
 * forces of the step before (docs/theory.md §52.5). */
#define CAP_TUNED_GAIN 0.25
/* m/s, of the solver of set-valued contacts: some um/s, where what slides does so by cm/s. Should follow the
 * speed of the belt. */
#define CAP_TUNED_ROW_TOLERANCE 1e-6
/* m: of a gap below it, the part CAP_TUNED_REPAIR may close in a step, and of a penetration is taken back in
 * one. Should follow the deflection of a saddle. */
#define CAP_TUNED_NEAR   5e-6
#define CAP_TUNED_REPAIR 0.005
