/* io/results_tree.h — the contents of a result file, as its writer (results.c) and its reader
 * (results_read.c) both hold them: everything but the bulk values, which stay in the file.
 *
 *   /meta                 attributes capstan_version, git_hash, compiler, flags, drive, name, seed, format,
 *                         complete (0 or 1), and those of title_block.* that were given; datasets model
 * (text of the model file), settings (--set texts)
 *   /<group>              one per analysis, "transient", "transient-2": attributes kind, title, index,
 *                         status ("running" or "complete"); datasets with attributes role, unit, long_name:
 *                           role "column"  one dimension, a value for each row of the table
 *                           role "array"   any rank, attribute axes names the arrays along the dimensions
 *                           role "number"  scalar
 *                           role "text"    scalar text
 *   /audit/<group>        datasets name, kind, energy (J); attributes residual, scale (J), relative
 *   /checkpoint/<group>   only while a run is not complete: the state to continue from
 */
#pragma once
#include "base/arena.h"
#include "base/sink.h"
#include "base/status.h"
#include "io/title_block.h"

/* Results of the first format are the same under old names of channels, which load as the present ones.
 * Those before CAP_RESULTS_CHECKED have no digest (results_block.h). */
enum { CAP_RESULTS_FIRST = 1, CAP_RESULTS_CHECKED = 3, CAP_RESULTS_FORMAT = 3, CAP_RESULTS_RANK = 8 };
/* Rows whose values of one column lie side by side in memory, nine lines of a cache: a power of two would
 * put those of all columns into the same few places of it. */
enum { CAP_RESULTS_TILE = 72 };

/* The texts of /meta: member and attribute. */
#define CAP_RESULTS_META_TEXTS(X)                                                                            \
  X(version, "capstan_version")                                                                              \
  X(git_hash, "git_hash")                                                                                    \
  X(compiler, "compiler")                                                                                    \
  X(flags, "flags")                                                                                          \
  X(drive, "drive")                                                                                          \
  X(name, "name")

/* What the last digits may depend on (base/machine.h): member and attribute. Of a run that was resumed
 * elsewhere all that there were, joined by "; ". Empty in files of before. */
#define CAP_RESULTS_META_MACHINE(X)                                                                          \
  X(processor, "processor")                                                                                  \
  X(blas, "blas")                                                                                            \
  X(libm, "libm")

typedef struct cap_results_meta {
#define CAP_RESULTS_META_MEMBER(member, attribute) const char *member;
  CAP_RESULTS_META_TEXTS(CAP_RESULTS_META_MEMBER)
  CAP_RESULTS_META_MACHINE(CAP_RESULTS_META_MEMBER)
#undef CAP_RESULTS_META_MEMBER
  const char *model; /* text of the model file */
  cap_title_block title;
  int nsetting;
  const char *const *settings;
  const char *fed_by; /* files that fed inputs, with their hashes; "" = none */
  int64_t seed;
} cap_results_meta;

typedef enum cap_results_role {
  CAP_RESULTS_COLUMN,
  CAP_RESULTS_ARRAY,
  CAP_RESULTS_NUMBER,
  CAP_RESULTS_TEXT
} cap_results_role;

typedef struct cap_results_dataset {
  cap_results_role role;
  const char *name, *unit, *long_name, *axes; /* never NULL; "" = none */
  const char *stored;                         /* its name in the file; NULL = name */
  int rank;
  int64_t dims[CAP_RESULTS_RANK];
  double number;
  const char *text;
  int64_t offset,
      next_offset; /* of the values in the file, -1 = not there; the same in a file being written */
  double *values;  /* writer: an array that is not yet in the file */
} cap_results_dataset;

/* One part of the state in a checkpoint; `values` is owned. */
typedef struct cap_results_view {
  cap_view view;
  int64_t offset[2], next_offset[2];
} cap_results_view;

typedef struct cap_results_checkpoint {
  bool found;
  int64_t sequence; /* 1, 2, ...: which of the two slots is the newer one */
  int64_t nrow;     /* rows, items and balances that were there */
  int64_t nitem, nbalance;
  uint64_t rows; /* sum of all values of these rows (cap_results_tree_sum), when `summed` */
  bool summed;
  int nview;
  cap_results_view *views;
  int64_t commit_offset[2], next_commit_offset[2];
} cap_results_checkpoint;

typedef struct cap_results_balance {
  int nline; /* 0 = the group has no balance */
  cap_balance_line *lines;
  double residual, scale, relative; /* J, J, - */
} cap_results_balance;

typedef struct cap_results_group {
  const char *name, *kind, *title;
  int index;
  bool complete;
  int64_t nrow; /* of each column */
  int ncolumn;
  cap_results_dataset *columns;
  int nitem; /* arrays, numbers, texts */
  cap_results_dataset *items;
  cap_results_balance balance;
  cap_results_checkpoint checkpoint;
  /* writer: of nrow, the first `nstored` are in the file (which has room for `capacity`), the rest in
   * `buffer` */
  int64_t nstored, capacity, next_capacity, nbuffer, buffer_room;
  uint64_t rows;  /* sum of the values of all rows so far */
  double *buffer; /* tiles of CAP_RESULTS_TILE rows each, column by column within them */
  bool opened, loaded, restored;
} cap_results_group;

typedef struct cap_results_tree {
  cap_arena arena; /* texts and small tables */
  cap_results_meta meta;
  bool complete;
  int format;     /* of the file that was read */
  bool bare;      /* to be written without dimension scales, see results.h */
  bool unchecked; /* it is one of before, without a digest: nobody knows whether it is whole */
  int ngroup;
  cap_results_group **groups;
} cap_results_tree;

void cap_results_tree_free(cap_results_tree *tree); /* accepts a zeroed tree */
/* Copy the texts of `meta` into the tree. */
cap_status cap_results_tree_set_meta(cap_results_tree *tree, const cap_results_meta *meta, cap_error *error);
cap_results_group *cap_results_tree_group(const cap_results_tree *tree, const char *name); /* NULL = none */
/* Append a group; texts are copied. NULL when memory is exhausted. */
cap_results_group *cap_results_tree_add_group(cap_results_tree *tree, const char *name, const char *kind,
                                              const char *title);
void cap_results_tree_remove_group(cap_results_tree *tree, int index);
/* Note that a group is opened, which puts it behind those that were opened before: groups stand in the order
 * of a run that was never interrupted. Returns whether it stood elsewhere. */
bool cap_results_tree_open_group(cap_results_tree *tree, cap_results_group *group);
/* The column or item of that name, or NULL. */
cap_results_dataset *cap_results_tree_dataset(const cap_results_group *group, const char *name);
/* The text of that name; "" = none. */
const char *cap_results_tree_text(const cap_results_group *group, const char *name);
/* The array of the group along dimension `dim`, when the dataset's axes name one that fits; else NULL. */
const cap_results_dataset *cap_results_tree_axis(const cap_results_group *group,
                                                 const cap_results_dataset *dataset, int dim);
cap_results_dataset *cap_results_tree_add_item(cap_results_group *group);
/* Forget all items from number `nitem` on. */
void cap_results_tree_cut_items(cap_results_group *group, int64_t nitem);
void cap_results_tree_free_checkpoint(cap_results_checkpoint *checkpoint);
/* Residual, scale and relative residual from the lines. */
void cap_results_tree_sum_balance(cap_results_balance *balance);
/* Put rows into the buffer, which has room for them, and into the sum; `values` row by row. */
void cap_results_tree_buffer(cap_results_group *group, int nrow, const double *values);
/* Buffered rows [first, first + n) of one column, as doubles; `values` may begin at any byte. */
void cap_results_tree_gather(const cap_results_group *group, int column, int64_t first, int64_t n,
                             void *values);
/* A sum over rows by which it is seen that they changed. Of `count` values of a column, the first of which is
 * number `place` of its table, counted row by row, and the next ones `step` further on. */
uint64_t cap_results_tree_sum(const double *values, int64_t count, int64_t place, int64_t step);
/* Checksum of a checkpoint, without which a slot does not count. */
int64_t cap_results_tree_checksum(const cap_results_checkpoint *checkpoint);
/* Product of the dims. */
int64_t cap_results_tree_count(const cap_results_dataset *dataset);
