#!/usr/bin/env bash
# Refuses code that looks into the text of an error of this library: the fields of the error say what it is about. Neither does it look for
# words in notes, warnings and descriptions, or replace them: the place that knows writes them for the caller.
#   prose.sh FOLDER...    sources in C++, C, Python, Octave and R
# Texts of other programs have no fields: a line that reads one ends with a comment such as "of Arrow".
set -euo pipefail
bad=0
refuse() {  # files, pattern, what it is
  local found
  found=$(grep -rnE --include="$1" -- "$2" "${folders[@]}" | grep -vE '(//|#) of (Arrow|CLI11|DuckDB)$' || true)
  [ -z "$found" ] || { bad=1; sed "s/^/prose: $3: /" <<<"$found"; }
}
folders=("$@")
looks='(find|rfind|starts_with|ends_with|contains|substr|compare)'
for files in '*.cpp' '*.hpp'; do
  refuse "$files" '= *([A-Za-z:_]+\()*[a-z_]+(\.|->)what\(\)' 'keeps the text of an error'
  refuse "$files" "(\\bwhat\\(\\)[)}]*|\\bmessage)\\.$looks\\(" 'looks into the text of an error'
  refuse "$files" '[a-z_]*(row|argument|field|name)[a-z_]*\([a-z_]+\.what\(\)' 'takes an error apart'
  refuse "$files" '(what\(\)|\bmessage) *[!=]= *[^ "]|strstr\(.*what\(\)' 'compares the text of an error'
  refuse "$files" '\b(meaning|why|remedy|reason|note)\)* *[!=]= *"[^"]' 'compares a sentence'
done
for files in '*.c' '*.h'; do
  refuse "$files" '\b(strstr|strcmp|strncmp|strchr|sscanf|regexec)\([^)"]*\bmessage\b' 'looks into the text of an error'
done
error='(error|err|e|exc|failure|problem|of_file|caught)'
refuse '*.py' "\\bre\\.[a-z]+\\(.*\\bstr\\($error\\)" 'takes an error apart'
refuse '*.py' "= *str\\($error\\)" 'keeps the text of an error'
refuse '*.py' "\\bin str\\($error\\)|\" in message\\b" 'looks into the text of an error'
refuse '*.py' "\\bstr\\($error\\)\\.(replace|split|rsplit|find|index|startswith|endswith|partition|rpartition|removeprefix|removesuffix|strip|lstrip|rstrip)\\b" 'takes an error apart'
# A text of more than one word, or with an option.
words="[rf]?[rf]?([\"'])[^\"']*([A-Za-z,)] [A-Za-z({-]|--[a-z])"
refuse '*.py' "\\.(replace|split|rsplit|find|index|count|startswith|endswith|partition|rpartition|removeprefix|removesuffix)\\($words" 'takes a sentence apart'
refuse '*.py' "\\bre\\.[a-z]+\\($words" 'takes a sentence apart'
refuse '*.py' "^[^>#]*$words[^\"']*[\"'] (not )?in [a-z]" 'looks for words in a sentence'
refuse '*.m' '^[^%]*\b(strfind|regexp|regexprep|strrep|strncmp|strcmp|strsplit|textscan|sscanf)i? *\([^)]*(\.message|lasterr)' 'looks into the text of an error'
refuse '*.R' '\b(grepl?|sub|gsub|g?regexpr|regexec|strsplit|startsWith|endsWith|substr|substring)\([^#]*\b(conditionMessage|geterrmessage)\(' 'looks into the text of an error'
[ $bad = 0 ] && echo 'prose: nobody looks into the text of an error'
exit $bad
