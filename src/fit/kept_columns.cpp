#include "fit/kept_columns.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/rearrange.hpp"
#include "frame/prior_partition.hpp"
#include "method/spike_slab/sparse_fit.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// One column in so many must be left out: for fewer, a copy of the table takes more memory than it saves time.
constexpr std::size_t least_part = 8;

// A fit of some columns at a time copies no others, and has decided on its way by all of them. A program that is published has its own
// rules, and hyper-priors are listed by the numbers of all columns.
bool may_leave_columns(const Frame& frame) {
  const FitOptions& options = frame.options;
  const auto count = static_cast<std::size_t>(std::ranges::count(frame.left_out, true));
  if (count * least_part < frame.left_out.size() || count == frame.left_out.size()) return false;
  if (!options.preset.empty() || !options.prior.hyperprior.empty() || frame.stand_in.weight > 0 || frame.of_columns) return false;
  return !(is_sparse(options.prior.kind) && is_wide(frame));
}

template <typename T>
std::vector<T> taken(const std::vector<T>& all, const std::vector<Index>& place) {
  std::vector<T> out;
  for (const Index j : place) out.push_back(all[static_cast<std::size_t>(j)]);
  return out;
}

template <typename T>
std::vector<T> put(const std::vector<T>& some, const std::vector<Index>& place, Index size, T other) {
  std::vector<T> out(static_cast<std::size_t>(size), other);
  for (std::size_t i = 0; i < place.size(); ++i) out[static_cast<std::size_t>(place[i])] = some[i];
  return out;
}

// Empty stays empty.
Vector put(const Vector& some, const std::vector<Index>& place, Index size, double other) {
  if (some.size() == 0) return some;
  Vector out = Vector::Constant(size, other);
  out(place) = some;
  return out;
}

// The groups of these columns, numbered without gaps, in the same order.
std::vector<Index> renumbered(const std::vector<Index>& group) {
  std::vector<Index> names = group, out;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const Index g : group) out.push_back(std::ranges::lower_bound(names, g) - names.begin());
  return out;
}

// The moments of all rows: the function asks the mixture, whose columns get other names.
void take_moments(Index num_rows, const Mixture& mixture, RowMoments& rows) {
  constexpr Index block = 16384;
  const auto count = static_cast<Index>(mixture.components.size());
  ComponentMoments all{Matrix(num_rows, count), Matrix(num_rows, count)};
  for (Index first = 0; first < num_rows; first += block) {
    const Index some = std::min(block, num_rows - first);
    const ComponentMoments of_some = rows.of_components(mixture, first, some);
    all.mean.middleRows(first, some) = of_some.mean;
    all.variance.middleRows(first, some) = of_some.variance;
  }
  rows.of_components = [all = std::move(all)](const Mixture&, Index first, Index some) {
    return ComponentMoments{all.mean.middleRows(first, some), all.variance.middleRows(first, some)};
  };
}

}  // namespace

KeptColumns::KeptColumns(Frame whole) : whole_(std::move(whole)) {
  if (!may_leave_columns(whole_)) return;
  static_cast<void>(prepare_prior(whole_.options, whole_.num_columns(), whole_.left_out));  // refuses what names no column
  for (Index j = 0; j < whole_.num_columns(); ++j)
    if (!whole_.left_out[static_cast<std::size_t>(j)]) place_.push_back(j);
  some_ = whole_;
  some_->names = taken(whole_.names, place_);
  some_->left_out.assign(place_.size(), false);
  some_->offset_column.reset();
  Standardization& s = some_->units.standardization;
  if (s.center.size() > 0) s.center = Vector(whole_.units.standardization.center(place_));
  if (s.scale.size() > 0) s.scale = Vector(whole_.units.standardization.scale(place_));
  take_options();
  take_table();
}

void KeptColumns::take_options() {
  const FitOptions& all = whole_.options;
  FitOptions& options = some_->options;
  Prior& prior = options.prior;
  const auto at = [&](Index j) { return std::ranges::lower_bound(place_, j) - place_.begin(); };
  const auto is_kept = [&](Index j) { return !whole_.left_out[static_cast<std::size_t>(j)]; };
  if (!all.column_names.empty()) options.column_names = taken(all.column_names, place_);
  if (!all.prior.group.empty()) prior.group = renumbered(taken(all.prior.group, place_));
  prior.flat_columns.clear();
  for (const Index j : all.prior.flat_columns)
    if (is_kept(j)) prior.flat_columns.push_back(at(j));
  prior.fixed_columns.clear();
  prior.fixed_precision.clear();
  for (std::size_t i = 0; i < all.prior.fixed_columns.size(); ++i)
    if (const Index j = all.prior.fixed_columns[i]; is_kept(j)) {
      prior.fixed_columns.push_back(at(j));
      prior.fixed_precision.push_back(all.prior.fixed_precision[i]);
    }
  if (std::ssize(all.start_precision) < whole_.num_columns()) return;
  options.start_precision = taken(all.start_precision, place_);
  options.start_precision.insert(options.start_precision.end(), all.start_precision.begin() + whole_.num_columns(),
                                 all.start_precision.end());
}

void KeptColumns::take_table() {
  const Index n = whole_.X.rows(), count = std::ssize(place_);
  if (whole_.memory) {  // that of X
    const Layout layout = whole_.X.dense("its memory").layout();
    double* const X = whole_.memory.get();
    if (layout == Layout::column_major) bring_to_front(X, n, place_);
    if (layout == Layout::row_major)
      for (Index i = 0, to = 0; i < n; ++i)
        for (const Index j : place_) X[to++] = X[i * whole_.X.cols() + j];  // never ahead of what is read
    some_->X = MatrixView(X, n, count, layout);
    whole_.X = {};
    whole_.memory.reset();
    return;
  }
  copy_ = std::make_unique<ColumnCopy>(whole_.X, place_);
  some_->X = copy_->table();
}

Fit KeptColumns::fit(Solution solution) {
  if (!some_) return assemble(whole_, std::move(solution));
  whole_.notes = std::move(some_->notes);
  whole_.warnings = std::move(some_->warnings);
  return assemble(whole_, spread(std::move(solution)));
}

Matrix KeptColumns::of_all(const Matrix& of_kept) const {
  if (!some_ || of_kept.size() == 0) return of_kept;
  Matrix out = Matrix::Zero(whole_.num_columns(), of_kept.cols());
  out(place_, Eigen::all) = of_kept;
  return out;
}

Solution KeptColumns::spread(Solution out) const {
  const Index p = whole_.num_columns(), q = p + (whole_.units.standardization.intercept ? 1 : 0);
  std::vector<Index> in_design = place_;
  if (q > p) in_design.push_back(p);
  if (out.rows.of_components) take_moments(out.rows.t.size() > 0 ? out.rows.t.size() : whole_.target.size(), out.factor.mixture, out.rows);
  const auto renamed = [&](std::vector<Index>& columns) { columns = taken(in_design, columns); };
  if (out.prior == PriorKind::laplace) {  // a group and a precision for each column
    for (Index& g : out.group)
      if (g >= 0) g = place_[static_cast<std::size_t>(g)];
    out.precision = put(out.precision, place_, p, infinity);
    if (const Index times = out.precision_history.cols(); times > 0) {
      Matrix history = Matrix::Constant(p, times, infinity);
      history.col(0).setOnes();
      history(place_, Eigen::all) = out.precision_history;
      out.precision_history = std::move(history);
    }
  }
  out.group = put(out.group, place_, p, Partition::left_out);
  renamed(out.flat);
  for (PruningEvent& event : out.report.pruning) renamed(event.pruned), renamed(event.readmitted);
  out.w = put(out.w, in_design, q, 0);
  out.V_diagonal = put(out.V_diagonal, in_design, q, 0);
  out.a = put(out.a, in_design, q, 1);  // as Partition::left_out
  out.relevance = put(out.relevance, place_, p, 0);
  out.relevant = put(out.relevant, place_, p, false);
  if (!out.marginals.empty()) out.marginals = put(out.marginals, in_design, q, TiltedParts{});
  CovarianceFactor& factor = out.factor;
  if (factor.kind == CovarianceFactor::Kind::mixture) {
    renamed(factor.mixture.columns);
    renamed(factor.mixture.flat_columns);
  } else if (factor.kind != CovarianceFactor::Kind::none) {
    factor.columns.empty() ? static_cast<void>(factor.columns = in_design) : renamed(factor.columns);
  }
  if (!out.sparse) return out;
  out.sparse->inclusion = put(out.sparse->inclusion, place_, p, 0);
  out.sparse->direction = put(out.sparse->direction, place_, p, 0.5);
  out.sparse->undecided = put(out.sparse->undecided, place_, p, false);
  for (CredibleSet& set : out.sparse->sets) renamed(set.columns);
  return out;
}

}  // namespace ardvark::internal
