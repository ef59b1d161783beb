#!/usr/bin/env bash
# manual.sh PREFIX: the programs that read manual pages have nothing to say against those of an installed build.
set -euo pipefail
has() { command -v "$1" >/dev/null; }
has mandoc || has groff || { echo "neither mandoc nor groff is installed"; exit 77; }
num=0
said=
for page in "$1"/share/man/man1/*; do
  num=$((num + 1))
  text=$(gzip -dcf "$page")
  if has mandoc; then said+=$(mandoc -T lint -W warning <<<"$text" 2>&1 || true); fi
  if has groff; then said+=$(groff -man -Tutf8 -ww -z <<<"$text" 2>&1); fi
  if has man; then said+=$(LC_ALL=C.UTF-8 man --warnings -l "$page" 2>&1 >/dev/null); fi
  # The line by which apropos finds it.
  if has lexgrog; then lexgrog "$page" | grep -qF ": \"$(basename "$page" | sed 's/\.1.*//') - " || said+="$page: lexgrog finds no name"; fi
done
[ -z "$said" ] || { echo "$said"; exit 1; }
echo "$num pages: no warning"
