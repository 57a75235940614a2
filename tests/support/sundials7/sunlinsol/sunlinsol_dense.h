/* See ../declarations.h. */
#pragma once
#include "../declarations.h"
