/* drives/accessory/elements/belt_touch.h — the contact of belt segments with pulleys, in vector registers,
 * without tangents.
 */
#pragma once
#include "model/model.h"

/* Scratch of a batch of n segments in cap_eval.hints: BATCH + n EACH values. */
enum { CAP_BELT_TOUCH_BATCH = 72, CAP_BELT_TOUCH_EACH = 3 };

/* With e->x_march: moves the deflections of all contact points over e->march, and adds forces, losses and
 * jumps at its end; else adds forces and losses and sets the rates of the deflections. Also what is shown.
 * Hints only save time: the bits are the same with none, or with all of them 0. */
void cap_belt_touch_rates(const cap_batch *b, cap_eval *e);
