/* drives/tensioner/tensioner_law_summary.c — a law as a person reads it, and as a scheme: its spring, damper
 * and sliders in parallel. */
#include "drives/tensioner/tensioner_law.h"
#include "laws/linear.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool named(const cap_tensioner_law *law, const char *name)
{
  return strcmp(cap_tensioner_law_variants[law->kind].name, name) == 0;
}

static void add_spring(const cap_tensioner_law *law, double angular_frequency, cap_summary *out)
{
  double c = law->c;
  if (law->c_angular_frequency > 0.0 && angular_frequency > 0.0)
    c = capm_linear_scaled_damping(c, law->c_angular_frequency, angular_frequency);
  cap_summary_number(out, "stiffness of the spring", "N/mm", law->k0);
  cap_summary_number(out, "force at zero deflection, without friction", "N", -law->F0);
  cap_summary_number(out, "viscous damping", "N s/m", c);
}

static void add_sliders(const cap_tensioner_law *law, cap_summary *out)
{
  const cap_tensioner_slider *sliders = law->sliders.items;
  double stiffness = law->k0, friction = 0.0;
  for (int k = 0; k < law->sliders.n; k++) stiffness += sliders[k].k, friction += sliders[k].alpha;
  cap_summary_number(out, "stiffness while all sliders stick", "N/mm", stiffness);
  cap_summary_number(out, "friction force, half the width of the loop", "N", friction);
  for (int k = 0; k < law->sliders.n; k++) {
    char name[32];
    snprintf(name, sizeof name, "slider %d", k + 1);
    cap_summary_item(out, name);
    cap_summary_number(out, "stiffness", "N/mm", sliders[k].k);
    cap_summary_number(out, "friction limit", "N", sliders[k].alpha);
    cap_summary_number(out, "largest spring deflection", "mm", sliders[k].alpha / sliders[k].k);
  }
}

static void add_envelopes(const cap_tensioner_law *law, double middle, cap_summary *out)
{
  double upper = law->a * middle + law->b, lower = law->d * middle + law->e;
  cap_summary_number(out, "slope of the upper envelope", "N/mm", law->a);
  cap_summary_number(out, "slope of the lower envelope", "N/mm", law->d);
  cap_summary_number(out, "mid deflection", "mm", middle);
  cap_summary_number(out, "force on the upper envelope there", "N", upper);
  cap_summary_number(out, "force on the lower envelope there", "N", lower);
  cap_summary_number(out, "friction force, half the width of the loop", "N", 0.5 * (upper - lower));
}

void cap_tensioner_law_summary(const cap_tensioner_law *law, double middle, double angular_frequency,
                               cap_summary *out)
{
  cap_summary_begin(out, "tensioner");
  cap_summary_text(out, "law", "%s", cap_tensioner_law_variants[law->kind].name);
  if (named(law, "dahl")) {
    add_envelopes(law, middle, out);
    return;
  }
  add_spring(law, angular_frequency, out);
  if (named(law, "coulomb"))
    cap_summary_number(out, "friction force, half the width of the loop", "N", law->alpha);
  if (named(law, "masing")) add_sliders(law, out);
}

/* ---- scheme -------------------------------------------------------------------------------------------- */

static void draw_slider(cap_drawing *d, double x0, double x1, double y, double width, bool spring)
{
  double middle = spring ? 0.5 * (x0 + x1) : x0;
  if (spring) cap_drawing_spring(d, x0, y, middle, y, 0.6 * width);
  double from = middle + 0.3 * (x1 - middle), to = middle + 0.7 * (x1 - middle);
  cap_drawing_line(d, CAP_DRAWING_ARM, middle, y, from, y);
  cap_drawing_box(d, CAP_DRAWING_PART, from, y - 0.3 * width, to - from, 0.3 * width);
  cap_drawing_wall(d, to + 0.2 * (to - from), y - 0.3 * width, from - 0.2 * (to - from), y - 0.3 * width,
                   0.15 * width);
  cap_drawing_line(d, CAP_DRAWING_ARM, to, y, x1, y);
}

/* The rows of the scheme: what is there side by side. */
void cap_tensioner_law_summary_draw(const cap_tensioner_law *law, double x0, double x1, cap_drawing *d)
{
  const double row = 1.0;
  const cap_tensioner_slider *sliders = law->sliders.items;
  double y = 0.0, middle = 0.5 * (x0 + x1);
  if (named(law, "dahl")) {
    cap_drawing_line(d, CAP_DRAWING_ARM, x0, 0.0, middle - 0.5, 0.0);
    cap_drawing_box(d, CAP_DRAWING_PART, middle - 0.5, -0.4, 1.0, 0.8);
    cap_drawing_line(d, CAP_DRAWING_ARM, middle + 0.5, 0.0, x1, 0.0);
    cap_drawing_text(d, middle, 0.4, 0.0, 1.0, "tensioner\nDahl law\nslopes %.4g and %.4g N/mm",
                     1e-3 * law->a, 1e-3 * law->d);
    return;
  }
  cap_drawing_spring(d, x0, y, x1, y, 0.4);
  cap_drawing_text(d, middle, y + 0.2, 0.0, 1.0, "spring\n%.4g N/mm", 1e-3 * law->k0);
  y -= row;
  if (law->c > 0.0) {
    cap_drawing_damper(d, x0, y, x1, y, 0.4);
    cap_drawing_text(d, middle, y + 0.2, 0.0, 1.0, "damper\n%.4g N s/m", law->c);
    y -= row;
  }
  if (named(law, "coulomb")) {
    draw_slider(d, x0, x1, y, 0.6, false);
    cap_drawing_text(d, middle, y + 0.1, 0.0, 1.0, "dry friction\n%.4g N", law->alpha);
    y -= row;
  }
  for (int k = 0; named(law, "masing") && k < law->sliders.n && k < 8; k++, y -= row) {
    draw_slider(d, x0, x1, y, 0.6, true);
    cap_drawing_text(d, middle, y + 0.2, 0.0, 1.0, "slider %d\n%.4g N/mm, %.4g N", k + 1, 1e-3 * sliders[k].k,
                     sliders[k].alpha);
  }
  cap_drawing_line(d, CAP_DRAWING_ARM, x0, 0.0, x0, y + row);
  cap_drawing_line(d, CAP_DRAWING_ARM, x1, 0.0, x1, y + row);
}
