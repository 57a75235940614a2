/* io/title_block.h — who computed what for whom: optional texts of a model file that stand at the head of its
 * report. They are kept in the results, as given; a date only where the file has one, so that the same model
 * gives the same bytes.
 */
#pragma once
#include "base/fields.h"

/* Member and key, label on the page, example, doc. */
#define CAP_TITLE_BLOCK(X)                                                                                   \
  X(customer, "Customer", "Example Motors", "for whom the computation is made")                              \
  X(project, "Project", "four-cylinder diesel, 48 V", "name of the project")                                 \
  X(drawing, "Drawing", "FEAD-1204", "number of the drawing or part")                                        \
  X(revision, "Revision", "B", "revision of the drawing or model")                                           \
  X(author, "Author", "A. Miller, drive systems", "who made the model")                                      \
  X(date, "Date", "2026-03-31", "date to be shown; without one the report has none")

typedef struct cap_title_block {
#define CAP_TITLE_BLOCK_MEMBER(member, label, example, doc) const char *member; /* NULL or "": not given */
  CAP_TITLE_BLOCK(CAP_TITLE_BLOCK_MEMBER)
#undef CAP_TITLE_BLOCK_MEMBER
} cap_title_block;

extern const cap_field cap_title_block_fields[];
