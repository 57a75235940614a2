/* cli/answer.h — what --json prints: one object; docs/cli.md describes it. */
#pragma once
#include "base/diag.h"
#include "cli/command.h"
#include "cli/load.h"

#include <stdio.h>

/* "{", program, command, model and settings. The outcome follows, then what a command has of its own; the end
 * closes it. */
void cap_answer_begin(FILE *to, const char *command, const char *model, const cap_option_texts *settings);
/* status, exit_code, error, findings */
void cap_answer_outcome(FILE *to, const char *status, int code, const cap_error *error, const cap_diag *diag);
/* ", "key": " */
void cap_answer_key(FILE *to, const char *key);
void cap_answer_text(FILE *to, const char *key, const char *text); /* NULL = null */
void cap_answer_number(FILE *to, const char *key, double value);   /* null when it is not finite */
void cap_answer_end(FILE *to);
