/* io/export.h — a result file for other programs.
 *
 * CSV: DIR/<group>.csv holds the columns of a group, "name [unit]" in its first line, numbers with 17
 * digits (they read back as the same bits), names in place of codes (io/codes.h). Arrays over the same
 * axes are one table, DIR/<group>.<axis>[+<axis>].csv, one line for each place after the values of the
 * axes; arrays without axes share one when they have the same shape and the same first part of their
 * names, which is that of the file; DIR/<group>.values.csv has numbers and texts, DIR/<group>.audit.csv
 * the energy balance. Animation frames are left out unless wanted.
 *
 * VTK (XML, for ParaView and VisIt): DIR/<group>.vtt is a table of the columns; an array is a table with
 * its axis (rank 1) or a rectilinear grid on its axes (.vtr, rank 2 and 3); arrays of higher rank are left
 * to CSV. Animation frames of what moves in the plane are polylines over time (io/export_frames.h).
 *
 * A folder is made when it is missing. Each file appears under its name only when it is whole.
 * DIR/contents.csv lists all files; only what it lists is ever replaced. No two files have names that
 * differ in case only.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>

typedef struct cap_export_options {
  bool animation; /* with the animation frames */
  bool codes;     /* as numbers, without their names */
} cap_export_options;

cap_status cap_export_csv(const char *h5, const char *folder, cap_export_options options, cap_error *error);
cap_status cap_export_vtk(const char *h5, const char *folder, cap_error *error);
