/* cli/check.c — capstan check MODEL.yaml: validate, and say what would be simulated. */
#include "cli/cli.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "io/execute.h"
#include "model/data.h"
#include "step/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 40, NAME_MOST = 120 };

static void print_contacts(const cap_model *m)
{
  printf("  contacts       %d with %d row%s, %d ideal", m->ncontact, m->nrow, m->nrow == 1 ? "" : "s",
         m->nideal);
  if (m->nset) printf(", %d set-valued", m->nset);
  printf(":");
  for (int r = 0; r < m->nrow; r++) printf(" %s", m->row_name[r]);
  printf("\n");
  if (m->fastest > 0.0)
    printf("  contact        %s, pulsation up to %.6g rad/s (period %.3g s)\n",
           m->nlaw ? "viscoelastic" : "compliant", m->fastest, 2.0 * M_PI / m->fastest);
  for (int i = 0; i < m->ncontactbatch; i++)
    for (int k = 0; !m->contacts[i].ideal && k < m->contacts[i].n; k++) {
      const cap_contact_batch *b = &m->contacts[i];
      bool stick = b->kind == CAP_LAW_VISCOELASTIC;
      double rest = stick ? b->stick[k].friction.mu_static : b->touch[k].friction.mu_static;
      double sliding = stick ? b->stick[k].friction.mu_kinetic : b->touch[k].friction.mu_kinetic;
      if (isfinite(rest) && b->type->nrow > b->type->normal)
        printf("  friction       %s: %.6g at rest, %.6g sliding\n", m->contact_name[b->contact_adr + k], rest,
               sliding);
    }
}

/* The dots of a.b.c: the first is returned, or NULL where there are not two. */
static const char *middle_of(const char *name, const char **last)
{
  const char *first = strchr(name, '.');
  *last = first ? strchr(first + 1, '.') : NULL;
  return *last ? first : NULL;
}

/* a.b.c and a.d.c, which one pattern a.*.c names. */
static bool alike(const cap_column *a, const cap_column *b)
{
  const char *one = a->name, *other = b->name;
  const char *last1, *last2, *first1 = middle_of(one, &last1), *first2 = middle_of(other, &last2);
  if (strcmp(a->unit, b->unit) != 0 || !first1 || !first2 || strcmp(last1, last2) != 0) return false;
  return first1 - one == first2 - other && strncmp(one, other, (size_t)(first1 - one)) == 0;
}

static int count_alike(const cap_model *m, int from, int to, const cap_column *column)
{
  int n = 0;
  for (int c = from; c < to; c++) n += !m->channels[c].detail && alike(&m->channels[c].column, column);
  return n;
}

/* Channels that one pattern names stand as this pattern. */
static void print_channels(const cap_model *m)
{
  int shown = 0, details = 0;
  const char *detail = NULL, *last;
  for (int c = 0; c < m->nchannel; c++) {
    const cap_column *column = &m->channels[c].column;
    if (m->channels[c].detail) {
      detail = column->name;
      details++;
      continue;
    }
    if (count_alike(m, 0, c, column)) continue;
    const char *first = middle_of(column->name, &last);
    printf("%s ", shown++ ? "," : "");
    if (first && count_alike(m, c + 1, m->nchannel, column))
      printf("%.*s.*%s", (int)(first - column->name), column->name, last);
    else printf("%s", column->name);
    printf(" [%s]", column->unit);
  }
  if (detail) printf("; and when a pattern names them %d more such as %s", details, detail);
  printf("\n");
}

/* The name with a star in the place of numbers: element.3.x is one of element.*.x. */
static void pattern_of(const char *name, char *out, size_t room)
{
  size_t at = 0;
  while (*name && at + 2 < room) {
    size_t part = strcspn(name, "."), digits = strspn(name, "0123456789");
    if (digits == part) out[at++] = '*';
    else
      for (size_t k = 0; k < part && at + 2 < room; k++) out[at++] = name[k];
    name += part;
    if (*name == '.') out[at++] = *name++;
  }
  out[at] = '\0';
}

/* How many coordinates have the pattern; 0: one before the i-th has it already. */
static int count_named(const cap_model *m, int i, const char *pattern)
{
  char other[NAME_MOST];
  int n = 0;
  for (int k = 0; k < m->nv; k++) {
    pattern_of(m->dof_name[k], other, sizeof other);
    if (strcmp(other, pattern) != 0) continue;
    if (k < i) return 0;
    n++;
  }
  return n;
}

static void print_coordinates(const cap_model *m)
{
  char pattern[NAME_MOST];
  int shown = 0, names = 0;
  printf("  coordinates    %d free, %d driven:", m->nv - m->nmotion, m->nmotion);
  for (int i = 0; i < m->nv && names < NAMES_MOST; i++) {
    pattern_of(m->dof_name[i], pattern, sizeof pattern);
    int together = count_named(m, i, pattern);
    if (!together) continue;
    printf(" %s", together > 1 ? pattern : m->dof_name[i]);
    if (together > 1) printf(" (%d)", together);
    shown += together;
    names++;
  }
  if (m->nv > shown) printf(" and %d more", m->nv - shown);
  printf("\n");
}

/* What the drive says about itself; false: nothing. */
static bool print_subject(const cap_model *m)
{
  char text[1024] = "";
  if (!m->subject.type->describe) return false;
  m->subject.type->describe(m->subject.self, text, sizeof text);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) printf("  %s\n", line);
  return true;
}

static void print_system(const cap_model *m)
{
  print_coordinates(m);
  printf("  elements       %d:", m->nelem);
  for (int k = 0; k < m->nbatch; k++)
    printf(" %d %s%s", m->batches[k].n, m->batches[k].type->name, k + 1 < m->nbatch ? "," : "");
  printf("\n");
  bool described = print_subject(m);
  if (m->nslider || (!m->ncontact && !described))
    printf("  dry friction   %d slider%s (set-valued)\n", m->nslider, m->nslider == 1 ? "" : "s");
  if (m->ncontact) print_contacts(m);
  printf("  inner states   %d\n", m->nx);
  if (m->period[0] > 0.0) printf("  forcing period %.6g s\n", m->period[0]);
  printf("  time stepper   %s unless an analysis says otherwise: %s\n", cap_stepper_best(m)->name,
         cap_stepper_best(m)->doc);
  printf("  memory         %zu kB of model\n", (m->arena.peak + 1023) / 1024);
  printf("  channels      ");
  print_channels(m);
}

static void print_model(const cap_model_file *file, const cap_model *model)
{
  printf("%s: valid\n  name           %s\n  drive          %s\n", file->path, file->name, file->drive->name);
  print_system(model);
  printf("  analyses      ");
  for (int k = 0; k < file->analyses.n; k++) {
    const void *spec = (const char *)file->analyses.items + (size_t)k * cap_registry_largest_spec();
    printf(" %s%s", cap_registry_analyses[*(const int *)spec]->name, k + 1 < file->analyses.n ? "," : "");
  }
  printf("\n");
}

int cap_cli_check(int argc, char **argv)
{
  cap_option_texts settings = {0}, rest = {0};
  const cap_option options[] = {
      {"--set", CAP_OPTION_TEXTS, &settings, "PATH=VALUE", "change a key of the model"}, {0}};
  int code = cap_options_parse(argc, argv, "check MODEL.yaml [--set PATH=VALUE]...", options, &rest, 1, 1);
  if (code >= 0) return code;
  cap_model_file *file = NULL;
  cap_model *model = NULL;
  code = cap_load_model(rest.v[0], &settings, &file, &model);
  if (code == CAP_CLI_FINE) print_model(file, model);
  cap_model_free(model);
  cap_model_file_free(file);
  return code;
}
