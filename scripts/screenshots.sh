#!/usr/bin/env bash
# Pictures of the reports of every drive, into docs/gallery: the examples are run (results that are newer than the program
# and the example are used again), their pages written and shown by headless Chromium.
#   scripts/screenshots.sh [NAME...]    only these pictures
set -euo pipefail
cd "$(dirname "$0")/.."
capstan=build/release/capstan
out=out/gallery
mkdir -p $out docs/gallery
$capstan check examples/accessory_drive.yaml --picture docs/gallery/check_accessory_drive.svg >/dev/null

# picture, and the example that it shows; "+" after a name: the whole page as well
pictures="
accessory_drive+        accessory_drive
accessory_segments      accessory_drive_segments
variator+               variator
push_force_tester       push_force_tester
sheave                  sheave
ring                    ring_pulleys
ring_tracking           ring_tracking
rolling_disc            rolling_euler_disc
rolling_trailer         rolling_trailer
slider_crank            slider_crank
ball_chain              ball_chain
clearance_oscillator    clearance_oscillator
clearance_response+     clearance_response
clearance_basins        clearance_basins
tensioner_rig           tensioner_rig
belt_tensioner_mass     belt_tensioner_mass
tensioner_map           tensioner_map
"

result() { # EXAMPLE
  local model=examples/$1.yaml target=$out/$1.h5
  if [ ! -f "$target" ] || [ "$target" -ot "$model" ] || [ "$target" -ot $capstan ]; then
    echo "running $model"
    $capstan run "$model" -o "$target" --force --quiet >/dev/null
  fi
}

wanted() { [ -z "$1" ] || case " $1 " in *" $2 "*) ;; *) return 1 ;; esac; }

shots=()
while read -r name example; do
  [ -n "$name" ] || continue
  whole=""
  case $name in *+) name=${name%+} whole=+ ;; esac
  wanted "$*" "$name" || continue
  result "$example"
  $capstan report $out/"$example".h5 -o $out/"$name".html >/dev/null
  shots+=("$out/$name.html$whole")
done <<<"$pictures"

if wanted "$*" tensioner_identification; then
  $capstan identify examples/tensioner_loop.csv -o $out/tensioner_identification.h5 >/dev/null
  $capstan report $out/tensioner_identification.h5 >/dev/null
  shots+=("$out/tensioner_identification.html")
fi
if wanted "$*" comparison; then
  result tensioner_rig
  result tensioner_rig_dahl
  $capstan report $out/tensioner_rig.h5 $out/tensioner_rig_dahl.h5 -o $out/comparison.html >/dev/null
  shots+=("$out/comparison.html")
fi
# Studies take some minutes; one that was interrupted goes on.
study() { # PICTURE STUDY [OPTION...]
  local name=$1 file=examples/$2.yaml folder=$out/$2
  wanted "$wanted_names" "${name%+}" || return 0
  if [ ! -f "$folder/study.h5" ] || [ "$folder/study.h5" -ot "$file" ] || [ "$folder/study.h5" -ot $capstan ]; then
    echo "running $file"
    $capstan study "$file" -o "$folder" --resume --quiet "${@:3}" >/dev/null 2>&1 || {
      rm -rf "$folder" # of another program or another file
      $capstan study "$file" -o "$folder" --quiet "${@:3}" >/dev/null
    }
  fi
  $capstan report "$folder/study.h5" -o "$out/${name%+}.html" >/dev/null
  case $name in *+) shots+=("$out/${name%+}.html+") ;; *) shots+=("$out/$name.html") ;; esac
}
wanted_names="$*"
study study_map tensioner_map_study
study study_tolerance+ accessory_tolerance_study
study study_design+ tensioner_design_study --optimize

[ ${#shots[@]} -gt 0 ] || { echo "screenshots: no picture of these names" >&2; exit 2; }
node scripts/screenshots.mjs docs/gallery "${shots[@]}"
