/* base/fields.h — one table that describes a section of a model file.
 *
 * The same table yields parsing, validation, defaults, JSON Schema, documentation and --set (io/), and the
 * parameters that a sweep may vary (analysis/). A drive, an analysis or a law writes its table once, beside
 * the C struct that it fills. Fields of a table end with an entry whose key is NULL.
 *
 *   static const cap_field belt_fields[] = {
 *     {.key = "stiffness", .kind = CAP_FIELD_REAL, .offset = offsetof(belt, k), .unit = "N/m",
 *      .required = true, .low = 0, .low_open = true, .high = INFINITY,
 *      .example = "560 kN/m", .doc = "axial stiffness of both spans together"},
 *     {0}};
 *
 * Where each kind is stored, at `offset` in the struct of its section:
 *   REAL     double, in SI               INT   int            BOOL  bool
 *   TEXT     const char *                CHOICE int, index into `choices`
 *   REALS    cap_reals: a list "[1 N, 2 N]" or a range {from: , to: , count: , spacing: linear|log}
 *   TEXTS    cap_texts: a list of texts
 *   SERIES   cap_series: pairs [[0 s, 2000 rpm], ...] or {file: x.csv, x: column, y: column}
 *   SWEEP    cap_sweep: {parameter: load.angular_frequency, values: [...]} or {parameter:, from:, to:,
 * count:}; the
 *            values carry the dimension of the parameter, which must be a REAL of the drive's own sections
 *   TABLE    cap_table: a CSV file with named columns, "curve.csv", as it is; `columns`: those that it must
 *            or may have, with their units
 *   UNKNOWNS cap_list of cap_unknown: [{parameter: edge.stiffness, start:, low:, high:, scale: linear|log}];
 *            values carry the dimension of the parameter, a REAL of the drive's own sections
 *   NAMED    cap_named: texts with names, {soft: 1 N/m, stiff: 9 N/m}, or a list of texts that are their own
 *            names; a section or list among them becomes the YAML of one line that says the same
 *   SECTION  a struct, described by `fields`; `short_key`: a single value stands for a section with that key
 *   LIST     cap_list of structs of `item_size`, described by `fields`
 *   VARIANT  a struct whose first member is an int tag; key `tag_key` of the mapping names the variant, whose
 *            own fields (offsets in the same struct) apply
 *   STEPS    cap_list of structs of `item_size` whose first member is an int tag; each item is a mapping with
 *            one key, the variant's name: "- transient: {until: 1 s}"
 *   REAL and SERIES with `input` accept {input: NAME, start: VALUE} as well: a number that someone outside
 *            sets while the system moves (model/input.h); the REAL is its start, the SERIES one point with
 *            it. A VARIANT that has a variant "input" whose first field is such a REAL accepts it, too
 *   MORE     further keys of the same struct, which stand here among the others: `fields`; a drive adds keys
 *            to those of a generic analysis by it
 */
#pragma once
#include "base/nearest.h"
#include <stdbool.h>
#include <stddef.h>

typedef enum cap_field_kind {
  CAP_FIELD_REAL,
  CAP_FIELD_INT,
  CAP_FIELD_BOOL,
  CAP_FIELD_TEXT,
  CAP_FIELD_CHOICE,
  CAP_FIELD_REALS,
  CAP_FIELD_TEXTS,
  CAP_FIELD_SERIES,
  CAP_FIELD_SWEEP,
  CAP_FIELD_TABLE,
  CAP_FIELD_UNKNOWNS,
  CAP_FIELD_NAMED,
  CAP_FIELD_SECTION,
  CAP_FIELD_LIST,
  CAP_FIELD_VARIANT,
  CAP_FIELD_STEPS,
  CAP_FIELD_MORE
} cap_field_kind;

typedef struct cap_reals {
  int n;
  double *v; /* [n], SI */
} cap_reals;

typedef struct cap_texts {
  int n;
  const char **v;
} cap_texts;

typedef struct cap_named {
  int n;
  const char **names, **v; /* [n] */
} cap_named;

typedef struct cap_series {
  int n;
  double *x, *y;    /* [n], SI */
  const char *file; /* where it came from; NULL = written in the model file */
} cap_series;

typedef struct cap_list {
  int n;
  void *items;
} cap_list;

typedef struct cap_field cap_field;

typedef struct cap_sweep {
  const char *path;        /* the parameter, "load.angular_frequency"; NULL = the sweep was not given */
  const cap_field *target; /* its field */
  cap_reals values;        /* in SI units of the target */
} cap_sweep;

/* A column that a TABLE must have, or may. */
typedef struct cap_table_column {
  const char *name, *unit; /* SI; "" = pure number */
  bool required;
} cap_table_column;

typedef struct cap_table {
  const char *file; /* NULL = not given */
  int ncolumn, nrow;
  const char *const *names; /* [ncolumn] */
  const char *const *units; /* [ncolumn] SI, "" = pure number */
  const bool *per_minute;   /* [ncolumn] in Hz since 1/min was written, which may be an angular speed */
  double *const *values;    /* [ncolumn][nrow] SI */
} cap_table;

/* A parameter to be found. */
typedef struct cap_unknown {
  const char *path;
  const cap_field *target;
  double start, low, high; /* SI; start as the model file has it, bounds of the field, unless given */
  bool logarithmic;        /* varied by factors */
} cap_unknown;

typedef struct cap_variant {
  const char *name, *doc;
  const cap_field *fields; /* may be NULL: no keys of its own */
} cap_variant;

/* What the words of a TEXT, TEXTS or NAMED refer to: such words are renamed together with what they name. */
typedef enum cap_field_means {
  CAP_MEANS_NOTHING,
  CAP_MEANS_PATH,    /* a key of the model, "load.amplitude" */
  CAP_MEANS_SETTING, /* a key and its value, "ratio=2.42" */
  CAP_MEANS_VALUE,   /* the value of the key that "path" or "paths" of the same section name */
  CAP_MEANS_CHANNEL, /* a channel, or a pattern of channels, "span.*.tension" */
  CAP_MEANS_FORMULA, /* an expression in which channels stand */
  CAP_MEANS_NAME     /* a name that the user gives; results are called after it */
} cap_field_means;

struct cap_field {
  const char *key;
  cap_field_kind kind;
  size_t offset;
  const char *unit;   /* SI unit of REAL, REALS, SERIES y ("" = pure number, may not carry a unit) */
  const char *unit_x; /* SERIES: of x */
  bool required;
  const char *fallback;     /* default, as a user would write it ("9.81 m/s2"); NULL with !required: zeroed */
  double low, high;         /* range of REAL, INT and each of REALS; both 0 = no limit */
  bool low_open, high_open; /* the limit itself is excluded */
  int most;                 /* LIST, REALS, TEXTS, STEPS: largest number of items; 0 = 10000 */
  int least;                /* ... and the smallest */
  bool increasing;          /* REALS: strictly increasing; SERIES: x strictly increasing */
  const char *const *choices;      /* CHOICE: names, NULL-terminated */
  const cap_field *fields;         /* SECTION, LIST */
  const char *short_key;           /* SECTION: the key that a single value stands for; NULL = none */
  const cap_variant *variants;     /* VARIANT, STEPS: ends with name NULL */
  const char *tag_key;             /* VARIANT: such as "law" */
  const char *tag_default;         /* VARIANT: which one it is when tag_key is not given; NULL = it must be */
  const cap_table_column *columns; /* TABLE: ends with name NULL; or NULL: any */
  size_t item_size;                /* LIST, STEPS */
  size_t present; /* SECTION, VARIANT, SERIES...: 1 + offset of a bool: was the key given? 0 = none */
  size_t input;   /* REAL, SERIES: 1 + offset of a cap_input_key (model/input.h); 0 = it accepts no input */
  const char *example, *doc;
  const char *was;   /* its key in files of format version 1; NULL = the same */
  const char *hertz; /* REAL, an angular frequency: the key by which it may be given in Hz instead; or NULL */
  /* CHOICE, VARIANT, STEPS: names of format version 1, in pairs "old", "new"; ends with NULL. */
  const char *const *names_were;
  /* CHOICE: names of format version 1 that no longer exist, in pairs "old", "what serves instead". */
  const char *const *names_left;
  const char *const *keys_left; /* keys that left, in place of which this one serves; ends with NULL */
  cap_field_means means;
};

/* The REAL field and its place in `spec` for a path such as "load.angular_frequency", "pulleys[2].radius" or
 * "pulleys[crank].radius"; NULL when there is none. Follows the variants that `spec` has chosen. */
const cap_field *cap_fields_locate(const cap_field *fields, void *spec, const char *path, double **place);

enum { CAP_FIELDS_REASON = 512 };

/* Whether a path fails because a list has no item of that name, or two; `reason` is the sentence. */
bool cap_fields_item_missing(const cap_field *fields, void *spec, const char *path,
                             char reason[CAP_FIELDS_REASON]);

/* All fields of a table in their order, through the tables that stand in it as MORE:
 *
 *   for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) ... w.field ... */
typedef struct cap_fields_walk {
  const cap_field *field; /* NULL: the end */
  const cap_field *up[4]; /* [depth] the entries MORE that it is below */
  int depth;
} cap_fields_walk;

cap_fields_walk cap_fields_first(const cap_field *fields); /* of NULL: the end */
void cap_fields_next(cap_fields_walk *walk);

/* The field of a key; NULL when the table has none. */
const cap_field *cap_fields_find(const cap_field *fields, const char *key);
/* The field that had the key in format version 1, and the one that may be given in Hz under it. */
const cap_field *cap_fields_find_was(const cap_field *fields, const char *key);
/* The one that serves in place of a key that left. */
const cap_field *cap_fields_find_left(const cap_field *fields, const char *key);
const cap_field *cap_fields_find_hertz(const cap_field *fields, const char *key);
/* Whether a path to that field ends with its frequency in Hz. cap_fields_locate, _known and _named follow
 * such paths, too, to the angular frequency in rad/s. */
bool cap_fields_in_hertz(const cap_field *field, const char *path);
/* The name that replaced one of format version 1; NULL: it was none. `names_were` may be NULL. */
const char *cap_fields_renamed(const char *const *names_were, const char *name);

/* The REAL field of a path, whatever variants a model has chosen and whether the list items exist. */
const cap_field *cap_fields_known(const cap_field *fields, const char *path);

/* The same for a field of any kind. */
const cap_field *cap_fields_named(const cap_field *fields, const char *path);

/* Call `visit` for every REAL field of the table with its path; list indices are left out
 * ("pulleys[].radius"). */
void cap_fields_each_real(const cap_field *fields, void (*visit)(void *self, const char *path), void *self);

/* The REAL field that a misspelt path most likely means, looked for in one table after the other. */
typedef struct cap_fields_suggestion {
  cap_nearest nearest;
  char best[128]; /* "" = none is near enough */
} cap_fields_suggestion;

void cap_fields_suggest_start(cap_fields_suggestion *suggestion, const char *path);
void cap_fields_suggest(cap_fields_suggestion *suggestion, const cap_field *fields);
