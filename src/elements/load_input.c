/* elements/load_input.c — applied load that is an input. */
#include "elements/elements.h"
#include "elements/ends.h"

/* Input slots are those of the first lane: all lanes are fed alike. */
static void rates(const cap_batch *b, cap_eval *e)
{
  int width = e->nlane;
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * CAP_LOAD_INPUT_NPARAM * width;
    double f[CAP_LANES_MOST], v[CAP_LANES_MOST];
    int slot = (int)par[CAP_LOAD_INPUT_SLOT * width];
    for (int l = 0; l < width; l++)
      f[l] = -par[CAP_LOAD_INPUT_FACTOR * width + l] * cap_input_at(e->input, slot, e->t[l]);
    cap_ends_resist(e->h, b->i[n], b->j[n], width, f);
    if (e->force) CAP_EACH_LANE(l, width) e->force[(b->elem_adr + n) * width + l] = f[l];
    if (!e->power) continue;
    cap_ends_difference(e->v, b->i[n], b->j[n], width, v);
    CAP_EACH_LANE(l, width) e->power[(b->mech_adr + n) * width + l] = -f[l] * v[l];
  }
}

/* Frozen at its start. */
static void linear(const cap_batch *b, int n, int lane, cap_linear_part *part)
{
  const double *par = b->par + n * CAP_LOAD_INPUT_NPARAM * b->nlane + lane;
  part->f0 = -par[CAP_LOAD_INPUT_FACTOR * b->nlane] * par[CAP_LOAD_INPUT_START * b->nlane];
}

static const cap_param params[] = {{"slot", "1"}, {"factor", "1"}, {"start", "N"}};

const cap_element_type cap_load_input_type = {
    .name = "load input",
    .doc = "applied load that is an input",
    .nparam = CAP_LOAD_INPUT_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"work"},
    .mech_input = {true},
    .rates = rates,
    .linear = linear,
};

int cap_load_input_add(cap_builder *b, const char *name, int i, const cap_input_key *key, double start,
                       double factor)
{
  double par[CAP_LOAD_INPUT_NPARAM] = {[CAP_LOAD_INPUT_SLOT] = cap_builder_input(b, key, start, false),
                                       [CAP_LOAD_INPUT_FACTOR] = factor,
                                       [CAP_LOAD_INPUT_START] = start};
  return cap_builder_element(b, &cap_load_input_type, name, i, CAP_GROUND, par, NULL);
}
