/* drives/pushbelt/carry/stationary_from.h — where a run of a variator starts from: a belt of fewer elements
 * that is run first, or where another run ended.
 *
 * Maths:   docs/theory.md §50.5.
 *
 * For any analysis that moves a variator. What is carried over is drives/pushbelt/carry/variator_carry.h;
 * the model stays
 * what it is, with its own loads and its own distance of sheaves, so that only the way to the stationary
 * point is another.
 */
#pragma once
#include "analysis/analysis.h"
#include "analysis/stationary/stationary_point.h"
#include "drives/pushbelt/carry/variator_carry.h"

/* Section "from" of an analysis. */
typedef struct cap_stationary_from {
  int elements;
  const char *file, *group;
  bool elements_given;
} cap_stationary_from;

extern const cap_field cap_stationary_from_fields[];

bool cap_stationary_from_given(const cap_stationary_from *from);
/* Findings below `path` ("analyses[0].stationary"). */
void cap_stationary_from_check(const cap_stationary_from *from, const cap_model *m, const char *path,
                               cap_diag *diag);

/* Where the slip of a pulley stands among the outputs, whatever the results are to show; -1: nowhere. */
int cap_stationary_from_slip(const cap_model *m, int pulley);
/* Time in which the belt goes around; 0 = not known. */
double cap_stationary_from_turn(const cap_variator *v);
/* How stationary points are looked for when nobody says; turn and stepper are left open. */
cap_stationary_point_plan cap_stationary_from_plan(const cap_model *m);

/* The state in the file of `from`: of its group, else of the group `prefer`, else of the only one that has
 * one. From one thread at a time. */
cap_status cap_stationary_from_load(const cap_stationary_from *from, cap_run *run, const char *prefer,
                                    cap_variator_carry *belt, cap_error *error);

/* The state of run->data into the open group, for a later `from`; of a belt that has come apart none. */
cap_status cap_stationary_from_put(cap_run *run);

/* A model to start, and how it differs from that of the run. */
typedef struct cap_stationary_from_goal {
  const cap_model *m;
  cap_data *d;
  int nsetting;
  const char *const *settings; /* [nsetting] as of --set */
  const char *what;            /* for messages: "stationary: BC05" */
} cap_stationary_from_goal;

/* Run a belt of from->elements to its stationary point by `plan` (its watch and channels are chosen here) and
 * put what it came to on the goal. *warm = false: it slips or fails, and the goal is as it was. An error is a
 * lack of memory, an interruption, or a belt that cannot be built. */
cap_status cap_stationary_from_coarse(const cap_stationary_from *from, cap_run *run,
                                      const cap_stationary_point_plan *plan,
                                      const cap_stationary_from_goal *goal, bool *warm, cap_error *error);
