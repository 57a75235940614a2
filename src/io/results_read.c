/* io/results_read.c — see results_read.h. */
#include "io/results_read.h"
#include "io/h5.h"
#include "io/results_load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cap_results_file {
  cap_h5_input in;
  char *path;
  cap_results_tree tree;
};

static cap_results_file *create(const char *path)
{
  cap_results_file *f = calloc(1, sizeof *f);
  if (f && (f->path = strdup(path))) return f;
  free(f);
  return NULL;
}

/* What could not be loaded is nothing. */
static cap_status keep(cap_status status, cap_results_file **file)
{
  if (status == CAP_OK) return status;
  free((*file)->path);
  free(*file);
  *file = NULL;
  return status;
}

cap_status cap_results_read_open(const char *path, cap_results_file **file, cap_error *error)
{
  return cap_results_read_group(path, NULL, file, error);
}

cap_status cap_results_read_group(const char *path, const char *group, cap_results_file **file,
                                  cap_error *error)
{
  cap_results_file *f = *file = create(path);
  if (!f) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to read '%s'", path);
  return keep(cap_results_load_group(&f->tree, path, group, &f->in, error), file);
}

cap_status cap_results_read_descriptor(int fd, const char *name, cap_results_file **file, cap_error *error)
{
  cap_results_file *f = *file = create(name);
  if (f) return keep(cap_results_load_descriptor(&f->tree, fd, name, NULL, &f->in, error), file);
  close(fd);
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to read '%s'", name);
}

int cap_results_read_bytes(const cap_results_file *file)
{
  return file->in.fd;
}

void cap_results_read_close(cap_results_file *file)
{
  if (!file) return;
  cap_results_load_close(&file->in);
  cap_results_tree_free(&file->tree);
  free(file->path);
  free(file);
}

const cap_results_tree *cap_results_read_tree(const cap_results_file *file)
{
  return &file->tree;
}

static bool read_slab(hid_t id, const cap_results_dataset *d, int64_t start, int64_t stride, int64_t count,
                      double *values)
{
  hsize_t first[CAP_RESULTS_RANK] = {(hsize_t)start}, step[CAP_RESULTS_RANK], n[CAP_RESULTS_RANK];
  for (int i = 0; i < d->rank; i++) {
    step[i] = i ? 1 : (hsize_t)stride;
    n[i] = i ? (hsize_t)d->dims[i] : (hsize_t)count;
  }
  hid_t space = H5Dget_space(id);
  hid_t memory = H5Screate_simple(d->rank, n, NULL);
  bool ok = space >= 0 && memory >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, first, step, n, NULL) >= 0 &&
            H5Dread(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok;
}

cap_status cap_results_read_part(cap_results_file *file, const cap_results_group *group,
                                 const cap_results_dataset *dataset, int64_t start, int64_t stride,
                                 int64_t count, double *values, cap_error *error)
{
  if (dataset->rank < 1 || start < 0 || stride < 1 || count < 0 ||
      (count > 0 && (start >= dataset->dims[0] || (count - 1) > (dataset->dims[0] - 1 - start) / stride)))
    return cap_status_fail(error, CAP_ERR_INPUT, "%s: expected rows within /%s/%s", file->path, group->name,
                           dataset->name);
  if (count == 0 || cap_results_tree_count(dataset) == 0) return CAP_OK;
  cap_h5_host host;
  cap_h5_enter(&host);
  hid_t parent = cap_h5_read_group(&file->in, file->in.file, group->name);
  hid_t id = parent < 0
                 ? -1
                 : cap_h5_read_dataset(&file->in, parent, dataset->stored ? dataset->stored : dataset->name);
  bool ok = id >= 0 && read_slab(id, dataset, start, stride, count, values);
  if (id >= 0) H5Dclose(id);
  if (parent >= 0) H5Gclose(parent);
  cap_h5_leave(&host);
  if (!ok)
    return cap_status_fail(error, CAP_ERR_IO, "%s: cannot read /%s/%s", file->path, group->name,
                           dataset->name);
  return CAP_OK;
}

cap_status cap_results_read_all(cap_results_file *file, const cap_results_group *group,
                                const cap_results_dataset *dataset, double **values, int64_t *count,
                                cap_error *error)
{
  int64_t n = cap_results_tree_count(dataset);
  *values = NULL;
  if (dataset->role == CAP_RESULTS_TEXT)
    return cap_status_fail(error, CAP_ERR_INPUT, "%s: expected numbers in /%s/%s, got a text", file->path,
                           group->name, dataset->name);
  double *all = malloc((size_t)n * sizeof *all + sizeof *all);
  if (!all) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory to read '%s'", file->path);
  cap_status status = CAP_OK;
  if (dataset->rank == 0) all[0] = dataset->number;
  else status = cap_results_read_part(file, group, dataset, 0, 1, dataset->dims[0], all, error);
  if (status != CAP_OK) {
    free(all);
    return status;
  }
  *values = all;
  if (count) *count = n;
  return CAP_OK;
}
