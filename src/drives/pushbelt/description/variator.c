/* drives/pushbelt/description/variator.c — see variator.h. */
#include "drives/pushbelt/description/variator.h"

const cap_variator *cap_variator_of(const cap_model *m)
{
  return cap_subject_of(m, &cap_variator_subject);
}
