#!/usr/bin/env bash
# `export --vtk`: what moves, as polylines over time: every file parses, is consistent, and has the belt or ring with its tension, slip,
# elements and pulleys.
source "$(dirname "$0")/program_lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

cat >parse.py <<'END'
import base64, math, os, struct, sys
import xml.etree.ElementTree as tree

def values(array):
    if array.get('format') == 'ascii':
        return [int(v) for v in (array.text or '').split()]
    data = base64.b64decode(array.text.strip(), validate=True)
    assert struct.unpack_from('<Q', data)[0] == len(data) - 8
    return list(struct.unpack_from('<%dd' % ((len(data) - 8) // 8), data, 8))

def frame(path):
    root = tree.parse(path).getroot()
    assert root.get('type') == 'PolyData'
    piece = root.find('PolyData/Piece')
    nline, npoint = int(piece.get('NumberOfLines')), int(piece.get('NumberOfPoints'))
    points = values(piece.find('Points/DataArray'))
    lines = {a.get('Name'): values(a) for a in piece.find('Lines')}
    data = {a.get('Name'): values(a) for a in piece.find('CellData')}
    assert len(points) == 3 * npoint and all(math.isfinite(p) for p in points)
    assert len(lines['offsets']) == nline and lines['offsets'][-1] == npoint == len(lines['connectivity'])
    assert all(len(v) == nline for v in data.values())
    cells, first = [], 0
    for end in lines['offsets']:
        cells.append([points[3 * k:3 * k + 2] for k in lines['connectivity'][first:end]])
        first = end
    return cells, data

folder, name, chain, discs, outlines, quantities = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]), sys.argv[6:]
sets = tree.parse(os.path.join(folder, name + '.pvd')).getroot().findall('Collection/DataSet')
times = [float(s.get('timestep')) for s in sets]
assert len(times) > 1 and times == sorted(set(times)), times
for s in sets:
    cells, data = frame(os.path.join(folder, s.get('file')))
    part = [int(p) for p in data['part']]
    assert [part.count(k) for k in range(3)] == [chain, discs, outlines], [part.count(k) for k in range(3)]
    loop = [c for c, p in zip(cells, part) if p == 0]
    assert all(len(c) == 2 for c in loop)
    for a, b in zip(loop, loop[1:] + loop[:1]):
        assert a[1] == b[0], 'the loop is open'
    for k in quantities:
        kind, quantity = k.split(':')
        shown = [v for v, p in zip(data[quantity], part) if p == int(kind)]
        assert shown and all(math.isfinite(v) for v in shown), (k, shown[:3])
assert cells != frame(os.path.join(folder, sets[0].get('file')))[0], 'nothing moves'
print(name, len(sets), 'frames,', len(cells), 'lines')
END

# lines EXAMPLE CHAIN DISCS OUTLINES KIND:QUANTITY...: run it for the time in $until, export, and look at all of it
lines() {
  local name=$1
  shift
  expect 0 run "$source_dir/examples/$name.yaml" --set "analyses[0].transient.until=$until" --set "outputs.animation_frames=4" --set outputs.balance=ignore -o "$name.h5" --quiet
  expect 0 export "$name.h5" --vtk "$name"
  python3 parse.py "$name" transient "$@" >said.out 2>said.err || fail "$name: the frames are wrong"
  cat said.out
}

until="1 ms" lines variator 160 4 437 "0:tension [N]" "2:push [N]" "2:slide [m/s]" "1:speed [rad/s]"
until="10 ms" lines ring_pulleys 80 2 0 "0:tension [N]" "1:slip [m/s]"
until="220 ms" lines accessory_drive_segments 194 6 0 "0:tension [N]" "0:slip [m/s]" "1:speed [rad/s]" "1:slip [m/s]"
