/* drives/pushbelt/description/variator_geometry.c — see variator_geometry.h. */
#include "drives/pushbelt/description/variator_geometry.h"
#include "base/whole.h"
#include "drives/pushbelt/ring/ring_layout.h"

#include <limits.h>
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

double cap_variator_geometry_layer(const cap_variator *v)
{
  double sine = sin(v->wedge), mu = capm_friction_at(&v->contact.flank_friction, 0.0, NULL);
  double k = 2.0 * v->contact.flank_stiffness * sine * (sine + mu * cos(v->wedge)) / v->element.thickness;
  return pow(4.0 * v->ring.EI / k, 0.25);
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

/* Whether a belt of this ring runs on the sheaves. */
static bool fits(const cap_variator *v, double ratio, double length, double distance)
{
  double drop = cap_variator_geometry_ring_height(v) - v->element.flank;
  cap_variator_line line = cap_variator_geometry_line(length, distance, ratio);
  double small = fmin(line.r[0], line.r[1]) - drop, large = fmax(line.r[0], line.r[1]) - drop;
  return small >= v->inner && line.strand > 0.0 && large <= v->outer && small + large < distance;
}

/* Ends of the range, found at steps of it, in which a length or a distance fits. */
typedef struct search {
  const cap_variator *v;
  double ratio, length, distance; /* m; of the two the one that is searched is 0 */
} search;

static bool fits_at(const search *s, double x)
{
  return fits(s->v, s->ratio, s->length > 0.0 ? s->length : x, s->distance > 0.0 ? s->distance : x);
}

static bool find_range(const search *s, double step, double *least, double *most)
{
  enum { POINTS = 400, HALVINGS = 50 };
  *least = INFINITY, *most = -INFINITY;
  for (int k = 1; k < POINTS; k++)
    if (fits_at(s, k * step)) {
      *least = fmin(*least, k * step);
      *most = fmax(*most, k * step);
    }
  if (!(*least <= *most)) return false;
  double out[2] = {*least - step, *most + step}, *in[2] = {least, most};
  for (int end = 0; end < 2; end++)
    for (int k = 0; k < HALVINGS; k++) {
      double middle = 0.5 * (out[end] + *in[end]);
      if (middle > 0.0 && fits_at(s, middle)) *in[end] = middle;
      else out[end] = middle;
    }
  return true;
}

bool cap_variator_geometry_distances(const cap_variator *v, double ratio, double *least, double *most)
{
  const search s = {.v = v, .ratio = ratio, .length = v->ring_length};
  return find_range(&s, 0.5 * v->ring_length / 400, least, most);
}

bool cap_variator_geometry_lengths(const cap_variator *v, double ratio, double *least, double *most)
{
  const search s = {.v = v, .ratio = ratio, .distance = v->centre_distance};
  return find_range(&s, (2.0 * v->centre_distance + 2.0 * M_PI * v->outer) / 400, least, most);
}

int cap_variator_geometry_elements(const cap_variator *v, double length)
{
  double stack = length - 2.0 * M_PI * cap_variator_geometry_ring_over_edge(v);
  return capm_whole_between(floor(stack / v->element.thickness), 0, INT_MAX);
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
