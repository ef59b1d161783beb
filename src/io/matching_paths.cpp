// The files of a table that lies in several: patterns and folders.
#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <new>

#include "ardvark/errors.hpp"
#include "ardvark/table_stream.hpp"

namespace ardvark {
namespace {

namespace fs = std::filesystem;

// What the name of a file says of its format: "csv" of prices.CSV.gz.
std::string format_of(fs::path name) {
  const auto ending = [](const fs::path& path) {
    std::string text = path.extension().string();
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  if (const std::string last = ending(name); last == ".gz" || last == ".zst") name = name.stem();
  return ending(name);
}

// All files of a folder and of its folders. Programs that write tables give other files names that begin with a point or an underscore.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_other = name.front() == '.' || name.front() == '_';
    if (at->is_directory() && is_other) at.disable_recursion_pending();
    if (at->is_regular_file() && !is_other) out.push_back(at->path().string());
  }
  if (error) throw EnvironmentError(fmt::format("cannot read the folder '{}': {}", folder, error.message()));
  if (out.empty())
    throw EnvironmentError(fmt::format("'{}' is a folder without files; give the path of a file or of another folder", folder));
  std::ranges::sort(out);
  std::map<std::string, Index> count;
  for (const std::string& file : out) ++count[format_of(file)];
  if (count.size() == 1) return out;
  const std::string most = std::ranges::max_element(count, {}, [](const auto& one) { return one.second; })->first;
  const auto other = std::ranges::find_if(out, [&](const std::string& file) { return format_of(file) != most; });
  throw InvalidArgument(fmt::format("the folder '{}' has files of several kinds, such as '{}'; give a pattern, such as '{}'", folder,
                                    *other, (fs::path(folder) / fmt::format("*{}", most)).string()));
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found = {};
  const int result = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> out(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (result == GLOB_NOSPACE) throw std::bad_alloc();
  if (out.empty()) throw EnvironmentError(fmt::format("'{}' matches no file; check the path and the current folder", pattern));
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<std::string> matching_paths(const std::vector<std::string>& patterns) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) {
    std::error_code none;
    const bool is_pattern = pattern.find_first_of("*?[") != std::string::npos && !fs::exists(pattern, none);
    for (const std::string& path : is_pattern ? matches_of(pattern) : std::vector{pattern == "-" ? "/dev/stdin" : pattern})
      if (fs::is_directory(path, none))
        for (std::string& file : files_in(path)) paths.push_back(std::move(file));
      else
        paths.push_back(path);
  }
  return paths;
}

}  // namespace ardvark
