/* drives/drive.h — what a user models: a table of keys, and how the system is built from them.
 *
 * A drive is one file (or folder) with its table (base/fields.h), the struct that it fills, a cross-field
 * check and a builder; drives/registry.c lists it. Nothing else in the program names a drive.
 */
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/drawing.h"
#include "base/fields.h"
#include "base/status.h"
#include "base/summary.h"

typedef struct cap_builder cap_builder;
typedef struct cap_model cap_model;
typedef struct cap_description cap_description;

/* What a drive has found out about a spec before it builds: found once, when the file is checked, and handed
 * on to the first build (cap_builder_description). */
struct cap_description {
  void *self; /* NULL: nothing */
  cap_arena arena;
};

typedef struct cap_drive {
  const char *name, *doc;
  const char *starter;     /* the model of examples/ that `capstan new` starts from, without its ending */
  const cap_field *fields; /* the drive's own sections, beside capstan, name, drive, analyses, outputs */
  size_t spec_size;
  /* What no single key shows: findings go to `diag` by path. Called only when all keys are valid. May be
   * NULL. */
  void (*check)(const void *spec, cap_diag *diag);
  /* The same for what must be found out about the whole — the course of a belt, its statics — and serves the
   * build, too. Called after `check`, when that found nothing. Without findings description->self is set; its
   * memory comes from description->arena. May be NULL. */
  void (*describe)(const void *spec, cap_description *description, cap_diag *diag);
  /* Channels that format version 1 called otherwise, in pairs of patterns "old", "new"; ends with NULL. "#"
   * in them is a number, "*" any text, each the same on both sides. May be NULL. */
  const char *const *channels_were;
  /* Describe the system of `spec` to the builder (model/builder.h). */
  cap_status (*build)(const void *spec, cap_builder *builder, cap_error *error);
  /* What a person reads first about the system, for `capstan check`: sections of quantities, by the functions
   * that the analyses use. `description` is what `describe` has set, or NULL. May be NULL. */
  void (*summarise)(const void *spec, const void *description, const cap_model *model, cap_summary *summary);
  /* The same as a drawing, for `capstan check --picture`. May be NULL: there is nothing to draw. */
  void (*draw)(const void *spec, const void *description, const cap_model *model, cap_drawing *drawing);
} cap_drive;

extern const cap_drive *const cap_registry_drives[]; /* ends with NULL */
const cap_drive *cap_registry_drive(const char *name);
