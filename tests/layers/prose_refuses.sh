#!/usr/bin/env bash
# prose.sh refuses what it must, and nothing else.
#   prose_refuses.sh FOLDER    that of prose.sh
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
good() { echo "$2" >"$tree/file.$1"; bash "$check" "$tree" >/dev/null || { echo "refused: $2"; exit 1; }; }
bad() { echo "$2" >"$tree/file.$1"; ! bash "$check" "$tree" >/dev/null || { echo "accepted: $2"; exit 1; }; rm "$tree/file.$1"; }
check=$1/prose.sh
good cpp 'throw InvalidArgument(fmt::format("class {}: {}", name, e.what()));'
good hpp 'if (e.fields().row == 0) throw;'
good cpp 'std::string message = error.what();  // of CLI11'
bad cpp '    const std::string_view message = e.what();'
bad cpp 'if (std::string(e.what()).ends_with("is NaN")) throw;'
bad hpp 'throw InvalidArgument(with_row_of_file(e.what(), rows, n));'
bad cpp 'const std::string_view first = message.substr(0, message.find(blank));'
bad cpp 'const std::string when = report.message.substr(0, 8);'
bad cpp 'if (report.message == dependent_flat_columns) return;'
bad hpp 'if (std::string_view{e.what()}.find(file) == std::string::npos) throw;'
bad cpp 'const auto found = io::leading_row(e.what());'
bad c 'if (strstr(error.message, "memory") != NULL) return 1;'
good py 'raise ValueError(f"in partition {number}: {error}") from None'
good py 'found = re.search("row ([0-9]+)", str(error))  # of Arrow'
bad py '    text = str(error)'
bad py 'found = re.search("row ([0-9]+)", str(error))'
bad py 'if code == 3 and "memory" in message:'
bad py 'raise type(error)(str(error).replace("the bytes given", path))'
good m "if ~strcmp(trouble.identifier, 'ardvark:invalid_argument'), rethrow(trouble); end"
bad m "if ~isempty(strfind(trouble.message, 'prior')), rethrow(trouble); end"
echo 'code that looks into the text of an error is refused'
