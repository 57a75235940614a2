/* drives/pushbelt/push_force_tester/push_force_tester.h — what the files of the drive share: the keys as
 * they were read.
 *
 * Maths: docs/theory.md §40. Lengths in m, heights of the element over its bottom.
 */
#pragma once
#include "drives/drive.h"
#include "drives/pushbelt/description/pushbelt.h"
#include "model/builder.h"

typedef enum cap_push_force_tester_lateral {
  CAP_PUSH_FORCE_TESTER_FREE,
  CAP_PUSH_FORCE_TESTER_LOCKED
} cap_push_force_tester_lateral;

enum { CAP_PUSH_FORCE_TESTER_ELEMENTS = 2000 }; /* simulated ones, at most */

typedef struct cap_push_force_tester_spec {
  struct {
    int simulated, real;
  } elements;
  cap_pushbelt_element element;
  struct {
    cap_pushbelt_press press;
    double velocity;
    double saddle, ear, hold, rounding, guide_damping; /* of a real element */
    bool ear_given;
  } contact;
  struct {
    cap_pushbelt_pack pack;
    double prestress, damping;
    int refine;
  } ring;
  struct {
    double hinge, ring, stiffness;
  } clamp;
  struct {
    double compression, time;
    cap_series path;
    bool path_given;
    cap_input_key input; /* in the place of the path */
  } press;
  int lateral;
} cap_push_force_tester_spec;

/* iota of (2.27): real elements that a simulated one stands for. */
double cap_push_force_tester_iota(const cap_push_force_tester_spec *s);
/* Thickness of a real element at its head, m. */
double cap_push_force_tester_head(const cap_push_force_tester_spec *s);
/* Length of the stack before it is pressed, m. */
double cap_push_force_tester_length(const cap_push_force_tester_spec *s);
/* Largest compression of the path, of the length. */
double cap_push_force_tester_most(const cap_push_force_tester_spec *s);

cap_status cap_push_force_tester_build(const void *spec, cap_builder *builder, cap_error *error);
void cap_push_force_tester_summary(const void *spec, const void *description, const cap_model *model,
                                   cap_summary *out);
void cap_push_force_tester_summary_draw(const void *spec, const void *description, const cap_model *model,
                                        cap_drawing *d);
