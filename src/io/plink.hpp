// What is in memory of a PLINK 1 fileset.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/genotypes.hpp"
#include "ardvark/types.hpp"
#include "io/mapped_file.hpp"

namespace ardvark::internal::io {

/// The lines of a .bim or a .fam file, six fields each, as one text.
class PlinkLines {
 public:
  /// \throws InvalidArgument  a line has another number of fields; there is none
  explicit PlinkLines(const std::string& path);
  [[nodiscard]] Index size() const { return static_cast<Index>(begin_.size()); }
  /// \param which  from 0
  [[nodiscard]] std::string_view field(Index line, int which) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_, text_;
  std::vector<std::uint32_t> begin_;  // of each line in the text
};

struct GenotypeData {
  std::string path;  // of the .bed file
  int count_allele = 1;
  std::shared_ptr<const PlinkLines> variants, all_samples;
  std::shared_ptr<const std::vector<std::string>> names;  // of the variants
  Index num_named = 0;                                    // of them that have no name in the file
  std::vector<Index> samples;                             // positions in all_samples; empty: all
  std::shared_ptr<const MappedFile> file;                 // null: `owned` holds the genotypes
  std::vector<std::uint8_t> owned;
  std::vector<std::uint8_t> counts_second;  // [variants] if allele 2 is counted, else empty
  std::vector<double> means;                // [variants]
  Index num_missing = 0;

  [[nodiscard]] Index num_samples() const { return samples.empty() ? all_samples->size() : static_cast<Index>(samples.size()); }
  [[nodiscard]] Index num_variants() const { return variants->size(); }
  [[nodiscard]] const std::uint8_t* bytes() const;
};

/// Reads numbers as PLINK 1.9 does: if all are among 0, 1, 2 and missing (NaN), with a 2, there are two classes: 1 is control, 2 is case,
/// and 0 is missing. \return false: they are numbers, and stay as they are
[[nodiscard]] bool take_plink_classes(Phenotype& phenotype);

/// Whether the path names a fileset: it ends with .bed.
[[nodiscard]] bool is_plink(std::string_view path);

}  // namespace ardvark::internal::io
