/* base/headroom.h — memory that a library will ask for.
 *
 * HDF5 and udunits do not survive an allocation that fails in the middle of their work: they crash, or end
 * the process. So whoever is about to call them asks first whether there is as much as they may need, and
 * refuses with a sentence when there is not.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Whether that many bytes could be had now. They are not kept. */
bool cap_headroom(size_t bytes);
