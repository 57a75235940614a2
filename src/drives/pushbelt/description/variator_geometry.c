/* drives/pushbelt/description/variator_geometry.c — see variator_geometry.h. */
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/ring/ring_layout.h"

#include <math.h>

cap_variator_line cap_variator_geometry_around(double primary, double secondary, double centre_distance)
{
  double rise = asin((secondary - primary) / centre_distance);
  return (cap_variator_line){.r = {primary, secondary},
                             .wrap = {M_PI - 2.0 * rise, M_PI + 2.0 * rise},
                             .strand = centre_distance * cos(rise),
                             .rise = rise};
}

/* The curve of the ring's models has its own secondary pulley at the origin, where our primary is. */
cap_variator_line cap_variator_geometry_line(double length, double centre_distance, double ratio)
{
  cap_ring_layout l = cap_ring_layout_of(length, centre_distance, (ratio - 1.0) / (ratio + 1.0));
  return cap_variator_geometry_around(l.r_s, l.r_p, centre_distance);
}

cap_variator_line cap_variator_geometry_beside(const cap_variator_line *line, double out)
{
  cap_variator_line beside = *line;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) beside.r[p] += out;
  return beside;
}

double cap_variator_geometry_length(const cap_variator_line *line)
{
  double length = 2.0 * line->strand;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) length += line->r[p] * line->wrap[p];
  return length;
}

double cap_variator_geometry_ring_height(const cap_variator *v)
{
  return v->element.saddle + 0.5 * v->ring_thickness;
}

double cap_variator_geometry_ring_over_edge(const cap_variator *v)
{
  return cap_variator_geometry_ring_height(v) - v->element.edge;
}

double cap_variator_geometry_scaled(double thickness, double iota, double correction)
{
  return iota * thickness - correction * (iota - 1.0);
}

double cap_variator_geometry_joints(const cap_variator *v)
{
  return v->stacked ? v->iota : 1.0;
}

double cap_variator_geometry_edge_thickness(const cap_variator *v, int k)
{
  if (v->thickness) return v->thickness[k];
  return cap_variator_geometry_scaled(v->element.thickness, v->iota, v->edge_correction);
}

/* An element that is thicker than the others is so everywhere. */
double cap_variator_geometry_head_thickness(const cap_variator *v, int k)
{
  double more = v->iota * (v->element.head_thickness - v->element.thickness);
  return cap_variator_geometry_edge_thickness(v, k) + more;
}

double cap_variator_geometry_stack(const cap_variator *v)
{
  double sum = 0.0;
  for (int k = 0; k < v->simulated; k++) sum += cap_variator_geometry_edge_thickness(v, k);
  return sum;
}

double cap_variator_geometry_endplay(const cap_variator *v)
{
  return v->ring_length - 2.0 * M_PI * cap_variator_geometry_ring_over_edge(v) -
         cap_variator_geometry_stack(v);
}

bool cap_variator_geometry_ratios(const cap_variator *v, double *least, double *most)
{
  enum { POINTS = 801 };
  double drop = cap_variator_geometry_ring_height(v) - v->element.flank;
  *least = INFINITY;
  *most = -INFINITY;
  for (int k = 0; k < POINTS; k++) {
    double ratio = pow(10.0, 2.0 * k / (POINTS - 1.0) - 1.0);
    cap_variator_line line = cap_variator_geometry_line(v->ring_length, v->centre_distance, ratio);
    double small = fmin(line.r[0], line.r[1]) - drop, large = fmax(line.r[0], line.r[1]) - drop;
    if (!(small >= v->inner && large <= v->outer)) continue;
    *least = fmin(*least, ratio);
    *most = fmax(*most, ratio);
  }
  return *least <= *most;
}

typedef enum { WITHIN, TOO_CLOSE, TOO_FAR } where;

/* Radii fall as the axes move apart. */
static where axes_at(const cap_variator *v, double ratio, double distance)
{
  double drop = cap_variator_geometry_ring_height(v) - v->element.flank;
  cap_variator_line line = cap_variator_geometry_line(v->ring_length, distance, ratio);
  double small = fmin(line.r[0], line.r[1]) - drop, large = fmax(line.r[0], line.r[1]) - drop;
  if (small < v->inner) return TOO_FAR;
  return line.strand > 0.0 && large <= v->outer && small + large < distance ? WITHIN : TOO_CLOSE;
}

bool cap_variator_geometry_distances(const cap_variator *v, double ratio, double *least, double *most)
{
  enum { POINTS = 400, HALVINGS = 50 };
  double step = 0.5 * v->ring_length / POINTS;
  *least = INFINITY, *most = -INFINITY;
  for (int k = 1; k < POINTS; k++)
    if (axes_at(v, ratio, k * step) == WITHIN) {
      *least = fmin(*least, k * step);
      *most = fmax(*most, k * step);
    }
  if (!(*least <= *most)) return false;
  double out[2] = {*least - step, *most + step}, *in[2] = {least, most};
  for (int end = 0; end < 2; end++)
    for (int k = 0; k < HALVINGS; k++) {
      double middle = 0.5 * (out[end] + *in[end]);
      if (middle > 0.0 && axes_at(v, ratio, middle) == WITHIN) *in[end] = middle;
      else out[end] = middle;
    }
  return true;
}

int cap_variator_geometry_places(const cap_variator *v)
{
  int joints = v->contact.pin_stiffness > 0.0 ? 3 : 2, flanks = 2 * v->contact.flank_points, guides = 2;
  return v->simulated * (joints + flanks + guides);
}

double cap_variator_geometry_clamping(double safety, double torque, double radius, double wedge, double mu)
{
  return safety * fabs(torque) * cos(wedge) / (2.0 * mu * radius);
}
