// What a fit asks of rows that are not in memory, and the sums that answer.                                    docs/math/passes.md
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ardvark/row_pass.hpp"
#include "ardvark/statistics.hpp"
#include "design/table_design.hpp"
#include "frame/describe.hpp"
#include "likelihood/student_noise.hpp"
#include "passes/row_work.hpp"
#include "rows/ordered_tree.hpp"
#include "rows/waiting_rows.hpp"
#include "table/fit_table.hpp"
#include "waist/extent.hpp"

namespace ardvark {

/// What one pass asks of the rows.
struct RowQuestion::State {
  /// A posterior of the weights in the units of the design: w, and V = L'L.
  struct Posterior {
    Vector w;
    Matrix L;           ///< lower triangular
    double weight = 1;  ///< in a mixture
  };
  /// Of a regression with Student-t noise.                                                                                     (PASS.12)
  struct Noise {
    double y_center = 0, y_scale = 1;           ///< the target of the design is (y - y_center) / y_scale
    std::vector<internal::NoiseParameters> at;  ///< where the sums are computed; the first ones also have the rows of the step
  };
  bool is_first_look = false;       ///< reads names, most_labels, is_regression, sample_rows
  std::vector<std::string> names;   ///< of the columns, for messages; empty: x1, x2, ...
  Index most_labels = 2;            ///< that the first look accepts
  std::string likelihood;           ///< name in the registry
  std::vector<double> labels;       ///< ascending; a row with any other label is refused
  double own_label = 1;             ///< of the second class; all others are the first
  internal::Standardization units;  ///< of the columns
  std::vector<Posterior> at;        ///< where the sums are computed
  bool wants_step = false;          ///< X'omega X and X'r at the first of them
  bool wants_scores = false;        ///< accuracy and log loss of the first of them, or of the mixture of all
  bool is_mixture = false;
  /// Questions that share one pass, each of one class against the rest. With them, this
  /// question has no sums of its own: its labels, num_rows, num_columns and fingerprint are read.
  std::vector<State> parts;
  bool compares_parts = false;                    ///< each part has one posterior; scores of the class with the largest probability (SMX.9)
  std::shared_ptr<const internal::RowWork> work;  ///< then only its numbers are computed; also of a part
  bool is_regression = false;                     ///< y are numbers, not two labels
  bool is_count = false;                          ///< and these are counts; the next two belong to them
  std::optional<internal::OffsetColumn> offset;   ///< a column that is added to the linear predictor
  double constant_rate = 1;                       ///< about the mean per unit of exposure, for the deviance
  std::optional<double> log_dispersion;           ///< of the negative binomial distribution: held                         (PASS.11)
  std::vector<double> dispersion_profile;         ///< other values of it, for which the first posterior has its log likelihood
  std::optional<Noise> noise;                     ///< Student-t
  Index sample_rows = 0;                          ///< in the first look, if they take at most 64 MB; 0: most_sample_rows()
  std::optional<std::uint64_t> fingerprint;       ///< of the rows in the first look
  Index num_rows = 0, num_columns = 0;            ///< in the first look
};

namespace internal {

inline constexpr Index numbers_in_sample = 8'000'000;  ///< 64 MB

/// A hash: each bit of the result depends on all bits of x.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// How many rows a sample has: 40 for each column if they take at most 64 MB, but at least two.                                  (PASS.2)
[[nodiscard]] inline Index most_sample_rows(Index num_columns) {
  return std::max<Index>(5000, std::min(40 * num_columns, std::max(2 * num_columns, numbers_in_sample / std::max<Index>(num_columns, 1))));
}

/// Sums over the rows of a block, or of many.                                                                                  (PASS.1)
struct PassSums {
  Vector log_likelihood;        ///< [states] expected, under each posterior
  double weight = 0;            ///< sum of omega
  Vector packed;                ///< [q(q+1)/2] lower triangle of X'omega X, column by column
  Vector response;              ///< [q] X'r
  Extent extent;                ///< at the first posterior
  double nearest = 1e300;       ///< the smallest m^2 + s of a row at the first posterior
  double least_margin = 1e300;  ///< the smallest signed score at the first posterior; > 0: it puts each row into its class;
                                ///< of counts the smallest -|m|, or -m where the count is 0
  ClassTally scores;
  CountTally counts;            ///< the same of counts
  std::vector<PassSums> parts;  ///< of the parts of the question
  Vector of_work;               ///< RowQuestion::State::work
  Vector of_dispersion;         ///< the derivative of the log likelihood in ln k, the second one, and the dispersion_profile
  Vector of_noise;              ///< logs, q and spread at each of the parameters of the noise

  void merge(const PassSums& right);
  [[nodiscard]] Matrix gram() const;  ///< [q,q] both triangles
};

/// A compensated sum: `rest` is what rounding took from `sum`.
struct ExactSum {
  double sum = 0, rest = 0;
  void add(double x) {
    const double next = sum + x, added = next - sum;
    rest += (sum - (next - added)) + (x - added);
    sum = next;
  }
  [[nodiscard]] double total() const { return sum + rest; }
};

/// The rows of one class.
struct ClassSums {
  double weight = 0;
  std::vector<ExactSum> columns;  ///< [p] weight times value
  void merge(const ClassSums& right);
};

/// The rows with the smallest hashes of their positions: a random part of a table, in whatever pieces it comes.                (PASS.2)
struct RowSample {
  struct Row {
    std::uint64_t hash = 0, stream = 0;
    Index position = 0;
  };
  std::vector<Row> rows;
  std::vector<double> X, y, weights;  ///< of these rows
  Index num_seen = 0;                 ///< rows with a positive weight
  std::uint64_t threshold = ~std::uint64_t{0};

  void add(const RowBlock& rows, Index before, std::uint64_t stream, Index most);
  /// \param before  number of rows before those of `right`
  void merge(const RowSample& right, Index before, Index most);
  void keep(Index most, Index num_columns);
  [[nodiscard]] bool is_complete() const { return static_cast<Index>(y.size()) == num_seen; }
};

}  // namespace internal

struct RowSums::State : internal::WaitingRows {
  RowQuestion question{nullptr};
  std::uint64_t stream = 0, fingerprint = 0;
  Index num_rows = 0, num_columns = 0;
  std::optional<internal::PassSums> closed;        ///< rows before those of the tree
  internal::OrderedTree<internal::PassSums> tree;  ///< whole blocks
  // The first look.
  LinearStatistics statistics;
  internal::RowSample sample;
  std::map<double, internal::ClassSums> classes;  ///< by their labels

  [[nodiscard]] const RowQuestion::State& asked() const { return question.state(); }
  [[nodiscard]] Index most_in_sample() const {
    if (asked().sample_rows == 0) return internal::most_sample_rows(num_columns);
    return std::min(asked().sample_rows, std::max<Index>(2000, internal::numbers_in_sample / std::max<Index>(num_columns, 1)));
  }
  [[nodiscard]] std::optional<internal::PassSums> total() const;
  [[nodiscard]] std::uint64_t all_fingerprints() const;  ///< with that of the waiting rows
};

}  // namespace ardvark
