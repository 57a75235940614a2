/* drives/accessory/analyses/orders.h — forced response of a belt drive to the orders of its crank, over the
 * crank's speed.
 *
 * Maths:   docs/theory.md §29; model/tangent.h linearises, the model of each speed starts in steady running.
 * Reads:   the drive rebuilt with another crank.speed.
 */
#pragma once
#include "analysis/analysis.h"

enum { CAP_ORDERS_MOST = 32 };

/* An order given to the analysis in the place of the crank's own. */
typedef struct cap_orders_order {
  double order, amplitude, phase;
} cap_orders_order;

typedef struct cap_orders_spec {
  int kind;
  cap_reals speeds; /* rad/s of the crank */
  cap_list orders;  /* of cap_orders_order; none: those of the crank */
  int friction;     /* cap_tangent_friction */
} cap_orders_spec;
