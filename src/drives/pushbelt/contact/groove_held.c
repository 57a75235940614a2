/* drives/pushbelt/contact/groove_held.c — see groove_part.h: rows of set-valued friction on the flanks,
 * after rubbing.
 *
 * The velocities g1, g2, g3 of groove_rub.c over x, y, pitch of the element, rotation (clockwise) and closing
 * of the pulley. Rows are those of the middle of a step, velocities those of its end: as the element goes
 * round, its radial velocity falls by what `turning` says.
 */
#include "drives/pushbelt/contact/groove_part.h"

#include <string.h>

void cap_groove_held_none(int n, cap_held *h)
{
  size_t size = sizeof(double) * (size_t)n;
  memset(h->limit_flank, 0, size);
  memset(h->pulley, 0, sizeof(int) * (size_t)n);
  for (int r = 0; r < CAP_HELD_FLANK_ROWS; r++) {
    memset(h->turning[CAP_HELD_FLANK + r], 0, size);
    memset(h->on_pulley[r], 0, size);
    for (int c = 0; c < CAP_HELD_COORDS; c++) memset(h->arm[CAP_HELD_FLANK + r][c], 0, size);
  }
}

static void give_row(const cap_groove_pass *w, int i, int k, int pulley, cap_held *h)
{
  const double nx = w->p->cosine, nr = w->p->sine, ell = w->g->gyration;
  double ex = w->ex[i], ey = w->ey[i], ax = w->ax[i], ay = w->ay[i];
  double ux = w->vx[i] - w->turn[i] * ay, uy = w->vy[i] + w->turn[i] * ax, along = ex * uy - ey * ux;
  double lever = ex * ax + ey * ay;
  double *const(*arm)[CAP_HELD_COORDS] = (double *const(*)[CAP_HELD_COORDS]) & h->arm[CAP_HELD_FLANK];
  h->pulley[k] = pulley;
  h->limit_flank[k] = w->limit[i];
  double s = h->ahead * along / w->rho[i], mx = ex - s * ey, my = ey + s * ex;
  arm[0][0][k] = -my, arm[0][1][k] = mx, arm[0][2][k] = lever - (w->rho[i] - w->reach[i]);
  h->on_pulley[0][k] = w->reach[i];
  arm[1][0][k] = nx * mx, arm[1][1][k] = nx * my, arm[1][2][k] = nx * (ey * ax - ex * ay);
  h->on_pulley[1][k] = 0.5 * nr;
  arm[2][2][k] = h->on_pulley[2][k] = ell * nx;
  h->turning[CAP_HELD_FLANK + 1][k] = 0.5 * nx *
                                      (along * along / w->rho[i] - w->turn[i] * w->turn[i] * lever);
}

void cap_groove_held_rows(const cap_groove_pass *w, int pulley, cap_held *h)
{
  int at = 0;
  for (int r = 0; r < w->nrun; r++)
    for (int k = w->runs[r].first; k < w->runs[r].first + w->runs[r].count; k++, at++)
      if (w->limit[at] > 0.0) give_row(w, at, k, pulley, h);
}
