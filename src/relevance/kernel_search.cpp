#include "relevance/kernel_search.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <map>

#include "core/pulse.hpp"
#include "kernel/kernel_function.hpp"

namespace ardvark::internal {
namespace {

constexpr double very_low = -1e100;     // replaces a log evidence that is not finite
constexpr double least_gain = 1e-3;     // nats: the search ends if the gain is less
constexpr double most_logarithm = 690;  // e^690 = 1e299: a parameter stays a positive, finite number
constexpr double usual_step = 0.5;      // step of the scan, in ln, for up to 13 points
constexpr double widest_step = 0.9;     // for up to 25 points
constexpr int most_extensions = 4;      // of the range, each by one step of the scan
constexpr int brent_bits = 7;           // a bracket of 2^-7 on either side: about 1% of a width
constexpr double most_change = 8;       // `each`: of the logarithm of a parameter, from the value that `scale` found

// ---- the range of widths -----------------------------------------------------------------------------------------------------------

constexpr double infinity = std::numeric_limits<double>::infinity();

// Logarithms of distances; -infinity if all rows are equal.
struct Distances {
  double near = -infinity;    // the median over rows of the distance to the nearest different row
  double middle = -infinity;  // the median over rows of their median distances; outliers hardly change it
  double far = -infinity;     // the largest distance
};

double median(Eigen::Ref<Eigen::ArrayXd> values) {
  const auto at = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Distances from at most 500 rows to all rows. Inputs are scaled to about 1, so squares neither overflow nor underflow.
Distances distances(const Matrix& X) {
  const Index n = X.rows(), sample = std::min<Index>(n, 500);
  const int exponent = std::ilogb((X.colwise().maxCoeff() - X.colwise().minCoeff()).maxCoeff());
  if (exponent == FP_ILOGB0) return {};
  const double unit = std::ldexp(1.0, -exponent);
  Eigen::ArrayXd squares(n), nearest(sample), middle(sample);
  double far = 0;
  Index num = 0;
  for (Index i = 0; i < sample; ++i) {
    squares.setZero();
    for (Index j = 0; j < X.cols(); ++j) squares += ((X.col(j).array() - X(i * n / sample, j)) * unit).square();
    const auto last = std::remove_if(squares.begin(), squares.end(), [](double square) { return !(square > 0); });
    const Index others = last - squares.begin();
    if (others == 0) continue;
    nearest[num] = squares.head(others).minCoeff();
    far = std::max(far, squares.head(others).maxCoeff());
    middle[num++] = median(squares.head(others));
  }
  if (num == 0) return {};
  const auto distance = [&](double square) { return 0.5 * std::log(square) - std::log(unit); };
  return {distance(median(nearest.head(num))), distance(median(middle.head(num))), distance(far)};
}

void collect_widths(const KernelSpec& spec, std::vector<std::vector<double>>& widths) {
  if (spec.kind == "gaussian" || spec.kind == "laplacian" || spec.kind == "cauchy") widths.push_back(spec.parameters);
  for (const KernelSpec& part : spec.parts) collect_widths(part, widths);
}

// The widths of each part of the kernel that has widths. Empty if a part is a callable, whose parameters are not known.
std::vector<std::vector<double>> widths_of(const Kernel& kernel) {
  std::vector<std::vector<double>> widths;
  try {
    collect_widths(kernel.spec(), widths);
  } catch (const InvalidArgument&) {
  }
  return widths;
}

Distances distances(const Matrix& X, const std::vector<double>& widths) {
  const Eigen::ArrayXd logs = Eigen::Map<const Eigen::ArrayXd>(widths.data(), static_cast<Index>(widths.size())).log();
  const double common = logs.mean();
  const Distances found = widths.size() > 1 ? distances(X * (common - logs).exp().matrix().asDiagonal()) : distances(X);
  return {found.near - common, found.middle - common, found.far - common};
}

// The groups of parameters that change together.
struct Ties {
  std::vector<Index> group;  // [parameters] group numbers from 0 without gaps
  Index num_groups = 0;
};

// The requested groups of the parameters, in the order of Kernel::log_parameters(); first = -1 for a parameter with its own group.
void collect_groups(const KernelSpec& spec, const std::vector<Index>& groups, Index part, std::vector<std::pair<Index, Index>>& wanted) {
  if (spec.kind == "gaussian" && spec.parameters.size() > 1)
    for (Index group : groups) wanted.emplace_back(part, group);
  else if (spec.kind != "polynomial" || spec.parameters[1] > 0)
    for (std::size_t p = spec.kind == "polynomial" ? 1 : 0; p < spec.parameters.size(); ++p)
      wanted.emplace_back(-1, static_cast<Index>(wanted.size()));
  for (const KernelSpec& inner : spec.parts) collect_groups(inner, groups, static_cast<Index>(wanted.size()), wanted);
}

Ties ties_of(const Kernel& kernel, const std::vector<Index>& groups) {
  std::vector<std::pair<Index, Index>> wanted;
  try {
    if (!groups.empty()) collect_groups(kernel.spec(), groups, 0, wanted);
  } catch (const InvalidArgument&) {  // a callable: its parameters are not known
    wanted.clear();
  }
  Ties ties;
  std::map<std::pair<Index, Index>, Index> number;
  for (Index p = 0; p < kernel.num_parameters(); ++p) {
    const auto key = wanted.empty() ? std::pair<Index, Index>(-1, p) : wanted[static_cast<std::size_t>(p)];
    const auto [place, is_new] = number.emplace(key, ties.num_groups);
    if (is_new) ++ties.num_groups;
    ties.group.push_back(place->second);
  }
  return ties;
}

// The range of factors for which every parameter stays finite and positive.
ScaleRange representable(const Kernel& start) {
  const std::vector<double> logs = start.log_parameters();
  const auto [least, largest] = std::minmax_element(logs.begin(), logs.end());
  return {std::min(-most_logarithm - *least, 0.0), std::max(most_logarithm - *largest, 0.0)};
}

// ---- the search -------------------------------------------------------------------------------------------------------------------

struct Point {
  Vector x;                 // [groups] ln of the factors that multiply the start's parameters
  double value = very_low;  // the objective                                                                             (RVM.5)
  Index num_vectors = 0;
  KernelSupport support;
};

class Search {
 public:
  Search(const Kernel& start, const Matrix& X, const KernelProblem& problem, const std::vector<Index>& groups)
      : start_(start),
        X_(X),
        problem_(problem),
        ties_(ties_of(start, groups)),
        offset_(as_vector(start.log_parameters())),
        best_{Vector::Zero(ties_.num_groups), very_low, 0, {}},
        out_{.kernel = start} {}

  void scale();
  void each();
  KernelSearchOutcome finish();

 private:
  static Vector as_vector(const std::vector<double>& v) { return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size())); }
  [[nodiscard]] Vector logs_at(const Vector& x) const { return offset_ + x(ties_.group); }
  [[nodiscard]] Kernel kernel_at(const Vector& logs) const { return start_.with_log_parameters({logs.begin(), logs.end()}); }
  Point evaluate(const Vector& x);
  KernelSlope slope(const Vector& x, const KernelSupport& support);

  const Point& at_factor(double t);  // evaluated once
  double value(double t) { return at_factor(t).value; }
  bool rises_at_low() { return value(grid_[0]) >= best_.value && value(grid_[0]) > value(grid_[1]) + least_gain; }
  bool rises_at_high() { return value(grid_.back()) >= best_.value && value(grid_.back()) > value(grid_[grid_.size() - 2]) + least_gain; }
  void extend(double step, const ScaleRange& limits);
  void refine();
  void say_what_is_odd();

  void ascend(Point here);
  Vector climb(Vector x, const KernelSupport& support);

  const Kernel& start_;
  const Matrix& X_;
  const KernelProblem& problem_;
  const Ties ties_;
  const Vector offset_;  // ln parameters of the start
  ScaleRange range_;
  std::vector<double> grid_;  // points of the scan, ascending
  Index num_planned_ = 0;     // evaluations, at least
  std::map<double, Point> seen_;
  Point best_;
  Vector low_, high_;  // limits of x, for `each`
  KernelSearchOutcome out_;
};

Point Search::evaluate(const Vector& x) {
  Point point{x, very_low, 0, {}};
  if (out_.stopped) return point;
  const Vector logs = logs_at(x);
  const Kernel kernel = kernel_at(logs);
  const auto done = static_cast<Index>(out_.trials.size());
  pulse("fitting", {.name = "kernel", .done = done, .total = std::max(num_planned_, done + 1), .may_grow = true});
  KernelEvaluation found = problem_.evaluate(kernel);
  if ((out_.stopped = found.stopped)) return point;  // an incomplete fit has no value for this kernel
  std::vector<double> parameters(logs.begin(), logs.end());
  for (double& p : parameters) p = std::exp(p);
  out_.trials.push_back({std::move(parameters), found.log_evidence, found.num_vectors});
  if (!std::isfinite(found.log_evidence)) return point;
  point.value = found.log_evidence;
  point.num_vectors = found.num_vectors;
  point.support = std::move(found.support);
  if (found.log_evidence > best_.value + same_evidence) {
    best_ = point;
    out_.kernel = kernel;
    out_.log_evidence = found.log_evidence;
  }
  return point;
}

KernelSlope Search::slope(const Vector& x, const KernelSupport& support) {
  ++out_.num_on_support;
  KernelSlope found = problem_.evaluate_on(kernel_at(logs_at(x)), support);
  out_.stopped = found.stopped;
  if (found.stopped || !std::isfinite(found.log_evidence) || !found.gradient.allFinite()) found.log_evidence = very_low;
  Vector of_groups = Vector::Zero(ties_.num_groups);
  for (Index p = 0; p < found.gradient.size(); ++p) of_groups[ties_.group[static_cast<std::size_t>(p)]] += found.gradient[p];
  found.gradient = std::move(of_groups);
  return found;
}

KernelSearchOutcome Search::finish() {
  std::stable_sort(out_.trials.begin(), out_.trials.end(),
                   [](const KernelTrial& a, const KernelTrial& b) { return a.parameters < b.parameters; });
  return std::move(out_);
}

// ---- one factor -------------------------------------------------------------------------------------------------------------------

const Point& Search::at_factor(double t) {
  t = std::round(t * 1e6) / 1e6;  // Brent's method returns to points of the scan
  const auto found = seen_.find(t);
  if (found != seen_.end()) return found->second;
  return seen_[t] = evaluate(Vector::Constant(ties_.num_groups, t));
}

void Search::scale() {
  range_ = scale_range(start_, X_);
  const double width = range_.high - range_.low;
  const auto half_of = [width](double step) { return static_cast<int>(std::min(std::ceil(width / (2 * step)), 12.0)); };
  const int half = std::max(std::clamp(half_of(usual_step), 3, 6), half_of(widest_step));
  num_planned_ = 2 * half + 1;
  const double step = width / (2 * half), middle = range_.low + half * step;
  at_factor(middle);  // evaluated first: of equal values the first is kept
  if (!(step > 0)) {
    out_.warning = "all inputs are equal, so no parameter of the kernel matters";
    return;
  }
  for (int i = -half; i <= half; ++i) grid_.push_back(middle + i * step);
  for (const double t : grid_) at_factor(t);
  extend(step, representable(start_));
  refine();
  say_what_is_odd();
}

// Extends the range while the best point is at an end.
void Search::extend(double step, const ScaleRange& limits) {
  for (int extension = 0; extension < most_extensions && !out_.stopped; ++extension) {
    if (rises_at_low() && grid_.front() - step > limits.low)
      grid_.insert(grid_.begin(), grid_.front() - step);
    else if (rises_at_high() && grid_.back() + step < limits.high)
      grid_.push_back(grid_.back() + step);
    else
      return;
  }
}

// Brent's method around the best point of the scan; then around a second peak if its parabola promises more than was found.
void Search::refine() {
  struct Peak {
    double promise, low, high;
  };
  std::vector<Peak> peaks;
  for (std::size_t i = 1; i + 1 < grid_.size(); ++i) {
    const double left = value(grid_[i - 1]), here = value(grid_[i]), right = value(grid_[i + 1]);
    const double bend = 2 * here - left - right, tilt = right - left;
    if (here >= left && here >= right && bend > 0) peaks.push_back({here + tilt * tilt / (8 * bend), grid_[i - 1], grid_[i + 1]});
  }
  std::stable_sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.promise > b.promise; });
  if (peaks.size() > 2) peaks.resize(2);
  for (const Peak& peak : peaks) {
    if (!(peak.promise > best_.value)) return;
    const double centre = 0.5 * (peak.low + peak.high), half = 0.5 * (peak.high - peak.low);
    std::uintmax_t most = 20;
    static_cast<void>(boost::math::tools::brent_find_minima([&](double u) { return -value(centre + u); }, -half, half, brent_bits, most));
  }
}

void Search::say_what_is_odd() {
  if (out_.stopped) return;
  if (!std::isfinite(out_.log_evidence))
    out_.warning = "no kernel that was tried has a finite log evidence; the given kernel is used";
  else if (rises_at_low() || rises_at_high())
    out_.warning = fmt::format("the log evidence still increases at the {} tried, {}",
                               range_.from_distances ? (rises_at_low() ? "narrowest kernel" : "widest kernel")
                                                     : (rises_at_low() ? "smallest parameters" : "largest parameters"),
                               out_.kernel.name());
}

// ---- every parameter --------------------------------------------------------------------------------------------------------------

// Starts from the best common factor, and from the points of the scan with few vectors that are nearest to half and a quarter of the
// largest distance. There the gradient shows which inputs matter; at the best common factor it may not.                          (RVM.5d)
void Search::each() {
  if (ties_.num_groups < 2 || grid_.empty() || !std::isfinite(out_.log_evidence)) return;
  std::vector<Point> starts = {best_};
  for (const double wanted : {range_.high - std::log(4.0), range_.high - std::log(8.0)}) {
    const Point* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const double t : grid_) {
      const Point& point = at_factor(t);
      const Index few = X_.rows() * static_cast<Index>(point.support.size()) / 4;
      if (!range_.from_distances || !(point.value > very_low) || point.num_vectors > few || std::abs(t - wanted) >= least) continue;
      least = std::abs(t - wanted);
      nearest = &point;
    }
    if (nearest != nullptr && std::none_of(starts.begin(), starts.end(), [&](const Point& p) { return p.x == nearest->x; }))
      starts.push_back(*nearest);
  }
  const double of_scale = best_.value;
  for (Point& start : starts) ascend(std::move(start));
  if (best_.value > of_scale) out_.warning.clear();
}

// Alternates an ascent with fixed support and a new choice of the support.
void Search::ascend(Point here) {
  const ScaleRange limits = representable(start_);
  low_ = (here.x.array() - most_change).cwiseMax(limits.low);
  high_ = (here.x.array() + most_change).cwiseMin(limits.high);
  for (int round = 0; round < 20 && !out_.stopped; ++round) {
    const double before = here.value;
    Vector to = climb(here.x, here.support);
    const Vector from = here.x;
    for (int attempt = 0; attempt < 3 && !out_.stopped && (to - from).cwiseAbs().maxCoeff() > 1e-6; ++attempt) {
      Point there = evaluate(to);
      if (there.value > here.value) {
        here = std::move(there);
        break;
      }
      to = 0.5 * (from + to);
    }
    if (!(here.value > before + least_gain)) return;
  }
}

// BFGS with steps of at most 1 in any logarithm, halved until Armijo's condition holds.
Vector Search::climb(Vector x, const KernelSupport& support) {
  const Index num = x.size();
  Matrix H = Matrix::Identity(num, num);  // approximates the inverse Hessian of -L
  bool fresh = true;
  KernelSlope here = slope(x, support);
  if (!(here.log_evidence > very_low)) return x;
  const double first = here.log_evidence;
  for (int step = 0; step < 50; ++step) {
    Vector g = here.gradient;
    for (Index i = 0; i < num; ++i)
      if (g[i] > 0 ? x[i] >= high_[i] : x[i] <= low_[i]) g[i] = 0;  // stays at its limit
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
    if (!(gain > std::max(0.1 * least_gain, 0.01 * (here.log_evidence - first)))) break;  // the support needs a new choice
  }
  return x;
}

}  // namespace

ScaleRange scale_range(const Kernel& start, const Matrix& X) {
  const double about = std::log(1e3);
  ScaleRange range{-about, about, false};
  const std::vector<std::vector<double>> widths = widths_of(start);
  if (!widths.empty()) {
    range = {infinity, -infinity, true};
    for (const std::vector<double>& of_part : widths) {  // (RVM.5a)
      const Distances d = distances(X, of_part);
      if (!(d.far > -infinity)) continue;
      const double spread = std::min(d.far, std::log(10.0) + d.middle);
      range.low = std::min(range.low, std::log(0.5) + std::max(d.near, std::log(1e-4) + spread));
      range.high = std::max(range.high, std::log(2.0) + d.far);
    }
    if (!(range.low < range.high)) return {0, 0, true};
  }
  const ScaleRange limits = representable(start);
  return {std::max(range.low, limits.low), std::min(range.high, limits.high), range.from_distances};
}

KernelSearchOutcome search_kernel(const Kernel& start, KernelSearch how, const Matrix& X, const KernelProblem& problem,
                                  const std::vector<Index>& groups) {
  KernelFunction::of(start).check_inputs(X.cols());
  Search search(start, X, problem, groups);
  if (how != KernelSearch::none && start.num_parameters() > 0) {
    search.scale();
    if (how == KernelSearch::each) search.each();
    pulse("fitting");
  }
  return search.finish();
}

}  // namespace ardvark::internal
