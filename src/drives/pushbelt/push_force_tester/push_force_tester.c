/* drives/pushbelt/push_force_tester/push_force_tester.c — the Push-Force-Tester: its keys and checks.
 *
 * Maths: docs/theory.md §40; section 2.2.3 of the document. A stack of elements of a pushbelt on its rings,
 * clamped between two hinges and pressed together. The system is built in push_force_tester_build.c.
 */
#include "drives/pushbelt/push_force_tester/push_force_tester.h"
#include "drives/registry.h"
#include "laws/compression.h"

#include <math.h>

typedef cap_push_force_tester_spec spec;

#define REAL_IN(type_, base_, key_, member, unit_, ...)                                                      \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(type_, member) - (base_), .unit = unit_,         \
    .low = 0, .high = INFINITY, __VA_ARGS__                                                                  \
  }
#define REAL(key_, member, unit_, ...) REAL_IN(spec, BASE, key_, member, unit_, __VA_ARGS__)
#define INT(key_, member, low_, high_, ...)                                                                  \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_INT, .offset = offsetof(spec, member) - BASE, .low = low_, .high = high_, \
    __VA_ARGS__                                                                                              \
  }

#define BASE offsetof(spec, elements)
static const cap_field elements_fields[] = {
    INT("simulated", elements.simulated, 2, CAP_PUSH_FORCE_TESTER_ELEMENTS, .fallback = "30", .example = "30",
        .doc = "number of simulated elements N_E"),
    INT("real", elements.real, 2, 100000, .fallback = "100", .example = "100",
        .doc = "number of real elements of the stack N_E0"),
    {0}};
#undef BASE
#define BASE offsetof(spec, contact)
static const cap_field contact_fields[] = {
    CAP_PUSHBELT_PRESS_FIELDS(offsetof(spec, contact.press) - BASE, "0 s", "; no effect on equilibria"),
    REAL("friction", contact.press.friction, "", .fallback = "0", .example = "0.1",
         .doc = "coefficient of friction between elements (regularised Coulomb friction); no effect on "
                "equilibria"),
    REAL("regularisation_velocity", contact.velocity, "m/s", .low_open = true, .fallback = "1 mm/s",
         .example = "1 mm/s", .was = "friction_velocity",
         .doc = "regularisation velocity of the friction between elements"),
    REAL("saddle_stiffness", contact.saddle, "N/m", .low_open = true, .fallback = "1e7 N/m",
         .example = "1e7 N/m", .was = "saddle",
         .doc = "contact stiffness between saddle and ring, of a real element"),
    REAL("ear_stiffness", contact.ear, "N/m", .low_open = true,
         .present = 1 + offsetof(spec, contact.ear_given) - BASE, .example = "1e7 N/m", .was = "ear",
         .doc = "contact stiffness between ear and ring; default: that of the saddle"),
    REAL("holding_stiffness", contact.hold, "N/m", .low_open = true, .fallback = "1e3 N/m",
         .example = "1e3 N/m", .was = "hold",
         .doc = "stiffness of a weak spring that holds a real element within the clearance between saddle "
                "and ear"),
    REAL("smoothing_length", contact.rounding, "m", .low_open = true, .fallback = "0.2 um",
         .example = "0.2 um", .was = "rounding",
         .doc = "penetration over which the contact force of saddle and ear is smoothed"),
    REAL("guide_damping", contact.guide_damping, "s", .fallback = "0 s", .example = "10 us",
         .doc = "damping of saddle and ear over their stiffness"),
    {0}};
#undef BASE
#define BASE offsetof(spec, ring)
static const cap_field ring_fields[] = {
    CAP_PUSHBELT_PACK_FIELDS(offsetof(spec, ring.pack) - BASE),
    REAL("prestress", ring.prestress, "N", .fallback = "1 kN", .example = "1 kN",
         .doc = "prestress F_PS: tension of all ring packs together before the stack is compressed"),
    INT("refine", ring.refine, 1, 20, .fallback = "1", .example = "3",
        .doc = "number of beams of the ring per simulated element"),
    REAL("damping", ring.damping, "s", .fallback = "0 s", .example = "10 us",
         .doc = "material damping: stress = modulus (strain + damping strain rate)"),
    {0}};
#undef BASE
#define BASE offsetof(spec, clamp)
static const cap_field clamp_fields[] = {
    REAL("hinge_distance", clamp.hinge, "m", .low_open = true, .fallback = "30 mm", .example = "30 mm",
         .was = "hinge", .doc = "distance d from the hinge to the middle of the element that turns with it"),
    REAL("ring_distance", clamp.ring, "m", .fallback = "10 mm", .example = "10 mm", .was = "ring",
         .doc = "distance from the hinge to the clamp of the ring"),
    REAL("stiffness", clamp.stiffness, "N/m", .low_open = true, .fallback = "1e9 N/m", .example = "1e9 N/m",
         .doc = "stiffness c_cl of the clamps of the rings"),
    {0}};
#undef BASE
#define BASE offsetof(spec, press)
static const cap_field press_fields[] = {
    {.key = "compression",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(spec, press.compression) - BASE,
     .unit = "",
     .low = 0,
     .low_open = true,
     .high = 0.05,
     .fallback = "1e-3",
     .example = "1e-3",
     .doc = "compression s/l0 at the end; the stack is compressed at constant speed until `time`"},
    REAL("time", press.time, "s", .low_open = true, .fallback = "1 s", .example = "1 s",
         .doc = "time at which the compression is reached"),
    {.key = "path",
     .kind = CAP_FIELD_SERIES,
     .offset = offsetof(spec, press.path) - BASE,
     .present = 1 + offsetof(spec, press.path_given) - BASE,
     .input = 1 + offsetof(spec, press.input) - BASE,
     .unit = "",
     .unit_x = "s",
     .least = 2,
     .most = 100000,
     .increasing = true,
     .example = "[[0 s, 0], [1 s, 1e-3], [2 s, 0]]",
     .doc = "instead of compression and time: compression s/l0 vs time, cubic spline through the points"},
    {0}};
#undef BASE
#define BASE 0

static const char *const laterals[] = {"free", "locked", NULL};

#define SECTION(key_, member, fields_, doc_)                                                                 \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_SECTION, .offset = offsetof(spec, member), .fields = fields_, .doc = doc_ \
  }

static const cap_field fields[] = {
    SECTION("elements", elements, elements_fields, "number of elements"),
    SECTION("element", element, cap_pushbelt_element_fields,
            "shape and mass of a real element; heights are measured from its bottom"),
    SECTION("contact", contact, contact_fields, "contacts between elements, and between elements and ring"),
    SECTION("ring", ring, ring_fields, "rings that guide the elements"),
    SECTION("clamp", clamp, clamp_fields, "hinges at both ends of the stack and clamps of the rings"),
    SECTION("press", press, press_fields, "prescribed motion of the left end"),
    {.key = "lateral",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(spec, lateral),
     .choices = laterals,
     .fallback = "free",
     .example = "locked",
     .doc = "lateral motion of the elements: free, or locked (constant height and pitch, compression along "
            "one line, without rings)"},
    {0}};

/* ---- sizes --------------------------------------------------------------------------------------------- */

double cap_push_force_tester_iota(const spec *s)
{
  return capm_compression_iota(s->elements.real, s->elements.simulated);
}

double cap_push_force_tester_head(const spec *s)
{
  return cap_pushbelt_head(&s->element);
}

/* What is thicker touches first. */
double cap_push_force_tester_length(const spec *s)
{
  return s->elements.real * fmax(s->element.thickness, cap_push_force_tester_head(s));
}

double cap_push_force_tester_most(const spec *s)
{
  double most = 0.0;
  if (!s->press.path_given) return s->press.compression;
  for (int k = 0; k < s->press.path.n; k++) most = fmax(most, s->press.path.y[k]);
  return most;
}

/* ---- checks -------------------------------------------------------------------------------------------- */

static void check_numbers(const spec *s, cap_diag *diag)
{
  if (s->elements.simulated > s->elements.real)
    cap_diag_at(diag, "elements.simulated", "expected at most %d (elements.real), got %d", s->elements.real,
                s->elements.simulated);
}

/* The ring reaches from one clamp to the other, and beams beyond the outermost saddles. */
static void check_ring(const spec *s, cap_diag *diag)
{
  double beam = cap_push_force_tester_iota(s) * s->element.thickness / s->ring.refine;
  double beyond = s->clamp.hinge - s->clamp.ring;
  if (s->lateral == CAP_PUSH_FORCE_TESTER_LOCKED) return;
  double nearest = s->clamp.hinge - 0.6 * beam;
  if (!(nearest > 0.0))
    cap_diag_at(
        diag, "clamp.hinge_distance",
        "too short for the ring beyond the outermost element; expected more than %s (0.6 of a beam of the "
        "ring), got %s; or simulate more elements",
        cap_pushbelt_length(diag, "clamp.hinge_distance", 0.6 * beam),
        cap_pushbelt_length(diag, "clamp.hinge_distance", s->clamp.hinge));
  else if (!(beyond > 0.6 * beam))
    cap_diag_at(
        diag, "clamp.ring_distance",
        "the clamp is too close to the outermost element; expected less than %s (0.6 of a beam of the ring "
        "from it), got %s",
        cap_pushbelt_length(diag, "clamp.ring_distance", nearest),
        cap_pushbelt_length(diag, "clamp.ring_distance", s->clamp.ring));
  double slide = cap_push_force_tester_most(s) * cap_push_force_tester_length(s);
  if (slide > 0.5 * beam)
    cap_diag_at(diag, s->press.path_given ? "press.path" : "press.compression",
                "moves the elements along the ring by more than half a beam of it; expected at most %.4g "
                "(%.4g mm), got "
                "%.4g (%.4g mm); or decrease ring.refine",
                cap_pushbelt_inward(0.5 * beam / cap_push_force_tester_length(s), false), 1e3 * 0.5 * beam,
                cap_push_force_tester_most(s), 1e3 * slide);
}

static void check_path(const spec *s, cap_diag *diag)
{
  if (!s->press.path_given) return;
  for (int k = 0; k < s->press.path.n; k++)
    if (!(fabs(s->press.path.y[k]) <= 0.05)) {
      cap_diag_at(diag, "press.path", "expected compressions from -0.05 to 0.05, got %.4g",
                  s->press.path.y[k]);
      return;
    }
  if (s->press.path.y[0] != 0.0)
    cap_diag_at(diag, "press.path", "expected a compression of 0 at the first point, got %.4g",
                s->press.path.y[0]);
}

static void check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  cap_pushbelt_check(&s->element, &s->ring.pack, diag);
  cap_pushbelt_check_press(&s->contact.press, "contact", diag);
  check_numbers(s, diag);
  check_ring(s, diag);
  check_path(s, diag);
}

/* Pairs: what format version 1 called channels, and what they are called now. */
static const char *const channels_were[] = {"element.#.*", "element[#].*", "joint.#.*",
                                            "joint[#].*",  "guide.#.*",    "guide[#].*",
                                            "ring.#.*",    "ring[#].*",    NULL};

const cap_drive cap_push_force_tester_drive = {
    .name = "push-force-tester",
    .doc = "stack of pushbelt elements on its rings, compressed between two hinges: force vs compression, "
           "cat's back and dog's back",
    .starter = "push_force_tester",
    .fields = fields,
    .channels_were = channels_were,
    .spec_size = sizeof(spec),
    .check = check,
    .build = cap_push_force_tester_build,
    .summarise = cap_push_force_tester_summary,
    .draw = cap_push_force_tester_summary_draw,
};
