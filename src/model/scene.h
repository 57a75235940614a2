/* model/scene.h — what the bodies of a model look like, for drawings: nothing of it is computed with. */
#pragma once

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

typedef struct cap_scene {
  int n;
  const cap_scene_shape *shapes;
} cap_scene;
