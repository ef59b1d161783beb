// Genotypes packed by hand from the specification of PLINK 1: four samples a byte, the first in the lowest bits; 00 two copies of allele 1,
// 01 missing, 10 one copy, 11 none. The bits that are left over in the last byte are 0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ardvark/genotype_view.hpp"
#include "random_problem.hpp"

namespace ardvark::testing {

/// Copies of allele 1 of each sample (rows) and variant; -1: missing.
using Copies = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic>;

/// Variants of different frequencies.
inline Copies random_copies(Random& random, Index n, Index p, double missing = 0.05) {
  Copies out(n, p);
  for (Index j = 0; j < p; ++j) {
    const double frequency = random.uniform(0.1, 0.5);
    for (Index i = 0; i < n; ++i)
      out(i, j) = random.chance(missing) ? -1 : (random.chance(frequency) ? 1 : 0) + (random.chance(frequency) ? 1 : 0);
  }
  return out;
}

inline std::vector<std::uint8_t> packed(const Copies& copies) {
  std::vector<std::uint8_t> bytes;
  for (Index j = 0; j < copies.cols(); ++j)
    for (Index i = 0; i < copies.rows(); i += 4) {
      int byte = 0;
      for (Index k = 0; k < 4 && i + k < copies.rows(); ++k) {
        const int count = copies(i + k, j), bits = count < 0 ? 0b01 : count == 2 ? 0b00 : count == 1 ? 0b10 : 0b11;
        byte |= bits << (2 * k);
      }
      bytes.push_back(static_cast<std::uint8_t>(byte));
    }
  return bytes;
}

/// A .bed file, variant by variant.
inline std::string bed_of(const Copies& copies) {
  const std::vector<std::uint8_t> bytes = packed(copies);
  return std::string("\x6c\x1b\x01", 3) + std::string(bytes.begin(), bytes.end());
}

/// A packed table with missing genotypes at the mean of the others, and the same in doubles. Every third variant counts allele 2.
struct PackedTable {
  Copies copies;
  Matrix beside;
  std::vector<std::uint8_t> bytes, second;
  std::vector<double> missing;
  Matrix same;

  explicit PackedTable(Copies given, Matrix columns = {}, bool flips = true)
      : copies(std::move(given)), beside(std::move(columns)), bytes(packed(copies)), same(copies.rows(), copies.cols() + beside.cols()) {
    for (Index j = 0; j < copies.cols(); ++j) {
      second.push_back(flips && j % 3 == 1 ? 1 : 0);
      double sum = 0, there = 0;
      for (Index i = 0; i < copies.rows(); ++i)
        if (copies(i, j) >= 0) sum += second.back() != 0 ? 2 - copies(i, j) : copies(i, j), ++there;
      missing.push_back(there > 0 ? sum / there : 0);
      for (Index i = 0; i < copies.rows(); ++i)
        same(i, j) = copies(i, j) < 0 ? missing.back() : second.back() != 0 ? 2 - copies(i, j) : copies(i, j);
    }
    if (beside.cols() > 0) same.rightCols(beside.cols()) = beside;
  }
  PackedTable(const PackedTable&) = delete;
  PackedTable& operator=(const PackedTable&) = delete;
  [[nodiscard]] GenotypeView view() const {
    return {bytes.data(),
            copies.rows(),
            copies.cols(),
            {missing.data(), second.data(), nullptr},
            beside.cols() > 0 ? MatrixView(beside) : MatrixView(),
            "X.to_numpy()"};
  }
};

}  // namespace ardvark::testing
