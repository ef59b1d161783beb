#!/usr/bin/env bash
# source_commit.sh CMAKE SOURCE: which commit a build says it is of: in a clone, in a changed one, in an archive, and in sources of which nobody knows.
set -euo pipefail
cmake=$1 source=$2
command -v git >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE="2020-02-03T12:00:00Z" GIT_COMMITTER_DATE="2020-02-03T12:00:00Z"
says() {  # FOLDER COMMIT DATE
  SOURCE_DATE_EPOCH=0 "$cmake" -D SOURCE="$1" -D HEADER="$work/header" -P "$source/cmake/source_commit.cmake"
  printf '#pragma once\n#define ARDVARK_COMMIT "%s"\n#define ARDVARK_DATE "%s"\n' "$2" "$3" | diff - "$work/header"
}
mkdir -p "$work/clone/cmake" "$work/plain"
cp "$source/.gitattributes" "$work/clone"
cp "$source/cmake/source_commit" "$work/clone/cmake"
cp -r "$work/clone/cmake" "$work/plain"
says "$work/plain" "" 1970-01-01
cd "$work/clone"
git init -q
git add .
git commit -qm "All of it"
hash=$(git rev-parse --short=12 HEAD)
says "$work/clone" "$hash of 2020-02-03" 2020-02-03
touch -d 2001-01-01 "$work/header"
says "$work/clone" "$hash of 2020-02-03" 2020-02-03
[ "$(stat -c %Y "$work/header")" = "$(date -d 2001-01-01 +%s)" ] || { echo "a header that is right was written again"; exit 1; }
mkdir inside  # another project's repository that holds the sources
git archive HEAD | tar -x -C inside
says "$work/clone/inside" "$(git log -1 --format=%h) of 2020-02-03" 2020-02-03
cp "$source/cmake/source_commit" inside/cmake
says "$work/clone/inside" "" 1970-01-01
rm cmake/source_commit
cp "$source/cmake/source_commit" cmake
echo more >>cmake/source_commit
says "$work/clone" "$hash of 2020-02-03, and changes since then" 2020-02-03
