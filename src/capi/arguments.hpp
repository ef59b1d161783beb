// The arguments and results of calls of the C interface.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ardvark/progress.hpp"
#include "capi/handles.hpp"
#include "core/numbers.hpp"
#include "core/refusals.hpp"

namespace ardvark::internal::capi {

inline std::string_view text_of(const char* text, const char* name) { return &required(text, name); }

/// The type of the numbers of a matrix. \param name  of the argument
[[nodiscard]] inline ScalarType scalar_of(std::int32_t type, const char* name) {
  switch (type) {
    case ARDVARK_FLOAT64: return ScalarType::float64;
    case ARDVARK_FLOAT32: return ScalarType::float32;
    case ARDVARK_INT8: return ScalarType::int8;
    default: throw InvalidArgument(fmt::format("{}.type is {}; it must be ARDVARK_FLOAT64, ARDVARK_FLOAT32 or ARDVARK_INT8", name, type));
  }
}

/// A sparse matrix of the caller.
[[nodiscard]] inline CscView csc_of(const ardvark_csc* matrix, const char* name) {
  const ardvark_csc& m = required(matrix, name);
  const auto has = [&](std::size_t member) { return m.struct_size > member; };  // that of an earlier version is shorter
  if (!has(offsetof(ardvark_csc, value)))
    throw InvalidArgument(fmt::format("{}.struct_size is {}; it must be sizeof(ardvark_csc)", name, m.struct_size));
  if (m.index_bits != 32 && m.index_bits != 64)
    throw InvalidArgument(fmt::format("{}.index_bits is {}; it must be 32 or 64", name, m.index_bits));
  if (m.rows < 0 || m.columns < 0) throw refused(name, fmt::format("is {} x {}; neither may be negative", m.rows, m.columns));
  const char* const dense = has(offsetof(ardvark_csc, dense)) && m.dense != nullptr ? m.dense : "";
  const ScalarType scalar = has(offsetof(ardvark_csc, type)) && m.type != 0 ? scalar_of(m.type, name) : ScalarType::float64;
  const auto view = [&](auto number) -> CscView {
    using Number = decltype(number);
    return {static_cast<const Number*>(m.start), static_cast<const Number*>(m.row), m.value, scalar, m.rows, m.columns, dense};
  };
  return m.index_bits == 32 ? view(std::int32_t{}) : view(std::int64_t{});
}

// The caller's matrix in place, or a copy if the core cannot read its strides.
class Data {
 public:
  explicit Data(const ardvark_matrix* matrix, const char* name) {
    const ardvark_matrix& m = sized(matrix, name, "ardvark_matrix");
    const ScalarType scalar = scalar_of(m.type, name);
    if (m.rows < 0 || m.columns < 0) throw refused(name, fmt::format("is {} x {}; neither may be negative", m.rows, m.columns));
    if (m.rows > 0 && m.columns > 0) required(static_cast<const char*>(m.data), name);
    with_scalar(scalar, [&](auto number) { view<decltype(number)>(m); });
  }
  Data(const Data&) = delete;  // the view may point into the copy in this object
  Data& operator=(const Data&) = delete;
  [[nodiscard]] const MatrixView& X() const { return X_; }

 private:
  template <typename Scalar>
  void view(const ardvark_matrix& m) {
    const auto* data = static_cast<const Scalar*>(m.data);
    const bool by_column = m.rows <= 1 || m.row_stride == 1, by_row = m.columns <= 1 || m.column_stride == 1;
    if (by_row && (m.rows <= 1 || m.row_stride >= m.columns))
      X_ = MatrixView(data, m.rows, m.columns, Layout::row_major, m.rows <= 1 ? 0 : m.row_stride);
    else if (by_column && (m.columns <= 1 || m.column_stride >= m.rows))
      X_ = MatrixView(data, m.rows, m.columns, Layout::column_major, m.columns <= 1 ? 0 : m.column_stride);
    else
      X_ = gathered(m, data);
    // A single row or column is read in place only if its elements are contiguous.
    if (m.rows == 1 && m.columns > 1 && m.column_stride != 1) X_ = gathered(m, data);
    if (m.columns == 1 && m.rows > 1 && m.row_stride != 1) X_ = gathered(m, data);
  }

  template <typename Scalar>
  MatrixView gathered(const ardvark_matrix& m, const Scalar* data) {
    auto& copy = copy_.emplace<std::vector<Scalar>>();
    copy.resize(static_cast<std::size_t>(m.rows * m.columns));
    Scalar* to = copy.data();
    for (Index j = 0; j < m.columns; ++j)
      for (Index i = 0; i < m.rows; ++i) *to++ = data[i * m.row_stride + j * m.column_stride];
    return {copy.data(), m.rows, m.columns};
  }

  MatrixView X_;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int8_t>> copy_;
};

inline VectorView vector_of(const double* data, Index size, const char* name) {
  if (size > 0) required(data, name);
  return {data, size};
}

// Calls the caller's callback, but not more often than the caller asks.
class Teller {
 public:
  explicit Teller(const ardvark_options& options) : call_(options.progress), context_(options.context), seconds_(options.seconds) {}

  Answer operator()(const Progress& p) {
    if (p.elapsed_seconds - last_ < seconds_) return Answer::go_on;
    last_ = p.elapsed_seconds;
    const std::string text = text_of(p);
    const ardvark_progress now = {sizeof(ardvark_progress), p.sweep,     p.total, p.bound, p.elapsed_seconds, p.stage, p.piece, p.done,
                                  p.seconds_left,           text.c_str()};
    const int answer = call_(&now, context_);
    return answer == ARDVARK_LEAVE ? Answer::leave : answer == ARDVARK_STOP ? Answer::stop : Answer::go_on;
  }

 private:
  ardvark_progress_callback call_;
  void* context_;
  double seconds_, last_ = 0;
};

// The options of a call. While this object exists, the caller's callback is told what the call does.
class CallOptions {
 public:
  explicit CallOptions(const ardvark_options* options) {
    if (options == nullptr) return;
    values = options->options;
    if (options->progress == nullptr) return;
    constexpr double often = 0.5;  // if the caller sets no limit
    listening_.emplace(Teller(*options), options->seconds > 0 ? options->seconds : often);
    values.on_sweep = listening_->on_sweep();
    values.on_fit = listening_->on_fit();
  }

  ModelOptions values;

 private:
  std::optional<Listening> listening_;
};

/// Runs f behind the barrier; `out` then points to a new handle of what f returns. \param name  of the argument `out`
template <typename Handle, typename Function>
ardvark_code made(Handle** out, const char* name, ardvark_error* error, Function&& f) noexcept {
  return guarded(error, [&] {
    required(out, name);
    *out = new Handle{f()};
  });
}

/// The same for a function that returns a SavedModel.
ardvark_code modelled(ardvark_model** model, ardvark_error* error, auto&& f) noexcept {
  return made(model, "model", error, [&] { return std::make_shared<const SavedModel>(f()); });
}

/// The same for a function that returns something whose fields visit() gives.
ardvark_code reported(ardvark_result** result, ardvark_error* error, auto&& f) noexcept {
  return made(result, "result", error,
              [&] { return [answer = std::make_shared<const decltype(f())>(f())](Fields& out) { visit(*answer, out); }; });
}

/// The same for a function that returns how the fields are visited, and a pointer to what a report is written of.
ardvark_code reportable(ardvark_result** result, ardvark_error* error, auto&& f) noexcept {
  return guarded(error, [&] {
    required(result, "result");
    const auto [visit_all, subject] = f();
    auto handle = std::make_unique<ardvark_result>();
    handle->visit = visit_all;
    handle->report = [found = subject](const ReportRows& rows, const ReportOptions& how) { return html_report(*found, rows, how); };
    *result = handle.release();
  });
}

/// Weights of the rows; null: none.
inline VectorView weights_of(const double* weights, Index rows) { return weights == nullptr ? VectorView() : VectorView(weights, rows); }

inline void give_bytes(const std::string& bytes, void** data, size_t* size) {
  required(data, "data");
  required(size, "size") = bytes.size();
  *data = copy(bytes);
}

inline std::string_view bytes_of(const void* data, size_t size) {
  return {static_cast<const char*>(&required(static_cast<const char*>(data), "data")), size};
}

}  // namespace ardvark::internal::capi
