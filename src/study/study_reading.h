/* study/study_reading.h — what the files that read a study share while they do. */
#pragma once
#include "io/bind_inner.h"
#include "io/model_file.h"
#include "study/design.h"
#include "study/study.h"
#include "study/study_fields.h"

typedef struct cap_study_reading {
  cap_study *study;
  cap_diag *diag;
  cap_bind bind;             /* over the study file */
  const cap_yaml_node *root; /* of the study file */
  cap_study_fields_root raw;
  cap_model_file *model; /* with the settings of all cases */
  const char *folder;    /* of the study file, with "/" at its end */
  cap_design_rows rows;  /* of a table */
  bool checked;          /* it has been checked before */
  bool design_unknown;   /* its section has findings: factors are not held against it */
} cap_study_reading;

/* A name that may stand in formulas: letters, digits and "_", no digit first. No ".", which joins the names
 * of results: "effect.RESPONSE.FACTOR.low". */
bool cap_study_reading_name(const char *name);
/* A quantity in whatever unit it is written; `si` receives its SI unit.
 * A finding at `spot` when it is none. */
bool cap_study_reading_quantity(cap_study_reading *r, const cap_bind_spot *spot, const cap_yaml_node *node,
                                double *value, char si[CAP_UNITS_LONGEST]);
/* "; did you mean "x"?" or "". */
const char *cap_study_reading_hint(const char *best, char buffer[100]);
/* The model at these values of the factors, as a case would read it; `diag` is initialised here. */
cap_status cap_study_reading_model(const cap_study_reading *r, const double *values, cap_model_file **file,
                                   cap_diag *diag);
