/* io/migrate.h — the text of a file of format version 1 as one of version 2: keys, choices and words under
 * their present names, everything else as it was. */
#pragma once
#include "base/diag.h"
#include "base/fields.h"
#include "base/status.h"

/* What a file is, by its tables. */
typedef struct cap_migrate_kind {
  const cap_field *const *tables; /* of its keys; ends with NULL */
  const cap_field *const *paths;  /* of what its paths lead into; ends with NULL */
  bool versioned;                 /* its key "capstan" says the version */
} cap_migrate_kind;

/* The new text, in `arena`, with the number of places that have changed; the same pointer where there are
 * none. CAP_ERR_INPUT with findings in `diag`: the text is no YAML, has a key under both names, or cannot be
 * rewritten place by place. */
cap_status cap_migrate_text(const char *text, const cap_migrate_kind *kind, cap_arena *arena, cap_diag *diag,
                            const char **out, int *nchange);
