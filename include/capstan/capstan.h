/* capstan/capstan.h — belt drives from C: read a model file, run it, find the results in an HDF5 file.
 *
 *   capstan_model *model;
 *   const char *settings[] = {"load.amplitude=13 N"};
 *   if (capstan_open("drive.yaml", 1, settings, &model) || capstan_run(model, "drive.h5", NULL))
 *     fprintf(stderr, "%s", capstan_message(model));
 *   capstan_close(model);
 *
 * The library never prints, never exits and keeps no state between calls; two models may be used from two
 * threads as long as only one of them runs or opens at a time (HDF5). Link with: pkg-config --libs capstan.
 */
#ifndef CAPSTAN_CAPSTAN_H
#define CAPSTAN_CAPSTAN_H

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what the shared library offers; all else in it is hidden */
#endif

/* The same numbers as the program's exit codes. */
typedef enum capstan_code {
  CAPSTAN_OK = 0,
  CAPSTAN_FAILED = 1,    /* the computation failed, was interrupted, or memory ran out */
  CAPSTAN_BAD_INPUT = 2, /* the model, a setting or a file name is not usable */
} capstan_code;

typedef struct capstan_model capstan_model;

typedef struct capstan_options {
  int threads; /* 0 = 1; results do not depend on it */
  int resume;  /* go on with an interrupted run of the same model into the same file */
  /* How far the run is; `total` in `unit`. May be NULL. */
  void (*progress)(void *self, const char *what, double done, double total, const char *unit);
  /* A line worth knowing: a warning, a decision taken. May be NULL. */
  void (*note)(void *self, const char *text);
  void *self;
  volatile sig_atomic_t *stop; /* set it (also in a signal handler) and the run ends; may be NULL */
} capstan_options;

/* "0.2.0" */
const char *capstan_version(void);

/* Read and check the model file `path`, with `nsetting` settings such as "load.amplitude=13 N" applied. On
 * CAPSTAN_BAD_INPUT, capstan_message has all findings, one a line with file, line and column. *model is to be
 * closed in every case; it is NULL only when memory ran out. */
capstan_code capstan_open(const char *path, int nsetting, const char *const *settings, capstan_model **model);

/* Run all analyses of the model into the HDF5 file `result`; `options` may be NULL. May be called again, with
 * another file. A run that fails or is interrupted leaves a file that says so and can be resumed. */
capstan_code capstan_run(capstan_model *model, const char *result, const capstan_options *options);

/* What the last call on the model had to say: findings (also warnings), or the reason of a failure; "" when
 * nothing. Valid until the next call on the model. Accepts NULL: "out of memory\n". */
const char *capstan_message(const capstan_model *model);

/* Accepts NULL. */
void capstan_close(capstan_model *model);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
