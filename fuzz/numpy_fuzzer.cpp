// Reads bytes as a .npy or a .npz file. The first byte of an input says which: an array, an archive as it is, or members of which a whole
// archive is made, so that their checksums are right; each member is a byte with its name, two bytes with its length, and its bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../tests/support/zip_bytes.hpp"
#include "ardvark/errors.hpp"
#include "io/matrix_file.hpp"
#include "memory.hpp"
#include "memory_file.hpp"

namespace {

using namespace ardvark;
using namespace ardvark::internal;

// Deflate makes up to 1032 bytes of one; they become numbers of 8 bytes, and their places.
constexpr std::size_t for_each_byte = std::size_t{1} << 15, for_any_shape = std::size_t{1} << 28;

std::string archive_of(std::string_view bytes) {
  constexpr const char* names[] = {"format.npy", "shape.npy", "data.npy", "indices.npy", "indptr.npy", "row.npy", "col.npy", "arr_0.npy"};
  std::vector<std::pair<std::string, std::string>> members;
  while (bytes.size() >= 3) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
    const std::string name = names[byte(0) % std::size(names)];
    const std::size_t length = std::min(byte(1) | byte(2) << 8U, bytes.size() - 3);
    members.emplace_back(name, bytes.substr(3, length));
    bytes.remove_prefix(3 + length);
  }
  return testing::zip_bytes(members);
}

void check(const io::MatrixFile& file) {
  double sum = 0;
  if (file.is_dense) {
    for (Index i = 0; i < file.rows(); ++i)
      for (Index j = 0; j < file.cols(); ++j) sum += file.dense(i, j);  // every number can be read
    fuzz::require(sum <= 0 || sum >= 0 || sum != sum);
    return;
  }
  const CscView X = file.sparse.view();
  for (Index j = 0; j < X.cols(); ++j)
    for (Index e = X.start(j); e < X.start(j + 1); ++e) {
      fuzz::require(X.row(e) >= 0 && X.row(e) < X.rows() && (e == X.start(j) || X.row(e - 1) < X.row(e)));
      sum += X.value(e);
    }
  fuzz::require(X.cols() == 0 || X.start(0) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view given(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned how = data[0] % 4;
  const fuzz::MemoryFile file(how < 3 ? std::string(given) : archive_of(given));
  try {
    const fuzz::MemoryLimit limit(size, for_any_shape, for_each_byte);
    if (how == 0) check(io::read_npy(file.path()));
    if (how == 1) static_cast<void>(io::read_npy_vector(file.path()));
    if (how >= 2) check(io::read_npz(file.path()));
  } catch (const Error&) {
    // a message for the author of the file
  }
  return 0;
}
