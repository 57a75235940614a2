/* cli/answer.c — see answer.h. */
#include "cli/answer.h"
#include "base/json.h"
#include "version.h"

#include <math.h>

void cap_answer_key(FILE *to, const char *key)
{
  fputs(",\n  ", to);
  cap_json_text(to, key);
  fputs(": ", to);
}

void cap_answer_text(FILE *to, const char *key, const char *text)
{
  cap_answer_key(to, key);
  if (text) cap_json_text(to, text);
  else fputs("null", to);
}

void cap_answer_number(FILE *to, const char *key, double value)
{
  cap_answer_key(to, key);
  cap_json_number(to, value);
}

void cap_answer_begin(FILE *to, const char *command, const char *model, const cap_option_texts *settings)
{
  fprintf(to, "{\n  \"capstan\": \"%s\"", CAPSTAN_VERSION);
  cap_answer_text(to, "command", command);
  cap_answer_text(to, "model", model);
  cap_answer_key(to, "settings");
  fputc('[', to);
  for (int k = 0; k < settings->n; k++) {
    if (k) fputs(", ", to);
    cap_json_text(to, settings->v[k]);
  }
  fputc(']', to);
}

static void put_finding(FILE *to, const capstan_finding *item)
{
  fprintf(to, "{\"severity\": \"%s\", \"file\": ", item->warning ? "warning" : "error");
  cap_json_text(to, item->file);
  fputs(", \"line\": ", to);
  cap_json_number(to, item->line > 0 ? item->line : NAN);
  fputs(", \"column\": ", to);
  cap_json_number(to, item->column > 0 ? item->column : NAN);
  fputs(", \"key\": ", to);
  if (*item->path) cap_json_text(to, item->path);
  else fputs("null", to);
  fputs(", \"message\": ", to);
  cap_json_text(to, item->text);
  fputc('}', to);
}

void cap_answer_outcome(FILE *to, const char *status, int code, const char *error, int n,
                        const capstan_finding *findings)
{
  cap_answer_text(to, "status", status);
  cap_answer_number(to, "exit_code", code);
  cap_answer_text(to, "error", error && *error ? error : NULL);
  cap_answer_key(to, "findings");
  fputc('[', to);
  for (int k = 0; k < n; k++) {
    fputs(k ? ",\n    " : "\n    ", to);
    put_finding(to, &findings[k]);
  }
  fputs(n ? "\n  ]" : "]", to);
}

void cap_answer_end(FILE *to)
{
  fputs("\n}\n", to);
}
