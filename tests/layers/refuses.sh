#!/usr/bin/env bash
# layers.sh and namespaces.sh refuse what they must.
#   refuses.sh FOLDER    the folder of both
set -euo pipefail
layers=$1/layers.sh namespaces=$1/namespaces.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/{low,left,right} "$tree/package"
printf '| folder | for |\n|---|---|\n| `low/` | a |\n| `left/`, `right/` | b |\n' >"$tree/table.md"
for folder in low left right; do echo '#include "ardvark/types.hpp"' >"$tree/src/$folder/file.hpp"; done
echo '#include "low/file.hpp"' >"$tree/src/left/file.cpp"
says() {  # what must be said; then the arguments of layers.sh
  local wanted=$1 said
  shift
  if said=$(bash "$layers" "$@" 2>&1); then echo "accepted: $wanted"; exit 1; fi
  grep -qF "$wanted" <<<"$said" || { echo "said '$said', not '$wanted'"; exit 1; }
}
bash "$layers" "$tree/table.md" "$tree/src" cpp | grep -q ' none goes up'
echo '#include "left/file.hpp"' >"$tree/src/low/up.cpp"
says 'low/up.cpp includes from left, which is not below low' "$tree/table.md" "$tree/src" cpp
echo '#include "right/file.hpp"' >"$tree/src/low/up.cpp" && mv "$tree/src/low/up.cpp" "$tree/src/left/beside.cpp"
says 'left/beside.cpp includes from right, which is not below left' "$tree/table.md" "$tree/src" cpp
rm "$tree/src/left/beside.cpp"
mkdir "$tree/src/new" && touch "$tree/src/new/file.hpp"
says 'does not say what new is for' "$tree/table.md" "$tree/src" cpp
rm -r "$tree/src/new" "$tree/src/right"
says 'names right, and there is no such thing' "$tree/table.md" "$tree/src" cpp
printf '| `_low` | a |\n| `_high` | b |\n' >"$tree/modules.md"
echo 'from ._high import something' >"$tree/package/_low.py"
echo 'from . import _low' >"$tree/package/_high.py"
says '_low.py includes from _high, which is not below _low' "$tree/modules.md" "$tree/package" py
mkdir "$tree/package/plot" && echo 'from .._high import x' >"$tree/package/plot/draw.py" && rm "$tree/package/_low.py" && touch "$tree/package/_low.py"
says 'plot/draw.py: ' "$tree/modules.md" "$tree/package" py
mkdir "$tree/names"
printf 'namespace ardvark::internal {\nint f();\n}\n' >"$tree/names/own.hpp"
printf 'namespace ardvark {\nstruct Filter::State {\n};\n}\n' >"$tree/names/nested.hpp"
bash "$namespaces" "$tree/names" >/dev/null
for name in ardvark other; do
  printf 'namespace %s {\nint f();\n}\n' $name >"$tree/names/bad.hpp"
  if bash "$namespaces" "$tree/names" >/dev/null; then echo "accepted: namespace $name"; exit 1; fi
done
echo 'an include that goes up and an internal header outside ardvark::internal are refused'
