/* drives/accessory/accessory_drive_power.c — power in, out and lost by mechanism, as channels of both models
 * of the belt.
 *
 * The mechanisms are those of the energy audit, gathered by their names: at every time
 *   power.in + power.momentum = power.out + all of power.lost + growth of the stored energy.
 */
#include "drives/accessory/accessory_drive.h"

#define COUNT(list) (int)(sizeof list / sizeof *list)

static const char *const in[] = {"*.motion", "crank.torque.work"};
static const char *const momentum[] = {"span.*.centrifugal"};
static const char *const out[] = {"pulley.*.load.*", "pulley.*.over_time.*"};
static const char *const creep[] = {"*.creep", "*.slip"};
static const char *const belt[] = {"span.*.damping", "segment.*", "belt.*"};
static const char *const contact[] = {"*.normal damping", "*.tangential damping"};
static const char *const clutch[] = {"pulley.*.clutch.*"};
static const char *const hub[] = {"pulley.*.hub.*"};
static const char *const tensioner[] = {"arm.*", "slide.*", "tensioner.*"};

void cap_accessory_drive_power(cap_builder *b)
{
  cap_builder_power(b, "power.in", "power input at the crank", COUNT(in), in);
  cap_builder_power(b, "power.momentum", "power of the belt's momentum flux", COUNT(momentum), momentum);
  cap_builder_power(b, "power.out", "power consumed by the accessories", COUNT(out), out);
  cap_builder_power(b, "power.lost.creep", "power loss due to creep and slip of the belt on the pulleys",
                    COUNT(creep), creep);
  cap_builder_power(b, "power.lost.contact", "power loss in the damping of the contact with the pulleys",
                    COUNT(contact), contact);
  cap_builder_power(b, "power.lost.belt", "power loss in the damping of the belt", COUNT(belt), belt);
  cap_builder_power(b, "power.lost.tensioner", "power loss in friction and damping of the tensioner",
                    COUNT(tensioner), tensioner);
  cap_builder_power(b, "power.lost.clutch", "power loss in clutches and decouplers", COUNT(clutch), clutch);
  cap_builder_power(b, "power.lost.hub", "power loss in compliant hubs", COUNT(hub), hub);
  cap_builder_power(b, "power.lost.other", "other power loss", 0, NULL);
}
