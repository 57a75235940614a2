#!/usr/bin/env bash
# One allocation fails, wherever it is: in Capstan, in HDF5, udunits or the C library, which do not all survive that. The program
# ends with a sentence or with a whole result, never in silence.
source "$(dirname "$0")/program_lib.sh"
[ "${CAPSTAN_SANITIZE:-OFF}" != ON ] || { echo "skipped: the sanitizers have an allocator of their own"; exit 77; }
case $(uname -s) in Linux) ;; *) echo "skipped: needs LD_PRELOAD"; exit 77 ;; esac

cat >failing.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static long count, wanted = -1;
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t); /* glibc's own */
__attribute__((constructor)) static void begin(void)
{
  const char *k = getenv("FAILING_ALLOCATION");
  count = 0;
  if (k) wanted = atol(k);
}
static int fails(void) { return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) == wanted; }
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails() ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
__attribute__((destructor)) static void end(void)
{
  FILE *f = getenv("COUNT_ALLOCATIONS") ? fopen(getenv("COUNT_ALLOCATIONS"), "w") : NULL;
  if (f) fprintf(f, "%ld\n", count), fclose(f);
}
END
${CC:-cc} -shared -fPIC -O1 -w failing.c -o failing.so || { echo "skipped: no C compiler"; exit 77; }

short_model 2
COUNT_ALLOCATIONS=$PWD/count LD_PRELOAD=$PWD/failing.so "$program" run m.yaml -o a.h5 --quiet >/dev/null || fail "it does not run at all"
total=$(cat count)
tries=${TRIES:-60}
[ "${CAPSTAN_LEVEL:-test}" != all ] || tries=700
declare -A ends
for ((i = 0; i < tries; i++)); do
  k=$((1 + i * total / tries))
  rm -f a.h5 a.h5.part
  code=0
  { FAILING_ALLOCATION=$k LD_PRELOAD=$PWD/failing.so timeout 20 "$program" run m.yaml -o a.h5 --quiet >said.out 2>said.err; } 2>/dev/null || code=$?
  [ "$code" != 124 ] || fail "allocation $k of $total: it hangs"
  if [ "$code" != 0 ]; then [ -s said.err ] || fail "allocation $k of $total: it ends with $code in silence"; fi
  if [ "$code" = 0 ]; then "$program" verify a.h5 --quiet 2>said.err || fail "allocation $k of $total: the result is not whole"; fi
  ends[$code]=$((${ends[$code]:-0} + 1))
done
for code in "${!ends[@]}"; do echo "exit code $code: ${ends[$code]} of $tries"; done
