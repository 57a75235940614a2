#!/usr/bin/env bash
# The tensioner's map by a study of single runs and by the analysis "response", two ways that share nothing but the model:
# ranges of the belt tension agree within 0.1 % (the study steps by 0.2 ms; over all 3712 points of the example the worst is 0.03 %).
root=$PWD # tests start there
source "$(dirname "$0")/../cli/study_lib.sh"
examples=$root/examples
amplitudes='[13 N, 90 N, 300 N]' angular_frequencies='{from: 30 rad/s, to: 120 rad/s, count: 4}'

# the example, with fewer values
sed -E "s|^model: |model: $examples/|; s|^( *values: ).*|\1$amplitudes|; s|from: 10 rad/s, to: 125 rad/s, count: 116|${angular_frequencies:1:-1}|" \
  "$examples/tensioner_map_study.yaml" >map.yaml
expect 0 study map.yaml --quiet
expect 0 export map/study.h5 --csv csv
for law in tensioner_map tensioner_map_dahl; do
  expect 0 run "$examples/$law.yaml" -o $law.h5 --quiet --set "analyses[0].response.family.values=$amplitudes" \
    --set "analyses[0].response.sweep={parameter: load.angular_frequency, ${angular_frequencies:1:-1}}"
  expect 0 export $law.h5 --csv $law
done

# amplitude, angular frequency, range: of both laws one after the other, as the cases are
table=response.load.amplitude+load.angular_frequency.csv
at=$(head -n 1 "tensioner_map/$table" | tr , "\n" | grep -nx "belt.tension.range \[N\]" | cut -d: -f1)
tail -q -n +2 "tensioner_map/$table" "tensioner_map_dahl/$table" | cut -d, -f"1,2,$at" >response.csv
tail -n +2 csv/study.csv | cut -d, -f3-5 >study.csv
[ "$(wc -l <study.csv)" = 24 ] || fail "the study has not 24 cases"
paste -d, study.csv response.csv | awk -F, '
  function far(a, b) { return (a > b ? a - b : b - a) / b }
  far($1, $4) > 1e-12 || far($2, $5) > 1e-12 { print "other factors in line " NR; bad++ }
  far($3, $6) > worst { worst = far($3, $6) }
  END { printf "worst %.2e\n", worst; exit bad || NR != 24 || !(worst < 1e-3) }' ||
  fail "the study and the response differ"
