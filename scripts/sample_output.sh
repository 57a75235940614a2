#!/usr/bin/env bash
# Sample output in README.md and docs/ is what the commands print; nobody types it.
#   scripts/sample_output.sh [FILE.md ...]           run the commands, write their output into the documents
#   scripts/sample_output.sh --check [FILE.md ...]   run them and compare; slow ones only with CAPSTAN_LEVEL=all
#
# In a document:
#   <!-- output: capstan check examples/two_pulley.yaml -->     the block that follows is what this command prints (both streams)
#   ```text                                                     ... only that; with ```console the command comes first, after "$ "
#   ```
#   <!-- output slow about 5%: ... -->  slow: too long for `make test`; fails: the command must not succeed; where numbers depend on
#                                       the processor: about 5%: they may differ by so much; counts 2: whole numbers by so many
#                                       (otherwise as all numbers); floor 1e-8: those below it on both sides are rounding, not compared
#   <!-- run: ... -->                   run it and show nothing
#   <!-- file: rig.yaml -->             the block that follows is written to this file
# Commands of one document run one after the other in a folder of its own, which has copies of examples/ and atlas/. Of a pipe the
# part before " | " is shown. Masked: times and rates of computing, commits, and the folder's own path;
# left out: lines of progress.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD check=no
[ "${1:-}" != --check ] || { check=yes; shift; }
program=${CAPSTAN:-$root/build/release/capstan}
[ -x "$program" ] || { echo "sample_output.sh: $program is missing: make program"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/capstan"
export PATH=$work/bin:$PATH LC_ALL=C TZ=UTC NO_COLOR=1 COLUMNS=100 TERM=dumb

if [ $# -gt 0 ]; then documents=("$@"); else mapfile -t documents < <(ls README.md docs/*.md docs/theory/*.md); fi
blocks=0 skipped=0 bad=0

mask() {
  sed -E -e "s|$folder/?||g" -e 's/\b[0-9a-f]{40}\b/<commit>/g' -e 's/(commit|git) [0-9a-f]{7,12}\b/\1 <commit>/g' \
    -e 's/[0-9.]+ (s|ms|min) (of processor time|of wall time|left|a case)/... \1 \2/g' -e 's/[0-9.]+ per second/... per second/g' \
    -e 's/(took|within|after) [0-9.]+ (s|ms|min)( on [0-9]+ cores?)?$/\1 ... \2/' -e 's/[ \t]+$//' \
    -e '/^[a-z-]+: .*  [0-9.e+-]+ [a-z ]+ per second( of wall time)?(, .* left)?$/d' # progress, every 10 s of a slow machine
}

# run COMMAND FLAGS: its output into $work/now; complains when it does not end as it should.
run() {
  local status=0
  (cd "$folder" && bash -o pipefail -c "${1// | / |\& }") >"$work/raw" 2>&1 </dev/null || status=$?
  mask <"$work/raw" >"$work/now"
  case " $2 " in *" fails "*) [ $status != 0 ] ;; *) [ $status = 0 ] ;; esac && return 0
  echo "$document:$number: '$1' ended with exit code $status:"
  tail -n 5 "$work/now"
  bad=$((bad + 1))
}

# tolerance WORD FLAGS: the number behind a word of the flags; nothing when the word is not there.
tolerance() { [[ " $2 " =~ \ $1\ ([0-9.]+(e-?[0-9]+)?)%?\  ]] && echo "${BASH_REMATCH[1]}" || true; }

# same FLAGS: whether $work/was is $work/now.
same() {
  cmp -s "$work/was" "$work/now" && return 0
  local about
  about=$(tolerance about "$1")
  [ -n "$about" ] || return 1
  paste -d $'\001' "$work/was" "$work/now" | awk -F '\001' -v about="$about" -v counts="$(tolerance counts "$1")" \
    -v rounding="$(tolerance floor "$1")" '
    function split_numbers(text, number,  n, rest) {
      n = 0; rest = text; shape = ""
      while (match(rest, /[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/)) {
        number[++n] = substr(rest, RSTART, RLENGTH)
        shape = shape substr(rest, 1, RSTART - 1) "#"; rest = substr(rest, RSTART + RLENGTH)
      }
      shape = shape rest; gsub(/[ \t]+/, " ", shape)
      return n
    }
    function size(x) { x += 0; return x < 0 ? -x : x }
    {
      n = split_numbers($1, a); first = shape
      if (split_numbers($2, b) != n || shape != first) exit 1
      for (k = 1; k <= n; k++) {
        if (size(a[k]) < rounding + 0 && size(b[k]) < rounding + 0) continue
        if (counts != "" && a[k] b[k] ~ /^[-+0-9]+$/) allowed = counts
        else allowed = about / 100 * size(a[k])
        if (size(a[k] - b[k]) > allowed) exit 1
      }
    }'
}

for document in "${documents[@]}"; do
  grep -q '^ *<!-- \(output\|run\|file\)' "$document" || continue
  folder=$work/${document//\//-}
  mkdir "$folder"
  cp -r examples atlas "$folder"
  mapfile -t lines <"$document"
  : >"$work/new"
  pending="" command="" flags="" left=no
  for ((k = 0; k < ${#lines[@]}; k++)); do
    line=${lines[k]} number=$((k + 1))
    printf '%s\n' "$line" >>"$work/new"
    if [[ $line =~ ^\ *\<\!--\ (output|run|file)([a-z0-9.%\ -]*):\ (.*[^\ ])\ *--\>$ ]]; then
      pending=${BASH_REMATCH[1]} flags=${BASH_REMATCH[2]} command=${BASH_REMATCH[3]}
      if [[ " $flags " == *" about "* ]] && [ -z "$(tolerance about "$flags")" ]; then
        echo "$document:$number: expected the tolerance behind 'about', such as 'about 5%'"
        bad=$((bad + 1))
      fi
      if [ $pending = run ]; then run "$command" "$flags"; pending=""; fi
      continue
    fi
    [ -n "$pending" ] || continue
    if ! [[ $line =~ ^\`\`\`([a-z]*)$ ]]; then
      [ -z "$line" ] && continue
      echo "$document:$number: expected a block after <!-- $pending: $command -->"
      bad=$((bad + 1)) pending=""
      continue
    fi
    kind=${BASH_REMATCH[1]}
    : >"$work/was"
    for ((k++; k < ${#lines[@]}; k++)); do
      [ "${lines[k]}" != '```' ] || break
      printf '%s\n' "${lines[k]}" >>"$work/was"
    done
    if [ $pending = file ]; then
      cp "$work/was" "$folder/$command"
      cat "$work/was" >>"$work/new"
    else
      left=no
      case " $flags " in *" slow "*) [ $check = no ] || [ "${CAPSTAN_LEVEL:-test}" = all ] || left=yes ;; esac
      if [ $left = yes ]; then
        skipped=$((skipped + 1))
        cat "$work/was" >>"$work/new"
      else
        blocks=$((blocks + 1))
        run "$command" "$flags"
        if [ "$kind" = console ]; then
          { printf '$ %s\n' "${command%% | *}"; cat "$work/now"; } >"$work/shown"
          mv "$work/shown" "$work/now"
        fi
        if [ $check = yes ] && ! same "$flags"; then
          echo "$document:$number: this is not what '$command' prints (scripts/sample_output.sh $document writes it):"
          diff "$work/was" "$work/now" | head -n 20 || true
          bad=$((bad + 1))
        fi
        if [ $check = no ] && same "$flags"; then cat "$work/was"; else cat "$work/now"; fi >>"$work/new"
      fi
    fi
    printf '```\n' >>"$work/new"
    pending=""
  done
  if [ $check = no ] && ! cmp -s "$work/new" "$document"; then
    cp "$work/new" "$document"
    echo "$document: written"
  fi
done
[ $bad = 0 ] || { echo "$bad findings in sample output"; exit 1; }
echo "sample output: $blocks blocks are what the commands print$([ $skipped = 0 ] || echo ", $skipped slow ones are left to make test-all")"
