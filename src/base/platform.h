/* base/platform.h — what the program asks of Linux and POSIX does not have, and what is done elsewhere.
 *
 * Each call has a plain way for other systems, which promises less where it says so; a build with
 * CAPSTAN_PLAIN_PLATFORM takes it on Linux, too. No other file calls what Linux alone has
 * (scripts/check_includes.sh).
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Processors that this process may use; at least 1. */
int cap_platform_cores(void);

/* The file of the running program, ended by 0. false where that cannot be known or has no room. */
bool cap_platform_program(char *path, size_t size);
/* Run the program anew in this process, whatever became of its file; returns where that cannot be done. */
void cap_platform_start_anew(char **argv);
/* "glibc 2.36", as far as the C library tells. */
void cap_platform_libc(char *text, size_t size);

/* Of a process just forked: be killed when its parent ends. Ends at once where the parent is no longer
 * `parent`. Elsewhere a parent that is killed later leaves it alone. */
void cap_platform_die_with(pid_t parent);
/* Wait for one of these blocked signals, which is taken, or another that has a handler, or the time.
 * Elsewhere a blocked signal does not cut the wait short. */
void cap_platform_wait(const sigset_t *blocked, int64_t nanoseconds);
/* A pipe that programs started by other threads do not inherit. Elsewhere they may for an instant. */
bool cap_platform_pipe(int ends[2]);

/* Lock the whole file for writing, without waiting: 1 locked, 0 another has it, -1 this file system knows no
 * locks. The lock belongs to what was opened, not to the process, and goes when that is closed. Elsewhere to
 * the process: it goes when any descriptor of the file is closed, and keeps out other processes only. */
int cap_platform_lock(int fd);
/* Another has it locked. */
bool cap_platform_locked(int fd);

/* Contents to the disk, without times and the like where that is less work. 0, or -1 with errno. */
int cap_platform_sync_data(int fd);
/* All of the file system of `fd` at once; false where that cannot be done: sync each file. */
bool cap_platform_sync_all(int fd);
/* An empty file without a name, which is gone when it is closed; -1 with errno. In memory; elsewhere on the
 * disk, where temporary files go. */
int cap_platform_unnamed_file(void);
/* Take room for a file of this size. 0, also where that cannot be asked for, or why there is none (errno). */
int cap_platform_ask_for_room(int fd, int64_t size);

/* Pages of zeros that take memory only when they are written, not counted as used before; NULL: none. Growing
 * keeps what is there and does not copy it on Linux; when it fails, the old ones stay. */
void *cap_platform_pages(size_t size);
void *cap_platform_grow_pages(void *pages, size_t size, size_t larger);
void cap_platform_free_pages(void *pages, size_t size);
