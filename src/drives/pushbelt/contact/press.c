/* drives/pushbelt/contact/press.c — see press.h. */
#include "drives/pushbelt/contact/press.h"
#include "drives/pushbelt/contact/press_place.h"

enum { COLUMNS = 32 }; /* derivatives worked off together */

/* ---- one place of contact ------------------------------------------------------------------------------ */

typedef struct place {
  capm_compression law;
  cap_press_place_arc arc;
  double along, back, per_thickness;
} place;

/* Both bodies as the places see them; velocities: i minus j. */
typedef struct pair {
  cap_press_place_pair at;
  cap_press_place_motion motion;
  double cj, sj, vx, vy, wi, wj;
} pair;

static pair pair_of(const cap_pose *i, const cap_pose *j)
{
  pair b = {.cj = j->c, .sj = j->s, .vx = i->vx - j->vx, .vy = i->vy - j->vy, .wi = i->w, .wj = j->w};
  b.at = cap_press_place_of(i->x - j->x, i->y - j->y, i->c, i->s, j->c, j->s);
  b.motion = cap_press_place_move(&b.at, b.vx, b.vy, b.wi, b.wj, b.cj, b.sj);
  return b;
}

/* The gap, its slopes to the pitches (those to x and y are t_j), levers of friction. */
typedef struct gap {
  double g, gi, gj, ti, tj;
  double arm;    /* (centre - r_i) . t_j */
  double reach;  /* (centre - r_j) . t_j */
  double across; /* radius cos eta where the point is held at an end of the arc; else 0 */
} gap;

static gap gap_of(const place *p, const pair *b)
{
  const cap_press_place k = cap_press_place_edge(&b->at, p->along, &p->arc);
  return (gap){.g = b->at.along + k.lever + p->back,
               .gi = k.slope,
               .gj = b->at.across - k.slope,
               .ti = k.lever,
               .tj = -(b->at.along + k.lever),
               .arm = k.arm,
               .reach = b->at.along + k.arm,
               .across = k.held};
}

/* Forces of a place: normal and friction, and what their derivatives need. */
typedef struct touch {
  double normal, tangential;
  double xi, rate;              /* penetration over t_loc; m/s */
  double stiffness, stiffening; /* N/m, N/m2; of the undamped force */
  double loss;                  /* W of the damper */
  double slip, share, steep;    /* m/s; friction over mu N, and its slope */
} touch;

static touch touch_of(const place *p, const pair *b, const gap *k, double damping, double mu, double velocity)
{
  touch r;
  r.xi = k->g * p->per_thickness;
  const capm_compression_value f = capm_compression_at(&p->law, r.xi);
  r.stiffness = f.slope * p->per_thickness;
  r.stiffening = 0.0;
  r.rate = b->motion.closing + k->gi * b->motion.turning;
  const double all = f.force + damping * r.stiffness * r.rate;
  r.normal = all > 0.0 ? all : 0.0;
  r.loss = (r.normal - f.force) * r.rate;
  r.slip = b->motion.sliding + k->ti * b->motion.turning;
  const double inverse = 1.0 / sqrt(r.slip * r.slip + velocity * velocity);
  r.share = r.slip * inverse;
  r.steep = velocity * velocity * inverse * inverse * inverse;
  r.tangential = mu * r.normal * r.share;
  return r;
}

/* ---- the element --------------------------------------------------------------------------------------- */

typedef struct joint {
  cap_pose_map map_i, map_j;
  cap_pose i, j;
  pair pair;
  place place[CAP_PRESS_POINTS];
  gap gap[CAP_PRESS_POINTS];
  touch touch[CAP_PRESS_POINTS];
  double damping, mu, velocity;
  double fx, fy, mi, mj; /* on i; on j it is (-fx, -fy) */
} joint;

static cap_press_place_arc arc_of(double height, double radius, double turn)
{
  return (cap_press_place_arc){height, radius, cos(turn), sin(turn)};
}

static place place_of(const double *par, int step)
{
  return (place){.law = capm_compression_of(par[CAP_PRESS_POINT_C * step], par[CAP_PRESS_POINT_XI0 * step],
                                            par[CAP_PRESS_POINT_K * step]),
                 .arc = arc_of(par[CAP_PRESS_POINT_HEIGHT * step], par[CAP_PRESS_POINT_RADIUS * step],
                               par[CAP_PRESS_POINT_TURN * step]),
                 .along = par[CAP_PRESS_POINT_ALONG * step],
                 .back = par[CAP_PRESS_POINT_BACK * step],
                 .per_thickness = 1.0 / par[CAP_PRESS_POINT_THICKNESS * step]};
}

static const double *param(const cap_batch *b, int k, int lane)
{
  return b->par + (long)k * CAP_PRESS_NPARAM * b->nlane + lane;
}

static void read_joint(const cap_batch *b, const cap_eval *e, int k, int lane, joint *w)
{
  int n = e->nlane;
  const double *par = param(b, k, lane);
  w->map_i = cap_pose_map_of(par + CAP_PRESS_POSE_I * n, n);
  w->map_j = cap_pose_map_of(par + CAP_PRESS_POSE_J * n, n);
  w->i = cap_pose_at(&w->map_i, e->q + b->i[k] * n + lane, e->v + b->i[k] * n + lane, n);
  w->j = cap_pose_at(&w->map_j, e->q + b->j[k] * n + lane, e->v + b->j[k] * n + lane, n);
  w->damping = par[CAP_PRESS_DAMPING * n];
  w->mu = par[CAP_PRESS_FRICTION * n];
  w->velocity = par[CAP_PRESS_VELOCITY * n];
  w->pair = pair_of(&w->i, &w->j);
  for (int m = 0; m < CAP_PRESS_POINTS; m++)
    w->place[m] = place_of(par + (CAP_PRESS_POINT + m * CAP_PRESS_POINT_NPARAM) * n, n);
}

static void evaluate(joint *w)
{
  w->fx = w->fy = w->mi = w->mj = 0.0;
  for (int m = 0; m < CAP_PRESS_POINTS; m++) {
    gap *g = &w->gap[m];
    touch *t = &w->touch[m];
    *g = gap_of(&w->place[m], &w->pair);
    *t = touch_of(&w->place[m], &w->pair, g, w->damping, w->mu, w->velocity);
    double per = w->place[m].per_thickness;
    t->stiffening = per * per * capm_compression_curvature(&w->place[m].law, t->xi, t->stiffness / per);
    w->fx += t->tangential * w->pair.sj - t->normal * w->pair.cj;
    w->fy += -t->tangential * w->pair.cj - t->normal * w->pair.sj;
    w->mi -= t->normal * g->gi + t->tangential * g->ti;
    w->mj -= t->normal * g->gj + t->tangential * g->tj;
  }
}

static void show(const cap_batch *b, cap_eval *e, int k, int lane, const joint *w)
{
  int n = e->nlane;
  const touch *edge = &w->touch[CAP_PRESS_AT_EDGE], *head = &w->touch[CAP_PRESS_AT_HEAD];
  if (e->force) {
    double *out = e->force + (b->output_adr + k * CAP_PRESS_NOUTPUT) * n + lane;
    e->force[(b->elem_adr + k) * n + lane] = edge->normal + head->normal;
    out[CAP_PRESS_EDGE * n] = edge->normal;
    out[CAP_PRESS_HEAD * n] = head->normal;
    out[CAP_PRESS_EDGE_XI * n] = edge->xi;
    out[CAP_PRESS_HEAD_XI * n] = head->xi;
    out[CAP_PRESS_FIRST * n] = cap_pose_along(&w->map_i, &w->i, w->fx, w->fy);
    out[CAP_PRESS_SECOND * n] = cap_pose_along(&w->map_j, &w->j, -w->fx, -w->fy);
    out[CAP_PRESS_X_I * n] = w->i.x;
    out[CAP_PRESS_Y_I * n] = w->i.y;
    out[CAP_PRESS_X_J * n] = w->j.x;
    out[CAP_PRESS_Y_J * n] = w->j.y;
  }
  if (e->power) {
    int at = b->npart ? b->mech_adr : b->mech_adr + k * CAP_PRESS_NLOSS; /* parts: one lane */
    double *power = e->power + at * n + lane;
    double damping = edge->loss + head->loss;
    double friction = edge->tangential * edge->slip + head->tangential * head->slip;
    if (!b->npart) power[0] = power[CAP_PRESS_LOSS_FRICTION * n] = 0.0;
    power[CAP_PRESS_LOSS_DAMPING * n] += damping;
    power[CAP_PRESS_LOSS_FRICTION * n] += friction;
  }
}

/* What the forces on i change by in one direction. */
typedef struct change {
  double fx, fy, mi, mj;
} change;

CAP_INLINE void add_change(const pair *b, const gap *g, const touch *t, double damping, double mu,
                           const cap_pose_change *di, const cap_pose_change *dj, change *f)
{
  const double x = di->x - dj->x, y = di->y - dj->y, turn = dj->pitch - di->pitch;
  const double vx = di->vx - dj->vx, vy = di->vy - dj->vy;
  const double dg = b->cj * x + b->sj * y + g->gi * di->pitch + g->gj * dj->pitch;
  const double dgi = (g->arm + g->across) * turn;
  const double dgj = b->cj * y - b->sj * x + g->arm * di->pitch - g->reach * dj->pitch - g->across * turn;
  const double along = b->cj * b->vx + b->sj * b->vy, across = b->cj * b->vy - b->sj * b->vx;
  const double rate = b->cj * vx + b->sj * vy + across * dj->pitch + g->gi * di->w + g->gj * dj->w +
                      dgi * b->wi + dgj * b->wj;
  const double pressed = t->normal > 0.0 ? 1.0 : 0.0;
  const double normal = pressed *
                        (t->stiffness * dg + damping * (t->stiffening * dg * t->rate + t->stiffness * rate));
  /* levers of friction: arm . t_j turns with both pitches, (point - r_j) . t_j is g - back */
  const double dti = -g->gi * turn, dtj = -dg;
  const double slip = b->cj * vy - b->sj * vx - along * dj->pitch + g->ti * di->w + g->tj * dj->w +
                      dti * b->wi + dtj * b->wj;
  const double tangential = mu * (normal * t->share + t->normal * t->steep * slip);
  f->fx += tangential * b->sj - normal * b->cj + (t->tangential * b->cj + t->normal * b->sj) * dj->pitch;
  f->fy += -tangential * b->cj - normal * b->sj + (t->tangential * b->sj - t->normal * b->cj) * dj->pitch;
  f->mi -= normal * g->gi + t->normal * dgi + tangential * g->ti + t->tangential * dti;
  f->mj -= normal * g->gj + t->normal * dgj + tangential * g->tj + t->tangential * dtj;
}

/* Directions, one array a quantity. */
typedef struct directions {
  double x[COLUMNS], y[COLUMNS], pitch[COLUMNS], vx[COLUMNS], vy[COLUMNS], w[COLUMNS];
} directions;

CAP_INLINE void read_directions(const cap_pose_map *m, const cap_pose *p, const cap_eval *e, int dof,
                                int lane, int first, int count, directions *d)
{
  long step = (long)e->ncol * e->nlane, at = dof * step + (long)first * e->nlane + lane;
  for (int c = 0; c < count; c++, at += e->nlane) {
    const cap_pose_change k = cap_pose_turn(m, p, e->dq + at, e->dv + at, step);
    d->x[c] = k.x, d->y[c] = k.y, d->pitch[c] = k.pitch;
    d->vx[c] = k.vx, d->vy[c] = k.vy, d->w[c] = k.w;
  }
}

CAP_INLINE cap_pose_change direction(const directions *d, int c)
{
  return (cap_pose_change){d->x[c], d->y[c], d->pitch[c], d->vx[c], d->vy[c], d->w[c]};
}

/* Of `count` directions the change of the forces on i. */
CAP_INLINE void change_row(const joint *w, const directions *di, const directions *dj, int count,
                           double *restrict fx, double *restrict fy, double *restrict mi, double *restrict mj)
{
  CAP_EACH_LANE(c, count)
  {
    const cap_pose_change a = direction(di, c), b = direction(dj, c);
    change f = {0};
    add_change(&w->pair, &w->gap[0], &w->touch[0], w->damping, w->mu, &a, &b, &f);
    add_change(&w->pair, &w->gap[1], &w->touch[1], w->damping, w->mu, &a, &b, &f);
    fx[c] = f.fx, fy[c] = f.fy, mi[c] = f.mi, mj[c] = f.mj;
  }
}

CAP_CLONES static void tangents(const cap_batch *b, cap_eval *e, int k, int lane, const joint *w)
{
  directions di, dj;
  double fx[COLUMNS], fy[COLUMNS], mi[COLUMNS], mj[COLUMNS];
  long step = (long)e->ncol * e->nlane;
  for (int first = 0; first < e->ncol; first += COLUMNS) {
    int count = e->ncol - first < COLUMNS ? e->ncol - first : COLUMNS;
    read_directions(&w->map_i, &w->i, e, b->i[k], lane, first, count, &di);
    read_directions(&w->map_j, &w->j, e, b->j[k], lane, first, count, &dj);
    change_row(w, &di, &dj, count, fx, fy, mi, mj);
    for (int c = 0; c < count; c++) {
      long at = (long)(first + c) * e->nlane + lane;
      const cap_pose_change a = direction(&di, c), d = direction(&dj, c);
      cap_pose_push_turn(&w->map_i, &w->i, &a, w->fx, w->fy, fx[c], fy[c], mi[c], e->dh + b->i[k] * step + at,
                         step);
      cap_pose_push_turn(&w->map_j, &w->j, &d, -w->fx, -w->fy, -fx[c], -fy[c], mj[c],
                         e->dh + b->j[k] * step + at, step);
    }
  }
}

static void rates(const cap_batch *b, cap_eval *e)
{
  int n = e->nlane;
  if (e->power && b->npart) e->power[b->mech_adr] = e->power[b->mech_adr + 1] = 0.0;
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < n; lane++) {
      joint w;
      read_joint(b, e, k, lane, &w);
      evaluate(&w);
      cap_pose_push(&w.map_i, &w.i, w.fx, w.fy, w.mi, e->h + b->i[k] * n + lane, n);
      cap_pose_push(&w.map_j, &w.j, -w.fx, -w.fy, w.mj, e->h + b->j[k] * n + lane, n);
      show(b, e, k, lane, &w);
      if (e->ncol) tangents(b, e, k, lane, &w);
    }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < e->nlane; lane++) {
      joint w;
      read_joint(b, e, k, lane, &w);
      for (int m = 0; m < CAP_PRESS_POINTS; m++) {
        const place *p = &w.place[m];
        double xi = gap_of(p, &w.pair).g * p->per_thickness;
        stored[lane] += capm_compression_energy(&p->law, xi) / p->per_thickness;
      }
    }
}

static int reach(const cap_batch *b, int k, int coords[CAP_REACH_MOST])
{
  const cap_pose_map i = cap_pose_map_of(param(b, k, 0) + CAP_PRESS_POSE_I * b->nlane, b->nlane);
  const cap_pose_map j = cap_pose_map_of(param(b, k, 0) + CAP_PRESS_POSE_J * b->nlane, b->nlane);
  int n = 0;
  for (int c = 0; c < cap_pose_ncoord(&i); c++) coords[n++] = b->i[k] + c;
  for (int c = 0; c < cap_pose_ncoord(&j); c++) coords[n++] = b->j[k] + c;
  return n;
}

#define POSE_PARAMS                                                                                          \
  {"hinged", "1"}, {"hinge x", "m"}, {"hinge y", "m"}, {"side of the hinge", "1"},                           \
  {                                                                                                          \
    "offset", "m"                                                                                            \
  }
#define POINT_PARAMS                                                                                         \
  {"along", "m"}, {"height", "m"}, {"radius", "m"}, {"extent", "rad"}, {"back", "m"}, {"thickness", "m"},    \
      {"stiffness", "N"}, {"transition", "1"},                                                               \
  {                                                                                                          \
    "nonlinearity", "1"                                                                                      \
  }

static const cap_param params[] = {POSE_PARAMS,      POSE_PARAMS,       POINT_PARAMS,       POINT_PARAMS,
                                   {"damping", "s"}, {"friction", "1"}, {"velocity", "m/s"}};

const cap_element_type cap_press_type = {
    .name = "press",
    .doc = "contact of an element of a pushbelt with the next one, at rocking edge and head",
    .nparam = CAP_PRESS_NPARAM,
    .params = params,
    .noutput = CAP_PRESS_NOUTPUT,
    .nmech = CAP_PRESS_NLOSS,
    .mech_name = {"damping", "friction"},
    .wide = true,
    .rates = rates,
    .reach = reach,
    .energy = energy,
};

/* ---- the gauge ----------------------------------------------------------------------------------------- */

static void gauge(const cap_batch *b, cap_eval *e)
{
  if (!e->force) return;
  const cap_batch *presses = b + b->reads[0];
  int n = e->nlane;
  for (int lane = 0; lane < n; lane++) {
    double *out = e->force + b->output_adr * n + lane;
    double edge = 0.0, head = 0.0, open = 0.0, least = INFINITY, most = 0.0;
    for (int k = 0; k < presses->n; k++) {
      const double *of = e->force + (presses->output_adr + k * CAP_PRESS_NOUTPUT) * n + lane;
      double here = of[CAP_PRESS_EDGE * n] + of[CAP_PRESS_HEAD * n];
      edge += of[CAP_PRESS_EDGE * n];
      head += of[CAP_PRESS_HEAD * n];
      open += of[CAP_PRESS_HEAD_XI * n] < 0.0;
      least = fmin(least, here);
      most = fmax(most, here);
    }
    e->force[b->elem_adr * n + lane] = 0.0;
    out[CAP_PRESS_GAUGE_EDGE * n] = edge / presses->n;
    out[CAP_PRESS_GAUGE_HEAD * n] = head / presses->n;
    out[CAP_PRESS_GAUGE_SHARE * n] = edge + head > 0.0 ? head / (edge + head) : 0.0;
    out[CAP_PRESS_GAUGE_OPEN * n] = open / presses->n;
    out[CAP_PRESS_GAUGE_LEAST * n] = least;
    out[CAP_PRESS_GAUGE_MOST * n] = most;
  }
}

static int gauge_reach(const cap_batch *b, int k, int coords[CAP_REACH_MOST])
{
  (void)b, (void)k, (void)coords;
  return 0;
}

const cap_element_type cap_press_gauge_type = {
    .name = "joint sensor",
    .doc = "means and shares over all joints of a stack of elements; no force",
    .noutput = CAP_PRESS_GAUGE_NOUTPUT,
    .wide = true,
    .rates = gauge,
    .reach = gauge_reach,
};

/* ---- rows ---------------------------------------------------------------------------------------------- */

enum { XI, YI, PI_, XJ, YJ, PJ, COORDS };

static void read_rows(const cap_contact_batch *b, int k, const double *q, pair *w, gap *g)
{
  const int *at = b->coord + k * COORDS;
  const double *par = b->par + k * CAP_PRESS_CONTACT_NPARAM;
  const place p = {.arc = arc_of(par[CAP_PRESS_CONTACT_HEIGHT], par[CAP_PRESS_CONTACT_RADIUS],
                                 par[CAP_PRESS_CONTACT_TURN]),
                   .along = par[CAP_PRESS_CONTACT_ALONG],
                   .back = par[CAP_PRESS_CONTACT_BACK]};
  const cap_pose i = {
      .x = q[at[XI]], .y = q[at[YI]], .pitch = q[at[PI_]], .c = cos(q[at[PI_]]), .s = sin(q[at[PI_]])};
  const cap_pose j = {
      .x = q[at[XJ]], .y = q[at[YJ]], .pitch = q[at[PJ]], .c = cos(q[at[PJ]]), .s = sin(q[at[PJ]])};
  *w = pair_of(&i, &j);
  *g = gap_of(&p, w);
}

static void set_row(double *J, double x, double y, double i, double j)
{
  J[XI] = x, J[YI] = y, J[PI_] = i;
  J[XJ] = -x, J[YJ] = -y, J[PJ] = j;
}

static void contact_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                         const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    pair w;
    gap g;
    read_rows(b, first + k, q, &w, &g);
    set_row(rows[k].J[0], -w.cj, -w.sj, -g.gi, -g.gj);
    set_row(rows[k].J[1], -w.sj, w.cj, g.ti, g.tj);
    rows[k].gap[0] = -g.g;
  }
}

static void contact_turn(const cap_contact_batch *b, int first, int count, double t, const double *q,
                         const double *x, const cap_contact_rows *rows, double dt, const double *dq,
                         const double *dx, int stride, cap_contact_rows *drows)
{
  (void)t, (void)x, (void)dt, (void)dx, (void)rows;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + (first + k) * COORDS;
    pair w;
    gap g;
    read_rows(b, first + k, q, &w, &g);
    const double pi = dq[at[PI_] * stride], pj = dq[at[PJ] * stride], turn = pj - pi;
    const double mx = dq[at[XI] * stride] - dq[at[XJ] * stride];
    const double my = dq[at[YI] * stride] - dq[at[YJ] * stride];
    const double dg = w.cj * mx + w.sj * my + g.gi * pi + g.gj * pj;
    const double dgi = (g.arm + g.across) * turn;
    const double dgj = w.cj * my - w.sj * mx + g.arm * pi - g.reach * pj - g.across * turn;
    set_row(drows[k].J[0], w.sj * pj, -w.cj * pj, -dgi, -dgj);
    set_row(drows[k].J[1], -w.cj * pj, -w.sj * pj, -g.gi * turn, -dg);
    drows[k].gap[0] = -dg;
  }
}

const cap_contact_type cap_press_contact_type = {
    .name = "press",
    .doc = "contact of an element of a pushbelt with the next one, at rocking edge or head",
    .nparam = CAP_PRESS_CONTACT_NPARAM,
    .ncoord = COORDS,
    .nrow = 2,
    .normal = true,
    .ngap = 1,
    .lift = {CAP_CONTACT_SPREAD},
    .row_name = {"normal", "tangential"},
    .rows = contact_rows,
    .turn = contact_turn,
};
