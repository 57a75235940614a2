/* laws/beam.h — a planar beam between two nodes: co-rotational, with bow strain.
 *
 * Maths: docs/theory.md §25. Of the nodes' places the beam sees its chord (length L, angle a) and the turns
 * of its ends against the chord, th = phi - a; rigid motion therefore strains nothing, whatever its size.
 *     beta = (2 th1^2 - th1 th2 + 2 th2^2)/30,   b = beta (1 + 0.7 beta)      (bow: the curve over its chord)
 *     e    = (L (1 + b) - l)/l
 *     U    = EA l e^2/2 + EI (4 th1^2 + 4 th1 th2 + 4 th2^2)/(2 l) + EI kappa (th1 - th2) + const
 *     N    = EA e + axial e',   M1 = EI (4 th1 + 2 th2)/l + EI kappa + bending (4 th1' + 2 th2')/l,
 *                               M2 alike
 * 0.7 beta^2 makes an arc of a circle right to the sixth power of its angle. Forces follow by virtual work,
 * so that N also acts through the slope of the bow: stress stiffening. All functions are straight-line code:
 * they vectorise over elements, lanes or columns of derivatives.
 */
#pragma once
#include "laws/angle.h"

typedef struct capm_beam {
  double EA, EI;         /* N, N m2 */
  double length;         /* m, along the unstrained beam */
  double axial, bending; /* N s, N m2 s: Kelvin-Voigt */
  double curvature;      /* 1/m of the unstrained beam, positive where phi grows along it */
} capm_beam;

/* What the two nodes have between them: second minus first place, and their angles. Also rates,
 * directions of derivatives, and the forces that go with them. */
typedef struct capm_beam_ends {
  double x, y;       /* m */
  double phi1, phi2; /* rad */
} capm_beam_ends;

typedef struct capm_beam_state {
  double chord, per_chord, per_length, cosine, sine; /* m, 1/m, 1/m of the unstrained length */
  double th1, th2, strain;                           /* rad, rad, 1 */
  double arc, b1, b2, bend;                          /* 1 + b, its slopes to th1 and th2; d b/d beta */
  double stretch, turn;                              /* rates of the chord's length (m/s) and angle (rad/s) */
  double th1_rate, th2_rate, strain_rate;
  double force, pull;   /* N: axial, tension positive; of it along the chord */
  double m1, m2, shear; /* N m: conjugate to th1, th2, with the bow's share; N: (m1 + m2)/L */
} capm_beam_state;

/* With the angle of the chord, which is a long chain of operations: loops over beams may find all of them
 * first. */
static inline void capm_beam_deform_at(const capm_beam *p, capm_beam_ends q, double angle, capm_beam_state *s)
{
  s->chord = sqrt(q.x * q.x + q.y * q.y);
  s->per_chord = 1.0 / s->chord;
  s->per_length = 1.0 / p->length;
  s->cosine = q.x * s->per_chord;
  s->sine = q.y * s->per_chord;
  s->th1 = capm_angle_wrap(q.phi1 - angle);
  s->th2 = capm_angle_wrap(q.phi2 - angle);
  const double b1 = (4.0 * s->th1 - s->th2) * (1.0 / 30.0), b2 = (4.0 * s->th2 - s->th1) * (1.0 / 30.0);
  const double beta = 0.5 * (b1 * s->th1 + b2 * s->th2);
  s->arc = 1.0 + beta * (1.0 + 0.7 * beta);
  s->bend = 1.0 + 1.4 * beta;
  s->b1 = s->bend * b1;
  s->b2 = s->bend * b2;
  s->strain = (s->chord * s->arc - p->length) * s->per_length;
}

static inline void capm_beam_deform(const capm_beam *p, capm_beam_ends q, capm_beam_state *s)
{
  capm_beam_deform_at(p, q, capm_angle_of(q.y, q.x), s);
}

/* Rates of the deformations, after capm_beam_deform. */
static inline void capm_beam_flow(capm_beam_ends v, capm_beam_state *s)
{
  s->stretch = s->cosine * v.x + s->sine * v.y;
  s->turn = (s->cosine * v.y - s->sine * v.x) * s->per_chord;
  s->th1_rate = v.phi1 - s->turn;
  s->th2_rate = v.phi2 - s->turn;
  s->strain_rate = (s->stretch * s->arc + s->chord * (s->b1 * s->th1_rate + s->b2 * s->th2_rate)) *
                   s->per_length;
}

/* Generalised forces that resist, conjugate to the ends: on the second node (x, y), on the first the
 * opposite; moments on each node. */
static inline capm_beam_ends capm_beam_forces(const capm_beam *p, capm_beam_state *s)
{
  const double stiff = 2.0 * p->EI * s->per_length, viscous = 2.0 * p->bending * s->per_length;
  const double set = p->EI * p->curvature;
  s->force = p->EA * s->strain + p->axial * s->strain_rate;
  s->pull = s->force * s->arc;
  const double lever = s->chord * s->force;
  s->m1 = stiff * (2.0 * s->th1 + s->th2) + viscous * (2.0 * s->th1_rate + s->th2_rate) + set + lever * s->b1;
  s->m2 = stiff * (s->th1 + 2.0 * s->th2) + viscous * (s->th1_rate + 2.0 * s->th2_rate) - set + lever * s->b2;
  s->shear = (s->m1 + s->m2) * s->per_chord;
  return (capm_beam_ends){s->pull * s->cosine + s->shear * s->sine, s->pull * s->sine - s->shear * s->cosine,
                          s->m1, s->m2};
}

/* Their derivative along the direction (dq, dv), after capm_beam_forces. */
static inline capm_beam_ends capm_beam_tangent(const capm_beam *p, const capm_beam_state *s,
                                               capm_beam_ends dq, capm_beam_ends dv)
{
  const double stiff = 2.0 * p->EI * s->per_length, viscous = 2.0 * p->bending * s->per_length;
  const double chord = s->cosine * dq.x + s->sine * dq.y;
  const double angle = (s->cosine * dq.y - s->sine * dq.x) * s->per_chord;
  const double th1 = dq.phi1 - angle, th2 = dq.phi2 - angle;
  const double beta = (s->b1 * th1 + s->b2 * th2) / s->bend, arc = s->bend * beta,
               bend = 1.4 * beta / s->bend;
  const double b1 = s->bend * (4.0 * th1 - th2) * (1.0 / 30.0) + s->b1 * bend;
  const double b2 = s->bend * (4.0 * th2 - th1) * (1.0 / 30.0) + s->b2 * bend;
  const double strain = (chord * s->arc + s->chord * arc) * s->per_length;

  const double stretch = angle * s->turn * s->chord + s->cosine * dv.x + s->sine * dv.y;
  const double turn = (s->cosine * dv.y - s->sine * dv.x - angle * s->stretch - s->turn * chord) *
                      s->per_chord;
  const double th1_rate = dv.phi1 - turn, th2_rate = dv.phi2 - turn;
  const double bow_rate = s->b1 * s->th1_rate + s->b2 * s->th2_rate;
  const double strain_rate = (stretch * s->arc + s->stretch * arc + chord * bow_rate +
                              s->chord * (s->b1 * th1_rate + s->b2 * th2_rate + b1 * s->th1_rate +
                                          b2 * s->th2_rate)) *
                             s->per_length;

  const double force = p->EA * strain + p->axial * strain_rate;
  const double lever = s->chord * s->force, lever_change = chord * s->force + s->chord * force;
  const double m1 = stiff * (2.0 * th1 + th2) + viscous * (2.0 * th1_rate + th2_rate) + lever_change * s->b1 +
                    lever * b1;
  const double m2 = stiff * (th1 + 2.0 * th2) + viscous * (th1_rate + 2.0 * th2_rate) + lever_change * s->b2 +
                    lever * b2;
  const double shear = (m1 + m2 - s->shear * chord) * s->per_chord, pull = force * s->arc + s->force * arc;
  const double across = pull + s->shear * angle, along = shear - s->pull * angle;
  return (capm_beam_ends){across * s->cosine + along * s->sine, across * s->sine - along * s->cosine, m1, m2};
}

/* Stored energy, J; zero for the unstrained beam. */
static inline double capm_beam_energy(const capm_beam *p, const capm_beam_state *s)
{
  const double half = 0.5 * p->curvature * p->length, t1 = s->th1 + half, t2 = s->th2 - half;
  return 0.5 * p->EA * p->length * s->strain * s->strain +
         2.0 * p->EI * s->per_length * (t1 * t1 + t1 * t2 + t2 * t2);
}

/* Power that damping takes, W. */
static inline double capm_beam_loss(const capm_beam *p, const capm_beam_state *s)
{
  const double r1 = s->th1_rate, r2 = s->th2_rate;
  return p->axial * p->length * s->strain_rate * s->strain_rate +
         4.0 * p->bending * s->per_length * (r1 * r1 + r1 * r2 + r2 * r2);
}
