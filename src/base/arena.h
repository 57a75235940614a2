/* base/arena.h — memory that is released all at once.
 *
 * Blocks are chained, so a pointer stays valid until reset or free. Everything handed out is zeroed and
 * aligned to 64 bytes for vector loads. `cap_arena_alloc` returns NULL only when memory is exhausted.
 */
#pragma once
#include <stddef.h>

typedef struct cap_arena_block cap_arena_block;

typedef struct cap_arena {
  cap_arena_block *head;
  size_t used, peak; /* bytes handed out since the last reset, and their maximum */
} cap_arena;

void *cap_arena_alloc(cap_arena *arena, size_t size);
/* count * size with overflow check. */
void *cap_arena_array(cap_arena *arena, size_t count, size_t size);
char *cap_arena_copy_text(cap_arena *arena, const char *text);
__attribute__((format(printf, 2, 3))) char *cap_arena_format(cap_arena *arena, const char *format, ...);
/* Take over all that `from` has handed out; `from` is empty afterwards. */
void cap_arena_adopt(cap_arena *arena, cap_arena *from);
/* Forget all allocations, keep the memory. */
void cap_arena_reset(cap_arena *arena);
/* Give the memory back; accepts a zeroed arena. */
void cap_arena_free(cap_arena *arena);

#define CAP_ARENA_NEW(arena, type, count) ((type *)cap_arena_array((arena), (size_t)(count), sizeof(type)))
