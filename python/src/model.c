/* model.c — a model: settings, variables, whole runs. */
#include "_capstan.h"

typedef struct model_object {
  PyObject_HEAD;
  capstan_model *model;
  capy_guard guard;
} model_object;

PyTypeObject *capy_model_type;

/* [(warning, file, line, column, path, text)] of the last call. */
static PyObject *findings_of(capstan_model *model)
{
  const capstan_finding *found = NULL;
  int n = model ? capstan_findings(model, &found) : 0;
  PyObject *list = PyList_New(n);
  for (int k = 0; list && k < n; k++) {
    const capstan_finding *f = &found[k];
    PyObject *item = Py_BuildValue("(Nsiiss)", PyBool_FromLong(f->warning), f->file, f->line, f->column,
                                   f->path, f->text);
    if (!item || PyList_SetItem(list, k, item)) Py_CLEAR(list);
  }
  return list;
}

static PyObject *fail(capstan_code code, capstan_model *model)
{
  PyObject *findings = findings_of(model);
  if (findings) capy_fail(code, capstan_message(model), findings);
  Py_XDECREF(findings);
  return NULL;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
  static char *names[] = {"path", "settings", "text", NULL};
  PyObject *given, *settings = Py_None, *bytes;
  const char *path, *text = NULL;
  Py_ssize_t size = 0;
  capy_texts texts;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|Oz#:Model", names, &given, &settings, &text, &size))
    return NULL;
  if (!(bytes = capy_path(given, &path))) return NULL;
  if (capy_texts_get(settings, &texts)) {
    Py_DECREF(bytes);
    return NULL;
  }
  model_object *o = (model_object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (o && capy_guard_init(&o->guard)) Py_CLEAR(o);
  if (o) {
    capstan_code code;
    Py_BEGIN_ALLOW_THREADS;
    code = text ? capstan_open_text(text, (size_t)size, path, texts.n, texts.text, &o->model)
                : capstan_open(path, texts.n, texts.text, &o->model);
    Py_END_ALLOW_THREADS;
    if (code) {
      fail(code, o->model);
      Py_CLEAR(o);
    }
  }
  capy_texts_free(&texts);
  Py_DECREF(bytes);
  return (PyObject *)o;
}

static void model_dealloc(PyObject *self)
{
  model_object *o = (model_object *)self;
  PyTypeObject *type = Py_TYPE(self);
  capstan_close(o->model);
  capy_guard_free(&o->guard);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static PyObject *model_set(PyObject *self, PyObject *settings)
{
  model_object *o = (model_object *)self;
  capy_texts texts;
  if (capy_texts_get(settings, &texts)) return NULL;
  capstan_code code = CAPSTAN_FAILED;
  if (capy_enter(&o->guard, 0) == 0) {
    Py_BEGIN_ALLOW_THREADS;
    code = capstan_set(o->model, texts.n, texts.text);
    Py_END_ALLOW_THREADS;
    if (code) fail(code, o->model);
    capy_leave(&o->guard);
  }
  capy_texts_free(&texts);
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

static PyObject *model_findings(PyObject *self, PyObject *unused)
{
  model_object *o = (model_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 0)) return NULL;
  PyObject *list = findings_of(o->model);
  capy_leave(&o->guard);
  return list;
}

static PyObject *model_describe(PyObject *self, PyObject *unused)
{
  model_object *o = (model_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 0)) return NULL;
  PyObject *text = PyUnicode_FromString(capstan_describe(o->model));
  capy_leave(&o->guard);
  return text;
}

/* [(name, unit, text, start, low, high, low_open, high_open, position)] */
static PyObject *model_variables(PyObject *self, PyObject *args)
{
  model_object *o = (model_object *)self;
  int kind;
  if (!PyArg_ParseTuple(args, "i:variables", &kind) || capy_enter(&o->guard, 0)) return NULL;
  const capstan_variable *found = NULL;
  int n = capstan_variables(o->model, (capstan_kind)kind, &found);
  PyObject *list = PyList_New(n > 0 ? n : 0);
  for (int k = 0; list && k < n; k++) {
    const capstan_variable *v = &found[k];
    PyObject *item = Py_BuildValue("(sssdddNNN)", v->name, v->unit, v->text, v->start, v->low, v->high,
                                   PyBool_FromLong(v->low_open), PyBool_FromLong(v->high_open),
                                   PyBool_FromLong(v->position));
    if (!item || PyList_SetItem(list, k, item)) Py_CLEAR(list);
  }
  capy_leave(&o->guard);
  return list;
}

/* ---- Runs ---------------------------------------------------------------------------------------- */

typedef struct run_call {
  PyObject *progress, *note, *warn, *stage;
  capy_guard *guard;
  capy_raised raised;
} run_call;

/* Each callback begins and ends like this; after an exception no other is called. */
static int run_call_begin(const run_call *c, PyGILState_STATE *state)
{
  *state = PyGILState_Ensure();
  if (!c->raised.type) return 1;
  PyGILState_Release(*state);
  return 0;
}

static void run_call_end(run_call *c, PyGILState_STATE state, PyObject *answer)
{
  if (!answer) capy_raised_keep(&c->raised, c->guard);
  Py_XDECREF(answer);
  PyGILState_Release(state);
}

static void run_progress(void *self, const char *what, double done, double total, const char *unit)
{
  run_call *c = self;
  PyGILState_STATE state;
  if (!run_call_begin(c, &state)) return;
  run_call_end(c, state,
               PyErr_CheckSignals()
                   ? NULL
                   : PyObject_CallFunction(c->progress, "sdds", what, done, total, unit ? unit : ""));
}

static void run_note(void *self, const char *text)
{
  run_call *c = self;
  PyGILState_STATE state;
  if (run_call_begin(c, &state)) run_call_end(c, state, PyObject_CallFunction(c->note, "s", text));
}

static void run_warn(void *self, const char *text)
{
  run_call *c = self;
  PyGILState_STATE state;
  if (run_call_begin(c, &state)) run_call_end(c, state, PyObject_CallFunction(c->warn, "s", text));
}

static void run_stage(void *self, const capstan_analysis_stage *s)
{
  run_call *c = self;
  PyGILState_STATE state;
  if (!run_call_begin(c, &state)) return;
  PyObject *groups = PyList_New(s->ngroup);
  for (int k = 0; groups && k < s->ngroup; k++)
    if (PyList_SetItem(groups, k, PyUnicode_FromString(s->groups[k]))) Py_CLEAR(groups);
  PyObject *answer = groups ? PyObject_CallFunction(c->stage, "sNiN", s->analysis, PyBool_FromLong(s->ended),
                                                    (int)s->code, groups)
                            : NULL;
  run_call_end(c, state, answer);
}

/* The outcome of a run: what a callback or a signal has raised, else the code. */
static int run_ended(capstan_code code, run_call *c, capy_watch *watch, capstan_model *model)
{
  int bad = capy_raised_again(&c->raised);
  bad |= capy_watch_end(watch);
  if (!bad && code) fail(code, model);
  return bad || code ? -1 : 0;
}

/* The run itself, with options that are complete: 0, or -1 with an exception. */
static int run_it(model_object *o, run_call *call, const capstan_options *options, const char *path,
                  capstan_results **results)
{
  if (capy_enter(&o->guard, 0)) return -1;
  capy_watch watch;
  int bad = -1;
  if (capy_watch_begin(&watch, &o->guard) == 0) {
    capstan_code code;
    Py_BEGIN_ALLOW_THREADS;
    code = path ? capstan_run(o->model, path, options) : capstan_run_memory(o->model, options, results);
    Py_END_ALLOW_THREADS;
    bad = run_ended(code, call, &watch, o->model);
  }
  capy_leave(&o->guard);
  return bad;
}

/* What there is of a run that failed is the attribute `partial` of its exception. */
static void keep_partial(capstan_results *results)
{
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *partial = capy_results_of(results);
  if (!partial || (value && PyObject_SetAttrString(value, "partial", partial))) PyErr_Clear();
  Py_XDECREF(partial);
  PyErr_Restore(type, value, trace);
}

/* run(result, threads, resume, time_limit, feeds, held, progress, note, warn, stage): `result` None is into
 * memory; `held` has a C int for each of the feeds. Returns None or Results. */
static PyObject *model_run(PyObject *self, PyObject *args)
{
  model_object *o = (model_object *)self;
  run_call call = {.guard = &o->guard};
  capstan_options options = {.size = sizeof options, .self = &call, .stop = &o->guard.stop};
  PyObject *result, *feeds, *held, *bytes = NULL;
  const char *path = NULL;
  capy_texts texts;
  Py_buffer flags;
  if (!PyArg_ParseTuple(args, "OipdOOOOOO:run", &result, &options.threads, &options.resume,
                        &options.time_limit, &feeds, &held, &call.progress, &call.note, &call.warn,
                        &call.stage))
    return NULL;
  if (result != Py_None && !(bytes = capy_path(result, &path))) return NULL;
  if (call.progress != Py_None) options.progress = run_progress;
  if (call.note != Py_None) options.note = run_note;
  if (call.warn != Py_None) options.warn = run_warn;
  if (call.stage != Py_None) options.stage = run_stage;
  capstan_results *results = NULL;
  int bad = -1;
  if (capy_texts_get(feeds, &texts) == 0) {
    if (capy_numbers(held, &flags, sizeof(int), (size_t)texts.n, 0, "held") == 0) {
      options.nfeed = texts.n;
      options.feeds = texts.text;
      options.held = flags.buf;
      bad = run_it(o, &call, &options, path, &results);
      PyBuffer_Release(&flags);
    }
    capy_texts_free(&texts);
  }
  Py_XDECREF(bytes);
  if (bad && results) keep_partial(results);
  if (bad) return NULL;
  return results ? capy_results_of(results) : Py_NewRef(Py_None);
}

static PyObject *model_result(PyObject *self, PyObject *unused)
{
  model_object *o = (model_object *)self;
  (void)unused;
  if (capy_enter(&o->guard, 0)) return NULL;
  PyObject *path = PyUnicode_DecodeFSDefault(capstan_result_path(o->model));
  PyObject *pair = path ? Py_BuildValue("(NN)", path, PyBool_FromLong(capstan_result_complete(o->model)))
                        : NULL;
  capy_leave(&o->guard);
  return pair;
}

static PyObject *model_stop(PyObject *self, PyObject *unused)
{
  (void)unused;
  ((model_object *)self)->guard.stop = CAPY_STOP;
  Py_RETURN_NONE;
}

static PyObject *model_start(PyObject *self, PyObject *args, PyObject *keywords)
{
  model_object *o = (model_object *)self;
  if (capy_enter(&o->guard, 0)) return NULL;
  PyObject *session = capy_session_of(o->model, args, keywords);
  capy_leave(&o->guard);
  return session;
}

static PyMethodDef model_methods[] = {
    {"set", model_set, METH_O, "set(settings): texts \"path=value\"."},
    {"findings", model_findings, METH_NOARGS, "Findings of the last call."},
    {"describe", model_describe, METH_NOARGS, "What would be simulated."},
    {"variables", model_variables, METH_VARARGS, "variables(kind): all of a kind."},
    {"run", model_run, METH_VARARGS,
     "run(result, threads, resume, time_limit, feeds, held, progress, note, warn, stage)."},
    {"result", model_result, METH_NOARGS, "Path of the last result and whether it is complete."},
    {"stop", model_stop, METH_NOARGS, "Ends the run that goes on; from any thread."},
    {"start", (PyCFunction)(void (*)(void))model_start, METH_VARARGS | METH_KEYWORDS,
     "start(**options): a Session."},
    {0}};
static PyType_Slot model_slots[] = {{Py_tp_new, model_new},
                                    {Py_tp_dealloc, model_dealloc},
                                    {Py_tp_methods, model_methods},
                                    {Py_tp_doc, "Model(path, settings, text)."},
                                    {0, NULL}};
PyType_Spec capy_model_spec = {.name = "capstan._capstan.Model",
                               .basicsize = sizeof(model_object),
                               .flags = Py_TPFLAGS_DEFAULT,
                               .slots = model_slots};
