// Logistic regression under the priors sparse, slab and dense: the exact Gaussian row terms as working weights.     docs/math/sparse.md
#include <memory>
#include <optional>
#include <vector>

#include "design/sparse_rows.hpp"
#include "frame/prior_partition.hpp"
#include "frame/row_order.hpp"
#include "frame/separation.hpp"
#include "method/l1/lasso.hpp"
#include "method/spike_slab/sparse_classes.hpp"

namespace ardvark::internal {
namespace {

// Rows with the same inputs have the same linear predictor. They become one row, whose t is the share of the second class in its
// observations. This makes large tables with few text columns small.                                                          (SL.7)
struct EqualRows {
  Matrix X;
  Vector t, k;
};

std::optional<EqualRows> merge_equal_rows(const FitTable& table, const Vector& t, const Vector& k) {
  if (!table.is_dense()) return std::nullopt;  // they would be written out
  const MatrixView X = table.dense("a copy of its rows");
  const OrderedRows different = order_by_content(X, Vector::Zero(X.rows()), k);
  const auto n = static_cast<Index>(different.rows.size());
  if (2 * n > X.rows()) return std::nullopt;
  EqualRows out{Matrix(n, X.cols()), Vector::Zero(n), different.weights};
  for (Index j = 0; j < X.cols(); ++j)
    for (Index i = 0; i < n; ++i) out.X(i, j) = X(different.rows[static_cast<std::size_t>(i)], j);
  Vector other = Vector::Zero(n);
  for (Index i = 0; i < X.rows(); ++i)
    if (const Index at = different.at[static_cast<std::size_t>(i)]; at >= 0) (t[i] > 0.5 ? out.t : other)[at] += k[i];
  for (Index i = 0; i < n; ++i) out.t[i] = other[i] == 0 ? 1 : out.t[i] / (out.t[i] + other[i]);
  return out;
}

// The same rows with separate classes, for code that needs t to be 0 or 1.
EqualRows merge_rows_of_class(const EqualRows& rows) {
  std::vector<Index> at;
  std::vector<double> t, k;
  for (Index i = 0; i < rows.t.size(); ++i)
    for (const double of_class : {0.0, 1.0})
      if (const double weight = rows.k[i] * (of_class > 0 ? rows.t[i] : 1 - rows.t[i]); weight > 0) {
        at.push_back(i);
        t.push_back(of_class);
        k.push_back(weight);
      }
  return {rows.X(at, Eigen::all), VectorView(t).eigen(), VectorView(k).eigen()};
}

}  // namespace

Solution solve_sparse_logistic(Frame& frame) {
  const FitOptions& options = frame.options;
  const PenalisedColumns which = penalised_columns(options, frame.X.cols(), frame.left_out);
  const bool only_intercept = which.flat.size() == (options.intercept ? 1U : 0U);
  if (!only_intercept && (!why_no_maximum(frame, which.flat).empty() || separate_rows(frame, which.flat))) {
    Solution out = failed_solution(frame, "columns without a prior have no posterior");
    explain_no_posterior(frame, which.flat, {"before the first sweep", true}, out.report);
    return out;
  }
  return is_wide(frame) ? solve_wide_logistic(frame) : solve_logistic_in_memory(frame);
}

Solution solve_logistic_in_memory(Frame& frame) {
  const Vector &t = frame.target, &k = frame.k;
  const PenalisedColumns which = penalised_columns(frame.options, frame.X.cols(), frame.left_out);
  require_decomposition(frame, which);
  const std::optional<EqualRows> merged = merge_equal_rows(frame.X, t, k);
  TableOfRows table{merged ? FitTable(merged->X) : frame.X, frame.units.standardization};
  const Vector &seen_t = merged ? merged->t : t, &seen_k = merged ? merged->k : k;
  Solution out = solve_table(frame, which, table, seen_k, [&](std::unique_ptr<Design> design) {
    return std::make_unique<TableClassRows>(std::move(design), seen_t, seen_k, has_proper_intercept(frame.options, which.flat));
  });
  if (!out.usable) return out;

  // Code that needs t to be 0 or 1 gets one row for each class.
  const auto apart = merged ? std::make_shared<const EqualRows>(merge_rows_of_class(*merged)) : nullptr;
  if (apart) table.X = apart->X;
  if (apart && table.sparse) table.sparse = SparseRows::of(apart->X, table.standardization);
  const MomentsOfRows moments = table.moments(out.factor.mixture);
  out.rows.of_components = [apart, moments](const Mixture& of, Index first, Index count) { return moments(of, first, count); };
  if (apart) out.rows.t = apart->t, out.rows.k = apart->k;
  return out;
}

}  // namespace ardvark::internal
