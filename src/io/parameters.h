/* io/parameters.h — the numbers of a model file by their paths: what another value can be given to. */
#pragma once
#include "io/model_file.h"

typedef struct cap_parameter {
  const char *path;     /* "pulleys[2].inertia", as of --set */
  const char *unit;     /* SI; 1/s where the file has a frequency in the place of an angular one; "" = pure */
  const cap_field *key; /* sentence */
  const double *place;  /* of its value in SI, in the structs of the file */
  double value;         /* in `unit` */
  double low, high;     /* -INFINITY, INFINITY: no limit */
  bool low_open, high_open;
} cap_parameter;

/* Every number of the drive, its analyses and the outputs that the file has or that has a default, in the
 * order of the tables; lists of numbers and inputs are none. The file must have passed its check. Paths come
 * from `arena`; *list is NULL when memory is exhausted. */
int cap_parameters_list(const cap_model_file *file, cap_arena *arena, cap_parameter **list);
