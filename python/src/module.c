/* module.c — the module capstan._capstan: types, and the calls that belong to no object. */
#include "_capstan.h"

static PyObject *module_version(PyObject *self, PyObject *unused)
{
  (void)self, (void)unused;
  return PyUnicode_FromString(capstan_version());
}

/* convert(unit, to): the factor between two units of one dimension. */
static PyObject *module_convert(PyObject *self, PyObject *args)
{
  const char *unit, *to;
  double factor;
  (void)self;
  if (!PyArg_ParseTuple(args, "ss:convert", &unit, &to)) return NULL;
  if (capstan_convert(unit, to, &factor) == CAPSTAN_OK) return PyFloat_FromDouble(factor);
  char message[256];
  PyOS_snprintf(message, sizeof message, "expected a unit of the dimension of \"%s\", got \"%s\"", unit, to);
  return capy_fail(CAPSTAN_BAD_INPUT, message, NULL);
}

/* report(paths, page): one or two result files as a page. */
static PyObject *module_report(PyObject *self, PyObject *args)
{
  PyObject *results, *page, *bytes;
  capy_texts paths;
  const char *name;
  (void)self;
  if (!PyArg_ParseTuple(args, "OO:report", &results, &page) || capy_texts_get(results, &paths)) return NULL;
  capstan_code code = CAPSTAN_FAILED;
  char message[4096] = "";
  if ((bytes = capy_path(page, &name))) {
    Py_BEGIN_ALLOW_THREADS;
    code = capstan_report(paths.n, paths.text, name, message, sizeof message);
    Py_END_ALLOW_THREADS;
    if (code) capy_fail(code, message, NULL);
    Py_DECREF(bytes);
  }
  capy_texts_free(&paths);
  if (code) return NULL;
  Py_RETURN_NONE;
}

typedef struct study_call {
  PyObject *progress;
  capy_guard guard;
  capy_raised raised;
} study_call;

static void study_progress(void *self, const char *what, double done, double total, const char *unit)
{
  study_call *c = self;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *answer = c->raised.type || PyErr_CheckSignals() ? NULL
                     : c->progress == Py_None
                         ? Py_NewRef(Py_None)
                         : PyObject_CallFunction(c->progress, "sdds", what, done, total, unit ? unit : "");
  if (!answer && !c->raised.type) capy_raised_keep(&c->raised, &c->guard);
  Py_XDECREF(answer);
  PyGILState_Release(state);
}

/* study(path, result, jobs, resume, progress) */
static PyObject *module_study(PyObject *self, PyObject *args)
{
  PyObject *path, *result;
  study_call call = {0};
  capstan_options options = {
      .size = sizeof options, .progress = study_progress, .self = &call, .stop = &call.guard.stop};
  int jobs;
  (void)self;
  if (!PyArg_ParseTuple(args, "OOipO:study", &path, &result, &jobs, &options.resume, &call.progress))
    return NULL;
  enum { ROOM = 1 << 16 };
  const char *path_text, *result_text;
  PyObject *path_bytes = capy_path(path, &path_text);
  PyObject *result_bytes = path_bytes ? capy_path(result, &result_text) : NULL;
  char *message = PyMem_Calloc(1, ROOM);
  int bad = -1;
  capy_watch watch;
  if (result_bytes && !message) PyErr_NoMemory();
  if (result_bytes && message && capy_watch_begin(&watch, &call.guard) == 0) {
    capstan_code code;
    Py_BEGIN_ALLOW_THREADS;
    code = capstan_study(path_text, 0, NULL, result_text, jobs, &options, message, ROOM);
    Py_END_ALLOW_THREADS;
    bad = capy_raised_again(&call.raised);
    bad |= capy_watch_end(&watch);
    if (!bad && code) capy_fail(code, message, NULL);
    bad |= code;
  }
  PyMem_Free(message);
  Py_XDECREF(path_bytes);
  Py_XDECREF(result_bytes);
  if (bad) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef module_methods[] = {
    {"version", module_version, METH_NOARGS, "The version of the library."},
    {"convert", module_convert, METH_VARARGS, "convert(unit, to): the factor between two units."},
    {"report", module_report, METH_VARARGS, "report(paths, page): one or two result files as a page."},
    {"study", module_study, METH_VARARGS, "study(path, result, jobs, resume, progress): runs a study file."},
    {0}};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type, const char *name)
{
  if (!(*type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL))) return -1;
  return PyModule_AddObjectRef(module, name, (PyObject *)*type);
}

static int module_exec(PyObject *module)
{
  if (capy_watch_init() || add_type(module, &capy_block_spec, &capy_block_type, "Block") ||
      add_type(module, &capy_results_spec, &capy_results_type, "Results") ||
      add_type(module, &capy_session_spec, &capy_session_type, "Session") ||
      add_type(module, &capy_model_spec, &capy_model_type, "Model"))
    return -1;
  const struct {
    const char *name;
    int value;
  } numbers[] = {{"PARAMETER", CAPSTAN_PARAMETER},
                 {"INPUT", CAPSTAN_INPUT},
                 {"OUTPUT", CAPSTAN_OUTPUT},
                 {"STATE", CAPSTAN_STATE},
                 {"EVENT", CAPSTAN_EVENT},
                 {"OK", CAPSTAN_OK},
                 {"FAILED", CAPSTAN_FAILED},
                 {"BAD_INPUT", CAPSTAN_BAD_INPUT},
                 {"STOPPED", CAPSTAN_STOPPED},
                 {"EVENT_SLIP", CAPSTAN_EVENT_SLIP},
                 {"EVENT_REVERSAL", CAPSTAN_EVENT_REVERSAL}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (PyModule_AddIntConstant(module, numbers[k].name, numbers[k].value)) return -1;
  return 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};
static PyModuleDef module = {.m_base = PyModuleDef_HEAD_INIT,
                             .m_name = "capstan._capstan",
                             .m_doc = "The calls of capstan/capstan.h; use the package capstan.",
                             .m_methods = module_methods,
                             .m_slots = module_slots};

PyMODINIT_FUNC PyInit__capstan(void);
PyMODINIT_FUNC PyInit__capstan(void)
{
  return PyModuleDef_Init(&module);
}
