/* step/sundials.h — what differs between SUNDIALS 6 and 7.
 *
 * Version 7 knows neither `realtype` nor an error handler of each integrator; handlers belong to the context,
 * all of them are called, and warnings go to its logger, which writes to standard output. Its communicator is
 * that of MPI where it was built with MPI, as Debian's is: then its headers want those of MPI, which its own
 * CMake package finds, and the null of MPI is no null pointer. A context with the null communicator calls
 * nothing of MPI.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#if SUNDIALS_VERSION_MAJOR >= 7

/* A context that says nothing by itself: return codes tell all. */
static inline bool cap_sundials_open(SUNContext *context)
{
  return SUNContext_Create(SUN_COMM_NULL, context) == 0 && SUNContext_ClearErrHandlers(*context) == 0 &&
         SUNContext_SetLogger(*context, NULL) == 0;
}

#define CAP_SUNDIALS_SILENCE(integrator, memory) true

#else

typedef realtype sunrealtype;

static inline bool cap_sundials_open(SUNContext *context)
{
  return SUNContext_Create(NULL, context) == 0;
}

static inline void cap_sundials_ignore(int code, const char *module, const char *function, char *text,
                                       void *self)
{
  (void)code, (void)module, (void)function, (void)text, (void)self;
}

/* The same of what was created with it: CAP_SUNDIALS_SILENCE(CVode, memory), or IDA. */
#define CAP_SUNDIALS_SILENCE(integrator, memory)                                                             \
  (integrator##SetErrHandlerFn(memory, cap_sundials_ignore, NULL) == 0)

#endif
