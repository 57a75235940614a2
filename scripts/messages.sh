#!/usr/bin/env bash
# Every message of the program with its four parts: what is wrong; what was expected; what was found; the nearest remedy.
#   scripts/messages.sh            one line each: place, kind, and the parts between | marks; `-` where there is none
#   scripts/messages.sh --check    only what lacks an expected value though it refuses an input
#   scripts/messages.sh --missing  what has no expected value, each with the reason why it needs none
#
# The parts follow from how messages are worded (CONTRIBUTING.md): `; ` ends a part; "expected ..." or "requires ..." begins what was
# expected, ", got ..." what was found; a clause that begins with an order ("use", "set", "remove", "did you mean") is the remedy.
# What is wrong may itself show what was found, by a conversion (%s, %d). Kinds are those of scripts/messages.awk: `input` and
# `unsupported` refuse an input; `reason` and `part` are put into other messages and are listed only.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=${1:-}

# Messages of refused input for which no expected value exists: a pattern for the text, and why. One that fits nothing is a finding.
exempt='
out of memory	not a fault of the input
^internal (error|mismatch)	a fault of the program, which only its authors can mend
conflicts with .*; (specify|remove|use) 	of two keys that exclude each other one is to be missing: no value is expected, and the remedy says what stays
provides no tangent	an analysis asks for it, not the file
(: |; |, )%s$	what is put in at the end is a message of its own
^%s \(within what starts in line %d\)$	what is put in at the start is a message of its own
(^|: )unknown (key|parameter) "	all names would fill a page: the nearest one is the remedy
unknown name %s$	what a formula may name is known where it stands: who evaluates it says that
cannot be read to its end	the file system fails, not the text
'

mapfile -t files < <(find src -name '*.c' | LC_ALL=C sort)
awk -f scripts/messages.awk pass=1 "${files[@]}" pass=2 "${files[@]}" pass=3 "${files[@]}" | LC_ALL=C sort -t: -k1,1 -k2,2n | uniq |
  exempt=$exempt awk -F'\t' -v mode="$mode" '
    BEGIN {
      n = split(ENVIRON["exempt"], line, "\n")
      for (k = 1; k <= n; k++) if (split(line[k], field, "\t") == 2) { pattern[++npattern] = field[1]; why[npattern] = field[2] }
      order = "^(add|begin|change|check|choose|close|correct|did you mean|divide|end|enter|fix|give|increase|install|keep|leave|let|lower|" \
        "make|mark|move|name|omit|put|quote|reduce|remove|rename|repeat|replace|reverse|run|save|select|set|shorten|specify|split|" \
        "start|take|try|turn|use|widen|write)( |$)"
    }

    { wrong = expected = found = remedy = ""; take($3) }
    mode == "" { print $1 "\t" $2 "\t" part(wrong) " | " part(expected) " | " part(found) " | " part(remedy) }
    $2 == "input" || $2 == "unsupported" {
      refused++
      if (expected != "") { said++; next }
      for (k = 1; k <= npattern; k++) if ($3 ~ pattern[k]) { fits[k]++; if (mode == "--missing") print $1 "\t" $3 "\t" why[k]; next }
      lacking++
      if (mode == "--check") print $1 ": no expected value: " $3
    }
    END {
      if (mode != "--check") exit
      for (k = 1; k <= npattern; k++) if (!fits[k]) { print "scripts/messages.sh: no message is like: " pattern[k]; lacking++ }
      if (lacking) { print lacking + 0 " of " refused " messages of refused input do not say what was expected"; exit 1 }
      print NR " messages; of " refused " that refuse an input " said " say what was expected, " refused - said " need not"
    }

    function part(text) { return text == "" ? "-" : text }
    function join(a, b) { return a == "" ? b : a "; " b }

    # The clauses of a text, at each "; " outside of brackets and quotes.
    function take(text,   k, c, depth, quoted, from) {
      from = 1
      for (k = 1; k <= length(text); k++) {
        c = substr(text, k, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "(" && !quoted) depth++
        else if (c == ")" && !quoted) depth--
        else if (c == ";" && !quoted && depth <= 0 && substr(text, k + 1, 1) == " ") { clause(substr(text, from, k - from)); from = k + 2 }
      }
      clause(substr(text, from))
    }
    function clause(text,   at) {
      if (match(text, /, got [^,]*$|, got .*/)) { found = join(found, substr(text, RSTART + 6)); text = substr(text, 1, RSTART - 1) }
      if (match(text, /(^|: )(expected|requires) /)) {
        at = RSTART + (substr(text, RSTART, 1) == ":" ? 2 : 0)
        expected = join(expected, substr(text, at))
        if (at > 3) wrong = join(wrong, substr(text, 1, at - 3))
      }
      else if (match(text, /^use one of: /)) { expected = join(expected, substr(text, 5)); remedy = join(remedy, text) }
      else if (text ~ order) remedy = join(remedy, text)
      else {
        wrong = join(wrong, text)
        if (text ~ /%[-+ #0-9.*]*(ll|z|l)?[A-Za-z]/ && found == "") found = "(in what is wrong)"
      }
    }'
