/* base/expr_functions.h — the operators and functions of formulas (base/expr.h). */
#pragma once
#include "base/expr.h"

enum { CAP_EXPR_FUNCTIONS_ARGUMENTS = 16 };

typedef enum cap_expr_functions_binary {
  CAP_EXPR_FUNCTIONS_PLUS,
  CAP_EXPR_FUNCTIONS_MINUS,
  CAP_EXPR_FUNCTIONS_TIMES,
  CAP_EXPR_FUNCTIONS_OVER,
  CAP_EXPR_FUNCTIONS_POWER,
  CAP_EXPR_FUNCTIONS_LESS,
  CAP_EXPR_FUNCTIONS_AT_MOST,
  CAP_EXPR_FUNCTIONS_MORE,
  CAP_EXPR_FUNCTIONS_AT_LEAST,
  CAP_EXPR_FUNCTIONS_EQUAL,
  CAP_EXPR_FUNCTIONS_DIFFERENT,
  CAP_EXPR_FUNCTIONS_AND,
  CAP_EXPR_FUNCTIONS_OR
} cap_expr_functions_binary;

/* Whether there is a function of this name that takes n arguments; false with the reason in words. */
bool cap_expr_functions_known(const char *name, int n, char *reason, size_t size);

/* Both: CAP_OK, CAP_ERR_NOMEM, or CAP_ERR_INPUT with the reason in words. */
cap_status cap_expr_functions_combine(cap_expr_functions_binary what, cap_expr_value a, cap_expr_value b,
                                      cap_arena *arena, cap_expr_value *value, char *reason, size_t size);
cap_status cap_expr_functions_call(const char *name, int n, const cap_expr_value *arguments, cap_arena *arena,
                                   cap_expr_value *value, char *reason, size_t size);
