/* base/units.c — see units.h.
 *
 * The unit system is built here instead of reading udunits' database: its "rad" has no dimension (10 Hz would
 * pass for 10 rad/s), a reciprocal counts as convertible (2 s would pass for 0.5 Hz), and the file need not
 * be installed. udunits' parser and its message handler are global to the process, hence the lock. (udunits
 * does not survive a failing malloc of its own; what it allocates is a few kB, when the system is built.)
 */
#include "base/units.h"
#include "base/headroom.h"
#include "base/nearest.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udunits2.h>

#define PI 3.14159265358979323846

enum { NBASE = 5, LONGEST_UNIT = CAP_UNITS_LONGEST, LONGEST_NUMBER = 64, NCACHE = 32 };

const cap_units_entry cap_units_list[] = {
    {"m", "metre", 1.0, NULL, true},
    {"kg", "kilogram", 1.0, NULL, false},
    {"s", "second", 1.0, NULL, true},
    {"rad", "radian", 1.0, NULL, true},
    {"K", "kelvin", 1.0, NULL, true},
    {"g", "gram", 1e-3, "kg", true},
    {"t", "tonne", 1e3, "kg", false},
    {"min", "minute", 60.0, "s", false},
    {"h", "hour", 3600.0, "s", false},
    {"deg", "degree of angle, also °", PI / 180.0, "rad", false},
    {"rev", "revolution", 2.0 * PI, "rad", false},
    {"rpm", "revolutions per minute", 2.0 * PI / 60.0, "rad s-1", false},
    {"Hz", "cycles per second; not an angular speed", 1.0, "s-1", true},
    {"N", "newton", 1.0, "kg m s-2", true},
    {"Nm", "newton metre, also N m", 1.0, "kg m2 s-2", true},
    {"J", "joule", 1.0, "kg m2 s-2", true},
    {"W", "watt", 1.0, "kg m2 s-3", true},
    {"Pa", "pascal", 1.0, "kg m-1 s-2", true},
    {"bar", "bar", 1e5, "kg m-1 s-2", true},
    {"in", "inch", 0.0254, "m", false},
    {"ft", "foot", 0.3048, "m", false},
    {"lb", "pound (mass)", 0.45359237, "kg", false},
    {"lbf", "pound-force", 4.4482216152605, "kg m s-2", false},
    {"psi", "pound-force per square inch", 6894.757293168361, "kg m-1 s-2", false},
    {"%", "percent, for pure numbers", 0.01, "1", false},
    {NULL, NULL, 0.0, NULL, false}};

static const struct {
  const char *symbol;
  double factor;
} prefixes[] = {{"T", 1e12}, {"G", 1e9},  {"M", 1e6},  {"k", 1e3},  {"h", 1e2},  {"da", 1e1},
                {"d", 1e-1}, {"c", 1e-2}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};
enum { NPREFIX = sizeof prefixes / sizeof prefixes[0] };

/* SI units by the names that engineers give their quantities; the first of a dimension is the one shown. */
static const struct {
  const char *si, *noun;
} quantities[] = {
    {"m", "a length"},
    {"kg", "a mass"},
    {"s", "a time"},
    {"rad", "an angle"},
    {"K", "a temperature"},
    {"N", "a force"},
    {"m/s", "a speed"},
    {"m/s2", "an acceleration"},
    {"rad/s", "an angular speed"},
    {"rad/s2", "an angular acceleration"},
    {"Hz", "a frequency"},
    {"1/s", "a frequency"},
    {"Pa", "a pressure"},
    {"N/m", "a stiffness"},
    {"N/m2", "a stiffness per length"},
    {"N/m3", "a stiffness per area"},
    {"N s/m", "a damping"},
    {"N m", "a torque"},
    {"N m/rad", "a torsional stiffness"},
    {"N m s/rad", "a torsional damping"},
    {"N m2", "a bending stiffness"},
    {"kg m2", "a moment of inertia"},
    {"kg/m", "a mass per length"},
    {"kg/m3", "a density"},
    {"m2", "an area"},
    {"m3", "a volume"},
    {"1/m", "a curvature"},
    {"1/N", "a compliance"},
    {"m/N", "a flexibility"},
    {"J", "an energy"},
    {"W", "a power"},
};
enum { NQUANTITY = sizeof quantities / sizeof quantities[0] };

typedef struct dimension {
  double scale;
  int power[NBASE];
} dimension;

typedef struct cached {
  char unit[LONGEST_UNIT];
  dimension dim;
} cached;

struct cap_units {
  ut_system *system;
  ut_unit *base[NBASE];
  locale_t plain; /* numbers are read with a decimal point, whatever the user's language */
  cached cache[NCACHE];
};

enum { HEADROOM = 1 << 21 /* bytes: more than udunits takes for the system and for any text */ };

static pthread_mutex_t udunits_lock = PTHREAD_MUTEX_INITIALIZER;

/* --------------------------------------------------------------------------------------------- the system */

static ut_error_message_handler lock_udunits(void)
{
  pthread_mutex_lock(&udunits_lock);
  return ut_set_error_message_handler(ut_ignore);
}

static void unlock_udunits(ut_error_message_handler before)
{
  ut_set_error_message_handler(before);
  pthread_mutex_unlock(&udunits_lock);
}

static bool add_unit(cap_units *units, const cap_units_entry *entry, int *nbase)
{
  ut_unit *unit = NULL;
  if (!entry->definition) {
    unit = ut_new_base_unit(units->system);
    units->base[(*nbase)++] = unit;
    return unit && ut_map_symbol_to_unit(entry->symbol, UT_ASCII, unit) == UT_SUCCESS;
  }
  ut_unit *definition = ut_parse(units->system, entry->definition, UT_ASCII);
  if (definition) unit = ut_scale(entry->factor, definition);
  bool good = unit && ut_map_symbol_to_unit(entry->symbol, UT_ASCII, unit) == UT_SUCCESS;
  ut_free(unit);
  ut_free(definition);
  return good;
}

static bool fill_system(cap_units *units)
{
  units->system = ut_new_system();
  if (!units->system) return false;
  int nbase = 0;
  for (const cap_units_entry *entry = cap_units_list; entry->symbol; entry++)
    if (!add_unit(units, entry, &nbase)) return false;
  for (int i = 0; i < NPREFIX; i++)
    if (ut_add_symbol_prefix(units->system, prefixes[i].symbol, prefixes[i].factor) != UT_SUCCESS)
      return false;
  return true;
}

cap_units *cap_units_create(void)
{
  cap_units *units = cap_headroom(HEADROOM) ? calloc(1, sizeof *units) : NULL;
  if (!units) return NULL;
  units->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  ut_error_message_handler before = lock_udunits();
  bool good = units->plain && fill_system(units);
  unlock_udunits(before);
  if (good) return units;
  cap_units_free(units);
  return NULL;
}

void cap_units_free(cap_units *units)
{
  if (!units) return;
  ut_error_message_handler before = lock_udunits();
  for (int i = 0; i < NBASE; i++) ut_free(units->base[i]);
  ut_free_system(units->system);
  unlock_udunits(before);
  if (units->plain) freelocale(units->plain);
  free(units);
}

/* --------------------------------------------------------------------------------------------- unit texts */

__attribute__((format(printf, 2, 3))) static bool refuse(char *reason, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(reason, CAP_UNITS_REASON, format, args);
  va_end(args);
  return false;
}

static const cap_units_entry *entry_of(const char *symbol, size_t length)
{
  for (const cap_units_entry *entry = cap_units_list; entry->symbol; entry++)
    if (strlen(entry->symbol) == length && memcmp(entry->symbol, symbol, length) == 0) return entry;
  return NULL;
}

static bool known_symbol(const char *symbol, size_t length)
{
  if (entry_of(symbol, length)) return true;
  for (int i = 0; i < NPREFIX; i++) {
    size_t n = strlen(prefixes[i].symbol);
    if (n >= length || memcmp(symbol, prefixes[i].symbol, n) != 0) continue;
    const cap_units_entry *entry = entry_of(symbol + n, length - n);
    if (entry && entry->prefixes) return true;
  }
  return false;
}

/* A known unit that differs from `symbol` only in case ("KN": "kN"), or one that people write differently. */
static const char *other_spelling(const char *symbol, char *buffer, size_t size)
{
  static const char *const habits[][2] = {
      {"mtr", "m"},      {"meter", "m"},     {"metre", "m"},    {"sec", "s"},    {"hour", "h"},
      {"degree", "deg"}, {"degrees", "deg"}, {"radian", "rad"}, {"newton", "N"}, {"kilogram", "kg"},
      {"percent", "%"},  {"hertz", "Hz"},    {"inch", "in"},    {"turn", "rev"}, {"micron", "um"},
      {"r", "rev"},      {"tr", "rev"}};
  for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++)
    if (strcasecmp(symbol, habits[i][0]) == 0) return habits[i][1];
  for (const cap_units_entry *entry = cap_units_list; entry->symbol; entry++) {
    if (strcmp(entry->symbol, "K") == 0) continue; /* nobody who writes "k" means kelvin */
    if (strcasecmp(symbol, entry->symbol) == 0) return entry->symbol;
    for (int i = 0; entry->prefixes && i < NPREFIX; i++) {
      snprintf(buffer, size, "%s%s", prefixes[i].symbol, entry->symbol);
      if (strcasecmp(symbol, buffer) == 0) return buffer;
    }
  }
  return NULL;
}

/* Take the spaces around "*", "." and "/" away, at which udunits stumbles. */
static void close_up(char *plain)
{
  char *to = plain;
  for (const char *from = plain; *from; from++) {
    if (*from == ' ' && to > plain && strchr("*./", to[-1])) continue;
    while (strchr("*./", *from) && to > plain && to[-1] == ' ') to--;
    *to++ = *from;
  }
  *to = 0;
}

/* Common signs outside ASCII become what udunits reads: "µ" u, "°" deg, "·" *, "²" 2, "³" 3. */
static bool normalise(const char *text, char plain[LONGEST_UNIT], char *reason)
{
  static const char *const signs[][2] = {{"\u00b5", "u"}, {"\u03bc", "u"}, {"\u00b0", "deg"}, {"\u00b7", "*"},
                                         {"\u22c5", "*"}, {"\u00b2", "2"}, {"\u00b3", "3"},   {"\u2212", "-"},
                                         {"\u00b9", "1"}, {"\u207b", "-"}};
  size_t n = 0;
  while (*text) {
    const char *put = NULL;
    for (size_t i = 0; !put && i < sizeof signs / sizeof signs[0]; i++) {
      size_t length = strlen(signs[i][0]);
      if (strncmp(text, signs[i][0], length) != 0) continue;
      put = signs[i][1];
      text += length;
    }
    char single[2] = {*text, 0};
    if (!put) {
      put = single;
      text++;
    }
    size_t length = strlen(put);
    if (n + length >= LONGEST_UNIT) return refuse(reason, "the unit is too long");
    memcpy(plain + n, put, length);
    n += length;
  }
  while (n && plain[n - 1] == ' ') n--;
  plain[n] = 0;
  close_up(plain);
  if (strcmp(plain, "U/min") == 0 || strcmp(plain, "r/min") == 0) strcpy(plain, "rpm");
  return true;
}

static bool symbol_character(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '_';
}

/* "Ns" is "N s" with the space forgotten; true with both parts in `buffer`. */
static bool glued(const char *symbol, char *buffer, size_t size)
{
  size_t length = strlen(symbol);
  for (size_t cut = 1; cut < length; cut++) {
    if (!known_symbol(symbol, cut) || !known_symbol(symbol + cut, length - cut)) continue;
    if (symbol[cut - 1] == 'K' || symbol[length - 1] == 'K') continue; /* more likely meant as kilo */
    snprintf(buffer, size, "%.*s %s", (int)cut, symbol, symbol + cut);
    return true;
  }
  return false;
}

static bool is_prefix(const char *symbol)
{
  for (int i = 0; i < NPREFIX; i++)
    if (strcmp(symbol, prefixes[i].symbol) == 0) return true;
  return false;
}

/* A symbol of the unit text; returns what follows it, NULL when it is not known. */
static const char *check_symbol(const char *at, char *reason)
{
  const char *end = at;
  while (symbol_character(*end)) end++;
  if (known_symbol(at, (size_t)(end - at))) return end;
  char symbol[LONGEST_UNIT], buffer[2 * LONGEST_UNIT];
  snprintf(symbol, sizeof symbol, "%.*s", (int)(end - at), at);

  const char *better = glued(symbol, buffer, sizeof buffer) ? buffer
                                                            : other_spelling(symbol, buffer, sizeof buffer);
  if (better) refuse(reason, "unknown unit \"%s\"; write \"%s\"", symbol, better);
  else if (is_prefix(symbol)) refuse(reason, "the prefix \"%s\" has no unit after it", symbol);
  else refuse(reason, "unknown unit \"%s\"", symbol);
  return NULL;
}

/* An exponent: one digit, after an optional "^" and sign. */
static const char *check_exponent(const char *at, char *reason)
{
  if (*at == '^') at++;
  if (*at == '-' || *at == '+') at++;
  if (isdigit((unsigned char)*at) && !isdigit((unsigned char)at[1])) return at + 1;
  refuse(reason, "the exponent of a unit is a single digit");
  return NULL;
}

static bool refuse_character(const char *at, char *reason)
{
  if (*at == '\n' || *at == '\r') return refuse(reason, "a line break is not allowed in a quantity");
  int size = 1; /* all bytes of a UTF-8 character */
  while (((unsigned char)at[size] & 0xc0) == 0x80) size++;
  return refuse(reason, "the character \"%.*s\" is not allowed in a unit", size, at);
}

/* Only symbols of the list, exponents of one digit, "*", ".", "/", parentheses and a leading "1/" reach
 * udunits, whose grammar knows much more (logarithms, dates, offsets) that would turn a typing error into a
 * wrong number. */
static bool check_shape(const char *text, char *reason)
{
  const char *at = text;
  if (at[0] == '1' && at[1 + strspn(at + 1, " ")] == '/') at++;
  int depth = 0;
  while (*at) {
    if (symbol_character(*at)) {
      if (!(at = check_symbol(at, reason))) return false;
      bool exponent = isdigit((unsigned char)*at) || *at == '^';
      if (*at == '-' && isdigit((unsigned char)at[1])) exponent = true;
      if (exponent && !(at = check_exponent(at, reason))) return false;
    } else if (isdigit((unsigned char)*at)) {
      return refuse(reason,
                    at == text ? "digits are not grouped by spaces" : "unexpected number within the unit");
    } else if (*at == '(' || *at == ')') {
      depth += *at++ == '(' ? 1 : -1;
      if (depth < 0 || depth > 4) return refuse(reason, "the parentheses in the unit do not match");
    } else if (strchr(" */.", *at)) {
      at++;
    } else {
      return refuse_character(at, reason);
    }
  }
  if (depth) return refuse(reason, "the parentheses in the unit do not match");
  return true;
}

/* ---------------------------------------------------------------------------------------- visitor: powers */

typedef struct visit {
  const cap_units *units;
  dimension *dim;
} visit;

static int base_index(const cap_units *units, const ut_unit *unit)
{
  for (int i = 0; i < NBASE; i++)
    if (ut_compare(unit, units->base[i]) == 0) return i;
  return -1;
}

static ut_status visit_product(const ut_unit *unit, int count, const ut_unit *const *basic, const int *powers,
                               void *arg)
{
  (void)unit;
  visit *self = arg;
  for (int i = 0; i < count; i++) {
    int index = base_index(self->units, basic[i]);
    if (index < 0) return UT_VISIT_ERROR;
    self->dim->power[index] += powers[i];
  }
  return UT_SUCCESS;
}

static ut_status visit_basic(const ut_unit *unit, void *arg)
{
  const int one = 1;
  return visit_product(unit, 1, &unit, &one, arg);
}

static ut_status visit_galilean(const ut_unit *unit, double scale, const ut_unit *underlying, double offset,
                                void *arg);
static ut_status visit_timestamp(const ut_unit *unit, const ut_unit *time, double origin, void *arg)
{
  (void)unit, (void)time, (void)origin, (void)arg;
  return UT_VISIT_ERROR;
}

static ut_status visit_logarithmic(const ut_unit *unit, double base, const ut_unit *reference, void *arg)
{
  (void)unit, (void)base, (void)reference, (void)arg;
  return UT_VISIT_ERROR;
}

static const ut_visitor visitor = {visit_basic, visit_product, visit_galilean, visit_timestamp,
                                   visit_logarithmic};

static ut_status visit_galilean(const ut_unit *unit, double scale, const ut_unit *underlying, double offset,
                                void *arg)
{
  (void)unit;
  visit *self = arg;
  if (offset != 0.0) return UT_VISIT_ERROR;
  self->dim->scale *= scale;
  return ut_accept_visitor(underlying, &visitor, arg);
}

static bool evaluate(const cap_units *units, const char *plain, dimension *dim)
{
  *dim = (dimension){.scale = 1.0};
  if (!*plain) return true;
  ut_error_message_handler before = lock_udunits();
  ut_unit *unit = ut_parse(units->system, plain, UT_ASCII);
  visit self = {units, dim};
  bool good = unit && ut_accept_visitor(unit, &visitor, &self) == UT_SUCCESS;
  ut_free(unit);
  unlock_udunits(before);
  return good && isfinite(dim->scale) && dim->scale > 0.0;
}

static unsigned slot_of(const char *text)
{
  unsigned hash = 2166136261u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
  return hash % NCACHE;
}

/* The dimension of a unit text, remembered because a list repeats the same unit many times. */
static cached *look_up(cap_units *units, const char *text, char *reason)
{
  char plain[LONGEST_UNIT];
  if (!normalise(text, plain, reason)) return NULL;
  cached *slot = &units->cache[slot_of(plain)];
  if (slot->dim.scale > 0.0 && strcmp(slot->unit, plain) == 0) return slot;
  if (!check_shape(plain, reason)) return NULL;
  dimension dim;
  if (!evaluate(units, plain, &dim)) {
    refuse(reason, "the unit \"%s\" cannot be read", plain);
    return NULL;
  }
  *slot = (cached){.dim = dim};
  memcpy(slot->unit, plain, sizeof plain);
  return slot;
}

static bool same_dimension(const dimension *a, const dimension *b)
{
  return memcmp(a->power, b->power, sizeof a->power) == 0;
}

/* ------------------------------------------------------------------------------------------------ numbers */

/* Length of the decimal number at `text`; 0 = there is none. */
static size_t number_length(const char *text)
{
  const char *at = text;
  if (*at == '+' || *at == '-') at++;
  size_t whole = strspn(at, "0123456789");
  at += whole;
  size_t fraction = 0;
  if (*at == '.') {
    fraction = strspn(at + 1, "0123456789");
    if (whole || fraction) at += 1 + fraction;
  }
  if (!whole && !fraction) return 0;
  if (*at == 'e' || *at == 'E') {
    const char *exponent = at + 1;
    if (*exponent == '+' || *exponent == '-') exponent++;
    size_t digits = strspn(exponent, "0123456789");
    if (digits) at = exponent + digits;
  }
  return (size_t)(at - text);
}

static bool explain_no_number(const char *text, char *reason)
{
  const char *at = text + strspn(text, "+-");
  if (strncasecmp(at, "nan", 3) == 0 || strncasecmp(at, ".nan", 4) == 0 || strncasecmp(at, "inf", 3) == 0 ||
      strncasecmp(at, ".inf", 4) == 0)
    return refuse(reason, "the number must be finite");
  return refuse(reason, "it does not start with a number");
}

static bool zero_digits(const char *text, size_t length)
{
  for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
    if (text[i] >= '1' && text[i] <= '9') return false;
  return true;
}

/* Read the number that starts `text`; *rest is what follows it, without leading spaces. */
static bool leading_number(const cap_units *units, const char *text, double *value, const char **rest,
                           char *reason)
{
  text += strspn(text, " ");
  size_t length = number_length(text);
  if (length == 0) return explain_no_number(text, reason);
  if (length >= LONGEST_NUMBER) return refuse(reason, "the number has too many digits");
  char digits[LONGEST_NUMBER];
  memcpy(digits, text, length);
  digits[length] = 0;
  *value = strtod_l(digits, NULL, units->plain);
  if (!isfinite(*value)) return refuse(reason, "the number is too large");
  if (*value == 0.0 && !zero_digits(digits, length)) return refuse(reason, "the number is too small");
  const char *after = text + length;
  if (*after == ',' && (strpbrk(digits, ".eE") || strpbrk(after + 1, ".,")))
    return refuse(reason, "remove the comma from the number");
  if (*after == ',' && isdigit((unsigned char)after[1]))
    return refuse(reason, "write a decimal point: \"%.*s.%.24s\"", (int)length, digits, after + 1);
  if ((*after == 'x' || *after == 'X') && digits[length - 1] == '0')
    return refuse(reason, "hexadecimal numbers are not supported");
  *rest = after + strspn(after, " ");
  return true;
}

bool cap_units_number(cap_units *units, const char *text, double *value, char reason[CAP_UNITS_REASON])
{
  reason[0] = 0;
  const char *rest;
  if (!leading_number(units, text, value, &rest, reason)) return false;
  if (*rest) return refuse(reason, "unexpected text after the number");
  return true;
}

/* Multiplying by 0.001 rounds twice; dividing by 1000 gives the same number as the literal 45e-3. */
static double scaled(double value, double scale)
{
  double inverse = rint(1.0 / scale);
  if (scale < 1.0 && inverse < 1e15 && fabs(scale * inverse - 1.0) < 1e-15) return value / inverse;
  return value * scale;
}

static bool pure_number(double number, const char *unit, double *value, char *reason)
{
  if (!*unit) {
    *value = number;
    return true;
  }
  if (strcmp(unit, "%") == 0 || strcmp(unit, "percent") == 0) {
    *value = number / 100.0;
    return true;
  }
  return refuse(reason, "remove the unit, the quantity is a pure number");
}

static bool explain_dimension(const dimension *found, const dimension *wanted, char *reason)
{
  dimension turned = *wanted;
  turned.power[3] = 0;
  if (wanted->power[3] && same_dimension(found, &turned)) {
    if (wanted->power[3] == 1 && wanted->power[2] == -1)
      return refuse(reason, "the angle is missing in the unit: write rad/s, rev/s or rpm");
    return refuse(reason, "the angle is missing in the unit: write rad, deg or rev");
  }
  turned = *found;
  turned.power[3] = 0;
  if (found->power[3] && same_dimension(&turned, wanted))
    return refuse(reason, "remove the angle (rad, deg, rev) from the unit");
  return false;
}

/* 1/min, and no other unit of a frequency: see units.h. */
static bool per_minute(const dimension *dim)
{
  const dimension frequency = {.power = {[2] = -1}};
  return same_dimension(dim, &frequency) && fabs(60.0 * dim->scale - 1.0) < 1e-12;
}

static bool angular_speed(const dimension *dim)
{
  const dimension speed = {.power = {[2] = -1, [3] = 1}};
  return same_dimension(dim, &speed);
}

bool cap_units_per_minute(cap_units *units, const char *unit)
{
  char reason[CAP_UNITS_REASON];
  const cached *slot = look_up(units, unit, reason);
  return slot && per_minute(&slot->dim);
}

bool cap_units_parse(cap_units *units, const char *text, const char *si, double *value,
                     char reason[CAP_UNITS_REASON])
{
  reason[0] = 0;
  double number;
  const char *unit;
  if (!leading_number(units, text, &number, &unit, reason)) return false;
  if (!*si) return pure_number(number, unit, value, reason);
  if (!*unit) return refuse(reason, "the unit is missing");
  const cached *slot = look_up(units, unit, reason);
  if (!slot) return false;
  dimension found = slot->dim;
  slot = look_up(units, si, reason);
  if (!slot) return false;
  dimension wanted = slot->dim;
  if (angular_speed(&wanted) && per_minute(&found)) {
    found = wanted;
    found.scale = 2.0 * PI / 60.0;
  }
  if (!same_dimension(&found, &wanted)) return explain_dimension(&found, &wanted, reason);
  double result = scaled(number, found.scale / wanted.scale);
  if (!isfinite(result)) return refuse(reason, "the number is too large");
  *value = result;
  return true;
}

/* ---------------------------------------------------------------------------------------------- SI names */

static void compose_si(const dimension *dim, char si[LONGEST_UNIT])
{
  size_t n = 0;
  si[0] = 0;
  for (int i = 0; i < NBASE; i++) {
    if (!dim->power[i]) continue;
    n += (size_t)snprintf(si + n, LONGEST_UNIT - n, dim->power[i] == 1 ? "%s%s" : "%s%s%d", n ? " " : "",
                          cap_units_list[i].symbol, dim->power[i]);
    if (n >= LONGEST_UNIT) n = LONGEST_UNIT - 1;
  }
}

/* The common name of a dimension, "N m" rather than "m2 kg s-2". */
static void name_si(cap_units *units, const dimension *dim, char si[LONGEST_UNIT])
{
  char reason[CAP_UNITS_REASON];
  compose_si(dim, si);
  for (int i = 0; i < NQUANTITY; i++) {
    const cached *other = look_up(units, quantities[i].si, reason);
    if (!other || !same_dimension(dim, &other->dim)) continue;
    snprintf(si, LONGEST_UNIT, "%s", quantities[i].si);
    return;
  }
}

bool cap_units_base(cap_units *units, const char *unit, double *factor, char si[CAP_UNITS_LONGEST],
                    char reason[CAP_UNITS_REASON])
{
  reason[0] = 0;
  unit += strspn(unit, " ");
  *factor = 1.0;
  si[0] = 0;
  if (!*unit || strcmp(unit, "1") == 0 || strcmp(unit, "-") == 0) return true;
  if (isdigit((unsigned char)*unit) && unit[1 + strspn(unit + 1, " ")] != '/')
    return refuse(reason, "unexpected number within the unit");
  const cached *slot = look_up(units, unit, reason);
  if (!slot) return false;
  dimension dim = slot->dim;
  *factor = dim.scale;
  name_si(units, &dim, si);
  return true;
}

bool cap_units_alike(cap_units *units, const char *a, const char *b)
{
  char reason[CAP_UNITS_REASON];
  const cached *slot = look_up(units, a, reason);
  if (!slot) return false;
  dimension first = slot->dim;
  slot = look_up(units, b, reason);
  return slot && same_dimension(&first, &slot->dim);
}

const char *cap_units_noun(const char *si)
{
  if (!*si) return "a number";
  for (int i = 0; i < NQUANTITY; i++)
    if (strcmp(si, quantities[i].si) == 0) return quantities[i].noun;
  return NULL;
}

char *cap_units_format(char *buffer, size_t size, double value, const char *si)
{
  snprintf(buffer, size, *si ? "%.10g %s" : "%.10g%s", value, si);
  return buffer;
}

/* What follows the number of `written`; NULL when it is no unit of the dimension of `si`. */
static const char *unit_of(cap_units *units, const char *written, const char *si, double *factor)
{
  double number;
  const char *unit;
  char reason[CAP_UNITS_REASON], text[CAP_UNITS_LONGEST + 4];
  if (!leading_number(units, written, &number, &unit, reason) || !*unit) return NULL;
  snprintf(text, sizeof text, "1 %s", unit);
  return cap_units_parse(units, text, si, factor, reason) ? unit : NULL;
}

char *cap_units_like(cap_units *units, char *buffer, size_t size, double value, const char *si,
                     const char *written)
{
  double factor;
  const char *unit = units && written ? unit_of(units, written, si, &factor) : NULL;
  if (unit) snprintf(buffer, size, "%.6g %s", value / factor, unit);
  else snprintf(buffer, size, *si ? "%.6g %s" : "%.6g%s", value, si);
  return buffer;
}
