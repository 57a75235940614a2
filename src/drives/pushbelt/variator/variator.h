/* drives/pushbelt/variator/variator.h — what the files of the drive share: the keys as they were read.
 *
 * Maths: docs/theory.md §43. Lengths in m, heights of an element over its bottom.
 */
#pragma once
#include "drives/drive.h"
#include "drives/pushbelt/description/compliance.h"
#include "drives/pushbelt/description/pushbelt.h"
#include "drives/pushbelt/description/variator.h"
#include "drives/pushbelt/description/variator_load.h"
#include "drives/pushbelt/ring/ring_mesh.h"
#include "laws/friction_keys.h"
#include "model/builder.h"

typedef enum cap_variator_order {
  CAP_VARIATOR_UNIFORM,
  CAP_VARIATOR_RANDOM,
  CAP_VARIATOR_ALTERNATING,
  CAP_VARIATOR_LISTED
} cap_variator_order;

enum { CAP_VARIATOR_PIN_NONE, CAP_VARIATOR_PIN_ROUND };

enum { CAP_VARIATOR_EDGE_KEPT, CAP_VARIATOR_EDGE_SCALED, CAP_VARIATOR_EDGE_STACKED };

typedef enum cap_variator_mesh { CAP_VARIATOR_GRADED, CAP_VARIATOR_EVEN } cap_variator_mesh;

enum {
  CAP_VARIATOR_COMPLIANT,
  CAP_VARIATOR_SET_VALUED
};                                     /* contacts: with springs and bristles, or without */
enum { CAP_VARIATOR_ELEMENTS = 2000 }; /* simulated ones, at most */

/* A quantity that is given at a pulley: a constant, points over time, or an input that starts so. */
typedef struct cap_variator_given {
  double value;
  cap_input_key input;
  cap_series path;
  bool value_given, path_given;
} cap_variator_given;

/* What is done at one pulley. */
typedef struct cap_variator_side {
  double inertia, loose_mass, loose_damping;
  cap_variator_given speed, torque, clamping;
  double safety;
  bool safety_given;
  cap_variator_given share; /* primary: of the secondary's clamping force, the thrust ratio */
  cap_series closing;       /* primary: imposed closing */
  cap_input_key closing_input;
  bool closing_given;
  cap_variator_given control;  /* primary: speed ratio to be reached */
  double gain, integral, most; /* N, N/s, N of the controller */
} cap_variator_side;

typedef struct cap_variator_spec {
  double ratio, centre_distance, wedge, inner, outer;
  struct {
    double phase, size;
    int seed;
    bool phase_given;
  } disturbance;
  struct {
    int simulated, real, edge;
    bool simulated_given; /* else all real ones are */
    double correction;
    struct {
      int order;
      double spread, difference;
      int seed;
      cap_reals list;
    } thicknesses;
  } elements;
  cap_pushbelt_element element;
  struct {
    double height, length, breadth, sphere, stiffness, damping, shear;
    int of, points, coupling, sticking;
    bool whole, length_given;
    capm_friction_keys_law friction;
  } flank;
  struct {
    cap_pushbelt_press contact;
    double shear;
  } press;
  struct {
    int kind;                                    /* none, round */
    double clearance, height, length, stiffness; /* m, m, m, N/m */
  } pin;
  struct {
    double saddle, ear, damping, shear;
    int normal, sticking;
    bool ear_given;
    capm_friction_keys_law friction;
  } guide;
  struct {
    int model, nodes, mesh;
    cap_pushbelt_pack pack;
    double damping, finest;
    double free_length, endplay;
    bool free_length_given, endplay_given, nodes_given, finest_given;
  } ring;
  cap_compliance_spec compliance;
  struct {
    int kind; /* flat, curved */
    cap_reals shape;
    double low, high;
  } contour;
  cap_variator_side primary, secondary;
  int start;
} cap_variator_spec;

static inline int cap_variator_simulated(const cap_variator_spec *s)
{
  return s->elements.simulated_given ? s->elements.simulated : s->elements.real;
}

extern const cap_field cap_variator_fields[];

/* What it is, as all parts of the program see it: without coordinates and radii of the start. Memory from the
 * arena. */
cap_status cap_variator_describe(const cap_variator_spec *s, cap_arena *arena, cap_variator *v,
                                 cap_error *error);
/* The mesh of a ring that is laid out so: nodes, and where graded their spacing. Nodes do not depend on the
 * loads, so that states fit (carry/). */
cap_ring_mesh_grade cap_variator_describe_mesh(const cap_variator_spec *s, const cap_variator *v,
                                               double length, double distance, double theta);
bool cap_variator_describe_graded(const cap_variator_spec *s);
/* At time 0: speed of the primary, torque on the secondary, clamping there. */
cap_variator_loads cap_variator_describe_loads(const cap_variator_spec *s, const cap_variator *v);

/* What there is to show: handles of the two gauges, and of the first elements of the three batches. */
typedef struct cap_variator_shown {
  const cap_variator_spec *spec;
  const cap_ring_shape *shape;
  int gauge, pins, flanks, joints, guides;
} cap_variator_shown;
/* Channels and picture. */
cap_status cap_variator_channels(const cap_variator_shown *what, const cap_variator *v, cap_builder *b,
                                 cap_error *error);

void cap_variator_check(const void *spec, cap_diag *diag);
void cap_variator_check_describe(const void *spec, cap_description *description, cap_diag *diag);
cap_status cap_variator_build(const void *spec, cap_builder *builder, cap_error *error);
void cap_variator_summary(const void *spec, const void *description, const cap_model *model,
                          cap_summary *out);
void cap_variator_summary_draw(const void *spec, const void *description, const cap_model *model,
                               cap_drawing *d);
