// The bytes of a sequential filter: the filter is loaded, absorbs more rows, and becomes a model.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ardvark/errors.hpp"
#include "ardvark/model.hpp"
#include "ardvark/sequential.hpp"
#include "container.hpp"
#include "memory.hpp"

using namespace ardvark;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  return fuzz::mutate_container(data, size, max_size, seed, "1");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const fuzz::MemoryLimit limit(size, std::size_t{1} << 17);
    SequentialLogistic filter = SequentialLogistic::from_bytes({reinterpret_cast<const char*>(data), size});
    const Index p = filter.mean().size();
    const std::string bytes = filter.to_bytes();
    if (SequentialLogistic::from_bytes(bytes).to_bytes() != bytes) std::abort();
    if (p > 50) return 0;
    const Matrix X = Matrix::Constant(3, p, 0.5);
    const Vector labels = Vector{{1, -1, 1}};
    filter.update(MatrixView(X.data(), X.rows(), X.cols()), VectorView(labels.data(), labels.size()));
    static_cast<void>(filter.bound());
    static_cast<void>(summary(sequential_model(filter, {})));
  } catch (const InvalidArgument&) {
    // a message for the author of the bytes
  }
  return 0;
}
