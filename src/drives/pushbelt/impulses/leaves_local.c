/* drives/pushbelt/impulses/leaves_local.c — see leaves_work.h: the law of each leaf by itself, straightened.
 *
 * Every piece of the law is   lambda = a - Sigma xi   with a symmetric Sigma >= 0:
 *     open                Sigma = 0,            a = 0
 *     slides, one row     Sigma = 0,            a = limit sign(tau)
 *     slides, ball        Sigma = sigma T,      a = limit t,    t = tau/|tau|, T = 1 - t t'
 *     sticks              Sigma = 1/epsilon,    a = lambda of now
 * With xi = c + G lambda + y this is lambda = a - D (c + G a + y), D = S (1 + S G S)^-1 S, S S = Sigma: all
 * of it is well-conditioned even where more rows stick than a leaf has coordinates.
 *
 * Eight leaves at once in explicit vectors: matrices of five rows are more than the compiler would turn into
 * such by itself. Rows that are not there vanish when the kernels are compiled for each kind.
 */
#include "drives/pushbelt/impulses/leaves_work.h"

#include <math.h>
#include <string.h>

enum {
  LANES = CAP_LEAVES_LANES,
  ROWS = CAP_LEAVES_ROWS,
  PAIRS = CAP_LEAVES_PAIRS,
  NORMAL = CAP_LEAVES_NORMAL,
  TANGENT = CAP_LEAVES_TANGENT,
  FLANK = CAP_LEAVES_FLANK,
  BORDER = CAP_LEAVES_BORDER
};
#define PAIR CAP_LEAVES_PAIR

typedef double eight __attribute__((vector_size(64)));
typedef long long mask __attribute__((vector_size(64)));

/* Vectors go by address or by macro: by value they would depend on the width that a caller
 * is compiled for. */
#define PICK(m, a, b) ((eight)(((m) & (mask)(a)) | (~(m) & (mask)(b))))
#define MORE(a, b)    PICK((a) > (b), a, b)
#define LESS(a, b)    PICK((a) < (b), a, b)
#define SIZE_OF(a)    ((eight)((mask)(a)&0x7fffffffffffffffLL))
#define SIGNED(a, as) ((eight)(((mask)(a)&0x7fffffffffffffffLL) | ((mask)(as) & ~0x7fffffffffffffffLL)))
#define LOAD(x, from) memcpy(&(x), (from), sizeof(eight))
#define STORE(to, x)  memcpy((to), &(x), sizeof(eight))
#define HAS(kinds, row)                                                                                      \
  ((row) == NORMAL ? (kinds).normal : (row) == TANGENT ? (kinds).tangent : (kinds).flank)
/* Loops over rows that are there, and over pairs of them: all turns known to the compiler. */
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLL _Pragma("GCC unroll 8")
#else
#define UNROLL _Pragma("unroll")
#endif
#define BETWEEN(row, from, to, kinds) UNROLL for (int row = (from); row < (to); row++) if (HAS(kinds, row))
#define EACH(row, kinds)              BETWEEN(row, 0, ROWS, kinds)
#define UP_TO(j, i, kinds)            BETWEEN(j, 0, (i) + 1, kinds)

CAP_INLINE void roots(const eight *x, eight *r)
{
  double a[LANES];
  memcpy(a, x, sizeof a);
  CAP_EACH_LANE(l, LANES) a[l] = sqrt(a[l]);
  memcpy(r, a, sizeof a);
}

static double sum_lanes(const eight *s)
{
  const eight a = *s;
  return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

static double most_lane(const eight *s)
{
  double most = 0.0, bad = 0.0;
  for (int l = 0; l < LANES; l++) {
    double x = (*s)[l];
    most = x > most ? x : most;
    bad += x - x; /* not finite */
  }
  return most + bad;
}

/* The kinds that there are among eight leaves. */
CAP_INLINE cap_leaves_kinds kinds_at(const cap_leaves *s, int first)
{
  cap_leaves_kinds k = s->kinds;
  k.tangent = k.tangent || k.normal;
  k.flank = k.flank && s->work->touches[first / LANES];
  return k;
}

/* Calls kernel(..., kinds) for them, as constants: a copy of the kernel for each of the five that there may
 * be. Not under sanitizers, where nothing is fast and these copies are what takes longest to compile. */
#define KINDS(n, t, f) ((cap_leaves_kinds){n, t, f})
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BY_KINDS(kernel, s, first, ...)                                                                      \
  do {                                                                                                       \
    const cap_leaves_kinds k_ = kinds_at(s, first);                                                          \
    if (k_.tangent || k_.flank) kernel(s, first, __VA_ARGS__, k_);                                           \
  } while (0)
#else
#define BY_KINDS(kernel, s, first, ...)                                                                      \
  do {                                                                                                       \
    const cap_leaves_kinds k_ = kinds_at(s, first);                                                          \
    if (k_.normal && k_.flank) kernel(s, first, __VA_ARGS__, KINDS(true, true, true));                       \
    else if (k_.normal) kernel(s, first, __VA_ARGS__, KINDS(true, true, false));                             \
    else if (k_.tangent && k_.flank) kernel(s, first, __VA_ARGS__, KINDS(false, true, true));                \
    else if (k_.tangent) kernel(s, first, __VA_ARGS__, KINDS(false, true, false));                           \
    else if (k_.flank) kernel(s, first, __VA_ARGS__, KINDS(false, false, true));                             \
  } while (0)
#endif

/* ---- what does not change in a solution ---------------------------------------------------------------- */

/* Leaves up to a whole vector: free, and coupled with nothing. */
static void fill_up(cap_leaves *s)
{
  cap_leaves_work *w = s->work;
  for (int k = s->n; k < s->room; k++) {
    s->inverse_mass[k] = s->inverse_inertia[k] = 1.0;
    s->limit_ring[k] = s->limit_flank[k] = 0.0;
    s->link[k] = s->n > 0 ? s->link[s->n - 1] : 0;
    s->pulley[k] = 0;
    for (int i = 0; i < 2; i++) {
      memset(s->ring[i][k], 0, sizeof s->ring[i][k]);
      s->travel[i][k] = s->ratio[i][k] = 0.0;
    }
    for (int i = 0; i < ROWS; i++) {
      for (int x = 0; x < CAP_LEAVES_COORDS; x++) s->arm[i][x][k] = x == 0;
      s->c[i][k] = i == NORMAL;
      s->lambda[i][k] = s->xi[i][k] = 0.0;
    }
    for (int i = 0; i < 3; i++) s->of_flank[i][k] = 0.0;
  }
  for (int k = 0; k < s->room; k++) w->side[k] = s->pulley[k];
}

/* Eight leaves of which none touches a pulley have no rows of the flank. */
static void find_touching(cap_leaves *s)
{
  const size_t size = sizeof(double) * LANES;
  for (int first = 0; first < s->room && s->kinds.flank; first += LANES) {
    double most = 0.0;
    for (int l = 0; l < LANES; l++) most += s->limit_flank[first + l];
    s->work->touches[first / LANES] = most != 0.0;
    for (int i = FLANK; most == 0.0 && i < ROWS; i++) {
      memset(s->lambda[i] + first, 0, size);
      memcpy(s->xi[i] + first, s->c[i] + first, size);
    }
  }
}

CAP_INLINE void prepare(cap_leaves *s, int first, cap_leaves_work *w, cap_leaves_kinds kinds)
{
  const eight one = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, zero = {0.0};
  eight arm[ROWS][3], own[CAP_LEAVES_KINDS] = {{0.0}}, m, j;
  LOAD(m, s->inverse_mass + first);
  LOAD(j, s->inverse_inertia + first);
  EACH(i, kinds) for (int x = 0; x < 3; x++) LOAD(arm[i][x], s->arm[i][x] + first);
  EACH(i, kinds)
  {
    const eight x = m * arm[i][0], y = m * arm[i][1], z = j * arm[i][2];
    UP_TO(k, i, kinds)
    {
      const eight g = (x * arm[k][0] + y * arm[k][1]) + z * arm[k][2];
      STORE(w->G[PAIR(i, k)] + first, g);
      if (i == k) own[i < FLANK ? i : FLANK] += g;
    }
  }
  own[FLANK] *= 1.0 / 3.0;
  for (int i = 0; i < CAP_LEAVES_KINDS; i++) {
    if (!HAS(kinds, i)) continue;
    eight rho = one / PICK(own[i] > zero, own[i], one), root;
    roots(&rho, &root);
    STORE(w->rho[i] + first, rho);
    STORE(w->root[i] + first, root);
  }
}

CAP_CLONES static void prepare_all(cap_leaves *s, int room)
{
  for (int first = 0; first < room; first += LANES) BY_KINDS(prepare, s, first, s->work);
}

void cap_leaves_local_prepare(cap_leaves *s)
{
  fill_up(s);
  find_touching(s);
  prepare_all(s, s->room);
  if (!s->kinds.normal) memcpy(s->work->limit, s->limit_ring, sizeof(double) * (size_t)s->room);
}

CAP_CLONES static double largest(int n, const double *restrict c, const double *restrict limit)
{
  eight most = {0.0}, x, l;
  for (int first = 0; first < n; first += LANES) {
    LOAD(x, c + first);
    LOAD(l, limit + first);
    const eight size = SIZE_OF(x), counts = (eight)((mask)size & (l > 0.0));
    most = MORE(counts, most);
  }
  return most_lane(&most);
}

double cap_leaves_local_scale(const cap_leaves *s)
{
  double most = s->kinds.tangent ? largest(s->room, s->c[TANGENT], s->limit_ring) : 0.0;
  for (int i = FLANK; s->kinds.flank && i < ROWS; i++)
    most = fmax(most, largest(s->room, s->c[i], s->limit_flank));
  for (int k = 0; s->kinds.normal && k < s->n; k++) most = fmax(most, -s->c[NORMAL][k]);
  return most;
}

void cap_leaves_local_limit(cap_leaves *s)
{
  const double *mu = s->limit_ring, *lambda = s->lambda[NORMAL];
  if (!s->kinds.normal) return;
  for (int k = 0; k < s->room; k++) s->work->limit[k] = lambda[k] > 0.0 ? mu[k] * lambda[k] : 0.0;
}

/* ---- straightening ------------------------------------------------------------------------------------- */

/* Eight leaves. */
typedef struct leaf {
  eight G[PAIRS], rho[CAP_LEAVES_KINDS], root[CAP_LEAVES_KINDS];
  eight rest[ROWS];             /* c + y */
  eight lambda[ROWS], xi[ROWS]; /* of now */
  eight centre[ROWS];           /* from where compliance is counted */
  eight limit, mu, ball;        /* of TANGENT (mu: with NORMAL), of the flank */
} leaf;

/* Their pieces. Sigma = S S with S = size (1 - t t') in the ball, whose t is 0 where it sticks. */
typedef struct piece {
  eight a[ROWS], size[ROWS];
  eight t[3];
  mask sticks[CAP_LEAVES_KINDS];
} piece;

#define KIND(row) ((row) < FLANK ? (row) : FLANK)

CAP_INLINE void load(const cap_leaves *s, int first, cap_leaves_kinds kinds, leaf *l)
{
  const cap_leaves_work *w = s->work;
  eight y;
  EACH(i, kinds)
  {
    UP_TO(j, i, kinds) LOAD(l->G[PAIR(i, j)], w->G[PAIR(i, j)] + first);
    LOAD(l->rest[i], s->c[i] + first);
    LOAD(y, w->y[i] + first);
    l->rest[i] += y;
    LOAD(l->lambda[i], s->lambda[i] + first);
    LOAD(l->xi[i], s->xi[i] + first);
    LOAD(l->centre[i], w->centre[i] + first);
    if (i > FLANK) continue;
    LOAD(l->rho[i], w->rho[i] + first);
    LOAD(l->root[i], w->root[i] + first);
  }
  if (kinds.tangent) LOAD(l->limit, w->limit + first);
  if (kinds.normal) LOAD(l->mu, s->limit_ring + first);
  if (kinds.flank) LOAD(l->ball, s->limit_flank + first);
}

/* Of own mobility in the choice of a piece of one row. As rings and pulleys move, too, a whole one would let
 * rows turn from one sense of sliding to the other and back for ever; sticking is between. */
static const double cautious = 0.3;

/* Where the law of a row is looked up: around the centre (safe), else around lambda of now, with what
 * compliance has of xi. */
CAP_INLINE void look(const leaf *l, bool safe, double compliance, int row, eight *tau)
{
  const eight rho = l->rho[KIND(row)];
  if (safe) *tau = l->centre[row] - rho * l->xi[row] / compliance;
  else {
    const double share = row == TANGENT ? cautious : 1.0;
    *tau = l->lambda[row] - share * (rho * l->xi[row] + compliance * (l->lambda[row] - l->centre[row]));
  }
}

CAP_INLINE void choose_ball(const leaf *l, bool safe, double compliance, piece *p)
{
  const eight zero = {0.0}, tiny = zero + 1e-300, rho = l->rho[FLANK], limit = l->ball;
  const eight stiff = l->root[FLANK] / sqrt(compliance);
  eight t[3], size, sigma, along = zero;
  for (int i = 0; i < 3; i++) look(l, safe, compliance, FLANK + i, &t[i]);
  size = (t[0] * t[0] + t[1] * t[1]) + t[2] * t[2];
  roots(&size, &size);
  const mask sticks = (size <= limit) & (limit > zero);
  const eight unit = 1.0 / MORE(size, tiny), over = size - limit;
  for (int i = 0; i < 3; i++) p->t[i] = t[i] = (eight)((mask)(t[i] * unit) & ~sticks);
  /* sigma = L/s of a slip s, in series with the compliance */
  if (safe) sigma = rho * (limit * unit) / compliance;
  else sigma = rho * limit / (MORE(over, tiny) + compliance * limit);
  roots(&sigma, &size);
  size = PICK(sticks, stiff, size);
  p->sticks[FLANK] = sticks;
  /* safe: a = law + Sigma xi; else: limit, and what the compliance keeps of the centre */
  for (int i = 0; i < 3; i++) along += t[i] * (safe ? l->xi[FLANK + i] : l->centre[FLANK + i]);
  for (int i = 0; i < 3; i++) {
    const eight from = safe ? l->xi[FLANK + i] : l->centre[FLANK + i];
    const eight across = (safe ? sigma : compliance * sigma / rho) * (from - along * t[i]);
    p->a[FLANK + i] = PICK(sticks, l->centre[FLANK + i], limit * t[i] + across);
    p->size[FLANK + i] = size;
  }
}

CAP_INLINE void choose(const leaf *l, bool safe, double compliance, cap_leaves_kinds kinds, piece *p)
{
  const double per_root = 1.0 / sqrt(compliance);
  const eight zero = {0.0};
  eight tau;
  if (kinds.normal) {
    look(l, safe, compliance, NORMAL, &tau);
    const mask closed = tau > zero;
    p->sticks[NORMAL] = closed;
    p->a[NORMAL] = (eight)((mask)l->centre[NORMAL] & closed);
    p->size[NORMAL] = (eight)((mask)(l->root[NORMAL] * per_root) & closed);
  }
  if (kinds.tangent) {
    look(l, safe, compliance, TANGENT, &tau);
    const eight size = SIZE_OF(tau);
    const mask sticks = (size <= l->limit) & (l->limit > zero);
    p->sticks[TANGENT] = sticks;
    p->a[TANGENT] = PICK(sticks, l->centre[TANGENT], SIGNED(l->limit, tau));
    p->size[TANGENT] = (eight)((mask)(l->root[TANGENT] * per_root) & sticks);
  }
  if (kinds.flank) choose_ball(l, safe, compliance, p);
}

/* M = 1 + S G S, lower triangle. */
CAP_INLINE void stiffen(const piece *p, cap_leaves_kinds kinds, const eight G[PAIRS], eight M[PAIRS])
{
  eight h[ROWS], both = {0.0};
  if (kinds.flank) {
    EACH(i, kinds)
    h[i] = (G[PAIR(i, FLANK)] * p->t[0] + G[PAIR(i, FLANK + 1)] * p->t[1]) + G[PAIR(i, FLANK + 2)] * p->t[2];
    both = (h[FLANK] * p->t[0] + h[FLANK + 1] * p->t[1]) + h[FLANK + 2] * p->t[2];
  }
  EACH(i, kinds) UP_TO(j, i, kinds)
  {
    eight g = G[PAIR(i, j)];
    if (i >= FLANK && j < FLANK) g -= h[j] * p->t[i - FLANK];
    if (i >= FLANK && j >= FLANK) {
      const eight ti = p->t[i - FLANK], tj = p->t[j - FLANK];
      g += (ti * tj) * both - (h[j] * ti + h[i] * tj);
    }
    M[PAIR(i, j)] = p->size[i] * p->size[j] * g;
    if (i == j) M[PAIR(i, j)] += 1.0;
  }
}

/* In place. L D L', then the inverse of it. */
CAP_INLINE void invert(cap_leaves_kinds kinds, eight M[PAIRS])
{
  eight inverse[ROWS] = {{0.0}};
  EACH(j, kinds)
  {
    BETWEEN(k, 0, j, kinds) M[PAIR(j, j)] -= M[PAIR(j, k)] * M[PAIR(j, k)] * M[PAIR(k, k)];
    inverse[j] = 1.0 / M[PAIR(j, j)];
    BETWEEN(i, j + 1, ROWS, kinds)
    {
      BETWEEN(k, 0, j, kinds) M[PAIR(i, j)] -= M[PAIR(i, k)] * M[PAIR(j, k)] * M[PAIR(k, k)];
      M[PAIR(i, j)] *= inverse[j];
    }
  }
  EACH(j, kinds) BETWEEN(i, j + 1, ROWS, kinds) /* L^-1, below the diagonal */
  {
    eight sum = M[PAIR(i, j)];
    BETWEEN(k, j + 1, i, kinds) sum += M[PAIR(i, k)] * M[PAIR(k, j)];
    M[PAIR(i, j)] = -sum;
  }
  EACH(i, kinds) /* L^-T D^-1 L^-1: what is still needed stands further down */
  {
    eight diagonal = inverse[i];
    BETWEEN(k, i + 1, ROWS, kinds) diagonal += M[PAIR(k, i)] * M[PAIR(k, i)] * inverse[k];
    BETWEEN(j, 0, i, kinds)
    {
      eight sum = inverse[i] * M[PAIR(i, j)];
      BETWEEN(k, i + 1, ROWS, kinds) sum += M[PAIR(k, i)] * M[PAIR(k, j)] * inverse[k];
      M[PAIR(i, j)] = sum;
    }
    M[PAIR(i, i)] = diagonal;
  }
}

/* Sums over all leaves of what they add beside the chain, lane by lane: ring with itself, and with rotation
 * and closing of each pulley; these with themselves; right side. */
typedef struct sums {
  eight ring[3], mixed[2][4], pulley[2][3], edge[BORDER];
  mask changed; /* any bit: another piece than the last time */
} sums;

/* D of the pieces, and lambda with it. */
CAP_INLINE void solve_pieces(const leaf *l, const piece *p, cap_leaves_kinds kinds, eight D[PAIRS],
                             eight lambda[ROWS])
{
  eight at[ROWS];
  stiffen(p, kinds, l->G, D);
  invert(kinds, D);
  EACH(i, kinds) UP_TO(j, i, kinds)
  {
    if (i >= FLANK && j >= FLANK) D[PAIR(i, j)] -= p->t[i - FLANK] * p->t[j - FLANK];
    D[PAIR(i, j)] *= p->size[i] * p->size[j];
  }
  EACH(i, kinds)
  {
    at[i] = l->rest[i];
    EACH(j, kinds) at[i] += l->G[PAIR(i, j)] * p->a[j];
  }
  EACH(i, kinds)
  {
    lambda[i] = p->a[i];
    EACH(j, kinds) lambda[i] -= D[PAIR(i, j)] * at[j];
  }
}

/* The law, looked up around lambda: what lambda should be. */
CAP_INLINE void project(const leaf *l, double compliance, cap_leaves_kinds kinds, eight to[ROWS])
{
  const eight zero = {0.0}, tiny = zero + 1e-300;
  eight tau[ROWS];
  EACH(i, kinds)
  tau[i] = l->lambda[i] - (l->rho[KIND(i)] * l->xi[i] + compliance * (l->lambda[i] - l->centre[i]));
  if (kinds.normal) to[NORMAL] = MORE(tau[NORMAL], zero);
  if (kinds.tangent) {
    const eight size = SIZE_OF(tau[TANGENT]);
    to[TANGENT] = PICK(size <= l->limit, tau[TANGENT], SIGNED(l->limit, tau[TANGENT]));
  }
  if (kinds.flank) {
    eight size = (tau[2] * tau[2] + tau[3] * tau[3]) + tau[4] * tau[4];
    roots(&size, &size);
    const eight within = l->ball / MORE(size, tiny), part = PICK(size <= l->ball, zero + 1.0, within);
    for (int i = 0; i < 3; i++) to[FLANK + i] = part * tau[FLANK + i];
  }
}

CAP_INLINE void worst_of(const leaf *l, const eight to[ROWS], cap_leaves_kinds kinds, eight *most, eight *bad)
{
  EACH(i, kinds)
  {
    const eight off = SIZE_OF(l->lambda[i] - to[i]) / l->rho[KIND(i)];
    *most = MORE(off, *most);
    *bad += off - off;
  }
}

CAP_INLINE void move(leaf *l, const eight lambda[ROWS], bool held, cap_leaves_kinds kinds)
{
  const eight zero = {0.0};
  EACH(i, kinds) l->lambda[i] = lambda[i];
  EACH(i, kinds)
  {
    l->xi[i] = l->rest[i];
    EACH(j, kinds) l->xi[i] += l->G[PAIR(i, j)] * lambda[j];
  }
  if (kinds.normal && !held) l->limit = l->mu * MORE(lambda[NORMAL], zero); /* the limit goes along */
}

/* The leaf's own problem while the trunk rests: piece by piece until the law holds, at most so often. */
CAP_INLINE void settle(leaf *l, cap_leaves_way way, cap_leaves_kinds kinds, piece *p, eight D[PAIRS],
                       eight lambda[ROWS])
{
  for (int turn = 1;; turn++) {
    eight to[ROWS], most = {0.0}, bad = {0.0};
    choose(l, way.safe, way.compliance, kinds, p);
    solve_pieces(l, p, kinds, D, lambda);
    if (turn >= way.turns) return;
    move(l, lambda, false, kinds);
    project(l, way.compliance, kinds, to);
    worst_of(l, to, kinds, &most, &bad);
    if (most_lane(&most) <= way.enough) return;
  }
}

CAP_INLINE void straighten(cap_leaves *s, int first, cap_leaves_way way, sums *sum, cap_leaves_kinds kinds)
{
  cap_leaves_work *w = s->work;
  leaf f;
  piece p;
  eight D[PAIRS], l[ROWS];
  load(s, first, kinds, &f);
  settle(&f, way, kinds, &p, D, l);
  for (int i = 0; i < CAP_LEAVES_KINDS; i++) {
    mask before;
    if (!HAS(kinds, i)) continue;
    LOAD(before, w->sticks[i] + first);
    sum->changed |= before ^ p.sticks[i];
    STORE(w->sticks[i] + first, p.sticks[i]);
  }
  EACH(i, kinds)
  {
    UP_TO(j, i, kinds) STORE(w->D[PAIR(i, j)] + first, D[PAIR(i, j)]);
    STORE(w->first[i] + first, l[i]);
  }

  eight travel[2], ratio[2];
  if (kinds.tangent) {
    for (int i = kinds.normal ? 0 : 1; i < 2; i++) {
      LOAD(travel[i], s->travel[i] + first);
      LOAD(ratio[i], s->ratio[i] + first);
      sum->edge[CAP_LEAVES_TRAVEL] += travel[i] * l[i];
      sum->edge[CAP_LEAVES_RATIO] += ratio[i] * l[i];
    }
    for (int i = kinds.normal ? 0 : 1; i < 2; i++) {
      eight of_travel = {0.0}, of_ratio = {0.0};
      for (int j = kinds.normal ? 0 : 1; j < 2; j++) {
        of_travel += D[PAIR(i, j)] * travel[j];
        of_ratio += D[PAIR(i, j)] * ratio[j];
      }
      sum->ring[0] += travel[i] * of_travel;
      sum->ring[1] += travel[i] * of_ratio;
      sum->ring[2] += ratio[i] * of_ratio;
    }
  }
  if (kinds.flank) {
    eight side, e[3];
    LOAD(side, w->side + first);
    for (int i = 0; i < 3; i++) LOAD(e[i], s->of_flank[i] + first);
    const mask on[2] = {side < 0.5, side >= 0.5};
    const eight turned = e[0] * l[FLANK] + e[2] * l[FLANK + 2], closed = e[1] * l[FLANK + 1];
    const eight d02 = e[0] * e[2] * D[PAIR(FLANK + 2, FLANK)];
    const eight own[3] = {
        (e[0] * e[0] * D[PAIR(FLANK, FLANK)] + e[2] * e[2] * D[PAIR(FLANK + 2, FLANK + 2)]) + (d02 + d02),
        e[1] * (e[0] * D[PAIR(FLANK + 1, FLANK)] + e[2] * D[PAIR(FLANK + 2, FLANK + 1)]),
        e[1] * e[1] * D[PAIR(FLANK + 1, FLANK + 1)]};
    eight cross[4] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (int i = kinds.normal ? 0 : 1; kinds.tangent && i < 2; i++) {
      const eight turns = e[0] * D[PAIR(FLANK, i)] + e[2] * D[PAIR(FLANK + 2, i)],
                  closes = e[1] * D[PAIR(FLANK + 1, i)];
      STORE(w->crossing[2 * i] + first, turns);
      STORE(w->crossing[2 * i + 1] + first, closes);
      cross[0] += travel[i] * turns;
      cross[1] += travel[i] * closes;
      cross[2] += ratio[i] * turns;
      cross[3] += ratio[i] * closes;
    }
    for (int side_of = 0; side_of < 2; side_of++) {
      int at_edge = CAP_LEAVES_ROTATION + 2 * side_of;
      sum->edge[at_edge] += (eight)((mask)turned & on[side_of]);
      sum->edge[at_edge + 1] += (eight)((mask)closed & on[side_of]);
      for (int i = 0; i < 3; i++) sum->pulley[side_of][i] += (eight)((mask)own[i] & on[side_of]);
      for (int i = 0; kinds.tangent && i < 4; i++)
        sum->mixed[side_of][i] += (eight)((mask)cross[i] & on[side_of]);
    }
  }
}

CAP_CLONES static void straighten_all(cap_leaves *s, cap_leaves_way way, sums *sum)
{
  if (way.safe)
    for (int first = 0; first < s->room; first += LANES)
      BY_KINDS(straighten, s, first, ((cap_leaves_way){true, way.compliance, 1, 0.0}), sum);
  else
    for (int first = 0; first < s->room; first += LANES)
      BY_KINDS(straighten, s, first, ((cap_leaves_way){false, way.compliance, way.turns, way.enough}), sum);
}

static void both(cap_leaves_work *w, int i, int j, const eight *sum)
{
  w->corner[i][j] = w->corner[j][i] = sum_lanes(sum);
}

bool cap_leaves_local_straighten(cap_leaves *s, cap_leaves_way way)
{
  cap_leaves_work *w = s->work;
  sums sum = {0};
  straighten_all(s, way, &sum);
  memset(w->corner, 0, sizeof w->corner);
  both(w, CAP_LEAVES_TRAVEL, CAP_LEAVES_TRAVEL, &sum.ring[0]);
  both(w, CAP_LEAVES_TRAVEL, CAP_LEAVES_RATIO, &sum.ring[1]);
  both(w, CAP_LEAVES_RATIO, CAP_LEAVES_RATIO, &sum.ring[2]);
  for (int p = 0; p < 2; p++) {
    int turn = CAP_LEAVES_ROTATION + 2 * p, close = turn + 1;
    both(w, turn, turn, &sum.pulley[p][0]);
    both(w, turn, close, &sum.pulley[p][1]);
    both(w, close, close, &sum.pulley[p][2]);
    both(w, CAP_LEAVES_TRAVEL, turn, &sum.mixed[p][0]);
    both(w, CAP_LEAVES_TRAVEL, close, &sum.mixed[p][1]);
    both(w, CAP_LEAVES_RATIO, turn, &sum.mixed[p][2]);
    both(w, CAP_LEAVES_RATIO, close, &sum.mixed[p][3]);
  }
  for (int i = 0; i < BORDER; i++) w->edge[i] = sum_lanes(&sum.edge[i]);
  long long any = 0;
  for (int l = 0; l < LANES; l++) any |= sum.changed[l];
  return any != 0;
}

/* ---- following the trunk ------------------------------------------------------------------------------- */

/* Sums of the eight numbers of eight vectors each. */
CAP_INLINE void add_across(const eight v[LANES], eight *sum)
{
  eight a[4], b[2];
  for (int k = 0; k < 4; k++)
    a[k] = __builtin_shufflevector(v[2 * k], v[2 * k + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(v[2 * k], v[2 * k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  for (int k = 0; k < 2; k++)
    b[k] = __builtin_shufflevector(a[2 * k], a[2 * k + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(a[2 * k], a[2 * k + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  *sum = __builtin_shufflevector(b[0], b[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(b[0], b[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

/* y = J u of all rows of eight leaves. */
CAP_INLINE void see(const cap_leaves *s, int first, const double *border, cap_leaves_kinds kinds,
                    eight y[ROWS])
{
  const cap_leaves_work *w = s->work;
  eight x, weight;
  for (int i = kinds.normal ? 0 : 1; kinds.tangent && i < 2; i++) {
    eight v[LANES], moved;
    y[i] = (eight){0.0};
    if (s->nblock > 0) {
      for (int l = 0; l < LANES; l++) {
        LOAD(moved, w->wide + 4 * s->link[first + l]);
        LOAD(v[l], s->ring[i][first + l]);
        v[l] *= moved;
      }
      add_across(v, &y[i]);
    }
    LOAD(x, s->travel[i] + first);
    LOAD(weight, s->ratio[i] + first);
    y[i] += x * border[CAP_LEAVES_TRAVEL] + weight * border[CAP_LEAVES_RATIO];
  }
  if (kinds.flank) {
    const eight zero = {0.0};
    eight side, e;
    LOAD(side, w->side + first);
    const mask second = side >= 0.5;
    const eight turn = PICK(second, zero + border[CAP_LEAVES_ROTATION + 2],
                            zero + border[CAP_LEAVES_ROTATION]);
    const eight close = PICK(second, zero + border[CAP_LEAVES_CLOSING + 2],
                             zero + border[CAP_LEAVES_CLOSING]);
    for (int i = 0; i < 3; i++) {
      LOAD(e, s->of_flank[i] + first);
      y[FLANK + i] = e * (i == 1 ? close : turn);
    }
  }
}

CAP_INLINE void follow(cap_leaves *s, int first, const double *border, double compliance, bool held,
                       eight *most, eight *bad, cap_leaves_kinds kinds)
{
  const cap_leaves_work *w = s->work;
  leaf f;
  eight y[ROWS], lambda[ROWS], to[ROWS], d;
  f.limit = (eight){0.0};
  see(s, first, border, kinds, y); /* more of it than before */
  EACH(i, kinds) LOAD(lambda[i], w->first[i] + first);
  EACH(i, kinds) UP_TO(j, i, kinds)
  {
    LOAD(d, w->D[PAIR(i, j)] + first);
    lambda[i] -= d * y[j];
    if (i != j) lambda[j] -= d * y[i];
  }
  EACH(i, kinds)
  {
    LOAD(d, w->y[i] + first);
    d += y[i];
    STORE(w->y[i] + first, d);
  }
  load(s, first, kinds, &f);
  const eight limit = f.limit;
  move(&f, lambda, held, kinds);
  project(&f, compliance, kinds, to);
  worst_of(&f, to, kinds, most, bad);
  if (kinds.normal) { /* what slides stays at its limit, which is another now: else it would seem to stick */
    const mask slides = SIZE_OF(lambda[TANGENT]) == limit;
    f.lambda[TANGENT] = PICK(slides, SIGNED(f.limit, lambda[TANGENT]), lambda[TANGENT]);
    STORE(w->limit + first, f.limit);
  }
  EACH(i, kinds)
  {
    STORE(s->lambda[i] + first, f.lambda[i]);
    STORE(s->xi[i] + first, f.xi[i]);
  }
}

CAP_CLONES static void follow_all(cap_leaves *s, const double *border, double compliance, bool held,
                                  eight *most, eight *bad)
{
  for (int first = 0; first < s->room; first += LANES)
    BY_KINDS(follow, s, first, border, compliance, held, most, bad);
}

double cap_leaves_local_follow(cap_leaves *s, double compliance, bool held)
{
  eight most = {0.0}, bad = {0.0};
  if (s->nblock > 0) {
    size_t size = sizeof(double) * (size_t)(4 * s->nblock);
    memcpy(s->work->wide, s->work->more, size);
    memcpy(s->work->wide + 4 * s->nblock, s->work->more, 4 * sizeof(double));
  }
  follow_all(s, s->work->more + 4 * s->nblock, compliance, held, &most, &bad);
  return most_lane(&most) + sum_lanes(&bad);
}

CAP_INLINE void clip(cap_leaves *s, int first, eight *most, eight *bad, cap_leaves_kinds kinds)
{
  leaf f;
  eight to[ROWS];
  load(s, first, kinds, &f);
  project(&f, 0.0, kinds, to);
  worst_of(&f, to, kinds, most, bad);
  EACH(i, kinds) f.xi[i] = (eight){0.0};
  project(&f, 0.0, kinds, to);
  EACH(i, kinds) STORE(s->lambda[i] + first, to[i]);
}

CAP_CLONES static void clip_all(cap_leaves *s, eight *most, eight *bad)
{
  for (int first = 0; first < s->room; first += LANES) BY_KINDS(clip, s, first, most, bad);
}

double cap_leaves_local_clip(cap_leaves *s)
{
  eight most = {0.0}, bad = {0.0};
  cap_leaves_local_limit(s);
  clip_all(s, &most, &bad);
  return most_lane(&most) + sum_lanes(&bad);
}

/* ---- the safe way -------------------------------------------------------------------------------------- */

CAP_INLINE void slope(const cap_leaves *s, int first, double compliance, double share, eight *sum,
                      eight *most, eight *bad, cap_leaves_kinds kinds)
{
  const cap_leaves_work *w = s->work;
  leaf f;
  eight way[ROWS], to[ROWS], x, before[ROWS];
  load(s, first, kinds, &f);
  EACH(i, kinds)
  {
    LOAD(x, w->from[i] + first);
    f.lambda[i] = x + share * (f.lambda[i] - x);
    before[i] = f.lambda[i];
    LOAD(x, w->xi_from[i] + first);
    way[i] = f.xi[i] - x;
    f.xi[i] = x + share * way[i];
    /* prox(centre - xi rho/compliance) is that around lambda = centre of xi/compliance */
    f.lambda[i] = f.centre[i];
    f.xi[i] = f.xi[i] / compliance;
  }
  project(&f, 0.0, kinds, to);
  EACH(i, kinds)
  {
    f.lambda[i] = before[i];
    *sum += (before[i] - to[i]) * way[i];
  }
  worst_of(&f, to, kinds, most, bad);
}

CAP_CLONES static void slope_all(const cap_leaves *s, double compliance, double share, eight *sum,
                                 eight *most, eight *bad)
{
  for (int first = 0; first < s->room; first += LANES)
    BY_KINDS(slope, s, first, compliance, share, sum, most, bad);
}

double cap_leaves_local_slope(const cap_leaves *s, double compliance, double share, double *off)
{
  eight sum = {0.0}, most = {0.0}, bad = {0.0};
  slope_all(s, compliance, share, &sum, &most, &bad);
  *off = most_lane(&most) + sum_lanes(&bad);
  return sum_lanes(&sum);
}

void cap_leaves_local_part(cap_leaves *s, double share)
{
  const cap_leaves_work *w = s->work;
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < s->room; k++) {
      s->lambda[i][k] = w->from[i][k] + share * (s->lambda[i][k] - w->from[i][k]);
      s->xi[i][k] = w->xi_from[i][k] + share * (s->xi[i][k] - w->xi_from[i][k]);
    }
}
