/* tests/toy/toy_registry.h — a small drive and two analyses with a field of every kind, to test the reader
 * with. */
#pragma once
#include "io/model_parse.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct toy_pulley {
  const char *name;
  double radius, inertia;
  int side;
} toy_pulley;

typedef struct toy_law {
  int kind;
  double k, limit, lambda;
} toy_law;

typedef struct toy_spec {
  struct {
    double stiffness, length, mass, bending;
    int ribs;
    bool wet;
  } belt;
  cap_list pulleys;
  toy_law law;
  bool has_law;
  struct {
    double angular_frequency, amplitude, friction, gravity;
    cap_series ramp;
    bool has_ramp;
  } load;
  cap_reals speeds;
} toy_spec;

static const char *const toy_sides[] = {"groove", "back", NULL};

static const cap_field toy_belt[] = {{.key = "stiffness",
                                      .kind = CAP_FIELD_REAL,
                                      .offset = offsetof(toy_spec, belt.stiffness),
                                      .unit = "N/m",
                                      .required = true,
                                      .low = 0,
                                      .low_open = true,
                                      .high = INFINITY,
                                      .example = "560 kN/m",
                                      .doc = "axial stiffness"},
                                     {.key = "length",
                                      .kind = CAP_FIELD_REAL,
                                      .offset = offsetof(toy_spec, belt.length),
                                      .unit = "m",
                                      .required = true,
                                      .low = 0.1,
                                      .high = 10,
                                      .example = "1940 mm",
                                      .doc = "length"},
                                     {.key = "mass",
                                      .kind = CAP_FIELD_REAL,
                                      .offset = offsetof(toy_spec, belt.mass),
                                      .unit = "kg/m",
                                      .fallback = "0.111 kg/m",
                                      .low = 0,
                                      .high = INFINITY,
                                      .example = "0.111 kg/m",
                                      .doc = "mass per length"},
                                     {.key = "bending",
                                      .kind = CAP_FIELD_REAL,
                                      .offset = offsetof(toy_spec, belt.bending),
                                      .unit = "N m2",
                                      .doc = "bending stiffness"},
                                     {.key = "ribs",
                                      .kind = CAP_FIELD_INT,
                                      .offset = offsetof(toy_spec, belt.ribs),
                                      .fallback = "6",
                                      .low = 1,
                                      .high = 20,
                                      .example = "6",
                                      .doc = "number of ribs"},
                                     {.key = "wet",
                                      .kind = CAP_FIELD_BOOL,
                                      .offset = offsetof(toy_spec, belt.wet),
                                      .fallback = "false",
                                      .doc = "wet belt"},
                                     {0}};

static const cap_field toy_pulley_fields[] = {{.key = "name",
                                               .kind = CAP_FIELD_TEXT,
                                               .offset = offsetof(toy_pulley, name),
                                               .required = true,
                                               .example = "crank",
                                               .doc = "name"},
                                              {.key = "radius",
                                               .kind = CAP_FIELD_REAL,
                                               .offset = offsetof(toy_pulley, radius),
                                               .unit = "m",
                                               .required = true,
                                               .low = 0,
                                               .low_open = true,
                                               .high = INFINITY,
                                               .example = "45 mm",
                                               .doc = "radius"},
                                              {.key = "inertia",
                                               .kind = CAP_FIELD_REAL,
                                               .offset = offsetof(toy_pulley, inertia),
                                               .unit = "kg m2",
                                               .fallback = "2e-4 kg m2",
                                               .example = "0.2 kg m2",
                                               .doc = "moment of inertia"},
                                              {.key = "side",
                                               .kind = CAP_FIELD_CHOICE,
                                               .offset = offsetof(toy_pulley, side),
                                               .fallback = "groove",
                                               .choices = toy_sides,
                                               .doc = "side of the belt"},
                                              {0}};

static const cap_field toy_linear[] = {{.key = "k",
                                        .kind = CAP_FIELD_REAL,
                                        .offset = offsetof(toy_law, k),
                                        .unit = "N m/rad",
                                        .required = true,
                                        .example = "0.35 N m/deg",
                                        .doc = "rate"},
                                       {0}};
static const cap_field toy_dahl[] = {{.key = "k",
                                      .kind = CAP_FIELD_REAL,
                                      .offset = offsetof(toy_law, k),
                                      .unit = "N m/rad",
                                      .required = true,
                                      .example = "0.35 N m/deg",
                                      .doc = "rate"},
                                     {.key = "lambda",
                                      .kind = CAP_FIELD_REAL,
                                      .offset = offsetof(toy_law, lambda),
                                      .unit = "1/(rad)",
                                      .fallback = "1 1/rad",
                                      .doc = "sharpness"},
                                     {0}};
static const cap_variant toy_laws[] = {
    {"linear", "a spring", toy_linear}, {"dahl", "Dahl's law", toy_dahl}, {"none", "nothing", NULL}, {0}};

static const cap_field toy_load[] = {
    {.key = "angular_frequency",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(toy_spec, load.angular_frequency) - offsetof(toy_spec, load),
     .unit = "rad/s",
     .required = true,
     .low = 0,
     .high = INFINITY,
     .example = "60 rad/s",
     .doc = "angular_frequency"},
    {.key = "amplitude",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(toy_spec, load.amplitude) - offsetof(toy_spec, load),
     .unit = "N",
     .fallback = "13 N",
     .example = "13 N",
     .doc = "amplitude"},
    {.key = "friction",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(toy_spec, load.friction) - offsetof(toy_spec, load),
     .unit = "",
     .fallback = "0.3",
     .low = 0,
     .high = 1,
     .high_open = true,
     .example = "0.3",
     .doc = "friction"},
    {.key = "gravity",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(toy_spec, load.gravity) - offsetof(toy_spec, load),
     .unit = "m/s2",
     .fallback = "9.81 m/s2",
     .doc = "gravity"},
    {.key = "ramp",
     .kind = CAP_FIELD_SERIES,
     .offset = offsetof(toy_spec, load.ramp) - offsetof(toy_spec, load),
     .unit = "rad/s",
     .unit_x = "s",
     .increasing = true,
     .least = 2,
     .present = 1 + offsetof(toy_spec, load.has_ramp) - offsetof(toy_spec, load),
     .doc = "speed over time"},
    {0}};

static const cap_field toy_fields[] = {{.key = "belt",
                                        .kind = CAP_FIELD_SECTION,
                                        .offset = 0,
                                        .fields = toy_belt,
                                        .required = true,
                                        .doc = "the belt"},
                                       {.key = "pulleys",
                                        .kind = CAP_FIELD_LIST,
                                        .offset = offsetof(toy_spec, pulleys),
                                        .fields = toy_pulley_fields,
                                        .item_size = sizeof(toy_pulley),
                                        .least = 2,
                                        .most = 8,
                                        .required = true,
                                        .doc = "pulleys"},
                                       {.key = "law",
                                        .kind = CAP_FIELD_VARIANT,
                                        .offset = offsetof(toy_spec, law),
                                        .variants = toy_laws,
                                        .tag_key = "kind",
                                        .present = 1 + offsetof(toy_spec, has_law),
                                        .doc = "the tensioner's law"},
                                       {.key = "load",
                                        .kind = CAP_FIELD_SECTION,
                                        .offset = offsetof(toy_spec, load),
                                        .fields = toy_load,
                                        .doc = "the load"},
                                       {.key = "speeds",
                                        .kind = CAP_FIELD_REALS,
                                        .offset = offsetof(toy_spec, speeds),
                                        .unit = "rad/s",
                                        .most = 50,
                                        .increasing = true,
                                        .fallback = "[750 rpm, 2000 rpm]",
                                        .doc = "speeds"},
                                       {0}};

static void toy_check(const void *spec, cap_diag *diag)
{
  const toy_spec *toy = (const toy_spec *)spec;
  const toy_pulley *pulleys = (const toy_pulley *)toy->pulleys.items;
  double around = 0.0;
  for (int i = 0; i < toy->pulleys.n; i++) {
    around += pulleys[i].radius;
    for (int j = 0; j < i; j++)
      if (strcmp(pulleys[i].name, pulleys[j].name) == 0)
        cap_diag_at(diag, "pulleys[1].name", "the name \"%s\" stands twice", pulleys[i].name);
  }
  if (around > toy->belt.length)
    cap_diag_at(diag, "belt.length", "shorter than the radii of all pulleys together");
}

typedef struct toy_transient {
  int kind;
  double until, step;
  int method;
} toy_transient;

typedef struct toy_response {
  int kind;
  cap_sweep sweep, over;
} toy_response;

static const char *const toy_methods[] = {"auto", "midpoint", "euler", NULL};
static const cap_field toy_transient_fields[] = {{.key = "until",
                                                  .kind = CAP_FIELD_REAL,
                                                  .offset = offsetof(toy_transient, until),
                                                  .unit = "s",
                                                  .required = true,
                                                  .low = 0,
                                                  .low_open = true,
                                                  .high = INFINITY,
                                                  .example = "0.55 s",
                                                  .doc = "end"},
                                                 {.key = "step",
                                                  .kind = CAP_FIELD_REAL,
                                                  .offset = offsetof(toy_transient, step),
                                                  .unit = "s",
                                                  .fallback = "0.1 ms",
                                                  .doc = "step"},
                                                 {.key = "method",
                                                  .kind = CAP_FIELD_CHOICE,
                                                  .offset = offsetof(toy_transient, method),
                                                  .choices = toy_methods,
                                                  .fallback = "auto",
                                                  .doc = "method"},
                                                 {0}};
static const cap_field toy_response_fields[] = {
    {.key = "sweep",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(toy_response, sweep),
     .required = true,
     .increasing = true,
     .example = "{parameter: load.angular_frequency, from: 10 rad/s, to: 125 rad/s, count: 116}",
     .doc = "what varies"},
    {.key = "over",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(toy_response, over),
     .most = 16,
     .doc = "outer sweep"},
    {0}};
static const cap_variant toy_analyses[] = {{"transient", "in time", toy_transient_fields},
                                           {"response", "orbits", toy_response_fields},
                                           {"statics", "rest", NULL},
                                           {0}};

static const cap_field toy_outputs[] = {{.key = "every",
                                         .kind = CAP_FIELD_REAL,
                                         .offset = offsetof(cap_outputs, every),
                                         .unit = "s",
                                         .low = 0,
                                         .high = INFINITY,
                                         .fallback = "1 ms",
                                         .example = "0.1 ms",
                                         .doc = "between rows"},
                                        {.key = "channels",
                                         .kind = CAP_FIELD_TEXTS,
                                         .offset = offsetof(cap_outputs, channels),
                                         .most = 5,
                                         .doc = "channels"},
                                        {0}};

static const cap_drive toy_drive = {
    .name = "toy", .doc = "a toy", .fields = toy_fields, .spec_size = sizeof(toy_spec), .check = toy_check};
static const cap_drive toy_other = {.name = "empty-drive", .doc = "nothing to say", .spec_size = 8};
static const cap_drive *const toy_drives[] = {&toy_drive, &toy_other, NULL};

static const cap_model_parse_registry toy_registry = {.drives = toy_drives,
                                                      .analyses = toy_analyses,
                                                      .largest_spec = sizeof(toy_response),
                                                      .outputs = toy_outputs};
