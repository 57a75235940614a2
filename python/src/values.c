/* values.c — texts, numbers and errors between Python and the library; memory of the library as a buffer. */
#include "_capstan.h"

#include <string.h>

PyTypeObject *capy_block_type;

PyObject *capy_fail(capstan_code code, const char *message, PyObject *findings)
{
  PyObject *errors = PyImport_ImportModule("capstan.errors");
  if (!errors) return NULL;
  PyObject *none = PyList_New(0);
  PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
  PyObject *error = none && text ? PyObject_CallMethod(errors, "of", "iOO", (int)code, text,
                                                       findings && findings != Py_None ? findings : none)
                                 : NULL;
  if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(text);
  Py_XDECREF(none);
  Py_DECREF(errors);
  return NULL;
}

int capy_texts_get(PyObject *o, capy_texts *t)
{
  *t = (capy_texts){0};
  if (!o || o == Py_None) return 0;
  t->sequence = PySequence_Tuple(o);
  if (!t->sequence) return -1;
  Py_ssize_t n = PyTuple_Size(t->sequence);
  t->text = PyMem_Calloc((size_t)n + 1, sizeof *t->text);
  if (!t->text) PyErr_NoMemory();
  for (Py_ssize_t k = 0; t->text && k < n; k++) {
    Py_ssize_t length;
    PyObject *item = PyTuple_GetItem(t->sequence, k);
    t->text[k] = PyUnicode_AsUTF8AndSize(item, &length);
    if (t->text[k] && strlen(t->text[k]) != (size_t)length)
      PyErr_SetString(PyExc_ValueError, "a text holds a zero byte");
    if (PyErr_Occurred()) break;
  }
  t->n = (int)n;
  if (!PyErr_Occurred()) return 0;
  capy_texts_free(t);
  return -1;
}

void capy_texts_free(capy_texts *t)
{
  PyMem_Free(t->text);
  Py_XDECREF(t->sequence);
  *t = (capy_texts){0};
}

PyObject *capy_path(PyObject *o, const char **text)
{
  PyObject *bytes = NULL;
  if (!PyUnicode_FSConverter(o, &bytes)) return NULL;
  *text = PyBytes_AsString(bytes);
  return bytes;
}

int capy_numbers(PyObject *o, Py_buffer *view, size_t element, size_t n, int writable, const char *what)
{
  if (PyObject_GetBuffer(o, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE)) return -1;
  if (n == 0 && view->len == 0) return 0;
  if ((size_t)view->len >= element * n && (uintptr_t)view->buf % element == 0) return 0;
  PyErr_Format(PyExc_ValueError, "%s: expected %zu numbers of %zu bytes, got %zd bytes", what, n, element,
               view->len);
  PyBuffer_Release(view);
  return -1;
}

/* ---- Blocks -------------------------------------------------------------------------------------- */

typedef struct block {
  PyObject_HEAD;
  PyObject *owner;
  double *data;
  int rank;
  Py_ssize_t shape[8], strides[8], bytes;
} block;

PyObject *capy_block(PyObject *owner, const double *data, int rank, const size_t *dims)
{
  block *b = PyObject_New(block, capy_block_type);
  if (!b) return NULL;
  b->owner = Py_NewRef(owner);
  b->data = (double *)data; /* handed out for reading only */
  b->rank = rank;
  b->bytes = sizeof *data;
  for (int k = rank - 1; k >= 0; k--) {
    b->shape[k] = (Py_ssize_t)dims[k];
    b->strides[k] = b->bytes;
    b->bytes *= b->shape[k];
  }
  return (PyObject *)b;
}

static void block_dealloc(PyObject *self)
{
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(((block *)self)->owner);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int block_get(PyObject *self, Py_buffer *view, int flags)
{
  static double none; /* an array without elements has an address, too */
  block *b = (block *)self;
  if (PyBuffer_FillInfo(view, self, b->data ? (void *)b->data : &none, b->bytes, 1, flags)) return -1;
  view->itemsize = sizeof *b->data;
  view->ndim = b->rank;
  if (flags & PyBUF_FORMAT) view->format = "d";
  if ((flags & PyBUF_ND) == PyBUF_ND) view->shape = b->shape;
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = b->strides;
  return 0;
}

static PyObject *block_address(PyObject *self, void *unused)
{
  (void)unused;
  return PyLong_FromVoidPtr(((block *)self)->data);
}

static PyGetSetDef block_members[] = {{"address", block_address, NULL, "where the numbers are", NULL}, {0}};
static PyType_Slot block_slots[] = {
    {Py_tp_dealloc, block_dealloc},
    {Py_bf_getbuffer, block_get},
    {Py_tp_getset, block_members},
    {Py_tp_doc, "Numbers in the library's memory, for memoryview() or numpy.asarray()."},
    {0, NULL}};
PyType_Spec capy_block_spec = {.name = "capstan._capstan.Block",
                               .basicsize = sizeof(block),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = block_slots};
