/* analysis/stationary/stationary_subject.h — what a drive offers to runs that come to a stationary point. */
#pragma once
#include "analysis/analysis.h"
#include "analysis/stationary/stationary_point.h"
#include "model/data.h"

/* Any of them may be NULL. `self` is that of the subject (model/subject.h). */
struct cap_stationary_subject {
  /* Channels that are watched when nobody says which, and what is asked of them; ends with a zeroed one. */
  const cap_stationary_figure *watched;
  const char *shifts;                /* the watched channel that goes on changing where it shifts */
  double (*turn)(const void *self);  /* s in which times are counted; 0: nothing turns */
  double (*speed)(const void *self); /* rad/s that all velocities go along with; 0: it stands */
  /* Whether states of one are states of the other, whose coordinates have the same names. */
  bool (*same)(const void *self, const void *other);
  /* Outputs (of cap_channels.force) that are slip of the belt on two pulleys, or -1. */
  void (*slips)(const cap_model *m, int outputs[2]);
  /* Put a model's state on another one whose states are not the same; false: they do not fit. */
  bool (*carry)(const cap_model *from, const cap_data *was, const cap_model *m, cap_data *d);
  /* The state of run->data into the open group, for a later start from it. */
  cap_status (*put_state)(cap_run *run);
};

/* s in which times are counted: a turn of the subject, or the period of the forcing; 0: there is none. */
double cap_stationary_subject_turn(const cap_model *m);
void cap_stationary_subject_slips(const cap_model *m, int outputs[2]);
cap_status cap_stationary_subject_put_state(cap_run *run);
