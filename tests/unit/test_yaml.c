/* io/yaml and io/tree_path: the tree, its places, its limits, and settings. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "io/tree_path.h"
#include "io/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  cap_arena arena;
  cap_diag diag;
} fixture;

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  cap_diag_init(&f->diag, "m.yaml");
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  cap_arena_free(&f->arena);
  cap_diag_free(&f->diag);
  free(f);
  return 0;
}

static cap_yaml_node *good(fixture *f, const char *text)
{
  cap_yaml_node *root = NULL;
  cap_status status = cap_yaml_parse(text, strlen(text), NULL, &f->arena, &f->diag, &root);
  if (status != CAP_OK) fail_msg("%s", cap_diag_text(&f->diag));
  return root;
}

static void bad_bytes(fixture *f, const char *text, size_t size, const char *expected)
{
  cap_yaml_node *root;
  cap_diag_free(&f->diag);
  cap_diag_init(&f->diag, "m.yaml");
  assert_int_equal(cap_yaml_parse(text, size, NULL, &f->arena, &f->diag, &root), CAP_ERR_INPUT);
  const char *said = cap_diag_text(&f->diag);
  if (strncmp(said, expected, strlen(expected)) != 0) fail_msg("said: %sexpected: %s", said, expected);
}

static void bad(fixture *f, const char *text, const char *expected)
{
  bad_bytes(f, text, strlen(text), expected);
}

static void tree(void **state)
{
  cap_yaml_node *root = good(*state,
                             "\xef\xbb\xbf# comment\na: 1\nb:\n  - x: {y: '2', z: [3, \"4\"]}\n  - ~\nc:\n");
  assert_int_equal(root->kind, CAP_YAML_MAP);
  assert_int_equal(root->n, 3);
  cap_yaml_node *b = cap_yaml_find(root, "b");
  assert_int_equal(b->kind, CAP_YAML_LIST);
  assert_int_equal(b->n, 2);
  assert_int_equal(b->items[1]->kind, CAP_YAML_NULL);
  cap_yaml_node *x = cap_yaml_find(b->items[0], "x");
  cap_yaml_node *z = cap_yaml_find(x, "z");
  assert_string_equal(z->items[1]->text, "4");
  assert_int_equal(z->items[1]->line, 4);
  assert_int_equal(z->items[1]->column, 24);
  assert_int_equal(cap_yaml_find_pair(x, "z")->column, 17);
  assert_int_equal(cap_yaml_find(root, "c")->kind, CAP_YAML_NULL);
  assert_null(cap_yaml_find(root, "d"));
}

static void aliases(void **state)
{
  cap_yaml_node *root = good(*state, "base: &b {r: 1, s: 2}\none: *b\ntwo: {<<: *b, r: 3}\n"
                                     "three: {<<: [{t: 4}, *b], s: 5}\n");
  assert_ptr_equal(cap_yaml_find(root, "one"), cap_yaml_find(root, "base"));
  cap_yaml_node *two = cap_yaml_find(root, "two");
  assert_int_equal(two->n, 2);
  assert_string_equal(cap_yaml_find(two, "r")->text, "3");
  assert_string_equal(cap_yaml_find(two, "s")->text, "2");
  cap_yaml_node *three = cap_yaml_find(root, "three");
  assert_int_equal(three->n, 3);
  assert_string_equal(cap_yaml_find(three, "s")->text, "5");
  assert_string_equal(cap_yaml_find(three, "t")->text, "4");
}

static void malformed(void **state)
{
  fixture *f = *state;
  bad(f, "", "m.yaml:1:1: the text is empty");
  bad(f, "# only a comment\n", "m.yaml:2:1: the text is empty");
  bad(f, "a: 1\na: 2\n", "m.yaml:2:1: duplicate key \"a\"; expected it once; first in line 1");
  bad(f, "{a: 1, b: 2, a: 3}", "m.yaml:1:14: duplicate key \"a\" in this section");
  bad(f, "a: 1\n---\nb: 1\n", "m.yaml:2:1: a second document");
  bad(f, "a:\n\t- 1\n", "m.yaml:2:1: a tab: indent with spaces");
  bad(f, "\u00e9: 1\nb:\n  \t- 1\n", "m.yaml:3:3: a tab: indent with spaces");
  bad(f, "a: [1, 2\nb: 3\n", "m.yaml:2:");
  bad(f, "a: {b: 1\n", "m.yaml:2:1: ");
  bad(f, "a: 'x\n", "m.yaml:2:1: the text ends within a quoted text");
  bad(f, "a: b: c\n", "m.yaml:1:5: a second \":\"");
  bad(f, "a: 1\n b: 2\n", "m.yaml:2:3: ");
  bad(f, "a: *x\n", "m.yaml:1:4: expected an anchor before the alias \"*x\"");
  bad(f, "a: &x {b: *x}\n", "m.yaml:1:11: expected the alias \"*x\" outside of its own anchor");
  bad(f, "a: !!str 1\n", "m.yaml:1:4: expected a value without a tag such as");
  bad(f, "a: !foo {}\n", "m.yaml:1:4: expected a value without a tag such as");
  bad(f, "[1]: 2\n", "m.yaml:1:1: expected a plain text as key");
  bad(f, "{a: 1}: 2\n", "m.yaml:1:1: expected a plain text as key");
  bad(f, "? \n: 2\n", "m.yaml:1:");
  bad(f, "a: {<<: 3}\n", "m.yaml:1:5: expected a section or a list");
  bad(f, "a: \"x\\0y\"\n", "m.yaml:1:4: expected a text without a zero character");
  bad(f, "a: \"\\q\"\n", "m.yaml:1:");
  bad(f, "%YAML 3.0\n---\na: 1\n", "m.yaml:1:");
  bad_bytes(f, "a: \xff\n", 5, "m.yaml:1:4: expected UTF-8, got the byte 0xff");
  bad_bytes(f, "a: \xc3", 4, "m.yaml:1:4: expected UTF-8, got the byte 0xc3");
  bad_bytes(f, "a: \xc0\x80", 5, "m.yaml:1:4: expected UTF-8, got the byte 0xc0");
  bad_bytes(f, "a: \xed\xa0\x80", 6, "m.yaml:1:4: expected UTF-8, got the byte 0xed");
  bad_bytes(f, "a: 1\nb: \0x\n", 11, "m.yaml:2:4: expected a text file, got a zero byte");
  bad_bytes(f, "a: 1\nb: \xc3\xa9\xc2\x80\n", 13, "m.yaml:2:5: expected characters that YAML allows");
  bad_bytes(f, "a: \xef\xbf\xbe\n", 7, "m.yaml:1:4: expected characters that YAML allows");
  bad_bytes(f, "a: \x01\n", 5, "m.yaml:1:4: expected text, got the control character 0x01");
  bad_bytes(f,
            "\xff\xfe"
            "a\0",
            4, "m.yaml: expected UTF-8, got UTF-16");
}

static void limits(void **state)
{
  fixture *f = *state;
  char text[400];
  memset(text, '[', 40);
  text[40] = 0;
  bad(f, text, "m.yaml:1:33: sections are nested deeper than this program reads; expected at most 32 levels");

  /* a bomb of aliases: 10^9 values from nine lines */
  char wide[4000] = "a0: &a0 [x]\n";
  for (int i = 1; i < 9; i++) {
    sprintf(wide + strlen(wide), "a%d: &a%d [", i, i);
    for (int k = 0; k < 20; k++) sprintf(wide + strlen(wide), "*a%d,", i - 1);
    strcat(wide, "]\n");
  }
  bad(f, wide, "m.yaml:5:");

  size_t size = 2 * CAP_YAML_NODES + 10;
  char *list = malloc(size + 1);
  assert_non_null(list);
  list[0] = '[';
  for (size_t i = 1; i < size; i++) list[i] = i % 2 ? '1' : ',';
  list[size] = 0;
  bad(f, list, "m.yaml:1:400000: too many values; expected at most 200000");
  free(list);

  char *keys = malloc(20 * 1100);
  assert_non_null(keys);
  char *at = keys;
  for (int i = 0; i < 1100; i++) at += sprintf(at, "key%d: 1\n", i);
  bad(f, keys, "m.yaml:1001:1: too many keys in one section; expected at most 1000");
  at = keys;
  for (int i = 0; i < 1001; i++) at += sprintf(at, "- &a%d 1\n", i);
  bad(f, keys, "m.yaml:1001:3: too many anchors");
  free(keys);
}

static void located(void **state)
{
  cap_yaml_node *root = good(*state, "belt: {length: 3}\npulleys:\n  - {r: 1}\n  - r: 2\n    s: [5, 6]\n");
  static const struct {
    const char *path;
    int line, column;
  } cases[] = {
      {"belt.length", 1, 16},     {"belt", 1, 1},       {"belt.mass", 1, 1},    {"pulleys[1].r", 4, 8},
      {"pulleys[1].s[1]", 5, 12}, {"pulleys[0]", 3, 5}, {"pulleys[9].r", 2, 1}, {"nothing", 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int line = 0, column = 0;
    const char *origin;
    assert_true(cap_tree_path_locate(root, cases[i].path, &line, &column, &origin));
    if (line != cases[i].line || column != cases[i].column)
      fail_msg("%s is at %d:%d", cases[i].path, line, column);
  }
}

static void values_as_they_are_written(void **state)
{
  cap_yaml_node *root = good(*state, "belt: {length: 3 m}\nstops: [1 deg, 2 deg]\nspeeds: [[0 s, 9 rpm]]\n");
  assert_string_equal(cap_tree_path_written(root, "belt.length"), "3 m");
  assert_string_equal(cap_tree_path_written(root, "stops"), "1 deg");
  assert_string_equal(cap_tree_path_written(root, "speeds[0][1]"), "9 rpm");
  assert_null(cap_tree_path_written(root, "belt"));
  assert_null(cap_tree_path_written(root, "belt.mass"));
  assert_null(cap_tree_path_written(root, "speeds[1][1]"));
}

static const char *get(cap_yaml_node *root, const char *a, const char *b)
{
  cap_yaml_node *section = cap_yaml_find(root, a);
  cap_yaml_node *node = section ? cap_yaml_find(section, b) : NULL;
  return node ? node->text : "(none)";
}

static void settings(void **state)
{
  fixture *f = *state;
  cap_yaml_node *root = good(f, "base: &b {r: 1, s: [1, 2]}\nother: *b\n");
  assert_int_equal(cap_tree_path_set(&root, "other.r=5 mm", &f->arena, &f->diag), CAP_OK);
  assert_string_equal(get(root, "other", "r"), "5 mm");
  assert_string_equal(get(root, "base", "r"), "1"); /* the anchor's own is left alone */
  assert_int_equal(cap_tree_path_set(&root, "new.deep.key=x", &f->arena, &f->diag), CAP_OK);
  assert_string_equal(get(cap_yaml_find(root, "new"), "deep", "key"), "x");
  assert_int_equal(cap_tree_path_set(&root, "other.s[2]=9", &f->arena, &f->diag), CAP_OK);
  assert_int_equal(cap_yaml_find(cap_yaml_find(root, "other"), "s")->n, 3);
  assert_int_equal(cap_yaml_find(cap_yaml_find(root, "base"), "s")->n, 2);
  assert_int_equal(cap_tree_path_set(&root, "base={t: [1, {u: 2}]}", &f->arena, &f->diag), CAP_OK);
  assert_string_equal(cap_yaml_find(root, "base")->origin, "--set base={t: [1, {u: 2}]}");
  assert_int_equal(cap_tree_path_set(&root, "a.b=c=d", &f->arena, &f->diag), CAP_OK);
  assert_string_equal(get(root, "a", "b"), "c=d");
}

/* Items of a list by their key `name`, also below the name of a variant. */
static void settings_by_name(void **state)
{
  fixture *f = *state;
  cap_yaml_node *root = good(
      f, "p: [{name: crank, r: 1}, {name: water pump, r: 2}, {gap: {name: '3', r: 3}}]\n");
  assert_int_equal(cap_tree_path_set(&root, "p[crank].r=4", &f->arena, &f->diag), CAP_OK);
  assert_string_equal(cap_tree_path_written(root, "p[0].r"), "4");
  assert_int_equal(cap_tree_path_set(&root, "p['water pump'].load.torque=5 N m", &f->arena, &f->diag),
                   CAP_OK);
  assert_string_equal(cap_tree_path_written(root, "p[1].load.torque"), "5 N m");
  assert_int_equal(cap_tree_path_set(&root, "p[\"3\"].gap.r=6", &f->arena, &f->diag), CAP_OK);
  assert_string_equal(cap_tree_path_written(root, "p[2].gap.r"), "6");
  assert_string_equal(cap_tree_path_written(root, "p['water pump'].r"), "2");
  assert_null(cap_tree_path_written(root, "p['oil pump'].r"));
}

static void bad_settings(void **state)
{
  fixture *f = *state;
  static const char *const cases[][2] = {
      {"load", "--set load: expected PATH=VALUE"},
      {"=3", "--set =3: expected a path"},
      {"a..b=3", "--set a..b=3: expected a path"},
      {"a.=3", "--set a.=3: expected a path"},
      {"a[x]=3", "--set a[x]=3: a has no items with a name; expected an index from [0], got [x]"},
      {"a[x y]=3", "--set a[x y]=3: expected a path"},
      {"a['x]=3", "--set a['x]=3: expected a path"},
      {"a[]=3", "--set a[]=3: expected a path"},
      {"a['']=3", "--set a['']=3: expected a path"},
      {"named[d].r=1", "--set named[d].r=1: named has no item named \"d\"; expected one of: a, b c, a, v"},
      {"named[a].r=1", "--set named[a].r=1: named has two items named \"a\", [0] and [2]; expected an index"},
      {"named[bc].r=1", "--set named[bc].r=1: named has no item named \"bc\"; expected one of: a, b c, a, v; "
                        "did you mean \"b c\"?"},
      {"a[1=3", "--set a[1=3: expected a path"},
      {"a b=3", "--set a b=3: expected a path"},
      {"a[99999999999]=3", "--set a[99999999999]=3: expected a path"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q=3", "--set a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q=3: expected a path"},
      {"a=", "--set a=: expected a value after the \"=\""},
      {"a=[1, 2", "--set a=[1, 2: "},
      {"list[5]=1", "--set list[5]=1: list has 2 items, counted from [0]"},
      {"list.x=1", "--set list.x=1: list: expected a section, got a list"},
      {"map[0]=1", "--set map[0]=1: map: expected a list, got a section"},
      {"map.k.x=1", "--set map.k.x=1: map.k: expected a section, got a single value"},
      {"[0]=1", "--set [0]=1: the file: expected a list, got a section"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cap_diag_free(&f->diag);
    cap_diag_init(&f->diag, "m.yaml");
    cap_yaml_node *root = good(f, "list: [1, 2]\nmap: {k: 1}\n"
                                  "named: [{name: a}, {name: b c}, {name: a}, {gap: {name: v}}]\n");
    assert_int_equal(cap_tree_path_set(&root, cases[i][0], &f->arena, &f->diag), CAP_ERR_INPUT);
    const char *said = cap_diag_text(&f->diag);
    if (strncmp(said, cases[i][1], strlen(cases[i][1])) != 0)
      fail_msg("said: %sexpected: %s", said, cases[i][1]);
    assert_string_equal(f->diag.file, "m.yaml");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tree, set_up, tear_down),
      cmocka_unit_test_setup_teardown(aliases, set_up, tear_down),
      cmocka_unit_test_setup_teardown(malformed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(limits, set_up, tear_down),
      cmocka_unit_test_setup_teardown(located, set_up, tear_down),
      cmocka_unit_test_setup_teardown(values_as_they_are_written, set_up, tear_down),
      cmocka_unit_test_setup_teardown(settings, set_up, tear_down),
      cmocka_unit_test_setup_teardown(settings_by_name, set_up, tear_down),
      cmocka_unit_test_setup_teardown(bad_settings, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
