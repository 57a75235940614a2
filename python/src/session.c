/* session.c — a session: step by step, inputs and outputs, saved states, derivatives. */
#include "_capstan.h"

#include <limits.h>
#include <string.h>

typedef struct session_object {
  PyObject_HEAD;
  capstan_session *session;
  size_t count[4]; /* variables of each kind */
  PyObject *log;
  capy_guard guard;
  capy_raised raised;
} session_object;

PyTypeObject *capy_session_type;

static PyObject *fail(session_object *o, capstan_code code)
{
  return capy_fail(code, capstan_session_message(o->session), NULL);
}

static void on_log(void *self, const char *category, const char *text)
{
  session_object *o = self;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *answer = o->raised.type ? NULL : PyObject_CallFunction(o->log, "ss", category, text);
  if (!answer && !o->raised.type) capy_raised_keep(&o->raised, &o->guard);
  Py_XDECREF(answer);
  PyGILState_Release(state);
}

typedef struct start_call {
  capstan_start_options options;
  PyObject *log;
  Py_buffer outputs, levels; /* of the levels, or empty */
} start_call;

static void start_free(start_call *c)
{
  if (c->outputs.obj) PyBuffer_Release(&c->outputs);
  if (c->levels.obj) PyBuffer_Release(&c->levels);
}

static int start_read(start_call *c, PyObject *arguments, PyObject *keywords)
{
  static char *names[] = {"transient",       "method", "step",          "tolerance", "events", "event_every",
                          "event_tolerance", "log",    "level_outputs", "levels",    NULL};
  capstan_start_options *o = &c->options;
  PyObject *outputs = Py_None, *levels = Py_None;
  *c = (start_call){.options = {.size = sizeof *o}, .log = Py_None};
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|izddIddOOO:start", names, &o->transient, &o->method,
                                   &o->step, &o->tolerance, &o->events, &o->event_every, &o->event_tolerance,
                                   &c->log, &outputs, &levels))
    return -1;
  if (outputs == Py_None) return 0;
  if (capy_numbers(outputs, &c->outputs, sizeof(int), 0, 0, "level_outputs")) return -1;
  o->nlevel = (int)((size_t)c->outputs.len / sizeof(int));
  if (capy_numbers(levels, &c->levels, sizeof(double), (size_t)o->nlevel, 0, "levels")) {
    start_free(c);
    return -1;
  }
  o->level_outputs = c->outputs.buf;
  o->levels = c->levels.buf;
  return 0;
}

static session_object *session_allocate(PyObject *log)
{
  allocfunc allocate = (allocfunc)PyType_GetSlot(capy_session_type, Py_tp_alloc);
  session_object *o = (session_object *)allocate(capy_session_type, 0);
  if (!o) return NULL;
  o->log = Py_NewRef(log);
  if (capy_guard_init(&o->guard) == 0) return o;
  Py_DECREF(o);
  return NULL;
}

PyObject *capy_session_of(capstan_model *model, PyObject *arguments, PyObject *keywords)
{
  start_call call;
  if (start_read(&call, arguments, keywords)) return NULL;
  session_object *o = session_allocate(call.log);
  int bad = -1;
  capy_watch watch;
  if (o && capy_watch_begin(&watch, &o->guard) == 0) {
    for (int kind = 0; kind < 4; kind++) {
      const capstan_variable *list;
      o->count[kind] = (size_t)capstan_variables(model, (capstan_kind)kind, &list);
    }
    call.options.self = o;
    call.options.stop = &o->guard.stop;
    if (call.log != Py_None) call.options.log = on_log;
    capstan_code code;
    Py_BEGIN_ALLOW_THREADS;
    code = capstan_start(model, &call.options, &o->session);
    Py_END_ALLOW_THREADS;
    bad = capy_raised_again(&o->raised);
    bad |= capy_watch_end(&watch);
    if (!bad && code) fail(o, code);
    bad |= code;
  }
  start_free(&call);
  if (!bad) return (PyObject *)o;
  Py_XDECREF((PyObject *)o);
  return NULL;
}

static int session_traverse(PyObject *self, visitproc visit, void *arg)
{
  session_object *o = (session_object *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(o->log);
  return 0;
}

static int session_clear(PyObject *self)
{
  /* The library may call it until the session has ended. */
  session_object *o = (session_object *)self;
  PyObject *log = o->log;
  o->log = Py_NewRef(Py_None);
  Py_XDECREF(log);
  return 0;
}

static void session_dealloc(PyObject *self)
{
  session_object *o = (session_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  capstan_end(o->session);
  Py_XDECREF(o->log);
  capy_guard_free(&o->guard);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

/* ---- Stepping ------------------------------------------------------------------------------------ */

/* step(until): (code, time). A signal whose handler raises nothing does not end a step. */
static PyObject *session_step(PyObject *self, PyObject *until_object)
{
  session_object *o = (session_object *)self;
  double until = PyFloat_AsDouble(until_object), reached = 0.0;
  if (until == -1.0 && PyErr_Occurred()) return NULL;
  if (capy_enter(&o->guard, 0)) return NULL;
  capstan_code code;
  int bad;
  do {
    capy_watch watch;
    if (capy_watch_begin(&watch, &o->guard)) {
      capy_leave(&o->guard);
      return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    code = capstan_step(o->session, until, &reached);
    Py_END_ALLOW_THREADS;
    bad = capy_raised_again(&o->raised);
    bad |= capy_watch_end(&watch);
  } while (!bad && code == CAPSTAN_STOPPED && o->guard.stop == CAPY_SIGNAL);
  if (!bad && code > CAPSTAN_OK && code != CAPSTAN_STOPPED) fail(o, code), bad = -1;
  capy_leave(&o->guard);
  return bad ? NULL : Py_BuildValue("(id)", (int)code, reached);
}

static PyObject *session_stop(PyObject *self, PyObject *unused)
{
  (void)unused;
  ((session_object *)self)->guard.stop = CAPY_STOP;
  Py_RETURN_NONE;
}

static PyObject *session_time(PyObject *self, PyObject *unused)
{
  session_object *o = (session_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 1)) return NULL;
  double t = capstan_time(o->session);
  capy_leave(&o->guard);
  return PyFloat_FromDouble(t);
}

/* ---- Inputs and outputs -------------------------------------------------------------------------- */

/* input(indices, values, rates): buffers of C int and double; values and rates may be None. */
static PyObject *session_input(PyObject *self, PyObject *args)
{
  session_object *o = (session_object *)self;
  PyObject *indices, *values, *rates;
  Py_buffer index, value = {0}, rate = {0};
  if (!PyArg_ParseTuple(args, "OOO:input", &indices, &values, &rates)) return NULL;
  if (capy_numbers(indices, &index, sizeof(int), 0, 0, "indices")) return NULL;
  size_t n = (size_t)index.len / sizeof(int);
  int good = (values == Py_None || capy_numbers(values, &value, sizeof(double), n, 0, "values") == 0) &&
             (rates == Py_None || capy_numbers(rates, &rate, sizeof(double), n, 0, "rates") == 0) &&
             capy_enter(&o->guard, 1) == 0;
  if (good) {
    capstan_code code = capstan_input(o->session, (int)n, index.buf, value.buf, rate.buf);
    if (code) fail(o, code), good = 0;
    capy_leave(&o->guard);
  }
  if (rate.obj) PyBuffer_Release(&rate);
  if (value.obj) PyBuffer_Release(&value);
  PyBuffer_Release(&index);
  if (!good) return NULL;
  Py_RETURN_NONE;
}

typedef enum reading { OUTPUTS, STATES, INPUTS } reading;

static capstan_code read_values(session_object *o, reading what, int n, const int *index, double *value)
{
  switch (what) {
  case OUTPUTS:
    return capstan_output(o->session, n, index, value);
  case STATES:
    return capstan_state(o->session, n, index, value);
  default:
    return capstan_input_value(o->session, n, index, value);
  }
}

/* Of one index a number; of a buffer of them into the buffer `to`. */
static PyObject *read_some(PyObject *self, PyObject *const *args, Py_ssize_t nargs, reading what)
{
  session_object *o = (session_object *)self;
  if (nargs == 1) {
    long index = PyLong_AsLong(args[0]);
    if (index == -1 && PyErr_Occurred()) return NULL;
    int one = index < INT_MIN || index > INT_MAX ? -1 : (int)index;
    double value = 0.0;
    if (capy_enter(&o->guard, 1)) return NULL;
    capstan_code code = read_values(o, what, 1, &one, &value);
    if (code) fail(o, code);
    capy_leave(&o->guard);
    return code ? NULL : PyFloat_FromDouble(value);
  }
  if (nargs != 2) return PyErr_Format(PyExc_TypeError, "expected an index, or indices and where to write to");
  Py_buffer index, to;
  if (capy_numbers(args[0], &index, sizeof(int), 0, 0, "indices")) return NULL;
  size_t n = (size_t)index.len / sizeof(int);
  if (capy_numbers(args[1], &to, sizeof(double), n, 1, "values")) {
    PyBuffer_Release(&index);
    return NULL;
  }
  int bad = capy_enter(&o->guard, 1);
  if (!bad) {
    capstan_code code = read_values(o, what, (int)n, index.buf, to.buf);
    if (code) fail(o, code), bad = -1;
    capy_leave(&o->guard);
  }
  PyBuffer_Release(&to);
  PyBuffer_Release(&index);
  if (bad) return NULL;
  Py_RETURN_NONE;
}

static PyObject *session_output(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  return read_some(self, args, n, OUTPUTS);
}

static PyObject *session_state(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  return read_some(self, args, n, STATES);
}

static PyObject *session_input_value(PyObject *self, PyObject *const *args, Py_ssize_t n)
{
  return read_some(self, args, n, INPUTS);
}

/* All outputs into a buffer: they move with the session, so they are copied. */
static PyObject *session_outputs(PyObject *self, PyObject *into)
{
  session_object *o = (session_object *)self;
  Py_buffer to;
  size_t n = o->count[CAPSTAN_OUTPUT];
  if (capy_numbers(into, &to, sizeof(double), n, 1, "outputs")) return NULL;
  int bad = capy_enter(&o->guard, 1);
  if (!bad) {
    const double *values = capstan_outputs(o->session);
    if (values) memcpy(to.buf, values, n * sizeof *values);
    else if (n > 0) fail(o, CAPSTAN_FAILED), bad = -1;
    capy_leave(&o->guard);
  }
  PyBuffer_Release(&to);
  if (bad) return NULL;
  Py_RETURN_NONE;
}

/* All states as a Block: the session's own memory. */
static PyObject *session_states(PyObject *self, PyObject *unused)
{
  session_object *o = (session_object *)self;
  (void)unused;
  return capy_block(self, capstan_states(o->session), 1, &o->count[CAPSTAN_STATE]);
}

/* ([(name, kind, energy)], scale) */
static PyObject *session_balance(PyObject *self, PyObject *unused)
{
  session_object *o = (session_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 1)) return NULL;
  double scale = 0.0;
  int n = capstan_balance(o->session, 0, NULL, NULL);
  capstan_energy *lines = PyMem_Calloc((size_t)(n > 0 ? n : 1), sizeof *lines);
  PyObject *list = lines ? PyList_New(n > 0 ? n : 0) : PyErr_NoMemory();
  if (list) capstan_balance(o->session, n, lines, &scale);
  for (int k = 0; list && k < n; k++) {
    PyObject *item = Py_BuildValue("(ssd)", lines[k].name, lines[k].kind, lines[k].energy);
    if (!item || PyList_SetItem(list, k, item)) Py_CLEAR(list);
  }
  PyMem_Free(lines);
  capy_leave(&o->guard);
  return list ? Py_BuildValue("(Nd)", list, scale) : NULL;
}

/* ---- Saved states and derivatives ---------------------------------------------------------------- */

static PyObject *session_save(PyObject *self, PyObject *unused)
{
  session_object *o = (session_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 0)) return NULL;
  size_t size = capstan_save_size(o->session);
  PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (bytes) {
    capstan_code code = capstan_save(o->session, PyBytes_AsString(bytes), size);
    if (code) {
      fail(o, code);
      Py_CLEAR(bytes);
    }
  }
  capy_leave(&o->guard);
  return bytes;
}

static PyObject *session_restore(PyObject *self, PyObject *from)
{
  session_object *o = (session_object *)self;
  Py_buffer bytes;
  if (PyObject_GetBuffer(from, &bytes, PyBUF_SIMPLE)) return NULL;
  int bad = capy_enter(&o->guard, 0);
  if (!bad) {
    capstan_code code = capstan_restore(o->session, bytes.buf, (size_t)bytes.len);
    if (code) fail(o, code), bad = -1;
    capy_leave(&o->guard);
  }
  PyBuffer_Release(&bytes);
  if (bad) return NULL;
  Py_RETURN_NONE;
}

static PyObject *session_derivative(PyObject *self, PyObject *into)
{
  session_object *o = (session_object *)self;
  Py_buffer to;
  if (capy_numbers(into, &to, sizeof(double), o->count[CAPSTAN_STATE], 1, "slopes")) return NULL;
  int bad = capy_enter(&o->guard, 0);
  if (!bad) {
    capstan_code code = capstan_derivative(o->session, to.buf);
    if (code) fail(o, code), bad = -1;
    capy_leave(&o->guard);
  }
  PyBuffer_Release(&to);
  if (bad) return NULL;
  Py_RETURN_NONE;
}

/* linearise(outputs, A, B, C, D): indices and four matrices to write to. */
static PyObject *session_linearise(PyObject *self, PyObject *args)
{
  session_object *o = (session_object *)self;
  PyObject *indices, *matrix[4];
  static const char *const names[4] = {"A", "B", "C", "D"};
  Py_buffer index, view[4];
  if (!PyArg_ParseTuple(args, "OOOOO:linearise", &indices, &matrix[0], &matrix[1], &matrix[2], &matrix[3]) ||
      capy_numbers(indices, &index, sizeof(int), 0, 0, "outputs"))
    return NULL;
  size_t ny = (size_t)index.len / sizeof(int), nx = o->count[CAPSTAN_STATE], nu = o->count[CAPSTAN_INPUT];
  const size_t size[4] = {nx * nx, nx * nu, ny * nx, ny * nu};
  int held = 0;
  while (held < 4 && capy_numbers(matrix[held], &view[held], sizeof(double), size[held], 1, names[held]) == 0)
    held++;
  int bad = held < 4 ? -1 : capy_enter(&o->guard, 0);
  if (!bad) {
    capstan_code code;
    Py_BEGIN_ALLOW_THREADS;
    code = capstan_linearise(o->session, (int)ny, index.buf, view[0].buf, view[1].buf, view[2].buf,
                             view[3].buf);
    Py_END_ALLOW_THREADS;
    if (code) fail(o, code), bad = -1;
    capy_leave(&o->guard);
  }
  while (held > 0) PyBuffer_Release(&view[--held]);
  PyBuffer_Release(&index);
  if (bad) return NULL;
  Py_RETURN_NONE;
}

static PyObject *session_message(PyObject *self, PyObject *unused)
{
  session_object *o = (session_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 1)) return NULL;
  PyObject *text = PyUnicode_FromString(capstan_session_message(o->session));
  capy_leave(&o->guard);
  return text;
}

static PyObject *session_method(PyObject *self, PyObject *unused)
{
  (void)unused;
  return PyUnicode_FromString(capstan_session_method(((session_object *)self)->session));
}

#define FAST(f) (PyCFunction)(void (*)(void)) f, METH_FASTCALL
static PyMethodDef session_methods[] = {
    {"step", session_step, METH_O, "step(until): (code, time)."},
    {"stop", session_stop, METH_NOARGS, "Ends the step that goes on; from any thread."},
    {"time", session_time, METH_NOARGS, "s"},
    {"input", session_input, METH_VARARGS, "input(indices, values, rates)."},
    {"input_value", FAST(session_input_value), "input_value(index) or (indices, to)."},
    {"output", FAST(session_output), "output(index) or (indices, to)."},
    {"state", FAST(session_state), "state(index) or (indices, to)."},
    {"outputs", session_outputs, METH_O, "outputs(to): all."},
    {"states", session_states, METH_NOARGS, "All, as a Block."},
    {"balance", session_balance, METH_NOARGS, "The energy balance."},
    {"save", session_save, METH_NOARGS, "The state as bytes."},
    {"restore", session_restore, METH_O, "restore(state)."},
    {"derivative", session_derivative, METH_O, "derivative(to)."},
    {"linearise", session_linearise, METH_VARARGS, "linearise(outputs, A, B, C, D)."},
    {"message", session_message, METH_NOARGS, "What the last call said."},
    {"method", session_method, METH_NOARGS, "The method that it steps with."},
    {0}};
static PyType_Slot session_slots[] = {{Py_tp_dealloc, session_dealloc},    {Py_tp_traverse, session_traverse},
                                      {Py_tp_clear, session_clear},        {Py_tp_methods, session_methods},
                                      {Py_tp_doc, "Made by Model.start."}, {0, NULL}};
PyType_Spec capy_session_spec = {.name = "capstan._capstan.Session",
                                 .basicsize = sizeof(session_object),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                          Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = session_slots};
