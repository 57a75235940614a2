/* study/slurm_words.c — see slurm_words.h. */
#include "study/slurm_words.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t line_length(const char *line)
{
  return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
  line += line_length(line);
  return *line ? line + 1 : line;
}

/* Copy [from, from + length) as far as there is room. */
static void copy(char *to, size_t size, const char *from, size_t length)
{
  if (length >= size) length = size - 1;
  memcpy(to, from, length);
  to[length] = '\0';
}

bool cap_slurm_words_job(const char *text, cap_slurm_job *job)
{
  *job = (cap_slurm_job){0};
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits >= sizeof job->id) return false;
  const char *rest = text + digits;
  size_t length = 0;
  if (*rest == ';') {
    length = strcspn(++rest, "\n;");
    if (length == 0 || length >= sizeof job->cluster) return false;
  }
  if (rest[length] && rest[length] != '\n') return false;
  copy(job->id, sizeof job->id, text, digits);
  copy(job->cluster, sizeof job->cluster, rest, length);
  return true;
}

/* A whole number of at least 0; -1: it is none. */
static int number(const char *text, char after)
{
  char *end;
  if (!isdigit((unsigned char)*text)) return -1;
  errno = 0;
  long value = strtol(text, &end, 10);
  return errno || *end != after || value > INT_MAX ? -1 : (int)value;
}

long cap_slurm_words_setting(const char *text, const char *name)
{
  size_t length = strlen(name);
  for (const char *line = text; *line; line = next_line(line)) {
    if (strncmp(line, name, length) != 0) continue;
    const char *at = line + length;
    at += strspn(at, " \t");
    if (*at++ != '=') continue;
    at += strspn(at, " \t");
    return isdigit((unsigned char)*at) ? strtol(at, NULL, 10) : -1;
  }
  return -1;
}

static const char *const ends[] = {"BOOT_FAIL",     "CANCELLED", "DEADLINE",  "FAILED",  "NODE_FAIL",
                                   "OUT_OF_MEMORY", "OUT_OF_ME", "PREEMPTED", "REVOKED", "TIMEOUT"};
static const char *const waits[] = {"PENDING",     "CONFIGURING",   "REQUEUED",    "REQUEUE_HOLD",
                                    "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT"};

static bool among(const char *word, size_t length, const char *const *list, size_t n)
{
  for (size_t k = 0; k < n; k++)
    if (strlen(list[k]) == length && memcmp(list[k], word, length) == 0) return true;
  return false;
}

/* "CANCELLED by 1000" and "CANCELLED+" are as good as the bare word. */
static cap_slurm_state state_of(const char *word, size_t length)
{
  length = strnlen(word, length);
  size_t bare = strcspn(word, " +|\n");
  if (bare < length) length = bare;
  if (length == 9 && memcmp(word, "COMPLETED", 9) == 0) return CAP_SLURM_COMPLETED;
  if (among(word, length, ends, sizeof ends / sizeof *ends)) return CAP_SLURM_ENDED;
  if (among(word, length, waits, sizeof waits / sizeof *waits)) return CAP_SLURM_PENDING;
  return CAP_SLURM_RUNNING;
}

static void set_state(cap_slurm_task *task, const char *word, size_t length)
{
  size_t bare = strcspn(word, " +|\n");
  if (bare < length) length = bare;
  task->state = state_of(word, length);
  copy(task->word, sizeof task->word, word, length);
}

bool cap_slurm_words_over(const cap_slurm_task *task)
{
  return task->state == CAP_SLURM_COMPLETED || task->state == CAP_SLURM_ENDED ||
         task->state == CAP_SLURM_GONE;
}

/* Split at the first three "|": where each part begins, and one past the end. */
static bool split(const char *line, size_t length, const char *parts[5])
{
  parts[0] = line;
  parts[4] = line + length + 1;
  for (int k = 1; k < 4; k++) {
    const char *bar = memchr(parts[k - 1], '|', (size_t)(line + length - parts[k - 1]));
    if (!bar) return false;
    parts[k] = bar + 1;
  }
  return true;
}

/* Slurm may leave it out, or give more than the path. */
static bool is_ours(const char *command, size_t length, const char *script)
{
  if (length == 0 || (length == 6 && memcmp(command, "(null)", 6) == 0)) return true;
  return memmem(command, length, script, strlen(script)) != NULL;
}

bool cap_slurm_words_queue(const char *text, const char *script, int ntask, cap_slurm_task *tasks)
{
  const char *parts[5];
  for (int k = 0; k < ntask; k++)
    if (!cap_slurm_words_over(&tasks[k])) {
      tasks[k].code = tasks[k].signal = -1;
      tasks[k].state = CAP_SLURM_GONE;
      tasks[k].reason[0] = '\0';
    }
  for (const char *line = text; *line; line = next_line(line)) {
    if (!split(line, line_length(line), parts)) return false;
    int k = number(parts[0], '|');
    if (k < 0 || k >= ntask) continue;
    if (!is_ours(parts[3], (size_t)(parts[4] - parts[3] - 1), script)) continue;
    set_state(&tasks[k], parts[1], (size_t)(parts[2] - parts[1] - 1));
    tasks[k].reason[0] = '\0';
    if (tasks[k].state == CAP_SLURM_PENDING)
      copy(tasks[k].reason, sizeof tasks[k].reason, parts[2], (size_t)(parts[3] - parts[2] - 1));
  }
  return true;
}

/* The value of " NAME=" in a record; NULL: it is not there. */
static const char *field(const char *line, size_t length, const char *name)
{
  size_t n = strlen(name);
  for (size_t k = 0; k + n + 1 <= length; k++)
    if ((k == 0 || line[k - 1] == ' ') && memcmp(line + k, name, n) == 0 && line[k + n] == '=')
      return line + k + n + 1;
  return NULL;
}

/* "CODE:SIGNAL" */
static void set_code(cap_slurm_task *task, const char *text)
{
  task->code = number(text, ':');
  const char *colon = task->code < 0 ? NULL : strchr(text, ':');
  task->signal = colon && isdigit((unsigned char)colon[1]) ? (int)strtol(colon + 1, NULL, 10) : -1;
}

void cap_slurm_words_jobs(const char *text, const char *id, int ntask, cap_slurm_task *tasks)
{
  for (const char *line = text; *line; line = next_line(line)) {
    size_t length = line_length(line);
    const char *array = field(line, length, "ArrayJobId"), *index = field(line, length, "ArrayTaskId"),
               *state = field(line, length, "JobState"), *code = field(line, length, "ExitCode");
    if (!array || !index || !state || !code) continue;
    if (strncmp(array, id, strlen(id)) != 0 || array[strlen(id)] != ' ') continue;
    int k = number(index, ' ');
    if (k < 0 || k >= ntask) continue; /* several that wait: "2-3" */
    cap_slurm_task found = tasks[k];
    set_state(&found, state, strcspn(state, " \n"));
    if (!cap_slurm_words_over(&found)) continue;
    set_code(&found, code);
    tasks[k] = found;
  }
}

void cap_slurm_words_accounts(const char *text, int ntask, cap_slurm_task *tasks)
{
  for (const char *line = text; *line; line = next_line(line)) {
    size_t length = line_length(line);
    const char *word = memchr(line, '|', length), *index = memchr(line, '_', length);
    if (!word || !index || index > word) continue;
    int k = number(index + 1, '|');
    word++;
    const char *code = memchr(word, '|', length - (size_t)(word - line));
    if (k < 0 || k >= ntask || !code) continue;
    cap_slurm_task found = tasks[k];
    set_state(&found, word, (size_t)(code - word));
    if (!cap_slurm_words_over(&found)) continue;
    set_code(&found, code + 1);
    tasks[k] = found;
  }
}

bool cap_slurm_words_find(const char *text, const char *script, cap_slurm_job *job)
{
  size_t n = strlen(script);
  for (const char *line = text; *line; line = next_line(line)) {
    size_t length = line_length(line), digits = strspn(line, "0123456789");
    if (line[digits] != '|' || length - digits - 1 != n || memcmp(line + digits + 1, script, n) != 0)
      continue;
    *job = (cap_slurm_job){0};
    if (digits == 0 || digits >= sizeof job->id) return false;
    copy(job->id, sizeof job->id, line, digits);
    return true;
  }
  return false;
}

void cap_slurm_words_fate(const cap_slurm_task *task, char *text, size_t size)
{
  static const struct {
    const char *word, *text;
  } known[] = {
      {"TIMEOUT", "at their time limit"},        {"DEADLINE", "at their deadline"},
      {"NODE_FAIL", "by a failure of the node"}, {"BOOT_FAIL", "by a failure of the node"},
      {"OUT_OF_MEMORY", "out of memory"},        {"OUT_OF_ME", "out of memory"},
      {"PREEMPTED", "preempted by another job"}, {"CANCELLED", "cancelled"},
      {"REVOKED", "revoked by another cluster"},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(task->word, known[k].word) == 0) {
      snprintf(text, size, "%s (%s)", known[k].text, task->word);
      return;
    }
  if (task->state == CAP_SLURM_GONE) snprintf(text, size, "gone from the queue, Slurm does not say how");
  else if (task->state == CAP_SLURM_COMPLETED) snprintf(text, size, "by themselves (COMPLETED)");
  else if (task->state == CAP_SLURM_ENDED && task->signal > 0)
    snprintf(text, size, "killed by signal %d (%s)", task->signal, task->word);
  else if (task->state == CAP_SLURM_ENDED && task->code >= 0)
    snprintf(text, size, "with exit code %d (%s)", task->code, task->word);
  else if (task->state == CAP_SLURM_ENDED) snprintf(text, size, "%s", task->word);
  else snprintf(text, size, "not at all yet (%s)", task->word[0] ? task->word : "unknown");
}
