/* study/study_folder.c — see study_folder.h. */
#include "study/study_folder.h"
#include "base/outfile.h"
#include "base/platform.h"
#include "version.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char FORMAT[] = "capstan study 1";

enum {
  ID_MOST = 1 << 20,  /* bytes of study.id */
  LOCK_PATIENCE = 40, /* times 10 ms: the workers of a process that was killed need a moment to go */
  HOLDER = 128
};

/* What study.id says; the texts are parts of `text`. */
typedef struct identity {
  char *text;
  const char *name, *fingerprint, *program, *source, *model_hash, *study_hash;
  int ninput;
  const char *input_hash[512], *input_path[512];
} identity;

typedef enum finding { NOTHING, EMPTY, STUDY } finding;

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

char *cap_study_folder_file(const char *path, const char *name)
{
  char *text = NULL;
  return asprintf(&text, "%s/%s", path, name) < 0 ? NULL : text;
}

/* study.id */

static void hash_text(const char *text, char hash[CAP_HASH_TEXT])
{
  cap_hash h;
  cap_hash_init(&h, 0);
  cap_hash_add(&h, text, strlen(text));
  cap_hash_format(cap_hash_value128(&h), hash);
}

/* A text on one line. */
static void put_line(FILE *to, const char *key, const char *value)
{
  fprintf(to, "%s: ", key);
  for (const char *c = value; *c; c++) fputc(*c == '\n' || *c == '\r' ? ' ' : *c, to);
  fputc('\n', to);
}

static void put_identity(FILE *to, const cap_study *study)
{
  char hash[CAP_HASH_TEXT], line[4200];
  fprintf(to, "%s\n", FORMAT);
  put_line(to, "name", study->name);
  cap_hash_format(study->fingerprint, hash);
  put_line(to, "fingerprint", hash);
  put_line(to, "program", CAPSTAN_VERSION " " CAPSTAN_GIT_HASH);
  char *absolute = realpath(study->path, NULL);
  put_line(to, "source", absolute ? absolute : study->path);
  free(absolute);
  hash_text(study->text, hash);
  put_line(to, "study", hash);
  hash_text(study->model_text, hash);
  put_line(to, "model", hash);
  for (int k = 0; k < study->ninput; k++) {
    cap_hash_format(study->inputs[k].hash, hash);
    snprintf(line, sizeof line, "%s %s", hash, study->inputs[k].path);
    put_line(to, "input", line);
  }
}

static void take_line(identity *id, char *line)
{
  char *value = strstr(line, ": ");
  if (!value) return;
  *value = '\0';
  value += 2;
  const struct {
    const char *key, **place;
  } keys[] = {{"name", &id->name},     {"fingerprint", &id->fingerprint}, {"program", &id->program},
              {"source", &id->source}, {"study", &id->study_hash},        {"model", &id->model_hash}};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (strcmp(line, keys[k].key) == 0) *keys[k].place = value;
  char *space = strchr(value, ' ');
  if (strcmp(line, "input") != 0 || !space || id->ninput == 512) return;
  *space = '\0';
  id->input_hash[id->ninput] = value;
  id->input_path[id->ninput++] = space + 1;
}

static cap_status parse_identity(identity *id, const char *path, cap_error *error)
{
  char *rest = NULL, *line = strtok_r(id->text, "\n", &rest);
  if (line && strcmp(line, FORMAT) == 0) {
    while ((line = strtok_r(NULL, "\n", &rest))) take_line(id, line);
    if (id->name && id->fingerprint && id->program && id->source && id->study_hash && id->model_hash)
      return CAP_OK;
  }
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "'%s' is no list of a study that this program can read (its first line should be "
                         "\"%s\"); -o selects another folder",
                         path, FORMAT);
}

static void free_identity(identity *id)
{
  free(id->text);
  id->text = NULL;
}

static cap_status read_text(const char *path, char **text, cap_error *error)
{
  FILE *file = fopen(path, "rbe");
  *text = NULL;
  if (!file) return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
  *text = calloc(ID_MOST + 1, 1);
  size_t size = *text ? fread(*text, 1, ID_MOST, file) : 0;
  bool broken = ferror(file);
  fclose(file);
  if (!*text) return no_memory(error);
  if (broken || size == 0)
    return cap_status_fail(error, CAP_ERR_IO, "cannot read '%s': %s", path,
                           broken ? strerror(errno) : "it is empty");
  return CAP_OK;
}

/* Accepts nothing: the caller knows that there is a study.id. On failure nothing is left to free. */
static cap_status read_identity(const char *folder, identity *id, cap_error *error)
{
  *id = (identity){0};
  char *path = cap_study_folder_file(folder, "study.id");
  if (!path) return no_memory(error);
  cap_status status = read_text(path, &id->text, error);
  if (status == CAP_OK) status = parse_identity(id, path, error);
  free(path);
  if (status != CAP_OK) free_identity(id);
  return status;
}

/* Same study? */

/* Name on one line, as put_line writes it. */
static bool same_name(const char *kept, const char *name)
{
  for (; *kept && *name; kept++, name++)
    if (*kept != *name && !(*kept == ' ' && (*name == '\n' || *name == '\r'))) return false;
  return *kept == *name;
}

/* The file that is not what it was; NULL when all are. */
static const char *changed_input(const identity *id, const cap_study *study)
{
  char hash[CAP_HASH_TEXT];
  hash_text(study->model_text, hash);
  if (strcmp(hash, id->model_hash) != 0) return study->model_path;
  for (int k = 0; k < study->ninput && k < id->ninput; k++) {
    cap_hash_format(study->inputs[k].hash, hash);
    if (strcmp(study->inputs[k].path, study->path) == 0) continue; /* the study file itself comes last */
    if (strcmp(hash, id->input_hash[k]) != 0) return study->inputs[k].path;
  }
  hash_text(study->text, hash);
  return strcmp(hash, id->study_hash) != 0 ? study->path : NULL;
}

static cap_status compare_name(const char *folder, const identity *id, const cap_study *study,
                               cap_error *error)
{
  if (same_name(id->name, study->name)) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "'%s' is the folder of the study \"%s\", not of \"%s\"; -o selects another folder",
                         folder, id->name, study->name);
}

static cap_status compare(const char *folder, const identity *id, const cap_study *study, cap_error *error)
{
  char hash[CAP_HASH_TEXT];
  CAP_TRY(compare_name(folder, id, study, error));
  if (strcmp(id->program, CAPSTAN_VERSION " " CAPSTAN_GIT_HASH) != 0)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "the study in '%s' was begun by capstan %s, and this is capstan %s: results of two "
        "programs are not mixed; --force starts over, -o selects another folder",
        folder, id->program, CAPSTAN_VERSION " " CAPSTAN_GIT_HASH);
  cap_hash_format(study->fingerprint, hash);
  if (strcmp(hash, id->fingerprint) == 0) return CAP_OK;
  const char *changed = changed_input(id, study);
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "'%s' has changed since the study in '%s' was begun: results of both are not mixed; put "
      "it back as it was (study.yaml and model.yaml in that folder are copies), start over with --force, or "
      "select another folder with -o",
      changed ? changed : study->path, folder);
}

cap_status cap_study_folder_check(const char *path, const cap_study *study, cap_error *error)
{
  identity id;
  CAP_TRY(read_identity(path, &id, error));
  cap_status status = compare(path, &id, study, error);
  free_identity(&id);
  return status;
}

cap_status cap_study_folder_source(const char *path, char **study_path, cap_error *error)
{
  identity id;
  *study_path = NULL;
  CAP_TRY(read_identity(path, &id, error));
  *study_path = strdup(id.source);
  free_identity(&id);
  return *study_path ? CAP_OK : no_memory(error);
}

/* What is there */

/* Left by a process that was killed while it made the folder. */
static bool leftover(const char *name)
{
  size_t n = strlen(name);
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "lock") == 0 ||
         (strncmp(name, "study.id.", 9) == 0 && n > 4 && strcmp(name + n - 4, ".new") == 0);
}

static cap_status look(const char *path, finding *found, cap_error *error)
{
  struct stat info;
  *found = NOTHING;
  if (stat(path, &info) != 0) {
    if (errno == ENOENT) return CAP_OK;
    return cap_status_fail(error, CAP_ERR_IO, "cannot use the folder '%s': %s", path, strerror(errno));
  }
  if (!S_ISDIR(info.st_mode))
    return cap_status_fail(error, CAP_ERR_IO, "'%s' is not a folder; -o selects another one", path);
  DIR *folder = opendir(path);
  if (!folder)
    return cap_status_fail(error, CAP_ERR_IO, "cannot read the folder '%s': %s", path, strerror(errno));
  bool other = false;
  *found = EMPTY;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    if (strcmp(entry->d_name, "study.id") == 0) *found = STUDY;
    else if (!leftover(entry->d_name)) other = true;
  }
  closedir(folder);
  if (*found == EMPTY && other)
    return cap_status_fail(
        error, CAP_ERR_IO,
        "'%s' holds files and is not the folder of a study: nothing is put there; -o selects "
        "another folder",
        path);
  return CAP_OK;
}

/* May what is there go? */
static cap_status admit_anew(const char *path, const cap_study *study, cap_error *error)
{
  identity id;
  CAP_TRY(read_identity(path, &id, error));
  cap_status status = compare_name(path, &id, study, error);
  free_identity(&id);
  char *slurm = cap_study_folder_file(path, "slurm");
  bool submitted = slurm && access(slurm, F_OK) == 0;
  free(slurm);
  if (status != CAP_OK || !submitted) return status;
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "the study in '%s' was submitted to a cluster, whose tasks may still write there: --force "
      "does not remove it; remove the folder, or select another one with -o",
      path);
}

/* May `study` work there? */
static cap_status admit(const char *path, const cap_study *study, cap_study_folder_mode mode, finding *found,
                        cap_error *error)
{
  CAP_TRY(look(path, found, error));
  if (*found != STUDY) return CAP_OK;
  if (mode == CAP_STUDY_FOLDER_ANEW) return admit_anew(path, study, error);
  CAP_TRY(cap_study_folder_check(path, study, error));
  if (mode == CAP_STUDY_FOLDER_RESUME) return CAP_OK;
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "the study \"%s\" already exists in '%s': --resume continues it, --force starts over, "
      "-o selects another folder",
      study->name, path);
}

/* Remove the files of a folder that has no folders in it, and the folder; nothing there is fine. */
static cap_status remove_folder(const char *path, cap_error *error)
{
  DIR *folder = opendir(path);
  if (!folder && errno == ENOENT) return CAP_OK;
  for (const struct dirent *entry; folder && (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(folder), entry->d_name, 0); /* what stays keeps the folder, which is told */
  if (folder) closedir(folder);
  if (rmdir(path) == 0) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_IO, "cannot remove '%s': %s", path, strerror(errno));
}

/* Remove what an earlier study left, all but the lock; study.id last, so that whoever is killed meanwhile
 * leaves a study. */
static cap_status clear(const char *path, cap_error *error)
{
  static const char *const names[] = {"runs",       "optimise",   "study.h5", "study.log",
                                      "study.yaml", "model.yaml", "study.id"};
  cap_status status = CAP_OK;
  for (size_t k = 0; k < sizeof names / sizeof *names && status == CAP_OK; k++) {
    char *name = cap_study_folder_file(path, names[k]);
    if (!name) return no_memory(error);
    if (k < 2) status = remove_folder(name, error);
    else if (unlink(name) != 0 && errno != ENOENT)
      status = cap_status_fail(error, CAP_ERR_IO, "cannot remove '%s': %s", name, strerror(errno));
    free(name);
  }
  return status;
}

/* The lock */

static bool same_file(int fd, const char *path)
{
  struct stat a, b;
  return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void say_holder(int fd)
{
  char host[64] = "", text[HOLDER];
  gethostname(host, sizeof host - 1);
  int n = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
  /* only for a message: on a full disk it is not there */
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) return;
}

static void read_holder(int fd, char text[HOLDER])
{
  ssize_t n = pread(fd, text, HOLDER - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  if (!text[0]) strcpy(text, "another process");
}

static cap_status take_lock(cap_study_folder *f, const char *file, cap_error *error)
{
  f->lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (f->lock < 0) return cap_status_fail(error, CAP_ERR_IO, "cannot write '%s': %s", file, strerror(errno));
  const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
  int got = cap_platform_lock(f->lock);
  for (int k = 0; got == 0 && k < LOCK_PATIENCE; k++) {
    nanosleep(&pause, NULL);
    got = cap_platform_lock(f->lock);
  }
  if (got == 0 || !same_file(f->lock, file)) { /* or the one who had it has removed it */
    char holder[HOLDER];
    read_holder(f->lock, holder);
    return cap_status_fail(error, CAP_ERR_IO, "'%s' is in use: %s works on this study", f->path, holder);
  }
  say_holder(f->lock);
  return CAP_OK;
}

/* Begin, go on */

static bool holds(const char *path, const char *text)
{
  size_t size = strlen(text), got = 0;
  FILE *file = fopen(path, "rbe");
  char *there = malloc(size + 1);
  if (file && there) got = fread(there, 1, size + 1, file);
  bool same = there && file && got == size && memcmp(there, text, size) == 0;
  if (file) fclose(file);
  free(there);
  return same;
}

/* A file with this text, which is left alone when it has it. */
static cap_status write_text(const char *folder, const char *name, const char *text, cap_error *error)
{
  cap_outfile out;
  char *path = cap_study_folder_file(folder, name);
  if (!path) return no_memory(error);
  cap_status status = CAP_OK;
  if (!holds(path, text)) {
    status = cap_outfile_open(&out, path, error);
    if (status == CAP_OK) {
      fputs(text, out.stream);
      status = cap_outfile_commit(&out, error);
    }
  }
  free(path);
  return status;
}

static cap_status write_identity(const char *folder, const cap_study *study, cap_error *error)
{
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (!stream) return no_memory(error);
  put_identity(stream, study);
  cap_status status = fclose(stream) == 0 ? write_text(folder, "study.id", text, error) : no_memory(error);
  free(text);
  return status;
}

/* Everything but study.id; also what a process did not come to that was killed while it made the folder. */
static cap_status furnish(const char *folder, const cap_study *study, cap_error *error)
{
  char *runs = cap_study_folder_file(folder, "runs");
  if (!runs) return no_memory(error);
  cap_status status = cap_outfile_folder(runs, error);
  free(runs);
  if (status == CAP_OK) status = write_text(folder, "study.yaml", study->text, error);
  if (status == CAP_OK) status = write_text(folder, "model.yaml", study->model_text, error);
  return status;
}

/* A folder that could not be begun goes again, with what this process put there. */
static void undo(const char *folder, finding found, bool identified)
{
  static const char *const names[] = {"study.id", "study.yaml", "model.yaml", "runs", "lock"};
  if (found == STUDY) return;
  for (size_t k = identified ? 0 : 1; k < sizeof names / sizeof *names; k++) {
    char *path = cap_study_folder_file(folder, names[k]);
    if (path) remove(path);
    free(path);
  }
  if (found == NOTHING) rmdir(folder);
}

static cap_status settle(cap_study_folder *f, const cap_study *study, cap_study_folder_mode mode,
                         finding found, cap_error *error)
{
  finding now;
  CAP_TRY(admit(f->path, study, mode, &now, error)); /* again: another process may have been quicker */
  if (now == STUDY && mode == CAP_STUDY_FOLDER_ANEW) {
    CAP_TRY(clear(f->path, error));
    now = EMPTY;
  }
  f->begun = now == STUDY;
  cap_status status = write_identity(f->path, study, error);
  if (status == CAP_OK) status = furnish(f->path, study, error);
  if (status != CAP_OK && now != STUDY) undo(f->path, found, true);
  return status;
}

static cap_status enter(cap_study_folder *f, const cap_study *study, cap_study_folder_mode mode,
                        cap_error *error)
{
  finding found;
  CAP_TRY(admit(f->path, study, mode, &found, error));
  CAP_TRY(cap_outfile_folder(f->path, error));
  char *file = cap_study_folder_file(f->path, "lock");
  if (!file) return no_memory(error);
  cap_status status = take_lock(f, file, error);
  free(file);
  if (f->lock < 0) {
    if (found == NOTHING) rmdir(f->path);
    return status;
  }
  if (status == CAP_OK) status = settle(f, study, mode, found, error);
  return status;
}

cap_status cap_study_folder_open(cap_study_folder *folder, const char *path, const cap_study *study,
                                 cap_study_folder_mode mode, cap_error *error)
{
  *folder = (cap_study_folder){.lock = -1, .path = strdup(path)};
  if (!folder->path) return no_memory(error);
  size_t n = strlen(folder->path);
  while (n > 1 && folder->path[n - 1] == '/') folder->path[--n] = '\0';
  cap_status status = enter(folder, study, mode, error);
  if (status != CAP_OK) cap_study_folder_close(folder);
  return status;
}

void cap_study_folder_close(cap_study_folder *folder)
{
  if (folder->path && folder->lock >= 0) close(folder->lock);
  free(folder->path);
  *folder = (cap_study_folder){.lock = -1};
}
