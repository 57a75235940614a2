/* base/names.h — names of channels and of what results hold: structured as in FMI, "ring[1].tension".
 *
 * A name is parts joined by ".". A part is letters, digits and "_" without a digit first, or anything in
 * single quotes ('AC pump') where a user's own name is no such word; behind it may stand indices, "[1]".
 */
#pragma once
#include "base/arena.h"
#include <stdbool.h>

/* The legal name of parts that are joined by ".": a part of digits becomes an index of the one before it
 * ("element.1.push" is element[1].push), any other that is no word is quoted. Legal names and patterns ("*",
 * "?") stay as they are. NULL when memory is exhausted. */
const char *cap_names_legal(const char *name, cap_arena *arena);
/* The same of names that analyses make of channels and numbers ("mode.1.ratio"): parts of digits stay. */
const char *cap_names_quoted(const char *name, cap_arena *arena);

/* Whether `legal` is the legal name of parts that are joined by ".". */
bool cap_names_is(const char *legal, const char *name);

/* Whether one part can stand without quotes. */
bool cap_names_is_word(const char *part, size_t length);

/* Whether `name` fits a pattern: "*" any text, "?" one character, all others, also brackets and quotes,
 * themselves. */
bool cap_names_fit(const char *pattern, const char *name);

/* Bytes of the name at the head of a formula, with its quotes and indices; 0 = none begins here. */
size_t cap_names_length(const char *text);

enum { CAP_NAMES_OWN = 60 }; /* longest name that a user gives */

/* Why a user's own name cannot be a part of names of results; NULL: it can. */
const char *cap_names_fault(const char *own);

/* Whether two names differ only in blanks and underscores, which nobody can tell apart. */
bool cap_names_alike(const char *a, const char *b);
