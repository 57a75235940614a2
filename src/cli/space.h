/* cli/space.h — whether there is enough address space to begin at all. */
#pragma once

/* First thing in main: returns, starts the program anew with other settings, or ends it with a sentence. */
void cap_space_ready(char **argv);
