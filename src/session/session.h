/* session/session.h — a system with data and a stepper behind the public calls (capstan/capstan.h).
 *
 *   start.c   from a model to a session     step.c        inputs, time, events
 *   look.c    outputs, states, balance      state.c       saved states
 *   slope.c   derivatives
 *
 * A session has a model of its own and holds the file that it was made of; it needs the capstan_model no
 * more.
 */
#pragma once
#include "analysis/march.h"
#include "analysis/observe/channels.h"
#include "session/model.h"

typedef struct cap_session_watch {
  unsigned kinds; /* CAPSTAN_EVENT_* */
  int nlevel;
  int *outputs;   /* [nlevel] */
  double *levels; /* [nlevel] */
  double every, tolerance;
  int nreversal; /* elements whose laws change at reversals, and their coordinates */
  int *element, *i, *j;
  signed char *now, *next; /* [nslider + nreversal + nlevel] where each of them is */
} cap_session_watch;

struct capstan_session {
  cap_session_file *held;
  cap_model *model;
  cap_data *data;
  cap_progress progress;
  cap_run run;
  cap_transient_spec keys;
  cap_march march;
  capstan_start_options options;
  cap_session_watch watch;
  cap_hash128 identity; /* of whatever saved states depend on */
  cap_channels channels;
  double *outputs;         /* [channels.n] at the present state */
  bool looked;             /* they are */
  cap_balance_line *lines; /* [nmech + 3] of the energy balance */
  bool started;
  void *mark; /* a saved state while an event is looked for */
  /* of derivatives, allocated when they are first asked for */
  double *slope_work;
  locale_t plain;
  cap_arena arena;
  cap_error error;
  char message[sizeof(((cap_error *)0)->text) + 2];
};

/* From `enter`, which empties the message, to `leave` numbers have a point (session/model.h). */
locale_t cap_session_enter(capstan_session *s);
capstan_code cap_session_leave(capstan_session *s, locale_t before, cap_status status);
/* The same for calls that can be refused for what was given alone. */
__attribute__((format(printf, 2, 3))) capstan_code cap_session_refuse(capstan_session *s, const char *format,
                                                                      ...);
/* Whether all of `index` are from 0 to n - 1; else the message is set. */
bool cap_session_indices(capstan_session *s, int n, const int *index, int most, const char *what);

/* look.c: the outputs at the present state, in `outputs`; the reason, in `error`, why there are none. */
cap_status cap_session_look(capstan_session *s);

/* watch.c: what events are looked for; freed with the session's arena. */
cap_status cap_session_watch_create(capstan_session *s);
/* Where everything is now. */
cap_status cap_session_watch_look(capstan_session *s, signed char *at);
/* What has changed from `now` to `next`, as a sentence; false: nothing. */
bool cap_session_watch_changed(const capstan_session *s, char *what, size_t size);
