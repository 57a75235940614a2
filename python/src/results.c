/* results.c — results in memory or of a file. */
#include "_capstan.h"

typedef struct results_object {
  PyObject_HEAD;
  capstan_results *results;
  capy_guard guard;
} results_object;

PyTypeObject *capy_results_type;

PyObject *capy_results_of(capstan_results *results)
{
  PyObject *(*allocate)(PyTypeObject *, Py_ssize_t) = (PyObject * (*)(PyTypeObject *, Py_ssize_t))
      PyType_GetSlot(capy_results_type, Py_tp_alloc);
  results_object *o = (results_object *)allocate(capy_results_type, 0);
  if (!o) {
    capstan_results_close(results);
    return NULL;
  }
  o->results = results;
  if (capy_guard_init(&o->guard) == 0) return (PyObject *)o;
  Py_DECREF(o);
  return NULL;
}

static PyObject *results_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"path", NULL};
  PyObject *given, *bytes;
  const char *path;
  (void)type;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Results", names, &given)) return NULL;
  if (!(bytes = capy_path(given, &path))) return NULL;
  capstan_results *results = NULL;
  capstan_code code;
  Py_BEGIN_ALLOW_THREADS;
  code = capstan_results_open(path, &results);
  Py_END_ALLOW_THREADS;
  Py_DECREF(bytes);
  if (code == CAPSTAN_OK) return capy_results_of(results);
  capy_fail(code, capstan_results_message(results), NULL);
  capstan_results_close(results);
  return NULL;
}

static void results_dealloc(PyObject *self)
{
  results_object *o = (results_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  capstan_results_close(o->results);
  capy_guard_free(&o->guard);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *dims_of(const capstan_array *a)
{
  PyObject *dims = PyTuple_New(a->rank);
  for (int k = 0; dims && k < a->rank; k++)
    if (PyTuple_SetItem(dims, k, PyLong_FromSize_t(a->dims[k]))) Py_CLEAR(dims);
  return dims;
}

/* (name, analysis, title, complete, [(name, unit, text, axes, column, dims)], [(name, text)]) */
static PyObject *group_of(const capstan_group *g)
{
  PyObject *arrays = PyList_New(g->narray), *texts = PyList_New(g->ntext);
  for (int k = 0; arrays && k < g->narray; k++) {
    const capstan_array *a = &g->arrays[k];
    PyObject *item = Py_BuildValue("(ssssNN)", a->name, a->unit, a->text, a->axes, PyBool_FromLong(a->column),
                                   dims_of(a));
    if (!item || PyList_SetItem(arrays, k, item)) Py_CLEAR(arrays);
  }
  for (int k = 0; texts && k < g->ntext; k++) {
    PyObject *item = Py_BuildValue("(ss)", g->texts[k].name, g->texts[k].text);
    if (!item || PyList_SetItem(texts, k, item)) Py_CLEAR(texts);
  }
  if (arrays && texts)
    return Py_BuildValue("(sssNNN)", g->name, g->analysis, g->title, PyBool_FromLong(g->complete), arrays,
                         texts);
  Py_XDECREF(arrays);
  Py_XDECREF(texts);
  return NULL;
}

static PyObject *results_groups(PyObject *self, PyObject *unused)
{
  results_object *o = (results_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 0)) return NULL;
  const capstan_group *groups = NULL;
  int n = capstan_results_groups(o->results, &groups);
  PyObject *list = PyList_New(n);
  for (int k = 0; list && k < n; k++) {
    PyObject *item = group_of(&groups[k]);
    if (!item || PyList_SetItem(list, k, item)) Py_CLEAR(list);
  }
  capy_leave(&o->guard);
  return list;
}

static PyObject *results_values(PyObject *self, PyObject *args)
{
  results_object *o = (results_object *)self;
  int group, array;
  if (!PyArg_ParseTuple(args, "ii:values", &group, &array)) return NULL;
  if (capy_enter(&o->guard, 0)) return NULL;
  const capstan_group *groups = NULL;
  int n = capstan_results_groups(o->results, &groups);
  PyObject *block = NULL;
  if (group < 0 || group >= n || array < 0 || array >= groups[group].narray)
    PyErr_SetString(PyExc_IndexError, "there is no such array");
  else {
    const capstan_array *a = &groups[group].arrays[array];
    const double *values;
    Py_BEGIN_ALLOW_THREADS;
    values = capstan_results_values(o->results, group, array);
    Py_END_ALLOW_THREADS;
    if (values || a->count == 0) block = capy_block(self, values, a->rank, a->dims);
    else capy_fail(CAPSTAN_FAILED, capstan_results_message(o->results), NULL);
  }
  capy_leave(&o->guard);
  return block;
}

static PyObject *results_save(PyObject *self, PyObject *given)
{
  results_object *o = (results_object *)self;
  const char *path;
  PyObject *bytes = capy_path(given, &path);
  if (!bytes) return NULL;
  capstan_code code = CAPSTAN_FAILED;
  int entered = capy_enter(&o->guard, 0) == 0;
  if (entered) {
    Py_BEGIN_ALLOW_THREADS;
    code = capstan_results_save(o->results, path);
    Py_END_ALLOW_THREADS;
    if (code) capy_fail(code, capstan_results_message(o->results), NULL);
    capy_leave(&o->guard);
  }
  Py_DECREF(bytes);
  if (!entered || code) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef results_methods[] = {
    {"groups", results_groups, METH_NOARGS, "Groups with the names, units and shapes of their arrays."},
    {"values", results_values, METH_VARARGS, "values(group, array): a Block over the numbers of an array."},
    {"save", results_save, METH_O, "save(path): as an HDF5 file."},
    {0}};
static PyType_Slot results_slots[] = {{Py_tp_new, results_new},
                                      {Py_tp_dealloc, results_dealloc},
                                      {Py_tp_methods, results_methods},
                                      {Py_tp_doc, "Results(path): a result file."},
                                      {0, NULL}};
PyType_Spec capy_results_spec = {.name = "capstan._capstan.Results",
                                 .basicsize = sizeof(results_object),
                                 .flags = Py_TPFLAGS_DEFAULT,
                                 .slots = results_slots};
