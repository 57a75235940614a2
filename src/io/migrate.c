/* io/migrate.c — see migrate.h. */
#include "io/migrate.h"
#include "io/model_parse.h"
#include "io/renames.h"
#include "io/rewrite.h"

#include <stdio.h>
#include <string.h>

/* Whether two trees say the same. */
static bool same(const cap_yaml_node *a, const cap_yaml_node *b)
{
  if (a->kind != b->kind || a->n != b->n) return false;
  if (a->kind == CAP_YAML_SCALAR) return strcmp(a->text, b->text) == 0;
  for (int i = 0; i < a->n; i++) {
    if (a->kind == CAP_YAML_LIST && !same(a->items[i], b->items[i])) return false;
    if (a->kind == CAP_YAML_MAP &&
        (strcmp(a->pairs[i].key, b->pairs[i].key) != 0 || !same(a->pairs[i].value, b->pairs[i].value)))
      return false;
  }
  return true;
}

/* "capstan: 1" becomes "capstan: 2". */
static bool raise_version(cap_renames *r, cap_yaml_node *root)
{
  cap_yaml_node *version = cap_yaml_find(root, "capstan");
  cap_renames_edit *edit = cap_arena_alloc(r->arena, sizeof *edit);
  const char *is = cap_arena_format(r->arena, "%d", CAP_MODEL_PARSE_FORMAT);
  if (!edit || !is) return false;
  *edit = (cap_renames_edit){.token = version->token, .was = version->text, .is = is, .before = r->edits};
  r->edits = edit;
  version->text = is;
  return true;
}

static cap_status no_memory(cap_diag *diag)
{
  cap_diag_add(diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

cap_status cap_migrate_text(const char *text, const cap_migrate_kind *kind, cap_arena *arena, cap_diag *diag,
                            const char **out, int *nchange)
{
  cap_yaml_node *root, *again;
  *out = text;
  *nchange = 0;
  size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3
                                                      : 0; /* the places in the tree are those behind it */
  CAP_TRY(cap_yaml_parse(text, strlen(text), NULL, arena, diag, &root));
  if (kind->versioned && cap_model_parse_version(root) != CAP_MODEL_PARSE_FIRST) return CAP_OK;
  cap_renames r = {.arena = arena, .diag = diag, .warn_left = true};
  for (int t = 0; kind->paths[t] && t + 1 < CAP_RENAMES_TABLES; t++) r.paths[t] = kind->paths[t];
  root = cap_renames_map(&r, root, kind->tables);
  if (r.exhausted || (kind->versioned && !raise_version(&r, root))) return no_memory(diag);
  if (diag->nerror) return CAP_ERR_INPUT;
  for (const cap_renames_edit *e = r.edits; e; e = e->before) ++*nchange;
  if (*nchange == 0) return CAP_OK;
  const char *body = cap_rewrite_text(&r, text + mark);
  *out = body ? cap_arena_format(arena, "%.*s%s", (int)mark, text, body) : NULL;
  if (!*out) return no_memory(diag);
  /* What was written must read as what was meant. */
  CAP_TRY(cap_yaml_parse(*out, strlen(*out), NULL, arena, diag, &again));
  if (same(root, again)) return CAP_OK;
  cap_diag_add(diag, 0, 0, NULL,
               "cannot be rewritten: the keys of an anchor (\"&name\") have different names now in the "
               "sections that use it; expected sections without it; write these out");
  return CAP_ERR_INPUT;
}
