/* base/units.h — quantities with units, as a user writes them, turned into SI (udunits2 inside).
 *
 * "45 mm", "2000 rpm", "0.35 N m/deg", "9.81 m/s2", "1e-4". The units of cap_units_list are known, with SI
 * prefixes where the list says so, joined by spaces, "*", "." or "/" (from left to right) and with exponents:
 * "kg m2", "m/s^2".
 *
 * The radian is a base unit here, so that angles cannot be confused: "rpm", "rev/s" and "deg/s" are angular
 * speeds, "Hz" and "1/s" are not, and "N m" is no torsional stiffness. An angular frequency in Hz is refused
 * with a hint rather than multiplied by 2 pi, because both readings of "10 Hz" are common and differ by a
 * factor of six. "1/min" and "min-1" are the exception: as an angular speed they are rpm, since nobody counts
 * radians per minute so; "U/min" and "r/min" are rpm everywhere.
 *
 * Threads: one cap_units serves one thread at a time; several objects may be used at once.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct cap_units cap_units;

#define CAP_UNITS_TURN 6.283185307179586476925 /* rad */

enum { CAP_UNITS_REASON = 160, CAP_UNITS_LONGEST = 64 }; /* bytes of an explanation, of a unit */

/* NULL when memory is exhausted. */
cap_units *cap_units_create(void);
void cap_units_free(cap_units *units); /* accepts NULL */

/* The value of `text` in the SI unit `si` ("" = a pure number, which may carry "%" only). On false, `reason`
 * holds a hint to add to a message, or "" when the dimension is simply another one. */
bool cap_units_parse(cap_units *units, const char *text, const char *si, double *value,
                     char reason[CAP_UNITS_REASON]);

/* A plain decimal number filling all of `text` (spaces around it allowed): no unit, hexadecimal, nan or
 * infinity. */
bool cap_units_number(cap_units *units, const char *text, double *value, char reason[CAP_UNITS_REASON]);

/* What one `unit` is in SI, and which SI unit that is ("mm": 0.001, "m"); "", "1" and "-" stand for a pure
 * number. */
bool cap_units_base(cap_units *units, const char *unit, double *factor, char si[CAP_UNITS_LONGEST],
                    char reason[CAP_UNITS_REASON]);

/* Whether two units have the same dimension. */
bool cap_units_alike(cap_units *units, const char *a, const char *b);

/* Whether a unit is 1/min (min-1, /min): a rotational speed or a frequency, whichever is expected. */
bool cap_units_per_minute(cap_units *units, const char *unit);

/* "a length" for "m"; NULL when the unit has no common name. */
const char *cap_units_noun(const char *si);

/* "0.045 m" into `buffer`; returns it. */
char *cap_units_format(char *buffer, size_t size, double value, const char *si);

/* A value in SI with the unit of `written` ("12 deg"), into `buffer`, with six digits; returns it. In the SI
 * unit where `written` is NULL or has no unit of that dimension; `units` may be NULL then. */
char *cap_units_like(cap_units *units, char *buffer, size_t size, double value, const char *si,
                     const char *written);

/* The units a user may write, for the documentation; ends with symbol NULL. */
typedef struct cap_units_entry {
  const char *symbol, *doc;
  double factor;
  const char *definition; /* in units that stand before it in the list; NULL = base unit */
  bool prefixes;          /* takes SI prefixes */
} cap_units_entry;
extern const cap_units_entry cap_units_list[];
