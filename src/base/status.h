/* base/status.h — what a call came to, and the sentence that explains it.
 *
 * Three kinds of trouble, never mixed (CONTRIBUTING.md): programmer errors are asserts; user input is
 * CAP_ERR_INPUT with all findings in a cap_diag; numerics are signed: > 0 recoverable, < 0 final.
 */
#pragma once

#define CAP_STATUS_LIST(X)                                                                                   \
  X(CAP_OK, 0, "ok")                                                                                         \
  X(CAP_RETRY_NOCONV, 1, "an iteration did not converge")                                                    \
  X(CAP_RETRY_NONFINITE, 2, "a value is not finite")                                                         \
  X(CAP_STOPPED, 3, "interrupted")                                                                           \
  X(CAP_ERR_INPUT, -1, "the input is invalid")                                                               \
  X(CAP_ERR_NOMEM, -2, "out of memory")                                                                      \
  X(CAP_ERR_IO, -3, "a file could not be read or written")                                                   \
  X(CAP_ERR_NUMERICS, -4, "the computation failed")                                                          \
  X(CAP_ERR_UNSUPPORTED, -5, "this combination is not available")

typedef enum cap_status {
#define CAP_STATUS_ENUM(name, value, text) name = value,
  CAP_STATUS_LIST(CAP_STATUS_ENUM)
#undef CAP_STATUS_ENUM
} cap_status;

/* The detail of a failure; filled where it happens, printed by the caller of the library. */
typedef struct cap_error {
  cap_status status;
  char text[1024];
  int key; /* length of the key of the input at which `text` begins ("ratio: ..."); 0 = none is named */
} cap_error;

#define CAP_TRY(call)                                                                                        \
  do {                                                                                                       \
    cap_status cap_try_status = (call);                                                                      \
    if (cap_try_status != CAP_OK) return cap_try_status;                                                     \
  } while (0)

const char *cap_status_text(cap_status status);

/* Record the sentence (printf-like) in `error` (may be NULL) and return `status`. */
__attribute__((format(printf, 3, 4))) cap_status cap_status_fail(cap_error *error, cap_status status,
                                                                 const char *format, ...);
/* The same of an input whose fault shows only in the computation: `text` begins with the path of the key. */
__attribute__((format(printf, 4, 5))) cap_status
cap_status_fail_at(cap_error *error, cap_status status, const char *path, const char *format, ...);
