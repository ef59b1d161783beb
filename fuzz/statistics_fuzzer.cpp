// The bytes of a statistics file, of one target or of many: it is loaded, shown, added to itself, takes more rows, and is fitted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ardvark/errors.hpp"
#include "ardvark/model.hpp"
#include "ardvark/statistics.hpp"
#include "container.hpp"
#include "memory.hpp"

using namespace ardvark;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  return fuzz::mutate_container(data, size, max_size, seed, nullptr);
}

namespace {

template <typename Work>
void try_to(Work&& work) try {
  work();
} catch (const InvalidArgument&) {
  // a message for the author of the file
}

// The same of statistics of many targets.
void test_targets(std::string_view data) {
  TargetStatistics found;
  try {
    const fuzz::MemoryLimit limit(data.size(), std::size_t{1} << 17);
    found = TargetStatistics::from_bytes(data);
  } catch (const InvalidArgument&) {
    return;
  }
  const std::string bytes = found.to_bytes();
  fuzz::require(TargetStatistics::from_bytes(bytes).to_bytes() == bytes);
  fuzz::require(!summary(found).empty());
  fuzz::require(!to_json(found).empty());
  const Index p = found.num_columns(), K = found.num_targets();
  fuzz::require(static_cast<Index>(found.column_names().size()) == p);
  if (p < 1 || p > 50 || K > 50) return;
  try_to([&] {
    TargetStatistics both = found;
    both.merge(found);
    both.update(Matrix(Matrix::Constant(3, p, 0.5)), Matrix(Matrix::Constant(3, K, 0.25)));
    fuzz::require(TargetStatistics::from_bytes(both.to_bytes()).num_rows() == both.num_rows());
  });
  try_to([&] {
    ModelOptions options;
    options.set("model", std::string("linear"));
    options.set("prior", std::string("shared"));
    options.set("max_sweeps", 5.0);
    static_cast<void>(summary(fit_targets(found, options), 0.1));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test_targets({reinterpret_cast<const char*>(data), size});
  LinearStatistics found;
  try {
    const fuzz::MemoryLimit limit(size, std::size_t{1} << 17);
    found = LinearStatistics::from_bytes({reinterpret_cast<const char*>(data), size});
  } catch (const InvalidArgument&) {
    return 0;
  }
  const std::string bytes = found.to_bytes();
  fuzz::require(LinearStatistics::from_bytes(bytes).to_bytes() == bytes);
  fuzz::require(!summary(found).empty());
  fuzz::require(!to_json(found).empty());
  const Index p = found.num_columns();
  if (p < 1 || p > 50) return 0;
  fuzz::require(static_cast<Index>(found.column_names().size()) == p);
  try_to([&] {
    LinearStatistics both = found;
    both.merge(found);
    static_cast<void>(both.cross());
    const Matrix X = Matrix::Constant(3, p, 0.5);
    const Vector y = Vector{{1, -1, 1}};
    if (found.encoding().features.empty()) both.update(X, y);
    fuzz::require(LinearStatistics::from_bytes(both.to_bytes()).num_rows() == both.num_rows());
  });
  try_to([&] { static_cast<void>(found.with_references()); });
  try_to([&] { static_cast<void>(found.without({found.column_names().front()})); });
  try_to([&] {
    ModelOptions options;
    options.set("model", std::string("linear"));
    options.set("prior", std::string("shared"));
    options.set("max_sweeps", 5.0);
    static_cast<void>(summary(fit_model(found, options)));
  });
  return 0;
}
