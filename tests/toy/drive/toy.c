/* A drive as one adds one: a mass on a spring. Its page is web/test/toy_drive.ts. */
#include "drives/drive.h"
#include "drives/registry.h"
#include "elements/elements.h"
#include "model/builder.h"

#include <math.h>
#include <stddef.h>

typedef struct spec {
  double mass, stiffness, position;
} spec;

#define REAL(member, unit_, doc_, ...)                                                                       \
  {                                                                                                          \
    .key = #member, .kind = CAP_FIELD_REAL, .offset = offsetof(spec, member), .unit = unit_, .doc = doc_,    \
    __VA_ARGS__                                                                                              \
  }
#define POSITIVE .low = 0, .low_open = true, .high = INFINITY, .required = true

static const cap_field fields[] = {
    REAL(mass, "kg", "mass", POSITIVE, .example = "2 kg"),
    REAL(stiffness, "N/m", "stiffness of the spring", POSITIVE, .example = "50 N/m"),
    REAL(position, "m", "position at the start", .fallback = "0.1 m", .example = "0.1 m"),
    {0}};

static cap_status build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  double par[CAP_LINK_NPARAM] = {[CAP_LINK_K] = s->stiffness};
  int mass = cap_builder_dof(b, "mass", "m", s->mass, s->position, 0.0);
  int spring = cap_builder_element(b, &cap_link_type, "spring", mass, CAP_GROUND, par, NULL);
  cap_term position = {CAP_TERM_Q, mass, 1.0}, velocity = {CAP_TERM_V, mass, 1.0},
           force = {CAP_TERM_FORCE, spring, 1.0};
  (void)error;
  cap_builder_channel(b, "mass.position", "m", "position of the mass", 1, &position);
  cap_builder_film(b);
  cap_builder_channel(b, "mass.velocity", "m/s", "velocity of the mass", 1, &velocity);
  cap_builder_channel(b, "spring.force", "N", "force of the spring", 1, &force);
  return CAP_OK;
}

const cap_drive cap_toy_drive = {
    .name = "toy",
    .doc = "a mass on a spring",
    .fields = fields,
    .spec_size = sizeof(spec),
    .build = build,
};
