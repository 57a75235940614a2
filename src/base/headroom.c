/* base/headroom.c — see headroom.h. */
#include "base/headroom.h"

#include <sys/mman.h>

bool cap_headroom(size_t bytes)
{
  /* not by malloc, which would change how it serves large requests from then on */
  void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return false;
  munmap(pages, bytes);
  return true;
}
