/* model/linear.c — see linear.h. */
#include "model/linear.h"

cap_status cap_linear_create(cap_arena *arena, int nv, int nharmonic, int nslider, cap_linear *linear)
{
  int n2 = nv * nv;
  *linear = (cap_linear){
      .nv = nv,
      .nharmonic = nharmonic,
      .nslider = nslider,
      .mass = CAP_ARENA_NEW(arena, double, n2),
      .damping = CAP_ARENA_NEW(arena, double, n2),
      .stiffness = CAP_ARENA_NEW(arena, double, n2),
      .f0 = CAP_ARENA_NEW(arena, double, nv),
      .angular_frequency = CAP_ARENA_NEW(arena, double, nharmonic),
      .fc = CAP_ARENA_NEW(arena, double, (nharmonic * nv)),
      .fs = CAP_ARENA_NEW(arena, double, (nharmonic * nv)),
      .b = CAP_ARENA_NEW(arena, double, (nslider * nv)),
      .k = CAP_ARENA_NEW(arena, double, nslider),
      .limit = CAP_ARENA_NEW(arena, double, nslider),
      .dc = CAP_ARENA_NEW(arena, double, (nslider * nharmonic)),
      .ds = CAP_ARENA_NEW(arena, double, (nslider * nharmonic)),
  };
  /* the arena hands out at least one block for an empty array, so NULL means exhausted memory */
  if (!linear->mass || !linear->damping || !linear->stiffness || !linear->f0 || !linear->angular_frequency ||
      !linear->fc || !linear->fs || !linear->b || !linear->k || !linear->limit || !linear->dc || !linear->ds)
    return CAP_ERR_NOMEM;
  return CAP_OK;
}
