/* drives/accessory/elements/belt_drag.c — drag across a belt: of the air, or while it settles before a run.
 *
 * Maths: docs/theory.md §27.5. With u = (v1 + v2)/2 the velocity of the chord's middle and n across it,
 * f = (rate + relax) mass (u . n), along -n, half on each node. A belt that runs along its own line feels
 * none.
 */
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

typedef struct across {
  double x, y, speed; /* n, and u . n */
} across;

static across across_of(const cap_batch *b, const double *q, const double *v, int k)
{
  int i = b->i[k], j = b->j[k];
  double dx = q[j] - q[i], dy = q[j + 1] - q[i + 1], per_chord = 1.0 / sqrt(dx * dx + dy * dy);
  across a = {-dy * per_chord, dx * per_chord, 0.0};
  a.speed = 0.5 * ((v[i] + v[j]) * a.x + (v[i + 1] + v[j + 1]) * a.y);
  return a;
}

static void push(const cap_batch *b, double *h, int k, long step, double fx, double fy)
{
  const int nodes[2] = {b->i[k], b->j[k]};
  for (int n = 0; n < 2; n++) {
    h[nodes[n] * step] -= 0.5 * fx;
    h[(nodes[n] + 1) * step] -= 0.5 * fy;
  }
}

/* Along one column. */
static void tangent(const cap_batch *b, cap_eval *e, int k, across a, double c, int col)
{
  int i = b->i[k], j = b->j[k], nc = e->ncol;
  const double *dq = e->dq + col, *dv = e->dv + col, *v = e->v;
  double x = e->q[j] - e->q[i], y = e->q[j + 1] - e->q[i + 1];
  double dx = dq[(long)j * nc] - dq[(long)i * nc], dy = dq[(long)(j + 1) * nc] - dq[(long)(i + 1) * nc];
  double turn = (x * dy - y * dx) / (x * x + y * y), nx = -a.y * turn, ny = a.x * turn;
  double speed = 0.5 * ((v[i] + v[j]) * nx + (v[i + 1] + v[j + 1]) * ny +
                        (dv[(long)i * nc] + dv[(long)j * nc]) * a.x +
                        (dv[(long)(i + 1) * nc] + dv[(long)(j + 1) * nc]) * a.y);
  push(b, e->dh + col, k, nc, c * (speed * a.x + a.speed * nx), c * (speed * a.y + a.speed * ny));
}

static void drag_segments(const cap_batch *b, cap_eval *e)
{
  for (int k = 0; k < b->n; k++) {
    const double *par = b->par + k * CAP_BELT_DRAG_NPARAM;
    double c = (par[CAP_BELT_DRAG_RATE] + e->relax) * par[CAP_BELT_DRAG_MASS];
    if (e->force) e->force[b->elem_adr + k] = 0.0;
    if (c == 0.0) continue;
    across a = across_of(b, e->q, e->v, k);
    push(b, e->h, k, 1, c * a.speed * a.x, c * a.speed * a.y);
    if (e->force) e->force[b->elem_adr + k] = c * a.speed;
    if (e->power) e->power[b->mech_adr] += c * a.speed * a.speed;
    for (int col = 0; col < e->ncol; col++) tangent(b, e, k, a, c, col);
  }
}

static void drag_others(const cap_batch *b, cap_eval *e)
{
  for (int k = 0; k + 1 < b->ncommon; k += 2) {
    int i = (int)b->common[k];
    double c = e->relax * b->common[k + 1];
    e->h[i] -= c * e->v[i];
    if (e->power) e->power[b->mech_adr] += c * e->v[i] * e->v[i];
    for (int col = 0; col < e->ncol; col++)
      e->dh[(long)i * e->ncol + col] -= c * e->dv[(long)i * e->ncol + col];
  }
}

static void rates(const cap_batch *b, cap_eval *e)
{
  if (e->power) e->power[b->mech_adr] = 0.0;
  bool still = b->uniform && b->par[CAP_BELT_DRAG_RATE] + e->relax == 0.0 && !e->force;
  if (!still) drag_segments(b, e);
  if (e->relax > 0.0) drag_others(b, e);
}

static const cap_param params[] = {{"rate", "1/s"}, {"mass", "kg"}};

const cap_element_type cap_belt_drag_type = {
    .name = "belt drag",
    .doc = "transverse damping of a belt",
    .nparam = CAP_BELT_DRAG_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"drag"},
    .wide = true,
    .rates = rates,
};
