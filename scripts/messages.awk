# scripts/messages.awk — every message of C sources, one a line: PLACE, KIND, TEXT, separated by tabs. Used by scripts/messages.sh.
#
# Each file is given three times: `pass` 1 and 2 find the functions that hand a text on to a message (wrappers), pass 3 lists.
#   awk -f scripts/messages.awk pass=1 FILE... pass=2 FILE... pass=3 FILE...
#
# A function lies between a line "{" and a line "}", as clang-format writes them; there are no messages elsewhere.

BEGIN {
  # name -> position of its format; kinds of cap_status_fail come from its status
  format["cap_diag_add"] = 5; format["cap_diag_at"] = 3; format["cap_diag_warn"] = 3
  format["cap_diag_put"] = 6; format["cap_diag_note"] = 4
  format["cap_status_fail"] = 3; format["cap_status_fail_at"] = 4; format["cap_writer_note"] = 2; format["fprintf"] = 2
  kind_of["cap_diag_add"] = "input"; kind_of["cap_diag_at"] = "input"; kind_of["cap_diag_warn"] = "warning"
  kind_of["cap_writer_note"] = "note"; kind_of["cap_diag_put"] = "input"; kind_of["cap_diag_note"] = "note"
  status_kind["CAP_ERR_INPUT"] = "input"; status_kind["CAP_ERR_UNSUPPORTED"] = "unsupported"
  status_kind["CAP_ERR_NOMEM"] = "memory"; status_kind["CAP_ERR_IO"] = "file"; status_kind["CAP_ERR_NUMERICS"] = "numerics"
  status_kind["CAP_STOPPED"] = "interrupted"
  status_kind["CAP_RETRY_NOCONV"] = "numerics"; status_kind["CAP_RETRY_NONFINITE"] = "numerics"
}

FNR == 1 { inside = 0; signature = "" }
!inside && $0 == "{" { inside = 1; nline = 0; start = FNR; next }
inside && $0 == "}" { inside = 0; take_function(); signature = ""; next }
inside { lines[++nline] = $0; next }
/^$|^}|;$|^#|^\/\*|^ \*/ { signature = ""; next }
{ signature = signature " " $0 }

# Tokens of the function: T text, K kind (i name, s string, p the rest), N line.
function tokenise(   k, rest, comment, at, t) {
  ntoken = 0; comment = 0
  for (k = 1; k <= nline; k++) {
    rest = lines[k]
    while (rest != "") {
      if (comment) {
        if (!(at = index(rest, "*/"))) break
        rest = substr(rest, at + 2); comment = 0; continue
      }
      if (!match(rest, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\/|[A-Za-z_][A-Za-z_0-9]*|->|[^ \t\\]/)) break
      t = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      if (t == "/*") { comment = 1; continue }
      if (t == "//") break
      T[++ntoken] = t; N[ntoken] = start + k
      K[ntoken] = t ~ /^"/ ? "s" : t ~ /^[A-Za-z_]/ ? "i" : "p"
      if (K[ntoken] == "s") T[ntoken] = substr(t, 2, length(t) - 2)
    }
  }
}

# The name and the parameters of the function from its signature: name, nparam, param[k]; variadic.
function read_signature(   s, depth, k, c, list, n, part) {
  s = signature; sub(/ +$/, "", s)
  nparam = variadic = 0; name = ""
  if (s !~ /\)$/) return
  depth = 0
  for (k = length(s); k > 0; k--) {
    c = substr(s, k, 1)
    if (c == ")") depth++
    else if (c == "(" && --depth == 0) break
  }
  list = substr(s, k + 1, length(s) - k - 1); s = substr(s, 1, k - 1)
  is_static = s ~ /(^| )static /
  if (match(s, /[A-Za-z_][A-Za-z_0-9]*$/)) name = substr(s, RSTART)
  n = split(list, part, ",")
  for (k = 1; k <= n; k++) {
    if (part[k] ~ /\.\.\./) { variadic = 1; continue }
    param[++nparam] = ""
    if (part[k] ~ /char \*/ && match(part[k], /[A-Za-z_][A-Za-z_0-9]* *$/)) {
      param[nparam] = substr(part[k], RSTART); sub(/ +$/, "", param[nparam])
    }
  }
}

# The key of a function of this file or of all.
function key_of(called) { return ((FILENAME "\t" called) in format) || ((FILENAME "\t" called) in hands) ? FILENAME "\t" called : called }

function take_function(   k, body, key) {
  read_signature()
  if (name == "" || name in kind_of || name ~ /^cap_status_fail/) return
  tokenise()
  own = is_static ? FILENAME "\t" name : name
  printed = 0
  for (k = 1; k < ntoken; k++) {
    if (K[k] != "i" || T[k + 1] != "(") {
      if (pass == 3 && K[k] == "i" && T[k] == "return" && K[k + 1] == "s") reason(k + 1)
      continue
    }
    key = key_of(T[k])
    if (T[k] == "vsnprintf") printed = 1
    if (key in format || key in hands) {
      call(k, key)
      if (variadic && printed && !(own in format)) { format[own] = nparam; kind_of[own] = key == "fprintf" ? "program" : kind_of[key] } # what it printed goes on
    }
    else if (T[k] == "snprintf") written(k)
  }
}

# The arguments of the call at token k: narg, from[], to[].
function arguments(k,   depth, at) {
  narg = 0; depth = 0
  for (at = k + 1; at <= ntoken; at++) {
    if (T[at] == "(" || T[at] == "{" || T[at] == "[") { if (K[at] == "p" && ++depth == 1) from[++narg] = at + 1 }
    else if (T[at] == ")" || T[at] == "}" || T[at] == "]") { if (K[at] == "p" && --depth == 0) { to[narg] = at - 1; return } }
    else if (T[at] == "," && K[at] == "p" && depth == 1) { to[narg] = at - 1; from[++narg] = at + 1 }
  }
  to[narg] = ntoken
}

# The texts that tokens a to b may be: choices of `? :` one by one, \001NAME for a parameter; into choice[1..nchoice].
function choices(a, b,   at, depth, mark, other, text, found) {
  while (K[a] == "p" && T[a] == "(" && K[b] == "p" && T[b] == ")") { a++; b-- }
  depth = 0; mark = 0
  for (at = a; at <= b; at++) {
    if (K[at] != "p") continue
    if (T[at] ~ /^[([{]$/) depth++
    else if (T[at] ~ /^[])}]$/) depth--
    else if (depth == 0 && T[at] == "?") { mark = at; break }
  }
  if (mark) {
    other = 0; depth = 0
    for (at = mark + 1; at <= b; at++) {
      if (K[at] != "p") continue
      if (T[at] ~ /^[([{]$/) depth++
      else if (T[at] ~ /^[])}]$/) depth--
      else if (depth == 0 && T[at] == "?") other++
      else if (depth == 0 && T[at] == ":" && other-- == 0) break
    }
    choices(mark + 1, at - 1); choices(at + 1, b)
    return
  }
  text = ""; found = 0
  for (at = a; at <= b; at++) {
    if (K[at] == "s") { text = text T[at]; found = 1 }
    else if (K[at] == "p") { found = 0; break }
    else if (!found && T[at] !~ /^PRI/) break
  }
  if (found) choice[++nchoice] = text
  else if (a == b && K[a] == "i" && is_param(T[a])) choice[++nchoice] = "\001" T[a]
}

function is_param(word,   k) { for (k = 1; k <= nparam; k++) if (param[k] == word) return k; return 0 }

# Words of a text, conversions and punctuation left out.
function words(text) { gsub(/%[-+ #0-9.*]*(ll|z|l)?[A-Za-z]|\\n|\\"/, " ", text); gsub(/[^A-Za-z -]/, "", text); return split(text, dummy, /[ -]+/) - (text ~ /^[ -]/) - (text ~ /[ -]$/) }

# A call of something that takes a message, or a part of one.
function call(k, key,   f, kind, c, n, texts, p) {
  arguments(k)
  if (key == "fprintf" && T[from[1]] != "stderr") return
  kind = key ~ /^cap_status_fail/ ? status_kind[T[from[2]]] : key == "fprintf" ? "program" : kind_of[key]
  if (key ~ /^cap_status_fail/ && kind == "") kind = "any" # the status is a variable
  if (key in format && (f = format[key]) <= narg) {
    nchoice = 0; choices(from[f], to[f]); n = nchoice
    for (c = 1; c <= n; c++) texts[c] = choice[c]
    for (c = 1; c <= n; c++) expand(N[k], kind, texts[c], f)
    if (variadic && n == 0 && own != key) { format[own] = nparam; kind_of[own] = kind } # hands its format on, through va_list
  }
  if (key in hands)
    for (p = 1; p <= narg; p++)
      if ((key, p) in template) {
        nchoice = 0; choices(from[p], to[p]); n = nchoice
        for (c = 1; c <= n; c++) texts[c] = choice[c]
        for (c = 1; c <= n; c++) put(N[k], kind_of[key], template[key, p], texts[c])
      }
}

# A format with its arguments: those that are texts of several words, or parameters, are put in.
function expand(line, kind, text, f,   rest, done, conversion, at, c, n, many, took) {
  if (substr(text, 1, 1) == "\001") { put(line, kind, "\001", text); return }
  rest = text; done = ""; at = f; many = 0
  if (variadic && words(text) < 2 && nparam > 0 && index(text, "%s")) { # cap_diag_at(d, key, "%s", text) of a va_list
    if (!(own in format) && own !~ /^cap_diag|^cap_status/) { format[own] = nparam; kind_of[own] = kind }
    return
  }
  while (match(rest, /%[-+ #0-9.*]*(ll|z|l)?[A-Za-z]/)) {
    conversion = substr(rest, RSTART, RLENGTH)
    done = done substr(rest, 1, RSTART - 1); rest = substr(rest, RSTART + RLENGTH)
    at += 1 + gsub(/\*/, "*", conversion)
    if (conversion ~ /s$/ && at <= narg) {
      nchoice = 0; choices(from[at], to[at]); n = nchoice
      for (c = 1; c <= n; c++) {
        took = choice[c]
        if (substr(took, 1, 1) == "\001" || words(took) >= 3) { many++; put(line, kind, done "\001" rest, took) }
      }
    }
    done = done conversion
  }
  if (!many) put(line, kind, text, "")
  else if (pass == 3 && !(own in hands)) put(line, kind, text, "")
}

# A template whose place \001 is a text, or a parameter of this function: then its callers have the text.
function put(line, kind, whole, text,   p, at) {
  if (substr(text, 1, 1) == "\001") {
    p = is_param(substr(text, 2))
    if (pass < 3 && !((own, p) in template)) { hands[own] = 1; template[own, p] = whole; kind_of[own] = kind }
    return
  }
  if ((at = index(whole, "\001"))) whole = substr(whole, 1, at - 1) text substr(whole, at + 1)
  if (pass == 3 && words(whole) >= 2) show(line, kind, whole)
}

function show(line, kind, text) {
  gsub(/\\n/, " ", text); gsub(/\\"/, "\"", text); gsub(/\\t/, " ", text); gsub(/%%/, "%", text); gsub(/ +$/, "", text)
  if (kind == "program" && !sub(/^capstan: */, "", text)) return
  print FILENAME ":" line "\t" kind "\t" text
}

# Why something is refused, returned to whoever writes the message.
function reason(k,   text) {
  text = T[k]
  while (K[k + 1] == "s") text = text T[++k]
  if (T[k + 1] == ";" && words(text) >= 4) show(N[k], "reason", text)
}

# Part of a message that is put together first.
function written(k) {
  if (pass < 3) return
  arguments(k)
  nchoice = 0; choices(from[3], to[3])
  if (nchoice == 1 && words(choice[1]) >= 4) show(N[k], "part", choice[1])
}
