/* base/arena.c — see arena.h. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, BLOCK_SIZE = 64 * 1024 };

struct cap_arena_block {
  cap_arena_block *next;
  size_t size, used; /* of the payload, in bytes */
  unsigned char *payload;
};

static cap_arena_block *block_create(size_t size)
{
  if (size > SIZE_MAX - ALIGNMENT - sizeof(cap_arena_block)) return NULL;
  cap_arena_block *block = malloc(sizeof *block + size + ALIGNMENT);
  if (!block) return NULL;
  uintptr_t first = (uintptr_t)(block + 1);
  uintptr_t aligned = (first + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
  *block = (cap_arena_block){.size = size, .payload = (unsigned char *)aligned};
  return block;
}

void *cap_arena_alloc(cap_arena *arena, size_t size)
{
  if (size > SIZE_MAX - ALIGNMENT) return NULL;
  size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if (size == 0) size = ALIGNMENT;

  cap_arena_block *block = arena->head;
  while (block && block->size - block->used < size) block = block->next;
  if (!block) {
    block = block_create(size > BLOCK_SIZE ? size : BLOCK_SIZE);
    if (!block) return NULL;
    block->next = arena->head;
    arena->head = block;
  }
  void *place = block->payload + block->used;
  block->used += size;
  arena->used += size;
  if (arena->used > arena->peak) arena->peak = arena->used;
  memset(place, 0, size);
  return place;
}

void *cap_arena_array(cap_arena *arena, size_t count, size_t size)
{
  if (size && count > SIZE_MAX / size) return NULL;
  return cap_arena_alloc(arena, count * size);
}

char *cap_arena_copy_text(cap_arena *arena, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = cap_arena_alloc(arena, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

char *cap_arena_format(cap_arena *arena, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length < 0) return NULL;
  char *text = cap_arena_alloc(arena, (size_t)length + 1);
  if (!text) return NULL;
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

void cap_arena_adopt(cap_arena *arena, cap_arena *from)
{
  cap_arena_block **end = &from->head;
  while (*end) end = &(*end)->next;
  *end = arena->head;
  arena->head = from->head;
  arena->used += from->used;
  if (arena->used > arena->peak) arena->peak = arena->used;
  *from = (cap_arena){0};
}

void cap_arena_reset(cap_arena *arena)
{
  for (cap_arena_block *block = arena->head; block; block = block->next) block->used = 0;
  arena->used = 0;
}

void cap_arena_free(cap_arena *arena)
{
  cap_arena_block *block = arena->head;
  while (block) {
    cap_arena_block *next = block->next;
    free(block);
    block = next;
  }
  *arena = (cap_arena){0};
}
