/* drives/pushbelt/description/tuned.h — numbers that were found at one case and hold near it, in one place.
 *
 * None of them follows from the parameters of a variator, as they should: each was chosen at the table 3.2
 * variator of the document (i = 1, 30 N m, 437 elements) unless its comment says otherwise, and its comment
 * says what it decides. They are to be replaced by scales made of masses, stiffnesses and speeds.
 */
#pragma once

/* How much of a change of the set-valued impulses is made in a step: below 1 because the solver sees the fast
 * forces of the step before (docs/theory.md §52.5). */
#define CAP_TUNED_GAIN 0.25
/* m/s, of the solver of set-valued contacts: some um/s, where what slides does so by cm/s. */
#define CAP_TUNED_ROW_TOLERANCE 1e-6
/* m: of a gap below it, the part CAP_TUNED_REPAIR may close in a step, and of a penetration is taken back in
 * one. */
#define CAP_TUNED_NEAR   5e-6
#define CAP_TUNED_REPAIR 0.005
