"""The installed Python package: a run in memory, and its version."""

import sys

import capstan

model = capstan.Model(sys.argv[1])
results = model.run()
assert capstan.__file__.startswith("/usr/lib/python3/dist-packages/"), capstan.__file__
print("capstan", capstan.__version__, results)
