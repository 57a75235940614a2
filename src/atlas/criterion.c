/* atlas/criterion.c — see criterion.h. */
#include "atlas/criterion.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *text)
{
  while (isspace((unsigned char)*text)) text++;
  return text;
}

static bool take(const char **text, const char *sign)
{
  *text = skip_space(*text);
  if (strncmp(*text, sign, strlen(sign)) != 0) return false;
  *text += strlen(sign);
  return true;
}

static bool take_number(const char **text, double *value)
{
  char *end;
  *text = skip_space(*text);
  *value = strtod(*text, &end);
  if (end == *text || !isfinite(*value)) return false;
  *text = end;
  return true;
}

static bool at_end(const char *text)
{
  return *skip_space(text) == '\0';
}

static bool parse_band(const char *text, cap_criterion *c)
{
  double centre, width;
  if (!take_number(&text, &centre) || !(take(&text, "+-") || take(&text, "\xc2\xb1")) ||
      !take_number(&text, &width) || !(width >= 0))
    return false;
  if (take(&text, "%")) width *= 0.01 * fabs(centre);
  *c = (cap_criterion){.low = centre - width, .high = centre + width};
  return at_end(text);
}

static bool parse_limit(const char *text, cap_criterion *c)
{
  static const struct {
    const char *sign;
    bool low, high, open;
  } signs[] = {{"<=", false, true, false},
               {">=", true, false, false},
               {"<", false, true, true},
               {">", true, false, true},
               {"=", true, true, false}};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    double limit;
    if (!take(&text, signs[i].sign)) continue;
    if (!take_number(&text, &limit)) return false;
    *c = (cap_criterion){.low = signs[i].low ? limit : -INFINITY,
                         .high = signs[i].high ? limit : INFINITY,
                         .low_open = signs[i].open && signs[i].low,
                         .high_open = signs[i].open && signs[i].high};
    return at_end(text);
  }
  return false;
}

static bool parse_interval(const char *text, cap_criterion *c)
{
  double low, high;
  if (!take(&text, "in") || !take(&text, "[") || !take_number(&text, &low) || !take(&text, ",") ||
      !take_number(&text, &high) || !take(&text, "]") || !(low <= high))
    return false;
  *c = (cap_criterion){.low = low, .high = high};
  return at_end(text);
}

bool cap_criterion_parse(const char *text, cap_criterion *criterion)
{
  return parse_band(text, criterion) || parse_limit(text, criterion) || parse_interval(text, criterion);
}

bool cap_criterion_holds(const cap_criterion *c, double value)
{
  bool above = c->low_open ? value > c->low : value >= c->low;
  bool below = c->high_open ? value < c->high : value <= c->high;
  return above && below;
}
