/* drives/accessory/accessory_drive_tuned.h — constants with a dimension that were found at one size of drive.
 *
 * They hold for the belt of a car: PK ribs, pulleys of 50 to 180 mm, some 100 to 1000 N, 1 to 2 m of belt. A
 * drive of another size would want others: what each should follow is said with it. What is data of a product
 * (a rib's stiffness, diameters to which a law of life was fitted) stays where it is used.
 */
#pragma once

/* m: length of a segment of a belt, when their number is not given. Should follow the smallest pulley. */
#define CAP_ACCESSORY_TUNED_SEGMENT 10e-3

/* 1/m: a trace of viscous friction over stiffness and lead, which gives the belt a speed where all pulleys
 * slip at once (docs/theory.md §24: 1e-3 N at 1 m/s for the six-pulley drive). Should follow tension over
 * speed. */
#define CAP_ACCESSORY_TUNED_SLIP_TRACE 1e-4

/* m/s: speed of a belt that steps of its slip are compared with at least, where all rests. Should follow the
 * speed of the crank. */
#define CAP_ACCESSORY_TUNED_SLIP_LEAST 1e-3

/* rad/s: within it a brake's torque at rest is passed linearly. Should follow the speed of its shaft. */
#define CAP_ACCESSORY_TUNED_BRAKE_SLOW 1.0

/* N over which a check valve opens at least. Should follow the force of its spring. */
#define CAP_ACCESSORY_TUNED_VALVE_BLEND 1.0
