/* analysis/observe/impacts.h — how hard it was to find the forces of set-valued contacts, into the
 * results. */
#pragma once
#include "analysis/analysis.h"

/* Numbers, a histogram of the iterations, and a note by an analysis called `what`; nothing for a model
 * without set-valued contacts. */
cap_status cap_impacts_put(cap_run *run, const char *what, const char *solver);
