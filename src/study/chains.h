/* study/chains.h — cases that are computed one after the other, each from the end of the one before: those
 * that are alike in all factors but that of the continuation (formulas and what they make of it aside) and in
 * their replicate. Without continuation each case is a chain of its own.
 */
#pragma once
#include "study/study.h"

/* Fill nchain, chains and order. Chains stand in the order of their lowest cases. */
cap_status cap_chains_make(cap_study *study, cap_error *error);
