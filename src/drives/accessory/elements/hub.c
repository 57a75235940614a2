/* drives/accessory/elements/hub.c — the structure behind the hub of a pulley: linear springs and dampers
 * between the coordinates of the hub (docs/theory.md §30.3). Its mass is that of the coordinates. */
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

/* An entry of K or C. */
static double entry(const double *par, int from, int i, int j, int step)
{
  return par[(from + i * CAP_BELT_HUB_MOST + j) * step];
}

/* -(K q + C v) on the coordinates, rows of `step` values, each at the lane. */
static void act(const double *par, int n, int w, const double *q, const double *v, int step, double *h)
{
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++)
      sum += entry(par, CAP_HUB_STIFFNESS, i, j, w) * q[j * step] +
             entry(par, CAP_HUB_DAMPING, i, j, w) * v[j * step];
    h[i * step] -= sum;
  }
}

static double half_product(const double *par, int from, int n, int w, const double *a)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += 0.5 * entry(par, from, i, j, w) * a[i * w] * a[j * w];
  return sum;
}

static void rates_of_lane(const cap_batch *b, cap_eval *e, int k, int lane)
{
  int w = e->nlane, first = b->i[k];
  const double *par = b->par + k * CAP_HUB_NPARAM * w + lane;
  int n = (int)par[CAP_HUB_COUNT * w], row = first * w + lane;
  double before = e->h[row];
  act(par, n, w, e->q + row, e->v + row, w, e->h + row);
  if (e->force) e->force[(b->elem_adr + k) * w + lane] = before - e->h[row];
  for (int c = 0; c < e->ncol; c++) {
    int at = (first * e->ncol + c) * w + lane;
    act(par, n, w, e->dq + at, e->dv + at, e->ncol * w, e->dh + at);
  }
  if (e->power)
    e->power[(b->mech_adr + k) * w + lane] = 2.0 * half_product(par, CAP_HUB_DAMPING, n, w, e->v + row);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < e->nlane; lane++) rates_of_lane(b, e, k, lane);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  int w = e->nlane;
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < w; lane++) {
      const double *par = b->par + k * CAP_HUB_NPARAM * w + lane;
      stored[lane] += half_product(par, CAP_HUB_STIFFNESS, (int)par[CAP_HUB_COUNT * w], w,
                                   e->q + b->i[k] * w + lane);
    }
}

void cap_hub_params(const cap_belt_hub *hub, double par[CAP_HUB_NPARAM])
{
  par[CAP_HUB_COUNT] = hub->n;
  for (int i = 0; i < CAP_BELT_HUB_MOST; i++)
    for (int j = 0; j < CAP_BELT_HUB_MOST; j++) {
      bool used = i < hub->n && j < hub->n;
      par[CAP_HUB_STIFFNESS + i * CAP_BELT_HUB_MOST + j] = used ? hub->K[i][j] : 0.0;
      par[CAP_HUB_DAMPING + i * CAP_BELT_HUB_MOST + j] = used ? hub->C[i][j] : 0.0;
    }
}

const cap_element_type cap_hub_type = {
    .name = "hub",
    .doc = "compliant support of a pulley",
    .nparam = CAP_HUB_NPARAM,
    .wide = true,
    .nmech = 1,
    .mech_name = {"viscous"},
    .rates = rates,
    .energy = energy,
};
