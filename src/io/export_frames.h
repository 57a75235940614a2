/* io/export_frames.h — animation frames as polylines for ParaView: what moves in the plane, frame by
 * frame.
 *
 * DIR/<group>.pvd lists the frames with their times, DIR/<group>.frames/<number>.vtp has the lines of one:
 * the nodes of a belt or ring (a cell for each segment), discs with a spoke that shows how they turn,
 * outlines and links, and the values of whatever moves as data of the cells. They follow from the frames
 * (film.*) and from the groups `layout` and `scene`; docs/results.md has the names.
 */
#pragma once
#include "io/export_inner.h"

/* Add the files of a group, where it has frames of something with a place in the plane. */
cap_status cap_export_frames_plan(cap_export *e, const cap_results_group *group);
/* Write the frames of the collection number `table`, and then the collection. */
cap_status cap_export_frames_write(cap_export *e, int table);
