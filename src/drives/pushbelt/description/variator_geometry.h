/* drives/pushbelt/description/variator_geometry.h — radii, wraps and strands of a pushbelt, its lines, and
 * its scaled elements.
 *
 * Maths:   docs/theory.md §43.2, §43.3; (2.24), (2.27) to (2.30) and (3.1) of the document.
 *
 * A line of the belt is a curve through all its elements at one height: two arcs about the axes and two
 * strands. Lines of other heights are parallel to it: the same wraps and strands, other radii. Elements touch
 * on the line of the rocking edge (RE), the ring lies on that of its centre.
 */
#pragma once
#include "drives/pushbelt/description/variator.h"

typedef struct cap_variator_line {
  double r[CAP_VARIATOR_PULLEYS];    /* m */
  double wrap[CAP_VARIATOR_PULLEYS]; /* rad */
  double strand;                     /* m, of each */
  double rise;                       /* rad: slope of the upper strand in the direction of travel */
} cap_variator_line;

/* The line of this length with r_S / r_P = ratio, (2.24). Not finite: there is none. */
cap_variator_line cap_variator_geometry_line(double length, double centre_distance, double ratio);
/* The line that runs `out` outside of it. */
cap_variator_line cap_variator_geometry_beside(const cap_variator_line *line, double out);
/* Around two pulleys of these radii. Not finite: they do not fit between the axes. */
cap_variator_line cap_variator_geometry_around(double primary, double secondary, double centre_distance);
double cap_variator_geometry_length(const cap_variator_line *line);

/* Height of the centre of the ring over the centre of gravity when it lies on the saddle, m. */
double cap_variator_geometry_ring_height(const cap_variator *v);
/* From the line of the rocking edge out to that of the ring, m. */
double cap_variator_geometry_ring_over_edge(const cap_variator *v);

/* Length over which the ring sinks into the arc at its entry, (4 EI/k)^(1/4), with k what the flanks resist
 * per length while they slide inward; docs/theory.md §46.7. */
double cap_variator_geometry_layer(const cap_variator *v);

/* Thickness of simulated element k at its rocking edge and at its head, m. */
double cap_variator_geometry_edge_thickness(const cap_variator *v, int k);
double cap_variator_geometry_head_thickness(const cap_variator *v, int k);
/* Real joints that one of simulated elements stands for: iota where they are stacks, else 1. */
double cap_variator_geometry_joints(const cap_variator *v);
/* (3.1) as it must be read: t_s = iota t - nu_corr (iota - 1), of a real thickness. */
double cap_variator_geometry_scaled(double thickness, double iota, double correction);
/* Sum of all of them at the rocking edge: the length of the closed stack on its line, m. */
double cap_variator_geometry_stack(const cap_variator *v);
/* Gap that is left between the elements while the ring is not stretched, on straight lines; < 0: the belt is
 * prestressed. */
double cap_variator_geometry_endplay(const cap_variator *v);

/* Ratios between which the flanks of the belt stay on the sheaves, without load. False: there is none. */
bool cap_variator_geometry_ratios(const cap_variator *v, double *least, double *most);

/* Distances of the axes between which a belt of this ratio fits, without load: its flanks stay on the sheaves
 * and its arcs do not overlap. False: there is none. */
bool cap_variator_geometry_distances(const cap_variator *v, double ratio, double *least, double *most);

/* Lengths of the ring between which one fits on axes that far apart, likewise. */
bool cap_variator_geometry_lengths(const cap_variator *v, double ratio, double *least, double *most);
/* Real elements that a ring of this length has room for. */
int cap_variator_geometry_elements(const cap_variator *v, double length);

/* Places where two bodies can touch, of all simulated elements: rocking edge, head and pin to the next
 * element, the points of both flanks, saddle and ear. */
int cap_variator_geometry_places(const cap_variator *v);

/* (2.49): clamping force of a pulley that carries the torque with the safety, N. */
double cap_variator_geometry_clamping(double safety, double torque, double radius, double wedge, double mu);
