/* base/machine.c — see machine.h. */
#include "base/machine.h"
#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static void put_maker(char maker[13])
{
  unsigned a = 0, words[3] = {0};
  __get_cpuid(0, &a, &words[0], &words[2], &words[1]);
  memcpy(maker, words, sizeof words);
  maker[12] = 0;
}

void cap_machine_processor(char text[CAP_MACHINE_TEXT])
{
  char maker[13];
  unsigned a = 0, b, c, d;
  put_maker(maker);
  __get_cpuid(1, &a, &b, &c, &d);
  unsigned family = (a >> 8) & 0xf, model = (a >> 4) & 0xf;
  if (family == 6 || family == 15) model += ((a >> 16) & 0xf) << 4;
  if (family == 15) family += (a >> 20) & 0xff;
  snprintf(text, CAP_MACHINE_TEXT, "%s %u.%u.%u%s%s%s", maker, family, model, a & 0xf,
           __builtin_cpu_supports("avx2") ? " avx2" : "", __builtin_cpu_supports("fma") ? " fma" : "",
           __builtin_cpu_supports("avx512f") ? " avx512f" : "");
}
#else
void cap_machine_processor(char text[CAP_MACHINE_TEXT])
{
  struct utsname name;
  snprintf(text, CAP_MACHINE_TEXT, "%.*s", CAP_MACHINE_TEXT - 1,
           uname(&name) == 0 ? name.machine : "unknown");
}
#endif

void cap_machine_libm(char text[CAP_MACHINE_TEXT])
{
  const char *tunables = getenv("GLIBC_TUNABLES");
  char library[64];
  cap_platform_libc(library, sizeof library);
  snprintf(text, CAP_MACHINE_TEXT, "%s%s%s", library, tunables && *tunables ? ", " : "",
           tunables ? tunables : "");
}
