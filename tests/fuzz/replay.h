/* tests/fuzz/replay.h — give a fuzz target every file of a folder, and all malformed inputs of tests/bad. */
#pragma once
#include "../bad/table.h"
#include "replay_folder.h"

/* In memory of its own size, so that a read behind its end is seen. */
static int replay_text(const bad_text *text)
{
  uint8_t *data = malloc(text->size ? text->size : 1);
  if (!data) return 0;
  memcpy(data, text->bytes, text->size);
  LLVMFuzzerTestOneInput(data, text->size);
  free(data);
  return 1;
}

/* Number of inputs that the target survived: the cases in the tables of tests/bad, their bases and
 * companion files. */
static int replay_malformed(void)
{
  DIR *listing = opendir(CAPSTAN_SOURCE_DIR "/tests/bad");
  int n = 0;
  for (struct dirent *entry; listing && (entry = readdir(listing));) {
    char path[600];
    bad_table table;
    const char *end = strrchr(entry->d_name, '.');
    if (!end || strcmp(end, ".cases") != 0) continue;
    snprintf(path, sizeof path, "%s/%s", CAPSTAN_SOURCE_DIR "/tests/bad", entry->d_name);
    if (bad_table_read(&table, path)) n += replay_file(path);
    for (const bad_case *c = table.cases; c; c = c->next) n += replay_text(&c->input);
    for (const bad_text *t = table.bases; t; t = t->next) n += replay_text(t);
    for (const bad_text *t = table.files; t; t = t->next) n += replay_text(t);
    bad_table_free(&table);
  }
  if (listing) closedir(listing);
  return n;
}
