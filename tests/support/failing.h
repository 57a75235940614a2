/* Allocations that fail on request: the linker wraps those of the library and of the tests
 * (tests/CMakeLists.txt, kind "fault"). */
#pragma once
#include <stdbool.h>

extern long countdown; /* allocations that succeed before the one that fails; -1 = none fails */
extern bool struck;    /* set by the one that failed */
