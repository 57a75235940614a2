#!/usr/bin/env bash
# Files and results of format version 1: one warning for each old name, what `capstan migrate` makes of them, and the numbers of the
# program that wrote them. tests/data/version1 has models of that time, and the results that the program of that time computed of two.
source "$(dirname "$0")/program_lib.sh"
old=$source_dir/tests/data/version1
cp "$old"/*.yaml .

# warnings FILE: the old names that are told, one in each line; each may be told once only
warnings() {
  expect 0 check "$1"
  grep -o 'warning: ".*" is called ".*" since format version 2' said.err | cut -d'"' -f2 >names || true
  [ "$(wc -l <names)" = "$(wc -l <said.err)" ] || fail "$1: there are other findings"
  [ "$(sort -u names | wc -l)" = "$(wc -l <names)" ] || fail "$1: an old name is told twice"
}

# shape FILE: what migration may not touch: indentation, comments, which lines there are
shape() { sed -E 's/^( *)[^ #].*( #.*)$/\1x\2/; t; s/^( *)[^ #].*$/\1x/' "$1"; }

# numbers FOLDER: the tables without the words that describe them
numbers() {
  rm -f "$1/contents.csv"
  find "$1" -name '*.values.csv' -exec sed -i -E '/^(branch|mode)\.[0-9]+\.ends?,/d; s/^([^,]*,[^,]*,[^,]*),.*/\1/' {} +
  find "$1" -name '*.audit.csv' -exec sed -i -E 's/^("[^"]*"|[^,]*),//' {} +
}

# undigested: nothing is said but that files of before have no digest
undigested() { ! grep -qv 'has no digest: nothing shows whether it is whole' said.err || fail "it says more than that there is no digest"; }

# tables RESULT FOLDER
tables() {
  expect 0 export "$1" --codes --csv "$2"
  numbers "$2"
}

# undigested: nothing is said but that results of that time carry no digest
undigested() {
  says 'was written by an earlier version and has no digest'
  [ "$(wc -l <said.err)" = 1 ] || fail "something else is said of a result of version 1"
}

told=0
for file in *.yaml; do
  name=${file%.yaml}
  case $name in *_study) continue ;; esac
  warnings "$file"
  [ -s names ] || fail "$file: no old name is told"
  told=$((told + $(wc -l <names)))

  expect 1 migrate --check "$file"
  prints "$file: "
  expect 0 migrate "$file" -o "new_$file"
  cmp -s "$file" "$old/$file" || fail "migrate -o changed $file"
  diff <(shape "$file" | sed 's/^capstan: 1/capstan: 2/') <(shape "new_$file") >said.out || fail "comments or layout of $file changed"
  while read -r word; do # told names are gone, but for comments
    sed 's/#.*//' "new_$file" | grep -qwF -- "$word:" && fail "$file: \"$word\" is still a key" || true
  done <names
  expect 0 check "new_$file"
  silent said.err
  expect 0 migrate --check "new_$file"
  silent said.out
  expect 0 migrate "new_$file"
  cmp -s said.out "new_$file" || fail "$file: what was migrated is migrated again"
  sed 's/^capstan: 2/capstan: 1/' "new_$file" >present.yaml
  warnings present.yaml
  [ ! -s names ] || fail "$file: present names are told in version 1"

  # the same numbers, whichever names are written
  expect 0 run "$file" -o old.h5 --quiet --force
  expect 0 run "new_$file" -o new.h5 --quiet --force
  rm -rf tables.old tables.new
  tables old.h5 tables.old
  tables new.h5 tables.new
  diff -r tables.old tables.new >said.out || fail "$file: the migrated file has other results"

  # those of the program of version 1, under present names
  if [ -e "$old/$name.h5" ]; then
    rm -rf tables.old
    tables "$old/$name.h5" tables.old
    undigested
    diff -rq tables.old tables.new | grep -v '^Only in tables.new' >said.out && fail "$file: results of version 1 differ" || true
    expect 0 report "$old/$name.h5" -o "$name.html"
    undigested
    [ -s "$name.html" ] || fail "$name has no page"
    expect 0 report "$old/$name.h5" new.h5 -o both.html
    undigested
  fi
done
[ "$told" -ge 30 ] || fail "$told old names in all: the files of version 1 have lost theirs"

# an old key under the present version: its line, and the name that it has now
for file in sheave two_pulley_segments hydraulic_tensioner; do
  warnings $file.yaml
  cp names $file.names
  sed 's/^capstan: 1/capstan: 2/' $file.yaml >wrong.yaml
  expect 2 check wrong.yaml
  grep 'unknown key' said.err >keys || fail "$file: no old key is refused"
  [ "$(grep -c 'since format version 2 it is called' keys)" = "$(wc -l <keys)" ] || fail "$file: a present name is not told"
  while read -r word; do
    case $word in *.* | *'*'*) continue ;; esac # channels
    grep -qF "unknown key \"$word\"" keys || fail "$file: \"$word\" is not refused"
  done <$file.names
done
says 'wrong.yaml:23:3: tensioner: unknown key "rate"; since format version 2 it is called "spring_rate"'

# in place; nothing is written where nothing is to be changed
cp sheave.yaml mine.yaml
expect 0 migrate mine.yaml --in-place
silent said.out
cmp -s mine.yaml new_sheave.yaml || fail "--in-place and -o differ"
touch -d '2001-01-01' mine.yaml
expect 0 migrate mine.yaml --in-place
[ "$(stat -c %y mine.yaml | cut -c1-4)" = 2001 ] || fail "a file without old names was written anew"
expect 2 migrate mine.yaml --in-place --check
says 'expected one of -o, --in-place and --check'
printf 'a: 1\n' >other.yaml
expect 2 migrate other.yaml
says 'expected a model file'
sed 's/^clamping: {/&angular_frequency: 3 rad\/s, /' sheave.yaml >twice.yaml
expect 2 migrate twice.yaml -o never.yaml
says '"pulsation" is the old name of "angular_frequency"'
[ ! -e never.yaml ] || fail "a file that cannot be migrated was written"

# bytes that say nothing: mark, line ends, no line end at the end
printf '\xef\xbb\xbf' >dos.yaml
sed 's/$/\r/' rolling_sleigh.yaml | head -c -2 >>dos.yaml
expect 0 migrate dos.yaml
sed 's/turn: /heading_rate: /; s/^capstan: 1/capstan: 2/; s/$/\r/' rolling_sleigh.yaml | head -c -2 >want.body
cmp -s said.out <(printf '\xef\xbb\xbf'; cat want.body) || fail "mark or ends of lines changed"

# a study: its keys, paths, settings and levels; both give the same cases and results
expect 0 migrate tensioner_map_study.yaml -o new_study.yaml
grep -q pulsation <(sed 's/#.*//; /^study:/d; /name: pulsation/d; /^continuation/d' new_study.yaml) && fail "old names are left in the study"
diff <(shape tensioner_map_study.yaml) <(shape new_study.yaml) >said.out || fail "comments or layout of the study changed"
sed -i 's/^model: belt_tensioner_mass/model: new_belt_tensioner_mass/' new_study.yaml
for study in tensioner_map_study new_study; do
  expect 0 study $study.yaml -o $study --quiet
  tables $study/study.h5 tables.$study
done
[ "$(wc -l <tables.new_study/study.csv)" = 13 ] || fail "the study has not 12 cases"
cmp -s <(tail -n +2 tables.tensioner_map_study/study.csv) <(tail -n +2 tables.new_study/study.csv) || fail "the migrated study has other results"

# settings take old names at any time
expect 0 run new_sheave.yaml -o a.h5 --quiet --set 'clamping.pulsation=900 rad/s' --set 'analyses[0].transient.until=0.1 ms'
says '"clamping.pulsation" is called "clamping.angular_frequency" since format version 2'
expect 0 run new_sheave.yaml -o b.h5 --quiet --set 'clamping.angular_frequency=900 rad/s' --set 'analyses[0].transient.until=0.1 ms'
silent said.err
tables a.h5 tables.a
tables b.h5 tables.b
diff -r tables.a tables.b >said.out || fail "a setting with an old name means something else"
echo "$told old names"
