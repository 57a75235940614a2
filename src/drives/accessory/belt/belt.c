/* drives/accessory/belt/belt.c — see belt.h. */
#include "drives/accessory/belt/belt.h"
#include "linalg/lu.h"

#include <string.h>

static bool copy_values(cap_arena *arena, int n, const double **values)
{
  double *copy = CAP_ARENA_NEW(arena, double, n);
  if (!copy) return false;
  if (n) memcpy(copy, *values, (size_t)n * sizeof *copy);
  *values = copy;
  return true;
}

static bool copy_pulley(cap_arena *arena, cap_belt_pulley *p)
{
  p->name = cap_arena_copy_text(arena, p->name ? p->name : "");
  if (p->hub) {
    cap_belt_hub *hub = CAP_ARENA_NEW(arena, cap_belt_hub, 1);
    if (!hub) return false;
    *hub = *p->hub;
    p->hub = hub;
  }
  return p->name && copy_values(arena, p->load.n, &p->load.speed) &&
         copy_values(arena, p->load.n, &p->load.torque);
}

const cap_belt *cap_belt_of(const cap_model *m)
{
  return cap_subject_of(m, &cap_belt_subject);
}

void cap_belt_describe(cap_builder *b, const cap_belt *belt)
{
  cap_builder_subject(b, &cap_belt_subject, cap_belt_copy(cap_builder_arena(b), belt));
}

cap_belt *cap_belt_copy(cap_arena *arena, const cap_belt *belt)
{
  cap_belt *copy = CAP_ARENA_NEW(arena, cap_belt, 1);
  if (!copy) return NULL;
  *copy = *belt;
  copy->pulleys = CAP_ARENA_NEW(arena, cap_belt_pulley, belt->npulley);
  if (!copy->pulleys) return NULL;
  for (int i = 0; i < belt->npulley; i++) {
    copy->pulleys[i] = belt->pulleys[i];
    if (!copy_pulley(arena, &copy->pulleys[i])) return NULL;
  }
  return copy;
}

void cap_belt_hub_way(const cap_belt_hub *hub, int k, double way[2])
{
  way[0] = k == 0 ? hub->axis[0] : -hub->axis[1];
  way[1] = k == 0 ? hub->axis[1] : hub->axis[0];
}

bool cap_belt_hub_settle(const cap_belt_hub *hub, double fx, double fy, double w[CAP_BELT_HUB_MOST],
                         double shift[2])
{
  double K[CAP_BELT_HUB_MOST * CAP_BELT_HUB_MOST], way[2];
  int n = hub->n, pivot[CAP_BELT_HUB_MOST];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) K[i * n + j] = hub->K[i][j];
    w[i] = 0.0;
  }
  for (int k = 0; k < (hub->straight ? 1 : 2); k++) {
    cap_belt_hub_way(hub, k, way);
    w[k] = fx * way[0] + fy * way[1];
  }
  if (hub->straight) K[n + 1] = 1.0; /* its own row and column are empty */
  if (capm_lu_factor(n, K, pivot)) return false;
  capm_lu_solve(n, K, pivot, w);
  shift[0] = shift[1] = 0.0;
  for (int k = 0; k < 2; k++) {
    cap_belt_hub_way(hub, k, way);
    shift[0] += w[k] * way[0];
    shift[1] += w[k] * way[1];
  }
  return true;
}

/* The interval [k, k + 1] of the table that holds the speed, -1 below it, n - 1 from its end on. */
static int interval(const cap_belt_load *load, double speed)
{
  int k = -1;
  while (k + 1 < load->n && speed >= load->speed[k + 1]) k++;
  return k;
}

double cap_belt_torque_slope(const cap_belt_load *load, double speed)
{
  int k = interval(load, speed);
  if (k < 0 || k >= load->n - 1) return 0.0;
  return (load->torque[k + 1] - load->torque[k]) / (load->speed[k + 1] - load->speed[k]);
}

double cap_belt_torque(const cap_belt_load *load, double speed)
{
  if (load->n == 0) return 0.0;
  int k = interval(load, speed);
  if (k < 0) return load->torque[0];
  if (k >= load->n - 1) return load->torque[load->n - 1];
  return load->torque[k] + cap_belt_torque_slope(load, speed) * (speed - load->speed[k]);
}

bool cap_belt_slides(const cap_belt_arm *arm)
{
  return arm->slide_x != 0.0 || arm->slide_y != 0.0;
}

bool cap_belt_has_arm(const cap_belt *belt)
{
  return belt->arm.length > 0.0 || cap_belt_slides(&belt->arm);
}

bool cap_belt_has_hubs(const cap_belt *belt)
{
  for (int i = 0; i < belt->npulley; i++)
    if (belt->pulleys[i].hub) return true;
  return false;
}

const cap_belt_words *cap_belt_words_of(const cap_belt_arm *arm)
{
  static const cap_belt_words rotary = {"arm", "angle", "torque", "deg",  180.0 / 3.14159265358979323846,
                                        "rad", "rad/s", "N m",    "m/rad"};
  static const cap_belt_words linear = {"slide", "position", "force", "mm", 1e3, "m", "m/s", "N", "1"};
  return cap_belt_slides(arm) ? &linear : &rotary;
}

double cap_belt_arm_inertia(const cap_belt *belt)
{
  const cap_belt_arm *arm = &belt->arm;
  double way2 = arm->length * arm->length + arm->slide_x * arm->slide_x + arm->slide_y * arm->slide_y;
  double sum = arm->inertia;
  for (int i = 0; i < belt->npulley; i++)
    if (belt->pulleys[i].on_arm) sum += belt->pulleys[i].mass * way2;
  return sum;
}

double cap_belt_spring(const cap_belt_arm *arm, double angle)
{
  return arm->torque_at + arm->rate * (arm->torque_angle - angle) * arm->sense;
}
