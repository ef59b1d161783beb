// The structs behind the handles of the C interface, and the one place where exceptions become codes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "ardvark/ardvark.h"
#include "ardvark/html_report.hpp"
#include "ardvark/model.hpp"
#include "capi/outline.hpp"
#include "model/fields.hpp"

struct ardvark_options {
  ardvark::ModelOptions options;
  ardvark_progress_callback progress = nullptr;
  void* context = nullptr;
  double seconds = 0;  // at least, between two calls
};

struct ardvark_model {
  std::shared_ptr<const ardvark::SavedModel> model;
};

struct ardvark_encoding {
  ardvark::FeatureEncoding encoding;
  std::string remedy = {};  // about a missing value in a table to encode
};

struct ardvark_table;

struct ardvark_sequential {
  ardvark::SequentialLogistic filter;
};

struct ardvark_statistics {
  ardvark::LinearStatistics statistics;
};

struct ardvark_sums {
  ardvark::RowSums sums;
};

struct ardvark_result {
  std::function<void(ardvark::internal::Fields&)> visit;
  mutable std::once_flag outlined = {};
  mutable ardvark::internal::capi::Entry outline = {};  // empty until the first question
  // of a comparison or a selection
  std::function<std::string(const ardvark::ReportRows&, const ardvark::ReportOptions&)> report = {};
};

namespace ardvark::internal::capi {

/// clear() empties `error`; caught() fills it with the exception that is being handled.
void clear(ardvark_error* error);
[[nodiscard]] ardvark_code caught(ardvark_error* error) noexcept;

/// Runs f behind the barrier.
ardvark_code guarded(ardvark_error* error, auto&& f) noexcept try {
  clear(error);
  f();
  return ARDVARK_OK;
} catch (...) {
  return caught(error);
}

/// \throws InvalidArgument  if the pointer is null
template <typename T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) throw InvalidArgument({.argument = name, .value = "NULL", .why = "it must point to something"});
  return *pointer;
}

/// Stores what `make` gives to the caller. A null pointer is refused before it is made: nothing would free it.
template <typename T>
void store(T* out, const char* name, auto&& make) {
  T& to = required(out, name);
  to = make();
}

/// A structure of the caller. \throws InvalidArgument  it is null, or its size is not set
template <typename Struct>
Struct& sized(Struct* pointer, const char* name, const char* type) {
  Struct& out = required(pointer, name);
  if (out.struct_size < sizeof(Struct))
    throw InvalidArgument(std::string(name) + ".struct_size is " + std::to_string(out.struct_size) + "; it must be sizeof(" + type + ")");
  return out;
}
[[nodiscard]] inline ardvark_array& array_of(ardvark_array* array, const char* name) { return sized(array, name, "ardvark_array"); }

/// The columns of a table that the encoding names.
[[nodiscard]] Table table_of_encoding(const ardvark_table& table, const ardvark_encoding& encoding);

/// Memory that the caller frees with ardvark_free.
[[nodiscard]] void* allocate(std::size_t size);
[[nodiscard]] char* copy(std::string_view text);        ///< with a zero at the end
void give(const Matrix& symmetric, ardvark_array& to);  ///< in either memory order

}  // namespace ardvark::internal::capi
