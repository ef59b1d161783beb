// The bytes of a question of a fit by passes: it is read, rows answer it, and the answer is read and added to itself.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "ardvark/errors.hpp"
#include "ardvark/row_pass.hpp"
#include "container.hpp"
#include "memory.hpp"
#include "passes/row_sums.hpp"

using namespace ardvark;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  return fuzz::mutate_container(data, size, max_size, seed, nullptr);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<RowQuestion> found;
  try {
    const fuzz::MemoryLimit limit(size, std::size_t{1} << 17);
    found = RowQuestion::from_bytes({reinterpret_cast<const char*>(data), size});
  } catch (const InvalidArgument&) {
    return 0;
  }
  const std::string bytes = found->to_bytes();
  fuzz::require(RowQuestion::from_bytes(bytes).to_bytes() == bytes);
  const RowQuestion::State& asked = found->state();
  const Index p = asked.is_first_look ? 2 : asked.num_columns;
  if (p < 1 || p > 50) return 0;
  try {
    Matrix X = Matrix::Constant(3, p, 0.5);
    X(1, 0) = -1;
    const double first = asked.labels.empty() ? 0 : asked.labels.front(), last = asked.labels.empty() ? 1 : asked.labels.back();
    RowSums sums(*found);
    sums.update(X, Vector{{first, last, first}}, Vector{{1, 2, 0}});
    RowSums again = RowSums::from_bytes(sums.to_bytes());
    fuzz::require(again.to_bytes() == sums.to_bytes());
    again.merge(sums);
    fuzz::require(again.num_rows() == 6);
  } catch (const InvalidArgument&) {
    // a message for who asks
  }
  return 0;
}
