// Reads bytes as a file of Matrix Market or svmlight. The first byte of an input says which, and the base of the indices.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "ardvark/errors.hpp"
#include "io/matrix_file.hpp"
#include "memory.hpp"
#include "memory_file.hpp"

namespace {

using namespace ardvark;
using namespace ardvark::internal;

// Two numbers of 4 bytes for each entry of 4 characters, and room for a hundred columns of each; and for the largest shape that needs none.
constexpr std::size_t for_each_byte = 128, for_any_shape = std::size_t{1} << 27;

void check(const io::MatrixFile& file) {
  if (file.is_dense) {
    for (Index i = 0; i < file.rows(); ++i)
      for (Index j = 0; j < file.cols(); ++j) fuzz::require(std::isfinite(file.dense(i, j)));
    return;
  }
  const CscView X = file.sparse.view();
  fuzz::require(file.target.empty() || static_cast<Index>(file.target.size()) == X.rows());
  for (Index j = 0; j < X.cols(); ++j)
    for (Index e = X.start(j); e < X.start(j + 1); ++e) {
      fuzz::require(X.row(e) >= 0 && X.row(e) < X.rows() && (e == X.start(j) || X.row(e - 1) < X.row(e)));
      fuzz::require(!std::isnan(X.value(e)));  // a sum of finite numbers may be infinite, which the fit refuses
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const unsigned how = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_packed = text.starts_with("\x1F\x8B") || text.starts_with("\x28\xB5\x2F\xFD");
  const fuzz::MemoryFile file(text);
  try {
    std::optional<fuzz::MemoryLimit> limit;  // nobody knows how long a text is before it is unpacked
    if (!is_packed) limit.emplace(size, for_any_shape, for_each_byte);
    constexpr io::IndexBase bases[] = {io::IndexBase::automatic, io::IndexBase::zero, io::IndexBase::one};
    check((how & 1U) != 0 ? io::read_svmlight(file.path(), bases[how / 2 % 3]) : io::read_matrix_market(file.path()));
  } catch (const Error&) {
    // a message for the author of the file
  }
  return 0;
}
