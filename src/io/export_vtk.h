/* io/export_vtk.h — pieces of VTK's XML files. */
#pragma once
#include "io/export_inner.h"

/* The head of a file with that type of data, "PolyData". */
void cap_export_vtk_head(FILE *out, const char *type);
/* An array "name [unit]" of doubles. */
cap_status cap_export_vtk_array(const cap_export *e, FILE *out, const char *name, const char *unit,
                                int64_t count, const double *values);
/* The contents of an array with format="binary". */
cap_status cap_export_vtk_bytes(const cap_export *e, FILE *out, const void *data, size_t length);
