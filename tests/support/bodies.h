/* tests/support/bodies.h — models of the drive bodies as text, run, and the columns of their transient.
 * Include after rolling.h. */
#pragma once
#include <stdarg.h>

enum { BODIES_TEXT = 6000 };

/* The model whose sections are the text; it ends with the analysis. */
__attribute__((format(printf, 1, 2))) static inline rolling bodies_run(const char *format, ...)
{
  char text[BODIES_TEXT] = "capstan: 1\ndrive: bodies\n";
  size_t n = strlen(text);
  va_list list;
  va_start(list, format);
  assert_true(vsnprintf(text + n, sizeof text - n, format, list) < (int)(sizeof text - n));
  va_end(list);
  rolling r = {.result = test_result_run(text)};
  r.t = rolling_column(&r, "time");
  return r;
}

static inline double bodies_last(rolling *r, const char *name)
{
  const double *c = rolling_column(r, name);
  return c[r->n - 1];
}

/* The first row at which the time has come. */
static inline int64_t bodies_row(const rolling *r, double t)
{
  for (int64_t i = 0; i < r->n; i++)
    if (r->t[i] >= t * (1.0 - 1e-12)) return i;
  fail_msg("no row at %g s", t);
  return 0;
}
