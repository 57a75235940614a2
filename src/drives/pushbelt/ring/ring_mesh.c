/* drives/pushbelt/ring/ring_mesh.c — see ring_mesh.h. */
#include "drives/pushbelt/ring/ring_mesh.h"
#include "base/whole.h"
#include "drives/pushbelt/ring/ring_layout.h"

#include <limits.h>
#include <math.h>

enum { BINS_MOST = 1 << 16 };

bool cap_ring_mesh_create(cap_ring_mesh *m, int n, const double *node, cap_arena *arena)
{
  double least = INFINITY, *size = CAP_ARENA_NEW(arena, double, n),
         *inverse = CAP_ARENA_NEW(arena, double, n);
  if (!size || !inverse) return false;
  for (int k = 0; k < n; k++) {
    size[k] = node[k + 1] - node[k];
    inverse[k] = 1.0 / size[k];
    least = fmin(least, size[k]);
  }
  double bins = fmin(floor(node[n] / least) + 2.0, BINS_MOST);
  int nbin = (int)bins, e = 0;
  int *bin = CAP_ARENA_NEW(arena, int, nbin + 1);
  if (!bin) return false;
  for (int k = 0; k <= nbin; k++) {
    while (e + 1 < n && node[e + 1] <= node[n] * k / nbin) e++;
    bin[k] = e;
  }
  bin[nbin] = n - 1; /* the last place rounds up to it */
  *m = (cap_ring_mesh){n, node, size, inverse, nbin, nbin / node[n], bin};
  return true;
}

/* ---- graded meshes ------------------------------------------------------------------------------------- */

enum { NODES_LEAST = 8, JUMPS = 4, SAMPLES = 4096, BISECTIONS = 60 };
static const double steepest = 0.5;    /* of the spacing over the distance */
static const double longest = 0.032;   /* of the length: longer ones are coarse for `ale` */
static const double fair_growth = 0.4; /* where nodes follow from the finest spacing, or that from them */

static void find_jumps(const cap_ring_mesh_grade *g, double jump[JUMPS])
{
  cap_ring_layout l = cap_ring_layout_of(g->length, g->centre_distance, g->theta);
  jump[0] = l.r_s * (M_PI_2 - l.alpha);
  jump[1] = jump[0] + l.strand;
  jump[2] = g->length - jump[1];
  jump[3] = g->length - jump[0];
}

static double spacing(const cap_ring_mesh_grade *g, const double jump[JUMPS], double growth, double xi)
{
  double nearest = g->length;
  for (int k = 0; k < JUMPS; k++) {
    double far = fabs(xi - jump[k]);
    nearest = fmin(nearest, fmin(far, g->length - far));
  }
  return fmin(g->finest + growth * fmax(0.0, nearest - g->within), longest * g->length);
}

/* Number of nodes up to each sample. */
static double count(const cap_ring_mesh_grade *g, const double jump[JUMPS], double growth, double *upto)
{
  double sum = 0.0, step = g->length / SAMPLES;
  for (int k = 0; k < SAMPLES; k++) {
    if (upto) upto[k] = sum;
    sum += step / spacing(g, jump, growth, (k + 0.5) * step);
  }
  if (upto) upto[SAMPLES] = sum;
  return sum;
}

/* Nodes where the count, brought to their number, is whole. */
static void place_nodes(const cap_ring_mesh_grade *g, const double *upto, double *mesh)
{
  double step = g->length / SAMPLES, whole = upto[SAMPLES];
  int k = 0;
  for (int i = 0; i < g->nodes; i++) {
    double want = whole * i / g->nodes;
    while (k + 1 < SAMPLES && upto[k + 1] <= want) k++;
    mesh[i] = step * (k + (want - upto[k]) / (upto[k + 1] - upto[k]));
  }
}

int cap_ring_mesh_fewest(const cap_ring_mesh_grade *g)
{
  double jump[JUMPS];
  find_jumps(g, jump);
  return capm_whole_between(ceil(count(g, jump, steepest, NULL)), NODES_LEAST, INT_MAX);
}

int cap_ring_mesh_fair(const cap_ring_mesh_grade *g)
{
  double jump[JUMPS];
  find_jumps(g, jump);
  return capm_whole_between(ceil(count(g, jump, fair_growth, NULL)), NODES_LEAST, INT_MAX);
}

double cap_ring_mesh_finest(const cap_ring_mesh_grade *g)
{
  double jump[JUMPS], low = 0.0, high = longest * g->length;
  cap_ring_mesh_grade at = *g;
  find_jumps(g, jump);
  for (int k = 0; k < BISECTIONS; k++) {
    at.finest = 0.5 * (low + high);
    if (count(&at, jump, fair_growth, NULL) > g->nodes) low = at.finest;
    else high = at.finest;
  }
  return high;
}

const char *cap_ring_mesh_graded(const cap_ring_mesh_grade *g, double *mesh)
{
  double jump[JUMPS], upto[SAMPLES + 1], low = 0.0, high = steepest;
  if (g->nodes < NODES_LEAST) return "expected at least 8 nodes of a graded mesh";
  if (!(g->finest > 0.0) || !(g->within >= 0.0)) return "expected spacings above 0";
  find_jumps(g, jump);
  if (!isfinite(jump[0] + jump[1])) return "no ring of this length fits around the pulleys";
  if (count(g, jump, high, NULL) > g->nodes) return "too few nodes for the finest spacing";
  for (int k = 0; k < BISECTIONS && count(g, jump, 0.0, NULL) > g->nodes; k++) {
    double growth = 0.5 * (low + high);
    if (count(g, jump, growth, NULL) > g->nodes) low = growth;
    else high = growth;
  }
  count(g, jump, count(g, jump, 0.0, NULL) > g->nodes ? high : 0.0, upto);
  place_nodes(g, upto, mesh);
  return NULL;
}
