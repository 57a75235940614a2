/* analysis/march.h — a model that moves in time: what the transient analysis writes rows of, and a session
 * steps.
 *
 * A march starts at the state of run->data, where a belt of segments settles first, or where the keys
 * (`from:`) say; it has a stepper and an energy balance from there on. It moves to one time after the other;
 * one that is not reached, as someone wants it to stop or the numbers fail, leaves it at the last one that
 * was.
 */
#pragma once
#include "analysis/analysis.h"
#include "analysis/transient.h"
#include "model/data.h"

typedef struct cap_march {
  cap_run *run;
  const cap_transient_spec *keys;
  const char *what; /* "transient", for messages and for the keys of starts */
  double start;     /* s */
  cap_stepper stepper;
  /* at the last time that was reached */
  cap_data *before;
  void *carried; /* what the stepper carried then */
} cap_march;

enum { CAP_MARCH_NVIEW = CAP_DATA_NVIEW + CAP_STEPPER_NVIEW };

/* The settings of the stepper as the keys have them. */
cap_stepper_settings cap_march_settings(const cap_transient_spec *keys, const cap_stepper_type *type);
/* How long it settles before the time t, s. */
double cap_march_settle_time(const cap_transient_spec *keys, const cap_model *m, double t);

/* Settle, and make the stepper. Close it in any case. */
cap_status cap_march_open(cap_march *march, const char *what, cap_run *run, const cap_transient_spec *keys);
/* To the state in which it starts, when that is not the model's own; not where a checkpoint was read. */
cap_status cap_march_begin(cap_march *march);
/* All that decides how it goes on: the data, and what the stepper carries. Returns how many. */
int cap_march_views(const cap_march *march, cap_view views[CAP_MARCH_NVIEW]);
/* The same, bytes one after the other: how many, out of and into a march of the same model and keys. */
size_t cap_march_size(const cap_march *march);
void cap_march_store(const cap_march *march, void *to);
void cap_march_restore(const cap_march *march, const void *from);
/* To the time t, s. CAP_STOPPED and all other failures: it is at the time where it was. */
cap_status cap_march_to(cap_march *march, double t);
void cap_march_close(cap_march *march);
