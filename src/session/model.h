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

struct capstan_model {
  cap_session_file *held; /* NULL: refused */
  cap_model *built;       /* of the file, from its check; NULL: a run has taken it */
  cap_diag diag;
  cap_error error;
  char sentence[sizeof(((cap_error *)0)->text) + 2]; /* of the error, as a line */
  const char *message;
};

/* As the program's exit codes (cli/cli.h): what the caller can mend, and what not. */
capstan_code cap_session_code(cap_status status);
/* Set the message of a model, NULL or "": that of the status. */
capstan_code cap_session_model_fail(capstan_model *model, cap_status status, const char *text);

/* Numbers are read and written with a point, whatever the caller's language; only in the calling thread and
 * those that it starts here. Around every call that reads or writes text. */
typedef struct cap_session_language {
  locale_t plain, before;
} cap_session_language;
cap_session_language cap_session_speak_plainly(void);
void cap_session_speak_as_before(const cap_session_language *l);
