#!/usr/bin/env bash
# option_texts sees a text that was changed by hand, and writes it back.
#   refuses.sh OPTION_TEXTS ROOT
set -euo pipefail
texts=$1 root=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
for name in include/ardvark/ardvark.h octave/inst/ardvark_fit.m r/man/ardvark.Rd r/man/rvm.Rd docs/options.md; do
  mkdir -p "$tree/$(dirname "$name")"
  cp "$root/$name" "$tree/$name"
done
"$texts" "$tree" >/dev/null
for name in include/ardvark/ardvark.h octave/inst/ardvark_fit.m r/man/ardvark.Rd r/man/rvm.Rd docs/options.md; do
  sed -i 's/The largest number of sweeps/The greatest number of sweeps/' "$tree/$name"
  if said=$("$texts" "$tree"); then echo "$name: a changed text was accepted"; exit 1; fi
  grep -qF "$name: what it says of the options" <<<"$said"
  "$texts" "$tree" --write >/dev/null
  cmp "$tree/$name" "$root/$name"
done
echo 'option_texts refuses what differs'
