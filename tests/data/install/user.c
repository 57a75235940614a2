/* A user's program: nothing but the installed header and library. Arguments: a model, its misspelt twin, a
 * result. */
#include <capstan/capstan.h>

#include <stdio.h>
#include <string.h>

static int reports; /* how often the run said how far it is */

static void count(void *self, const char *what, double done, double total, const char *unit)
{
  (void)what, (void)unit;
  if (done <= total) ++*(int *)self;
}

static int expect(int fine, const char *what, const capstan_model *model)
{
  if (!fine) fprintf(stderr, "not so: %s; the message was: %s\n", what, capstan_message(model));
  return !fine;
}

int main(int argc, char **argv)
{
  if (argc != 4) return 9;
  int wrong = 0;
  capstan_model *model;
  const char *settings[] = {"outputs.every=2 ms"};
  const char *bad_settings[] = {"outputs.every=2 kg"}, *no_channel[] = {"outputs.channels=[nothing]"};

  wrong += expect(capstan_open(argv[2], 0, NULL, &model) == CAPSTAN_BAD_INPUT, "a misspelt key is refused",
                  model);
  wrong += expect(strstr(capstan_message(model), "tensoiner") != NULL, "the message names the key", model);
  wrong += expect(capstan_run(model, argv[3], NULL) == CAPSTAN_BAD_INPUT, "a refused model does not run",
                  model);
  capstan_close(model);

  wrong += expect(capstan_open(argv[1], 1, bad_settings, &model) == CAPSTAN_BAD_INPUT,
                  "a bad setting is refused", model);
  capstan_close(model);
  wrong += expect(capstan_open(argv[1], 1, no_channel, &model) == CAPSTAN_BAD_INPUT,
                  "a channel that the model does not have is refused", model);
  wrong += expect(strstr(capstan_message(model), "unknown channel") != NULL, "the message says so", model);
  capstan_close(model);

  capstan_options options = {.size = sizeof options, .progress = count, .self = &reports};
  wrong += expect(capstan_open(argv[1], 1, settings, &model) == CAPSTAN_OK, "a good model is read", model);
  wrong += expect(capstan_run(model, "/nowhere/result.h5", NULL) == CAPSTAN_BAD_INPUT, "no such folder",
                  model);
  wrong += expect(strstr(capstan_message(model), "/nowhere") != NULL, "the message names the folder", model);
  wrong += expect(capstan_run(model, argv[3], &options) == CAPSTAN_OK, "it runs", model);
  wrong += expect(capstan_message(model)[0] == '\0', "nothing to say about it", model);
  wrong += expect(reports > 0, "progress was reported", model);
  capstan_close(model);
  capstan_close(NULL);
  printf("capstan %s\n", capstan_version());
  return wrong;
}
