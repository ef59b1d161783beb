#!/usr/bin/env bash
# install.sh CMAKE BUILD PREFIX SOURCE: installs a build, and checks that the program and every public header are there.
set -euo pipefail
cmake=$1 build=$2 prefix=$3 source=$4
case $prefix in
  "$build"/*) rm -rf "$prefix" ;;
  *) echo "install: the prefix '$prefix' must lie in the build folder '$build'" >&2 && exit 1 ;;
esac
"$cmake" --install "$build" --prefix "$prefix" >/dev/null

"$prefix/bin/ardvark" --version
programs=(ardvark)
[ ! -e "$prefix/bin/ardvark-mpi" ] || programs+=(ardvark-mpi)
for program in "${programs[@]}"; do
  for file in bash-completion/completions/$program zsh/site-functions/_$program fish/vendor_completions.d/$program.fish; do
    [ -s "$prefix/share/$file" ] || { echo "install: there is no share/$file" >&2; exit 1; }
  done
  # A page of the manual for the program and for each of its commands.
  for page in "$program" $("$prefix/bin/$program" --help | sed -n "/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/$program-\1/p"); do
    [ -s "$prefix/share/man/man1/$page.1.gz" ] || { echo "install: there is no share/man/man1/$page.1.gz" >&2; exit 1; }
  done
done
diff -r "$source/include/ardvark" "$prefix/include/ardvark"
if grep -rlF -e "$source" -e "$build" "$prefix" --include='*.cmake' --include='*.hpp'; then
  echo "install: the files above name the tree they were built in" >&2
  exit 1
fi
