/* drives/variator_build.c — the system of a variator: bodies, contacts, loads, channels.
 *
 * Maths: docs/theory.md §43.
 */
#include "drives/variator.h"

cap_status cap_variator_build(const void *self, cap_builder *b, cap_error *error)
{
  (void)self;
  (void)b;
  return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                         "the contacts of a variator's elements are not there yet: its model file can be "
                         "checked, not run");
}
