/* drives/accessory/accessory_drive_shaft.c — shafts behind one-way clutches and overrunning decouplers.
 *
 * Maths: docs/theory.md §31. The rim is the pulley's rotation; the shaft, with the inertia of what it drives,
 * is a coordinate of its own on which the load acts.
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef cap_accessory_clutch clutch;

#define REAL(key_, member, unit_, ...)                                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(clutch, member), .unit = unit_, __VA_ARGS__      \
  }
#define POSITIVE     .low = 0, .low_open = true, .high = INFINITY
#define NOT_NEGATIVE .low = 0, .high = INFINITY

#define DRAG                                                                                                 \
  REAL("drag_torque", drag, "N m", NOT_NEGATIVE, .fallback = "0 N m", .example = "0.1 N m", .was = "drag",   \
       .doc = "drag torque while overrunning")
#define CAPACITY                                                                                             \
  REAL("torque_capacity", capacity, "N m", POSITIVE, .present = 1 + offsetof(clutch, capacity_given),        \
       .example = "90 N m", .was = "capacity",                                                               \
       .doc = "torque capacity, at which the engaged clutch slips; default: unlimited")

static const char *const kinds[] = {"one-way", NULL};

const cap_field cap_accessory_drive_shaft_clutch[] = {
    {.key = "kind",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(clutch, kind),
     .choices = kinds,
     .fallback = "one-way",
     .example = "one-way",
     .doc = "type of the clutch; one-way: the shaft can overrun the rim, not the reverse"},
    REAL("stiffness", stiffness, "N m/rad", POSITIVE, .required = true, .example = "2000 N m/rad",
         .doc = "wind-up stiffness of the engaged clutch"),
    REAL("damping", damping, "N m s/rad", POSITIVE, .required = true, .example = "0.2 N m s/rad",
         .doc = "wind-up damping of the engaged clutch; damping / stiffness is the time constant of "
                "unwinding after release"),
    DRAG,
    CAPACITY,
    {0}};

const cap_field cap_accessory_drive_shaft_decoupler[] = {
    REAL("spring_rate", spring, "N m/rad", POSITIVE, .required = true, .example = "30 N m/rad",
         .was = "spring", .doc = "spring rate of the decoupler"),
    REAL("damping", damping, "N m s/rad", POSITIVE, .required = true, .example = "0.02 N m s/rad",
         .doc = "damping of the decoupler spring"),
    REAL("stiffness", stiffness, "N m/rad", POSITIVE, .present = 1 + offsetof(clutch, stiffness_given),
         .example = "2000 N m/rad",
         .doc = "wind-up stiffness of the one-way clutch in series with the spring, with the same ratio of "
                "damping to stiffness; default: rigid"),
    DRAG,
    CAPACITY,
    {0}};

static const clutch *clutch_of(const cap_accessory_pulley *p)
{
  return p->clutch_given ? &p->clutch : p->decoupler_given ? &p->decoupler : NULL;
}

void cap_accessory_drive_shaft_check(const cap_accessory_spec *s, int k, cap_diag *diag)
{
  const cap_accessory_pulley *p = (const cap_accessory_pulley *)s->pulleys.items + k;
  const clutch *c = clutch_of(p);
  char key[64];
  snprintf(key, sizeof key, "pulleys[%d].shaft_inertia", k);
  if (!c && p->shaft_inertia_given)
    cap_diag_at(diag, key, "requires a clutch or decoupler; without one, add this inertia to inertia");
  if (!c) return;
  snprintf(key, sizeof key, "pulleys[%d].%s", k, p->clutch_given ? "clutch" : "decoupler");
  if (!p->shaft_inertia_given)
    cap_diag_at(diag, key,
                "expected shaft_inertia, the moment of inertia behind the clutch, such as \"2.8e-3 kg m2\"; "
                "inertia is then that of the rim");
  if (p->clutch_given && p->decoupler_given)
    cap_diag_at(
        diag, key,
        "conflicts with decoupler; specify only one of the two (a decoupler includes a one-way clutch)");
  if (k == cap_accessory_drive_belt_find(s, s->crank.pulley))
    cap_diag_at(diag, key, "not available on the driving pulley \"%s\"; expected a driven pulley", p->name);
}

/* Two Kelvin-Voigt elements with the same time of damping in series are one with that time. */
void cap_accessory_drive_shaft_fill(const cap_accessory_pulley *p, cap_belt_pulley *out)
{
  const clutch *c = clutch_of(p);
  out->clutch = (cap_belt_clutch){.shaft = -1};
  if (!c) return;
  double k = p->clutch_given ? c->stiffness : c->spring, d = c->damping;
  if (p->decoupler_given && c->stiffness_given) {
    double part = c->stiffness / (c->stiffness + c->spring);
    k *= part;
    d *= part;
  }
  out->clutch = (cap_belt_clutch){.stiffness = k,
                                  .damping = d,
                                  .drag = c->drag,
                                  .capacity = c->capacity_given ? c->capacity : INFINITY,
                                  .inertia = p->shaft_inertia,
                                  .shaft = -1};
}

cap_status cap_accessory_drive_shaft_holds(const cap_belt *belt, const cap_belt_statics *start,
                                           cap_error *error)
{
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_pulley *p = &belt->pulleys[k];
    double torque = start->pulleys[k].torque;
    if (!(p->clutch.stiffness > 0.0)) continue;
    if (torque < -p->clutch.drag)
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "the clutch of \"%s\" overruns at the start, so there is no steady running; expected a driving "
          "load torque up to the drag torque (%.4g N m), got %.4g N m",
          p->name, p->clutch.drag, -torque);
    if (torque > p->clutch.capacity)
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the clutch of \"%s\" slips at the start; expected a load up to its torque "
                             "capacity (%.4g N m), got %.4g N m",
                             p->name, p->clutch.capacity, torque);
  }
  return CAP_OK;
}

int cap_accessory_drive_shaft_loaded(const cap_belt_pulley *p)
{
  return p->clutch.stiffness > 0.0 ? p->clutch.shaft : p->rotation;
}

static void channel(const cap_accessory_parts *w, const cap_belt_pulley *p, const char *what,
                    const char *unit, const char *meaning, int nterm, const cap_term *terms)
{
  cap_accessory_drive_parts_channel(w, "pulley", p->name, what, unit, meaning, nterm, terms);
}

/* rad/s that limits the steps of an explicit method: the shaft against its rim, damping counted in. */
static double angular_frequency(const cap_belt_pulley *p)
{
  const cap_belt_clutch *c = &p->clutch;
  double give = 1.0 / p->inertia + 1.0 / c->inertia, own = sqrt(c->stiffness * give);
  double ratio = 0.5 * c->damping * give / own;
  return own * (ratio + sqrt(1.0 + ratio * ratio));
}

static void add_shaft(cap_accessory_parts *w, int k)
{
  char name[160];
  cap_belt_pulley *p = &w->belt->pulleys[k];
  const cap_belt_statics_pulley *at = &w->start->pulleys[k];
  cap_belt_clutch *c = &p->clutch;
  double par[CAP_CLUTCH_NPARAM] = {[CAP_CLUTCH_K] = c->stiffness,
                                   [CAP_CLUTCH_D] = c->damping,
                                   [CAP_CLUTCH_DRAG] = c->drag,
                                   [CAP_CLUTCH_CAPACITY] = c->capacity};
  double wound = at->torque / c->stiffness, base = cap_accessory_drive_parts_base(w, k);
  snprintf(name, sizeof name, "%s.shaft", p->name);
  c->shaft = cap_builder_dof(w->b, name, "rad", c->inertia, -wound, at->speed - base);
  cap_builder_turn(w->b, c->shaft, base, w->belt->npulley + k);
  if (w->s->belt.model == CAP_ACCESSORY_SEGMENTS) cap_builder_fastest(w->b, angular_frequency(p));
  snprintf(name, sizeof name, "pulley.%s.clutch", p->name);
  int element = cap_builder_element(w->b, &cap_clutch_type, name, p->rotation, c->shaft, par, &wound);
  cap_term angle = {CAP_TERM_Q, c->shaft, 1.0}, torque = {CAP_TERM_FORCE, element, 1.0};
  cap_term turned = {CAP_TERM_X, element, 1.0};
  cap_term speed[2] = {{CAP_TERM_V, c->shaft, 1.0}, {CAP_TERM_CONSTANT, 0, base}};
  cap_term ahead[2] = {{CAP_TERM_V, c->shaft, 1.0}, {CAP_TERM_V, p->rotation, -1.0}};
  channel(w, p, "shaft_angle", "rad",
          w->steady ? "angle relative to steady running of the shaft of" : "rotation angle of the shaft of",
          1, &angle);
  cap_builder_film_member(w->b);
  channel(w, p, "shaft_speed", "rad/s", "speed of the shaft of", 2, speed);
  channel(w, p, "clutch", "N m", "torque through the clutch of", 1, &torque);
  channel(w, p, "windup", "rad", "wind-up of the clutch of", 1, &turned);
  channel(w, p, "overrun", "rad/s", "overrun speed (shaft relative to rim) of", 2, ahead);
}

void cap_accessory_drive_shaft_add(cap_accessory_parts *w)
{
  for (int k = 0; k < w->belt->npulley; k++)
    if (w->belt->pulleys[k].clutch.stiffness > 0.0) add_shaft(w, k);
}
