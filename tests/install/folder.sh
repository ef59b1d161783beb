#!/usr/bin/env bash
# folder.sh CMAKE SOURCE [--build]: another project takes the sources by FetchContent and links the library. It gets the libraries alone: no program, no
# tests, nothing that its own installation would install, and no warning of theirs stops it. With --build, its program is built and run.
set -euo pipefail
cmake=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/tests/install/consumer/main.cpp" "$work"
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
include(FetchContent)
FetchContent_Declare(ardvark SOURCE_DIR $source)
FetchContent_MakeAvailable(ardvark)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE ardvark::ardvark)
install(TARGETS consumer)
END
"$cmake" -S "$work" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -G "Unix Makefiles" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/build" --target help | sed 's/^[. ]*//' >"$work/targets"
for target in ardvark ardvark_c consumer; do grep -qE "^$target(:| |$)" "$work/targets" || { echo "folder: there is no target $target"; exit 1; }; done
if grep -E "^(ardvark_cli|ardvark_commands|test_)" "$work/targets"; then echo "folder: these targets are not for another project"; exit 1; fi
flags=$work/build/_deps/ardvark-build/CMakeFiles/ardvark.dir/flags.make
[ -s "$flags" ] || { echo "folder: there is no $flags"; exit 1; }
if grep -q Werror "$flags"; then echo "folder: a warning would stop the other project"; exit 1; fi
if grep -l "ardvark.h\|libardvark" -r "$work/build" --include=cmake_install.cmake; then
  echo "folder: the other project would install the library"
  exit 1
fi
if [ "${3:-}" = --build ]; then
  "$cmake" --build "$work/build" --target consumer --parallel "$(nproc)" >"$work/log" 2>&1 || { tail -50 "$work/log"; exit 1; }
  find "$work/build" -name consumer -type f -perm -u+x -exec {} \;
fi
