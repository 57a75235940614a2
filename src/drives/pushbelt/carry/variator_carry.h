/* drives/pushbelt/carry/variator_carry.h — the state of a pushbelt variator in a form that fits a belt of
 * another number of elements.
 *
 * Maths:   docs/theory.md §50.5.
 *
 * Elements are described by where they stand on the line on which the ring was laid out (cap_variator.laid):
 * place along it, distance of the rocking edge from it, pitch against it, velocities along and across; joints
 * by the push and the gap there. Ring, pulleys and sheaves by how far they are from their start. So a state
 * is carried from one belt to another by reading these functions of the place at other places; elements are
 * put so that their joints carry the push that was there.
 */
#pragma once
#include "drives/pushbelt/description/variator_geometry.h"
#include "model/data.h"

/* What tells whether a state fits, and what it is scaled by. */
#define CAP_VARIATOR_CARRY_HEAD(X)                                                                           \
  X(FORMAT)                                                                                                  \
  X(SIMULATED)                                                                                               \
  X(REAL)                                                                                                    \
  X(RATIO) /* of the start */                                                                                \
  X(SPEED) /* rad/s of the primary */                                                                        \
  X(STACK) /* real joints in one, see elements.edge */                                                       \
  X(CENTRE_DISTANCE)                                                                                         \
  X(WEDGE)                                                                                                   \
  X(THICKNESS)                                                                                               \
  X(RING_LENGTH) /* m, free */                                                                               \
  X(RING_MODEL)  /* number of its type */                                                                    \
  X(RING_NODES)                                                                                              \
  X(RING_GRADED)   /* 1: nodes are not even */                                                               \
  X(LAID_LENGTH)   /* m: the line */                                                                         \
  X(LAID_DISTANCE) /* m */                                                                                   \
  X(LAID_THETA)                                                                                              \
  X(STATES) /* inner states of an element */                                                                 \
  X(REST)   /* coordinates that are not those of elements */                                                 \
  X(NOTHER) /* inner states that are not those of elements */

enum {
#define CAP_VARIATOR_CARRY_NAME(name) CAP_VARIATOR_CARRY_##name,
  CAP_VARIATOR_CARRY_HEAD(CAP_VARIATOR_CARRY_NAME)
#undef CAP_VARIATOR_CARRY_NAME
      CAP_VARIATOR_CARRY_NHEAD
};

/* Of an element k, in front of which is k + 1; then come its inner states. */
enum {
  CAP_VARIATOR_CARRY_PLACE, /* m along the line from the start of the lower strand, never falling */
  CAP_VARIATOR_CARRY_OFF,   /* m: rocking edge outside of the line */
  CAP_VARIATOR_CARRY_TILT,  /* rad: pitch less the line's */
  CAP_VARIATOR_CARRY_VT,    /* m/s along the line, of the centre of gravity */
  CAP_VARIATOR_CARRY_VN,    /* m/s outward */
  CAP_VARIATOR_CARRY_TURN,  /* rad/s */
  CAP_VARIATOR_CARRY_PUSH,  /* N between it and the next one */
  CAP_VARIATOR_CARRY_GAP,   /* m between it and the next one */
  CAP_VARIATOR_CARRY_SECTION,
  CAP_VARIATOR_CARRY_NCOLUMN
};

/* As it stands in results: three arrays. */
typedef struct cap_variator_carry {
  double *drive;    /* [NHEAD + others] */
  double *elements; /* [NCOLUMN + states][simulated] */
  double *rest;     /* [2][rest]: coordinates less those of the start, velocities */
} cap_variator_carry;

/* Largest difference of ratios, relative, over which a state is carried. */
#define CAP_VARIATOR_CARRY_NEIGHBOUR 0.1

enum { CAP_VARIATOR_CARRY_ARRAYS = 3 };
extern const cap_column cap_variator_carry_store_columns[CAP_VARIATOR_CARRY_ARRAYS];

/* The state of d. CAP_ERR_NUMERICS: elements have left their order; CAP_ERR_NOMEM. */
cap_status cap_variator_carry_take(const cap_model *m, const cap_data *d, cap_variator_carry *belt,
                                   cap_error *error);
/* Into the open group of a sink, and back from the values of the arrays, which then belong to the belt.
 * CAP_ERR_INPUT: they are no such state. */
cap_status cap_variator_carry_store_put(const cap_variator_carry *belt, cap_sink *sink);
cap_status cap_variator_carry_store_adopt(double *const values[CAP_VARIATOR_CARRY_ARRAYS],
                                          const int64_t counts[CAP_VARIATOR_CARRY_ARRAYS],
                                          cap_variator_carry *belt, cap_error *error);
void cap_variator_carry_store_free(cap_variator_carry *belt); /* accepts a zeroed one */

/* Why this variator cannot start from it, in `error`: another ring, another geometry. */
cap_status cap_variator_carry_store_fits(const cap_variator_carry *belt, const cap_model *m,
                                         cap_error *error);
/* Set positions, velocities and inner states of d; time and energy audit stay as they are. CAP_ERR_INPUT: it
 * does not fit, or the elements find no room. */
cap_status cap_variator_carry_start(const cap_variator_carry *belt, const cap_model *m, cap_data *d,
                                    cap_error *error);

/* Pose of an element (x, y, pitch) whose rocking edge is at a place of a line. */
typedef void (*cap_variator_carry_pose)(const void *self, double place, double pose[3]);
/* Where element j stands when i, behind it, is at `from` and the two press by `push` > 0. */
double cap_variator_carry_next(const cap_variator *v, int i, int j, cap_variator_carry_pose pose,
                               const void *self, double from, double push);
