/* analysis/identify/identify_record.h — the deflection as recorded, where no smooth series describes it.
 *
 * Triangles, dwells and cycles that differ from each other leave more than noise beside the Fourier series of
 * identify_cycle. Then the record itself is the deflection (low-passed unless that rounds corners), the
 * reversals are those of the record, and the laws run along the whole of it from their initial state. The
 * velocity is the slope of the zero-phase low-passed record.
 */
#pragma once
#include "analysis/identify/identify_cycle.h"

/* Decide from `measured`[cycle->n], and if so fill turn_*, piece_of and replace u and v of the cycle. */
cap_status cap_identify_record_use(cap_identify_cycle *cycle, const double *measured, cap_arena *arena,
                                   cap_error *error);
