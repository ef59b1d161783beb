// DuckDB, which reads and writes Parquet: its C interface, if the library is on this machine. Nothing of it is linked, and what is declared
// here is all that is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dynamic_library.hpp"

namespace ardvark::internal::io {

/// The functions of the library, by their names without "duckdb_".
struct DuckDbLibrary {
  struct Result {  // duckdb_result
    std::uint64_t columns = 0, rows = 0, changed = 0;
    void* data = nullptr;
    char* message = nullptr;
    void* inside = nullptr;
  };
  using Size = std::uint64_t;

  DynamicLibrary library;
  int (*create_config)(void**) = nullptr;
  int (*set_config)(void*, const char*, const char*) = nullptr;
  void (*destroy_config)(void**) = nullptr;
  int (*open_ext)(const char*, void**, void*, char**) = nullptr;
  int (*connect)(void*, void**) = nullptr;
  void (*disconnect)(void**) = nullptr;
  void (*close)(void**) = nullptr;
  int (*prepare)(void*, const char*, void**) = nullptr;
  const char* (*prepare_error)(void*) = nullptr;
  void (*destroy_prepare)(void**) = nullptr;
  int (*pending_prepared_streaming)(void*, void**) = nullptr;
  const char* (*pending_error)(void*) = nullptr;
  void (*destroy_pending)(void**) = nullptr;
  int (*execute_pending)(void*, Result*) = nullptr;
  const char* (*result_error)(Result*) = nullptr;
  void (*destroy_result)(Result*) = nullptr;
  void* (*fetch_chunk)(Result) = nullptr;
  Size (*data_chunk_get_size)(void*) = nullptr;
  void* (*data_chunk_get_vector)(void*, Size) = nullptr;
  void (*destroy_data_chunk)(void**) = nullptr;
  void* (*vector_get_data)(void*) = nullptr;
  std::uint64_t* (*vector_get_validity)(void*) = nullptr;
  // A table that is made while it is read.
  Size (*vector_size)() = nullptr;
  void* (*create_logical_type)(int) = nullptr;
  void (*destroy_logical_type)(void**) = nullptr;
  void* (*create_table_function)() = nullptr;
  void (*destroy_table_function)(void**) = nullptr;
  void (*table_function_set_name)(void*, const char*) = nullptr;
  void (*table_function_set_bind)(void*, void (*)(void*)) = nullptr;
  void (*table_function_set_init)(void*, void (*)(void*)) = nullptr;
  void (*table_function_set_function)(void*, void (*)(void*, void*)) = nullptr;
  int (*register_table_function)(void*, void*) = nullptr;
  void (*bind_add_result_column)(void*, const char*, void*) = nullptr;
  void (*function_set_error)(void*, const char*) = nullptr;
  void (*data_chunk_set_size)(void*, Size) = nullptr;
  void (*vector_ensure_validity_writable)(void*) = nullptr;
  void (*vector_assign_string_element_len)(void*, Size, const char*, Size) = nullptr;
};

/// A text or a name in the language of DuckDB. \param quote  ' of a text, " of a name
[[nodiscard]] std::string in_quotes(std::string_view text, char quote);

/// A text in a column: duckdb_string_t.
struct DuckDbText {
  std::uint32_t length;
  char head[4];
  union {
    char rest[8];
    const char* longer;
  };
  [[nodiscard]] std::string_view view() const { return {length <= 12 ? head : longer, length}; }
};
static_assert(sizeof(DuckDbText) == 16);

/// The answer of one question, some rows at a time.
class DuckDbAnswer {
 public:
  /// \param library     must exist as long as this
  /// \throws EnvironmentError  DuckDB cannot answer: its own words, after the path of the file
  DuckDbAnswer(const DuckDbLibrary& library, void* connection, const std::string& question, const std::string& path);
  DuckDbAnswer(const DuckDbAnswer&) = delete;
  DuckDbAnswer& operator=(const DuckDbAnswer&) = delete;
  ~DuckDbAnswer();

  /// Goes to the next rows; false: there are none. \throws InvalidArgument  the file is damaged
  bool next();
  [[nodiscard]] std::size_t num_rows() const { return num_rows_; }  ///< of those here
  template <typename Value>
  [[nodiscard]] const Value* column(std::size_t j) const {
    return static_cast<const Value*>(data_[j]);
  }
  [[nodiscard]] bool is_missing(std::size_t j, std::size_t row) const {
    return validity_[j] != nullptr && (validity_[j][row / 64] >> (row % 64) & 1) == 0;
  }

 private:
  const DuckDbLibrary& library_;
  std::string path_;
  DuckDbLibrary::Result result_;
  void* chunk_ = nullptr;
  std::size_t num_rows_ = 0, num_columns_ = 0;
  std::vector<const void*> data_;
  std::vector<const std::uint64_t*> validity_;
  friend class DuckDb;
};

/// A connection to an empty database in memory, with one thread.
class DuckDb {
 public:
  /// \param path     of the file that needs it, for the message
  /// \param writes   the file, instead of reading it
  /// \throws EnvironmentError  DuckDB is not there; the message says what to install
  explicit DuckDb(const std::string& path, bool writes = false);
  DuckDb(const DuckDb&) = delete;
  DuckDb& operator=(const DuckDb&) = delete;
  ~DuckDb();
  /// \param num_columns  of the answer
  [[nodiscard]] std::unique_ptr<DuckDbAnswer> ask(const std::string& question, std::size_t num_columns, const std::string& path) const;
  /// Executes a command without an answer. \returns the first line of what DuckDB says against it; empty: it is done
  [[nodiscard]] std::string obey(const std::string& command) const;
  [[nodiscard]] const DuckDbLibrary& library() const { return library_; }
  [[nodiscard]] void* connection() const { return connection_; }

 private:
  DuckDbLibrary library_;
  void *database_ = nullptr, *connection_ = nullptr;
};

}  // namespace ardvark::internal::io
