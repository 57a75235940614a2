"""The extension module alone, without numpy, by whatever interpreter reads this: other_version.py PACKAGE MODEL."""

import array
import importlib
import sys
import types

package = types.ModuleType("capstan")  # in place of the package, which wants numpy
package.__path__ = [sys.argv[1]]
sys.modules["capstan"] = package
core = importlib.import_module("capstan._capstan")
errors = importlib.import_module("capstan.errors")

model = core.Model(sys.argv[2], ["analyses=[{transient: {until: 0.02 s}}]"])
results = model.run(None, 1, False, 0.0, [], array.array("i"), None, None, None, None)
index = [group[0] for group in results.groups()].index("transient")
time = memoryview(results.values(index, 0))
assert time.format == "d" and time.readonly and time[0] == 0.0 and time[len(time) - 1] == 0.02

session = model.start()
assert session.step(0.01) == (0, 0.01)
saved = session.save()
session.step(0.02)
states = memoryview(session.states()).tolist()
session.restore(saved)
session.step(0.02)
assert memoryview(session.states()).tolist() == states
try:
    model.set(["tensioner.damping=3 kg"])
except errors.InputError as error:
    assert error.path == "tensioner.damping"
else:
    raise AssertionError("not refused")
print("python %d.%d.%d: runs, views, sessions, refusals" % sys.version_info[:3])
