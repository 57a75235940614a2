/* drives/accessory/accessory_drive_check.c — what no single key of an accessory drive shows: what is
 * missing, given twice, or impossible together. */
#include "base/nearest.h"
#include "drives/accessory/accessory_drive.h"

#include <stdio.h>
#include <string.h>

typedef cap_accessory_spec spec;
typedef cap_accessory_pulley pulley;

static void check_belt(const spec *s, cap_diag *diag)
{
  bool pk = s->belt.kind == CAP_ACCESSORY_PK;
  const char *kind = s->belt.kind == CAP_ACCESSORY_V ? "V" : "flat";
  if (pk && !s->belt.ribs_given && !(s->belt.EA_given && s->belt.mass_given && s->belt.EI_given))
    cap_diag_at(
        diag, "belt",
        "incomplete; expected ribs for a PK belt such as \"ribs: 6\", or stiffness, bending and mass");
  if (!pk && s->belt.ribs_given)
    cap_diag_at(diag, "belt.ribs", "expected no ribs for a %s belt; remove ribs or set kind: PK", kind);
  if (!pk && !s->belt.EA_given)
    cap_diag_at(diag, "belt", "incomplete; expected stiffness for a %s belt such as \"stiffness: 120 kN\"",
                kind);
  if (!pk && !s->belt.mass_given)
    cap_diag_at(diag, "belt", "incomplete; expected mass for a %s belt such as \"mass: 0.111 kg/m\"", kind);
  if (s->belt.gravity.n && s->belt.model == CAP_ACCESSORY_SPRINGS)
    cap_diag_at(diag, "belt.gravity", "requires a belt with weight; expected model: segments, got springs");
  cap_accessory_drive_wedge_check(s, diag);
}

/* A speed of a table over speeds, in the unit of its first one. */
static const char *speed_text(cap_diag *diag, const char *key, double speed)
{
  char first[220];
  snprintf(first, sizeof first, "%s[0][0]", key);
  return cap_diag_quantity(diag, first, speed, "rad/s");
}

static void check_load(const cap_accessory_load *l, const char *path, cap_diag *diag)
{
  char key[200];
  int given = l->torque_given + l->power_given + (l->torques.n > 0) + (l->powers.n > 0);
  if (given > 1)
    cap_diag_at(diag, path, "expected only one of torque, power, torque_vs_speed and power_vs_speed, got %d",
                given);
  snprintf(key, sizeof key, "%s.torque_vs_speed", path);
  if (l->torques.n && l->torques.x[0] < 0.0)
    cap_diag_at(diag, key, "expected speeds of at least 0, got %s", speed_text(diag, key, l->torques.x[0]));
  snprintf(key, sizeof key, "%s.power_vs_speed", path);
  if (l->powers.n && !(l->powers.x[0] > 0.0))
    cap_diag_at(diag, key, "expected speeds above 0 (a power at rest has no torque), got %s",
                speed_text(diag, key, l->powers.x[0]));
}

static void check_pulley(const spec *s, int k, cap_diag *diag)
{
  const pulley *p = (const pulley *)s->pulleys.items + k;
  char key[160];
  snprintf(key, sizeof key, "pulleys[%d].name", k);
  if (cap_accessory_drive_belt_find(s, p->name) != k)
    cap_diag_at(diag, key, "duplicate name; expected unique names of pulleys, got \"%s\" twice", p->name);
  snprintf(key, sizeof key, "pulleys[%d].on", k);
  const char *part = cap_accessory_drive_tensioner_part(s);
  if (p->on && strcmp(p->on, part) != 0) cap_diag_at(diag, key, "expected \"%s\", got \"%s\"", part, p->on);
  else if (p->on && !s->tensioner_given)
    cap_diag_at(diag, key, "requires a tensioner; add the section tensioner or specify the centre with at");
  if (p->on && p->at.n)
    cap_diag_at(diag, key,
                "conflicts with at; specify only one of the two (a pulley on the %s has no fixed centre)",
                part);
  snprintf(key, sizeof key, "pulleys[%d]", k);
  if (!p->on && !p->at.n)
    cap_diag_at(diag, key,
                "position not specified; expected the centre such as \"at: [235 mm, 300 mm]\", or on: %s",
                part);
  snprintf(key, sizeof key, "pulleys[%d].load", k);
  check_load(&p->load, key, diag);
  cap_accessory_drive_shaft_check(s, k, diag);
  cap_accessory_drive_hub_check(s, k, diag);
}

static void refuse_name(const spec *s, cap_diag *diag)
{
  const pulley *pulleys = s->pulleys.items;
  cap_nearest nearest;
  cap_nearest_start(&nearest, s->crank.pulley);
  for (int k = 0; k < s->pulleys.n; k++) cap_nearest_offer(&nearest, pulleys[k].name);
  cap_diag_at(diag, "crank.pulley", "unknown pulley; expected the name of a pulley, got \"%s\"%s%s%s",
              s->crank.pulley, nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
              nearest.best ? "\"?" : "");
}

static void check_crank(const spec *s, cap_diag *diag)
{
  int at = cap_accessory_drive_belt_find(s, s->crank.pulley);
  if (at < 0) refuse_name(s, diag);
  if ((s->crank.speed > 0.0) == (s->crank.speeds.n > 0))
    cap_diag_at(diag, "crank", "expected one of speed and speed_over_time, got %s",
                s->crank.speed > 0.0 ? "both" : "neither");
  for (int k = 0; k < s->crank.speeds.n; k++)
    if (!(s->crank.speeds.y[k] >= 0.0)) {
      cap_diag_at(diag, "crank.speed_over_time", "expected speeds of at least 0, got %s",
                  cap_diag_quantity(diag, "crank.speed_over_time[0][1]", s->crank.speeds.y[k], "rad/s"));
      break;
    }
  if (!s->crank.held && s->crank.orders.n)
    cap_diag_at(diag, "crank.orders",
                "conflicts with prescribed: false; expected prescribed: true, or no orders, for a crank that "
                "rotates freely");
  if (!s->crank.held && s->crank.speeds.n)
    cap_diag_at(
        diag, "crank.speed_over_time",
        "conflicts with prescribed: false; expected a constant speed, that at the start, for a crank that "
        "rotates freely");
  if (s->crank.held && s->crank.torque_given)
    cap_diag_at(diag, "crank.torque",
                "conflicts with a prescribed motion; expected prescribed: false, for a crank that the torque "
                "drives");
  if (!s->crank.held && s->crank.speed_input.name)
    cap_diag_at(
        diag, "crank.speed",
        "an input conflicts with prescribed: false; expected a constant speed, that at the start, and "
        "the input as crank.torque");
  if (at < 0) return;
  const pulley *p = (const pulley *)s->pulleys.items + at;
  const cap_accessory_load *l = &p->load;
  if (l->torque_given || l->power_given || l->torques.n || l->powers.n || l->over_time.n) {
    char key[64];
    snprintf(key, sizeof key, "pulleys[%d].load", at);
    cap_diag_at(diag, key,
                "expected no load on the driving pulley \"%s\"; apply it to another pulley, or drive another "
                "one with crank.pulley",
                p->name);
  }
  if (p->on)
    cap_diag_at(diag, "crank.pulley", "expected a pulley with a fixed centre, got one on the %s", p->on);
}

void cap_accessory_drive_check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  check_belt(s, diag);
  for (int k = 0; k < s->pulleys.n; k++) check_pulley(s, k, diag);
  if (s->tensioner_given) cap_accessory_drive_tensioner_check(s, diag);
  check_crank(s, diag);
}

/* Its statics at the start, which takes most of the time of a build. */
void cap_accessory_drive_check_describe(const void *self, cap_description *description, cap_diag *diag)
{
  const spec *s = self;
  cap_accessory_described *found = CAP_ARENA_NEW(&description->arena, cap_accessory_described, 1);
  cap_error error = {.text = "out of memory"};
  const char *key = "";
  int before = diag->nerror;
  if (!found ||
      cap_accessory_drive_belt(s, &description->arena, &found->belt, &found->start, &key, &error) != CAP_OK)
    cap_diag_at(diag, key, "%s", error.text);
  else if (s->belt.model == CAP_ACCESSORY_SEGMENTS)
    cap_accessory_drive_segments_check(s, &found->belt, &found->start, diag);
  if (diag->nerror == before) description->self = found;
}
