/* analysis/extension.c — see extension.h. */
#include "analysis/extension.h"

#include <string.h>

static const void *keys_of(const cap_extension *e, const void *spec)
{
  return (const char *)spec + e->keys;
}

const cap_extension *cap_extension_of(const char *analysis, const cap_model *m)
{
  for (const cap_extension *const *e = cap_registry_extensions; *e; e++)
    if (strcmp((*e)->analysis, analysis) == 0 && (*e)->treats(m)) return *e;
  return NULL;
}

void cap_extension_check(const char *analysis, const void *spec, const cap_model *m, const char *path,
                         cap_diag *diag)
{
  for (const cap_extension *const *e = cap_registry_extensions; *e; e++)
    if (strcmp((*e)->analysis, analysis) == 0) (*e)->check(m, keys_of(*e, spec), path, diag);
}

cap_status cap_extension_run(const cap_extension *extension, cap_run *run, const void *spec)
{
  return extension->run(run, keys_of(extension, spec));
}
