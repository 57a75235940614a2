/* model/subject.c — see subject.h. */
#include "model/subject.h"
#include "model/model.h"

const cap_subject_type cap_subject_none = {.name = "system"};

const void *cap_subject_of(const cap_model *m, const cap_subject_type *type)
{
  return m->subject.type == type ? m->subject.self : NULL;
}
