#!/usr/bin/env bash
# examples.sh CMAKE PREFIX EXAMPLES PAGE... -- OPTIONS...
#
# Runs the examples of Markdown pages. A fenced block counts when the line before it, or before a blank line, is <!-- tested -->:
#   ```sh   runs with bash -eu, and must exit with 0. The blocks of a page run in order, in one folder that holds examples/, with
#           the installed `ardvark` on the path.
#   ```cpp  is a whole program. It is built with find_package(ardvark), the OPTIONS being cmake's, and must exit with 0; it runs in
#           the folder of its page, before the page's shell blocks.
# A block ```text marked <!-- printed --> is what the shell block before it prints: its lines, in their order, others between them left out.
# Numbers may differ by 2%, or by .02 where they are small: the last digits are those of a processor. Behind "..." a line may go on as it likes.
# Marked blocks of another language are an error, and so are pages that together hold none.
set -euo pipefail
cmake=$1 prefix=$2 examples=$3
shift 3
pages=()
while [ $# -gt 0 ] && [ "$1" != "--" ]; do
  pages+=("$1")
  shift
done
[ $# -gt 0 ] && shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes each marked block of a page to FOLDER/block_LINE.LANGUAGE.
extract() {
  awk -v folder="$2" -v page="$1" '
    !inside && /^<!-- (tested|printed) -->[ \t]*$/ { marked = $2; next }
    !inside && /^```/ {
      inside = 1
      language = substr($1, 4)
      if (marked == "tested" && language != "sh" && language != "cpp" || marked == "printed" && language != "text") {
        printf "%s:%d: a block marked <!-- tested --> must be sh or cpp, one <!-- printed --> text, not \"%s\"\n", page, NR, language > "/dev/stderr"
        failed = 1
        exit
      }
      file = marked != "" ? sprintf("%s/block_%05d.%s", folder, NR, language) : ""
      if (file != "") printf "" > file
      marked = ""
      next
    }
    inside && /^```[ \t]*$/ { inside = 0; next }
    inside { if (file != "") print > file; next }
    NF && marked != "" {
      printf "%s:%d: <!-- %s --> is not followed by a fenced block\n", page, NR, marked > "/dev/stderr"
      failed = 1
      exit
    }
    END { exit failed }
  ' "$1"
}

# Whether what was printed has the lines of the block BLOCK, in this order.
has_lines() {
  awk '
    function alike(a, b,    difference, size) {
      if (a == b) return 1
      if (a !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?,?$/ || b !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?,?$/) return 0
      difference = a - b; size = a + 0
      if (difference < 0) difference = -difference
      if (size < 0) size = -size
      return difference <= 0.02 * size || difference <= 0.02 && size < 1
    }
    NR == FNR { if (NF) wanted[++count] = $0; next }
    found < count {
      num = split(wanted[found + 1], words)
      if (words[num] == "...") { if (NF < --num) next } else if (num != NF) next
      for (i = 1; i <= num; ++i) if (!alike(words[i], $i)) next
      ++found
    }
    END {
      if (found == count) exit 0
      printf "not printed: %s\n", wanted[found + 1] > "/dev/stderr"
      exit 1
    }
  ' "$1" -
}

projects=$work/projects
mkdir -p "$projects"
cat >"$projects/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(documentation LANGUAGES CXX)
find_package(ardvark REQUIRED)
file(GLOB sources ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ardvark::ardvark)
endforeach()
CMAKE

num_blocks=0 num_programs=0
for i in "${!pages[@]}"; do
  blocks=$work/blocks_$i
  mkdir -p "$blocks"
  extract "${pages[$i]}" "$blocks"
  for block in "$blocks"/block_*; do
    [ -e "$block" ] || continue
    num_blocks=$((num_blocks + 1))
    if [[ $block == *.cpp ]]; then
      num_programs=$((num_programs + 1))
      cp "$block" "$projects/page_${i}_$(basename "$block")"
    fi
  done
done
if [ $num_blocks -eq 0 ]; then
  echo "no block of ${pages[*]} is marked <!-- tested -->" >&2
  exit 1
fi
if [ $num_programs -gt 0 ]; then
  "$cmake" -S "$projects" -B "$projects/build" "$@" >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
  "$cmake" --build "$projects/build" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
fi

export PATH=$prefix/bin:$PATH
num_failed=0
for i in "${!pages[@]}"; do
  folder=$work/folder_$i
  mkdir -p "$folder"
  cp -r "$examples" "$folder/examples"
  mapfile -t in_order < <(cd "$work/blocks_$i" && find . -name '*.cpp' | sort && find . ! -name '*.cpp' -type f | sort)
  : >"$work/output.log"
  for name in "${in_order[@]}"; do
    block=$work/blocks_$i/$name
    line=$((10#${name//[^0-9]/}))
    if [[ $block == *.text ]]; then
      if has_lines "$block" <"$work/output.log"; then
        echo "${pages[$i]}:$line: is printed"
      else
        echo "${pages[$i]}:$line: is not what the block before it prints" >&2
        num_failed=$((num_failed + 1))
      fi
      continue
    fi
    if [[ $block == *.cpp ]]; then
      command=("$projects/build/page_${i}_$(basename "$name" .cpp)")
    else
      command=(bash -eu -o pipefail "$block")
    fi
    if (cd "$folder" && "${command[@]}") >"$work/output.log" 2>&1 </dev/null; then
      echo "${pages[$i]}:$line: works"
    else
      echo "${pages[$i]}:$line: fails" >&2
      cat "$work/output.log" >&2
      num_failed=$((num_failed + 1))
    fi
  done
done
echo "$num_blocks examples, $num_failed failed"
[ $num_failed -eq 0 ]
