// Reads a PLINK fileset. The first byte of an input sets the options; the next two are the lengths of .bim and .fam, in bytes of which 64
// make one step, and both texts and the .bed file follow.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/genotypes.hpp"
#include "memory.hpp"

namespace {

using namespace ardvark;

// A folder for the three files, which end with the process.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("ardvark_fuzz_plink_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path, none);
  }
  void put(const char* name, std::string_view bytes) const {
    std::ofstream(path / name, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
};

void check_counts(const Genotypes& X) {
  const Index n = X.num_samples(), p = X.num_variants();
  std::vector<std::int8_t> counts(static_cast<std::size_t>(n * p));
  X.write_counts(counts.data());
  const GenotypeView view = X.view();
  Index num_missing = 0;
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i) {
      const int count = counts[static_cast<std::size_t>(i + j * n)];
      num_missing += count == -127 ? 1 : 0;
      fuzz::require(count == -127 ? view(i, j) >= 0 && view(i, j) <= 2 : view(i, j) == count);
    }
  fuzz::require(num_missing == X.num_missing());
}

void use(const Genotypes& X, unsigned how) {
  fuzz::require(X.num_samples() > 0 && X.num_variants() > 0 && !X.notes().empty());
  for (Index j = 0; j < X.num_variants(); ++j) fuzz::require(!X.name(j).empty() && !X.counted_allele(j).empty());
  check_counts(X);
  std::vector<Index> rows;
  for (Index i = X.num_samples(); i-- > 0;)
    if (i % 3 != 1 || (how & 2U) != 0) rows.push_back(i);
  if (!rows.empty()) check_counts(X.rows(rows));
  const Phenotype phenotype = X.phenotype();
  for (const double y : phenotype.values) fuzz::require(std::isnan(y) || (phenotype.classes.empty() ? std::isfinite(y) : y == 0 || y == 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  static const Folder folder;
  const unsigned how = data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::string_view bim = rest.substr(0, std::size_t{64} * data[1]);
  rest.remove_prefix(bim.size());
  const std::string_view fam = rest.substr(0, std::size_t{64} * data[2]);
  rest.remove_prefix(fam.size());
  folder.put("study.bim", bim), folder.put("study.fam", fam), folder.put("study.bed", rest);
  try {
    const fuzz::MemoryLimit limit(size, std::size_t{1} << 20, 200);  // texts of one letter become strings
    use(read_plink((folder.path / "study").string(), (how & 1U) != 0 ? 2 : 1), how);
  } catch (const Error&) {
    // a message for the author of the files
  }
  return 0;
}
