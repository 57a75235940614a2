/* guard.c — one thread at a time in each object; Ctrl-C and exceptions of callbacks end a computation. */
#include "_capstan.h"

static unsigned long main_thread;
/* Where Ctrl-C is told to the computation of the main thread; only that thread writes it. */
static volatile sig_atomic_t *volatile main_stop;
static struct sigaction python_action;

int capy_guard_init(capy_guard *g)
{
  g->lock = PyThread_allocate_lock();
  if (g->lock) return 0;
  PyErr_NoMemory();
  return -1;
}

void capy_guard_free(capy_guard *g)
{
  if (g->lock) PyThread_free_lock(g->lock);
}

int capy_enter(capy_guard *g, int within)
{
  unsigned long self = PyThread_get_thread_ident();
  if (g->depth > 0 && g->owner == self) {
    if (!within) {
      PyErr_SetString(PyExc_RuntimeError, "this cannot be called by a callback of the same object");
      return -1;
    }
    g->depth++;
    return 0;
  }
  while (!PyThread_acquire_lock(g->lock, NOWAIT_LOCK)) {
    PyLockStatus got;
    Py_BEGIN_ALLOW_THREADS;
    got = PyThread_acquire_lock_timed(g->lock, 50000, 1);
    Py_END_ALLOW_THREADS;
    if (got == PY_LOCK_ACQUIRED) break;
    if (PyErr_CheckSignals()) return -1;
  }
  g->owner = self;
  g->depth = 1;
  return 0;
}

void capy_leave(capy_guard *g)
{
  if (--g->depth > 0) return;
  g->owner = 0;
  PyThread_release_lock(g->lock);
}

int capy_watch_init(void)
{
  PyObject *threading = PyImport_ImportModule("threading");
  PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
  PyObject *ident = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
  if (ident) main_thread = PyLong_AsUnsignedLong(ident);
  Py_XDECREF(ident);
  Py_XDECREF(thread);
  Py_XDECREF(threading);
  return PyErr_Occurred() ? -1 : 0;
}

static void interrupted(int number, siginfo_t *info, void *context)
{
  volatile sig_atomic_t *stop = main_stop;
  if (stop && *stop == CAPY_GO_ON) *stop = CAPY_SIGNAL;
  if (python_action.sa_flags & SA_SIGINFO) python_action.sa_sigaction(number, info, context);
  else python_action.sa_handler(number);
}

/* In place of the interpreter's own handler, and of no other: a signal that is ignored stays ignored. */
static int install(void)
{
  struct sigaction own = {.sa_flags = SA_SIGINFO | SA_ONSTACK, .sa_sigaction = interrupted};
  if (sigaction(SIGINT, NULL, &python_action)) return 0;
  if (!(python_action.sa_flags & SA_SIGINFO) &&
      (python_action.sa_handler == SIG_DFL || python_action.sa_handler == SIG_IGN))
    return 0;
  sigemptyset(&own.sa_mask);
  return sigaction(SIGINT, &own, NULL) == 0;
}

int capy_watch_begin(capy_watch *w, capy_guard *g)
{
  *w = (capy_watch){.main = PyThread_get_thread_ident() == main_thread};
  g->stop = CAPY_GO_ON;
  if (!w->main) return 0;
  w->before = main_stop;
  main_stop = &g->stop;
  w->installed = !w->before && install();
  if (!PyErr_CheckSignals()) return 0; /* what came before now is not left for the end */
  (void)capy_watch_end(w);
  return -1;
}

int capy_watch_end(capy_watch *w)
{
  if (!w->main) return 0;
  if (w->installed) {
    struct sigaction now;
    /* A callback may have set a handler of its own meanwhile, which then stays. */
    if (!sigaction(SIGINT, &python_action, &now) && now.sa_sigaction != interrupted)
      sigaction(SIGINT, &now, NULL);
  }
  main_stop = w->before;
  w->main = 0;
  return PyErr_Occurred() ? -1 : PyErr_CheckSignals();
}

void capy_raised_keep(capy_raised *r, capy_guard *g)
{
  g->stop = CAPY_STOP;
  PyErr_Fetch(&r->type, &r->value, &r->trace);
}

int capy_raised_again(capy_raised *r)
{
  if (!r->type) return 0;
  PyErr_Restore(r->type, r->value, r->trace);
  *r = (capy_raised){0};
  return -1;
}
