// Linear models with more columns than rows: updates precisions in blocks of columns.                      docs/math/optimum.md (BLOCK)
#pragma once

#include <vector>

#include "posterior/solver.hpp"
#include "prior/precision.hpp"

namespace ardvark::internal {

/// For a Gaussian likelihood with the joint posterior and a dual solver. A visit of m columns costs O(n^2 m), and a common factor
/// O(n^3 + n^2 r) with r columns in use. A solve costs O(n^3 + n^2 p).
class PrecisionBlocks {
 public:
  /// \param X  must outlive this object; it is not changed, and is read column by column
  explicit PrecisionBlocks(Design& X);

  /// Whether every group is a single column with a proper hyper-prior. There may also be fixed and flat columns.
  [[nodiscard]] static bool serve(const PrecisionPrior& prior);

  struct Effort {
    double enough = 0;          ///< nats: no further pass over a block for a smaller gain, in proportion to its columns
    bool common_factor = true;  ///< first multiply the precisions of all columns in use by one factor                        (BLOCK.2)
  };
  /// Visits, block by block, the fewest columns that promise 90 % of the gain of all single columns. Each step raises the bound, as a
  /// function of the precisions with all else at its maximum.                                                                 (OPT.1),
  /// (BLOCK.1) \param solver  has just solved for `rows` and the precisions of `prior`; q and `noise` are its results \param next  [groups]
  /// <- E[alpha] \return the gain in the bound, nats; 0, and `next` unchanged precisions, if the solver has no outlook() for these rows
  double climb(Solver& solver, const Rows& rows, const PrecisionPrior& prior, const Posterior& q, GammaDistribution noise,
               const Effort& effort, Vector& next);

 private:
  struct Block {
    std::vector<Index> groups;
    Matrix X, CX;  // [n,width] the columns; C times these
  };

  void choose(const PrecisionPrior& prior, const Posterior& q);
  double find_common_factor(const PrecisionPrior& prior, const Posterior& q, Vector& next);
  double visit(const PrecisionPrior& prior, double enough, Vector& next);
  void read(std::size_t first, Block& block);
  void update_and_look(const Block& last, Block& coming);
  double climb_block(const PrecisionPrior& prior, const Block& block, double enough, Vector& next);
  double pass(const PrecisionPrior& prior, const std::vector<Index>& groups, double negligible);

  Design& X_;
  Index n_, p_, width_, num_threads_;
  std::vector<Index> column_of_group_, chosen_;  // groups
  Outlook look_;                                 // U [n,n], C = U'U
  Matrix C_;                                     // both triangles
  Vector y_;                                     // response of the rows; 0 for rows without weight
  double shape_ = 0, rate_ = 0;                  // a_N, b_N
  int rest_ = 0;                                 // number of further climbs without a common factor, after one that gained almost nothing
  Vector promise_;                               // [groups]
  Block now_, coming_;
  Matrix G_, V_, CXM_;      // of the block: X'CX, V, C X M
  Vector w_, a_, inverse_;  // of the block; inverse_: the 1/a that are in C
  Vector along_;
  Matrix E_, UE_, P_, N_, L_;  // (BLOCK.2)
};

}  // namespace ardvark::internal
