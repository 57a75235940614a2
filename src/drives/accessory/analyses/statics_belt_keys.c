/* drives/accessory/analyses/statics_belt_keys.c — the keys that belt drives add to the analysis `statics`. */
#include "analysis/statics/statics.h"
#include "drives/accessory/analyses/statics_belt.h"

#include <math.h>
#include <stdio.h>

/* Where a member stands in the spec of `statics`. */
#define AT(member) (offsetof(cap_statics_spec, more) + offsetof(cap_statics_belt_spec, member))
_Static_assert(sizeof(cap_statics_belt_spec) <= sizeof(cap_more), "room for the keys of belt drives");

static const char *const arms[] = {"free", "locked", "nominal", NULL};

const cap_field cap_statics_belt_keys_fields[] = {
    {.key = "speeds",
     .kind = CAP_FIELD_REALS,
     .offset = AT(speeds),
     .unit = "rad/s",
     .low = 0,
     .high = INFINITY,
     .least = 1,
     .most = 100000,
     .example = "[750 rpm, 2000 rpm, 6000 rpm]",
     .doc = "belt drives: crank speeds; default: crank speed at the start"},
    {.key = "arm",
     .kind = CAP_FIELD_CHOICE,
     .offset = AT(arm),
     .present = 1 + AT(arm_given),
     .choices = arms,
     .fallback = "free",
     .example = "free",
     .doc = "belt drives: free (in equilibrium with the belt), locked (at `angle` or `position`), or nominal "
            "(at its rest position, holding the tension there, with an inextensible belt)"},
    {.key = "angle",
     .kind = CAP_FIELD_REAL,
     .offset = AT(angle),
     .present = 1 + AT(angle_given),
     .unit = "rad",
     .low = -INFINITY,
     .high = INFINITY,
     .example = "253.1 deg",
     .doc = "belt drives: angle of a locked arm; default: start angle"},
    {.key = "position",
     .kind = CAP_FIELD_REAL,
     .offset = AT(position),
     .present = 1 + AT(position_given),
     .unit = "m",
     .low = -INFINITY,
     .high = INFINITY,
     .example = "12 mm",
     .doc = "belt drives: position of a locked linear tensioner; default: start position"},
    {.key = "length_tolerance",
     .kind = CAP_FIELD_REAL,
     .offset = AT(length_tolerance),
     .present = 1 + AT(tolerance_given),
     .unit = "m",
     .low = 0,
     .high = INFINITY,
     .fallback = "0 m",
     .example = "5 mm",
     .doc = "belt drives: length tolerance of the belt, for the tensioner positions with the longest and the "
            "shortest belt"},
    {.key = "replacement_elongation",
     .kind = CAP_FIELD_REAL,
     .offset = AT(replace),
     .present = 1 + AT(replace_given),
     .unit = "m",
     .low = 0,
     .high = INFINITY,
     .fallback = "0 m",
     .example = "12 mm",
     .was = "replace",
     .doc = "belt drives: elongation of a worn belt at replacement, for the tensioner position then"},
    {0}};

static void refuse(bool given, const char *path, const char *key, const char *text, cap_diag *diag)
{
  char place[512];
  snprintf(place, sizeof place, "%s.%s", path, key);
  if (given) cap_diag_at(diag, place, "%s", text);
}

static void check(const cap_model *m, const void *keys, const char *path, cap_diag *diag)
{
  const cap_belt *belt = cap_belt_of(m);
  const cap_statics_belt_spec *s = keys;
  bool arm = belt && cap_belt_has_arm(belt), slides = arm && cap_belt_slides(&belt->arm);
  const char *text = belt ? "requires a tensioner; add the section tensioner"
                          : "only for belt drives; expected drive: accessory-drive";
  if (!belt) refuse(s->speeds.n > 0, path, "speeds", text, diag);
  refuse(!arm && s->arm_given, path, "arm", text, diag);
  refuse(!arm && s->angle_given, path, "angle", text, diag);
  refuse(!arm && s->position_given, path, "position", text, diag);
  refuse(slides && s->angle_given, path, "angle", "a linear tensioner has no angle; expected position", diag);
  refuse(arm && !slides && s->position_given, path, "position",
         "a rotary tensioner has no position; expected angle", diag);
  refuse(!arm && s->tolerance_given, path, "length_tolerance", text, diag);
  refuse(!arm && s->replace_given, path, "replacement_elongation", text, diag);
  bool locked = s->arm == CAP_BELT_STATICS_LOCKED;
  refuse(arm && !slides && s->angle_given && !locked, path, "angle", "requires arm: locked", diag);
  refuse(slides && s->position_given && !locked, path, "position", "requires arm: locked", diag);
}

static bool treats(const cap_model *m)
{
  return cap_belt_of(m) != NULL;
}

static cap_status run(cap_run *run, const void *keys)
{
  return cap_statics_belt_run(run, keys);
}

const cap_extension cap_statics_belt_keys_extension = {.analysis = "statics",
                                                       .keys = offsetof(cap_statics_spec, more),
                                                       .treats = treats,
                                                       .check = check,
                                                       .run = run};
