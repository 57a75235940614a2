/* base/nearest.c — see nearest.h. Optimal string alignment distance. */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

static int change_price(char a, char b)
{
  if (a == b) return 0;
  return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

int cap_nearest_distance(const char *a, const char *b)
{
  int na = (int)strnlen(a, LONGEST), nb = (int)strnlen(b, LONGEST);
  int rows[3][LONGEST + 1];
  int *before = rows[0], *above = rows[1], *row = rows[2];
  for (int j = 0; j <= nb; j++) above[j] = 2 * j;
  for (int i = 1; i <= na; i++) {
    row[0] = 2 * i;
    for (int j = 1; j <= nb; j++) {
      int price = above[j - 1] + change_price(a[i - 1], b[j - 1]);
      price = smaller(price, smaller(above[j], row[j - 1]) + 2);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        price = smaller(price, before[j - 2] + 2);
      row[j] = price;
    }
    int *spare = before;
    before = above;
    above = row;
    row = spare;
  }
  return above[nb];
}

void cap_nearest_start(cap_nearest *nearest, const char *word)
{
  /* A third of the letters may be wrong: more would suggest words that have nothing to do with it. */
  int letters = (int)strnlen(word, LONGEST);
  int limit = letters == 1 ? 2 : 2 * ((letters + 2) / 3) + 1; /* one letter: its case alone */
  *nearest = (cap_nearest){.word = word, .distance = limit};
}

void cap_nearest_offer(cap_nearest *nearest, const char *candidate)
{
  int distance = cap_nearest_distance(nearest->word, candidate);
  if (distance >= nearest->distance) return;
  nearest->distance = distance;
  nearest->best = candidate;
}
