/* atlas/entry.h — one entry of the atlas: atlas/<id>/entry.yaml, read and checked.
 *
 *   title: Response of the rig with Masing's law
 *   source: "000_d7ba3c6ad02f59fd.txt, Fig. 13"
 *   runs:                                       # models of this folder (or above), with settings
 *     - {name: masing, model: rig.yaml, settings: ["load.amplitude=13 N"]}
 *   series:                                     # what is plotted and spoken of, in SI units inside
 *     - {id: gain, name: masing f1=13 N, run: masing, group: response, y: gain, select: [load.amplitude=13]}
 *     - {id: paper, name: read off the figure, file: fig13.csv, x: angular frequency, y: gain}
 *     - {id: off, name: difference, value: "gain - resample(paper, gain)", unit: N}
 *     - {id: g1, name: g1, run: hb, group: response, y: gear.position.rms_ac, by: branch}    # "g1 main", ...
 *   claims:
 *     - {id: stuck-resonance, text: The stuck system resonates there., value: argmax(gain), unit: rad/s,
 *        expected: 65.3 +- 1%, tag: quick}
 *     - {id: twice, text: ..., value: "max(gain) / at(gain, 10)", expected: "> 2", holds: false,
 *        note: Why not.}
 *
 * Formulas are those of base/expr.h. Beside the series' ids they may name what a run holds as
 * 'run/group/dataset' (columns over the first column of their table, arrays over their axis, numbers as
 * numbers), the audit as 'run/group/audit/relative' (residual, scale, or the name of a line), and branches of
 * a series that is declared by branch (atlas/atlas_branches.h).
 *
 * `holds` is the known state: a claim that does not hold stays, with holds: false and a note; what must not
 * happen unnoticed is that its state changes.
 */
#pragma once
#include "atlas/criterion.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/fields.h"
#include "base/status.h"

typedef struct cap_entry_run {
  const char *name, *model; /* path relative to the entry's folder */
  cap_texts settings;
  cap_texts thorough; /* settings that are added unless only quick claims are wanted */
} cap_entry_run;

typedef enum cap_entry_by { CAP_ENTRY_WHOLE, CAP_ENTRY_BRANCH } cap_entry_by;

typedef struct cap_entry_series {
  const char *id, *name;
  const char *run, *group, *file, *value;      /* one of run, file, value; the others are NULL */
  const char *x, *y;                           /* datasets or columns; x NULL = the natural one */
  cap_texts select;                            /* "axis=value" or indexes, for all dimensions but one */
  int by;                                      /* cap_entry_by */
  cap_texts beside;                            /* by branch: other columns that the JSON gives */
  cap_texts panels;                            /* plots that it is drawn in; none = the page decides */
  const char *x_name, *x_unit, *y_name, *unit; /* as shown; NULL = as in the data */
} cap_entry_series;

typedef enum cap_entry_tag { CAP_ENTRY_QUICK, CAP_ENTRY_LONG } cap_entry_tag;

typedef struct cap_entry_claim {
  const char *id, *text, *value, *unit, *expected, *note;
  int tag; /* cap_entry_tag */
  bool holds;
  cap_criterion criterion;
} cap_entry_claim;

typedef struct cap_entry {
  const char *id, *folder; /* the folder's name, and its path */
  const char *title, *source, *note;
  cap_list runs, series, claims; /* of the structs above */
  cap_arena arena;
} cap_entry;

extern const cap_field cap_entry_fields[];

/* Read `folder`/entry.yaml; all findings go to `diag` (initialised here). */
cap_status cap_entry_read(const char *folder, cap_entry **entry, cap_diag *diag);
void cap_entry_free(cap_entry *entry); /* accepts NULL */
