// What TargetStatistics hold.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ardvark/target_statistics.hpp"
#include "rows/target_moments.hpp"

namespace ardvark {

namespace internal {
class ClosedTargets;
}

struct TargetStatistics::State {
  Index num_columns = 0, num_targets = 0, num_rows = 0, num_weighted = 0;  ///< num_weighted: rows with a positive weight
  std::vector<std::string> columns, targets;                               ///< their names; may be empty
  std::vector<TargetStatus> status;                                        ///< [K]
  internal::TargetMoments sums;                                            ///< of whole blocks
  internal::CentredRows block;                                             ///< rows after them; without a point before it is known
  std::vector<double> first, first_weights;  ///< the first rows, from which the point is computed, as they are

  /// Rows of one piece. Each view has all of them.
  struct Piece {
    MatrixView X, Y;
    VectorView weights;  ///< empty: ones
  };
  /// Adds rows whose columns are checked. num_rows counts them.
  void add(const Piece& piece);
  /// Adds the rows that fill no block to the sums.
  void close();
  /// Of a state that is closed: the j-th column becomes that at of_columns[j], and so do targets.
  void take_order(const std::vector<Index>& of_columns, const std::vector<Index>& of_targets);
  /// Adds the rows of another state that is closed.
  void merge(const State& closed);
  /// The sums are those of all rows so far: the next rows form a block.
  void begin_block();
  /// This state, or a copy, with the sums of all rows.
  [[nodiscard]] internal::ClosedTargets closed() const;
  [[nodiscard]] Vector mean() const;  ///< [p+K] of the sums; empty: there are none
  [[nodiscard]] Vector columns_mean() const;
  /// [K] NaN of targets whose sums are not right.
  [[nodiscard]] Vector targets_mean() const;
  [[nodiscard]] Vector targets_squares() const;
  /// The columns of targets whose sums are not right become NaN. \param numbers  [any,K]
  [[nodiscard]] Matrix of_targets(Matrix numbers) const;

 private:
  [[nodiscard]] Index width() const { return num_columns + num_targets; }
  void add_some(const Piece& piece, Index from, Index to);  ///< rows of a positive weight
  void append(const Piece& piece, Index from, Index to);
  void take_first(const Piece& piece, Index from, Index to);
  void settle();
  void flush();
  void mark(const MatrixView& Y, Index from, Index to);
};

namespace internal {

class ClosedTargets {
 public:
  using State = TargetStatistics::State;
  explicit ClosedTargets(const State& state) : state_(&state) {}
  explicit ClosedTargets(std::unique_ptr<const State> own) : own_(std::move(own)), state_(own_.get()) {}
  [[nodiscard]] const State& get() const { return *state_; }

 private:
  std::unique_ptr<const State> own_;
  const State* state_;
};

}  // namespace internal
}  // namespace ardvark
