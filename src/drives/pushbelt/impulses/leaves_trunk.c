/* drives/pushbelt/impulses/leaves_trunk.c — see leaves_work.h: what all leaves add to the trunk, and its
 * motion.
 *
 * Leaves that follow each other on the same link of the chain are summed in registers: J' D J of a link has 8
 * rows, of which the diagonal blocks of both ends and the one below them are kept.
 */
#include "drives/pushbelt/impulses/leaves_work.h"
#include "linalg/dot.h"

#include <string.h>

enum { LINK = CAP_LEAVES_LINK, BORDER = CAP_LEAVES_BORDER, MATRIX = CAPM_BLOCKS_MATRIX, HALF = LINK / 2 };

typedef double line __attribute__((vector_size(64)));
typedef double quad __attribute__((vector_size(32)));

/* Sums of the leaves on one link. */
typedef struct run {
  int pulley;       /* -1: none of them touches one */
  line upper[HALF]; /* rows of the first block, all columns */
  quad lower[HALF]; /* rows of the second block, its own columns */
  line column[4];   /* with travel, ratio, rotation and closing of `pulley` */
  line right;       /* J' first */
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

CAP_INLINE void give(const run *r, int link, const cap_leaves_work *w)
{
  const capm_bordered *to = &w->sum;
  int next = link + 1 < to->n ? link + 1 : 0, size = 4 * to->n;
  quad h[2];
  for (int j = 0; j < HALF; j++) {
    halve(&r->upper[j], h);
    add_to(to->chain.diagonal + link * MATRIX + j * HALF, &h[0]);
    add_to(to->chain.lower + next * MATRIX + j * HALF, &h[1]);
    add_to(to->chain.diagonal + next * MATRIX + j * HALF, &r->lower[j]);
  }
  for (int c = 0; c < to->m; c++) {
    int at = w->active[c] < 2 ? w->active[c] : w->active[c] - 2 * r->pulley;
    if (at >= 4 || (w->active[c] >= 2 && (at < 2 || r->pulley < 0))) continue;
    halve(&r->column[at], h);
    add_to(to->column + c * size + link * HALF, &h[0]);
    add_to(to->column + c * size + next * HALF, &h[1]);
  }
  halve(&r->right, h);
  add_to(w->more + link * HALF, &h[0]);
  add_to(w->more + next * HALF, &h[1]);
}

/* r += b z'; numbers of b spread from memory, which costs nothing. */
CAP_INLINE void add_square(run *r, const double *b, const line *z)
{
  quad h[2];
  halve(z, h);
  for (int j = 0; j < HALF; j++) {
    r->upper[j] += *z * b[j];
    r->lower[j] += h[1] * b[HALF + j];
  }
}

CAP_INLINE void add_leaf(const cap_leaves *s, int k, run *r, cap_leaves_kinds kinds)
{
  const cap_leaves_work *w = s->work;
  line b, z, other = {0.0};
  const double tt = w->D[CAP_LEAVES_PAIR(CAP_LEAVES_TANGENT, CAP_LEAVES_TANGENT)][k];
  memcpy(&b, s->ring[CAP_LEAVES_TANGENT][k], sizeof b);
  if (!kinds.normal && tt == 0.0) { /* slides: pushes, whatever the trunk does */
    r->right += b * w->first[CAP_LEAVES_TANGENT][k];
    return;
  }
  z = b * tt;
  if (kinds.normal) {
    const double nt = w->D[CAP_LEAVES_PAIR(CAP_LEAVES_TANGENT, CAP_LEAVES_NORMAL)][k];
    const double nn = w->D[CAP_LEAVES_PAIR(CAP_LEAVES_NORMAL, CAP_LEAVES_NORMAL)][k];
    memcpy(&other, s->ring[CAP_LEAVES_NORMAL][k], sizeof other);
    line zn = other * nn + b * nt;
    z += other * nt;
    add_square(r, s->ring[CAP_LEAVES_NORMAL][k], &zn);
    r->column[CAP_LEAVES_TRAVEL] += zn * s->travel[0][k];
    r->column[CAP_LEAVES_RATIO] += zn * s->ratio[0][k];
    r->right += other * w->first[CAP_LEAVES_NORMAL][k];
  }
  if (!kinds.normal || tt != 0.0) add_square(r, s->ring[CAP_LEAVES_TANGENT][k], &z);
  r->column[CAP_LEAVES_TRAVEL] += z * s->travel[1][k];
  r->column[CAP_LEAVES_RATIO] += z * s->ratio[1][k];
  r->right += b * w->first[CAP_LEAVES_TANGENT][k];
  if (kinds.flank && s->limit_flank[k] > 0.0) {
    r->column[CAP_LEAVES_ROTATION] += b * w->crossing[CAP_LEAVES_TANGENT_ROTATION][k];
    r->column[CAP_LEAVES_CLOSING] += b * w->crossing[CAP_LEAVES_TANGENT_CLOSING][k];
    if (kinds.normal) {
      r->column[CAP_LEAVES_ROTATION] += other * w->crossing[CAP_LEAVES_NORMAL_ROTATION][k];
      r->column[CAP_LEAVES_CLOSING] += other * w->crossing[CAP_LEAVES_NORMAL_CLOSING][k];
    }
  }
}

/* A leaf goes on with a run on the same link if it is on the same pulley, or on none. */
CAP_INLINE bool joins(const cap_leaves *s, int k, int link, run *r, cap_leaves_kinds kinds)
{
  if (s->link[k] != link) return false;
  if (!kinds.flank || !(s->limit_flank[k] > 0.0)) return true;
  if (r->pulley < 0) r->pulley = s->pulley[k];
  return r->pulley == s->pulley[k];
}

CAP_INLINE void add_all(cap_leaves *s, cap_leaves_kinds kinds)
{
  for (int k = 0; k < s->n;) {
    int link = s->link[k];
    run r = {.pulley = -1};
    for (; k < s->n && joins(s, k, link, &r, kinds); k++) add_leaf(s, k, &r, kinds);
    give(&r, link, s->work);
  }
}

CAP_CLONES static void assemble(cap_leaves *s)
{
  if (s->kinds.normal && s->kinds.flank) add_all(s, (cap_leaves_kinds){true, true, true});
  else if (s->kinds.normal) add_all(s, (cap_leaves_kinds){true, true, false});
  else if (s->kinds.flank) add_all(s, (cap_leaves_kinds){false, true, true});
  else add_all(s, (cap_leaves_kinds){false, true, false});
}

/* J' first alone. */
CAP_CLONES static void push_all(cap_leaves *s)
{
  const cap_leaves_work *w = s->work;
  for (int k = 0; k < s->n;) {
    int link = s->link[k], next = link + 1 < s->nblock ? link + 1 : 0;
    line right = {0.0}, b;
    quad h[2];
    for (; k < s->n && s->link[k] == link; k++) {
      memcpy(&b, s->ring[CAP_LEAVES_TANGENT][k], sizeof b);
      right += b * w->first[CAP_LEAVES_TANGENT][k];
      if (!s->kinds.normal) continue;
      memcpy(&b, s->ring[CAP_LEAVES_NORMAL][k], sizeof b);
      right += b * w->first[CAP_LEAVES_NORMAL][k];
    }
    halve(&right, h);
    add_to(w->more + link * HALF, &h[0]);
    add_to(w->more + next * HALF, &h[1]);
  }
}

void cap_leaves_trunk_rest(cap_leaves *s)
{
  memset(s->u, 0, sizeof(double) * (size_t)(4 * s->nblock + BORDER));
  for (int i = 0; i < CAP_LEAVES_ROWS; i++) memset(s->work->y[i], 0, sizeof(double) * (size_t)s->room);
}

/* What stands beside the chain, moves, and has to do with rows. */
static int list_active(const cap_leaves *s, int active[BORDER])
{
  int m = 0;
  for (int i = 0; i < BORDER; i++)
    if (!s->locked[i] && (i < CAP_LEAVES_ROTATION ? s->kinds.tangent : s->kinds.flank)) active[m++] = i;
  return m;
}

/* more = right side without the ring's rows. */
static void begin_right(cap_leaves *s)
{
  cap_leaves_work *w = s->work;
  size_t size = 4 * (size_t)s->nblock;
  memset(w->more, 0, sizeof(double) * size);
  for (int i = 0; i < w->sum.m; i++) w->more[size + (size_t)i] = w->edge[w->active[i]];
}

/* sum = trunk, of what is active. */
static void begin(cap_leaves *s)
{
  cap_leaves_work *w = s->work;
  const capm_bordered *from = &s->trunk;
  size_t size = 4 * (size_t)s->nblock, blocks = sizeof(double) * (size_t)(s->nblock * MATRIX);
  int m = list_active(s, w->active);
  w->sum = capm_bordered_on(s->nblock, m, w->system);
  const capm_bordered *to = &w->sum;
  memcpy(to->chain.diagonal, from->chain.diagonal, blocks);
  memcpy(to->chain.lower, from->chain.lower, blocks);
  for (int i = 0; i < m; i++) {
    int at = w->active[i];
    memcpy(to->column + (size_t)i * size, from->column + (size_t)at * size, sizeof(double) * size);
    for (int j = 0; j < m; j++)
      to->corner[i * m + j] = from->corner[at * BORDER + w->active[j]] + w->corner[at][w->active[j]];
  }
}

/* more -= M u; only travel and ratio are coupled with the chain. */
CAP_CLONES static void take_pushed(cap_leaves *s)
{
  const cap_leaves_work *w = s->work;
  const capm_bordered *from = &s->trunk;
  int size = 4 * s->nblock;
  const double *lead = s->u + size;
  if (size > 0) {
    capm_blocks_multiply(&from->chain, s->u, w->push);
    for (int i = 0; i < 2; i++) capm_dot_subtract(size, -lead[i], from->column + i * size, w->push);
    capm_dot_subtract(size, 1.0, w->push, w->more);
  }
  for (int i = 0; i < w->sum.m; i++) {
    int at = w->active[i];
    double sum = at < 2 ? capm_dot(size, from->column + at * size, s->u) : 0.0;
    for (int j = 0; j < BORDER; j++) sum += from->corner[at * BORDER + j] * lead[j];
    w->more[size + i] -= sum;
  }
}

/* By steps of u, not u itself: what is lost to rounding, through D that may be large, is found again by the
 * next. */
bool cap_leaves_trunk_step(cap_leaves *s, bool rests, bool again)
{
  const cap_leaves_work *w = s->work;
  int size = 4 * s->nblock;
  double lead[BORDER] = {0.0};
  bool chain = s->nblock > 0 && s->kinds.tangent;
  if (!again) begin(s);
  begin_right(s);
  if (chain && again) push_all(s);
  else if (chain) assemble(s);
  if (!rests) take_pushed(s);
  if (!again && !capm_bordered_factor(&w->sum)) return false;
  capm_bordered_solve(&w->sum, w->more);
  for (int i = 0; i < w->sum.m; i++) lead[w->active[i]] = w->more[size + i];
  memcpy(w->more + size, lead, sizeof lead);
  for (int i = 0; i < size + BORDER; i++) s->u[i] += w->more[i];
  return true;
}
