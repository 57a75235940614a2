/* io/channel_names.h — names of channels of format version 1 in those of version 2.
 *
 * One place for all: formulas, patterns and watched channels of files, and results that were stored under old
 * names. What a drive has renamed stands in its table (drive.h); beyond that a name is made legal
 * (base/names.h). Present names stay.
 */
#pragma once
#include "base/arena.h"
#include "base/fields.h"

/* A name, or a pattern of names. `of`: tables of keys, of which those of drives say whose names they may be;
 * ends with NULL; NULL or empty: of any drive. NULL when memory ran out. */
const char *cap_channel_names_present(const char *name, const cap_field *const *of, cap_arena *arena);
/* A formula in which names stand. */
const char *cap_channel_names_formula(const char *text, const cap_field *const *of, cap_arena *arena);
/* Names joined by ",", as the axes of an array are. */
const char *cap_channel_names_list(const char *names, const cap_field *const *of, cap_arena *arena);
