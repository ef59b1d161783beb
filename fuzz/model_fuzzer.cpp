// The bytes of a model file: the model is loaded, predicts, is shown and saved again.
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

void require(bool holds) {
  if (!holds) std::abort();
}

// Rows that a table might have.
Matrix some_rows(Index columns) {
  Matrix X(3, columns);
  for (Index j = 0; j < columns; ++j) X.col(j) << 0, static_cast<double>(j % 3) - 1, 1e3;
  return X;
}

void predict_some(const SavedModel& model) try {
  const Index columns = num_inputs(model);
  if (columns < 0 || columns > 1000) return;
  const Matrix X = some_rows(columns);
  static_cast<void>(predict(model, MatrixView(X.data(), X.rows(), X.cols())));
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
  predict_some(model);
  require(!summary(model).empty());
  require(!to_json(model).empty());
  // A model that was loaded can be saved, and loading and saving again gives the same bytes.
  std::string bytes;
  try {
    bytes = model_to_bytes(model);
  } catch (const InvalidArgument&) {
    return 0;
  }
  require(model_to_bytes(model_from_bytes(bytes)) == bytes);
  return 0;
}
