#!/usr/bin/env bash
# Result files in other programs: h5dump, h5py and xarray open them as they are, with the block before HDF5, names of dimensions
# and units; texts are as they were written. A digest by other software is the stored one.
source "$(dirname "$0")/program_lib.sh"

expect 0 run "$source_dir/examples/two_pulley.yaml" -o two.h5 --quiet
expect 0 run "$source_dir/examples/den_hartog.yaml" -o map.h5 --quiet
tools=0

if command -v h5dump >/dev/null; then
  tools=$((tools + 1))
  h5dump -n 1 two.h5 >names || fail "h5dump does not read two.h5"
  grep -q 'dataset    /transient/time' names || fail "h5dump finds no /transient/time"
  h5dump -a /transient/time/units two.h5 | grep -q '(0): "s"' || fail "h5dump finds no unit"
fi

python=
for one in /usr/bin/python3 python3; do
  if command -v $one >/dev/null && $one -c 'import h5py' 2>/dev/null; then python=$one && break; fi
done
if [ -n "$python" ]; then
  tools=$((tools + 1))
  $python - <<'END' || fail "h5py or xarray read something else"
import h5py, struct
def is_scale(d): return h5py.h5ds.is_scale(d.id)
with h5py.File("two.h5") as f:
    assert f.userblock_size == 512
    assert f["meta"].attrs["format"] == 3 and f["meta"].attrs["complete"] == 1
    force = f["transient/time"]
    assert force.attrs["units"] == b"s", force.attrs["units"]
    rows = f["transient/film.time"]
    assert is_scale(rows) and is_scale(force)
    for name, d in f["transient"].items():
        if d.attrs.get("role") in (b"column", b"array") and not is_scale(d):
            for k in range(d.ndim):
                scale = d.dims[k][0]
                assert scale.shape == (d.shape[k],), name
                assert len(d.dims[k]) == 1
            assert "units" in d.attrs, name
    # the scale knows who uses it
    uses = force.attrs["REFERENCE_LIST"]
    assert {f[u[0]].name for u in uses} == {d.name for d in f["transient"].values() if d.attrs.get("role") == b"column"} - {force.name}
    assert b"energy" not in f["audit/transient"].attrs.keys()
    assert f["audit/transient/energy"].dims[0][0].name == "/audit/transient/name"

head = open("two.h5", "rb").read()
assert head[:8] == b"\x93CAPSTAN"
layout, kind, length, digest, ranges, table = struct.unpack_from("<IIQQQQ", head, 8)
assert (layout, kind, length, ranges, table) == (1, 0, len(head), 0, 0)
try:
    import xxhash
    assert xxhash.xxh64(head[:24] + bytes(8) + head[32:]).intdigest() == digest
    print("xxhash finds the same digest")
except ImportError:
    pass
try:
    import xarray, h5netcdf
except ImportError:
    print("xarray with h5netcdf is not installed: that part is left out")
else:
    for name in ("two.h5", "map.h5"):
        groups = [g for g in h5py.File(name) if g not in ("meta", "audit")] + ["audit/transient"] * (name == "two.h5")
        for group in groups:
            with xarray.open_dataset(name, group=group, engine="h5netcdf") as d:
                d.load()
                for v in d.data_vars.values():
                    assert v.dtype.kind in "SO" or v.attrs["units"], v.name
    with xarray.open_dataset("two.h5", group="transient", engine="h5netcdf") as d:
        assert d["time"].dims == ("time",) and d["time"].attrs["units"] == "s"
        column = [v for v in d.data_vars.values() if v.attrs.get("role") == "column"]
        assert column and all(v.dims == ("time",) for v in column)
        assert d.sel(time=0.1, method="nearest")["time"] > 0
    print("xarray opens every group")
END
fi
if command -v xxhsum >/dev/null; then
  tools=$((tools + 1))
  stored=$(od -A n -t x1 -j 24 -N 8 two.h5 | awk '{for (k = NF; k > 0; k--) printf "%s", $k}')
  found=$( (head -c 24 two.h5; head -c 8 /dev/zero; tail -c +33 two.h5) | xxhsum -H1 - | cut -d ' ' -f 1)
  [ "$stored" = "$found" ] || fail "xxhsum finds $found, the file has $stored"
fi
[ $tools -gt 0 ] || { echo "neither h5dump nor h5py nor xxhsum is installed"; exit 77; }
echo "$tools other programs read results"
