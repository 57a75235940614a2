/* io/export.h — a result file for other programs.
 *
 * CSV: DIR/<group>.csv holds the columns of a group, "name [unit]" in its first line, numbers with 17 digits
 * (they read back as the same bits); DIR/<group>.<array>.csv holds an array, one line per value after the
 * values of its axes; DIR/<group>.values.csv its numbers and texts; DIR/<group>.audit.csv its energy balance.
 * VTK (XML, for ParaView and VisIt): DIR/<group>.vtt is a table of the columns; an array is a table with its
 * axis (rank 1) or a rectilinear grid on its axes (.vtr, rank 2 and 3); arrays of higher rank are left to
 * CSV.
 *
 * A folder is made when it is missing. Each file appears under its name only when it is whole.
 */
#pragma once
#include "base/status.h"

cap_status cap_export_csv(const char *h5, const char *folder, cap_error *error);
cap_status cap_export_vtk(const char *h5, const char *folder, cap_error *error);
