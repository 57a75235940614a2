/* analysis/extension.h — what drives add to a generic analysis: keys among its own, and models that they
 * treat in its place.
 *
 * A generic analysis names no drive. Its table of keys has an entry MORE where drives may add theirs, its
 * spec has room for the structs of these, and drives/registry.c, which knows all drives, says what stands
 * there:
 *
 *   observers with keys       analysis/observe/observers.h
 *   starts of their own       analysis/stationary/starts.h
 *   models of their own kind  cap_extension
 */
#pragma once
#include "analysis/analysis.h"
#include <stddef.h>

/* Room in the spec of an analysis for the structs of the keys that drives add. */
typedef struct cap_more {
  _Alignas(max_align_t) unsigned char bytes[256];
} cap_more;

typedef struct cap_extension {
  const char *analysis;
  size_t keys; /* where the struct of its keys stands in the spec */
  bool (*treats)(const cap_model *m);
  /* What is wrong with its keys for a model, also for one that it does not treat: findings below `path`. */
  void (*check)(const cap_model *m, const void *keys, const char *path, cap_diag *diag);
  cap_status (*run)(cap_run *run, const void *keys);
} cap_extension;

extern const cap_extension *const cap_registry_extensions[]; /* drives/registry.c; ends with NULL */

/* The extension of an analysis that treats the model; NULL: the analysis itself does. */
const cap_extension *cap_extension_of(const char *analysis, const cap_model *m);
void cap_extension_check(const char *analysis, const void *spec, const cap_model *m, const char *path,
                         cap_diag *diag);
cap_status cap_extension_run(const cap_extension *extension, cap_run *run, const void *spec);
