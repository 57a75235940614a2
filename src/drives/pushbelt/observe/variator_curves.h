/* drives/pushbelt/observe/variator_curves.h — the space-averaging element: curves along the belt PRI, US,
 * SEC, LS.
 *
 * Maths:   docs/theory.md §51.2, §51.3 (steps 3 and 4 of 2.4.1)
 *
 * Each section has a virtual time span, the mean of those of the elements that have passed it; at points of
 * equal distance in it the values of these elements, interpolated linearly between rows, are averaged.
 */
#pragma once
#include "drives/pushbelt/observe/variator_track.h"

enum { CAP_VARIATOR_CURVE_SINGLES = 3 }; /* elements whose push force is kept as it is, as in Fig. 2.19 */

typedef struct cap_variator_curves {
  int npoint;
  int first[CAP_VARIATOR_SECTIONS + 1]; /* point at which each section begins; the last: npoint */
  int elements[CAP_VARIATOR_SECTIONS];  /* of how many elements it is the mean; 0: no pass was complete */
  double span[CAP_VARIATOR_SECTIONS];   /* s, virtual */
  double revolution;                    /* s, sum of the spans */
  double *time, *position;              /* [npoint] s, m along the belt from the start of PRI */
  double *value[CAP_VARIATOR_QUANTITIES], *spread[CAP_VARIATOR_QUANTITIES]; /* mean, standard deviation */
  double *single[CAP_VARIATOR_CURVE_SINGLES];
  double push_variation, single_variation; /* of the push force in the push strand: standard deviation over
                                              mean, of the average and of single elements (their mean) */
  int push_strand;                         /* section with the higher push force */
  double *block;
} cap_variator_curves;

/* From passes after `from`. Sections without a pass have no points. */
cap_status cap_variator_curves_make(cap_variator_curves *c, const cap_variator_track *t, double from,
                                    int npoint, cap_error *error);
void cap_variator_curves_free(cap_variator_curves *c); /* accepts a zeroed one */

bool cap_variator_curves_complete(const cap_variator_curves *c); /* all sections are there */

/* Sum over all real elements that are in a section, from the average: n_real / revolution times the integral
 * over time. */
double cap_variator_curves_total(const cap_variator_curves *c, int section, int quantity, double nreal);
/* The same of magnitudes. */
double cap_variator_curves_magnitude(const cap_variator_curves *c, int section, int quantity, double nreal);
