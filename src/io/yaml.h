/* io/yaml.h — a YAML text as a tree that remembers where everything stood.
 *
 * One document of mappings, lists and scalars. Anchors, aliases and merge keys ("<<") work within limits;
 * explicit tags, several documents, duplicate keys and keys that are not plain texts are refused. An alias
 * shares the node of its anchor, so nodes are not changed in place: cap_tree_path_set copies what it changes.
 */
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"

enum {
  CAP_YAML_DEPTH = 32,     /* sections within sections */
  CAP_YAML_NODES = 200000, /* in all, with every alias counted as often as it is used */
  CAP_YAML_KEYS = 1000,    /* in one section */
  CAP_YAML_ANCHORS = 1000,
};

typedef enum cap_yaml_kind { CAP_YAML_NULL, CAP_YAML_SCALAR, CAP_YAML_LIST, CAP_YAML_MAP } cap_yaml_kind;

/* How a text is written, where a file is to be changed at its place. */
typedef enum cap_yaml_style {
  CAP_YAML_PLAIN,
  CAP_YAML_SINGLE, /* 'quoted' */
  CAP_YAML_DOUBLE, /* "quoted" */
  CAP_YAML_BLOCK   /* | or > */
} cap_yaml_style;

/* The characters of a text in its file, from `at` up to `end`, counted from 0 (behind a byte order mark);
 * an anchor before a value is within. Both 0: not in the file. */
typedef struct cap_yaml_token {
  int at, end;
  cap_yaml_style style;
  bool flow; /* within [] or {} */
} cap_yaml_token;

typedef struct cap_yaml_node cap_yaml_node;

typedef struct cap_yaml_pair {
  const char *key;
  int line, column; /* of the key */
  cap_yaml_token token;
  const char *origin; /* as of a node */
  cap_yaml_node *value;
} cap_yaml_pair;

struct cap_yaml_node {
  cap_yaml_kind kind;
  int line, column;     /* from 1 */
  const char *origin;   /* "--set PATH=VALUE" when it came from there; NULL = the file */
  int weight;           /* nodes in it, aliases expanded */
  const char *text;     /* SCALAR */
  cap_yaml_token token; /* SCALAR */
  int n;                /* items or pairs */
  cap_yaml_node **items;
  cap_yaml_pair *pairs;
};

/* The tree of `text` in `arena`; findings go to `diag`. An empty text is an error.
 * `origin` marks all nodes. */
cap_status cap_yaml_parse(const char *text, size_t size, const char *origin, cap_arena *arena, cap_diag *diag,
                          cap_yaml_node **root);

/* The value of a key of a mapping; NULL when it has none. */
cap_yaml_node *cap_yaml_find(const cap_yaml_node *map, const char *key);
cap_yaml_pair *cap_yaml_find_pair(const cap_yaml_node *map, const char *key);
