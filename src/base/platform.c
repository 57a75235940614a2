/* base/platform.c — see platform.h. */
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__) && !defined(CAPSTAN_PLAIN_PLATFORM)
#define ON_LINUX 1
#include <sched.h>
#include <sys/prctl.h>
#else
#define ON_LINUX 0
#endif
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

/* The program */

int cap_platform_cores(void)
{
#if ON_LINUX
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)n : 1;
}

#if ON_LINUX
static const char ITSELF[] = "/proc/self/exe";

bool cap_platform_program(char *path, size_t size)
{
  ssize_t n = readlink(ITSELF, path, size);
  if (n <= 0 || (size_t)n >= size) return false;
  path[n] = '\0';
  return true;
}

void cap_platform_start_anew(char **argv)
{
  execv(ITSELF, argv);
}
#else
bool cap_platform_program(char *path, size_t size)
{
  (void)path, (void)size;
  return false;
}

/* By its name, where that is a path; a name that a shell has looked for may mean another program here. */
void cap_platform_start_anew(char **argv)
{
  if (argv[0] && strchr(argv[0], '/')) execv(argv[0], argv);
}
#endif

void cap_platform_libc(char *text, size_t size)
{
#ifdef __GLIBC__
  snprintf(text, size, "glibc %s", gnu_get_libc_version());
#else
  snprintf(text, size, "unknown");
#endif
}

/* Processes */

void cap_platform_die_with(pid_t parent)
{
#if ON_LINUX
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(1); /* it ended before the line above */
}

void cap_platform_wait(const sigset_t *blocked, int64_t nanoseconds)
{
  const int64_t second = 1000 * 1000 * 1000;
  const struct timespec pause = {.tv_sec = (time_t)(nanoseconds / second),
                                 .tv_nsec = (long)(nanoseconds % second)};
#if ON_LINUX
  sigtimedwait(blocked, NULL, &pause);
#else
  (void)blocked;
  nanosleep(&pause, NULL);
#endif
}

bool cap_platform_pipe(int ends[2])
{
#if ON_LINUX
  return pipe2(ends, O_CLOEXEC) == 0;
#else
  if (pipe(ends) != 0) return false;
  if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != -1 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) != -1) return true;
  close(ends[0]);
  close(ends[1]);
  ends[0] = ends[1] = -1;
  return false;
#endif
}

/* Files */

#if ON_LINUX
enum { SET_LOCK = F_OFD_SETLK, GET_LOCK = F_OFD_GETLK };
#else
enum { SET_LOCK = F_SETLK, GET_LOCK = F_GETLK };
#endif

int cap_platform_lock(int fd)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, SET_LOCK, &lock) == 0) return 1;
  return errno == EAGAIN || errno == EACCES ? 0 : -1;
}

bool cap_platform_locked(int fd)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, GET_LOCK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int cap_platform_sync_data(int fd)
{
#if ON_LINUX
  return fdatasync(fd);
#else
  return fsync(fd);
#endif
}

bool cap_platform_sync_all(int fd)
{
#if ON_LINUX
  return syncfs(fd) == 0;
#else
  (void)fd;
  return false;
#endif
}

int cap_platform_unnamed_file(void)
{
#if ON_LINUX
  return memfd_create("capstan", MFD_CLOEXEC);
#else
  char path[] = "/tmp/capstan-XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0) return -1;
  unlink(path);
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return fd;
#endif
}

int cap_platform_ask_for_room(int fd, int64_t size)
{
#if ON_LINUX
  int failure = posix_fallocate(fd, 0, (off_t)size);
  return failure == EINVAL || failure == EOPNOTSUPP ? 0 : failure;
#else
  (void)fd, (void)size;
  return 0;
#endif
}

/* Memory */

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

void *cap_platform_pages(size_t size)
{
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

void *cap_platform_grow_pages(void *pages, size_t size, size_t larger)
{
#if ON_LINUX
  void *grown = mremap(pages, size, larger, MREMAP_MAYMOVE);
  return grown == MAP_FAILED ? NULL : grown;
#else
  void *grown = cap_platform_pages(larger);
  if (!grown) return NULL;
  memcpy(grown, pages, size);
  munmap(pages, size);
  return grown;
#endif
}

void cap_platform_free_pages(void *pages, size_t size)
{
  if (pages) munmap(pages, size);
}
