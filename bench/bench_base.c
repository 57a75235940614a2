/* Hash and arena: what a state hash costs a byte, and what an allocation costs. */
#include "base/arena.h"
#include "base/hash.h"
#include "bench.h"

#include <stdlib.h>

typedef struct hash_case {
  unsigned char *bytes;
  size_t size;
  uint64_t sum; /* keeps the compiler from leaving the work out */
} hash_case;

static void run_hash(void *self)
{
  hash_case *c = self;
  c->sum += cap_hash_bytes(c->bytes, c->size);
}

enum { NALLOC = 1000 };

static void run_arena(void *self)
{
  cap_arena *arena = self;
  cap_arena_reset(arena);
  for (int i = 0; i < NALLOC; i++) CAP_ARENA_NEW(arena, double, 8);
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (size_t size = 1 << 10; size <= 1 << 22; size <<= 6) {
    hash_case c = {.bytes = calloc(size, 1), .size = size};
    if (!c.bytes) return 1;
    bench_row(&table, "hash", (long)size, 1e-9 * (double)size / bench_best(run_hash, &c, 0.05), "GB/s");
    free(c.bytes);
  }
  cap_arena arena = {0};
  bench_row(&table, "arena: 64 bytes", NALLOC, 1e9 * bench_best(run_arena, &arena, 0.05) / NALLOC,
            "ns/allocation");
  cap_arena_free(&arena);
  return bench_close(&table);
}
