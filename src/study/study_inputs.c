/* study/study_inputs.c — see study_inputs.h. */
#include "study/study_inputs.h"
#include "io/csv.h"
#include "io/feed_file.h"
#include "io/text_file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 200 }; /* that are read for it */

static cap_hash128 hash_of(const char *text)
{
  cap_hash hash;
  cap_hash_init(&hash, 0);
  cap_hash_add(&hash, text, strlen(text));
  return cap_hash_value128(&hash);
}

/* Once each; the paths are those of a model that goes. */
static cap_status add(cap_study *s, const char *path, cap_hash128 hash)
{
  for (int k = 0; k < s->ninput; k++)
    if (strcmp(s->inputs[k].path, path) == 0) return CAP_OK;
  cap_study_input *larger = CAP_ARENA_NEW(&s->arena, cap_study_input, s->ninput + 1);
  const char *copy = cap_arena_copy_text(&s->arena, path);
  if (!larger || !copy) return CAP_ERR_NOMEM;
  if (s->ninput) memcpy(larger, s->inputs, (size_t)s->ninput * sizeof *larger);
  larger[s->ninput++] = (cap_study_input){.path = copy, .hash = hash};
  s->inputs = larger;
  return CAP_OK;
}

static cap_status add_model(cap_study *s, const cap_model_file *model)
{
  for (int k = 0; k < model->ninput; k++) CAP_TRY(add(s, model->inputs[k].path, model->inputs[k].hash));
  return CAP_OK;
}

/* The model with one level, the other factors nominal; one that it does not take is told by the check. */
static cap_status add_level(cap_study_reading *r, int factor, int level)
{
  cap_study *s = r->study;
  double values[CAP_STUDY_FACTORS];
  cap_model_file *file = NULL;
  cap_diag *own = malloc(sizeof *own);
  if (!own) return CAP_ERR_NOMEM;
  for (int f = 0; f < s->nfactor; f++) values[f] = s->factors[f].nominal;
  values[factor] = level + 1;
  cap_status status = cap_study_reading_model(r, values, &file, own);
  if (status == CAP_OK) status = add_model(s, file);
  cap_model_file_free(file);
  cap_diag_free(own);
  free(own);
  return status == CAP_ERR_NOMEM ? status : CAP_OK;
}

/* The check reports one that cannot be read. */
static cap_status add_feed(cap_study *s, const char *path)
{
  cap_arena bytes = {0};
  cap_hash hash;
  char *text = NULL;
  size_t size = 0;
  cap_diag *unused = calloc(1, sizeof *unused);
  if (!unused) return CAP_ERR_NOMEM;
  cap_status status = cap_text_file_read(path, CAP_CSV_BYTES, &bytes, unused, &text, &size);
  if (status == CAP_OK) {
    cap_hash_init(&hash, 0);
    cap_hash_add(&hash, text, size);
    status = add(s, path, cap_hash_value128(&hash));
  }
  cap_arena_free(&bytes);
  cap_diag_free(unused);
  free(unused);
  return status == CAP_ERR_NOMEM ? status : CAP_OK;
}

cap_status cap_study_inputs_list(cap_study_reading *r, const cap_study_input *table)
{
  cap_study *s = r->study;
  int nmodel = 0;
  CAP_TRY(add(s, s->path, hash_of(s->text)));
  CAP_TRY(add(s, s->model_path, hash_of(s->model_text)));
  CAP_TRY(add_model(s, r->model));
  for (int k = 0; k < s->nfeed; k++) CAP_TRY(add_feed(s, s->feeds[k].path));
  for (int f = 0; f < s->nfactor; f++)
    for (int k = 0; k < s->factors[f].nlevel && nmodel < MOST_MODELS; k++, nmodel++)
      CAP_TRY(add_level(r, f, k));
  return table->path ? add(s, table->path, table->hash) : CAP_OK;
}
