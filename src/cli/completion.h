/* cli/completion.h — completion for shells from the tables of the commands. */
#pragma once
#include <stdio.h>

#define CAP_COMPLETION_SHELLS "bash|zsh|fish"

/* The script for one of the shells. */
void cap_completion_write(FILE *to, const char *shell);
