/* io/results_dims.h — dimension scales: what other programs (xarray, netCDF, h5py) take as the axes of
 * values.
 *
 * The first column of a table is the scale of its rows, the arrays that are named as axes are those of the
 * others. A dimension that has neither gets a dataset without values, "dimension N" for all that are N
 * long; no other name of a result has a blank outside of quotes. Files of runs that continue, and of cases
 * of studies, have no scales.
 */
#pragma once
#include "io/h5.h"
#include "io/results_tree.h"

#define CAP_RESULTS_DIMENSION "dimension " /* and its length: names of what is no result */

/* `columns` and `items` are the datasets of the group, open, in the order of the tree. */
bool cap_results_dims_put(cap_h5_tools *tools, hid_t id, const cap_results_group *group, const hid_t *columns,
                          const hid_t *items);
/* `axis`, of that name, is the scale of `n` other datasets of its length. */
bool cap_results_dims_put_along(cap_h5_tools *tools, hid_t axis, const char *name, int n,
                                const hid_t *datasets);
