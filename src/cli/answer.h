/* cli/answer.h — what --json prints: one object; docs/cli.md describes it. */
#pragma once
#include "capstan/capstan.h"
#include "cli/command.h"

#include <stdio.h>

/* "{", program, command, model and settings. The outcome follows, then what a command has of its own; the end
 * closes it. */
void cap_answer_begin(FILE *to, const char *command, const char *model, const cap_option_texts *settings);
/* status, exit_code, error (NULL or "" = none), findings */
void cap_answer_outcome(FILE *to, const char *status, int code, const char *error, int n,
                        const capstan_finding *findings);
/* ", "key": " */
void cap_answer_key(FILE *to, const char *key);
void cap_answer_text(FILE *to, const char *key, const char *text); /* NULL = null */
void cap_answer_number(FILE *to, const char *key, double value);   /* null when it is not finite */
void cap_answer_end(FILE *to);
