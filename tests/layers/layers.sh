#!/usr/bin/env bash
# Refuses an include that goes up.
#   layers.sh TABLE FOLDER SUFFIX   the rows of TABLE (`| `name/`, ... |`) from the lowest to the highest; FOLDER holds what they name
# SUFFIX is cpp (folders, #include "folder/file.hpp") or py (modules, from .module import).
set -euo pipefail
table=$1 folder=$2 suffix=$3
edges() {  # file, its unit, the unit that it names
  if [ "$suffix" = cpp ]; then
    (cd "$folder" && grep -roE --include=*.cpp --include=*.hpp '^ *# *include "[^"]+"' . | sed -nE 's|^\./(.*)/([^/]+):.*"(.*)/[^/]+"$|\1/\2 \1 \3|p')
    (cd "$folder" && find . -name '*.[ch]pp' | sed -nE 's|^\./(.*)/([^/]+)$|\1/\2 \1 \1|p')
  else
    (cd "$folder" && grep -oE '^ *from \.[a-z_]+(\.[a-z_]+)* import|^ *from \. import [a-z_]+' *.py | grep -v '^__init__' |
      sed -E 's/^([a-z_]+)\.py: *from \.([a-z_]+).*/\1.py \1 \2/; s/^([a-z_]+)\.py: *from \. import ([a-z_]+).*/\1.py \1 \2/')
    (cd "$folder" && { grep -roE --include=*.py '^ *from \.\.[a-z_]+' . || true; } | sed -nE 's|^\./([^/]+)/([^:]+):.*\.\.(.*)$|\1/\2 \1 \3|p')
    (cd "$folder" && ls *.py | grep -v '^__init__' | sed -E 's/^(.*)\.py$/\1.py \1 \1/')
  fi
}
edges | awk -v table="$table" '
  BEGIN {
    while ((getline line < table) > 0) {
      if (line !~ /^\| `/) continue
      ++row
      split(line, cell, "|")
      while (match(cell[2], /`[^`]+`/)) {
        name = substr(cell[2], RSTART + 1, RLENGTH - 2); sub(/\/$/, "", name)
        level[name] = row
        cell[2] = substr(cell[2], RSTART + RLENGTH)
      }
    }
    if (row == 0) { print "layers: " table " has no rows"; bad = 1; exit }
  }
  $3 == "ardvark" { next }  # public headers
  !($2 in level) { print "layers: " $1 ": " table " does not say what " $2 " is for"; bad = 1; next }
  !($3 in level) { print "layers: " $1 " includes from " $3 ", which " table " does not know"; bad = 1; next }
  { seen[$2]; count += $2 != $3 }
  $2 != $3 && level[$3] >= level[$2] { print "layers: " $1 " includes from " $3 ", which is not below " $2; bad = 1 }
  END {
    for (name in level) if (!(name in seen)) { print "layers: " table " names " name ", and there is no such thing"; bad = 1 }
    if (!bad) print "layers: " count " includes, none goes up"
    exit bad
  }'
