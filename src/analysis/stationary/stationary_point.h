/* analysis/stationary/stationary_point.h — one model run until it is stationary, and its means from there on.
 *
 * Maths:   docs/theory.md §50.
 *
 * Samples of all channels and of the energy balance are taken every so often and kept, so that what happened
 * can be looked at from behind: a run goes on until there is a lead after which no watched channel drifts and
 * the means of all of them are known as well as is asked for (analysis/observe/steady.h).
 */
#pragma once
#include "analysis/observe/channels.h"
#include "analysis/observe/held_effort.h"
#include "analysis/observe/steady.h"
#include "base/progress.h"
#include "step/stepper.h"

/* What is asked for of a watched channel: its standard error is to be at most `share` of the error that is
 * asked for in general, times a scale. */
typedef struct cap_stationary_figure {
  const char *name; /* of the channel */
  double share;
  double scale; /* 0: sum of the sizes of the means of its group, or of its own where it has none */
  int group;    /* from 1 on; 0: none */
} cap_stationary_figure;

/* Times in turns: of the belt, or of the forcing. */
typedef struct cap_stationary_point_plan {
  double turn;                 /* s */
  double lead, average, limit; /* turns: at least left out, at least averaged, at most computed */
  double error;                /* standard error that is asked for, of the scale of each figure */
  double every;                /* s between samples */
  int nwatch;
  const int *watch;                    /* [nwatch] among the channels */
  const cap_stationary_figure *figure; /* [nwatch] */
  int shifts;                          /* of `watch`: that changes where the system shifts, or -1 */
  double shift_least;                  /* of its mean in a turn: more is shifting */
  bool losses;                         /* what is lost in all is watched, too */
  int slip[2];      /* outputs (of cap_channels.force) of the slip of a belt on two pulleys, or -1 */
  double slip_most; /* beyond: macro slip */
  const cap_stepper_type *type;
  cap_stepper_settings settings;
  /* Called at every sample with the forces there (cap_channels.force), ends the run by its failure;
   * or NULL. */
  cap_status (*see)(void *self, const double *force);
  void *see_self;
} cap_stationary_point_plan;

typedef enum cap_stationary_point_end {
  CAP_STATIONARY_REACHED,
  CAP_STATIONARY_MISSED, /* not until the limit: means are those of its last part */
  CAP_STATIONARY_SLIPS,  /* macro slip */
  CAP_STATIONARY_FAILED, /* could not be computed */
  CAP_STATIONARY_SHIFTS, /* moves on at one rate */
  CAP_STATIONARY_ENDS
} cap_stationary_point_end;

typedef struct cap_stationary_point {
  cap_stationary_point_end end;
  char why[1024];          /* of one that failed or is not stationary */
  double rate;             /* 1/s, of one that shifts: of plan.shifts */
  int nchannel, nmech;     /* of the model */
  int nsample, room;       /* samples, and how many there is room for */
  int width;               /* of a sample */
  double *samples;         /* [nsample][width] time; channels; energies: cap_data_balance; slips */
  double start;            /* s, time at its first sample */
  double ended;            /* s, in the course of all points */
  double settled;          /* turns until it was stationary; of macro slip, until that began */
  double averaged;         /* turns that the means are of */
  double *mean, *error;    /* [nchannel], standard errors */
  double *least, *most;    /* [nchannel] */
  double *power;           /* [nmech] W, mean: fed in or lost, in the order of cap_data_balance */
  char **mechanism;        /* [nmech] their names */
  bool *input;             /* [nmech] */
  double residual, passed; /* W: what the energy balance misses, and what passed through */
  double steps;
  double seconds; /* of processor time */
  bool is_held;   /* some of its contacts are set-valued: how hard it was to find their forces */
  double held[CAP_HELD_EFFORT_NFIGURE];
} cap_stationary_point;

/* Run `d` of `m` to the end of the means. The channels are those of `m`. What cannot be computed is told by
 * `end`; an error is a lack of memory, or that it was interrupted (CAP_STOPPED). */
cap_status cap_stationary_point_run(const cap_stationary_point_plan *plan, const cap_model *m, cap_data *d,
                                    cap_channels *channels, const cap_progress *progress,
                                    cap_stationary_point *point, cap_error *error);
/* Room for a point that was run before, with the names of its mechanisms. */
cap_status cap_stationary_point_create(const cap_model *m, const cap_data *d, int nchannel,
                                       cap_stationary_point *point, cap_error *error);
void cap_stationary_point_free(cap_stationary_point *point);
