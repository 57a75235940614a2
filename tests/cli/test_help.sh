#!/usr/bin/env bash
# Help, version, usage errors, man pages and completion: all from the tables of the commands.
source "$(dirname "$0")/program_lib.sh"

expect 0 --version
cp said.out version
expect 0 -V
cmp -s version said.out || fail "-V is not --version"
expect 0 help
for command in check run report export identify study atlas schema help; do prints "  $command "; done
expect 0 --help
cp said.out all
expect 0 -h
cmp -s all said.out || fail "-h is not --help"
expect 2
silent said.out

# help COMMAND is COMMAND --help, and names every option of the usage
commands=$("$program" help --words COMMAND)
[ "$(wc -l <<<"$commands")" -ge 9 ] || fail "too few commands"
for command in $commands; do
  expect 0 help "$command"
  cp said.out one
  expect 0 "$command" --help
  cmp -s one said.out || fail "help $command is not $command --help"
  for option in $(sed -n '/^usage/,/^$/p' one | grep -o -- '\[--*[a-z]*' | tr -d '['); do
    grep -q "^  \(-., \)\?$option\b" one || fail "help $command does not explain $option"
  done
  awk 'length > 79 {exit 1}' one || fail "help $command is wider than 79 columns"
done
expect 2 help rnu
says 'unknown command "rnu"; did you mean "run"?'

# what is wrong, what was expected, what was found
expect 2 rnu
says 'unknown command "rnu"; did you mean "run"?'
expect 2 run m.yaml --quite
says 'unknown option --quite; did you mean --quiet?'
says 'usage: capstan run MODEL.yaml'
says 'capstan help run explains it'
expect 2 run
says 'an argument is missing: MODEL.yaml'
expect 2 run a.yaml b.yaml
says 'unexpected argument "b.yaml"'
expect 2 run m.yaml -o
says '-o needs a value: OUT.h5'
expect 2 run m.yaml --quiet=yes
says '--quiet takes no value'
expect 2 run m.yaml --threads=two
says '--threads: expected a whole number from 1 to 2147483647, got "two"'
expect 2 identify x.csv --law=both2
says '--law: expected dahl, masing or both, got "both2"'
expect 2 atlas lits
says 'expected list or run, got "lits"'

# man pages: one for the program and one for each command, without a complaint
expect 0 help --man man
[ -s man/capstan.1 ] || fail "no capstan.1"
for command in $commands; do
  [ -s "man/capstan-$command.1" ] || fail "no capstan-$command.1"
  grep -q "capstan.-$command (1)" man/capstan.1 || fail "capstan.1 does not name $command"
  for option in $("$program" help "$command" | sed -n '/^options/,/^$/p' | grep -o -- '^  -[-a-z]*'); do
    grep -qF -- "${option//-/\\-}" "man/capstan-$command.1" || fail "capstan-$command.1 does not explain $option"
  done
done
if command -v groff >/dev/null; then
  for page in man/*.1; do
    groff -ww -man -Tascii "$page" >shown 2>complaints || fail "groff fails on $page"
    [ ! -s complaints ] || fail "$page: $(cat complaints)"
    LC_ALL=C grep -q '[^ -~[:space:]]' "$page" && fail "$page is not ASCII"
  done
  groff -man -Tascii man/capstan-run.1 | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' >shown
  grep -q 'change a key of the model, "load.amplitude=13 N"' shown || fail "quotes are lost: $(cat shown)"
else
  echo "groff is not here: the pages were not rendered"
fi

# completion in bash: subcommands, options, files by their endings, words of the program
expect 0 help --completion bash
cp said.out capstan.bash
bash -n capstan.bash || fail "bash does not take its completion"
touch a.yaml b.h5 c.csv d.txt
mkdir folder
ln -s "$program" capstan
export PATH=$place:$PATH CAPSTAN_ATLAS=$source_dir/atlas
complete_words() { # WORDS...: what completes the last one, sorted, on one line
  bash -c 'source ./capstan.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _capstan; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort | tr '\n' ' '
}
completes() { # EXPECTED WORDS...
  local wanted=$1 found
  shift
  found=$(complete_words "$@")
  [ "$found" = "$wanted " ] || fail "after '$*': $found, not $wanted"
}
completes 'run' capstan ru
completes '--resume' capstan run --res
completes "a.yaml folder man" capstan run ''
completes 'b.h5 folder man' capstan report ''
completes 'b.h5 folder man' capstan run a.yaml -o ''
completes "c.csv folder man" capstan identify ''
completes 'folder' capstan study s.yaml -o f
completes 'both dahl masing' capstan identify c.csv --law ''
completes 'list run' capstan atlas ''
completes 'kim-fig2' capstan atlas run kim-fig2
completes 'report' capstan help rep
[ "$(complete_words capstan '' | wc -w)" = "$(wc -w <<<"$commands")" ] || fail "not all commands are completed"
expect 0 help --completion zsh
grep -q '^#compdef capstan' said.out || fail "no completion for zsh"
if command -v zsh >/dev/null; then zsh -n said.out || fail "zsh does not take its completion"; fi
for command in $commands; do grep -q "^  $command)" said.out || fail "zsh does not complete $command"; done
expect 0 help --completion fish
if command -v fish >/dev/null; then fish -n said.out || fail "fish does not take its completion"; fi
for command in $commands; do grep -q "_from $command'" said.out || fail "fish does not complete $command"; done
echo "help, man pages and completion of $(wc -w <<<"$commands") commands"
