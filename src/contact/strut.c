/* contact/strut.c — see strut.h. */
#include "contact/strut.h"
#include "contact/planar.h"

typedef struct strut {
  int at[2];                       /* first coordinates of the bodies */
  double k, c, rest;               /* N/m, N s/m, m */
  double arm[2][2], turn[2];       /* m; rad/s */
  double u[2], w[2], length, rate; /* direction from j to i, velocity of i's point against j's; m, m/s */
  double force;                    /* N */
} strut;

/* Of one array with columns: value of coordinate `dof`. */
static double pick(const double *a, int dof, int stride, int at)
{
  return a[(long)dof * stride + at];
}

static void read_strut(const cap_batch *b, const cap_eval *e, int n, int lane, strut *s)
{
  int nlane = e->nlane;
  const double *par = b->par + (long)n * CAP_STRUT_NPARAM * nlane + lane;
  double d[2] = {0.0, 0.0};
  *s = (strut){.at = {b->i[n], b->j[n]},
               .k = par[CAP_STRUT_K * nlane],
               .c = par[CAP_STRUT_C * nlane],
               .rest = par[CAP_STRUT_LENGTH * nlane]};
  for (int body = 0; body < 2; body++) {
    const double *own = par + (body ? CAP_STRUT_BX : CAP_STRUT_AX) * nlane, sign = body ? -1.0 : 1.0;
    double phi = pick(e->q, s->at[body] + 2, nlane, lane);
    s->turn[body] = e->v ? pick(e->v, s->at[body] + 2, nlane, lane) : 0.0;
    cap_planar_arm(phi, own[0], own[nlane], s->arm[body]);
    for (int i = 0; i < 2; i++) {
      double swing = i ? s->arm[body][0] : -s->arm[body][1];
      d[i] += sign * (pick(e->q, s->at[body] + i, nlane, lane) + s->arm[body][i]);
      if (e->v) s->w[i] += sign * (pick(e->v, s->at[body] + i, nlane, lane) + s->turn[body] * swing);
    }
  }
  s->length = sqrt(d[0] * d[0] + d[1] * d[1]);
  for (int i = 0; i < 2; i++) s->u[i] = s->length > 0.0 ? d[i] / s->length : 0.0;
  s->rate = s->u[0] * s->w[0] + s->u[1] * s->w[1];
  s->force = s->k * (s->length - s->rest) + s->c * s->rate;
}

/* The force f along u on the bodies, and its change along a direction of which the arms turn by dturn. */
static void pull(const strut *s, const double f[2], double *h, int stride, int at)
{
  for (int body = 0; body < 2; body++) {
    double sign = body ? 1.0 : -1.0;
    for (int i = 0; i < 2; i++) h[(long)(s->at[body] + i) * stride + at] += sign * f[i];
    h[(long)(s->at[body] + 2) * stride + at] += sign * (s->arm[body][0] * f[1] - s->arm[body][1] * f[0]);
  }
}

static void tangent(const strut *s, cap_eval *e, int column, int lane)
{
  int stride = e->ncol * e->nlane, at = column * e->nlane + lane;
  double dd[2] = {0.0, 0.0}, dw[2] = {0.0, 0.0}, darm[2][2], du[2], df[2];
  for (int body = 0; body < 2; body++) {
    double sign = body ? -1.0 : 1.0, turned = pick(e->dq, s->at[body] + 2, stride, at);
    double spun = pick(e->dv, s->at[body] + 2, stride, at);
    darm[body][0] = -turned * s->arm[body][1];
    darm[body][1] = turned * s->arm[body][0];
    for (int i = 0; i < 2; i++) {
      double swing = i ? s->arm[body][0] : -s->arm[body][1], dswing = i ? darm[body][0] : -darm[body][1];
      dd[i] += sign * (pick(e->dq, s->at[body] + i, stride, at) + darm[body][i]);
      dw[i] += sign * (pick(e->dv, s->at[body] + i, stride, at) + spun * swing + s->turn[body] * dswing);
    }
  }
  double dlength = s->u[0] * dd[0] + s->u[1] * dd[1], drate = s->u[0] * dw[0] + s->u[1] * dw[1];
  for (int i = 0; i < 2; i++) {
    du[i] = s->length > 0.0 ? (dd[i] - s->u[i] * dlength) / s->length : 0.0;
    drate += du[i] * s->w[i];
  }
  double dforce = s->k * dlength + s->c * drate;
  for (int i = 0; i < 2; i++) df[i] = dforce * s->u[i] + s->force * du[i];
  pull(s, df, e->dh, stride, at);
  for (int body = 0; body < 2; body++) { /* the force on arms that turn */
    double sign = body ? 1.0 : -1.0, fx = s->force * s->u[0], fy = s->force * s->u[1];
    e->dh[(long)(s->at[body] + 2) * stride + at] += sign * (darm[body][0] * fy - darm[body][1] * fx);
  }
}

static void rates(const cap_batch *b, cap_eval *e)
{
  int nlane = e->nlane;
  for (int n = 0; n < b->n; n++)
    for (int lane = 0; lane < nlane; lane++) {
      strut s;
      read_strut(b, e, n, lane, &s);
      const double f[2] = {s.force * s.u[0], s.force * s.u[1]};
      pull(&s, f, e->h, nlane, lane);
      if (e->force) {
        e->force[(b->elem_adr + n) * nlane + lane] = s.force;
        e->force[(b->output_adr + n * CAP_STRUT_NOUTPUT + CAP_STRUT_APART) * nlane + lane] = s.length;
      }
      if (e->power) e->power[(b->mech_adr + n) * nlane + lane] = s.c * s.rate * s.rate;
      for (int column = 0; column < e->ncol; column++) tangent(&s, e, column, lane);
    }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int n = 0; n < b->n; n++)
    for (int lane = 0; lane < e->nlane; lane++) {
      strut s;
      read_strut(b, e, n, lane, &s);
      stored[lane] += 0.5 * s.k * (s.length - s.rest) * (s.length - s.rest);
    }
}

static const cap_param params[] = {{"attachment point on the first body, x", "m"},
                                   {"attachment point on the first body, y", "m"},
                                   {"attachment point on the second body, x", "m"},
                                   {"attachment point on the second body, y", "m"},
                                   {"stiffness", "N/m"},
                                   {"damping", "N s/m"},
                                   {"free length", "m"}};

const cap_element_type cap_strut_type = {
    .name = "strut",
    .doc = "spring and damper between points of two planar bodies",
    .nparam = CAP_STRUT_NPARAM,
    .params = params,
    .nmech = 1,
    .noutput = CAP_STRUT_NOUTPUT,
    .mech_name = {"viscous"},
    .wide = true,
    .rates = rates,
    .energy = energy,
};
