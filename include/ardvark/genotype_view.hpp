// A read-only view of genotypes in 2 bits each.
#pragma once

#include <cstdint>

#include "ardvark/types.hpp"

namespace ardvark {

/// What the bits of each variant mean. Each array has an entry for each variant; a null pointer stands for the default.
struct GenotypeCoding {
  const double* missing = nullptr;              ///< what a missing genotype counts as, such as the mean of the others; default 0
  const std::uint8_t* counts_second = nullptr;  ///< 1: counts allele 2, whose two copies are the bits 11; default: allele 1, bits 00
  const std::int64_t* line = nullptr;  ///< where its bytes are, counted in variants; -1: nowhere, all are missing; default: in order
};

/// A read-only view of a table [samples, variants + other columns]: genotypes in 2 bits each, variant by variant, as a .bed file of PLINK 1
/// has them, and beside them dense columns, such as age and sex. Nothing is copied and nothing is written out: the caller's arrays must
/// exist as long as the view.
///
/// The entry of a sample is the number of copies of the counted allele: 0, 1 or 2. A missing genotype is the number that `missing` has for
/// its variant. The dense columns come after the variants.
class GenotypeView {
 public:
  GenotypeView() = default;
  /// \param bytes   [lines][bytes_of_line(samples)] of a .bed file, without its first three bytes. Four samples a byte, the first one in
  ///                the lowest bits: 00 two copies of allele 1, 01 missing, 10 one copy of each, 11 two copies of allele 2
  /// \param beside  [samples, any] dense columns
  /// \param dense   how the caller makes it dense, for messages and notes, such as "X.to_numpy()"; empty: they do not say it
  GenotypeView(const std::uint8_t* bytes, Index samples, Index variants, const GenotypeCoding& coding = {}, const MatrixView& beside = {},
               const char* dense = "")
      : bytes_(bytes), samples_(samples), variants_(variants), coding_(coding), beside_(beside), dense_(dense) {}

  [[nodiscard]] Index rows() const { return samples_; }
  [[nodiscard]] Index cols() const { return variants_ + beside_.cols(); }
  [[nodiscard]] Index variants() const { return variants_; }
  [[nodiscard]] const MatrixView& beside() const { return beside_; }
  [[nodiscard]] const GenotypeCoding& coding() const { return coding_; }
  [[nodiscard]] const char* dense() const { return dense_; }
  [[nodiscard]] bool is_null() const { return bytes_ == nullptr && variants_ > 0; }

  [[nodiscard]] static constexpr Index bytes_of_line(Index samples) { return (samples + 3) / 4; }
  /// The bytes of a variant; null if it is nowhere.
  [[nodiscard]] const std::uint8_t* line(Index variant) const {
    const Index at = coding_.line == nullptr ? variant : static_cast<Index>(coding_.line[variant]);
    return at < 0 ? nullptr : bytes_ + at * bytes_of_line(samples_);
  }
  [[nodiscard]] double missing(Index variant) const { return coding_.missing == nullptr ? 0.0 : coding_.missing[variant]; }
  [[nodiscard]] bool counts_second(Index variant) const { return coding_.counts_second != nullptr && coding_.counts_second[variant] != 0; }
  [[nodiscard]] double operator()(Index i, Index j) const {
    if (j >= variants_) return beside_(i, j - variants_);
    const std::uint8_t* const bytes = line(j);
    const int code = bytes == nullptr ? 1 : bytes[i / 4] >> (2 * (i % 4)) & 3;
    if (code == 1) return missing(j);
    const double first = code == 0 ? 2 : code == 2 ? 1 : 0;
    return counts_second(j) ? 2 - first : first;
  }

 private:
  const std::uint8_t* bytes_ = nullptr;
  Index samples_ = 0, variants_ = 0;
  GenotypeCoding coding_;
  MatrixView beside_;
  const char* dense_ = "";
};

}  // namespace ardvark
