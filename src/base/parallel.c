/* base/parallel.c — see parallel.h. */
#include "base/parallel.h"

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { THREADS_MOST = 256 };

typedef struct work {
  int count;
  cap_status (*task)(void *self, int k, cap_error *error);
  void *self;
  atomic_int next;
  atomic_bool failed;
  pthread_mutex_t lock; /* of what follows */
  int first;            /* smallest k that failed */
  cap_error error;
  locale_t language; /* of the thread that waits, which those that help would not have */
} work;

static void note_failure(work *w, int k, cap_status status, const cap_error *error)
{
  atomic_store(&w->failed, true);
  pthread_mutex_lock(&w->lock);
  if (k < w->first) {
    w->first = k;
    w->error = *error;
    w->error.status = status;
  }
  pthread_mutex_unlock(&w->lock);
}

static void *run(void *self)
{
  work *w = self;
  uselocale(w->language);
  while (!atomic_load(&w->failed)) {
    int k = atomic_fetch_add(&w->next, 1);
    if (k >= w->count) break;
    cap_error error = {0};
    cap_status status = w->task(w->self, k, &error);
    if (status != CAP_OK) note_failure(w, k, status, &error);
  }
  return NULL;
}

cap_status cap_parallel_for(int count, int threads, cap_status (*task)(void *self, int k, cap_error *error),
                            void *self, cap_error *error)
{
  work w = {.count = count,
            .task = task,
            .self = self,
            .lock = PTHREAD_MUTEX_INITIALIZER,
            .first = count,
            .language = uselocale((locale_t)0)};
  pthread_t helpers[THREADS_MOST];
  int started = 0, wanted = (threads < count ? threads : count) - 1;
  while (started < wanted && started < THREADS_MOST && pthread_create(&helpers[started], NULL, run, &w) == 0)
    started++;
  run(&w); /* this thread works too; where none can be started it does all */
  for (int k = 0; k < started; k++) pthread_join(helpers[k], NULL);
  if (w.first == count) return CAP_OK;
  if (error) *error = w.error;
  return w.error.status;
}
