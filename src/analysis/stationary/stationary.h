/* analysis/stationary/stationary.h — what the files of the analysis `stationary` share: keys, points,
 * results.
 *
 * Maths:   docs/theory.md §50.
 */
#pragma once
#include "analysis/extension.h"
#include "analysis/observe/observers.h"
#include "analysis/stationary/starts.h"
#include "analysis/stationary/stationary_subject.h"
#include "analysis/stepping.h"

#include <pthread.h>

/* One of a list of parameter sets. */
typedef struct cap_stationary_case {
  const char *name;
  cap_texts set; /* "ratio=0.47" */
} cap_stationary_case;

typedef struct cap_stationary_spec {
  int kind;
  cap_texts watch;
  double turn, lead, average, until, error, slip;
  bool turn_given, fresh;
  int samples;
  cap_stepping_spec stepping;
  cap_sweep over;
  cap_list cases; /* of cap_stationary_case */
  cap_more more;  /* keys that drives add (drives/registry.c) */
} cap_stationary_spec;

extern const cap_field cap_stationary_fields[];
/* Where the analysis speaks of drives, drives/registry.c does: keys that they add, in both places, and a
 * sentence. */
extern const cap_field cap_registry_stationary_slip_fields[], cap_registry_stationary_fields[];
extern const char cap_registry_watch_doc[], cap_registry_error_doc[];

/* The model of a point and where it ended, kept for what its observers make of it. */
typedef struct cap_stationary_made {
  cap_model *m;
  cap_data *d;
  cap_observers observers;
  bool shared;                     /* model and data are those of the run */
  const cap_stationary_spec *spec; /* keys, with what the case sets of them */
} cap_stationary_made;

/* Where a point started. */
typedef enum cap_stationary_start {
  CAP_STATIONARY_AFRESH,
  CAP_STATIONARY_NEIGHBOUR, /* from where the one before ended */
  CAP_STATIONARY_COARSE,    /* from a coarser model */
  CAP_STATIONARY_STORED     /* from a file */
} cap_stationary_start;

typedef struct cap_stationary_job {
  cap_run *run;
  const cap_stationary_spec *spec;
  cap_channels channels;         /* of the first model */
  int *watch;                    /* [nwatch] among them */
  cap_stationary_figure *figure; /* [nwatch] what is asked of them */
  int nwatch, shifts;            /* shifts: of `watch`, or -1 */
  int npoint;
  cap_stationary_point *points; /* [npoint] */
  cap_stationary_made *made;    /* [npoint] */
  cap_stationary_start *start;  /* [npoint] */
  cap_starts from;              /* what the keys ask for */
  void **stored;                /* [npoint] states of a file; or NULL */
  /* points that are finished, see stationary_keep.c */
  pthread_mutex_t lock;
  bool *done;    /* [npoint] */
  int first;     /* the points before it were finished when the run was interrupted */
  int nkept;     /* all before this one are in the results */
  double course; /* s, where the course over time of all points has come to */
} cap_stationary_job;

/* Name of the group that a point has for itself. */
void cap_stationary_output_group(const cap_stationary_job *j, int k, char *name, size_t size);
/* Name of a point, for messages: of its case, or the value of the parameter. */
void cap_stationary_name(const cap_stationary_job *j, int k, char *name, size_t size);
/* Columns of the course of all points over time; the rows of one. */
cap_status cap_stationary_output_columns(cap_stationary_job *j);
cap_status cap_stationary_output_course(cap_stationary_job *j, int k);

/* A point is finished: put what is finished in order into the results, and keep it. May be called from
 * several threads at once. */
cap_status cap_stationary_keep_point(cap_stationary_job *j, int k, cap_error *error);
/* Of a run that is resumed: how many points were kept, how one ended; fill point, data and observers,
 * which have been made as before (but for a point that failed). */
int cap_stationary_keep_count(cap_stationary_job *j);
cap_stationary_point_end cap_stationary_keep_end(const cap_stationary_job *j, int k);
cap_status cap_stationary_keep_fill(cap_stationary_job *j, int k);

/* All points into the results, in the open group. */
cap_status cap_stationary_output(cap_stationary_job *j);
/* What observers show of a single point, in a group of its own that has the point's name. */
cap_status cap_stationary_output_groups(cap_stationary_job *j);
/* A line about a point. */
void cap_stationary_output_note(const cap_stationary_job *j, int k);
