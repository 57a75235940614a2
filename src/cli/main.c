/* cli/main.c — the program: `capstan --version`. */
#include "version.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    printf("capstan %s\n", CAPSTAN_VERSION);
    return 0;
  }
  fprintf(stderr, "usage: capstan --version\n");
  return 2;
}
