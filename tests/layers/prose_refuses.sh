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
bad cpp 'return comma.meaning != nullptr && std::string_view(comma.meaning) == "has a decimal comma";'
bad cpp 'const auto found = io::leading_row(e.what());'
bad c 'if (strstr(error.message, "memory") != NULL) return 1;'
good py 'raise ValueError(f"in partition {number}: {error}") from None'
good py 'found = re.search("row ([0-9]+)", str(error))  # of Arrow'
bad py '    text = str(error)'
bad py 'found = re.search("row ([0-9]+)", str(error))'
bad py 'if code == 3 and "memory" in message:'
bad py 'raise type(error)(str(error).replace("the bytes given", path))'
good py 'name, _, level = entry.partition("=")'
good py 'return text.replace("_", " ").split(", ")'
good py 'text = re.sub(r"\b\w+\b", lambda match: names.get(match[0], match[0]), text)'
good py '    raise ValueError(f"{name} needs a dense X in {where}")'
good py '    >>> "a prior" in note'
bad py 'return self._translated(note).replace("needs a dense X", f"needs a dense X, {self._way_to_dense()}")'
bad py '    message = message.replace("(--prior sparse)", "(--prior sparse), which needs a dense X")'
bad py 'text = re.sub(r" \(to read the column as text: [^)]*\)", "", text)'
bad py 'return re.sub(f"use {markers}{drop}{_END}", _with_markers, text)'
bad py "texts = re.findall(rf\"--missing-marker='(.*?)'{_END}\", found[1])"
bad py 'text = text.replace("or read such numbers with --decimal ,", "or give decimal")'
bad py 'if "SLR toolbox" in p["description"] and p["name"] != "slr_rvm"'
bad py 'is_few = any("rows are few" in note for note in notes)'
bad py 'return [p["name"] for p in presets if not p["description"].startswith("several classes")]'
good m "if ~strcmp(trouble.identifier, 'ardvark:invalid_argument'), rethrow(trouble); end"
bad m "if ~isempty(strfind(trouble.message, 'prior')), rethrow(trouble); end"
good R 'stop_for(sprintf("in %s: %s", file, conditionMessage(error)))'
bad R 'if (grepl("prior", conditionMessage(error))) return(NULL)'
echo 'code that looks into the text of an error is refused'
