/* session/model.h — what the public calls on a model (capstan/capstan.h) share with those on sessions. */
#pragma once
#include "capstan/capstan.h"
#include "io/model_file.h"
#include "model/model.h"

#include <locale.h>
#include <stdatomic.h>

/* A model file that a model and its sessions hold together; the last one frees it. */
typedef struct cap_session_file {
  cap_model_file *file;
  atomic_int holders;
} cap_session_file;

cap_session_file *cap_session_file_hold(cap_session_file *file);
void cap_session_file_leave(cap_session_file *file); /* accepts NULL */

enum { CAP_SESSION_KINDS = CAPSTAN_STATE + 1 };

/* The variables of a kind, made when they are first asked for. */
typedef struct cap_session_list {
  bool made;
  int n;
  capstan_variable *variables;
  const double **places; /* of parameters: where their values stand in the structs of the file */
} cap_session_list;

struct capstan_model {
  cap_session_file *held; /* NULL: refused */
  cap_model *built;       /* of the file, from its check; NULL: a run has taken it */
  cap_diag diag;
  cap_error error;
  char sentence[sizeof(((cap_error *)0)->text) + 2]; /* of the error, as a line */
  const char *message;
  capstan_finding *findings; /* of diag, in its arena; NULL: not asked for */
  cap_session_list lists[CAP_SESSION_KINDS];
  const char **analyses;
  cap_arena words;   /* of lists and analyses */
  char *description; /* to be freed */
  char result[4096]; /* where the last run left its results; "" = nowhere */
  bool complete;
};

/* As the program's exit codes (cli/cli.h): what the caller can mend, and what not. */
capstan_code cap_session_code(cap_status status);
/* Forget what the call before had to say. */
void cap_session_model_begin(capstan_model *model);
/* Set the message of a model, NULL or "": that of the status. */
capstan_code cap_session_model_fail(capstan_model *model, cap_status status, const char *text);
/* The system of a model that was not refused, in model->built. */
cap_status cap_session_model_build(capstan_model *model);
/* Copy options that a caller gave (NULL: none) to `own`, the struct of this version, which is zeroed: `first`
 * bytes had that of the first version. What is wrong with their size, as a sentence about `name`; NULL:
 * nothing. */
const char *cap_session_options(const void *given, size_t first, void *own, size_t size, const char *name);

/* Options of a run, copied to `own`; what is wrong with them, as a sentence, NULL: nothing. */
const char *cap_session_run_options(const capstan_options *given, capstan_options *own);

/* Numbers are read and written with a point, whatever the caller's language; only in the calling thread and
 * those that it starts here. Around every call that reads or writes text. */
typedef struct cap_session_language {
  locale_t plain, before;
} cap_session_language;
cap_session_language cap_session_speak_plainly(void);
void cap_session_speak_as_before(const cap_session_language *l);
