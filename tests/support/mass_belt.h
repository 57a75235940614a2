/* The masses and set-valued contacts of a variator's last step (drives/pushbelt/impulses/leaves.h) as a web:
 * first the trunk, which is the ring with travel and ratio and both pulleys, then the elements; rows of
 * saddles and of the flanks that touch. For tests and benchmarks of the mass-action matrix. */
#pragma once
#include "drives/pushbelt/impulses/leaves.h"
#include "mass_web.h"

static inline bool belt_has(const cap_leaves *l, int row, int k)
{
  if (row == CAP_LEAVES_NORMAL) return l->kinds.normal;
  if (row == CAP_LEAVES_TANGENT) return l->kinds.tangent;
  return l->kinds.flank && l->limit_flank[k] > 0.0;
}

static inline void belt_entry(web *w, int *p, int coord, double value)
{
  if (value == 0.0) return;
  w->coord[*p] = coord;
  w->value[(*p)++] = value;
}

static inline void belt_row(web *w, const cap_leaves *l, int row, int k, int *p)
{
  int chain = 4 * l->nblock;
  if (row < CAP_LEAVES_FLANK) {
    for (int i = 0; i < CAP_LEAVES_LINK && chain; i++)
      belt_entry(w, p, (4 * l->link[k] + i) % chain, l->ring[row][k][i]);
    if (!l->locked[CAP_LEAVES_TRAVEL]) belt_entry(w, p, chain + CAP_LEAVES_TRAVEL, l->travel[row][k]);
    if (!l->locked[CAP_LEAVES_RATIO]) belt_entry(w, p, chain + CAP_LEAVES_RATIO, l->ratio[row][k]);
  } else {
    int at = CAP_LEAVES_ROTATION + 2 * l->pulley[k] + (row == CAP_LEAVES_FLANK + 1);
    if (!l->locked[at]) belt_entry(w, p, chain + at, l->of_flank[row - CAP_LEAVES_FLANK][k]);
  }
  for (int c = 0; c < CAP_LEAVES_COORDS; c++) belt_entry(w, p, w->nring + 3 * k + c, l->arm[row][c][k]);
}

/* The trunk's matrix, column by column. */
static inline void belt_trunk(web *w, const cap_leaves *l)
{
  double *unit = calloc((size_t)w->nring, sizeof(double));
  if (!unit) abort();
  for (int j = 0; j < w->nring; j++) {
    unit[j] = 1.0;
    capm_bordered_multiply(&l->trunk, unit, w->ring + (size_t)j * w->nring);
    unit[j] = 0.0;
  }
  free(unit);
}

static inline void belt_init(web *w, const cap_leaves *l)
{
  *w = (web){.nodes = l->nblock, .elements = l->n, .nring = 4 * l->nblock + CAP_LEAVES_BORDER};
  w->nv = w->nring + 3 * l->n;
  size_t most = (size_t)l->n * CAP_LEAVES_ROWS;
  w->ring = calloc((size_t)w->nring * w->nring, sizeof(double));
  w->work = calloc((size_t)w->nring * w->nring, sizeof(double));
  w->inverse_mass = calloc((size_t)w->nv, sizeof(double));
  w->start = calloc(most + 1, sizeof(int));
  w->coord = calloc(most * WEB_ENTRIES, sizeof(int));
  w->value = calloc(most * WEB_ENTRIES, sizeof(double));
  if (!w->ring || !w->work || !w->inverse_mass || !w->start || !w->coord || !w->value) abort();
  belt_trunk(w, l);
  for (int i = 0; i < 3 * l->n; i++)
    w->inverse_mass[w->nring + i] = i % 3 == 2 ? l->inverse_inertia[i / 3] : l->inverse_mass[i / 3];
  int p = 0;
  for (int k = 0; k < l->n; k++)
    for (int r = 0; r < CAP_LEAVES_ROWS; r++) {
      if (!belt_has(l, r, k)) continue;
      belt_row(w, l, r, k, &p);
      w->start[++w->nrow] = p;
    }
  w->block = (cap_inertia){.type = &web_ring_type, .first = 0, .n = w->nring, .body = w, .work_adr = 0};
  w->rows = (cap_mass_action_rows){w->nrow, w->start, w->coord, w->value};
}
