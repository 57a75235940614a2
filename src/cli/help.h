/* cli/help.h — what the program says of itself, from the tables of its commands. */
#pragma once
#include "cli/command.h"

enum { CAP_HELP_TOKEN = 160 };

/* Commands with a line each. */
void cap_help_program(FILE *to);
/* Usage, arguments, options, examples, exit codes. */
void cap_help_command(FILE *to, const cap_command *command);
/* "usage: capstan run MODEL.yaml [-o OUT.h5] ..." */
void cap_help_usage(FILE *to, const cap_command *command);

/* "  head    text that goes on below itself" */
void cap_help_row(FILE *to, const char *head, const char *text);
/* The k-th part of the usage behind the command's name: "MODEL.yaml", "[-o OUT.h5]"; false: there are no
 * more. */
bool cap_help_token(const cap_command *command, int k, char token[CAP_HELP_TOKEN]);
/* "--set PATH=VALUE" */
void cap_help_option(const cap_option *option, char text[CAP_HELP_TOKEN]);
/* Whether a command can end with this exit code. */
bool cap_help_ends(const cap_command *command, int code);
