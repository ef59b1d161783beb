#!/usr/bin/env bash
# pkg_config.sh PREFIX CXX CC SOURCE: programs of C++ and of C build and run by what pkg-config says of an installed library.
set -euo pipefail
prefix=$1 cxx=$2 cc=$3 source=$4
command -v pkg-config >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$prefix" "$work/moved"  # the files find their prefix from where they lie
libraries=$(find "$work/moved" -name ardvark.pc -printf '%h\n')
export PKG_CONFIG_PATH=$libraries
[ "$(pkg-config --modversion ardvark)" = "$(pkg-config --modversion ardvark-cpp)" ]
"$cxx" -std=c++20 -O1 "$source/tests/install/consumer/main.cpp" -o "$work/cpp" $(pkg-config --cflags --libs ardvark-cpp)
"$work/cpp"
if ldd "$work/cpp" | grep -F libardvark; then echo "pkg_config: the C++ library is static" >&2; exit 1; fi
"$cc" -std=c11 "$source/tests/capi/fit_predict.c" -o "$work/c" $(pkg-config --cflags --libs ardvark) -lm
LD_LIBRARY_PATH=$(dirname "$libraries") "$work/c" | grep -qx ok
