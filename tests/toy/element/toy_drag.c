/* An element type as one adds one: the drag of a fluid, F = d |v| v on the difference of two velocities. */
#include "elements/elements.h"
#include "elements/ends.h"

#include <math.h>

static void rates(const cap_batch *b, cap_eval *e)
{
  int nlane = e->nlane;
  for (int n = 0; n < b->n; n++) {
    const double *drag = b->par + n * nlane;
    double v[CAP_LANES_MOST], f[CAP_LANES_MOST], df[CAP_LANES_MOST];
    int i = b->i[n], j = b->j[n], ncol = e->ncol;
    cap_ends_difference(e->v, i, j, nlane, v);
    for (int l = 0; l < nlane; l++) f[l] = drag[l] * fabs(v[l]) * v[l];
    cap_ends_resist(e->h, i, j, nlane, f);
    for (int l = 0; e->force && l < nlane; l++) e->force[(b->elem_adr + n) * nlane + l] = f[l];
    for (int l = 0; e->power && l < nlane; l++) e->power[(b->mech_adr + n) * nlane + l] = f[l] * v[l];
    for (int c = 0; c < ncol; c++) {
      int at_i = i * ncol + c, at_j = j == CAP_GROUND ? CAP_GROUND : j * ncol + c;
      cap_ends_difference(e->dv, at_i, at_j, nlane, df);
      for (int l = 0; l < nlane; l++) df[l] *= 2.0 * drag[l] * fabs(v[l]);
      cap_ends_resist(e->dh, at_i, at_j, nlane, df);
    }
  }
}

static const cap_param params[] = {{"drag", "N s2/m2"}};

const cap_element_type cap_toy_drag_type = {
    .name = "drag",
    .doc = "drag of a fluid, over the square of the velocity",
    .nparam = 1,
    .params = params,
    .nmech = 1,
    .mech_name = {"drag"},
    .rates = rates,
};
