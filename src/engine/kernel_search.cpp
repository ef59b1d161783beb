#include "engine/kernel_search.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <map>

namespace ardvark {
namespace {

constexpr double very_low = -1e100;     // an evidence that is not finite
constexpr double least_gain = 1e-3;     // nats: less is no reason to go on
constexpr double most_logarithm = 690;  // e^690 = 1e299: a parameter stays a positive, finite number
constexpr double widest_step = 0.5;     // of the scan, in ln
constexpr int most_extensions = 4;      // of the range, one step of the scan each
constexpr int brent_bits = 7;           // a bracket of 2^-7 on either side: about 1% of a width
constexpr double most_change = 8;       // `each`: of the logarithm of a parameter, from what `scale` found

// ---- where widths lie -------------------------------------------------------------------------------------------------------------

struct Distances {
  double near = 0;  // the median over rows of that to the nearest different row
  double far = 0;   // the largest
};

// From at most 500 rows to all.
Distances distances(const Matrix& X) {
  const Index n = X.rows(), sample = std::min<Index>(n, 500);
  std::vector<double> nearest;
  double far = 0;
  for (Index i = 0; i < sample; ++i) {
    const Vector squares = (X.rowwise() - X.row(i * n / sample)).rowwise().squaredNorm();
    double least = std::numeric_limits<double>::infinity();
    for (const double square : squares)
      if (square > 0) least = std::min(least, square);
    far = std::max(far, squares.maxCoeff());
    if (std::isfinite(least)) nearest.push_back(least);
  }
  if (nearest.empty()) return {};
  const auto median = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::nth_element(nearest.begin(), median, nearest.end());
  return {std::sqrt(*median), std::sqrt(far)};
}

void collect_widths(const KernelSpec& spec, std::vector<std::vector<double>>& widths) {
  if (spec.kind == "gaussian" || spec.kind == "laplacian" || spec.kind == "cauchy") widths.push_back(spec.parameters);
  for (const KernelSpec& part : spec.parts) collect_widths(part, widths);
}

// Of each part of the kernel that has any. None if some part is a callable, which cannot be looked into.
std::vector<std::vector<double>> widths_of(const Kernel& kernel) {
  std::vector<std::vector<double>> widths;
  try {
    collect_widths(kernel.spec(), widths);
  } catch (const InvalidArgument&) {
  }
  return widths;
}

Distances distances(const Matrix& X, const std::vector<double>& widths) {
  if (widths.size() > 1) return distances(X * Eigen::Map<const Vector>(widths.data(), X.cols()).cwiseInverse().asDiagonal());
  const Distances plain = distances(X);
  return {plain.near / widths[0], plain.far / widths[0]};
}

// The factors that leave every parameter a number.
ScaleRange representable(const Kernel& start) {
  const std::vector<double> logs = start.log_parameters();
  const auto [least, largest] = std::minmax_element(logs.begin(), logs.end());
  return {std::min(-most_logarithm - *least, 0.0), std::max(most_logarithm - *largest, 0.0)};
}

// ---- the search -------------------------------------------------------------------------------------------------------------------

class Search {
 public:
  Search(const Kernel& start, const Matrix& X, const KernelProblem& problem)
      : start_(start), X_(X), problem_(problem), at_(as_vector(start.log_parameters())), out_{.kernel = start} {}

  void scale();
  void each();
  KernelSearchOutcome finish();

 private:
  static Vector as_vector(const std::vector<double>& v) { return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())); }
  [[nodiscard]] Kernel kernel_at(const Vector& x) const { return start_.with_log_parameters({x.begin(), x.end()}); }
  double evaluate(const Vector& x);
  KernelSlope slope(const Vector& x, const KernelSupport& support);

  double at_factor(double t);  // evaluated once
  void extend(std::vector<double>& grid, double step, const ScaleRange& limits);
  void refine(const std::vector<double>& grid);
  void say_if_at_end(const std::vector<double>& grid);

  Vector climb(Vector x, const KernelSupport& support);

  const Kernel& start_;
  const Matrix& X_;
  const KernelProblem& problem_;
  Vector at_, low_, high_;  // ln parameters of the best; their bounds for `each`
  KernelSupport support_;   // there
  std::map<double, double> seen_;
  KernelSearchOutcome out_;
};

double Search::evaluate(const Vector& x) {
  if (out_.stopped) return very_low;
  const Kernel kernel = kernel_at(x);
  KernelEvaluation found = problem_.evaluate(kernel);
  if ((out_.stopped = found.stopped)) return very_low;  // half a fit says nothing of this kernel
  std::vector<double> parameters(x.begin(), x.end());
  for (double& p : parameters) p = std::exp(p);
  out_.trials.push_back({std::move(parameters), found.log_evidence, found.num_vectors});
  if (!std::isfinite(found.log_evidence)) return very_low;
  if (found.log_evidence > out_.log_evidence) {
    out_.log_evidence = found.log_evidence;
    out_.kernel = kernel;
    at_ = x;
    support_ = std::move(found.support);
  }
  return found.log_evidence;
}

KernelSlope Search::slope(const Vector& x, const KernelSupport& support) {
  ++out_.num_on_support;
  KernelSlope found = problem_.evaluate_on(kernel_at(x), support);
  out_.stopped = found.stopped;
  if (found.stopped || !std::isfinite(found.log_evidence) || !found.gradient.allFinite()) found.log_evidence = very_low;
  return found;
}

KernelSearchOutcome Search::finish() {
  std::stable_sort(out_.trials.begin(), out_.trials.end(),
                   [](const KernelTrial& a, const KernelTrial& b) { return a.parameters < b.parameters; });
  return std::move(out_);
}

// ---- one factor -------------------------------------------------------------------------------------------------------------------

double Search::at_factor(double t) {
  t = std::round(t * 1e6) / 1e6;  // Brent's method comes back to where the scan was
  const auto found = seen_.find(t);
  if (found != seen_.end()) return found->second;
  const double value = evaluate(as_vector(start_.log_parameters()).array() + t);
  seen_[t] = value;
  return value;
}

void Search::scale() {
  const ScaleRange range = scale_range(start_, X_);
  const int steps = std::clamp(2 * static_cast<int>(std::ceil((range.high - range.low) / (2 * widest_step))), 6, 12);
  const double step = (range.high - range.low) / steps, middle = range.low + 0.5 * steps * step;
  at_factor(middle);  // first: of equal values the first is kept
  if (!(step > 0)) {
    out_.note = "all inputs are equal, so no parameter of the kernel matters";
    return;
  }
  std::vector<double> grid;
  for (int i = 0; i <= steps; ++i) grid.push_back(2 * i == steps ? middle : range.low + i * step);
  for (const double t : grid) at_factor(t);
  extend(grid, step, representable(start_));
  refine(grid);
  say_if_at_end(grid);
}

// While the best lies at an end.
void Search::extend(std::vector<double>& grid, double step, const ScaleRange& limits) {
  for (int extension = 0; extension < most_extensions && !out_.stopped; ++extension) {
    const auto best = std::max_element(grid.begin(), grid.end(), [&](double a, double b) { return at_factor(a) < at_factor(b); });
    if (best == grid.begin() && grid.front() - step > limits.low)
      grid.insert(grid.begin(), grid.front() - step);
    else if (best == grid.end() - 1 && grid.back() + step < limits.high)
      grid.push_back(grid.back() + step);
    else
      break;
  }
  for (const double t : {grid.front(), grid.back()}) at_factor(t);
}

// Brent's method about the best point of the scan; then about any other peak of it whose parabola promises more than was found.
void Search::refine(const std::vector<double>& grid) {
  struct Peak {
    double promise, low, high;
  };
  std::vector<Peak> peaks;
  for (std::size_t i = 1; i + 1 < grid.size(); ++i) {
    const double left = at_factor(grid[i - 1]), here = at_factor(grid[i]), right = at_factor(grid[i + 1]);
    const double bend = 2 * here - left - right, tilt = right - left;
    if (here >= left && here >= right && bend > 0) peaks.push_back({here + tilt * tilt / (8 * bend), grid[i - 1], grid[i + 1]});
  }
  std::sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.promise > b.promise; });
  if (peaks.size() > 2) peaks.resize(2);
  for (const Peak& peak : peaks) {
    if (!(peak.promise > out_.log_evidence + least_gain)) break;
    const double centre = 0.5 * (peak.low + peak.high), half = 0.5 * (peak.high - peak.low);
    std::uintmax_t most = 20;
    static_cast<void>(
        boost::math::tools::brent_find_minima([&](double u) { return -at_factor(centre + u); }, -half, half, brent_bits, most));
  }
}

void Search::say_if_at_end(const std::vector<double>& grid) {
  const std::size_t last = grid.size() - 1;
  const double first_value = at_factor(grid[0]), last_value = at_factor(grid[last]);
  if (out_.stopped) return;
  const auto is_end = [&](double end, double inside) { return end >= out_.log_evidence && end > inside + least_gain; };
  const bool at_low = is_end(first_value, at_factor(grid[1])), at_high = is_end(last_value, at_factor(grid[last - 1]));
  if (at_low || at_high)
    out_.note = fmt::format("the evidence is still rising at the {} kernel tried, {}", at_low ? "narrowest" : "widest", out_.kernel.name());
}

// ---- every parameter --------------------------------------------------------------------------------------------------------------

// Rounds of an ascent with the support held and a new choice of the support.
void Search::each() {
  if (const char* e = std::getenv("FROM")) {
    out_.log_evidence = -std::numeric_limits<double>::infinity();
    evaluate(as_vector(start_.log_parameters()).array() + std::atof(e));
  }
  low_ = (at_.array() - most_change).cwiseMax(-most_logarithm);
  high_ = (at_.array() + most_change).cwiseMin(most_logarithm);
  for (int round = 0; round < 20 && !out_.stopped; ++round) {
    const double before = out_.log_evidence;
    const Vector from = at_;
    Vector to = climb(from, support_);
    for (int attempt = 0; attempt < 3 && !out_.stopped; ++attempt) {
      if (!((to - from).cwiseAbs().maxCoeff() > 1e-6)) break;
      evaluate(to);
      if (out_.log_evidence > before) break;
      to = 0.5 * (from + to);
    }
    if (!(out_.log_evidence > before + least_gain)) break;
  }
}

// BFGS with steps of at most 1 in any logarithm, halved until Armijo's condition holds.
Vector Search::climb(Vector x, const KernelSupport& support) {
  const Index num = x.size();
  Matrix H = Matrix::Identity(num, num);  // of -L, inverse
  bool fresh = true;
  KernelSlope here = slope(x, support);
  if (!(here.log_evidence > very_low)) return x;
  for (int step = 0; step < 50; ++step) {
    Vector g = here.gradient;
    for (Index i = 0; i < num; ++i)
      if (g[i] > 0 ? x[i] >= high_[i] : x[i] <= low_[i]) g[i] = 0;  // rests at its bound
    Vector direction = H * g;
    for (Index i = 0; i < num; ++i)
      if (g[i] == 0) direction[i] = 0;
    if (!(direction.dot(g) > 0)) {
      H.setIdentity();
      fresh = true;
      direction = g;
    }
    direction /= std::max(1.0, direction.cwiseAbs().maxCoeff());
    if (!(direction.dot(g) > least_gain)) break;
    KernelSlope there;
    Vector move;
    bool rises = false;
    for (double length = 1; length > 1e-3 && !rises; length *= 0.5) {
      move = (x + length * direction).cwiseMax(low_).cwiseMin(high_) - x;
      there = slope(x + move, support);
      if (out_.stopped) return x;
      rises = there.log_evidence > here.log_evidence + 1e-4 * g.dot(move);
    }
    if (!rises) {
      if (fresh) break;
      H.setIdentity();
      fresh = true;
      continue;
    }
    const Vector fall = here.gradient - there.gradient;
    const double curvature = move.dot(fall);
    if (curvature > 1e-10 * move.norm() * fall.norm()) {
      if (fresh) H *= curvature / fall.squaredNorm();
      const Vector Hf = H * fall;
      H += (1 + fall.dot(Hf) / curvature) / curvature * move * move.transpose() -
           (Hf * move.transpose() + move * Hf.transpose()) / curvature;
      fresh = false;
    }
    const double gain = there.log_evidence - here.log_evidence;
    x += move;
    here = std::move(there);
    if (!(gain > 0.1 * least_gain)) break;
  }
  return x;
}

}  // namespace

ScaleRange scale_range(const Kernel& start, const Matrix& X) {
  const double about = std::log(1e3);
  ScaleRange range{-about, about, false};
  const std::vector<std::vector<double>> widths = widths_of(start);
  if (!widths.empty()) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    range = {infinity, -infinity, true};
    for (const std::vector<double>& of_part : widths) {  // (RVM.5a)
      const Distances d = distances(X, of_part);
      if (!(d.far > 0)) continue;
      range.low = std::min(range.low, std::log(0.5 * std::max(d.near, 1e-4 * d.far)));
      range.high = std::max(range.high, std::log(2 * d.far));
    }
    if (!(range.low < range.high)) return {0, 0, true};
  }
  const ScaleRange limits = representable(start);
  return {std::max(range.low, limits.low), std::min(range.high, limits.high), range.from_distances};
}

KernelSearchOutcome search_kernel(const Kernel& start, KernelSearch how, const Matrix& X, const KernelProblem& problem) {
  Search search(start, X, problem);
  if (how != KernelSearch::none && start.num_parameters() > 0) {
    search.scale();
    if (how == KernelSearch::each && start.num_parameters() > 1) search.each();
  }
  return search.finish();
}

}  // namespace ardvark
