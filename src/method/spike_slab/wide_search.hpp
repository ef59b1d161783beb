// Which of many columns may have an effect: what one pass over the table says about all of them.        docs/math/sparse.md (SP.26)
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "method/spike_slab/spike_slab.hpp"
#include "method/spike_slab/wide_table.hpp"

namespace ardvark::internal {

/// A start between passes.
struct WideState {
  const SpikeSlab* q;
  double bound;
};

/// Columns are named by their positions in the list of all penalised ones, as in WideTable.
class WideSearch {
 public:
  explicit WideSearch(Index size) : is_active_(static_cast<std::size_t>(size)) {}

  [[nodiscard]] const std::vector<Index>& active() const { return active_; }  ///< in the order in which they were found
  [[nodiscard]] bool is_active(Index j) const { return is_active_[static_cast<std::size_t>(j)]; }
  /// The first active columns: the most correlated with the target, and those that the path of the starts would use. None was active.
  /// \param first  how many are the most correlated ones
  void begin(WideTable& table, Index first);
  /// One pass. The columns that it found, which become active, and what those that are still not active add to each state.
  struct Found {
    std::vector<std::shared_ptr<ColumnsBeside>> beside;
    std::vector<Index> columns;
    double largest_left = 0;  ///< inclusion of a column that is not active yet, or is not followed
  };
  /// \param may_add  false: no column becomes active
  [[nodiscard]] Found pass(const WideTable& table, const std::vector<WideState>& states, bool may_add);
  /// The last `count` columns that became active are active no more.
  void forget(std::size_t count);
  /// Whether the number of active columns reached its limit.
  [[nodiscard]] bool is_full() const;
  /// The last pass, in double precision: it only renews the products.
  void measure(const WideTable& table, const std::vector<WideState>& states);

  /// From the last pass: Z'Dr of a column, and the inclusion of one that is not active.
  [[nodiscard]] double product(const WideTable& table, Index j, Index state) const { return table.at(products_, j, state); }
  /// Of the columns that are not active; 0 for the others.
  struct OfOthers {
    Vector inclusion;  ///< [size]
    Vector variance;   ///< [size] of the effect
    Vector seen;       ///< [size] what it adds to the squares of the rows
  };
  [[nodiscard]] OfOthers of_others(const WideTable& table, Index state, const SpikeSlab& q) const;

 private:
  using Wanted = std::map<Index, double>;                 // columns that should become active, and how much
  using Ordered = std::vector<std::pair<double, Index>>;  // minus how much, and the column
  // Columns with a probable effect, as columns of X~, and as what they explain.
  struct Explained {
    std::vector<Index> at;  // positions among the active columns
    Matrix plain, shrunk;   // [n, count]; shrunk: with a dense part U D U'x~
    Index best = 0;         // the state with the highest bound
  };

  [[nodiscard]] double least_inclusion_of(const SpikeSlabHyper& hyper) const;
  void activate(const std::vector<Index>& more);
  [[nodiscard]] std::vector<Index> chosen(const Wanted& wanted) const;
  void heed_lasso(WideTable& table, double largest);
  [[nodiscard]] Matrix residuals(const WideTable& table, const std::vector<WideState>& states) const;
  [[nodiscard]] Explained next_to_explain(const WideTable& table, const std::vector<WideState>& states);
  [[nodiscard]] std::shared_ptr<ColumnsBeside> look(const WideTable& table, const SpikeSlab& q, Index state, Wanted& wanted);
  void remember(const WideTable& table, const Ordered& unsure);
  void read(const WideTable& table, const SpikeSlab& q, Index state, const Ordered& unsure, Wanted& wanted);
  void add_neighbours(const WideTable& table, const SpikeSlab& q, const Explained& explained, Wanted& wanted) const;
  void take_first(Ordered& order, std::size_t most, Wanted& wanted) const;

  std::vector<Index> active_;
  std::vector<bool> is_active_;
  Matrix products_;  // of the last pass
  int passes_ = 0;
  std::unordered_map<Index, Eigen::VectorXf> square_of_z_;  // of columns that were read
  std::set<Index> explained_;                               // columns whose neighbours are known
};

/// Whether the columns beside add about as much as the fit counted.
[[nodiscard]] bool are_steady(const ColumnsBeside* counted, const ColumnsBeside& found, const SpikeSlab& q);

}  // namespace ardvark::internal
