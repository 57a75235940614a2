/* model/linearise.h — a model whose elements are all linear, as a cap_linear.
 *
 * Coordinates with harmonic imposed motion are eliminated: they become loads on the free ones and imposed
 * slider displacements. Refused with the reason: an element that is not linear, Coulomb friction without
 * compliance, a motion that is not harmonic.
 */
#pragma once
#include "model/linear.h"
#include "model/model.h"

/* The form of one lane, in `arena`. free_dof[nv] gets each coordinate's index among the free ones, or -1. */
cap_status cap_linearise_model(const cap_model *m, int lane, cap_arena *arena, cap_linear *linear,
                               int *free_dof, cap_error *error);
/* A channel as a linear output of that form. */
cap_status cap_linearise_channel(const cap_model *m, const cap_channel *channel, int lane,
                                 const cap_linear *linear, const int *free_dof, cap_arena *arena,
                                 cap_functional *functional, cap_error *error);
