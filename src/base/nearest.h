/* base/nearest.h — the known word that a misspelt one most likely means. */
#pragma once

/* Number of insertions, deletions, changes and swaps of neighbours that turn `a` into `b`, letter case
 * ignored at half price: the result is twice that number. Words longer than 63 bytes are compared by their
 * first 63. */
int cap_nearest_distance(const char *a, const char *b);

typedef struct cap_nearest {
  const char *word, *best;
  int distance;
} cap_nearest;

/* Offer the candidates one by one; `best` is NULL until one is near enough to be named. */
void cap_nearest_start(cap_nearest *nearest, const char *word);
void cap_nearest_offer(cap_nearest *nearest, const char *candidate);
