#include "method/l1/fold_paths.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/blas.hpp"
#include "core/digits.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"
#include "core/stopwatch.hpp"
#include "method/l1/lasso.hpp"
#include "method/l1/lasso_problem.hpp"
#include "target/target.hpp"

namespace ardvark::internal {
namespace {

// The rows that are not in a fold, with columns in their own units.
struct FoldProblem {
  ColumnUnits units;
  Vector length, k;
  double rows = 0;
};

// The columns of all rows are z = (x - c) s. Of these rows, z' = (x - c') s' = (s'/s) z + (c - c') s'.                           (L1.12)
FoldProblem problem_without(const Frame& frame, const RowsOfFolds& folds, int fold, Index num_columns) {
  FoldProblem out;
  out.k = frame.k;
  for (Index i = 0; i < out.k.size(); ++i)
    if (folds.fold[static_cast<std::size_t>(i)] == fold) out.k[i] = 0;
  out.rows = out.k.sum();
  const Index p = frame.num_columns();
  Vector center, spread;
  frame.X.moments(out.k, frame.options.intercept, center, spread);
  const Standardization& all = frame.units.standardization;
  const bool scales = frame.options.standardize;
  Vector factor = Vector::Ones(num_columns), shift = Vector::Zero(num_columns);
  out.length = Vector::Ones(num_columns);
  for (Index j = 0; j < p; ++j) {
    const double off = all.center.size() > 0 ? all.center[j] - center[j] : 0;
    const bool varies = !frame.left_out[static_cast<std::size_t>(j)] && is_spread(spread[j], center[j]);
    factor[j] = !varies ? 0 : scales ? 1 / spread[j] / all.scale[j] : 1;
    shift[j] = varies && scales ? off / spread[j] : 0;
    out.length[j] = !varies ? 0 : scales ? 1 : std::hypot(spread[j], off);
  }
  out.length *= std::sqrt(out.rows);
  out.units = {std::move(factor), std::move(shift)};
  return out;
}

// The loss of one row: squared error, or -ln of the probability of its class.
double loss_of(bool is_linear, double t, double m) {
  if (is_linear) return (t - m) * (t - m);
  const double z = t > 0.5 ? m : -m;
  return std::max(-z, 0.0) + std::log1p(std::exp(-std::abs(z)));
}

// A search for the modes of a path: of all rows, or of those without a fold.
struct Search {
  CoordinateAscent* ascent = nullptr;
  std::unique_ptr<CoordinateAscent> own;
  double share = 1;  // of the weight of all rows
  int fold = -1;
  CoordinateOutcome outcome = {};
  bool is_waiting = false;
};

class FoldPaths {
 public:
  FoldPaths(const Frame& frame, const RowsOfFolds& folds, FitOptions options)
      : frame_(frame), folds_(folds), options_(std::move(options)), problem_(frame), losses_(static_cast<std::size_t>(folds.count)) {
    lambda_max_ = problem_.lambda_max();
    lambdas_ = lambdas_of({}, lambda_max_, is_tall(frame));
    writer_.emplace(frame, problem_, lambdas_, lambda_max_);
    const auto count = static_cast<Index>(lambdas_.size());
    for (FoldLoss& one : losses_) one.loss = Vector::Zero(count);
    for (Index i = 0; i < frame.k.size(); ++i)
      if (const int fold = folds.fold[static_cast<std::size_t>(i)]; fold >= 0) losses_[static_cast<std::size_t>(fold)].weight += frame.k[i];
  }
  // False: the caller has stopped it.
  bool run(Index threads);
  [[nodiscard]] std::vector<FoldLoss> losses() &&;
  [[nodiscard]] LambdaPath path() { return writer_->end(); }

 private:
  [[nodiscard]] bool are_side_by_side() const;
  bool run_together(std::vector<Search> searches, Index threads);
  void solve(double lambda, std::vector<Search>& searches, Index threads) const;
  void make_passes(std::vector<Search>& searches) const;
  void add_losses(const Search& search, Index at);
  [[nodiscard]] bool has_clearly_risen(Index last) const;
  [[nodiscard]] Search search_of(int fold) const;

  const Frame& frame_;
  const RowsOfFolds& folds_;
  FitOptions options_;
  Stopwatch watch_;
  mutable LassoProblem problem_;
  double lambda_max_ = 0;
  std::vector<double> lambdas_;
  std::optional<PathWriter> writer_;
  std::vector<FoldLoss> losses_;
};

Search FoldPaths::search_of(int fold) const {
  FoldProblem rest = problem_without(frame_, folds_, fold, problem_.table->cols());
  Search out;
  out.fold = fold;
  out.share = rest.rows / frame_.rows;
  out.own = std::make_unique<CoordinateAscent>(problem_.store, std::move(rest.units), frame_.target, std::move(rest.k), problem_.flat,
                                               std::move(rest.length), problem_.loss());
  out.ascent = out.own.get();
  return out;
}

// Each search has some vectors of rows. They are small beside many columns.
bool FoldPaths::are_side_by_side() const {
  constexpr Index vectors = 10, few = Index{1} << 22;
  const Index searches = folds_.count + 1, numbers = vectors * searches * frame_.X.rows();
  return numbers <= few || vectors * searches <= frame_.X.cols();
}

bool FoldPaths::run(Index threads) {
  const Index at_once = are_side_by_side() ? folds_.count + 1 : std::max<Index>(threads, 1);
  std::vector<Search> some;
  some.emplace_back().ascent = &problem_.ascent;
  for (int fold = 0; fold <= folds_.count; ++fold) {
    if (static_cast<Index>(some.size()) == at_once || fold == folds_.count) {
      if (!run_together(std::move(some), threads)) return false;
      some.clear();
    }
    if (fold < folds_.count) some.push_back(search_of(fold));
  }
  return true;
}

// One lambda after the other, so that all searches are warm. Those of folds begin with the flat columns alone.
bool FoldPaths::run_together(std::vector<Search> searches, Index threads) {
  if (searches.empty()) return true;
  for (Search& search : searches) {
    if (search.fold < 0) continue;
    search.ascent->start();
    search.is_waiting = true;
  }
  make_passes(searches);
  for (Search& search : searches)
    if (search.fold >= 0) static_cast<void>(search.ascent->largest_gradient());
  const auto count = static_cast<Index>(lambdas_.size());
  for (Index i = 0; i < count; ++i) {
    pulse("fitting", {.name = "lambda", .done = i, .total = count, .alike = false});
    solve(lambdas_[static_cast<std::size_t>(i)], searches, threads);
    for (Search& search : searches) {
      if (search.outcome.status == Status::stopped_by_user) return false;
      search.fold < 0 ? writer_->add(search.outcome) : add_losses(search, i);
    }
    if (are_side_by_side() && has_clearly_risen(i)) break;
  }
  pulse("fitting");
  return true;
}

void FoldPaths::solve(double lambda, std::vector<Search>& searches, Index threads) const {
  const CoordinateSettings settings = settings_of(options_, log_density_of(problem_, lambda), watch_);
  for (Search& search : searches) {
    search.ascent->begin(search.share * lambda / problem_.unit, settings);  // a penalty per row                                (L1.12)
    search.is_waiting = true;
  }
  const auto waits = [](const Search& search) { return search.is_waiting; };
  while (std::ranges::any_of(searches, waits)) {
    {
      const blas::ThreadScope one(1);
      parallel_for(static_cast<Index>(searches.size()), threads, [&](Index s) {
        Search& search = searches[static_cast<std::size_t>(s)];
        if (!search.is_waiting) return;
        search.is_waiting = search.ascent->advance();
        if (!search.is_waiting) search.outcome = search.ascent->end();
      });
    }
    make_passes(searches);
  }
}

// One pass over the table for all that wait, if they are the same ones however many threads there are: sums of one search and of several
// may differ by rounding.
void FoldPaths::make_passes(std::vector<Search>& searches) const {
  std::vector<Search*> waiting;
  for (Search& search : searches)
    if (search.is_waiting) waiting.push_back(&search);
  Design& X = *problem_.table;
  const auto count = static_cast<Index>(waiting.size());
  if (!are_side_by_side() || count == 1) {
    for (Search* search : waiting) {
      Vector products(X.cols());
      X.project(search->ascent->r(), products);
      search->ascent->take_pass(std::move(products));
    }
    return;
  }
  if (count == 0) return;
  Matrix R(X.rows(), count), products;
  for (Index s = 0; s < count; ++s) R.col(s) = waiting[static_cast<std::size_t>(s)]->ascent->r();
  X.project_several(R, products);
  for (Index s = 0; s < count; ++s) waiting[static_cast<std::size_t>(s)]->ascent->take_pass(products.col(s));
}

void FoldPaths::add_losses(const Search& search, Index at) {
  FoldLoss& out = losses_[static_cast<std::size_t>(search.fold)];
  if (search.outcome.status != Status::converged) ++out.num_unfinished;
  const Vector& m = search.ascent->m();
  double sum = 0;
  for (Index i = 0; i < m.size(); ++i)
    if (folds_.fold[static_cast<std::size_t>(i)] == search.fold) sum += frame_.k[i] * loss_of(problem_.is_linear, frame_.target[i], m[i]);
  out.loss[at] = problem_.unit * problem_.unit * sum / out.weight;
}

// (L1.15)
bool FoldPaths::has_clearly_risen(Index last) const {
  constexpr Index many = 500, in_a_row = 3;
  if (last < in_a_row || writer_->last_nonzero() <= many) return false;
  const auto mean_at = [&](Index i, Index less) {
    double sum = 0;
    for (const FoldLoss& one : losses_) sum += one.weight / frame_.rows * (one.loss[i] - (less >= 0 ? one.loss[less] : 0));
    return sum;
  };
  Index best = 0;
  for (Index i = 1; i <= last; ++i)
    if (mean_at(i, -1) < mean_at(best, -1)) best = i;
  for (Index i = last; i > last - in_a_row; --i) {
    const double rise = mean_at(i, best);
    double square = 0;
    for (const FoldLoss& one : losses_) square += one.weight / frame_.rows * std::pow(one.loss[i] - one.loss[best] - rise, 2);
    if (!(rise > 2 * std::sqrt(square / (folds_.count - 1)))) return false;
  }
  return true;
}

std::vector<FoldLoss> FoldPaths::losses() && {
  for (FoldLoss& one : losses_) one.loss.conservativeResize(writer_->count());
  return std::move(losses_);
}

}  // namespace

std::optional<std::vector<FoldLoss>> losses_of_folds(const Frame& frame, const RowsOfFolds& folds, const SweepCallback& on_sweep,
                                                     LambdaPath& path) {
  FitOptions options = frame.options;
  options.on_sweep = on_sweep;
  FoldPaths paths(frame, folds, std::move(options));
  const Index threads = frame.options.threads > 0 ? frame.options.threads : blas::num_threads();
  const bool has_ended = paths.run(threads);
  path = paths.path();
  if (!has_ended) return std::nullopt;
  return std::move(paths).losses();
}

}  // namespace ardvark::internal
