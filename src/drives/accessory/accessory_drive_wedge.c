/* drives/accessory/accessory_drive_wedge.c — belts that wedge in the grooves of their pulleys.
 *
 * Maths: docs/theory.md §31.2. A belt pressed on a pulley by p per length is carried by two flanks with the
 * angle a between them, so that friction along it is mu p/sin(a/2).
 */
#include "drives/accessory/accessory_drive.h"

#include <math.h>
#include <stdio.h>

typedef cap_accessory_spec spec;
typedef cap_accessory_pulley pulley;

static bool on_back(const pulley *p)
{
  return p->side == 1;
}

/* rad; 0: none is known. */
static double angle_of(const spec *s, const pulley *p)
{
  if (p->groove_angle_given) return p->groove_angle;
  return s->belt.groove_angle_given ? s->belt.groove_angle : 0.0;
}

double cap_accessory_drive_wedge_friction(const spec *s, const pulley *p)
{
  bool smooth = s->belt.kind == CAP_ACCESSORY_FLAT && !s->belt.friction.groove_given;
  double angle = angle_of(s, p);
  if (p->friction_given) return p->friction;
  if (on_back(p) || smooth) return s->belt.friction.back;
  return angle > 0.0 ? s->belt.friction.groove / sin(0.5 * angle) : s->belt.friction.groove;
}

static void check_pulley(const spec *s, int k, cap_diag *diag)
{
  const pulley *p = (const pulley *)s->pulleys.items + k;
  char key[64];
  snprintf(key, sizeof key, "pulleys[%d].groove_angle", k);
  if (p->groove_angle_given && on_back(p))
    cap_diag_at(diag, key, "expected side: groove for a pulley with groove_angle, got side: back on \"%s\"",
                p->name);
  else if (p->groove_angle_given && s->belt.kind == CAP_ACCESSORY_FLAT)
    cap_diag_at(diag, key, "expected no groove_angle for a flat belt; remove it or set kind: V");
  snprintf(key, sizeof key, "pulleys[%d]", k);
  if (s->belt.kind != CAP_ACCESSORY_V) return;
  if (!on_back(p) && !p->friction_given && angle_of(s, p) == 0.0)
    cap_diag_at(diag, key,
                "friction of a V belt on \"%s\" not specified; expected groove_angle of the pulley or of the "
                "belt, or friction of the pulley",
                p->name);
  if (on_back(p) && !s->belt.hr_given)
    cap_diag_at(
        diag, key,
        "the back of a V belt runs on \"%s\"; expected belt.hr, the distance from the back to the pitch line",
        p->name);
}

void cap_accessory_drive_wedge_check(const spec *s, cap_diag *diag)
{
  const pulley *pulleys = s->pulleys.items;
  bool wedges = s->belt.groove_angle_given, needs = false;
  if (s->belt.kind == CAP_ACCESSORY_FLAT && s->belt.groove_angle_given)
    cap_diag_at(diag, "belt.groove_angle",
                "expected no groove_angle for a flat belt; remove it or set kind: V");
  if (s->belt.kind == CAP_ACCESSORY_V && !s->belt.hb_given)
    cap_diag_at(
        diag, "belt",
        "incomplete; expected hb for a V belt, the distance from the effective radius to the pitch line");
  for (int k = 0; k < s->pulleys.n; k++) {
    check_pulley(s, k, diag);
    wedges = wedges || pulleys[k].groove_angle_given;
    needs = needs || (!on_back(&pulleys[k]) && !pulleys[k].friction_given);
  }
  if (wedges && needs && !s->belt.friction.groove_given && s->belt.kind != CAP_ACCESSORY_FLAT)
    cap_diag_at(
        diag, "belt",
        "incomplete; expected friction.groove with groove_angle, the coefficient of friction of the flanks");
}
