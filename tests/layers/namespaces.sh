#!/usr/bin/env bash
# Refuses a header of the library that declares outside `ardvark::internal`, and a name that two headers define.
#   namespaces.sh FOLDER
# The exception is a nested struct of a public class (`struct Class::Nested {`), which can only be defined in the namespace of its class.
set -euo pipefail
bad=0
while IFS= read -r file; do
  if grep -qE '^namespace ardvark(::internal(::[a-z_]+)?)? \{$' "$file"; then
    if grep -qE '^namespace ardvark \{$' "$file" && ! grep -qE '^struct [A-Za-z]+::[A-Za-z]+ (: [A-Za-z:]+ )?\{$' "$file"; then
      echo "namespaces: $file declares in the public namespace ardvark"
      bad=1
    fi
  elif grep -qE '^namespace ' "$file"; then
    echo "namespaces: $file declares outside ardvark::internal"
    bad=1
  fi
done < <(find "$1" -name '*.hpp' | sort)
# Two structs of one name are one to the linker, which takes the destructor of either for both.
while IFS= read -r name; do
  echo "namespaces: '$name' is defined in several headers: $(grep -rlE --include='*.hpp' "^(struct|class) $name( final)?( : [^;]*)? \\{" "$1" | xargs)"
  bad=1
done < <(grep -rhoE --include='*.hpp' '^(struct|class) [A-Za-z]+( final)?( : [^;]*)? \{' "$1" | awk '{ print $2 }' | sort | uniq -d)
[ $bad = 0 ] && echo "namespaces: internals are in ardvark::internal"
exit $bad
