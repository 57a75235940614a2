/* elements/beam.c — the planar beam of the program (belt segment, ring, strip).
 *
 * Maths: docs/theory.md §25 and laws/beam.h. Elements and lanes are counted through as one row of pairs,
 * (element, lane) with the lane innermost, and worked off in blocks of sixteen pairs (two vector registers,
 * whose chains of operations overlap): what the nodes have is gathered, the law runs over the block in vector
 * registers (a chain of one lane and an ensemble alike, so that their bits are the same), and the forces are
 * added to the nodes pair by pair, as neighbours share them. Beams of one lane of which each begins where the
 * one before ends (a belt) read and write a node once; the sums are the same.
 */
#include "base/clones.h"
#include "elements/elements.h"

enum { WIDE = 16 };

/* What tangents need of the state of the law. */
#define TANGENT_FIELDS(X)                                                                                    \
  X(chord)                                                                                                   \
  X(per_chord)                                                                                               \
  X(per_length)                                                                                              \
  X(cosine)                                                                                                  \
  X(sine) X(arc) X(b1) X(b2) X(bend) X(stretch) X(turn) X(th1_rate) X(th2_rate) X(force) X(pull) X(shear)
#define FIELD_ARRAY(name) double name[WIDE];
#define FIELD_STORE(name) k->state.name[l] = s.name;
#define FIELD_LOAD(name)  .name = k->state.name[l],

typedef struct states {
  TANGENT_FIELDS(FIELD_ARRAY)
} states;

/* The pairs of a block: where they are, and what the law takes and gives, one array a field. */
typedef struct block {
  int count, element[WIDE], lane[WIDE];
  double EA[WIDE], EI[WIDE], length[WIDE], axial[WIDE], bending[WIDE], curvature[WIDE];
  double x[WIDE], y[WIDE], phi1[WIDE], phi2[WIDE];         /* between the nodes */
  double vx[WIDE], vy[WIDE], omega1[WIDE], omega2[WIDE];   /* their rates */
  double fx[WIDE], fy[WIDE], moment1[WIDE], moment2[WIDE]; /* what resists */
  double force[WIDE], loss[WIDE];
  states state;
} block;

CAP_INLINE capm_beam beam_of(const block *k, int l)
{
  return (capm_beam){k->EA[l], k->EI[l], k->length[l], k->axial[l], k->bending[l], k->curvature[l]};
}

CAP_INLINE void gather_par(const cap_batch *b, block *k, int l, int element, int lane, int nlane)
{
  const double *par = b->par + (long)element * CAP_BEAM_NPARAM * nlane + lane;
  k->EA[l] = par[CAP_BEAM_EA * nlane];
  k->EI[l] = par[CAP_BEAM_EI * nlane];
  k->length[l] = par[CAP_BEAM_LENGTH * nlane];
  k->axial[l] = par[CAP_BEAM_AXIAL * nlane];
  k->bending[l] = par[CAP_BEAM_BENDING * nlane];
  k->curvature[l] = par[CAP_BEAM_CURVATURE * nlane];
}

/* Of one pair: parameters, relative places and their rates. */
CAP_INLINE void gather_pair(const cap_batch *b, const cap_eval *e, block *k, int l, int element, int lane,
                            int nlane)
{
  const double *qi = e->q + b->i[element] * nlane + lane, *qj = e->q + b->j[element] * nlane + lane;
  const double *vi = e->v + b->i[element] * nlane + lane, *vj = e->v + b->j[element] * nlane + lane;
  k->element[l] = element;
  k->lane[l] = lane;
  gather_par(b, k, l, element, lane, nlane);
  k->x[l] = qj[0] - qi[0];
  k->y[l] = qj[nlane] - qi[nlane];
  k->phi1[l] = qi[2 * nlane];
  k->phi2[l] = qj[2 * nlane];
  k->vx[l] = vj[0] - vi[0];
  k->vy[l] = vj[nlane] - vi[nlane];
  k->omega1[l] = vi[2 * nlane];
  k->omega2[l] = vj[2 * nlane];
}

/* The block that starts at a pair; what is left of it after the last pair repeats that one, unused. */
CAP_INLINE void gather(const cap_batch *b, const cap_eval *e, block *k, int first, int nlane)
{
  int pairs = b->n * nlane, element = first / nlane, lane = first % nlane;
  k->count = pairs - first < WIDE ? pairs - first : WIDE;
  for (int l = 0; l < WIDE; l++) {
    gather_pair(b, e, k, l, element, lane, nlane);
    if (l + 1 >= k->count) continue;
    if (++lane == nlane) lane = 0, element++;
  }
}

/* Forces, the loss, and the state where tangents follow. */
CAP_INLINE void evaluate(block *restrict k, bool state)
{
  CAP_EACH_LANE(l, WIDE)
  {
    const capm_beam p = beam_of(k, l);
    capm_beam_state s;
    capm_beam_deform(&p, (capm_beam_ends){k->x[l], k->y[l], k->phi1[l], k->phi2[l]}, &s);
    capm_beam_flow((capm_beam_ends){k->vx[l], k->vy[l], k->omega1[l], k->omega2[l]}, &s);
    const capm_beam_ends f = capm_beam_forces(&p, &s);
    k->fx[l] = f.x;
    k->fy[l] = f.y;
    k->moment1[l] = f.phi1;
    k->moment2[l] = f.phi2;
    k->loss[l] = capm_beam_loss(&p, &s);
    k->force[l] = s.force;
    if (state) {
      TANGENT_FIELDS(FIELD_STORE)
    }
  }
}

CAP_INLINE void scatter(const cap_batch *b, cap_eval *e, const block *k, int nlane)
{
  for (int l = 0; l < k->count; l++) {
    int element = k->element[l], lane = k->lane[l];
    double *hi = e->h + b->i[element] * nlane + lane, *hj = e->h + b->j[element] * nlane + lane;
    hi[0] += k->fx[l];
    hi[nlane] += k->fy[l];
    hi[2 * nlane] -= k->moment1[l];
    hj[0] -= k->fx[l];
    hj[nlane] -= k->fy[l];
    hj[2 * nlane] -= k->moment2[l];
    if (e->force) e->force[(b->elem_adr + element) * nlane + lane] = k->force[l];
    if (e->power && !b->npart) e->power[(b->mech_adr + element) * nlane + lane] = k->loss[l];
    else if (e->power) e->power[b->mech_adr] += k->loss[l]; /* one lane */
  }
}

/* The six rows of an element in q, v or h with columns: of its first node and of its second. */
typedef struct rows {
  const double *ix, *iy, *ip, *jx, *jy, *jp;
} rows;

CAP_INLINE rows rows_at(const double *a, int i, int j, int at, int step)
{
  const double *first = a + (long)i * step + at, *second = a + (long)j * step + at;
  return (rows){first, first + step, first + 2 * step, second, second + step, second + 2 * step};
}

CAP_INLINE capm_beam_ends between(rows a, int w)
{
  return (capm_beam_ends){a.jx[w] - a.ix[w], a.jy[w] - a.iy[w], a.ip[w], a.jp[w]};
}

/* `width` values of each row: columns of the pair l0 (stride 0), or lanes from l0 on (stride 1). */
CAP_INLINE void tangent_row(const block *k, int l0, int stride, rows dq, rows dv, double *restrict ix,
                            double *restrict iy, double *restrict ip, double *restrict jx,
                            double *restrict jy, double *restrict jp, int width)
{
  CAP_EACH_LANE(w, width)
  {
    const int l = l0 + stride * w;
    const capm_beam p = beam_of(k, l);
    const capm_beam_state s = {TANGENT_FIELDS(FIELD_LOAD)};
    const capm_beam_ends f = capm_beam_tangent(&p, &s, between(dq, w), between(dv, w));
    ix[w] += f.x;
    iy[w] += f.y;
    ip[w] -= f.phi1;
    jx[w] -= f.x;
    jy[w] -= f.y;
    jp[w] -= f.phi2;
  }
}

CAP_INLINE void tangent_at(const cap_batch *b, cap_eval *e, const block *k, int l, int stride, int at,
                           int step, int width)
{
  int i = b->i[k->element[l]], j = b->j[k->element[l]];
  double *first = e->dh + (long)i * step + at, *second = e->dh + (long)j * step + at;
  tangent_row(k, l, stride, rows_at(e->dq, i, j, at, step), rows_at(e->dv, i, j, at, step), first,
              first + step, first + 2 * step, second, second + step, second + 2 * step, width);
}

CAP_INLINE void tangents(const cap_batch *b, cap_eval *e, const block *k, int nlane)
{
  int step = e->ncol * nlane; /* from one coordinate to the next */
  if (nlane == 1) {
    for (int l = 0; l < k->count; l++) tangent_at(b, e, k, l, 0, 0, step, e->ncol);
    return;
  }
  for (int l = 0, run; l < k->count; l += run) {
    run = nlane - k->lane[l] < k->count - l ? nlane - k->lane[l] : k->count - l;
    for (int c = 0; c < e->ncol; c++) tangent_at(b, e, k, l, 1, c * nlane + k->lane[l], step, run);
  }
}

/* ---- chains of one lane -------------------------------------------------------------------------------- */

typedef struct nodes {
  int at[WIDE + 1]; /* first coordinates */
  double x[WIDE + 1], y[WIDE + 1], phi[WIDE + 1], vx[WIDE + 1], vy[WIDE + 1], omega[WIDE + 1];
} nodes;

/* The nodes of the beams from `first` on, if they are a chain; nodes beyond the last one make no trouble. */
CAP_INLINE bool gather_chain(const cap_batch *b, const cap_eval *e, nodes *n, int first, int count)
{
  const int *i = b->i + first, *j = b->j + first;
  bool broken = false;
  for (int l = 0; l + 1 < count; l++) broken |= j[l] != i[l + 1];
  if (broken) return false;
  for (int l = 0; l <= WIDE; l++) n->at[l] = l < count ? i[l] : j[count - 1];
  for (int l = 0; l <= count; l++) {
    const double *q = e->q + n->at[l], *v = e->v + n->at[l];
    n->x[l] = q[0], n->y[l] = q[1], n->phi[l] = q[2];
    n->vx[l] = v[0], n->vy[l] = v[1], n->omega[l] = v[2];
  }
  for (int l = count + 1; l <= WIDE; l++) {
    n->x[l] = n->x[l - 1] + 1.0, n->y[l] = n->y[l - 1], n->phi[l] = 0.0;
    n->vx[l] = n->vy[l] = n->omega[l] = 0.0;
  }
  return true;
}

CAP_INLINE void evaluate_chain(const nodes *restrict n, block *restrict k, const capm_beam *all)
{
  CAP_EACH_LANE(l, WIDE)
  {
    const capm_beam p = all ? *all : beam_of(k, l);
    capm_beam_state s;
    capm_beam_deform(
        &p, (capm_beam_ends){n->x[l + 1] - n->x[l], n->y[l + 1] - n->y[l], n->phi[l], n->phi[l + 1]}, &s);
    capm_beam_flow(
        (capm_beam_ends){n->vx[l + 1] - n->vx[l], n->vy[l + 1] - n->vy[l], n->omega[l], n->omega[l + 1]}, &s);
    const capm_beam_ends f = capm_beam_forces(&p, &s);
    k->fx[l] = f.x;
    k->fy[l] = f.y;
    k->moment1[l] = f.phi1;
    k->moment2[l] = f.phi2;
    k->loss[l] = capm_beam_loss(&p, &s);
    k->force[l] = s.force;
  }
}

/* The sums of scatter, node by node. */
CAP_INLINE void scatter_chain(const nodes *n, const block *k, double *h, int count)
{
  for (int l = 0; l <= count; l++) {
    double *at = h + n->at[l], x = at[0], y = at[1], phi = at[2];
    if (l > 0) x -= k->fx[l - 1], y -= k->fy[l - 1], phi -= k->moment2[l - 1];
    if (l < count) x += k->fx[l], y += k->fy[l], phi -= k->moment1[l];
    at[0] = x, at[1] = y, at[2] = phi;
  }
}

CAP_INLINE void show_chain(const cap_batch *b, cap_eval *e, const block *k, int first, int count)
{
  for (int l = 0; l < count; l++) {
    if (e->force) e->force[b->elem_adr + first + l] = k->force[l];
    if (e->power && !b->npart) e->power[b->mech_adr + first + l] = k->loss[l];
    else if (e->power) e->power[b->mech_adr] += k->loss[l];
  }
}

/* False: these beams are no chain, nothing was done. */
CAP_INLINE bool chain_rates(const cap_batch *b, cap_eval *e, block *k, int first)
{
  nodes n;
  const double *par = b->par;
  int count = b->n - first < WIDE ? b->n - first : WIDE;
  if (!gather_chain(b, e, &n, first, count)) return false;
  const capm_beam all = {par[CAP_BEAM_EA],    par[CAP_BEAM_EI],      par[CAP_BEAM_LENGTH],
                         par[CAP_BEAM_AXIAL], par[CAP_BEAM_BENDING], par[CAP_BEAM_CURVATURE]};
  if (b->uniform) evaluate_chain(&n, k, &all);
  else {
    for (int l = 0; l < WIDE; l++) gather_par(b, k, l, first + (l < count ? l : count - 1), 0, 1);
    evaluate_chain(&n, k, NULL);
  }
  scatter_chain(&n, k, e->h, count);
  if (e->force || e->power) show_chain(b, e, k, first, count);
  return true;
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  block k;
  if (e->power && b->npart) e->power[b->mech_adr] = 0.0;
  for (int first = 0; first < b->n * nlane; first += WIDE) {
    if (nlane == 1 && !e->ncol && chain_rates(b, e, &k, first)) continue;
    gather(b, e, &k, first, nlane);
    if (e->ncol) evaluate(&k, true);
    else evaluate(&k, false);
    scatter(b, e, &k, nlane);
    if (e->ncol) tangents(b, e, &k, nlane);
  }
}

CAP_CLONES static void rates(const cap_batch *b, cap_eval *e)
{
  CAP_LANE_CASES(e->nlane, rates_of, b, e);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  int nlane = e->nlane;
  for (int n = 0; n < b->n; n++)
    for (int l = 0; l < nlane; l++) {
      block k;
      gather_pair(b, e, &k, 0, n, l, nlane);
      const capm_beam p = beam_of(&k, 0);
      capm_beam_state s;
      capm_beam_deform(&p, (capm_beam_ends){k.x[0], k.y[0], k.phi1[0], k.phi2[0]}, &s);
      stored[l] += capm_beam_energy(&p, &s);
    }
}

static const cap_param params[] = {
    {"axial stiffness EA", "N"}, {"bending stiffness EI", "N m2"}, {"length", "m"},
    {"axial damping", "N s"},    {"bending damping", "N m2 s"},    {"curvature", "1/m"}};

const cap_element_type cap_beam_type = {
    .name = "beam",
    .doc = "planar beam between two nodes, for motion of any size",
    .nparam = CAP_BEAM_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"viscous"},
    .rates = rates,
    .energy = energy,
};
