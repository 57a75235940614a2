#!/usr/bin/env bash
# Manners: nothing foreign is replaced, devices stay devices, permissions and links are kept, nothing is left behind, control characters
# do not reach a terminal, and nothing waits for ever.
source "$(dirname "$0")/program_lib.sh"
drive=$source_dir/examples/two_pulley.yaml
map=$source_dir/examples/tensioner_map.yaml
esc=$'\033' csi=$'\xc2\x9b'

# plain FILE: no control character but the ends of lines
plain() { if LC_ALL=C grep -q $'[\001-\010\013-\037\177]' "$1" || LC_ALL=C grep -q $'\xc2[\x80-\x9f]' "$1"; then fail "$1 has control characters"; fi; }

# left WHAT: no temporary file is left
left() { [ -z "$(find . -name '*.new' -o -name '*.part')" ] || fail "$1 has left $(find . -name '*.new' -o -name '*.part')"; }

expect 0 run "$map" -o r.h5 --quiet

# ---- a page replaces pages only ----
echo "mine" >model.yaml
expect 2 report r.h5 -o model.yaml
[ "$(cat model.yaml)" = mine ] || fail "a model was replaced by a page"
if mknod node c 1 3 2>/dev/null; then # only root may
  expect 0 report r.h5 -o node
  [ -c node ] || fail "a device was replaced by a page"
fi
mkfifo pipe
cat pipe >read.html &
expect 0 report r.h5 -o pipe
wait
[ -p pipe ] || fail "a fifo was replaced by a page"
expect 0 report r.h5 -o page.html
cmp -s read.html page.html || fail "the page in a fifo is another"
"$program" report r.h5 -o /dev/stdout >out.html
cmp -s out.html page.html || fail "the page on standard output is another"
chmod 600 page.html
ln -s page.html link.html
expect 0 report r.h5 -o link.html
[ -L link.html ] || fail "a link was replaced by a page"
[ "$(stat -c %a page.html)" = 600 ] || fail "a page has other permissions than the one that it replaced"

# ---- a result keeps its permissions ----
chmod 600 r.h5
expect 0 run "$map" -o r.h5 --quiet --force
[ "$(stat -c %a r.h5)" = 600 ] || fail "a result has other permissions than the one that it replaced"

# ---- links under the names of temporary files are not followed ----
echo victim >victim
ln -s victim linked.h5.part.new
expect 0 run "$map" -o linked.h5 --quiet
ln -s victim other.h5.part
expect 2 run "$map" -o other.h5 --quiet
says "'other.h5.part' is a symbolic link and is not written; remove it"
rm other.h5.part
[ "$(cat victim)" = victim ] || fail "a link was followed"

# ---- a file that may not grow leaves nothing ----
(
  ulimit -f 40
  expect 2 report r.h5 -o large.html
  says "File too large"
  expect 2 export r.h5 --csv large
  says "File too large"
)
[ ! -e large.html ] || fail "half a page is left"
left "a file that may not grow"

# ---- nothing waits for a fifo, nothing for a thousand directives ----
mkfifo empty
expect 2 check empty
says "empty: expected a file, got one from which nothing comes"
expect 2 check "$source_dir/examples/tensioner_rig_measured.yaml" --set "deflection.samples={file: $place/empty, x: time, y: deflection}"
says "empty: expected a file, got one from which nothing comes"
awk 'BEGIN { for (k = 0; k < 90000; k++) printf "%%TAG !a%d! tag:x%d:\n", k, k; print "---" }' | cat - "$drive" >tags.yaml
code=0
timeout 5 "$program" check tags.yaml >said.out 2>said.err || code=$?
[ "$code" = 2 ] || fail "directives end with $code"
says "tags.yaml:1:1: expected a model without YAML directives"

# ---- a full disk behind standard output ----
code=0
"$program" check "$drive" >/dev/full 2>said.err || code=$?
[ "$code" = 2 ] || fail "check >/dev/full ends with $code"

# ---- what is wrong is not repeated whole ----
long=$(head -c 60000 /dev/zero | tr '\0' a)
for setting in "$long" "crank.speed=$long" "$long=1" "crank={$long: 1}"; do
  expect 2 check "$drive" --set "$setting"
  [ "$(wc -c <said.err)" -lt 3000 ] || fail "a setting of 60 kB is repeated whole"
done

# ---- control characters ----
expect 0 check "$drive" --set "name=\"a\\e]0;x\\a\\N\""
plain said.out
expect 2 check "$drive" --set "crank$esc[31m=1"
plain said.err
expect 2 check "$drive" --set "crank.speed=1 $csi"
plain said.err
expect 2 check "no$esc[2J$csi.yaml"
plain said.err
cp "$map" "a$esc[2J$csi.yaml"
expect 0 check "a$esc[2J$csi.yaml"
plain said.out
expect 0 run "a$esc[2J$csi.yaml" -o "b$esc$csi.h5"
plain said.out
plain said.err
expect 0 report "b$esc$csi.h5"
plain said.out
cat >study.yaml <<END
capstan: 2
study: "levels\\e[2J"
model: $source_dir/examples/belt_tensioner_mass.yaml
factors: [{name: load, path: load.mean, levels: {"one\\e[2J": 100 N, "two\\x9b": 200 N}}]
design: {kind: grid}
responses: [{name: peak, channel: belt.tension, reduce: max}]
END
expect 0 study study.yaml --list
prints "one?[2J"
prints "two?"
plain said.out
plain said.err
left "something"
