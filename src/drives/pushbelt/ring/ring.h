/* drives/pushbelt/ring/ring.h — rings: thin closed belts in the plane, by one of four models behind one
 * interface.
 *
 * Maths: docs/theory.md §34 (ale, ale0, the reference curve), §35 (rcm, ancf).
 *
 * A ring is added to a model by one call of cap_ring_build, which describes its coordinates, its block of
 * inertia, its force element and its channels. Contacts ask for the point at a coordinate xi in [0, L) along
 * it (cap_ring_point_at), for the xi nearest to a place (cap_ring_nearest), and push (cap_ring_push).
 *
 *   rcm, ancf    xi is the material coordinate of the undeformed centre line: the point at xi is always the
 *                same piece of material.
 *   ale, ale0    xi is a place along the reference curve: material flows past it with s'.
 *
 * Place and direction: the secondary pulley's axis is the origin, the primary's is at (centre_distance, 0).
 * xi = 0 is the leftmost point of the secondary arc, (-r_S, 0); xi grows clockwise: over the secondary arc to
 * the upper strand, along it from S to P, around P, and back along the lower strand. Travel (speed > 0) and
 * the tangent t point that way; the normal n = (-t_y, t_x) points out of the ring. Curvature is positive
 * where the ring bends around its inside, as on pulleys: t' = -curvature * stretch * n.
 */
#pragma once
#include "model/builder.h"
#include "model/inertia.h"

enum { CAP_RING_COORDS = 12 };

typedef struct cap_ring_section {
  double EA, EI;  /* N, N m2 */
  double mass;    /* kg/m of the undeformed centre line */
  double damping; /* s: stress = E (strain + damping d(strain)/dt), in tension and bending */
  int layers, packs;
  double thickness, width, modulus; /* of one layer: m, m, N/m2 */
} cap_ring_section;

/* layers, packs, thickness, width and modulus given; density kg/m3: EA, EI (layers slide on each other),
 * mass. */
void cap_ring_section_fill(cap_ring_section *section, double density);

typedef enum cap_ring_curvature { CAP_RING_EXACT, CAP_RING_DOCUMENT } cap_ring_curvature;

/* What a model file or a drive says of a ring. Zeroes are good defaults. */
typedef struct cap_ring_shape {
  const char *model; /* a name of CAP_RING_MODELS */
  const char *name;  /* of its channels and mechanisms: "ring" */
  cap_ring_section section;
  double length;          /* m: of the closed curve on which it is laid out at the start */
  double free_length;     /* m: undeformed; 0 = length */
  double centre_distance; /* m, between the axes of the reference curve; 0 = a circle */
  double theta;           /* ratio at the start: Theta = (1 - i)/(1 + i), i = r_S/r_P */
  double theta_speed;     /* 1/s */
  double speed;           /* m/s of travel at the start */
  int nodes;
  const double *mesh; /* [nodes] ascending places xi of the nodes in [0, length), mesh[0] = 0; NULL = even */
  bool open;          /* clamped at both ends: rcm only */
  cap_ring_curvature curvature; /* ale: true curvature, or (2.18) of the document */
  bool lock_deformation;        /* ale: the reference curve only; the same as ale0 */
  bool lock_theta;              /* ale, ale0: the ratio stays */
  bool lock_travel;             /* ale, ale0: it does not travel */
  int outputs;                  /* places, evenly spread, of which tension and stress are channels; 0 = 8 */
} cap_ring_shape;

/* The material point that is at xi now. */
typedef struct cap_ring_point {
  double r[2], t[2];         /* place; unit tangent in the direction of travel */
  double curvature, stretch; /* 1/m; ds/dxi */
  double tension;            /* N without its damping part; ale0: NAN (inextensible: a reaction) */
  int ncoord;
  int coord[CAP_RING_COORDS];   /* model coordinates that move it */
  double J[2][CAP_RING_COORDS]; /* velocity = J v */
  double turn[CAP_RING_COORDS]; /* rate of its section's angle (counterclockwise) = turn . v */
} cap_ring_point;

typedef struct cap_ring_type cap_ring_type;
typedef struct cap_ring_crowd cap_ring_crowd; /* ring_crowd.h */

/* Constant; in the model's arena. The models of rings begin with one. */
typedef struct cap_ring {
  const cap_ring_type *type;
  cap_ring_section section;
  const char *name;
  double length;     /* of xi */
  int first, ncoord; /* its coordinates in the model */
  int element;       /* handle of its force element */
  bool open;         /* xi ends at 0 and at the length; otherwise it goes round */
  double finest;     /* m, shortest spacing of its nodes; 0 = it has none */
  int flow;          /* coordinate that carries material past the fixed places xi (ale, ale0), or -1 */
} cap_ring;

/* Why a ring cannot be such. `text` NULL: it can. */
typedef struct cap_ring_fault {
  const char *text;
  const char *member; /* the one of cap_ring_shape that has to change: "theta" */
  double most;        /* of theta: |Theta| up to which there is such a ring */
} cap_ring_fault;

struct cap_ring_type {
  const char *name;
  bool extensible; /* its length changes: there is tension */
  bool flows;      /* material goes past the places xi, and shapes do not move with it */
  bool stiffens;   /* steps may take its elastic motion implicitly (cap_inertia_type.stiff) */
  bool grades;     /* nodes may stand closer where the curvature jumps, as the jumps stay where they are */
  /* Why it has no set-valued contacts; NULL: it has them, for which it needs crowd_push and, if it has nodes,
   * an inertia that is a chain of them (model/inertia.h). */
  const char *no_rows;
  /* Faults of a shape that are its own, after those of any ring (cap_ring_obstacle). */
  cap_ring_fault (*obstacle)(const cap_ring_shape *shape);
  /* Describe coordinates, inertia, element and channels; NULL: out of memory. */
  cap_ring *(*build)(cap_builder *b, const cap_ring_shape *shape);
  void (*point_at)(const cap_ring *ring, const double *q, double xi, cap_ring_point *point);
  /* r[2], r'[2], r''[2] over xi alone, for searches. */
  void (*place_at)(const cap_ring *ring, const double *q, double xi, double *r, double *r1, double *r2);
  /* Searches of many places at once, xi in [0, length); false: has to go one by one. NULL = none such. */
  bool (*nearest_all)(const cap_ring *ring, const double *q, int n, const double (*places)[2], double *xi);
  /* Along dq (dq[i * stride] of coordinate i of the model): how place and J of the point at the fixed xi
   * change, in the order of cap_ring_point.coord: tangents of contacts on it. */
  void (*vary)(const cap_ring *ring, const double *q, double xi, const double *dq, int stride, double dr[2],
               double dJ[2][CAP_RING_COORDS]);
  /* Crowds of contacts (ring_crowd.h): load nodes and curve, false: one by one; NULL = never. And the forces
   * on places and slopes of the nodes (x, y, x', y'), on travel and ratio, added to h. */
  bool (*crowd)(const cap_ring *ring, const double *q, const double *v, cap_ring_crowd *crowd);
  void (*crowd_push)(const cap_ring *ring, const double *q, const double (*force)[4], double travel,
                     double ratio, double *h);
};

/* All that are there: the model X is ring_X.c with its cap_ring_X_type, and what the keys say of it. A
 * further one is a line here. `ratio`: what is said of ale where travel and ratio are the ring's own. */
#define CAP_RING_MODELS(MODEL, COMMA, ratio)                                                                 \
  MODEL(, rcm, "co-rotational beams")                                                                        \
  MODEL(COMMA, ancf, "absolute nodal coordinates")                                                           \
  MODEL(COMMA, ale, "Eulerian reference curve with " ratio "superimposed deformation")                       \
  MODEL(COMMA, ale0, "running and ratio only")

#define CAP_RING_MODEL(comma, name, doc) extern const cap_ring_type cap_ring_##name##_type;
CAP_RING_MODELS(CAP_RING_MODEL, , )
#undef CAP_RING_MODEL

/* The sentence of a key that chooses one. */
#define CAP_RING_MODEL_DOC(comma, name, doc) comma #name " (" doc ")"
#define CAP_RING_MODELS_DOC(ratio)           "ring model: " CAP_RING_MODELS(CAP_RING_MODEL_DOC, ", ", ratio)

/* In this order, ending with NULL; the choices of such a key. */
extern const cap_ring_type *const cap_ring_types[];
extern const char *const cap_ring_names[];

/* By name: the type or NULL, its place in the lists or -1. */
const cap_ring_type *cap_ring_find(const char *name);
int cap_ring_number(const char *name);
cap_ring_fault cap_ring_obstacle(const cap_ring_shape *shape);
/* Add it to a model. NULL: refused (the reason is in `error`) or out of memory. Constant from then on; it
 * lives as long as the model. */
cap_ring *cap_ring_build(cap_builder *b, const cap_ring_shape *shape, cap_error *error);

/* q[nv] of the whole model. xi is taken modulo the length. */
void cap_ring_point_at(const cap_ring *ring, const double *q, double xi, cap_ring_point *point);
/* h += J' f + turn' moment */
void cap_ring_push(const cap_ring_point *p, const double force[2], double moment, double *h);
/* Warm local search from xi: (place - r(xi)) . t = 0. The answer is in [0, length). */
double cap_ring_nearest(const cap_ring *ring, const double *q, const double place[2], double xi);
/* The same for n places at once, each from its xi: several times faster on ale and ale0. */
void cap_ring_nearest_all(const cap_ring *ring, const double *q, int n, const double (*places)[2],
                          double *xi);
/* Stress of the outer fibre of one layer, N/m2: tension over all layers plus bending. */
double cap_ring_stress(const cap_ring_section *section, double tension, double curvature);
