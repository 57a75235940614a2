/* cli/man.h — man pages from the tables of the commands. */
#pragma once
#include "base/status.h"

/* capstan.1 and capstan-COMMAND.1 into a folder, which is made. */
cap_status cap_man_write(const char *folder, cap_error *error);
