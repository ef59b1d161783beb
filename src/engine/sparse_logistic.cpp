// Logistic regression under the priors sparse, slab and dense: the exact Gaussian row terms as working weights.     docs/math/sparse.md
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "core/blas.hpp"
#include "core/parallel.hpp"
#include "core/products.hpp"
#include "core/special.hpp"
#include "design/column_panels.hpp"
#include "engine/class_grid.hpp"
#include "engine/conditioning.hpp"
#include "engine/coordinate/coordinate_ascent.hpp"
#include "engine/describe.hpp"
#include "engine/row_order.hpp"
#include "engine/sparse_fit.hpp"
#include "engine/sparse_rows_moments.hpp"
#include "engine/user_units.hpp"

namespace ardvark {
namespace {

constexpr double least_omega = 1e-8;
constexpr double saturated = 30;        // m^2 + s of log odds that no ordinary fit has
constexpr double most_to_repeat = 4e7;  // multiplications of a Gram matrix that may be made for each cell of the grid
constexpr int sweeps_per_step = 5;  // over all columns: the decomposition takes most of a step                                      (SL.3)
constexpr int most_sweeps_per_step = 60;  // of groups

struct Sites {
  Vector omega, response;  // weight, and weight times working target                                                            (SL.1)
};

// Rows with the same inputs have the same linear predictor: they are one row, whose t is the share of its observations that are of the
// second class. So many rows of few text columns are few.                                                                     (SL.7)
struct EqualRows {
  Matrix X;
  Vector t, k;
};

std::optional<EqualRows> merge_equal_rows(MatrixView X, const Vector& t, const Vector& k) {
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

// The same with the classes apart, for what takes t of 0 and 1 only.
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

struct Problem {
  MatrixView X;
  const Vector &t, &k;
  const PenalisedColumns& which;
  const Standardization& standardization;
  SpikeSlabSettings slab;
  std::shared_ptr<const ColumnSets> sets;
  double tolerance;
  int max_sweeps;
  SweepReport on_sweep;
  std::shared_ptr<const SparseRows> sparse = nullptr;  // of X, if its rows are                                                   (SL.8)
};

std::unique_ptr<Design> design_of(const Problem& problem) {
  if (problem.sparse) return std::make_unique<SparseDesign>(problem.X, problem.standardization, problem.sparse);
  return std::make_unique<DenseDesign>(problem.X, problem.standardization);
}

struct Result {
  StartOutcome start;
  std::shared_ptr<ReducedRows> rows;
};

// One start: marginals of the rows -> sites -> reduced rows -> a few sweeps -> marginals.
class Ascent {
 public:
  Ascent(const Problem& problem, std::string name)
      : problem_(problem),
        design_(design_of(problem)),
        flat_(read_columns(*design_, problem.which.flat)),
        out_{std::move(name), SpikeSlab(problem.which, problem.slab, problem.sets)} {
    const double total = problem.k.sum(), rate = std::clamp(problem.k.dot(problem.t) / total, 1e-6, 1 - 1e-6);
    const bool has_flat = !problem.which.flat.empty();
    m_ = Vector::Constant(problem.t.size(), has_flat ? std::log(rate / (1 - rate)) : 0.0);
    s_ = Vector::Zero(problem.t.size());
    sites_ = target();
  }

  void set_hyper(const SpikeSlabHyper& hyper) { first_hyper_ = hyper; }
  /// Weights, with flat ones, to begin with.
  void begin_at(const Vector& w) {
    design_->apply(w, m_);
    sites_ = target();
    first_mean_ = w(problem_.which.columns);
  }

  /// Until F stands still, or until it is where one of `ended` stands; `with_effects`: b moves too.                      (SL.6), (SL.9)
  void run(bool with_effects, std::span<const Result> ended = {}) {
    double share = 1, F = -std::numeric_limits<double>::infinity();
    int calm = 0;
    out_.status = Status::max_sweeps;
    std::optional<SpikeSlab> accepted;
    Sites before = sites_;
    for (int step = 0; out_.sweeps < problem_.max_sweeps;) {
      const Sites aim = target();
      for (;;) {
        sites_.omega = before.omega + share * (aim.omega - before.omega);
        sites_.response = before.response + share * (aim.response - before.response);
        if (!update(with_effects, step < 3)) {
          out_.status = Status::failed;
          return;
        }
        if (!(out_.bound < F - 1e-3) || share <= 1.0 / 16) break;
        share /= 2;
        if (accepted) out_.q = *accepted;
      }
      ++out_.sweeps;
      ++step;
      out_.history.push_back(out_.bound);
      if (problem_.on_sweep && !problem_.on_sweep(out_.sweeps, out_.bound)) {
        out_.status = Status::stopped_by_user;
        return;
      }
      m_ = next_m_;
      s_ = next_s_;
      accepted = out_.q;
      before = sites_;
      share = std::min(1.0, 1.5 * share);
      calm = std::abs(out_.bound - F) < problem_.tolerance ? calm + 1 : 0;
      F = out_.bound;
      if (is_a_step()) {
        out_.status = Status::separated;
        return;
      }
      if (const Result* there = met(ended)) {
        const std::string name = out_.name;
        const int sweeps = out_.sweeps;
        std::vector<double> history = std::move(out_.history);
        out_ = there->start;
        out_.name = name;
        out_.sweeps = sweeps;
        history.push_back(out_.bound);
        out_.history = std::move(history);
        rows_ = there->rows;
        return;
      }
      if (calm >= 2 && !(vary_widely() && drifts())) {
        out_.status = Status::converged;
        return;
      }
    }
  }

  void free_dense(double h) {
    out_.q.free_dense(h);
    out_.history.clear();  // another bound from here on
  }
  void change_hyper(double pi, double kappa) {
    out_.history.clear();
    SpikeSlabHyper hyper = out_.q.hyper();
    hyper.pi = pi;
    hyper.kappa = kappa;
    out_.q.set_hyper(hyper);
  }
  [[nodiscard]] const StartOutcome& outcome() const { return out_; }
  [[nodiscard]] StartOutcome take() { return std::move(out_); }
  [[nodiscard]] std::shared_ptr<ReducedRows> rows() const { return rows_; }

 private:
  // Of groups: which of those that have ended this start is about to follow.                                                   (SL.9)
  [[nodiscard]] const Result* met(std::span<const Result> ended) const {
    const SpikeSlabSettings& slab = problem_.slab;
    for (const Result& other : ended) {
      const SpikeSlab& q = other.start.q;
      if (q.sets().has_one_indicator() && other.start.status == Status::converged && q.sum_of_inclusion() > 0 &&
          std::abs(other.start.bound - out_.bound) < near * problem_.tolerance &&
          are_alike(q, out_.q, 0.25 * slab.num_rows * slab.column_unit, (q.mean() - out_.q.mean()).squaredNorm()))
        return &other;
    }
    return nullptr;
  }

  [[nodiscard]] Sites target() const {
    Sites sites{Vector(m_.size()), Vector(m_.size())};
    for (Index i = 0; i < m_.size(); ++i) {
      const LogisticExpectation e = expected_logistic(m_[i], s_[i]);
      const double k = problem_.k[i];
      sites.omega[i] = k > 0 ? std::max(k * e.slope, least_omega) : 0;
      sites.response[i] = sites.omega[i] * m_[i] + k * (problem_.t[i] - e.sigma);
    }
    return sites;
  }

  bool update(bool with_effects, bool search_widely) {
    auto rows = std::make_shared<ReducedRows>();
    Vector z(sites_.omega.size());
    for (Index i = 0; i < z.size(); ++i) z[i] = sites_.omega[i] > 0 ? sites_.response[i] / sites_.omega[i] : 0;
    if (!reduce_rows(*design_, problem_.which, sites_.omega, z, sites_.omega.sum(), problem_.sparse ? KeepBasis::no : KeepBasis::yes,
                     *rows))
      return false;
    if (with_effects) rows->systems = group_systems(*rows, out_.q.sets(), out_.q.settings().fit_dense);
    rows_ = std::move(rows);
    out_.q.set_rows(*rows_);
    if (first_hyper_) {
      out_.q.set_hyper(*first_hyper_);
      if (first_mean_.size() > 0) out_.q.set_mean(first_mean_);
      first_hyper_.reset();
    }
    if (with_effects) {
      const std::vector<Index> correlation = by_correlation(*rows_, problem_.which);
      if (order_.empty())
        order_ = out_.q.sets().in_order_of(first_mean_.size() > 0 ? by_size(first_mean_, problem_.which, correlation) : correlation);
      sweep(search_widely);
    }
    out_.q.update_hyper(search_widely);
    problem_.sparse ? find_marginals_of_sparse_rows() : find_marginals();
    out_.bound = bound();
    return std::isfinite(out_.bound);
  }

  // Of groups until the bound stands still: there a sweep takes little of a step, and slab and dense part give way to each other slowly.
  void sweep(bool search_widely) {  // (SL.3), (SP.18)
    if (out_.q.sets().has_one_indicator()) {
      AscentSettings settings;
      settings.max_sweeps = most_sweeps_per_step;
      settings.wide_sweeps = search_widely ? settings.wide_sweeps : 0;
      StartOutcome inner{{}, std::move(out_.q)};
      ascend(order_, settings, {}, inner);
      out_.q = std::move(inner.q);
      return;
    }
    for (int i = 1; i < sweeps_per_step; ++i) {
      out_.q.sweep(order_);
      out_.q.update_hyper(search_widely);
      out_.q.sweep_raised();
      out_.q.update_hyper(false);
    }
    out_.q.sweep(order_);
  }

  // The same as find_marginals() with U = X~ Z' diag(1/l).                                                                       (SL.8)
  void find_marginals_of_sparse_rows() {
    const ReducedRows& rows = *rows_;
    const Vector w = rows.project((rows.y - out_.q.Dr()).cwiseQuotient(rows.l));
    RowMoments found = row_moments(*problem_.sparse, problem_.which, rows, w, rows.flat_mean - rows.G * w, covariance_seen(out_.q), 1);
    next_m_ = std::move(found.mean);
    next_s_ = std::move(found.variance);
  }

  // m_n = f_n'flat + omega^-1/2 [U (y - Dr)]_n, and its variance.                                                               (SL.4)
  void find_marginals() {
    const ReducedRows& rows = *rows_;
    const SpikeSlab& q = out_.q;
    const Vector root = sites_.omega.cwiseSqrt(), &D = q.D();
    const double h = q.hyper().h;
    const Vector along = rows.U * (rows.y - q.Dr());
    Vector spread = rows.U.cwiseAbs2() * (h * rows.l.array() * D.array()).matrix();
    const auto Z = rows.Z();
    const Matrix UD = rows.U * D.asDiagonal();
    // (UDZ S)^2, S S' = Cov b set by set. Columns whose effect is known well enough to add nothing are passed over.
    constexpr Index block = 256;
    Matrix panel(Z.rows(), block), product(UD.rows(), block);
    Index filled = 0;
    const auto add_panel = [&] {
      if (filled > 0 && panel.rows() > 0)
        blas::gemm(blas::Transpose::no, blas::Transpose::no, UD.rows(), filled, UD.cols(), 1.0, UD.data(), UD.rows(), panel.data(),
                   panel.rows(), 0.0, product.data(), product.rows());
      if (panel.rows() > 0) spread += product.leftCols(filled).rowwise().squaredNorm();
      filled = 0;
    };
    const Vector& variance = q.variance_of_small();
    for (Index set = 0; set < q.sets().size(); ++set) {
      if (const auto large = q.covariance_in_rows(set)) {
        spread += UD.cwiseAbs2() * large->a + (UD * large->along).cwiseAbs2();
        if (large->Y.cols() > 0) spread += large->sign * products::times(UD, large->Y).rowwise().squaredNorm();
        continue;
      }
      const std::span<const Index> columns = q.sets().columns_of(set);
      double seen = 0;
      for (const Index j : columns) seen += variance[j] * D.dot(Z.col(j).cwiseAbs2());
      if (!(seen > 1e-8 / static_cast<double>(problem_.which.size()))) continue;
      const Matrix S = root_of(q.covariance_of(set));
      for (Index i = 0; i < S.cols(); ++i) {
        auto column = panel.col(filled++);
        column = S(0, i) * Z.col(columns[0]);
        for (Index l = 1; l < S.rows(); ++l)
          if (S(l, i) != 0) column += S(l, i) * Z.col(columns[static_cast<std::size_t>(l)]);
        if (filled == block) add_panel();
      }
    }
    add_panel();
    next_m_ = flat_ * rows.flat_mean;
    next_s_ = (flat_ * rows.R.transpose()).rowwise().squaredNorm();
    for (Index i = 0; i < root.size(); ++i) {
      if (root[i] == 0) continue;
      next_m_[i] += along[i] / root[i];
      next_s_[i] += spread[i] / sites_.omega[i];
    }
  }

  [[nodiscard]] double log_likelihood() const {
    double sum = 0;
    for (Index i = 0; i < next_m_.size(); ++i)
      if (problem_.k[i] > 0) {
        const double t = problem_.t[i];  // t m - softplus(m) = - t softplus(-m) - (1 - t) softplus(m)
        if (t > 0) sum -= problem_.k[i] * t * expected_logistic(-next_m_[i], next_s_[i]).softplus;
        if (t < 1) sum -= problem_.k[i] * (1 - t) * expected_logistic(next_m_[i], next_s_[i]).softplus;
      }
    return sum;
  }

  // Every score is beyond a hundred, or varies by as much, and the rows are told apart nevertheless: the logistic function has become a
  // step, and what F still gains are logarithms of the scale, a little a step for ever.                                         (VG.5)
  [[nodiscard]] bool is_a_step() const {
    constexpr double square_of_a_step = 1e4;
    const Vector square = m_.cwiseAbs2() + s_;
    return (problem_.k.array() > 0).select(square, std::numeric_limits<double>::infinity()).minCoeff() > square_of_a_step &&
           log_likelihood() > -0.7 * problem_.k.sum();
  }

  // Some score is beyond all doubt, or varies by more than ten, which in ordinary fits none does: classes that can be told apart, or all
  // but.
  [[nodiscard]] bool vary_widely() const {
    constexpr double large = 200;
    return (m_.cwiseAbs2() + s_).maxCoeff() > large;
  }

  // Of rows that are told apart F may climb for ever, a little a step, and two small changes are accidents.                      (SL.6)
  [[nodiscard]] bool drifts() const {
    constexpr std::size_t steps = 10;
    const std::vector<double>& F = out_.history;
    return F.size() <= steps || std::abs(F.back() - F[F.size() - 1 - steps]) > problem_.tolerance;
  }

  [[nodiscard]] double bound() const {  // (SL.5)
    const ReducedRows& rows = *rows_;
    const SpikeSlab& q = out_.q;
    const double h = q.hyper().h;
    double F = log_likelihood();
    const Vector& D = q.D();
    double dense = 0;
    for (Index i = 0; i < D.size(); ++i) {
      const double hl = h * rows.l[i], Dr = q.Dr()[i];
      dense += std::log1p(hl) - hl * D[i] + hl * (Dr * Dr + D[i] * D[i] * q.g()[i]);
    }
    const double flats = static_cast<double>(problem_.which.flat.size());
    return F - q.divergence() - 0.5 * dense + 0.5 * flats * (ln_2pi + 1) - 0.5 * rows.log_det_FOF + q.log_prior_of_dense();
  }

  const Problem& problem_;
  std::unique_ptr<Design> design_;
  Matrix flat_;  // [n, flats]
  Vector m_, s_, next_m_, next_s_;
  Sites sites_;
  std::shared_ptr<ReducedRows> rows_;
  StartOutcome out_;
  std::optional<SpikeSlabHyper> first_hyper_;
  Vector first_mean_;
  std::vector<Index> order_;
};

// Blocks of columns correlated among rows of equal log odds, which all starts keep.                                             (SP.13)
std::shared_ptr<const ColumnSets> first_sets(Design& design, const Problem& problem) {
  const double total = problem.k.sum(), rate = problem.k.dot(problem.t) / total;
  ReducedRows rows;
  const bool can_be_told = reduce_rows(design, problem.which, problem.k, problem.t.array() - rate, total, KeepBasis::no, rows);
  return can_be_told ? sets_of(problem.which, rows) : nullptr;
}

// Where L1 has its weights.                                                                                                      (SL.6)
const std::vector<double> fractions = {1.5, 3, 8};
std::vector<Vector> lasso_weights(Design& design, const Vector& t, const Vector& k, const std::vector<Index>& flat) {
  std::vector<Vector> found;
  CoordinateAscent path(design, t, k, flat);
  const double largest = path.lambda_max();
  CoordinateSettings settings;
  settings.tolerance = 1e-3;
  for (const double fraction : fractions) {
    if (largest > 0) static_cast<void>(path.solve(largest / fraction, settings));
    found.push_back(path.w());
  }
  return found;
}

Result finish(Ascent& ascent) {
  auto rows = ascent.rows();
  return {ascent.take(), std::move(rows)};
}
bool may_go_on(const Ascent& ascent) {
  return ascent.outcome().status != Status::failed && ascent.outcome().status != Status::stopped_by_user;
}

std::vector<Result> from_ridge(const Problem& problem, double seen, bool with_effects) {
  Ascent ascent(problem, "ridge alone");
  ascent.set_hyper({.pi = 0, .kappa = 0, .h = 1 / seen, .s2 = 1});
  ascent.run(false);
  std::vector<Result> found = {{ascent.outcome(), ascent.rows()}};
  if (!with_effects) return found;
  if (may_go_on(ascent)) {
    ascent.change_hyper(0.1, 16 / seen);
    ascent.run(true);
  }
  found.push_back(finish(ascent));
  found.back().start.name = "ridge";
  return found;
}

std::vector<Result> from_zero(const Problem& without_dense, double seen, bool with_dense) {
  Ascent ascent(without_dense, "zero");
  ascent.set_hyper({.pi = 0.1, .kappa = 16 / seen, .h = 0, .s2 = 1});
  ascent.run(true);
  if (with_dense && may_go_on(ascent)) {
    ascent.free_dense(1e-4 / seen);
    ascent.run(true);
  }
  return {finish(ascent)};
}

std::vector<Result> from_lasso(const Problem& problem, double seen, bool with_dense, double fraction, const Vector& w,
                               std::span<const Result> ended) {
  Ascent ascent(problem, fmt::format("lasso {:g}", fraction));
  const Vector m = w(problem.which.columns);
  const double nonzero = static_cast<double>((m.array() != 0).count());
  SpikeSlabHyper hyper{.pi = 0.1, .kappa = 16 / seen, .h = with_dense ? 1e-4 / seen : 0, .s2 = 1};
  if (nonzero > 0) {
    hyper.pi = std::min(nonzero / static_cast<double>(problem.which.size()), 0.5);
    hyper.kappa = 1.5 * m.squaredNorm() / nonzero;
  }
  ascent.set_hyper(hyper);
  ascent.begin_at(w);
  ascent.run(true, ended);
  return {finish(ascent)};
}

ComponentMoments moments_of(const Mixture& mixture, const SparseRows& X, const PenalisedColumns& which) {
  const auto count = static_cast<Index>(mixture.components.size());
  ComponentMoments out{Matrix(X.rows(), count), Matrix(X.rows(), count)};
  for (Index c = 0; c < count; ++c) {
    const MixtureComponent& one = mixture.components[static_cast<std::size_t>(c)];
    const RowMoments found = row_moments(X, which, *one.basis, one.w, one.flat_mean, one.covariance(), one.dense().flat);
    out.mean.col(c) = found.mean;
    out.variance.col(c) = found.variance;
  }
  return out;
}

// Of rows first .. first+count-1.
std::function<ComponentMoments(Index, Index)> moments_of_rows(const Mixture& mixture, MatrixView X,
                                                              const Standardization& standardization) {
  return [&mixture, X, &standardization](Index first, Index count) {
    const Index skipped = first * (X.layout() == Layout::column_major ? 1 : X.stride());
    const Index size = X.scalar() == ScalarType::float64 ? sizeof(double) : sizeof(float);
    const void* data = static_cast<const char*>(X.data()) + skipped * size;
    DenseDesign some(MatrixView(data, X.scalar(), count, X.cols(), X.layout(), X.stride()), standardization);
    return mixture.component_moments(some);
  };
}

// Starts from the L1 path come after the others, where some of them may end.                                            (SL.6), (SL.9)
// \param may_meet  false: they all run in full
std::vector<Result> run_all(const Problem& problem, const Problem& without_dense, const std::vector<Vector>& lasso, SparseParts parts,
                            double seen, Index num_threads, bool may_meet) {
  const bool with_dense = parts != SparseParts::slab_only, with_effects = !lasso.empty();
  std::vector<Result> ridge, zero;
  parallel_for(2, num_threads, [&](Index task) {
    if (task == 0 && (with_dense || !with_effects)) ridge = from_ridge(problem, seen, with_effects);
    if (task == 1 && with_effects) zero = from_zero(without_dense, seen, with_dense);
  });
  std::vector<Result> out = std::move(ridge);
  for (Result& result : zero) out.push_back(std::move(result));
  std::vector<std::vector<Result>> found(lasso.size());
  parallel_for(static_cast<Index>(lasso.size()), num_threads, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    found[at] = from_lasso(problem, seen, with_dense, fractions[at], lasso[at],
                           may_meet ? std::span<const Result>(out) : std::span<const Result>());
  });
  for (std::vector<Result>& of_one : found)
    for (Result& result : of_one) out.push_back(std::move(result));
  return out;
}

// Few columns: the average over all values of the hyper-parameters. False: none came to a finite bound.              (SP.21), (SL.10)
bool average_over_grid(const Problem& problem, SparseParts parts, double offset, Index num_threads, const FitOptions& options,
                       const std::vector<bool>& left_out, detail::FitState& state, Fit& fit) {
  const PenalisedColumns& which = problem.which;
  const bool proper = options.intercept && which.flat.size() == 1;
  ClassRows rows(design_of(problem), problem.t, problem.k, proper);
  const auto sets = problem.sets ? problem.sets : std::make_shared<const ColumnSets>(groups_of(which));
  ClassGrid found;
  {
    const blas::ThreadScope one{1};
    run_reported(options, offset, [&](const SweepReport& report_sweep) {
      const ClassGridSettings settings{problem.tolerance, problem.max_sweeps, report_sweep, parts, num_threads};
      found = fit_class_grid(rows, which, sets, problem.slab, settings);
      // Where log odds are beyond doubt working rows hang on the hyper-parameters.                                            (SL.11)
      const double work = static_cast<double>(problem.t.size()) * std::pow(static_cast<double>(which.size()), 2);
      if (found.farthest > saturated && work < most_to_repeat && found.status != Status::stopped_by_user)
        found = fit_class_cells(rows, which, sets, problem.slab, settings);
    });
  }
  if (found.grid.points.empty()) {
    describe_failure(options, left_out, state, fit);
    return false;
  }
  StartOutcome& best = found.grid.points[found.grid.best];
  best.bound = found.grid.log_evidence;
  best.history = found.history;
  best.sweeps = static_cast<int>(found.history.size());
  best.status = found.status;
  describe_sparse(options, which, averaged_grid(std::move(found.grid)), std::move(found.posterior), left_out, state, fit);
  return true;
}

// \param in_full  what the starts came to, each by itself; null: those from the L1 path may end where others did
void fit_classes(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options, Prepared prepared,
                 std::shared_ptr<detail::FitState> state, Fit& fit, SparseStarts* in_full) {
  Report& report = fit.report;
  report.notes.insert(report.notes.end(), prepared.notes.begin(), prepared.notes.end());
  state->standardization = std::move(prepared.standardization);
  const PenalisedColumns which = penalised_columns(options, X.cols(), prepared.left_out);
  if (std::min(X.rows(), which.size()) > most_to_rotate)
    throw InvalidArgument(
        fmt::format("prior '{}' of classes needs a decomposition that {} rows and {} columns make too dear; use prior shared "
                    "or laplace",
                    to_string(options.prior.kind), X.rows(), which.size()));
  const SparseParts parts = parts_of(options.prior.kind);
  fit.num_rows = k.sum();

  const std::optional<EqualRows> merged = merge_equal_rows(X, t, k);
  const MatrixView seen_X = merged ? MatrixView(merged->X) : X;
  const Vector &seen_t = merged ? merged->t : t, &seen_k = merged ? merged->k : k;
  Problem problem{seen_X, seen_t, seen_k, which, state->standardization, {}, {}, options.tolerance.value_or(2e-3), options.max_sweeps, {}};
  problem.slab.num_rows = fit.num_rows;
  problem.slab.fit_noise = false;
  problem.slab.fit_dense = parts != SparseParts::slab_only;
  const double offset = bound_offset(which.flat, *state, fit.task, fit.num_rows);
  DenseDesign design(seen_X, state->standardization);
  warn_of_flat_columns(design, which.flat, seen_k, options.column_names, report);
  if (which.size() > 0 && !options.standardize) {
    double square = 0;
    for_column_panels(design, which.columns,
                      [&](const auto& panel, const std::vector<Index>&) { square += seen_k.dot(panel.cwiseAbs2().rowwise().sum()); });
    if (square > 0) problem.slab.column_unit = square / (static_cast<double>(which.size()) * fit.num_rows);
  }
  const double seen = 0.25 * fit.num_rows * problem.slab.column_unit;  // of the observations, in units of their working weights
  const bool with_effects = parts != SparseParts::dense_only && which.size() > 0;
  if (which.size() <= seen_X.rows()) problem.sparse = SparseRows::of(seen_X, state->standardization);
  if (with_effects) problem.sets = first_sets(*design_of(problem), problem);

  const int threads = blas::num_threads();
  if (is_averaged(which) && in_full == nullptr) {
    if (!average_over_grid(problem, parts, offset, threads, options, prepared.left_out, *state, fit)) {
      fit.state = std::move(state);
      return;
    }
    const Mixture& posterior = state->factor.mixture;
    describe_classes(t, k, posterior, moments_of_rows(posterior, X, state->standardization), fit);
    fit.state = std::move(state);
    return;
  }

  // What takes 0 and 1 for t sees a row of each class.
  const EqualRows apart = merged ? merge_rows_of_class(*merged) : EqualRows{};
  const MatrixView X_apart = merged ? MatrixView(apart.X) : X;
  const Vector &t_apart = merged ? apart.t : t, &k_apart = merged ? apart.k : k;
  DenseDesign design_apart(X_apart, state->standardization);
  const std::vector<Vector> lasso = with_effects ? lasso_weights(design_apart, t_apart, k_apart, which.flat) : std::vector<Vector>();
  const blas::ThreadScope one{1};
  std::vector<Result> found;
  run_reported(options, offset, [&](const SweepReport& report_sweep) {
    problem.on_sweep = report_sweep;
    Problem without_dense = problem;
    without_dense.slab.fit_dense = false;
    found = run_all(problem, without_dense, lasso, parts, seen, threads, in_full == nullptr);
  });
  std::vector<StartOutcome> starts;
  std::vector<std::shared_ptr<ReducedRows>> rows;
  std::vector<double> bounds;
  for (Result& result : found) {
    bounds.push_back(result.start.status == Status::failed ? -std::numeric_limits<double>::infinity() : result.start.bound);
    starts.push_back(std::move(result.start));
    rows.push_back(std::move(result.rows));
  }
  const Vector weight = start_weights(bounds);  // (SP.8)
  if (!(weight.sum() > 0)) {
    describe_failure(options, prepared.left_out, *state, fit);
    fit.state = std::move(state);
    return;
  }

  const std::vector<std::shared_ptr<const ReducedRows>> each(rows.begin(), rows.end());
  SparsePosterior of_starts = posterior_of(which, starts, each, weight, seen);
  if (in_full != nullptr) *in_full = {starts, each};
  describe_sparse(options, which, {std::move(starts), weight, std::nullopt}, std::move(of_starts), prepared.left_out, *state, fit);

  const Mixture& posterior = state->factor.mixture;
  const auto sparse = !problem.sparse ? nullptr : merged ? SparseRows::of(X_apart, state->standardization) : problem.sparse;
  if (sparse) {
    const ComponentMoments all = moments_of(posterior, *sparse, which);
    const auto some = [&](Index first, Index count) {
      return ComponentMoments{all.mean.middleRows(first, count), all.variance.middleRows(first, count)};
    };
    describe_classes(t_apart, k_apart, posterior, some, fit);
  } else {
    describe_classes(t_apart, k_apart, posterior, moments_of_rows(posterior, X_apart, state->standardization), fit);
  }
  for (const std::shared_ptr<ReducedRows>& one_start : rows)
    if (one_start) {
      one_start->U.resize(0, 0);
      one_start->gram.resize(0, 0);
      one_start->systems.clear();
    }
  fit.state = std::move(state);
}

}  // namespace

void fit_sparse_logistic(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options, Prepared prepared,
                         std::shared_ptr<detail::FitState> state, Fit& fit) {
  fit_classes(X, t, k, options, std::move(prepared), std::move(state), fit, nullptr);
}

void fit_sparse_logistic_in_full(MatrixView X, const Vector& t, const Vector& k, const FitOptions& options, Prepared prepared,
                                 std::shared_ptr<detail::FitState> state, Fit& fit, SparseStarts& starts) {
  fit_classes(X, t, k, options, std::move(prepared), std::move(state), fit, &starts);
}

}  // namespace ardvark
