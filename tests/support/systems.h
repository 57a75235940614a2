/* Small systems among which every stepper finds one that it takes: the laws of friction, clearance, rolling,
 * contacts with impacts, a ring, a belt in a sheave. Include after system.h. */
#pragma once

static const char test_systems_masing[] = TEST_BELT TEST_MASING TEST_ANY;
static const char test_systems_dahl[] = TEST_BELT TEST_DAHL TEST_ANY;
static const char test_systems_rig[] = TEST_RIG TEST_DAHL TEST_ANY;
static const char test_systems_coulomb[] = TEST_BELT
    "tensioner: {law: coulomb, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, alpha: 163 N}\n" TEST_ANY;
static const char test_systems_smooth[] =
    "capstan: 1\nname: t\ndrive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 g, position: 0.2245 m}]\nsprings: [{from: gear, damping: 0.05 N s/m}]\n"
    "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m, smoothing: g1, sigma: "
    "50}}]\n"
    "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.3 N}]}]\nforcing: {angular_frequency: 20 "
    "rad/s}\n" TEST_ANY;
#define TEST_SYSTEM_DISC(contact)                                                                            \
  "capstan: 1\nname: t\ndrive: rolling-body\n" contact                                                       \
  "bodies: [{disc: {mass: 0.5 kg, radius: 0.1 m, inclination: 70 deg, y: -0.5 m, circle: 0.5 m}}]\n"         \
  "analyses: [{transient: {until: 1 s}}]\n"
static const char test_systems_rolling[] = TEST_SYSTEM_DISC(""),
                  test_systems_sticking[] = TEST_SYSTEM_DISC("contact: {epsilon: 0.01}\n");
/* its mass matrix varies */
static const char test_systems_ring[] =
    "capstan: 1\nname: t\ndrive: ring\nring: {model: ale0, length: 667.0139 mm, section: {layers: 9, packs: "
    "2, "
    "thickness: 0.185 mm, width: 9.75 mm, modulus: 1.8e11 N/m2, density: 8000 kg/m3}}\n"
    "centre_distance: 155 mm\nstart: {theta: 0.4}\nanalyses: [{transient: {until: 1 s}}]\n";
/* its contact problem starts from the last answer */
static const char test_systems_sheave[] =
    "capstan: 1\nname: t\ndrive: sheave\npulley: {speed: 2000 rpm}\n"
    "belt: {elements: 16, wrap: 208.8 deg, flank_stiffness: 5.46e7 N/m, radius: {shape: table, points: [[0 "
    "deg, "
    "73 mm], [125 deg, 72.727 mm], [208.8 deg, 73 mm]]}}\ncompliance: {kind: tilt+plate}\n"
    "clamping: {force: 8 kN, amplitude: 7 kN, angular_frequency: 900 rad/s}\nanalyses: [{transient: {until: "
    "1 s}}]\n";

/* Impacts, sliding and sticking all the while. */
static const char test_systems_touching[] =
    "capstan: 1\nname: t\ndrive: bodies\nbodies:\n"
    "  - disc: {name: ball, mass: 1 kg, radius: 50 mm, y: 0.06 m, vx: 1 m/s}\n"
    "  - block: {name: box, mass: 2 kg, width: 0.3 m, height: 0.2 m, x: 0.3 m, y: 0.1 m}\n"
    "lines: [{line: {name: floor}}]\n"
    "contact: {law: set-valued, restitution: 0.5, friction: 0.3}\n"
    "analyses: [{transient: {until: 1 s}}]\n";

/* A system and a time in which something happens in it. */
typedef struct test_systems_entry {
  const char *name, *text;
  double between; /* s */
} test_systems_entry;

static const test_systems_entry test_systems_list[] = {
    {"masing", test_systems_masing, 0.0171},     {"dahl", test_systems_dahl, 0.0171},
    {"rig", test_systems_rig, 0.0171},           {"coulomb", test_systems_coulomb, 0.0171},
    {"smooth", test_systems_smooth, 0.0171},     {"rolling", test_systems_rolling, 0.0171},
    {"sticking", test_systems_sticking, 0.0171}, {"touching", test_systems_touching, 0.0171},
    {"ring", test_systems_ring, 1.71e-3},        {"sheave", test_systems_sheave, 0.31e-3}};
enum { TEST_SYSTEMS = sizeof test_systems_list / sizeof *test_systems_list };
