/* io/channel_names.c — see channel_names.h. */
#include "io/channel_names.h"
#include "base/names.h"
#include "drives/drive.h"
#include "io/renames.h"

#include <ctype.h>
#include <string.h>

enum { MOST_CAPTURES = 6 };

/* What the marks of a pattern stand for: "#" digits (or "*", "?" of a user's pattern), "*" any text. */
typedef struct captures {
  int n;
  struct {
    const char *text;
    size_t length;
  } v[MOST_CAPTURES];
} captures;

static bool match(const char *pattern, const char *name, captures *c);

/* A mark that takes from `most` characters down to one. */
static bool match_mark(const char *pattern, const char *name, size_t most, captures *c)
{
  if (c->n == MOST_CAPTURES) return false;
  int at = c->n++;
  for (size_t length = most; length > 0; length--) {
    c->v[at].text = name;
    c->v[at].length = length;
    if (match(pattern + 1, name + length, c)) return true;
  }
  c->n = at;
  return false;
}

static bool match(const char *pattern, const char *name, captures *c)
{
  for (; *pattern; pattern++, name++) {
    if (*pattern == '*') return match_mark(pattern, name, strlen(name), c);
    if (*pattern == '#') {
      size_t digits = strspn(name, "0123456789");
      return match_mark(pattern, name, digits ? digits : strchr("*?", *name) && *name ? 1 : 0, c);
    }
    if (*pattern != *name) return false;
  }
  return !*name;
}

static char *substitute(const char *is, const captures *c, cap_arena *arena)
{
  size_t size = strlen(is) + 1, n = 0;
  for (int k = 0; k < c->n; k++) size += c->v[k].length;
  char *text = cap_arena_alloc(arena, size);
  int k = 0;
  for (; text && *is; is++) {
    if ((*is == '*' || *is == '#') && k < c->n) {
      memcpy(text + n, c->v[k].text, c->v[k].length);
      n += c->v[k++].length;
    } else {
      text[n++] = *is;
    }
  }
  return text;
}

/* "*.use" is meant for all that a table renames to end otherwise. */
static char *rename_end(const char *name, const char *was, const char *is, cap_arena *arena)
{
  const char *end = strrchr(was, '.'), *now = strrchr(is, '.'), *own = strrchr(name, '.');
  if (name[0] != '*' || !end || !now || !own || strcmp(own, end) != 0) return NULL;
  if (strpbrk(end, "*#") || strpbrk(now, "*#")) return NULL;
  return cap_arena_format(arena, "%.*s%s", (int)(own - name), name, now);
}

/* "node.*" of a user's pattern named members and what they have; "node*" does. */
static char *rename_members(const char *name, const char *was, cap_arena *arena)
{
  const char *any = strstr(was, ".#.*");
  size_t length = any ? (size_t)(any - was) : 0;
  if (!any || strlen(name) != length + 2 || strncmp(name, was, length) != 0) return NULL;
  return strcmp(name + length, ".*") == 0 ? cap_arena_format(arena, "%.*s*", (int)length, name) : NULL;
}

static const char *rename_by(const char *const *table, const char *name, cap_arena *arena)
{
  for (int i = 0; table && table[i]; i += 2) {
    captures c = {.n = 0};
    if (match(table[i], name, &c)) return substitute(table[i + 1], &c, arena);
    char *other = rename_members(name, table[i], arena);
    if (!other) other = rename_end(name, table[i], table[i + 1], arena);
    if (other) return other;
  }
  return NULL;
}

/* What analyses called their own results, as in the tables of drives. */
static const char *const results_were[] = {"pulsation",
                                           "angular_frequency",
                                           "damped.pulsation",
                                           "damped.angular_frequency",
                                           "pulsation_predicted",
                                           "angular_frequency_predicted",
                                           NULL};

static bool holds(const cap_field *const *of, const cap_drive *drive)
{
  while (of && *of && *of != drive->fields) of++;
  return of && *of;
}

/* Whether names of a drive may be meant: it is among those that are known, or none is. */
static bool concerns(const cap_field *const *of, const cap_drive *drive)
{
  bool any = false;
  for (int i = 0; cap_registry_drives[i]; i++) any = any || holds(of, cap_registry_drives[i]);
  return !any || holds(of, drive);
}

/* Parameters of a sweep are columns under their paths. */
static const char *rename_path(const char *name, const cap_field *const *of, cap_arena *arena)
{
  for (int i = 0; cap_registry_drives[i]; i++) {
    if (!concerns(of, cap_registry_drives[i])) continue;
    cap_renames r = {.arena = arena, .paths = {cap_registry_drives[i]->fields}};
    const char *renamed = cap_renames_word(&r, CAP_MEANS_PATH, name);
    if (renamed != name) return renamed; /* NULL: memory ran out */
  }
  return name;
}

/* What analyses put before the names of channels. */
static size_t prefix_length(const char *name)
{
  static const char *const prefixes[] = {"error.", "mean.",  "least.",   "most.",
                                         "film.",  "swing.", "spectrum."};
  for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
    if (strncmp(name, prefixes[k], strlen(prefixes[k])) == 0) return strlen(prefixes[k]);
  return 0;
}

/* Animation frames have a kind of members side by side: film.element.*.push, not film.element[*].push. */
static const char *join_members(const char *name, cap_arena *arena)
{
  const char *any = strstr(name, "[*]");
  return any ? cap_arena_format(arena, "%.*s.*%s", (int)(any - name), name, any + 3) : name;
}

/* "film.members.pulley.use": the members of film.pulley.*.use, where they are not those of film.pulley. */
static const char *rename_member_list(const char *name, size_t head, const cap_field *const *of,
                                      cap_arena *arena)
{
  const char *dot = strchr(name + head, '.');
  if (!dot) return name;
  const char *any = cap_arena_format(arena, "%.*s.*%s", (int)(dot - name - (int)head), name + head, dot);
  const char *renamed = any ? cap_channel_names_present(any, of, arena) : NULL;
  const char *last = renamed ? strrchr(renamed, '.') : NULL;
  return last ? cap_arena_format(arena, "%.*s%s", (int)(dot - name), name, last) : NULL;
}

static const char *rename_behind(const char *name, size_t prefix, const cap_field *const *of,
                                 cap_arena *arena)
{
  static const char members[] = "members.";
  if (strncmp(name + prefix, members, sizeof members - 1) == 0)
    return rename_member_list(name, prefix + sizeof members - 1, of, arena);
  const char *renamed = cap_channel_names_present(name + prefix, of, arena);
  bool frames = strncmp(name, "film.", 5) == 0 || strncmp(name, "swing.", 6) == 0;
  if (renamed && frames) renamed = join_members(renamed, arena);
  return renamed ? cap_arena_format(arena, "%.*s%s", (int)prefix, name, renamed) : NULL;
}

/* What analyses put behind the names of channels: statistics, harmonics ("h2") and orders. */
static bool is_figure(const char *part)
{
  static const char *const figures[] = {"mean",  "rms_ac", "rms_total", "min",   "max", "sum",
                                        "range", "order",  "amplitude", "phase", NULL};
  for (int k = 0; figures[k]; k++)
    if (strcmp(part, figures[k]) == 0) return true;
  part += *part == 'h';
  return *part && !part[strspn(part, "0123456789")];
}

static const char *present_whole(const char *name, const cap_field *const *of, cap_arena *arena)
{
  for (int i = 0; cap_registry_drives[i]; i++) {
    const cap_drive *drive = cap_registry_drives[i];
    const char *renamed = concerns(of, drive) ? rename_by(drive->channels_were, name, arena) : NULL;
    if (renamed) return cap_names_quoted(renamed, arena);
  }
  const char *own = rename_by(results_were, name, arena);
  if (own) return own;
  const char *path = rename_path(name, of, arena);
  return path ? cap_names_quoted(path, arena) : NULL;
}

/* "span.crank.effective.order.2.amplitude": channel and figures; as it was where the channel stays. */
static const char *present_before(const char *name, const cap_field *const *of, cap_arena *arena)
{
  char *own = cap_arena_copy_text(arena, name), *dot;
  while (own && (dot = strrchr(own, '.')) && is_figure(dot + 1)) {
    *dot = 0;
    const char *present = present_whole(own, of, arena);
    if (!present || strcmp(present, own) != 0)
      return present ? cap_arena_format(arena, "%s%s", present, name + (dot - own)) : NULL;
  }
  return own ? name : NULL;
}

const char *cap_channel_names_present(const char *name, const cap_field *const *of, cap_arena *arena)
{
  size_t prefix = prefix_length(name);
  if (prefix) return rename_behind(name, prefix, of, arena);
  const char *present = present_whole(name, of, arena);
  return present && strcmp(present, name) == 0 ? present_before(name, of, arena) : present;
}

/* The next name in a formula and its bytes; a number with its exponent is none. */
static const char *next_name(const char *at, size_t *length)
{
  for (; *at; at++) {
    if (isdigit((unsigned char)*at)) {
      while (isalnum((unsigned char)*at) || *at == '.') at++;
      if (!*at) break;
    }
    if ((*length = cap_names_length(at)) > 0) return at;
  }
  *length = 0;
  return at;
}

/* 'RUN/GROUP/NAME' of the atlas: only what is behind the last "/" is a name of the results. */
static const char *rename_place(const char *name, size_t length, const cap_field *const *of, cap_arena *arena)
{
  const char *slash = memrchr(name, '/', length);
  char *own = cap_arena_format(arena, "%.*s", (int)(name + length - 1 - (slash + 1)), slash + 1);
  const char *present = own ? cap_channel_names_present(own, of, arena) : NULL;
  if (!present) return NULL;
  bool audit = slash - name >= 6 && memcmp(slash - 6, "/audit", 6) == 0; /* names of elements */
  if (audit || strchr(present, '\'')) present = own;
  return cap_arena_format(arena, "%.*s%s'", (int)(slash + 1 - name), name, present);
}

/* One name of a formula: a function stays, and what is quoted as a whole loses its quotes where it is
 * renamed. */
static const char *rename_one(const char *name, size_t length, const char *behind, const cap_field *const *of,
                              cap_arena *arena)
{
  bool whole = name[0] == '\'' && memchr(name + 1, '\'', length - 1) == name + length - 1;
  if (whole && memchr(name, '/', length)) return rename_place(name, length, of, arena);
  char *own = cap_arena_format(arena, "%.*s", (int)(whole ? length - 2 : length), name + whole);
  if (!own) return NULL;
  while (*behind == ' ') behind++;
  const char *present = *behind == '(' && !whole ? own : cap_channel_names_present(own, of, arena);
  if (!present) return NULL;
  /* 'masing f1=13 N' is the name of a series, which has no parts. */
  if (whole && (!strchr(own, '.') || strcmp(present, own) == 0)) return cap_arena_format(arena, "'%s'", own);
  return present;
}

const char *cap_channel_names_formula(const char *text, const cap_field *const *of, cap_arena *arena)
{
  const char *out = "";
  for (;;) {
    size_t length;
    const char *name = next_name(text, &length);
    const char *present = length ? rename_one(name, length, name + length, of, arena) : "";
    if (!present) return NULL;
    out = cap_arena_format(arena, "%s%.*s%s", out, (int)(name - text), text, present);
    if (!out || !length) return out;
    text = name + length;
  }
}

const char *cap_channel_names_list(const char *names, const cap_field *const *of, cap_arena *arena)
{
  const char *out = "";
  for (const char *at = names;; at++) {
    size_t length = strcspn(at, ",");
    char *own = cap_arena_format(arena, "%.*s", (int)length, at);
    const char *present = own ? cap_channel_names_present(own, of, arena) : NULL;
    if (!present) return NULL;
    out = cap_arena_format(arena, "%s%s%s", out, at == names ? "" : ",", present);
    if (!out) return NULL;
    at += length;
    if (!*at) return out;
  }
}
