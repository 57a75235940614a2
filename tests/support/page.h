/* support/page.h — a folder for each test, and the pages in it. Include after cmocka.h. */
#pragma once
#include "report/template.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/capstan-page-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[256];
  snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", folder, folder);
  return system(command);
}

static const char *in_folder(const char *name)
{
  static char paths[8][192];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static char *text_of(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, file), *size);
  text[*size] = '\0';
  fclose(file);
  return text;
}

/* The data of a page, as it stands between the template's halves; to be freed. */
static char *data_of(const char *path)
{
  size_t size;
  char *text = text_of(path, &size);
  static const char mark[] = "type=\"application/json\">";
  char *data = strstr(text, mark);
  assert_non_null(data);
  data += sizeof mark - 1;
  char *end = strstr(data, "</script>");
  assert_non_null(end);
  char *copy = strndup(data, (size_t)(end - data));
  free(text);
  return copy;
}

static bool has_page(void)
{
  return cap_template_size > 0;
}

/* Exit code of `capstan report ARGUMENTS`, its output in out.txt. */
static int report(const char *arguments)
{
  char command[512];
  snprintf(command, sizeof command, "cd '%s' && '%s' report %s >out.txt 2>&1", folder, CAPSTAN_PROGRAM,
           arguments);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void assert_told(const char *expected)
{
  size_t size;
  char *text = text_of(in_folder("out.txt"), &size);
  if (!strstr(text, expected)) fail_msg("expected \"%s\" in \"%s\"", expected, text);
  free(text);
}
