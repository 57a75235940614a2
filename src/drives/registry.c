/* drives/registry.c — where drives and generic rooms meet: all lists in which both stand.
 *
 * A generic analysis names no drive (analysis/extension.h); what drives add to it is said here: keys,
 * observers, models that they treat in its place, starts of their own, and the sentences of keys that speak
 * of drives.
 */
#include "drives/registry.h"
#include "analysis/observe/observers.h"
#include "analysis/statics/statics.h"
#include "analysis/stationary/stationary.h"
#include "analysis/stepping.h"
#include "analysis/transient.h"
#include "drives/accessory/analyses/statics_belt.h"
#include "drives/pushbelt/carry/variator_from.h"
#include "drives/pushbelt/observe/variator_watch.h"

#include <math.h>
#include <string.h>

/* ---- drives -------------------------------------------------------------------------------------------- */

#define ADDRESS(name) &cap_##name##_drive,
const cap_drive *const cap_registry_drives[] = {CAP_REGISTRY_DRIVES(ADDRESS) NULL};

const cap_drive *cap_registry_drive(const char *name)
{
  for (int k = 0; cap_registry_drives[k]; k++)
    if (strcmp(cap_registry_drives[k]->name, name) == 0) return cap_registry_drives[k];
  return NULL;
}

/* ---- analyses ------------------------------------------------------------------------------------------ */

#define ANALYSIS(name) &cap_##name##_analysis,
const cap_analysis *const cap_registry_analyses[] = {CAP_REGISTRY_ANALYSES(ANALYSIS) NULL};

#define VARIANT(name) {#name, cap_##name##_doc, cap_##name##_fields},
const cap_variant cap_registry_analysis_variants[] = {CAP_REGISTRY_ANALYSES(VARIANT){0}};

size_t cap_registry_largest_spec(void)
{
  size_t largest = 0;
  for (int k = 0; cap_registry_analyses[k]; k++)
    if (cap_registry_analyses[k]->spec_size > largest) largest = cap_registry_analyses[k]->spec_size;
  return largest;
}

/* ---- keys that drives add to generic analyses ---------------------------------------------------------- */

const cap_field cap_registry_statics_fields[] = {
    {.key = "belt drives", .kind = CAP_FIELD_MORE, .fields = cap_statics_belt_keys_fields}, {0}};

/* In cap_more of transient and stationary. */
typedef struct moved {
  cap_variator_watch_spec variator;
  cap_variator_from from;
} moved;
_Static_assert(sizeof(moved) <= sizeof(cap_more), "room for the keys of drives");

#define AT(spec, member) (offsetof(spec, more) + offsetof(moved, member))

const cap_field cap_registry_transient_fields[] = {
    {.key = "variator",
     .kind = CAP_FIELD_SECTION,
     .offset = AT(cap_transient_spec, variator),
     .fields = cap_variator_watch_fields,
     .doc = "how the run of a pushbelt variator is evaluated"},
    {.key = "from",
     .kind = CAP_FIELD_SECTION,
     .offset = AT(cap_transient_spec, from),
     .fields = cap_variator_from_fields,
     .doc = "where a variator starts, in place of its own start: from a coarser belt, or from where another "
            "run ended"},
    {0}};

const cap_field cap_registry_stationary_slip_fields[] = {
    {.key = "slip",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_stationary_spec, slip),
     .unit = "",
     .fallback = "8 %",
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .example = "8 %",
     .doc =
         "mean slip of the elements on a pulley of a variator that counts as macro slip, which ends a point"},
    {0}};

const cap_field cap_registry_stationary_fields[] = {
    {.key = "variator",
     .kind = CAP_FIELD_SECTION,
     .offset = AT(cap_stationary_spec, variator),
     .fields = cap_variator_watch_fields,
     .doc = "post-processing of a variator, as of transient"},
    {.key = "from",
     .kind = CAP_FIELD_SECTION,
     .offset = AT(cap_stationary_spec, from),
     .fields = cap_variator_from_fields,
     .doc = "where a variator starts, in place of its own start: from a coarser belt, or from where another "
            "run ended; along a parameter the first point"},
    {0}};

/* ---- who watches which analysis ------------------------------------------------------------------------ */

/* In the order in which they put their results. X(film, analysis, keys) stands for cap_film_observer; keys is
 * where the struct of its keys stands in the spec of the analysis, 0: it has none. */
#define OBSERVERS(X)                                                                                         \
  X(pull, "transient", 0)                                                                                    \
  X(spectrum, "transient", offsetof(cap_transient_spec, spectrum))                                           \
  X(film, "transient", 0)                                                                                    \
  X(film, "periodic", 0)                                                                                     \
  X(film, "quasistatic", 0)                                                                                  \
  X(belt_watch, "transient", 0)                                                                              \
  X(variator_watch, "transient", AT(cap_transient_spec, variator))                                           \
  X(variator_watch, "stationary", AT(cap_stationary_spec, variator))

#define OBSERVER(name, ...) extern const cap_observer_type cap_##name##_observer;
OBSERVERS(OBSERVER)

#define WATCHES(name, analysis, keys) {&cap_##name##_observer, analysis, keys},
const cap_observer_entry cap_registry_observers[] = {OBSERVERS(WATCHES){0}};

/* ---- where runs may start, and models that are treated in a way of their own --------------------------- */

const cap_start_entry cap_registry_starts[] = {
    {&cap_variator_from_start, "transient", AT(cap_transient_spec, from)},
    {&cap_variator_from_start, "stationary", AT(cap_stationary_spec, from)},
    {0}};

const cap_extension *const cap_registry_extensions[] = {&cap_statics_belt_keys_extension, NULL};

/* ---- sentences of generic keys that speak of drives ---------------------------------------------------- */

const char cap_registry_watch_doc[] = "names or patterns of the channels that must not drift and whose means "
                                      "must be known; when not given, of a "
                                      "variator the ratios, endplay, push forces and power losses";

const char cap_registry_error_doc[] =
    "standard error that is asked for in the means of the watched channels, relative to their means; of a "
    "variator: of the thrust ratio absolute, of the speed ratio a fifth of it, of endplay relative to the "
    "thickness of an element, of push forces and losses twice as much of their sum";

/* Of the key `method` (analysis/stepping.h): what each time stepper is for. */
const char cap_registry_methods_doc[] =
    "time stepper: exact (piecewise-linear systems), midpoint, euler (fixed step), leapfrog (fixed "
    "step, belts of segments), multirate (fixed step, elements of a pushbelt in parts of it), rk4 (fixed "
    "step), rk5 (smooth laws that are not stiff; short rows cost nothing), rk8 (the same for tight "
    "tolerances), switching (smooth laws: rk5, rk8 or, while they are stiff, radau, whichever is the "
    "cheapest at the time), "
    "cvode (smooth laws; starts anew at each row), "
    "extrapolation (smooth laws, high accuracy), radau (smooth and stiff laws, high accuracy), "
    "timestepping (set-valued contacts: impacts, stick and slip; fixed step); auto takes leapfrog for belts "
    "of segments, multirate for pushbelts, else exact where it applies, timestepping for set-valued "
    "contacts, extrapolation for ideal contacts and laws that change form at reversals, midpoint for other "
    "set-valued laws and for forces that jump, switching for all that is smooth (also viscoelastic "
    "contacts), cvode for what none of these takes";
