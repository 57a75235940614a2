/* base/expr.c — see expr.h. One pass: the grammar is followed and evaluated at the same time. */
#include "base/expr.h"
#include "base/expr_functions.h"
#include "base/names.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100 };

typedef struct parser {
  const char *text, *next;
  const cap_expr_scope *scope;
  cap_arena *arena;
  cap_error *error;
  int depth;
  bool dry; /* nothing is computed */
} parser;

static cap_status parse_loosest(parser *p, cap_expr_value *value);

static cap_status wrong_at(parser *p, const char *place, const char *what, const char *detail)
{
  return cap_status_fail(p->error, CAP_ERR_INPUT, "\"%s\", character %d: %s%s", p->text,
                         (int)(place - p->text) + 1, what, detail);
}

static void skip_space(parser *p)
{
  while (isspace((unsigned char)*p->next)) p->next++;
}

/* Take an operator when it comes next; one that only begins another ("<" of "<=") is not taken. */
static bool take(parser *p, const char *sign)
{
  skip_space(p);
  size_t length = strlen(sign);
  if (strncmp(p->next, sign, length) != 0) return false;
  if (length == 1 && strchr("<>!=", sign[0]) && p->next[1] == '=') return false;
  p->next += length;
  return true;
}

static cap_status parse_number(parser *p, cap_expr_value *value)
{
  char *end;
  *value = (cap_expr_value){.number = strtod(p->next, &end)};
  if (isalpha((unsigned char)*end) || *end == '_')
    return wrong_at(p, p->next, "expected a number in SI units without a unit, got letters after it", "");
  p->next = end;
  return CAP_OK;
}

/* A name, quoted or not, copied into the arena. */
static cap_status parse_name(parser *p, const char **name)
{
  const char *first = p->next, *end = first + cap_names_length(first);
  if (end == first) return wrong_at(p, p->next, "expected a closing ' of the name", "");
  bool quoted = *first == '\'' && strchr(first + 1, '\'') == end - 1; /* as a whole */
  if (quoted) first++, end--;
  char *copy = cap_arena_alloc(p->arena, (size_t)(end - first) + 1);
  if (!copy) return cap_status_fail(p->error, CAP_ERR_NOMEM, "out of memory for a formula");
  memcpy(copy, first, (size_t)(end - first));
  *name = copy;
  p->next = quoted ? end + 1 : end;
  return CAP_OK;
}

static cap_status parse_call(parser *p, const char *place, const char *name, cap_expr_value *value)
{
  cap_expr_value arguments[CAP_EXPR_FUNCTIONS_ARGUMENTS];
  int n = 0;
  while (!take(p, ")")) {
    if (n > 0 && !take(p, ",")) return wrong_at(p, p->next, "expected \",\" or \")\"", "");
    if (n == CAP_EXPR_FUNCTIONS_ARGUMENTS)
      return wrong_at(p, p->next, "too many arguments; expected at most 16", "");
    CAP_TRY(parse_loosest(p, &arguments[n++]));
  }
  char reason[256];
  if (p->dry) {
    *value = (cap_expr_value){.number = 1.0};
    return cap_expr_functions_known(name, n, reason, sizeof reason) ? CAP_OK : wrong_at(p, place, reason, "");
  }
  cap_status status = cap_expr_functions_call(name, n, arguments, p->arena, value, reason, sizeof reason);
  return status == CAP_ERR_INPUT ? wrong_at(p, place, reason, "") : status;
}

static cap_status parse_named(parser *p, cap_expr_value *value)
{
  const char *place = p->next, *name = NULL;
  bool quoted = *place == '\'';
  CAP_TRY(parse_name(p, &name));
  if (!quoted && take(p, "(")) return parse_call(p, place, name, value);
  if (p->scope && p->scope->find && p->scope->find(p->scope->self, name, value)) return CAP_OK;
  if (!quoted && strcmp(name, "pi") == 0) {
    *value = (cap_expr_value){.number = M_PI};
    return CAP_OK;
  }
  return wrong_at(p, place, "unknown name ", name);
}

static cap_status parse_primary(parser *p, cap_expr_value *value)
{
  skip_space(p);
  unsigned char c = (unsigned char)*p->next;
  if (isdigit(c) || (c == '.' && isdigit((unsigned char)p->next[1]))) return parse_number(p, value);
  if (isalpha(c) || c == '_' || c == '\'') return parse_named(p, value);
  if (c == '\0') return wrong_at(p, p->next, "the formula ends too early; expected a value", "");
  if (!take(p, "(")) return wrong_at(p, p->next, "expected a number, a name or \"(\"", "");
  CAP_TRY(parse_loosest(p, value));
  return take(p, ")") ? CAP_OK : wrong_at(p, p->next, "expected \")\"", "");
}

static cap_status combine(parser *p, const char *place, cap_expr_functions_binary what, cap_expr_value *a,
                          cap_expr_value b)
{
  char reason[256];
  if (p->dry) return CAP_OK;
  cap_status status = cap_expr_functions_combine(what, *a, b, p->arena, a, reason, sizeof reason);
  return status == CAP_ERR_INPUT ? wrong_at(p, place, reason, "") : status;
}

/* ^ binds tighter than a sign before it, and to the right: -2^2 = -4, 2^-1 = 0.5. */
static cap_status parse_unary(parser *p, cap_expr_value *value)
{
  const char *place = p->next;
  if (++p->depth > DEEPEST)
    return wrong_at(
        p, place,
        "too many nested levels; expected a formula with fewer of them; remove parentheses, or split it", "");
  if (take(p, "-")) {
    CAP_TRY(parse_unary(p, value));
    CAP_TRY(combine(p, place, CAP_EXPR_FUNCTIONS_TIMES, value, (cap_expr_value){.number = -1}));
  } else if (take(p, "+")) {
    CAP_TRY(parse_unary(p, value));
  } else if (take(p, "!")) {
    CAP_TRY(parse_unary(p, value));
    CAP_TRY(combine(p, place, CAP_EXPR_FUNCTIONS_EQUAL, value, (cap_expr_value){.number = 0}));
  } else {
    CAP_TRY(parse_primary(p, value));
    skip_space(p);
    place = p->next;
    if (take(p, "^")) {
      cap_expr_value exponent;
      CAP_TRY(parse_unary(p, &exponent));
      CAP_TRY(combine(p, place, CAP_EXPR_FUNCTIONS_POWER, value, exponent));
    }
  }
  p->depth--;
  return CAP_OK;
}

typedef struct operator_sign {
  const char *sign;
  cap_expr_functions_binary what;
} operator_sign;

/* From loose to tight; within a level to the left. */
static const operator_sign levels[][7] = {
    {{"||", CAP_EXPR_FUNCTIONS_OR}},
    {{"&&", CAP_EXPR_FUNCTIONS_AND}},
    {{"<=", CAP_EXPR_FUNCTIONS_AT_MOST},
     {">=", CAP_EXPR_FUNCTIONS_AT_LEAST},
     {"==", CAP_EXPR_FUNCTIONS_EQUAL},
     {"!=", CAP_EXPR_FUNCTIONS_DIFFERENT},
     {"<", CAP_EXPR_FUNCTIONS_LESS},
     {">", CAP_EXPR_FUNCTIONS_MORE}},
    {{"+", CAP_EXPR_FUNCTIONS_PLUS}, {"-", CAP_EXPR_FUNCTIONS_MINUS}},
    {{"*", CAP_EXPR_FUNCTIONS_TIMES}, {"/", CAP_EXPR_FUNCTIONS_OVER}},
};
enum { NLEVEL = sizeof levels / sizeof *levels };

static cap_status parse_level(parser *p, int level, cap_expr_value *value)
{
  if (level == NLEVEL) return parse_unary(p, value);
  CAP_TRY(parse_level(p, level + 1, value));
  for (const operator_sign *o = levels[level]; o->sign;) {
    skip_space(p);
    const char *place = p->next;
    if (!take(p, o->sign)) {
      o++;
      continue;
    }
    cap_expr_value right;
    CAP_TRY(parse_level(p, level + 1, &right));
    CAP_TRY(combine(p, place, o->what, value, right));
    o = levels[level];
  }
  return CAP_OK;
}

static cap_status parse_loosest(parser *p, cap_expr_value *value)
{
  if (++p->depth > DEEPEST)
    return wrong_at(
        p, p->next,
        "too many nested levels; expected a formula with fewer of them; remove parentheses, or split it", "");
  CAP_TRY(parse_level(p, 0, value));
  p->depth--;
  return CAP_OK;
}

static cap_status parse_all(parser *p, cap_expr_value *value)
{
  CAP_TRY(parse_loosest(p, value));
  skip_space(p);
  if (*p->next) return wrong_at(p, p->next, "expected an operator or the end", "");
  return CAP_OK;
}

cap_status cap_expr_eval(const char *text, const cap_expr_scope *scope, cap_arena *arena,
                         cap_expr_value *value, cap_error *error)
{
  parser p = {.text = text, .next = text, .scope = scope, .arena = arena, .error = error};
  return parse_all(&p, value);
}

cap_status cap_expr_check(const char *text, const cap_expr_scope *scope, cap_arena *arena, cap_error *error)
{
  parser p = {.text = text, .next = text, .scope = scope, .arena = arena, .error = error, .dry = true};
  cap_expr_value value;
  return parse_all(&p, &value);
}

cap_status cap_expr_number(const char *text, const cap_expr_scope *scope, cap_arena *arena, double *value,
                           cap_error *error)
{
  cap_expr_value whole;
  CAP_TRY(cap_expr_eval(text, scope, arena, &whole, error));
  if (whole.series)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected a number, got the series \"%s\"; use max, at, ...",
                           text);
  *value = whole.number;
  return CAP_OK;
}
