#include "io/duckdb.hpp"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "ardvark/errors.hpp"

namespace ardvark::internal::io {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_like(const std::string& pattern) {
  glob_t found = {};
  ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> out(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return out;
}

// Folders in which pip puts packages: those of the virtual environment, of the user, of each python3 that is found as a command, and of the
// system.
std::vector<std::string> folders_of_packages() {
  std::vector<std::string> prefixes;
  const auto add = [&](const fs::path& prefix) { prefixes.push_back(prefix.string()); };
  if (const char* const environment = std::getenv("VIRTUAL_ENV"); environment != nullptr) add(environment);
  if (const char* const home = std::getenv("HOME"); home != nullptr) add(fs::path(home) / ".local");
  const char* const commands = std::getenv("PATH");
  std::string_view rest = commands == nullptr ? "" : commands;
  while (!rest.empty()) {
    const fs::path folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.string().size() + 1));
    std::error_code none;
    if (!fs::exists(folder / "python3", none)) continue;
    add(folder.parent_path());
    if (const fs::path real = fs::canonical(folder / "python3", none); !none) add(real.parent_path().parent_path());
  }
  add("/usr/local"), add("/usr");
  std::vector<std::string> folders;
  for (const std::string& prefix : prefixes)
    for (const char* name : {"/lib/python3*/site-packages", "/lib/python3*/dist-packages"})
      for (const std::string& folder : files_like(prefix + name)) folders.push_back(folder);
  return folders;
}

// The libraries of Python that a module of it may be for: "_duckdb.cpython-311-x86_64-linux-gnu.so" needs libpython3.11.
std::vector<std::string> pythons_for(const fs::path& module) {
  const std::string name = module.filename().string(), word = "cpython-3";
  const std::size_t at = name.find(word);
  if (at == std::string::npos) return {};
  const std::size_t from = at + word.size();
  const std::string library = fmt::format("libpython3.{}.so.1.0", name.substr(from, name.find_first_not_of("0123456789", from) - from));
  std::vector<std::string> out;
  fs::path prefix = module.parent_path();
  for (int i = 0; i < 3 && prefix.has_parent_path(); ++i) prefix = prefix.parent_path();  // lib/python3.11/site-packages
  out.push_back((prefix / "lib" / library).string());
  std::ifstream environment(prefix / "pyvenv.cfg");  // says of which Python it is
  for (std::string line; std::getline(environment, line);)
    if (line.starts_with("home = ")) out.push_back((fs::path(line.substr(7)).parent_path() / "lib" / library).string());
  out.push_back(library);
  return out;
}

// The module of the Python package has the functions of the library, once there is a libpython for it.
std::optional<DynamicLibrary> opened(const std::string& path, std::string& error) {
  const std::vector<std::string> pythons = pythons_for(path);
  if (!pythons.empty()) {
    const DynamicLibrary python(pythons, true);
    if (!python.is_open()) error = python.error();
  }
  DynamicLibrary library({path});
  if (library.is_open()) return library;
  if (error.empty()) error = library.error();
  return std::nullopt;
}

DynamicLibrary duckdb_for(const std::string& path, bool writes) {
  const std::string needed = writes ? fmt::format("'{}' would be a Parquet file, which DuckDB writes", path)
                                    : fmt::format("'{}' is a Parquet file, which DuckDB reads", path);
  const std::string or_csv = writes ? ", or give the output another name and write CSV" : "";
  constexpr const char* remedy = "install it (pip install duckdb), or write the path of libduckdb.so into the variable ARDVARK_DUCKDB";
  const char* const given = std::getenv("ARDVARK_DUCKDB");
  std::vector<std::string> candidates = {"libduckdb.so"};
  if (given != nullptr && *given != '\0') {
    candidates = {given};
  } else {
    for (const std::string& folder : folders_of_packages())
      for (const char* name : {"/_duckdb*.so", "/duckdb/duckdb*.so", "/duckdb/_duckdb*.so"})
        for (const std::string& module : files_like(folder + name)) candidates.push_back(module);
  }
  std::string error;
  for (const std::string& candidate : candidates) {
    error.clear();
    if (std::optional<DynamicLibrary> library = opened(candidate, error)) return *std::move(library);
  }
  if (given != nullptr && *given != '\0')
    throw EnvironmentError(fmt::format("{}, but ARDVARK_DUCKDB is '{}', which cannot be opened: {}{}", needed, given, error,
                                       writes ? "; correct it" + or_csv : ""));
  if (candidates.size() > 1)
    throw EnvironmentError(
        fmt::format("{}, but '{}' cannot be opened: {}; install libpython for it, or write the path of libduckdb.so into "
                    "the variable ARDVARK_DUCKDB{}",
                    needed, candidates.back(), error, or_csv));
  throw EnvironmentError(fmt::format("{}, and DuckDB, which {} it, is not there; {}{}", needed.substr(0, needed.find(", which")),
                                     writes ? "writes" : "reads", remedy, or_csv));
}

// Its first line: the others point at a place in the question.
std::string first_line(const char* message) {
  const std::string_view text = message == nullptr ? "no reason is given" : message;  // of DuckDB
  return std::string(text.substr(0, text.find('\n')));
}

// The functions that make a table while it is read.
void find_functions_of_tables(DuckDbLibrary& l) {
  const auto find = [&](const char* name, auto*& function) { l.library.find(fmt::format("duckdb_{}", name).c_str(), function); };
  find("vector_size", l.vector_size);
  find("create_logical_type", l.create_logical_type), find("destroy_logical_type", l.destroy_logical_type);
  find("create_table_function", l.create_table_function), find("destroy_table_function", l.destroy_table_function);
  find("table_function_set_name", l.table_function_set_name);
  find("table_function_set_bind", l.table_function_set_bind), find("table_function_set_init", l.table_function_set_init);
  find("table_function_set_function", l.table_function_set_function);
  find("register_table_function", l.register_table_function);
  find("bind_add_result_column", l.bind_add_result_column);
  find("function_set_error", l.function_set_error);
  find("data_chunk_set_size", l.data_chunk_set_size);
  find("vector_ensure_validity_writable", l.vector_ensure_validity_writable);
  find("vector_assign_string_element_len", l.vector_assign_string_element_len);
}

// Executes a question. Its first error, or nothing.
std::string executed(const DuckDbLibrary& library, void* connection, const std::string& question, DuckDbLibrary::Result& result) {
  void *statement = nullptr, *pending = nullptr;
  std::string error;
  if (library.prepare(connection, question.c_str(), &statement) != 0)
    error = first_line(library.prepare_error(statement));
  else if (library.pending_prepared_streaming(statement, &pending) != 0)
    error = first_line(library.pending_error(pending));
  else if (library.execute_pending(pending, &result) != 0)
    error = first_line(library.result_error(&result));
  library.destroy_pending(&pending);
  library.destroy_prepare(&statement);
  return error;
}

[[noreturn]] void cannot_read_parquet(const std::string& path, const char* message) {
  const std::string why = first_line(message);
  if (why.find("Out of Memory") != std::string::npos)
    throw EnvironmentError(
        fmt::format("'{}' cannot be read: there is too little memory for a group of its rows ({}); write the file with smaller groups of "
                    "rows, such as 100,000 (row_group_size of pyarrow), or give the program more memory",
                    path, why));
  throw InvalidArgument(fmt::format("'{}' cannot be read as Parquet: {}", path, why));
}

// At the end of a process, the destructors of DuckDB and of libpython, which brings it, sometimes destroy the same objects: 4 of 60 runs
// ended with "corrupted double-linked list". So a process that has used DuckDB ends before them.
void end_before_their_destructors() {
#ifdef __GLIBC__
  static const int registered = ::on_exit(
      [](int status, void*) {
        std::cout.flush();
        std::fflush(nullptr);
        ::_exit(status);
      },
      nullptr);
  static_cast<void>(registered);
#endif
}

}  // namespace

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) out += c == quote ? std::string(2, quote) : std::string(1, c);
  return out + quote;
}

DuckDb::DuckDb(const std::string& path, bool writes) : library_{duckdb_for(path, writes)} {
  DuckDbLibrary& l = library_;
  const auto find = [&](const char* name, auto*& function) { l.library.find(fmt::format("duckdb_{}", name).c_str(), function); };
  find("create_config", l.create_config), find("set_config", l.set_config), find("destroy_config", l.destroy_config);
  find("open_ext", l.open_ext), find("connect", l.connect), find("disconnect", l.disconnect), find("close", l.close);
  find("prepare", l.prepare), find("prepare_error", l.prepare_error), find("destroy_prepare", l.destroy_prepare);
  find("pending_prepared_streaming", l.pending_prepared_streaming), find("pending_error", l.pending_error);
  find("destroy_pending", l.destroy_pending), find("execute_pending", l.execute_pending);
  find("result_error", l.result_error), find("destroy_result", l.destroy_result), find("fetch_chunk", l.fetch_chunk);
  find("data_chunk_get_size", l.data_chunk_get_size), find("data_chunk_get_vector", l.data_chunk_get_vector);
  find("destroy_data_chunk", l.destroy_data_chunk);
  find("vector_get_data", l.vector_get_data), find("vector_get_validity", l.vector_get_validity);
  if (writes) find_functions_of_tables(l);
  void* config = nullptr;
  l.create_config(&config);
  for (const auto& [name, value] : {std::pair{"threads", "1"},
                                    {"autoinstall_known_extensions", "false"},
                                    {"autoload_known_extensions", "false"},
                                    {"temp_directory", ""}})
    l.set_config(config, name, value);  // an older library may lack one of them
  const int failed = l.open_ext(nullptr, &database_, config, nullptr);
  l.destroy_config(&config);
  if (failed != 0 || l.connect(database_, &connection_) != 0)
    throw EnvironmentError(fmt::format("DuckDB ('{}') cannot be started", l.library.name()));
}

DuckDb::~DuckDb() {
  if (connection_ != nullptr) library_.disconnect(&connection_);
  if (database_ != nullptr) library_.close(&database_);
  end_before_their_destructors();
}

std::unique_ptr<DuckDbAnswer> DuckDb::ask(const std::string& question, std::size_t num_columns, const std::string& path) const {
  auto answer = std::make_unique<DuckDbAnswer>(library_, connection_, question, path);
  answer->num_columns_ = num_columns;
  answer->data_.resize(num_columns), answer->validity_.resize(num_columns);
  return answer;
}

std::string DuckDb::obey(const std::string& command) const {
  DuckDbLibrary::Result result;
  std::string error = executed(library_, connection_, command, result);
  while (error.empty()) {
    void* chunk = library_.fetch_chunk(result);
    if (chunk == nullptr) break;
    library_.destroy_data_chunk(&chunk);
  }
  if (const char* const late = library_.result_error(&result); error.empty() && late != nullptr && *late != '\0') error = first_line(late);
  library_.destroy_result(&result);
  return error;
}

DuckDbAnswer::DuckDbAnswer(const DuckDbLibrary& library, void* connection, const std::string& question, const std::string& path)
    : library_(library), path_(path) {
  const std::string error = executed(library, connection, question, result_);
  if (error.empty()) return;
  library.destroy_result(&result_);
  cannot_read_parquet(path, error.c_str());
}

DuckDbAnswer::~DuckDbAnswer() {
  if (chunk_ != nullptr) library_.destroy_data_chunk(&chunk_);
  library_.destroy_result(&result_);
}

bool DuckDbAnswer::next() {
  if (chunk_ != nullptr) library_.destroy_data_chunk(&chunk_);
  chunk_ = library_.fetch_chunk(result_);
  num_rows_ = chunk_ == nullptr ? 0 : static_cast<std::size_t>(library_.data_chunk_get_size(chunk_));
  if (num_rows_ == 0) {
    if (const char* const error = library_.result_error(&result_); error != nullptr && *error != '\0') cannot_read_parquet(path_, error);
    return false;
  }
  for (std::size_t j = 0; j < num_columns_; ++j) {
    void* const vector = library_.data_chunk_get_vector(chunk_, j);
    data_[j] = library_.vector_get_data(vector);
    validity_[j] = library_.vector_get_validity(vector);
  }
  return true;
}

}  // namespace ardvark::internal::io
