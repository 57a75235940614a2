/* _capstan.h — what the parts of the extension module share. It is written against the limited interface of
 * Python 3.11, so that one binary serves all later versions, and uses only the public header of Capstan. */
#ifndef CAPSTAN_PYTHON_H
#define CAPSTAN_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <capstan/capstan.h>
#include <pythread.h>

/* Why a computation was asked to end. */
enum { CAPY_GO_ON = 0, CAPY_STOP = 1, CAPY_SIGNAL = 2 };

/* A library object is used by one thread at a time: each Python object has a guard. Its members are read and
 * written with the interpreter's lock held, but for `stop`. */
typedef struct capy_guard {
  PyThread_type_lock lock;
  unsigned long owner; /* the thread within a call, or 0 */
  int depth;           /* calls of that thread: those of a callback lie within another */
  volatile sig_atomic_t stop;
} capy_guard;

int capy_guard_init(capy_guard *g); /* 0, or -1 with an exception */
void capy_guard_free(capy_guard *g);
/* Waits for other threads, with the interpreter's lock released and signals heard. `within`: allowed in a
 * callback that comes from a call on the same object. 0, or -1 with an exception. */
int capy_enter(capy_guard *g, int within);
void capy_leave(capy_guard *g);

/* Around a call that may take long: from here on Ctrl-C sets `stop` of the guard when this is the main
 * thread, and then does what it did before. -1 with an exception: a signal has been handled and raised it. */
typedef struct capy_watch {
  volatile sig_atomic_t *before;
  int main, installed;
} capy_watch;
int capy_watch_begin(capy_watch *w, capy_guard *g);
/* 0, or -1 with the exception of a signal's handler. */
int capy_watch_end(capy_watch *w);
int capy_watch_init(void); /* once, with the module */

/* The exception of a callback, kept until the call that it interrupts has ended. */
typedef struct capy_raised {
  PyObject *type, *value, *trace;
} capy_raised;
void capy_raised_keep(capy_raised *r, capy_guard *g); /* takes the present exception and asks for the end */
int capy_raised_again(capy_raised *r);                /* -1 with it, 0 when there was none */

/* Raises the exception of capstan.errors for a code; `findings` may be NULL. Returns NULL. */
PyObject *capy_fail(capstan_code code, const char *message, PyObject *findings);

/* Texts of a sequence of str as an array, which refers to the strings; to be freed with capy_texts_free. */
typedef struct capy_texts {
  PyObject *sequence;
  const char **text;
  int n;
} capy_texts;
int capy_texts_get(PyObject *o, capy_texts *t); /* None counts as empty; 0, or -1 with an exception */
void capy_texts_free(capy_texts *t);
/* The bytes of a path (str, bytes or os.PathLike), a new reference; NULL with an exception. */
PyObject *capy_path(PyObject *o, const char **text);

/* A view of `n` contiguous elements at least: 0, or -1 with an exception that names `what`. */
int capy_numbers(PyObject *o, Py_buffer *view, size_t element, size_t n, int writable, const char *what);

/* Numbers of the library's memory by the buffer protocol; keeps `owner` alive. */
PyObject *capy_block(PyObject *owner, const double *data, int rank, const size_t *dims);

/* Makes a Session or Results of what the library has made; takes it over, also when it fails. */
PyObject *capy_results_of(capstan_results *results);
/* Starts a session of a model whose guard is held. */
PyObject *capy_session_of(capstan_model *model, PyObject *arguments, PyObject *keywords);

/* The types, in the order in which the module adds them. */
extern PyType_Spec capy_model_spec, capy_session_spec, capy_results_spec, capy_block_spec;
extern PyTypeObject *capy_model_type, *capy_session_type, *capy_results_type, *capy_block_type;

#endif
