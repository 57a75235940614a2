#!/usr/bin/env bash
# Steppers and contact solvers that left with format version 2: files of either version that name one are refused with what serves
# instead, migrate keeps the name with a warning, and nothing offers it.
source tests/cli/program_lib.sh

# model VERSION KEYS: a disc that rolls, its transient with KEYS.
model() {
  cat >model.yaml <<MODEL
capstan: $1
drive: rolling-body
bodies: [{disc: {mass: 0.5 kg, radius: 0.1 m, inclination: 70 deg, circle: 0.5 m}}]
analyses: [{transient: {until: 2 ms, $2}}]
MODEL
}

# left KEY NAME INSTEAD
left() {
  for version in 1 2; do
    model $version "$1: $2"
    expect 2 check model.yaml
    says "model.yaml:4:"
    says "analyses[0].transient.$1: expected \""
    says "got \"$2\"; it left with format version 2: use $3"
    expect 2 run model.yaml -o out.h5
    [ ! -e out.h5 ] || fail "a run with $2 wrote a file"
  done
  model 1 "$1: $2"
  expect 0 migrate model.yaml
  says "warning: $1: \"$2\" left with format version 2 and is kept here; use $3"
  prints "$1: $2"
  model 2 "$1: auto"
  expect 2 check model.yaml --set "analyses[0].transient.$1=$2"
  says "it left with format version 2: use $3"
}
left method ida 'extrapolation or radau'
left method moreau midpoint
left solver fixed_point newton
left solver siconos newton

# What is proposed is taken.
for method in extrapolation radau; do
  model 2 "method: $method"
  expect 0 run model.yaml -o "$method.h5" --quiet
done

for way in 'schema' 'schema --markdown' 'help --completion bash' 'run --help'; do
  # shellcheck disable=SC2086
  expect 0 $way
  if grep -wE 'ida|moreau|fixed_point|siconos' said.out; then fail "capstan $way offers what left"; fi
done
expect 0 schema --renamed
prints 'analyses[].transient.method: ida'
echo "what left is refused and not offered"
