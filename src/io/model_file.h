/* io/model_file.h — a model file, read, validated and turned into structs by the tables of its drive.
 *
 * Everything of a file is checked before anything is computed; all findings go to a cap_diag.
 */
#pragma once
#include "analysis/analysis.h"
#include "base/diag.h"
#include "base/hash.h"
#include "drives/drive.h"
#include "io/title_block.h"

/* A data file that a model was read from. */
typedef struct cap_model_input {
  const char *path; /* as it was opened */
  cap_hash128 hash; /* of its bytes */
} cap_model_input;

typedef struct cap_model_file {
  int format;
  int seed;
  double time_limit; /* s of the wall clock for a run; 0 = none */
  const char *name, *description;
  cap_title_block title;
  const cap_drive *drive;
  void *spec;                 /* drive->spec_size bytes */
  cap_description *described; /* what the drive found out about spec as it was read */
  cap_list analyses;          /* items of cap_registry_largest_spec() bytes, `int kind` first */
  cap_outputs outputs;
  const char *path;   /* as given */
  const char *source; /* text of the file */
  const void *tree;   /* cap_yaml_node: where the keys stand, for later findings */
  int nsetting;
  const char *const *settings; /* --set texts, "load.amplitude=13 N" */
  int ninput;
  const cap_model_input *inputs; /* [ninput] CSV files, in the order of their reading, each once */
  const cap_feed *feed;          /* of its inputs over time (io/feed_file.h); NULL = none */
  const char *fed_by;            /* names and hashes of the files that feed, as text; NULL = none */
  cap_arena arena;
} cap_model_file;

/* Read `path` with the settings applied; CAP_ERR_INPUT with findings in `diag` (initialised here). The same
 * from memory (`path` names it in messages; relative CSV paths resolve against its folder). */
cap_status cap_model_file_read(const char *path, int nsetting, const char *const *settings,
                               cap_model_file **file, cap_diag *diag);
cap_status cap_model_file_parse(const char *path, const char *text, size_t size, int nsetting,
                                const char *const *settings, cap_model_file **file, cap_diag *diag);
void cap_model_file_free(cap_model_file *file); /* accepts NULL */
