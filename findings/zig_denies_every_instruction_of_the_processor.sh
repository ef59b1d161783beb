#!/usr/bin/env bash
# ziglang 0.17.1, a C and C++ compiler of the package index (clang with a runtime of its own). The question of a program that has kernels for
# several processors, __builtin_cpu_supports of gcc and clang, compiles and links without a warning, and its answer is always no.
# Expected: yes for sse2, which every x86-64 processor has. Seen: no, after __builtin_cpu_init too: a library that chooses its kernels so runs
# its slowest ones in every wheel that is built with this compiler.
# Exits with 1 if this changes. Needs python3, PyPI, Linux on x86-64, and a minute.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check ziglang==0.17.1
cd "$folder"
cat >question.c <<'C'
#include <stdio.h>
int main(void) {
  __builtin_cpu_init();
  printf("sse: %s, sse2: %s\n", __builtin_cpu_supports("sse") ? "yes" : "no", __builtin_cpu_supports("sse2") ? "yes" : "no");
  return 0;
}
C
export ZIG_GLOBAL_CACHE_DIR=$folder/cache ZIG_LOCAL_CACHE_DIR=$folder/cache
venv/bin/python -m ziglang cc -O2 -Wall -Wextra -target x86_64-linux-gnu.2.27 question.c -o question
seen=$(./question)
echo "$seen"
[ "$seen" = "sse: no, sse2: no" ] || { echo changed; exit 1; }
