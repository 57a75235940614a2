/* session/results.h — results that a run leaves in memory, for the public calls. */
#pragma once
#include "session/model.h"

/* Results of the file of a descriptor, which is taken in every case. */
capstan_code cap_session_results_hold(int fd, capstan_results **results);
