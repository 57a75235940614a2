#!/usr/bin/env bash
# capstan new: every drive has a model to start from, which is valid and runs; every key that stands behind a # is one, in its unit.
source "$(dirname "$0")/program_lib.sh"

expect 0 new
drives=$("$program" help --words DRIVE)
for drive in $drives; do grep -q "^  $drive  *[a-z]" said.out || fail "no sentence of $drive: $(cat said.out)"; done
expect 2 new acessory-drive
says 'there is no drive "acessory-drive"; did you mean "accessory-drive"?'

# What makes a run of each short; the others take a fraction of a second as they are.
short_of() {
  case $1 in
  accessory-drive) echo 'analyses=[{statics: {}}, {modes: {}}, {transient: {until: 0.21 s, method: midpoint}}]' ;;
  sheave) echo 'analyses[0].transient.until=2 ms' ;;
  variator) echo 'analyses[0].transient.until=1 ms' ;;
  rolling-body) echo 'analyses[0].transient.until=1 s' ;;
  ring) echo 'analyses[0].transient.until=1 ms' ;;
  bodies) echo 'analyses[0].transient.until=0.5 s' ;;
  esac
}

nkey=0 every=1
[ "${CAPSTAN_SANITIZE:-OFF}" != ON ] || every=12 # the texts are compared in the other build
for drive in $drives; do
  expect 0 new "$drive"
  model=${drive//-/_}.yaml
  prints "$model"
  expect 0 check "$model"
  silent said.err # no warning either
  awk 'length > 112 && !/[{[]/ {exit 1}' "$model" || fail "$model has lines that are too wide"
  setting=$(short_of "$drive")
  expect 0 run "$model" -o short.h5 --force --quiet ${setting:+--set "$setting"}
  # each optional key alone, in a file of its own with the number of its line: it may not suit the others, but it is known, and has its unit
  rm -f one_*.yaml
  found=$(awk -v every=$every -v before=$nkey '
    { line[NR] = $0 }
    /^ *#[A-Za-z_0-9]+:/ { keys[++n] = NR }
    END {
      for (k = 1; k <= n; k++) {
        if ((before + k) % every) continue
        file = "one_" keys[k] ".yaml"
        for (i = 1; i <= NR; i++) { text = line[i]; if (i == keys[k]) sub(/#/, "", text); print text >file }
        close(file)
      }
      print n + 0
    }' "$model")
  nkey=$((nkey + found))
  : >said.err
  for one in one_*.yaml; do "$program" check "$one" >said.out 2>>said.err || true; done
  if grep -E 'unknown key|the unit is missing|expected an? [a-z ]* such as|YAML' said.err; then
    fail "$drive: an optional key is not one"
  fi
done
[ $nkey -gt 150 ] || fail "only $nkey optional keys are offered"

# what the user has edited stays
echo '# mine' >>variator.yaml
cp variator.yaml kept.yaml
expect 2 new variator
says 'variator.yaml already exists: --force overwrites it, -o selects another file'
cmp -s variator.yaml kept.yaml || fail "the user's file was overwritten"
expect 0 new variator --force
cmp -s variator.yaml kept.yaml && fail "--force has not overwritten it"
expect 0 new variator -o other.yaml
cmp -s variator.yaml other.yaml || fail "two files of one drive differ"
echo "models to start from: $(wc -w <<<"$drives") drives, $nkey optional keys"
