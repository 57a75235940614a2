/* elements/beam.c — the planar beam of the program (belt segment, ring, strip).
 *
 * Maths: docs/theory.md §25 and laws/beam.h. Elements and lanes are counted through as one row of pairs,
 * (element, lane) with the lane innermost, and worked off in blocks of sixteen pairs (two vector registers,
 * whose chains of operations overlap): what the nodes have is gathered, the law runs over the block in vector
 * registers (a chain of one lane and an ensemble alike, so that their bits are the same), and the forces are
 * added to the nodes pair by pair, as neighbours share them. Equal beams of one lane (a belt) go another way:
 * where each begins at the node where the one before ends, a node is read and written once. The sums are the
 * same.
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

/* Of one pair: parameters, relative places and their rates. */
CAP_INLINE void gather_pair(const cap_batch *b, const cap_eval *e, block *k, int l, int element, int lane,
                            int nlane)
{
  const double *par = b->par + (long)element * CAP_BEAM_NPARAM * nlane + lane;
  const double *qi = e->q + b->i[element] * nlane + lane, *qj = e->q + b->j[element] * nlane + lane;
  const double *vi = e->v + b->i[element] * nlane + lane, *vj = e->v + b->j[element] * nlane + lane;
  k->element[l] = element;
  k->lane[l] = lane;
  k->EA[l] = par[CAP_BEAM_EA * nlane];
  k->EI[l] = par[CAP_BEAM_EI * nlane];
  k->length[l] = par[CAP_BEAM_LENGTH * nlane];
  k->axial[l] = par[CAP_BEAM_AXIAL * nlane];
  k->bending[l] = par[CAP_BEAM_BENDING * nlane];
  k->curvature[l] = par[CAP_BEAM_CURVATURE * nlane];
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

enum { LONG = 64, LANES = 8 }; /* beams worked off together, in so many lanes at a time */

typedef struct chain {
  int count, at[LONG + 1]; /* beams; first coordinates of the nodes */
  double x[LONG + 1], y[LONG + 1], phi[LONG + 1], vx[LONG + 1], vy[LONG + 1], omega[LONG + 1];
  double angle[LONG];
  double fx[LONG], fy[LONG], moment1[LONG], moment2[LONG], force[LONG], loss[LONG];
} chain;

/* The beams from `first` on, as far as each begins where the one before ends. What fills up the last lanes
 * makes no trouble. */
CAP_INLINE void gather_chain(const cap_batch *b, const cap_eval *e, chain *k, int first)
{
  const int *i = b->i + first, *j = b->j + first;
  int most = b->n - first < LONG ? b->n - first : LONG, count = 1;
  while (count < most && j[count - 1] == i[count]) count++;
  for (int l = 0; l <= count; l++) {
    int at = l < count ? i[l] : j[count - 1];
    const double *q = e->q + at, *v = e->v + at;
    k->at[l] = at;
    k->x[l] = q[0], k->y[l] = q[1], k->phi[l] = q[2];
    k->vx[l] = v[0], k->vy[l] = v[1], k->omega[l] = v[2];
  }
  for (int l = count; l % LANES; l++) {
    k->x[l + 1] = k->x[l] + 1.0, k->y[l + 1] = k->y[l], k->phi[l + 1] = 0.0;
    k->vx[l + 1] = k->vy[l + 1] = k->omega[l + 1] = 0.0;
  }
  k->count = count;
}

/* The chains of operations are long: in two loops those of neighbouring lanes overlap. */
CAP_INLINE void find_angles(chain *restrict k, int c)
{
  CAP_EACH_LANE(l, LANES)
  k->angle[c + l] = capm_angle_of(k->y[c + l + 1] - k->y[c + l], k->x[c + l + 1] - k->x[c + l]);
}

CAP_INLINE void evaluate_chain(chain *restrict k, int c, const capm_beam *all)
{
  CAP_EACH_LANE(m, LANES)
  {
    const int l = c + m;
    const capm_beam p = *all;
    const capm_beam_ends q = {k->x[l + 1] - k->x[l], k->y[l + 1] - k->y[l], k->phi[l], k->phi[l + 1]};
    const capm_beam_ends v = {k->vx[l + 1] - k->vx[l], k->vy[l + 1] - k->vy[l], k->omega[l], k->omega[l + 1]};
    capm_beam_state s;
    capm_beam_deform_at(&p, q, k->angle[l], &s);
    capm_beam_flow(v, &s);
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
CAP_INLINE void scatter_chain(const chain *k, double *h)
{
  for (int l = 0; l <= k->count; l++) {
    double *at = h + k->at[l], x = at[0], y = at[1], phi = at[2];
    if (l > 0) x -= k->fx[l - 1], y -= k->fy[l - 1], phi -= k->moment2[l - 1];
    if (l < k->count) x += k->fx[l], y += k->fy[l], phi -= k->moment1[l];
    at[0] = x, at[1] = y, at[2] = phi;
  }
}

/* Lane by lane, so that the order of the sum is the same for every width of the registers. */
CAP_INLINE double sum_losses(chain *k)
{
  double lanes[LANES] = {0}, sum = 0.0;
  for (int l = k->count; l % LANES; l++) k->loss[l] = 0.0;
  for (int c = 0; c < k->count; c += LANES) CAP_EACH_LANE(l, LANES) lanes[l] += k->loss[c + l];
  for (int l = 0; l < LANES; l++) sum += lanes[l];
  return sum;
}

CAP_INLINE void show_chain(const cap_batch *b, cap_eval *e, chain *k, int first)
{
  for (int l = 0; e->force && l < k->count; l++) e->force[b->elem_adr + first + l] = k->force[l];
  if (!e->power) return;
  if (b->npart) e->power[b->mech_adr] += sum_losses(k);
  else
    for (int l = 0; l < k->count; l++) e->power[b->mech_adr + first + l] = k->loss[l];
}

/* Beams of one lane with the same parameters. */
CAP_INLINE void chain_rates(const cap_batch *b, cap_eval *e)
{
  const double *par = b->par;
  const capm_beam all = {par[CAP_BEAM_EA],    par[CAP_BEAM_EI],      par[CAP_BEAM_LENGTH],
                         par[CAP_BEAM_AXIAL], par[CAP_BEAM_BENDING], par[CAP_BEAM_CURVATURE]};
  chain k;
  for (int first = 0; first < b->n; first += k.count) {
    gather_chain(b, e, &k, first);
    for (int c = 0; c < k.count; c += LANES) find_angles(&k, c);
    for (int c = 0; c < k.count; c += LANES) evaluate_chain(&k, c, &all);
    scatter_chain(&k, e->h);
    show_chain(b, e, &k, first);
  }
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  block k;
  if (e->power && b->npart) e->power[b->mech_adr] = 0.0;
  for (int first = 0; first < b->n * nlane; first += WIDE) {
    gather(b, e, &k, first, nlane);
    if (e->ncol) evaluate(&k, true);
    else evaluate(&k, false);
    scatter(b, e, &k, nlane);
    if (e->ncol) tangents(b, e, &k, nlane);
  }
}

CAP_CLONES static void rates(const cap_batch *b, cap_eval *e)
{
  if (b->uniform && !e->ncol) {
    if (e->power && b->npart) e->power[b->mech_adr] = 0.0;
    chain_rates(b, e);
    return;
  }
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

static int reach(const cap_batch *b, int k, int coords[CAP_REACH_MOST])
{
  for (int c = 0; c < 3; c++) coords[c] = b->i[k] + c, coords[3 + c] = b->j[k] + c;
  return 6;
}

static const cap_param params[] = {
    {"axial stiffness EA", "N"}, {"bending stiffness EI", "N m2"}, {"length", "m"},
    {"axial damping", "N s"},    {"bending damping", "N m2 s"},    {"curvature", "1/m"}};

const cap_element_type cap_beam_type = {
    .name = "beam",
    .doc = "planar beam between two nodes, for large displacements and rotations",
    .nparam = CAP_BEAM_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"viscous"},
    .wide = true,
    .rates = rates,
    .reach = reach,
    .energy = energy,
};
