#!/usr/bin/env bash
# ziglang 0.17.1, the C and C++ compiler of the package index with which wheels are built for an old glibc. A shared library that calls exp takes
# it from the system's libm, as with gcc. If one line anywhere in the library divides integers of 128 bits, exp (and log, sin, memcpy) comes from
# Zig's own runtime instead: the division needs that runtime, which is one object and brings them all.
# Expected: the numbers of exp do not depend on a division elsewhere. Seen: about one in ten of 40,001 values differs in its last bit, without a
# word, and the library has an exp of its own. Exits with 1 if this changes. Needs python3, PyPI, Linux on x86-64, and a minute.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check ziglang==0.17.1
cd "$folder"
printf '#include <math.h>\ndouble grow(double x) { return exp(x); }\n' >plain.c
{ cat plain.c; echo 'unsigned long share(unsigned long a, unsigned long b, unsigned long c) { return (unsigned __int128)a * b / c; }'; } >division.c
export ZIG_GLOBAL_CACHE_DIR=$folder/cache ZIG_LOCAL_CACHE_DIR=$folder/cache
for name in plain division; do
  venv/bin/python -m ziglang cc -O2 -fPIC -shared -target x86_64-linux-gnu.2.27 $name.c -lm -o $name.so
done
venv/bin/python - <<'PYTHON'
import ctypes

grow = {}
for name in ("plain", "division"):
    grow[name] = ctypes.CDLL(f"./{name}.so").grow
    grow[name].restype, grow[name].argtypes = ctypes.c_double, [ctypes.c_double]
values = [i / 1000 - 20 for i in range(40001)]
different = sum(grow["plain"](x) != grow["division"](x) for x in values)
print(f"values of exp that differ: {different} of {len(values)}")
raise SystemExit(0 if different > 1000 else "changed")
PYTHON
