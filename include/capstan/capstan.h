/* capstan/capstan.h — belt drives from C and C++: run a model file, or drive it step by step.
 *
 * A whole run, as by `capstan run`:
 *
 *   capstan_model *model;
 *   const char *settings[] = {"load.amplitude=13 N"};
 *   if (capstan_open("drive.yaml", 1, settings, &model) || capstan_run(model, "drive.h5", NULL))
 *     fprintf(stderr, "%s", capstan_message(model));
 *   capstan_close(model);
 *
 * Step by step, with a controller of one's own, where the model file has
 * `crank: {torque: {input: torque, start: 0 N m}}`:
 *
 *   capstan_session *session;
 *   capstan_code code = capstan_start(model, NULL, &session);
 *   int torque = capstan_find(model, CAPSTAN_INPUT, "torque");
 *   int speed = capstan_find(model, CAPSTAN_OUTPUT, "pulley.crank.speed");
 *   for (double t = 0.0, value; !code && t < 0.5; t += 1e-3) {
 *     capstan_output(session, 1, &speed, &value);
 *     value = 0.2 * (200.0 - value);
 *     capstan_input(session, 1, &torque, &value, NULL);
 *     code = capstan_step(session, t + 1e-3, NULL);
 *   }
 *   if (code) fprintf(stderr, "%s", capstan_session_message(session));
 *   capstan_end(session);
 *
 * Numbers are in SI units (rad, m, N, ...) in both directions; units are the names of those. Texts are UTF-8.
 * The library never prints, never exits, installs no handler of a signal and keeps no state between calls.
 * A model, a session or results are used from one thread at a time; different ones are independent of each
 * other, in any threads, and what was made from a model lives on without it. Every pointer that a call hands
 * out belongs to the object that it was asked of, and is valid until that is closed, unless it says less.
 * Structs whose first member is `size` are set to their own size by the caller, so that they can grow:
 * capstan_options options = {.size = sizeof options}.
 *
 * Link with: pkg-config --libs capstan, or find_package(Capstan) and Capstan::capstan. docs/embedding.md.
 */
#ifndef CAPSTAN_CAPSTAN_H
#define CAPSTAN_CAPSTAN_H

#include <signal.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what the shared library offers; all else in it is hidden */
#endif

/* From 0 to 2 and 130 the same numbers as the program's exit codes. Errors are above 0. */
typedef enum capstan_code {
  CAPSTAN_EVENT = -1, /* capstan_step came back early, at an event; no error */
  CAPSTAN_OK = 0,
  CAPSTAN_FAILED = 1,    /* the computation failed, or memory ran out */
  CAPSTAN_BAD_INPUT = 2, /* what was given is not usable; the object is as it was before the call */
  CAPSTAN_STOPPED = 130, /* interrupted by whoever asked for it */
} capstan_code;

typedef struct capstan_model capstan_model;
typedef struct capstan_session capstan_session;
typedef struct capstan_results capstan_results;

/* "0.2.0" */
const char *capstan_version(void);

/* A value in the unit `to` is *factor times that in `unit`. CAPSTAN_BAD_INPUT: the units are unknown, or not
 * of one dimension. */
capstan_code capstan_convert(const char *unit, const char *to, double *factor);

/* ---- Models ------------------------------------------------------------------------------------------- */

/* Read and check the model file `path`, with `nsetting` settings such as "load.amplitude=13 N" applied. On
 * CAPSTAN_BAD_INPUT, capstan_message has all findings, one a line with file, line and column. *model is to be
 * closed in every case; it is NULL only when memory ran out. */
capstan_code capstan_open(const char *path, int nsetting, const char *const *settings, capstan_model **model);

/* The same from memory, `size` bytes. `path` names it in messages; data files count from its folder. */
capstan_code capstan_open_text(const char *text, size_t size, const char *path, int nsetting,
                               const char *const *settings, capstan_model **model);

/* Apply further settings, "tensioner.damping=0.2 N m s/rad", after those of before. The model is read
 * again as a whole: either all of them take effect, for sessions and runs that start from now on, or none. */
capstan_code capstan_set(capstan_model *model, int nsetting, const char *const *settings);

/* What the last call on the model had to say: findings (also warnings), or the reason of a failure; "" when
 * nothing. Valid until the next call on the model. Accepts NULL: "out of memory\n". */
const char *capstan_message(const capstan_model *model);

/* The same one by one, for who wants to show each at its place. */
typedef struct capstan_finding {
  int warning;      /* 0: an error */
  const char *file; /* or the setting that it is about, "--set ..."; "" = none */
  int line, column; /* from 1; 0 = unknown */
  const char *path; /* the key, "pulleys[2].inertia"; "" = none */
  const char *text; /* what was expected and what was found */
} capstan_finding;

/* Their number; valid until the next call on the model. */
int capstan_findings(const capstan_model *model, const capstan_finding **findings);

/* A summary of what would be simulated, as `capstan check` prints it: bodies, steps, durations. Valid until
 * the next call on the model; "" when it was refused. */
const char *capstan_describe(capstan_model *model);

/* The names of its analyses in their order; their number, 0 when it was refused. Valid until capstan_set or
 * capstan_close. */
int capstan_analyses(capstan_model *model, const char *const **names);

/* Accepts NULL. */
void capstan_close(capstan_model *model);

/* ---- Variables ---------------------------------------------------------------------------------------- */

typedef enum capstan_kind {
  CAPSTAN_PARAMETER, /* a number of the model file by its path; capstan_set changes it */
  CAPSTAN_INPUT,     /* {input: NAME, start: VALUE} in the model file; capstan_input sets it */
  CAPSTAN_OUTPUT,    /* a channel; capstan_output reads it */
  CAPSTAN_STATE,     /* positions, then velocities, then internal variables of laws and contacts */
} capstan_kind;

typedef struct capstan_variable {
  const char *name, *unit, *text; /* the unit "1" or "": a pure number */
  double start;                   /* of a parameter: its value; NAN where it is known in a session only */
  double low, high; /* limits, themselves not allowed where `low_open`, `high_open`; or infinite */
  int low_open, high_open;
  int position; /* of an input: it imposes a position, which must not jump: its rate is set, not its value */
} capstan_variable;

/* All variables of a kind, in an order that depends on the model alone; their number, 0 when the model was
 * refused. What is called index below counts in this list, which may be NULL here. Valid until capstan_set or
 * capstan_close. */
int capstan_variables(capstan_model *model, capstan_kind kind, const capstan_variable **list);
/* The index of a name; -1: there is none. */
int capstan_find(capstan_model *model, capstan_kind kind, const char *name);

/* ---- Whole runs --------------------------------------------------------------------------------------- */

typedef struct capstan_analysis_stage {
  const char *analysis; /* "transient" */
  int ended;
  capstan_code code; /* of what has ended */
  int ngroup;        /* groups that it has opened in the results so far, and their names */
  const char *const *groups;
} capstan_analysis_stage;

typedef struct capstan_options {
  size_t size;
  int threads;       /* 0 = 1; results do not depend on it */
  int resume;        /* go on with an interrupted run of the same model into the same file */
  double time_limit; /* s of the wall clock, beside that of the file; 0 = none */
  /* CSV files that feed inputs, as of `capstan run --input`. */
  int nfeed;
  const char *const *feeds;
  const int *held; /* [nfeed] 1: values are held until the next row, --input-held; NULL: all are linear */
  /* How far the run is; `total` in `unit`. May be NULL. */
  void (*progress)(void *self, const char *what, double done, double total, const char *unit);
  /* A line worth knowing: a warning, a decision taken. Also from other threads. May be NULL. */
  void (*note)(void *self, const char *text);
  /* The same of what nobody may miss: results that are not to be trusted. NULL: `note`. */
  void (*warn)(void *self, const char *text);
  /* Before and after each analysis. May be NULL. */
  void (*stage)(void *self, const capstan_analysis_stage *stage);
  void *self;
  volatile sig_atomic_t *stop;  /* set it (also in a signal handler) and the run ends; may be NULL */
  volatile sig_atomic_t *heard; /* becomes 1 once the run has noticed, and is on its way out; may be NULL */
} capstan_options;

/* Run all analyses of the model into the HDF5 file `result`; `options` may be NULL. May be called again, with
 * another file. A run that fails or is interrupted leaves a file that says so and can be resumed. */
capstan_code capstan_run(capstan_model *model, const char *result, const capstan_options *options);

/* Where the last run left its results, complete or not; "" = nowhere. */
const char *capstan_result_path(const capstan_model *model);
/* Whether its analyses all came to their ends, also where their energy balance does not close. */
int capstan_result_complete(const capstan_model *model);

/* The same into memory; on failure *results has what there is, or is NULL. */
capstan_code capstan_run_memory(capstan_model *model, const capstan_options *options,
                                capstan_results **results);

/* Run a study file, `capstan study STUDY -o result`, on `jobs` processes (0 = one per processor), which are
 * forked: the calling process should have no other threads. Settings stand in the study file: nsetting is 0.
 * Cases that fail are rows of the result, no failure of the study, unless all do. `message` receives the
 * findings or the reason of a failure, at most `room` bytes with the closing zero. */
capstan_code capstan_study(const char *path, int nsetting, const char *const *settings, const char *result,
                           int jobs, const capstan_options *options, char *message, size_t room);

/* ---- Results ------------------------------------------------------------------------------------------ */

typedef struct capstan_array {
  const char *name, *unit, *text;
  const char *axes; /* names of the arrays along the dimensions, "time, position"; a column: "" */
  int column;       /* 1: a channel over the rows of its group; 0: an array of any rank */
  int rank;         /* 0: a number */
  size_t dims[8], count;
} capstan_array;

typedef struct capstan_text {
  const char *name, *text;
} capstan_text;

typedef struct capstan_group {
  const char *name;     /* "transient-2"; "meta": what the file is about; "audit/transient": a balance */
  const char *analysis; /* "transient" */
  const char *title;
  int complete;
  int narray, ntext;
  const capstan_array *arrays; /* numbers, columns and arrays */
  const capstan_text *texts;
} capstan_group;

/* A result file, or a study's; on CAPSTAN_BAD_INPUT capstan_results_message has the reason. *results is to be
 * closed in every case; NULL only when memory ran out. */
capstan_code capstan_results_open(const char *path, capstan_results **results);
int capstan_results_groups(capstan_results *results, const capstan_group **groups);
/* The values of an array of a group, read once and kept; NULL and a message when they cannot be read. */
const double *capstan_results_values(capstan_results *results, int group, int array);
/* Results in memory as an HDF5 file, the one that capstan_run would have written. */
capstan_code capstan_results_save(capstan_results *results, const char *path);
const char *capstan_results_message(const capstan_results *results);
void capstan_results_close(capstan_results *results);

/* The page of one or two (compared) result files, as `capstan report`. */
capstan_code capstan_report(int nresult, const char *const *results, const char *page, char *message,
                            size_t room);

/* ---- Sessions ----------------------------------------------------------------------------------------- */

typedef struct capstan_start_options {
  size_t size;
  /* The transient of the model file whose keys apply (method, step, tolerance, settle, from, ...), counted
   * from 1 among its transients; 0 = the first one, or the default of every key when it has none. Its end
   * time is not heeded. */
  int transient;
  const char *method; /* in place of that of the keys: "auto", "midpoint", ...; NULL = of the keys */
  double step;        /* s, largest step of fixed-step methods; 0 = of the keys */
  double tolerance;   /* relative; 0 = of the keys */
  /* capstan_step comes back at events of CAPSTAN_EVENT_*, joined by |, and where an output passes one of the
   * `nlevel` levels. They are looked for every `event_every` s (0: a tenth of each call of capstan_step) and
   * found to `event_tolerance` s (0: 1e-6 of that): what is over before it is looked for is missed. */
  unsigned events;
  int nlevel;
  const int *level_outputs; /* [nlevel] indices of outputs */
  const double *levels;     /* [nlevel] */
  double event_every, event_tolerance;
  /* A line worth knowing; `category` is one of "note", "warning", "event". May be NULL. */
  void (*log)(void *self, const char *category, const char *text);
  /* Called every `observe_every` s within a call of capstan_step, at multiples of it since the start, and at
   * the call's end; it may read outputs and set inputs. What it returns other than 0 ends the call there:
   * CAPSTAN_STOPPED. May be NULL; observe_every 0 = only at the end of calls. */
  int (*observe)(void *observe_self, capstan_session *session);
  double observe_every;
  void *observe_self;
  void *self;                  /* of log */
  volatile sig_atomic_t *stop; /* set it and a call ends within half a second; may be NULL */
} capstan_start_options;

enum {
  CAPSTAN_EVENT_SLIP = 1u,    /* a dry-friction element begins to slip, sticks, or slips the other way */
  CAPSTAN_EVENT_REVERSAL = 2u /* an element whose law has memory is deformed the other way */
};

/* A session at the start of the model: settled, or at the state that the transient's `from:` names.
 * `options` may be NULL. *session is to be ended in every case; it is NULL only when memory ran out.
 * Drives without a motion over time are refused by name. */
capstan_code capstan_start(capstan_model *model, const capstan_start_options *options,
                           capstan_session **session);

double capstan_time(const capstan_session *session); /* s */

/* Another `observe` from now on, every `every` s (capstan_start_options); NULL: none. */
void capstan_observe(capstan_session *session, int (*observe)(void *self, capstan_session *session),
                     void *self, double every);

/* From now on the inputs `index` are value + rate (t - now), each held where `rate` is NULL. `value` NULL:
 * they go on from where they are; an input that imposes a position always does, and a value that differs
 * from it is refused. Either all of them are set or none. */
capstan_code capstan_input(capstan_session *session, int n, const int *index, const double *value,
                           const double *rate);
/* Their present values. */
capstan_code capstan_input_value(const capstan_session *session, int n, const int *index, double *value);

/* Move to the time `until`, exactly. *reached (may be NULL): where it came to. CAPSTAN_OK: there.
 * CAPSTAN_EVENT: an event came before, and the session is just behind it; capstan_session_message says which.
 * CAPSTAN_STOPPED, CAPSTAN_FAILED: the session is at the last time that it came to soundly, where it can be
 * saved, or set and stepped again. */
capstan_code capstan_step(capstan_session *session, double until, double *reached);

/* Values of outputs and of states now. */
capstan_code capstan_output(capstan_session *session, int n, const int *index, double *value);
capstan_code capstan_state(capstan_session *session, int n, const int *index, double *value);
/* All outputs now, in the order of capstan_variables; computed once per time and set of inputs, and valid
 * until the session moves. NULL and a message when they cannot be computed. */
const double *capstan_outputs(capstan_session *session);
/* All states, by reference: the session's own, valid as long as it lives. */
const double *capstan_states(const capstan_session *session);

/* The energy balance since the start: inputs, what is stored, each mechanism, and what is not accounted
 * for. */
typedef struct capstan_energy {
  const char *name; /* of the mechanism */
  const char *kind; /* "input", "stored", "dissipated", "integrator" (lost by the time steps), "residual" */
  double energy;    /* J */
} capstan_energy;
/* At most `room` lines into `lines`; returns how many there are, 0 and a message when they cannot be
 * computed. *scale (may be NULL): the energy that the residual is to be compared with, J. */
int capstan_balance(const capstan_session *session, int room, capstan_energy *lines, double *scale);

/* ---- Saved states --------------------------------------------------------------------------------------
 * Everything that decides what comes next: state, inputs, energy balance, what the stepper carries. A session
 * that goes on and one that was restored give the same bits, in any process on a machine of the same kind. */

/* Bytes that capstan_save needs now. */
size_t capstan_save_size(const capstan_session *session);
/* Into `to`, `room` bytes. With version, identity of the model and digest. */
capstan_code capstan_save(capstan_session *session, void *to, size_t room);
/* Back to a state that was saved from a session of the same model and method. CAPSTAN_BAD_INPUT with the
 * reason: damaged, of another version, model or method; the session is as it was. */
capstan_code capstan_restore(capstan_session *session, const void *from, size_t size);

/* ---- Derivatives --------------------------------------------------------------------------------------- */

/* d/dt of all states now. CAPSTAN_BAD_INPUT where a state has none: set-valued contacts and dry friction. */
capstan_code capstan_derivative(capstan_session *session, double *slope);

/* About the present state, with laws that have memory as they go on in the present sense: x' = A x + B u,
 * y = C x + D u for small deviations of states x, inputs u and the outputs that were asked for. Matrices
 * row by row: A [nstate][nstate], B [nstate][ninput], C [noutput][nstate], D [noutput][ninput]; any may be
 * NULL. */
capstan_code capstan_linearise(capstan_session *session, int noutput, const int *outputs, double *A,
                               double *B, double *C, double *D);

/* The reason of the last call's failure, the event that ended it, or "". Accepts NULL: "out of memory\n". */
const char *capstan_session_message(const capstan_session *session);
/* The method that the session steps with. */
const char *capstan_session_method(const capstan_session *session);

/* Accepts NULL. */
void capstan_end(capstan_session *session);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
