/* Names of channels: structured as in FMI, found by their parts, and what version 1 called them. */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/names.h"
#include "drives/drive.h"
#include "io/channel_names.h"

#include "../support/system.h"

/* ---- the grammar of FMI, written down once more ------------------------------------------------------- */

/* B-name: a word, or anything printable of ASCII in single quotes. NULL: none begins here. */
static const char *after_word(const char *at)
{
  if (*at == '\'') {
    const char *from = ++at;
    while (*at >= ' ' && *at <= '~' && *at != '\'') at++;
    return *at == '\'' && at > from ? at + 1 : NULL;
  }
  if (!isalpha((unsigned char)*at) && *at != '_') return NULL;
  while (isalnum((unsigned char)*at) || *at == '_') at++;
  return at;
}

/* "[1]" or "[1,2]", or nothing. */
static const char *after_indices(const char *at)
{
  if (*at != '[') return at;
  do {
    at++;
    if (!isdigit((unsigned char)*at)) return NULL;
    while (isdigit((unsigned char)*at)) at++;
  } while (*at == ',');
  return *at == ']' ? at + 1 : NULL;
}

static bool is_structured(const char *name)
{
  for (const char *at = name;; at++) {
    at = after_word(at);
    if (at) at = after_indices(at);
    if (!at) return false;
    if (!*at) return true;
    if (*at != '.') return false;
  }
}

static void the_grammar_tells_names_apart(void **state)
{
  (void)state;
  static const char *const good[] = {"a",          "a.b_1",   "ring[12].tension", "'AC pump'.speed",
                                     "'a-b'[3].x", "m[1,2].n"};
  static const char *const bad[] = {"",      "a.",   ".a",   "1.a",   "a.1",    "a b",       "a-b.x", "a[b]",
                                    "a[1]b", "''.a", "'a.b", "a[].b", "a['x']", "a\xc3\xa4", "a[*].b"};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    if (!is_structured(good[k])) fail_msg("%s", good[k]);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    if (is_structured(bad[k])) fail_msg("%s", bad[k]);
}

/* ---- legal names --------------------------------------------------------------------------------------- */

static void parts_become_legal(void **state)
{
  (void)state;
  static const char *const names[][3] = {
      /* joined parts, legal, with digits that stay */
      {"element.1.push", "element[1].push", "element.1.push"},
      {"span.AC pump.tension", "span.'AC pump'.tension", "span.'AC pump'.tension"},
      {"ball-floor.3.force.normal", "'ball-floor'[3].force.normal", "'ball-floor'.3.force.normal"},
      {"pulley.7up.speed", "pulley.'7up'.speed", "pulley.'7up'.speed"},
      {"belt.tension", "belt.tension", "belt.tension"},
      {"ring[1].tension", "ring[1].tension", "ring[1].tension"},
      {"'a-b'[2].gap", "'a-b'[2].gap", "'a-b'[2].gap"},
      {"'a.b'.gap", "'a.b'.gap", "'a.b'.gap"}, /* quotes hold a dot */
      {"a-b[2].gap", "'a-b'[2].gap", "'a-b'[2].gap"},
      {"span.*.tension", "span.*.tension", "span.*.tension"},
      {"element[*].push", "element[*].push", "element[*].push"},
  };
  cap_arena arena = {0};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const char *legal = cap_names_legal(names[k][0], &arena);
    assert_string_equal(legal, names[k][1]);
    assert_string_equal(cap_names_quoted(names[k][0], &arena), names[k][2]);
    assert_string_equal(cap_names_legal(legal, &arena), legal);
    assert_true(cap_names_is(legal, names[k][0]) && cap_names_is(legal, legal));
    assert_true(strchr(legal, '*') || is_structured(legal));
  }
  assert_false(cap_names_is("element[1].push", "element.2.push"));
  assert_false(cap_names_is("element[1].push", "element.1.pull"));
  cap_arena_free(&arena);
}

static void names_of_users_are_judged(void **state)
{
  (void)state;
  static const char *const good[] = {"crank", "AC pump", "7up", "left-hand idler", "a+b"};
  static const char *const bad[] = {"",   "a.b", "a,b", "a/b", "it's", "a\"b", "a[1]",
                                    "a*", "a?",  " a",  "a ",  "a\tb", "a\x7f"};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    if (cap_names_fault(good[k])) fail_msg("%s: %s", good[k], cap_names_fault(good[k]));
    cap_arena arena = {0};
    char joined[80];
    snprintf(joined, sizeof joined, "pulley.%s.speed", good[k]);
    assert_true(is_structured(cap_names_legal(joined, &arena)));
    cap_arena_free(&arena);
  }
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    if (!cap_names_fault(bad[k])) fail_msg("\"%s\" can be a name", bad[k]);
  char longest[CAP_NAMES_OWN + 2];
  memset(longest, 'a', sizeof longest);
  longest[CAP_NAMES_OWN + 1] = 0;
  assert_non_null(cap_names_fault(longest));
  longest[CAP_NAMES_OWN] = 0;
  assert_null(cap_names_fault(longest));
  assert_true(cap_names_alike("AC pump", "AC_pump") && cap_names_alike("a_b c", "a b_c"));
  assert_false(cap_names_alike("AC pump", "AC-pump") || cap_names_alike("a b", "ab") ||
               cap_names_alike("a_", "a") || cap_names_alike("a b", "a B"));
}

static void patterns_and_heads(void **state)
{
  (void)state;
  assert_true(cap_names_fit("element[*].push", "element[12].push"));
  assert_true(cap_names_fit("element[?].push", "element[1].push"));
  assert_false(cap_names_fit("element[?].push", "element[12].push"));
  assert_true(cap_names_fit("*.speed", "pulley.'AC pump'.speed") && cap_names_fit("*", "a"));
  assert_false(cap_names_fit("span.*", "spans.a") || cap_names_fit("a", "ab") || cap_names_fit("ab", "a"));
  static const struct {
    const char *text;
    size_t length;
  } heads[] = {{"belt.tension + 1", 12},
               {"'a-b'[2].gap*2", 12},
               {"ring[1].x", 9},
               {"mode.1.ratio)", 12},
               {"1 + a", 0},
               {"(a)", 0},
               {"", 0}};
  for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
    assert_int_equal(cap_names_length(heads[k].text), heads[k].length);
}

/* ---- names of version 1 -------------------------------------------------------------------------------- */

/* A pattern's marks as a name has them: "*" a word, "#" a number. */
static void fill(const char *pattern, char *out)
{
  for (; *pattern; pattern++) {
    if (*pattern == '*') out += sprintf(out, "abc");
    else if (*pattern == '#') *out++ = '7';
    else *out++ = *pattern;
  }
  *out = 0;
}

static void every_old_name_is_renamed(void **state)
{
  (void)state;
  cap_arena arena = {0};
  int n = 0;
  for (int i = 0; cap_registry_drives[i]; i++) {
    const cap_drive *drive = cap_registry_drives[i];
    const cap_field *of[] = {drive->fields, NULL};
    for (int k = 0; drive->channels_were && drive->channels_were[k]; k += 2, n++) {
      char was[128], is[128];
      fill(drive->channels_were[k], was);
      fill(drive->channels_were[k + 1], is);
      const char *present = cap_channel_names_present(was, of, &arena);
      if (strcmp(present, is) != 0) fail_msg("%s: %s became %s instead of %s", drive->name, was, present, is);
      assert_true(is_structured(is));
      assert_string_equal(cap_channel_names_present(present, of, &arena), present);
    }
  }
  assert_true(n >= 30);
  cap_arena_free(&arena);
}

static const cap_field *fields_of(const char *drive)
{
  const cap_drive *d = cap_registry_drive(drive);
  assert_non_null(d);
  return d->fields;
}

static void names_of_analyses_follow(void **state)
{
  (void)state;
  static const char *const names[][3] = {
      {"variator", "mean.primary.closing", "mean.primary.axial_travel"},
      {"variator", "error.secondary.touching", "error.secondary.in_contact"},
      {"variator", "least.ring.3.tension", "least.ring[3].tension"},
      {"variator", "most.element.12.push", "most.element[12].push"},
      {"variator", "power.in.primary.closing.motion", "power.in.primary.axial_travel.motion"},
      {"variator", "film.element.*.push", "film.element.*.push"},
      {"sheave", "film.element.*.loose", "film.element.*.movable"},
      {"accessory-drive", "film.members.pulley.use", "film.members.pulley.friction_use"},
      {"accessory-drive", "film.segment.*.normal", "film.segment.*.normal_force"},
      {"bodies", "swing.disc.turn", "swing.disc.angular_velocity"},
      {"bodies", "ball-floor.1.gap", "'ball-floor'[1].gap"},
      {"belt-tensioner-mass", "load.pulsation", "load.angular_frequency"},
      {"belt-tensioner-mass", "pulsation", "angular_frequency"},
      {"belt-tensioner-mass", "belt.tension.range", "belt.tension.range"},
      {"accessory-drive", "*.use", "*.friction_use"},
      {"accessory-drive", "node.*", "node*"},
      {"accessory-drive", "segment.*.slip", "segment[*].slip"},
      /* of another drive: nothing is renamed */
      {"variator", "sheave.closing", "sheave.closing"},
      {"ring", "primary.closing", "primary.closing"},
  };
  cap_arena arena = {0};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const cap_field *of[] = {fields_of(names[k][0]), NULL};
    assert_string_equal(cap_channel_names_present(names[k][1], of, &arena), names[k][2]);
    assert_string_equal(cap_channel_names_present(names[k][2], of, &arena), names[k][2]);
  }
  cap_arena_free(&arena);
}

static void formulas_follow(void **state)
{
  (void)state;
  static const char *const formulas[][2] = {
      {"max(sheave.closing) - 1e-3*flank.least", "max(sheave.axial_travel) - 1e-3*flank.smallest"},
      {"element.30.loose == element.30.fixed", "element[30].movable == element[30].fixed"},
      {"2.5 * flank.touching", "2.5 * flank.in_contact"},
      {"max('run/transient/sheave.closing')", "max('run/transient/sheave.axial_travel')"},
      {"flank.least(3)", "flank.least(3)"}, /* a function */
      {"'sheave x'", "'sheave x'"},         /* a series */
      {"", ""},
  };
  cap_arena arena = {0};
  const cap_field *of[] = {fields_of("sheave"), NULL};
  for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
    assert_string_equal(cap_channel_names_formula(formulas[k][0], of, &arena), formulas[k][1]);
    assert_string_equal(cap_channel_names_formula(formulas[k][1], of, &arena), formulas[k][1]);
  }
  assert_string_equal(cap_channel_names_list("case,sheave.closing,", of, &arena),
                      "case,sheave.axial_travel,");
  cap_arena_free(&arena);
}

/* ---- channels of models -------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All channels are structured names, no two the same. */
static int check_channels(const cap_model *m, const char *of)
{
  const char **names = calloc((size_t)m->nchannel + 1, sizeof *names);
  assert_non_null(names);
  for (int c = 0; c < m->nchannel; c++) {
    names[c] = m->channels[c].column.name;
    if (!is_structured(names[c])) fail_msg("%s: channel %s is no structured name", of, names[c]);
  }
  qsort(names, (size_t)m->nchannel, sizeof *names, by_text);
  for (int c = 1; c < m->nchannel; c++)
    if (strcmp(names[c - 1], names[c]) == 0) fail_msg("%s: two channels %s", of, names[c]);
  free(names);
  return m->nchannel;
}

/* Every example, and with them every drive. */
static void examples_have_structured_channels(void **state)
{
  (void)state;
  DIR *folder = opendir(CAPSTAN_SOURCE_DIR "/examples");
  assert_non_null(folder);
  int nmodel = 0, nchannel = 0, seen = 0, ndrive = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    const char *end = strstr(entry->d_name, ".yaml");
    if (!end || strstr(entry->d_name, "_study.yaml")) continue;
    char path[512];
    snprintf(path, sizeof path, CAPSTAN_SOURCE_DIR "/examples/%s", entry->d_name);
    cap_model_file *file = NULL;
    cap_model *model = NULL;
    cap_error error = {0};
    cap_diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    if (cap_model_file_read(path, 0, NULL, &file, diag) != CAP_OK) fail_msg("%s", cap_diag_text(diag));
    assert_int_equal(diag->nwarning, 0);
    if (cap_execute_build(file, &model, &error) != CAP_OK) fail_msg("%s: %s", path, error.text);
    nchannel += check_channels(model, entry->d_name);
    for (int i = 0; cap_registry_drives[i]; i++)
      if (cap_registry_drives[i] == file->drive) seen |= 1 << i;
    nmodel++;
    cap_model_free(model);
    cap_model_file_free(file);
    cap_diag_free(diag);
    free(diag);
  }
  closedir(folder);
  print_message("%d channels of %d examples\n", nchannel, nmodel);
  while (cap_registry_drives[ndrive]) ndrive++;
  for (int i = 0; i < ndrive; i++)
    if (!(seen >> i & 1)) fail_msg("no example of %s", cap_registry_drives[i]->name);
}

/* Names that users give and that are no words. */
static void odd_names_are_quoted(void **state)
{
  (void)state;
  test_system s = test_system_open(
      "capstan: 2\nname: t\ndrive: accessory-drive\n"
      "belt: {kind: flat, length: 1260 mm, stiffness: 50 kN, bending_stiffness: 0 N m2, mass: 0.1 kg/m}\n"
      "pulleys:\n  - {name: AC pump, at: [0 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"
      "  - {name: 2nd-idler, at: [320 mm, 0 mm], diameter: 200 mm, inertia: 0.1 kg m2}\n"
      "crank: {pulley: AC pump, speed: 1000 rpm}\nanalyses: [{transient: {until: 1 ms}}]\n");
  assert_true(check_channels(s.m, "odd names") > 10);
  test_channel(s.m, "span.'AC pump'.tension");
  test_channel(s.m, "pulley.'2nd-idler'.speed");
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_grammar_tells_names_apart),
      cmocka_unit_test(parts_become_legal),
      cmocka_unit_test(names_of_users_are_judged),
      cmocka_unit_test(patterns_and_heads),
      cmocka_unit_test(every_old_name_is_renamed),
      cmocka_unit_test(names_of_analyses_follow),
      cmocka_unit_test(formulas_follow),
      cmocka_unit_test(examples_have_structured_channels),
      cmocka_unit_test(odd_names_are_quoted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
