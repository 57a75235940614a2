/* io/bind.h — fill the structs of a model from its tree, as the tables of base/fields.h say.
 *
 * Everything is checked and every finding goes to the diag with its place and its path; the structs are
 * complete only when no finding was added. Texts and arrays live in `arena`.
 */
#pragma once
#include "base/fields.h"
#include "base/hash.h"
#include "base/units.h"
#include "io/yaml.h"

/* Files that values came from, the last one first. */
typedef struct cap_bind_file {
  const char *path;
  cap_hash128 hash;
  struct cap_bind_file *before;
} cap_bind_file;

/* Inputs that keys name, the last one first. */
typedef struct cap_bind_input {
  const char *name, *unit;
  double start;
  struct cap_bind_input *before;
} cap_bind_input;

typedef struct cap_bind {
  cap_arena *arena;
  cap_units *units;
  cap_diag *diag;
  const char *folder; /* of the model file, with "/" at its end; "" = here */
  /* What a SWEEP may name; set before the section with the sweep is bound. */
  const cap_field *parameters;
  void *parameter_spec;
  bool parameters_sound;  /* spec is without findings, so its variants can be trusted */
  bool exhausted;         /* memory ran out */
  cap_bind_file *files;   /* that were read, each once; NULL = none */
  cap_bind_input *inputs; /* each once; NULL = none */
} cap_bind;

/* One table and the struct that it fills. */
typedef struct cap_bind_part {
  const cap_field *fields;
  void *base;
} cap_bind_part;

/* Fill the parts from one mapping, in which the keys of all parts stand side by side. A part without base is
 * known but not filled. */
void cap_bind_mapping(cap_bind *bind, const cap_yaml_node *map, int npart, const cap_bind_part *parts);

/* Findings for keys that no part knows. `partial`: there are further keys that the parts do not describe, so
 * only a key that looks like a required one that is missing is a finding. */
void cap_bind_unknown(cap_bind *bind, const cap_yaml_node *map, int npart, const cap_bind_part *parts,
                      bool partial);

/* Whether the origin of a node, "--set PATH=VALUE", names the path already. */
bool cap_bind_told(const char *origin, const char *path);
