/* analysis/observe/pull.h — contacts that hold a body which would lift off: where that is seen first. */
#pragma once
#include "analysis/observe/observers.h"

extern const cap_observer_type cap_pull_observer;
