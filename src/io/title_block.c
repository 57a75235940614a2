/* io/title_block.c — see title_block.h. */
#include "io/title_block.h"

#define KEY(member, label, example_, doc_)                                                                   \
  {.key = #member,                                                                                           \
   .kind = CAP_FIELD_TEXT,                                                                                   \
   .offset = offsetof(cap_title_block, member),                                                              \
   .fallback = "",                                                                                           \
   .example = example_,                                                                                      \
   .doc = doc_},

const cap_field cap_title_block_fields[] = {CAP_TITLE_BLOCK(KEY){0}};
