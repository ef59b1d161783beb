// The bytes of a model file: the model is loaded, predicts, is shown and saved again.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "ardvark/errors.hpp"
#include "ardvark/model.hpp"
#include "container.hpp"
#include "memory.hpp"

using namespace ardvark;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  return fuzz::mutate_container(data, size, max_size, seed, "4");
}

namespace {

// Rows that a table might have. The gaps: the last value, or all of them.
Matrix some_rows(Index columns, bool with_gaps) {
  Matrix X(3, columns);
  for (Index j = 0; j < columns; ++j) X.col(j) << 0, static_cast<double>(j % 3) - 1, 1e3;
  if (with_gaps && columns > 0) X(0, columns - 1) = std::nan(""), X.row(1).setConstant(std::nan(""));
  return X;
}

bool is_probability(double p) { return p >= 0 && p <= 1; }

// A model that imputes also predicts rows with gaps; any other refuses them.
void predict_some(const SavedModel& model, bool with_gaps) try {
  const Index columns = num_inputs(model);
  if (columns < 0 || columns > 1000) return;
  const Matrix X = some_rows(columns, with_gaps);
  const Prediction found = predict(model, MatrixView(X.data(), X.rows(), X.cols()));
  fuzz::require(!with_gaps || columns == 0 || model.imputation);
  if (const auto* const classes = std::get_if<ClassPrediction>(&found))
    fuzz::require(std::ranges::all_of(classes->probability, is_probability));
} catch (const InvalidArgument&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SavedModel model;
  try {
    const fuzz::MemoryLimit limit(size);
    model = model_from_bytes({reinterpret_cast<const char*>(data), size});
  } catch (const InvalidArgument&) {
    return 0;
  }
  predict_some(model, false);
  predict_some(model, true);
  fuzz::require(!summary(model).empty());
  fuzz::require(!to_json(model).empty());
  // A model that was loaded can be saved, and loading and saving again gives the same bytes.
  std::string bytes;
  try {
    bytes = model_to_bytes(model);
  } catch (const InvalidArgument&) {
    return 0;
  }
  fuzz::require(model_to_bytes(model_from_bytes(bytes)) == bytes);
  return 0;
}
