/* model/scene.h — what the bodies of a model look like, for drawings: nothing of it is computed with. */
#pragma once
#include "base/sink.h"

enum { CAP_SCENE_CORNERS = 8 };

/* A disc (radius > 0), an outline (three corners or more), a line without ends (two corners, bodies on its
 * left), or a link between points of two bodies (to != NULL). */
typedef struct cap_scene_shape {
  const char *body;    /* channels BODY.x, BODY.y, BODY.angle place it; "-" = the ground */
  const char *to;      /* other body of a link; "-" = the ground; NULL = no link */
  double x, y, radius; /* m: of a disc's centre or a link's end in the body's frame */
  double to_x, to_y;   /* m: the other end of a link */
  int ncorner;
  double corner[CAP_SCENE_CORNERS][2]; /* m, in the body's frame */
} cap_scene_shape;

/* What else a drawing of a drive needs, by name. */
typedef enum cap_scene_kind { CAP_SCENE_NUMBER, CAP_SCENE_ARRAY, CAP_SCENE_TEXT } cap_scene_kind;

typedef struct cap_scene_fact {
  cap_scene_kind kind;
  cap_column what;
  const char *text; /* of a text */
  int n;            /* of a number 1 */
  const double *values;
} cap_scene_fact;

typedef struct cap_scene {
  int n;
  const cap_scene_shape *shapes;
  int nfact;
  const cap_scene_fact *facts;
} cap_scene;
