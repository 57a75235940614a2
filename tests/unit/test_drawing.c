/* base/drawing and io/drawing_svg: labels find room, names are escaped, the same drawing gives the same
 * bytes; base/summary: units
 * and items. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/summary.h"
#include "io/drawing_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 40 };

/* The SVG of a drawing; freed by the caller. */
static char *written(const cap_drawing *d, const char *title)
{
  FILE *out = tmpfile();
  assert_non_null(out);
  assert_int_equal(cap_drawing_svg_write(d, title, out), CAP_OK);
  long size = ftell(out);
  char *text = calloc((size_t)size + 1, 1);
  assert_non_null(text);
  rewind(out);
  assert_int_equal(fread(text, 1, (size_t)size, out), size);
  fclose(out);
  return text;
}

/* Labels that all belong to one point, and to points on a line through it. */
static void crowded(cap_drawing *d)
{
  cap_drawing_circle(d, CAP_DRAWING_PART, 0.0, 0.0, 0.05);
  cap_drawing_line(d, CAP_DRAWING_BELT, -0.2, 0.0, 0.2, 0.0);
  for (int k = 0; k < LABELS; k++)
    cap_drawing_text(d, k % 2 ? 0.0 : 0.01 * (k - LABELS / 2), 0.0, 0.0, k % 3 - 1.0, "name_%02d\n%d mm", k,
                     k);
}

/* The centre of each name, from the text of the file. */
static int names_of(const char *svg, double at[LABELS][2])
{
  int n = 0;
  for (const char *p = strstr(svg, "class=\"name\" x="); p; p = strstr(p + 1, "class=\"name\" x=")) {
    assert_int_equal(sscanf(p, "class=\"name\" x=\"%lf\" y=\"%lf\"", &at[n][0], &at[n][1]), 2);
    n++;
  }
  return n;
}

static void labels_keep_apart(void **state)
{
  (void)state;
  cap_drawing d = {0};
  double at[LABELS][2], box[4];
  crowded(&d);
  assert_false(d.exhausted);
  char *svg = written(&d, "crowded");
  assert_int_equal(
      sscanf(strstr(svg, "viewBox"), "viewBox=\"%lf %lf %lf %lf\"", &box[0], &box[1], &box[2], &box[3]), 4);
  assert_int_equal(names_of(svg, at), LABELS);
  for (int i = 0; i < LABELS; i++) { /* a name of 7 signs is some 60 px wide, two lines are 34 px high */
    assert_true(at[i][0] - 30.0 > box[0] && at[i][0] + 30.0 < box[0] + box[2]);
    assert_true(at[i][1] - 15.0 > box[1] && at[i][1] + 20.0 < box[1] + box[3]);
    for (int k = 0; k < i; k++)
      if (fabs(at[i][0] - at[k][0]) < 58.0 && fabs(at[i][1] - at[k][1]) < 33.0)
        fail_msg("labels %d and %d: (%g, %g) and (%g, %g)", i, k, at[i][0], at[i][1], at[k][0], at[k][1]);
  }
  char *again = written(&d, "crowded");
  assert_string_equal(svg, again);
  free(svg);
  free(again);
  cap_drawing_free(&d);
}

static void signs_of_xml(void **state)
{
  (void)state;
  cap_drawing d = {0};
  cap_drawing_arrow(&d, 0.0, 0.0, 1.0, 0.0);
  cap_drawing_text(&d, 0.0, 0.0, 0.0, 1.0, "a<b>&\"c\"");
  cap_drawing_say(&d, "5 < 6");
  char *svg = written(&d, "t&t");
  assert_non_null(strstr(svg, ">a&lt;b&gt;&amp;&quot;c&quot;<"));
  assert_non_null(strstr(svg, "<title>t&amp;t</title>"));
  assert_non_null(strstr(svg, ">5 &lt; 6<"));
  assert_null(strstr(svg, "nan"));
  free(svg);
  cap_drawing_free(&d);
}

static void quantities(void **state)
{
  (void)state;
  char text[32];
  cap_summary s = {0};
  assert_true(fabs(cap_summary_shown("deg", M_PI) - 180.0) < 1e-12);
  assert_true(fabs(cap_summary_shown("rpm", 2.0 * M_PI) - 60.0) < 1e-12);
  assert_true(fabs(cap_summary_shown("N m/deg", 180.0 / M_PI) - 1.0) < 1e-12);
  assert_true(fabs(cap_summary_shown("mm/deg", 0.18 / M_PI) - 1.0) < 1e-12);
  assert_string_equal(cap_summary_format(text, sizeof text, "mm", 0.0125), "12.5 mm");
  assert_string_equal(cap_summary_format(text, sizeof text, "", 3.0), "3");
  cap_summary_begin(&s, "belt");
  cap_summary_number(&s, "length", "mm", 1.94);
  cap_summary_begin(&s, "pulleys");
  cap_summary_item(&s, "crank");
  cap_summary_text(&s, "side", "%s", "groove");
  cap_summary_begin_detail(&s, "more");
  cap_summary_number(&s, "rows", "", 7.0); /* of no item any more */
  assert_false(s.exhausted);
  assert_string_equal(s.first->first->name, "length");
  assert_string_equal(s.first->first->unit, "mm");
  assert_true(fabs(s.first->first->value - 1940.0) < 1e-9);
  assert_false(cap_summary_has_items(s.first));
  assert_true(cap_summary_has_items(s.first->next));
  assert_string_equal(s.first->next->first->item, "crank");
  assert_string_equal(s.first->next->first->text, "groove");
  assert_null(s.last->first->item);
  assert_true(s.last->detail && !s.first->detail);
  cap_summary_free(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_keep_apart),
      cmocka_unit_test(signs_of_xml),
      cmocka_unit_test(quantities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
