/* analysis/response/response.h — the grid of orbits that response.c, response_exact.c and response_lanes.c
 * fill together. */
#pragma once
#include "analysis/analysis.h"
#include "analysis/observe/channels.h"
#include "analysis/search/search.h"
#include "step/stepper.h"
#include <stdatomic.h>

typedef struct cap_response_spec {
  int kind;
  cap_sweep sweep, family;
  int method;
  double step, tolerance;
  int harmonics, samples; /* of harmonic balance */
  int orders;             /* harmonics of the channels to be written */
  int harmonics_most;     /* 0: as many as there are */
  bool verify;            /* solve again by shooting */
  int verify_every;       /* points */
  bool stability, limits;
  cap_search_spec search;
  bool searches; /* the section search was given */
} cap_response_spec;

/* Shared by all tasks; a task works on a shallow copy with its own run and error. */
typedef struct cap_response {
  cap_run *run;
  const cap_response_spec *spec;
  const char *method;
  bool shooting; /* branches by shooting, not by harmonic balance */
  int nfamily, nsweep;
  cap_channels channels;
  double *values; /* [channel][min, max, mean, range][family][sweep] */
  double *limits; /* [stuck, sliding][channel][sweep] ranges of the linear systems, or NULL */
  double *multiplier, *converged, *passes, *stuck; /* [family][sweep] */
  atomic_long *done;                               /* orbits so far, of all threads */
} cap_response;

/* A model of `nlane` family members at one point of the sweep. */
cap_status cap_response_build(cap_response *r, int nlane, const int *family, int sweep, cap_model **model);
void cap_response_put(cap_response *r, int channel, int family, int sweep, double low, double high,
                      double mean);
/* Where the range of a channel in a linear limit goes:
 * 0 stuck (first of the family), 1 sliding (last of it). */
double *cap_response_limit(cap_response *r, int limit, int channel, int sweep);
/* Count one orbit; true when the user wants to stop. */
bool cap_response_stopped(cap_response *r);

/* Number of independent tasks: members of the family, or groups of them that share vector lanes. */
int cap_response_exact_tasks(const cap_response *r);
int cap_response_lanes_tasks(const cap_response *r, const cap_stepper_type *type);
/* One of them, all along the sweep: by exact propagation (response_exact.c), or by a stepper
 * (response_lanes.c). */
cap_status cap_response_exact_run(cap_response *r, int task);
cap_status cap_response_lanes_run(cap_response *r, const cap_stepper_type *type, int task);
/* By harmonic balance (or shooting) and arc-length continuation, into a table of branches (response_hb.c). */
cap_status cap_response_hb(cap_response *r);
