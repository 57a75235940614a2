#!/usr/bin/env bash
# capstan check: what it prints of each drive against closed forms, and its pictures: well-formed, with all names, labels apart.
source tests/cli/program_lib.sh
command -v python3 >/dev/null || { echo "skipped: python3 is not here to read JSON and XML"; exit 77; }
examples=$source_dir/examples

cat >look.py <<'END'
"""look.py FILE EXPRESSION: an expression about a summary, which must be true. value(name, item, section): a quantity; near(a, b)."""
import json, math, sys

x = json.load(open(sys.argv[1]))

def value(name, item=None, section=''):
    found = [q['value'] for s in x['summary'] if section in s['section'] for q in s['quantities'] if q['name'] == name and q['item'] == item]
    assert len(found) == 1, f'{len(found)} quantities "{name}" of {item} in "{section}"'
    return found[0]

def items(section):
    return list(dict.fromkeys(q['item'] for s in x['summary'] if section in s['section'] for q in s['quantities'] if q['item']))

def near(a, b, part=1e-9):
    return abs(a - b) <= part * max(abs(a), abs(b))

pi, sqrt, asin = math.pi, math.sqrt, math.asin
if not eval(sys.argv[2]):
    print('does not hold:', sys.argv[2])
    sys.exit(1)
END

# look EXAMPLE [OPTIONS...]: its summary; holds EXPRESSION: of it.
look() { local model=$1; shift; expect 0 check "$examples/$model.yaml" "$@" --json; }
holds() { python3 look.py said.out "$1" || fail "$1"; }

# ---- accessory drives ----
look two_pulley # equal pulleys of 200 mm, 100 pi mm apart
holds 'near(value("wrap angle", "driver"), 180) and near(value("wrap angle", "driven"), 180)'
holds 'near(value("span after", "driver"), 100 * pi, 1e-6) and near(value("pitch length of the path at the start"), 400 * pi, 1e-6)'
holds 'near(value("longest belt that is not slack"), 400 * pi, 1e-6)'
holds 'near(value("belt tension", None, "at rest"), 400, 1e-3)'
look accessory_drive
holds 'items("pulleys") == ["crank", "tensioner", "alternator", "water_pump", "steering_pump", "compressor"]'
holds 'near(sum(value("wrap angle", i) * (1 if value("side", i) == "groove" else -1) for i in items("pulleys")), 360)'
holds 'near(sum(value("span after", i) + pi / 180 * value("wrap angle", i) * (value("effective diameter", i) / 2 + (1.2 if value("side", i) == "groove" else 1.1)) for i in items("pulleys")), value("pitch length of the path at the start"))'
holds 'value("effective length") == 1940 and value("shortest belt that fits") < 1940 < value("longest belt that fits")'
holds 'near(value("distance to the low stop") + value("distance to the high stop"), 60) and near(value("belt tension"), 350, 1e-6)'
holds 'near(value("spring torque"), 350 * value("take-up (belt length per angle)") * 180 / pi / 1000, 1e-6)'
holds 'near(value("tension after", "compressor", "2000 rpm") - value("tension after", "crank", "2000 rpm"), value("torque of the driving pulley", None, "2000 rpm") / 0.0837, 1e-3)'
holds 'value("speed", "crank", "1000 rpm") == 1000 and value("slip safety", "crank", "1000 rpm") < value("slip safety", "crank", "2000 rpm")'
holds 'value("steps", None, "analysis 6") == 7000 and value("rows", None, "analysis 6") == 3501'
# the belts that fit: at rest, by the statics of the whole, one that is shorter by 0.1 mm passes the stop by 0.1 mm
shortest=$(json said.out '[q["value"] for s in x["summary"] for q in s["quantities"] if q["name"] == "shortest belt that fits"][0]')
longest=$(json said.out '[q["value"] for s in x["summary"] for q in s["quantities"] if q["name"] == "longest belt that fits"][0]')
at_rest() { # CODE LENGTH: without loads, nearly standing
  expect "$1" check "$examples/accessory_drive.yaml" --set "belt.length=$2 mm" --set "crank={speed: 1 rpm}" --set "analyses=[{statics: {}}]" \
    --set "tensioner={pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, torque: 29.0113 N m, torque_angle: 253.1008 deg, stops: [225 deg, 285 deg], inertia: 1.2e-3 kg m2}" \
    --set "pulleys[alternator].load={torque: 0 N m}" --set "pulleys[compressor].load={torque: 0 N m}" --set "pulleys[steering_pump].load={torque: 0 N m}" --set "pulleys[water_pump].load={torque: 0 N m}"
}
plus() { awk "BEGIN {printf \"%.6f\", $1 + $2}"; }
at_rest 0 "$(plus "$shortest" 0.01)"
at_rest 0 "$(plus "$longest" -0.01)"
at_rest 2 "$(plus "$shortest" -0.1)"
grep -qE 'expected a belt longer by 0\.(099|100|1 )' said.err || fail "the shortest belt"
at_rest 2 "$(plus "$longest" 0.1)"
grep -qE 'expected a belt shorter by 0\.(099|100|1 )' said.err || fail "the longest belt"
look accessory_drive --set "pulleys[alternator].diameter=60 mm"
holds 'value("effective diameter", "alternator") == 60'
expect 2 check "$examples/accessory_drive.yaml" --set "pulleys[alternatr].diameter=60 mm"
says 'expected one of: crank, tensioner, alternator'
look linear_tensioner
holds 'near(value("distance to the low stop") + value("distance to the high stop"), 50) and value("dry friction force") == 40'

# ---- the others ----
look tensioner_rig
holds 'near(value("stiffness while all sliders stick"), 234 + 484) and value("friction force, half the width of the loop") == 163'
holds 'near(value("largest velocity"), 0.52 * 9.4) and near(value("frequency"), 9.4 / (2 * pi))'
look tensioner_rig_dahl
holds 'near(value("friction force, half the width of the loop"), 0.5 * ((71460 - 53220) * 0.54e-3 + 959.6 - 397.2))'
look belt_tensioner_mass
holds 'near(value("natural frequency of the mass on the belt alone"), sqrt(560e3 / 73.84) / (2 * pi))'
look clearance_oscillator # 1 kg on 1 N/m beyond a gap of 349 mm
holds 'near(value("stiffest stages", "mode 1"), 1 / (2 * pi)) and value("softest stages", "mode 1") == 0 and near(value("clearance", "gear - ground"), 349)'
look slider_crank
holds 'near(value("gap at the start", "pin"), 0.5, 1e-6) and value("prescribed speed", "crank") == 5000'
holds 'near(value("inertia", "crank"), 0.3 * (0.1 ** 2 + 0.015 ** 2) / 12)'
look rolling_disc
holds 'value("radius", "disc") == 100 and value("kind", "disc") == "disc" and value("velocity constraints") == 3'
look ring_pulleys
holds 'near(value("length of each strand"), sqrt(155 ** 2 - 20 ** 2)) and near(value("wrap angle", "primary") + value("wrap angle", "secondary"), 360)'
holds 'near(value("length at the start"), 2 * value("length of each strand") + pi * 100 + 2 * 20 * asin(20 / 155), 1e-4)'
look push_force_tester
holds 'value("length before compression") == 150 and near(value("largest compression"), 0.18) and value("rows") == 121'
look sheave
holds 'near(value("angular pitch of the elements"), 213 / 186) and near(value("time of an element in the arc"), 213 / 360 / 2000 * 60e3)'
look ring_tracking
holds 'near(value("height of the crown over the width of the layer"), 1e3 * (250 - sqrt(250 ** 2 - 4.875 ** 2)), 1e-6)'
look variator # ratio 1: strands as long as the distance of the axes
holds 'near(value("length of each strand"), 155) and near(value("wrap angle", "primary"), 180) and near(value("running radius of the ring", "secondary"), (667.2 - 310) / (2 * pi))'
holds 'near(value("time of one belt revolution"), (310 + 2 * pi * value("radius of the rocking edges", "primary")) / value("belt speed"))'
holds 'near(value("steps per revolution"), value("time of one belt revolution") / value("time step"), 1e-9)'

# ---- text: the solver only when asked for ----
expect 0 check "$examples/two_pulley.yaml"
prints 'wrap'
prints 'capstan check --verbose'
if grep -q 'internal variables' said.out; then fail "solver internals without --verbose"; fi
cp said.out brief.out
expect 0 check -v "$examples/two_pulley.yaml"
prints 'internal variables'
prints 'span.*.tension'
expect 0 check "$examples/two_pulley.yaml"
cmp -s said.out brief.out || fail "two calls print different texts"

# ---- pictures ----
cat >picture.py <<'END'
"""picture.py FILE NAME...: well-formed, self-contained, with these names; no label covers another or leaves the picture."""
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
ns = '{http://www.w3.org/2000/svg}'
text = open(sys.argv[1]).read()
assert root.tag == ns + 'svg' and 'prefers-color-scheme' in text, 'no SVG for light and dark'
assert '<script' not in text and 'http' not in text.replace('http://www.w3.org/2000/svg', ''), 'not self-contained'
shown = [t for t in root.iter(ns + 'text')]
for name in sys.argv[2:]:
    assert any(name == t.text for t in shown), f'no label "{name}"'
x0, y0, width, height = map(float, root.get('viewBox').split())
boxes = []
for t in shown:
    size = {'name': 15.5, 'title': 17.5}.get(t.get('class'), 13)
    w, x, y = 0.5 * size * len(t.text), float(t.get('x')), float(t.get('y'))
    left = x - w / 2 if t.get('text-anchor') == 'middle' else x
    assert left >= x0 and left + w <= x0 + width and y - size >= y0 and y <= y0 + height, f'"{t.text}" is cut off'
    boxes.append((left, y - 0.75 * size, left + w, y + 0.1 * size, t.text))
for i, a in enumerate(boxes):
    for b in boxes[:i]:
        assert not (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]), f'"{a[4]}" covers "{b[4]}"'
END
# picture EXAMPLE NAME...
picture() {
  local model=$1
  shift
  expect 0 check "$examples/$model.yaml" --picture "$model.svg"
  python3 picture.py "$model.svg" "$@" || fail "picture of $model"
}
picture accessory_drive crank tensioner alternator water_pump steering_pump compressor 'Ø 165 mm' 'wrap 104.8°' 'low stop 225°'
picture linear_tensioner crank tensioner alternator 'high stop 25 mm'
picture two_pulley driver driven '314.2 mm'
picture alternator_decoupler alternator
picture tensioner_rig spring damper 'slider 1' rod
picture tensioner_rig_dahl tensioner rod
picture belt_tensioner_mass mass pulley belt load
picture clearance_oscillator gear 'clearance 349 mm'
picture slider_crank crank rod slider
picture ball_chain a b c d e
picture rolling_disc disc
picture rolling_trailer car trailer
picture ring_pulleys primary secondary
picture ring_free
picture push_force_tester stack 'left clamp' 'right clamp'
picture sheave arc entry exit
picture ring_tracking 'ring layer' saddle
picture variator primary secondary 'upper strand' 'lower strand'
cp variator.svg again.svg
expect 0 check "$examples/variator.yaml" --picture variator.svg
cmp -s variator.svg again.svg || fail "two pictures of the same model differ"
expect 0 check "$examples/two_pulley.yaml" --set 'name=a < b & "c"' --picture odd.svg
python3 picture.py odd.svg 'a < b & "c"' || fail "signs of XML in a name"
expect 2 check "$examples/two_pulley.yaml" --picture nowhere/x.svg
expect 2 check "$examples/two_pulley.yaml" --set 'pulleys[driver].diameter=10 m' --picture none.svg
[ ! -e none.svg ] || fail "a picture of a refused model"

# ---- items by name in sweeps, fits and studies: the same as by number ----
short_model 1
sed -i 's/^  - transient.*/  - response: {sweep: {parameter: "bodies[ITEM].mass", values: [1 kg, 1.2 kg]}, method: rk4, step: 0.02 s}/' m.yaml
sed 's/ITEM/gear/' m.yaml >name.yaml
sed 's/ITEM/0/' m.yaml >number.yaml
expect 0 run name.yaml --quiet -o name.h5
expect 0 run number.yaml --quiet -o number.h5
expect 0 export name.h5 --csv name
expect 0 export number.h5 --csv number
for file in name/*_bodies_gear__*; do mv "$file" "${file/_bodies_gear__/bodies_0_}"; done # a table is named after what is swept
diff -r -x contents.csv name number >differences || true
if grep '^Only in' differences; then fail "a sweep over bodies[gear] has other tables than that over bodies[0]"; fi
if grep '^[<>]' differences | grep -qv 'bodies\['; then fail "a sweep over bodies[gear] is not that over bodies[0]"; fi
[ -n "$(ls name)" ] || fail "nothing was exported"
expect 2 check name.yaml --set 'analyses[0].response.sweep.parameter=bodies[gera].mass'
says 'bodies has no item named "gera"; expected one of: gear; did you mean "gear"?'
short_model 1
cat >s.yaml <<END
capstan: 1
study: by name
model: m.yaml
factors: [{name: mass, path: "bodies[gear].mass", values: [1 kg, 2 kg]}]
design: {kind: grid}
responses: [{name: last, channel: gear.position, reduce: mean}]
END
expect 0 study s.yaml --list
sed -i 's/gear\].mass/gera].mass/' s.yaml
expect 2 study s.yaml --list
says 'bodies has no item named "gera"'

# ---- the number of steps is that of the run ----
steps_of() { # OPTIONS...: of m.yaml, as check counts them and as a run took them
  expect 0 check m.yaml --json "$@"
  planned=$(json said.out '[q["value"] for s in x["summary"] for q in s["quantities"] if q["name"] == "steps"][0]')
  expect 0 run m.yaml --quiet --force -o steps.h5 "$@"
  rm -rf steps
  expect 0 export steps.h5 --csv steps
  taken=$(grep -h '^steps,' steps/transient.values.csv | cut -d, -f2)
  [ "${planned%.0}" = "$taken" ] || fail "check counts $planned steps, the run took $taken ($*)"
}
short_model 5
steps_of
steps_of --set 'outputs={every: 0.3 s}'
steps_of --set 'outputs={every: 7 ms}' --set 'analyses[0].transient.step=5 ms'
steps_of --set 'analyses[0].transient.until=4.33 s'

# ---- title block ----
short_model 1
cat >>m.yaml <<END
title_block: {customer: "Muster <GmbH>", project: rattle, author: J. Doe, revision: B}
END
expect 0 run m.yaml --quiet -o a.h5
expect 0 run m.yaml --quiet -o b.h5
cmp -s a.h5 b.h5 || fail "the same model gives other bytes"
expect 0 report a.h5 -o a.html
grep -qF '"title_block":[["Customer","Muster \u003cGmbH>"],["Project","rattle"],["Revision","B"],["Author","J. Doe"]]' a.html ||
  grep -qF '"title_block":[["Customer","Muster <GmbH>"],["Project","rattle"],["Revision","B"],["Author","J. Doe"]]' a.html || fail "no title block on the page"
grep -v '^title_block' m.yaml >plain.yaml
expect 0 run plain.yaml --quiet -o plain.h5
expect 0 report plain.h5 -o plain.html
if grep -qF '"title_block":' plain.html; then fail "a title block of a file without one"; fi
expect 2 check m.yaml --set 'title_block.custommer=x'
says 'customer'
