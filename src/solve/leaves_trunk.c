/* solve/leaves_trunk.c — see leaves_work.h: what all leaves add to the trunk, and its motion.
 *
 * Leaves that follow each other on the same link of the chain are summed in registers: J' D J of a link has 8
 * rows, of which the diagonal blocks of both ends and the one below them are kept.
 */
#include "solve/leaves_work.h"

#include <string.h>

enum { LINK = CAP_LEAVES_LINK, BORDER = CAP_LEAVES_BORDER, MATRIX = CAPM_BLOCKS_MATRIX, HALF = LINK / 2 };

typedef double line __attribute__((vector_size(64)));
typedef double quad __attribute__((vector_size(32)));

/* Sums of the leaves on one link. */
typedef struct run {
  line upper[HALF];    /* rows of the first block, all columns */
  quad lower[HALF];    /* rows of the second block, its own columns */
  line column[BORDER]; /* with what stands beside the chain */
  line right;          /* J' first */
} run;

CAP_INLINE void add_to(double *to, const quad *x)
{
  quad at;
  memcpy(&at, to, sizeof at);
  at += *x;
  memcpy(to, &at, sizeof at);
}

CAP_INLINE void halve(const line *x, quad h[2])
{
  memcpy(h, x, sizeof *x);
}

CAP_INLINE void give(const run *r, int link, const capm_bordered *to, double *right, int ncolumn)
{
  int next = link + 1 < to->n ? link + 1 : 0, size = 4 * to->n;
  quad h[2];
  for (int j = 0; j < HALF; j++) {
    halve(&r->upper[j], h);
    add_to(to->chain.diagonal + link * MATRIX + j * HALF, &h[0]);
    add_to(to->chain.lower + next * MATRIX + j * HALF, &h[1]);
    add_to(to->chain.diagonal + next * MATRIX + j * HALF, &r->lower[j]);
  }
  for (int c = 0; c < ncolumn; c++) {
    halve(&r->column[c], h);
    add_to(to->column + c * size + link * HALF, &h[0]);
    add_to(to->column + c * size + next * HALF, &h[1]);
  }
  halve(&r->right, h);
  add_to(right + link * HALF, &h[0]);
  add_to(right + next * HALF, &h[1]);
}

/* r += b z' */
CAP_INLINE void add_square(run *r, const line *b, const line *z)
{
  quad h[2];
  halve(z, h);
  for (int j = 0; j < HALF; j++) {
    r->upper[j] += *z * (*b)[j];
    r->lower[j] += h[1] * (*b)[HALF + j];
  }
}

CAP_INLINE void add_leaf(const cap_leaves *s, int k, run *r, cap_leaves_kinds kinds)
{
  const cap_leaves_work *w = s->work;
  line b, z, other = {0.0};
  const double tt = w->D[CAP_LEAVES_PAIR(CAP_LEAVES_TANGENT, CAP_LEAVES_TANGENT)][k];
  memcpy(&b, s->ring[CAP_LEAVES_TANGENT][k], sizeof b);
  z = b * tt;
  if (kinds.normal) {
    const double nt = w->D[CAP_LEAVES_PAIR(CAP_LEAVES_TANGENT, CAP_LEAVES_NORMAL)][k];
    const double nn = w->D[CAP_LEAVES_PAIR(CAP_LEAVES_NORMAL, CAP_LEAVES_NORMAL)][k];
    memcpy(&other, s->ring[CAP_LEAVES_NORMAL][k], sizeof other);
    line zn = other * nn + b * nt;
    z += other * nt;
    add_square(r, &other, &zn);
    r->column[CAP_LEAVES_TRAVEL] += zn * s->travel[0][k];
    r->column[CAP_LEAVES_RATIO] += zn * s->ratio[0][k];
    r->right += other * w->first[CAP_LEAVES_NORMAL][k];
  }
  add_square(r, &b, &z);
  r->column[CAP_LEAVES_TRAVEL] += z * s->travel[1][k];
  r->column[CAP_LEAVES_RATIO] += z * s->ratio[1][k];
  r->right += b * w->first[CAP_LEAVES_TANGENT][k];
  if (kinds.flank && s->limit_flank[k] > 0.0) {
    line *to = r->column + CAP_LEAVES_ROTATION + 2 * s->pulley[k];
    to[0] += b * w->crossing[CAP_LEAVES_TANGENT_ROTATION][k];
    to[1] += b * w->crossing[CAP_LEAVES_TANGENT_CLOSING][k];
    if (kinds.normal) {
      to[0] += other * w->crossing[CAP_LEAVES_NORMAL_ROTATION][k];
      to[1] += other * w->crossing[CAP_LEAVES_NORMAL_CLOSING][k];
    }
  }
}

CAP_INLINE void add_all(cap_leaves *s, cap_leaves_kinds kinds)
{
  int ncolumn = kinds.flank ? BORDER : 2;
  for (int k = 0; k < s->n;) {
    int link = s->link[k];
    run r = {0};
    for (; k < s->n && s->link[k] == link; k++) add_leaf(s, k, &r, kinds);
    give(&r, link, &s->work->sum, s->work->more, ncolumn);
  }
}

CAP_CLONES static void assemble(cap_leaves *s)
{
  if (s->kinds.normal && s->kinds.flank) add_all(s, (cap_leaves_kinds){true, true, true});
  else if (s->kinds.normal) add_all(s, (cap_leaves_kinds){true, true, false});
  else if (s->kinds.flank) add_all(s, (cap_leaves_kinds){false, true, true});
  else add_all(s, (cap_leaves_kinds){false, true, false});
}

/* What is locked takes no part. */
static void lock(cap_leaves *s)
{
  const capm_bordered *to = &s->work->sum;
  int size = 4 * s->nblock;
  for (int i = 0; i < BORDER; i++) {
    if (!s->locked[i]) continue;
    memset(to->column + i * size, 0, sizeof(double) * (size_t)size);
    for (int j = 0; j < BORDER; j++) to->corner[i * BORDER + j] = to->corner[j * BORDER + i] = i == j;
    s->work->more[size + i] = 0.0;
  }
}

void cap_leaves_trunk_rest(cap_leaves *s)
{
  memset(s->u, 0, sizeof(double) * (size_t)(4 * s->nblock + BORDER));
  for (int i = 0; i < CAP_LEAVES_ROWS; i++) memset(s->work->y[i], 0, sizeof(double) * (size_t)s->room);
}

/* By steps of u, not u itself: what is lost to rounding, through D that may be large, is found again by the
 * next. */
bool cap_leaves_trunk_step(cap_leaves *s)
{
  const cap_leaves_work *w = s->work;
  const capm_bordered *from = &s->trunk, *to = &w->sum;
  size_t size = 4 * (size_t)s->nblock, blocks = sizeof(double) * (size_t)(s->nblock * MATRIX);
  memcpy(to->chain.diagonal, from->chain.diagonal, blocks);
  memcpy(to->chain.lower, from->chain.lower, blocks);
  memcpy(to->column, from->column, sizeof(double) * BORDER * size);
  memset(w->more, 0, sizeof(double) * size);
  for (int i = 0; i < BORDER; i++) {
    for (int j = 0; j < BORDER; j++)
      to->corner[i * BORDER + j] = from->corner[i * BORDER + j] + w->corner[i][j];
    w->more[size + (size_t)i] = w->edge[i];
  }
  if (s->nblock > 0 && s->kinds.tangent) assemble(s);
  capm_bordered_multiply(from, s->u, w->push);
  for (size_t i = 0; i < size + BORDER; i++) w->more[i] -= w->push[i];
  lock(s);
  if (!capm_bordered_factor(to)) return false;
  capm_bordered_solve(to, w->more);
  for (size_t i = 0; i < size + BORDER; i++) s->u[i] += w->more[i];
  return true;
}
