/* elements/belt_march.h — the contact of belt segments over a step of an explicit method. */
#pragma once
#include "model/model.h"

/* Scratch of a batch of n segments in cap_eval.hints: BATCH + n EACH values. */
enum { CAP_BELT_MARCH_BATCH = 72, CAP_BELT_MARCH_EACH = 5 };

/* Moves the deflections of all contact points over e->march and adds the forces, losses and jumps at its end.
 * Needs e->hints: all 0 they give the same bits, in more time. */
void cap_belt_march_step(const cap_batch *b, cap_eval *e);
