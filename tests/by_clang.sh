#!/bin/sh
# by_clang.sh CLANG COMPILER ARGUMENTS...: the launcher of COMPILER's commands that lets clang compile instead, by ccache where it is.
clang=$1
shift 2
header=no
for word; do
  shift
  case $word in
    --param=* | -fpch-preprocess | -Wno-maybe-uninitialized) continue ;;  # only g++ knows them
    -Wshadow) continue ;;  # of clang also of other names in a lot of files
    c++-header) header=yes ;;
    *.gch) [ $header = no ] || rm -f "$word" ;;  # else clang would begin with the old one
  esac
  set -- "$@" "$word"
done
if command -v ccache >/dev/null; then
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  exec ccache "$clang" -Xclang -fno-pch-timestamp "$@"
fi
exec "$clang" "$@"
