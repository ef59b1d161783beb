#include "frame/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/blas.hpp"
#include "core/digits.hpp"
#include "core/parallel.hpp"
#include "core/row_kernels.hpp"
#include "core/validate.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

// sum_i k_i (x_ij - shift_j) and sum_i k_i (x_ij - shift_j)^2.
struct ColumnSums {
  Vector first, second;
};

constexpr Index rows_of_a_sum = 256;  // rows that are summed separately

// Rows from <= i < to of a row-major X.
template <typename Scalar>
ColumnSums sums_of_rows(const MatrixView& X, const Vector& k, const Vector& shift, Index from, Index to) {
  const auto add_deviations = row_kernel().deviations<Scalar>();
  const auto* data = static_cast<const Scalar*>(X.data());
  const Index p = X.cols();
  ColumnSums out{Vector::Zero(p), Vector::Zero(p)}, some;
  for (; from < to; from += rows_of_a_sum) {
    some = {Vector::Zero(p), Vector::Zero(p)};
    for (Index i = from; i < std::min(from + rows_of_a_sum, to); ++i)
      add_deviations(data + i * X.stride(), shift.data(), k[i], p, some.first.data(), some.second.data());
    out.first += some.first;
    out.second += some.second;
  }
  return out;
}

// Columns from <= j < to of a column-major X.
template <typename Scalar>
void sums_of_columns(const MatrixView& X, const Vector& k, const Vector& shift, Index from, Index to, ColumnSums& out) {
  using Values = Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>;
  const auto* data = static_cast<const Scalar*>(X.data());
  Eigen::Array<double, rows_of_a_sum, 1> x;
  for (Index j = from; j < to; ++j)
    for (Index row = 0; row < X.rows(); row += rows_of_a_sum) {
      const Index count = std::min(rows_of_a_sum, X.rows() - row);
      const auto weight = k.segment(row, count).array();
      x.head(count) = Values(data + j * X.stride() + row, count).template cast<double>() - shift[j];
      out.first[j] += (weight * x.head(count)).sum();
      out.second[j] += (weight * x.head(count).square()).sum();
    }
}

// Reads X in the order of its memory, with one part for each thread. The parts of rows depend only on the shape of X, so the result is the
// same to the last bit with any number of threads.
template <typename Scalar>
ColumnSums column_sums(const MatrixView& X, const Vector& k, const Vector& shift) {
  const Index n = X.rows(), p = X.cols(), threads = blas::threads_to_read(n * p);
  ColumnSums out{Vector::Zero(p), Vector::Zero(p)};
  if (X.layout() == Layout::column_major) {
    parallel_ranges(p, threads, [&](Index from, Index to) { sums_of_columns<Scalar>(X, k, shift, from, to, out); });
    return out;
  }
  constexpr Index most_parts = 8;
  const Index parts = std::clamp<Index>(n / rows_of_a_sum, 1, most_parts);
  std::vector<ColumnSums> of_part(static_cast<std::size_t>(parts));
  parallel_for(parts, threads, [&](Index part) {
    of_part[static_cast<std::size_t>(part)] = sums_of_rows<Scalar>(X, k, shift, part * n / parts, (part + 1) * n / parts);
  });
  for (const ColumnSums& part : of_part) {
    out.first += part.first;
    out.second += part.second;
  }
  return out;
}

// Weighted mean and root mean square deviation from it (from 0 if not centred). Usually one pass over X is enough. If the mean is far from
// 0 compared with the deviation, a second pass computes deviations from the mean: a difference of two sums would be only rounding.
void moments(const MatrixView& X, const Vector& k, bool centred, Vector& center, Vector& scale) {
  constexpr double far = 1e3;  // squared, in variances
  const double total = k.sum();
  const auto sums = [&] {
    return X.scalar() == ScalarType::float64 ? column_sums<double>(X, k, center) : column_sums<float>(X, k, center);
  };
  center = Vector::Zero(X.cols());
  const ColumnSums around_zero = sums();
  Vector variance = around_zero.second / total;
  if (centred) {
    center = around_zero.first / total;
    variance -= center.cwiseAbs2();
    if ((center.array().square() > far * variance.array()).any()) {
      const ColumnSums around_mean = sums();
      const Vector off = around_mean.first / total;  // rounding of the first sum: at 1e14, it exceeds a spread of 1
      variance = around_mean.second / total - off.cwiseAbs2();
      center += (off.array().square() > 1e-12 * variance.array()).select(off, 0.0).matrix();
    }
  }
  scale = (variance.array() < 0).select(0.0, variance.array()).sqrt();
}

void check_column(Index j, const char* what, Index num_columns) {
  if (j < 0 || j >= num_columns) throw InvalidArgument(fmt::format("{} names column {}; X has columns 0 to {}", what, j, num_columns - 1));
}

// Whether all entries with a positive weight are equal; if not centred, whether they are zero.
bool all_equal(MatrixView X, Index j, const Vector& k, bool centred) {
  bool is_first = centred;
  double value = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    if (k[i] == 0) continue;
    if (is_first) value = X(i, j);
    is_first = false;
    if (X(i, j) != value) return false;
  }
  return true;
}

// Pairs of a column that is a copy of another one up to shift and scale, and the one that stays: the first, or the first that has no prior.
// Equal columns have equal products with any vector. Candidates are therefore neighbours in the order of one such product; they are then
// compared entry by entry.
std::vector<std::pair<Index, Index>> duplicates(MatrixView X, const Vector& k, const Standardization& s, const std::vector<Index>& flat) {
  const auto design = table_design(X, {s.center, s.scale, false});
  const Index n = X.rows(), p = X.cols();
  Vector probe(n), product(p);
  double state = 0.5;
  for (Index i = 0; i < n; ++i) {  // a fixed irregular sequence, independent of the data
    state = std::fmod(state + 0.7548776662466927 + 0.1 * std::sin(static_cast<double>(i)), 1.0);
    probe[i] = (state - 0.5) * k[i];
  }
  design->project(probe, product);
  std::vector<Index> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector key = product.cwiseAbs();
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key[a] != key[b] ? key[a] < key[b] : a < b; });
  // The numbers of a column far from zero are known only to their last digit.
  const auto doubt = [&](Index j) { return 1e-9 + 4 * std::numeric_limits<double>::epsilon() * std::abs(s.center[j]) * s.scale[j]; };
  double most_doubt = 0;
  for (Index j = 0; j < p; ++j) most_doubt = std::max(most_doubt, std::min(doubt(j), 1e-6));
  const double close = 2 * most_doubt * std::max(probe.norm() * std::sqrt(static_cast<double>(n)), 1e-300);
  std::vector<std::size_t> place(static_cast<std::size_t>(p));  // position of a column in that order
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = i;
  // The loop is over the columns that stay. Of three columns, each a copy of the next, the two outer ones may differ by more than the
  // limit, and which are left out must not depend on the order of the products.
  const std::vector<bool> is_flat = marked_columns(flat, "prior.flat_columns", p);
  std::vector<Index> first_asked;
  for (const bool wanted : {true, false})
    for (Index j = 0; j < p; ++j)
      if (is_flat[static_cast<std::size_t>(j)] == wanted) first_asked.push_back(j);
  std::vector<std::pair<Index, Index>> found;
  Matrix first(n, 1), other(n, 1);
  std::vector<bool> taken(static_cast<std::size_t>(p), false);
  for (const Index stays : first_asked) {
    if (taken[static_cast<std::size_t>(stays)] || s.scale[stays] == 0) continue;
    taken[static_cast<std::size_t>(stays)] = true;
    bool is_read = false;
    const auto is_near = [&](std::size_t at) { return std::abs(key[order[at]] - key[stays]) <= close; };
    const auto ask = [&](Index j) {
      if (taken[static_cast<std::size_t>(j)] || s.scale[j] == 0) return;
      if (!is_read) design->columns(stays, 1, first);
      is_read = true;
      design->columns(j, 1, other);
      const double plus = (k.array() > 0).select((first - other).array().abs(), 0.0).maxCoeff();
      const double minus = (k.array() > 0).select((first + other).array().abs(), 0.0).maxCoeff();
      if (std::min(plus, minus) > doubt(stays) + doubt(j)) return;
      taken[static_cast<std::size_t>(j)] = true;
      found.emplace_back(j, stays);
    };
    const std::size_t at = place[static_cast<std::size_t>(stays)];
    for (std::size_t l = at + 1; l < order.size() && l - at <= 1000 && is_near(l); ++l) ask(order[l]);
    for (std::size_t l = at; l > 0 && at - l < 1000 && is_near(l - 1); --l) ask(order[l - 1]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < 5; ++i) text += (i > 0 ? ", " : "") + items[i];
  if (items.size() > 5) text += fmt::format(" and {} more", items.size() - 5);
  return text;
}

// The size of a column, checked for overflow of its square.
double spread_of(double size, Index j, const FitOptions& options) {
  return validate::spread(std::sqrt(size * size), size == 0, fmt::format("column '{}'", validate::column_name(options.column_names, j)));
}

// Columns that stay as they are: their squares must be finite.
void refuse_large(MatrixView X, const std::vector<std::string>& names) {
  Vector largest = Vector::Zero(X.cols());
  for (Index i = 0; i < X.rows(); ++i)
    for (Index j = 0; j < X.cols(); ++j) largest[j] = std::max(largest[j], std::abs(X(i, j)));
  for (Index j = 0; j < X.cols(); ++j)
    static_cast<void>(validate::spread(largest[j], largest[j] < 1, fmt::format("column '{}'", validate::column_name(names, j))));
}

// The published normalisation: mean and largest |x - mean|, of each column or of the table.                                      (SLR.4)
Prepared prepare_by_largest(MatrixView X, const FitOptions& options) {
  const Index n = X.rows(), p = X.cols();
  Prepared out;
  Standardization& s = out.standardization;
  s.intercept = options.intercept;
  s.center.resize(p);
  s.scale.resize(p);
  const bool table = options.scaling == Scaling::largest_of_table;
  const auto raw = table_design(X);
  Matrix x(n, 1);
  const auto columns = [&](auto&& visit) {
    for (Index j = 0; j < p; ++j) {
      raw->columns(j, 1, x);
      visit(j, x.col(0));
    }
  };
  columns([&](Index j, auto column) { s.center[j] = column.mean(); });
  if (table) s.center.setConstant(s.center.mean());
  columns([&](Index j, auto column) {
    const double size = (column.array() - s.center[j]).abs().maxCoeff();
    s.scale[j] = table ? size : spread_of(size, j, options);
  });
  const double largest = table ? validate::spread(std::sqrt(s.scale.maxCoeff() * s.scale.maxCoeff()), s.scale.isZero(0), "the table") : 0.0;
  out.left_out.assign(static_cast<std::size_t>(p), false);
  std::vector<std::string> constant;
  for (Index j = 0; j < p; ++j) {
    if (table) s.scale[j] = largest;
    const bool varies = is_spread(s.scale[j], s.center[j]) && std::isfinite(1 / s.scale[j]);
    if (!varies) {  // the published program divides zero by zero and returns NaN everywhere
      out.left_out[static_cast<std::size_t>(j)] = true;
      constant.push_back(fmt::format("'{}'", validate::column_name(options.column_names, j)));
    }
    s.scale[j] = varies ? 1 / s.scale[j] : 0;
  }
  if (!constant.empty())
    out.notes.push_back(fmt::format("{} {} constant and left out, where the published program divides zero by zero: {}", constant.size(),
                                    constant.size() == 1 ? "column is" : "columns are", listed(constant)));
  if (!options.intercept)
    out.notes.push_back(
        table ? "there is no intercept, but the mean of the table is subtracted from every column, as the published program does: scores "
                "are computed from the differences"
              : "there is no intercept, but the mean of each column is subtracted from it, as the published program does: scores are "
                "computed from the differences");
  return out;
}

}  // namespace

std::string few_digits(const std::string& what, double spread, double mean) {
  const double step = std::nextafter(std::abs(mean), std::numeric_limits<double>::infinity()) - std::abs(mean);
  return fmt::format(
      "{} varies by {:.2g} around {:.6g}, where numbers are stored in steps of {:.2g}: its differences have {:.0f} digit{} left, and "
      "smaller differences are lost; subtract {:.6g} before the numbers are stored",
      what, spread, mean, step, std::max(1.0, std::floor(std::log10(spread / step))), spread / step < 100 ? "" : "s", mean);
}

std::vector<bool> marked_columns(const std::vector<Index>& columns, const char* what, Index num_columns) {
  std::vector<bool> out(static_cast<std::size_t>(num_columns), false);
  for (const Index j : columns) {
    check_column(j, what, num_columns);
    out[static_cast<std::size_t>(j)] = true;
  }
  return out;
}

void require_rows(const FitOptions& options, double total, Index num_flat) {
  if (!(total < static_cast<double>(num_flat))) return;
  const std::string columns = fmt::format("{} column{} without a prior{}", num_flat, num_flat == 1 ? "" : "s",
                                          !options.intercept ? ""
                                          : num_flat == 1    ? " (the intercept)"
                                                             : ", the intercept among them");
  if (options.weights.empty())
    throw InvalidArgument(fmt::format("{:.10g} rows cannot determine {}; a linear fit needs at least as many rows", total, columns));
  throw InvalidArgument(fmt::format(
      "weights have the sum {:.6g}, which counts as the number of rows; so few rows cannot determine {}; a weight is a number of "
      "repetitions: multiply relative weights so that they sum to the number of observations",
      total, columns));
}

void require_noise_shape(const FitOptions& options, double total, Index num_flat) {
  const double rows = total - static_cast<double>(options.posterior == LinearPosterior::joint ? num_flat : 0);
  const double shape = options.noise.shape + 0.5 * rows;
  if (shape >= least_noise_shape) return;
  throw InvalidArgument(fmt::format(
      "a0 (noise.shape) is {:.6g}, which with {:.6g} for the rows is {:.6g}, too little for a posterior of the noise; it must be at least "
      "{:g}: give a larger a0, or more rows (their number is the sum of the weights)",
      options.noise.shape, 0.5 * rows, shape, least_noise_shape));
}

Vector weights_or_ones(VectorView weights, Index n) { return weights.empty() ? Vector::Ones(n) : Vector(weights.eigen()); }

Prepared prepare_columns(MatrixView X, const Vector& k, const FitOptions& options, const StandIn& stand_in) {
  const Index p = X.cols();
  Prepared out;
  out.left_out.assign(static_cast<std::size_t>(p), false);
  out.standardization.intercept = options.intercept;
  const bool as_they_are = !options.preset.empty() && !options.standardize;
  const bool by_largest = options.standardize && options.scaling != Scaling::deviation;
  Standardization s;
  if (!as_they_are && !by_largest) moments(X, k, options.intercept, s.center, s.scale);
  // If a sum is finite, all its numbers are finite. This saves a pass over X.
  if (s.scale.size() == 0 || !s.scale.allFinite()) validate::finite(X, "X", options.column_names);
  if (as_they_are) {
    refuse_large(X, options.column_names);
    return out;
  }
  if (by_largest) return prepare_by_largest(X, options);

  std::vector<std::string> constant, copies;
  for (Index j = 0; j < p; ++j) {
    const std::string name = fmt::format("column '{}'", validate::column_name(options.column_names, j));
    s.scale[j] = validate::spread(s.scale[j], s.scale[j] < 1e-150 && all_equal(X, j, k, options.intercept), name);
    const double mean = s.center[j] + stand_in.at(j);
    if (!is_spread(s.scale[j], mean)) {
      s.scale[j] = 0;
      out.left_out[static_cast<std::size_t>(j)] = true;
      constant.push_back(fmt::format("'{}'", validate::column_name(options.column_names, j)));
    } else {
      if (has_few_digits(s.scale[j], mean)) out.warnings.push_back(few_digits(name, s.scale[j], mean));
      s.scale[j] = 1 / s.scale[j];
    }
  }
  // Under a sparse prior, copies share an effect, and the fit reports it.                                                        (SP.9)
  using Copies = std::vector<std::pair<Index, Index>>;
  for (const auto& [copy, original] : is_sparse(options.prior.kind) ? Copies() : duplicates(X, k, s, options.prior.flat_columns)) {
    out.left_out[static_cast<std::size_t>(copy)] = true;
    copies.push_back(fmt::format("'{}' (copy of '{}')", validate::column_name(options.column_names, copy),
                                 validate::column_name(options.column_names, original)));
  }
  if (!constant.empty())
    out.notes.push_back(fmt::format("{} {} constant and left out: {}", constant.size(), constant.size() == 1 ? "column is" : "columns are",
                                    listed(constant)));
  if (!copies.empty())
    out.notes.push_back(fmt::format("{} another column up to shift and scale and {} left out: {}",
                                    copies.size() == 1 ? "1 column repeats" : fmt::format("{} columns repeat", copies.size()),
                                    copies.size() == 1 ? "is" : "are", listed(copies)));
  // With a flat intercept, centring does not change the model and avoids a cancellation in the solvers.
  if (!options.standardize) s.scale = Vector::Ones(p);
  for (Index j = 0; j < p; ++j)
    if (out.left_out[static_cast<std::size_t>(j)]) s.scale[j] = 0;
  s.intercept = options.intercept;
  out.standardization = std::move(s);
  return out;
}

bool has_proper_intercept(const FitOptions& options, const std::vector<Index>& flat_columns) {
  return options.preset.empty() && options.intercept && !options.penalize_intercept && flat_columns.size() == 1 &&
         options.prior.kind != PriorKind::none;
}

namespace {

// The columns whose precision is not estimated.
struct GivenPrecisions {
  std::vector<Index> mark;  // [columns] Partition::flat, Partition::fixed or 0
  Vector fixed;             // [columns] the precision where mark is fixed
};

GivenPrecisions given_precisions(const Prior& prior, Index num_columns) {
  GivenPrecisions out{std::vector<Index>(static_cast<std::size_t>(num_columns), 0), Vector::Zero(num_columns)};
  for (Index j : prior.flat_columns) {
    check_column(j, "prior.flat_columns", num_columns);
    out.mark[static_cast<std::size_t>(j)] = Partition::flat;
  }
  if (prior.fixed_precision.size() != prior.fixed_columns.size())
    throw InvalidArgument(fmt::format("prior.fixed_precision has {} entries; it must have one per fixed column: {}",
                                      prior.fixed_precision.size(), prior.fixed_columns.size()));
  for (std::size_t i = 0; i < prior.fixed_columns.size(); ++i) {
    const Index j = prior.fixed_columns[i];
    check_column(j, "prior.fixed_columns", num_columns);
    if (out.mark[static_cast<std::size_t>(j)] == Partition::flat)
      throw InvalidArgument(fmt::format("column {} is both flat and of fixed precision", j));
    validate::positive(prior.fixed_precision[i], "a fixed precision");
    out.mark[static_cast<std::size_t>(j)] = Partition::fixed;
    out.fixed[j] = prior.fixed_precision[i];
  }
  return out;
}

bool has_groups(const Prior& prior) { return prior.kind != PriorKind::shared && (prior.kind == PriorKind::groups || !prior.group.empty()); }

void check_groups(const Prior& prior, Index num_columns) {
  if (static_cast<Index>(prior.group.size()) != num_columns)
    throw InvalidArgument(fmt::format("prior.group has {} entries; it must have one per column of X: {}", prior.group.size(), num_columns));
  for (Index g : prior.group)
    if (g < 0 || g >= num_columns)
      throw InvalidArgument(fmt::format("prior.group holds {}; group numbers are 0 to {}", g, num_columns - 1));
}

// The groups in use, and how the caller numbers them.
struct NumberedPartition {
  Partition partition;
  std::vector<Index> named;  // [groups] the caller's number
};

NumberedPartition partition_of(const FitOptions& options, const GivenPrecisions& given, const std::vector<bool>& left_out) {
  const Prior& prior = options.prior;
  const auto num_columns = static_cast<Index>(given.mark.size());
  NumberedPartition out;
  Partition& partition = out.partition;
  partition.group.resize(static_cast<std::size_t>(num_columns) + (options.intercept ? 1 : 0), Partition::flat);
  std::vector<Index> number(static_cast<std::size_t>(num_columns) + 1, -1);  // the reverse of `named`
  for (Index j = 0; j < num_columns; ++j) {
    const auto c = static_cast<std::size_t>(j);
    if (left_out[c]) {
      partition.group[c] = Partition::left_out;
      continue;
    }
    if (given.mark[c] != 0 || prior.kind == PriorKind::none) {
      partition.group[c] = given.mark[c] != 0 ? given.mark[c] : Partition::flat;
      continue;
    }
    const Index name = prior.kind == PriorKind::shared ? 0 : has_groups(prior) ? prior.group[c] : j;
    Index& g = number[static_cast<std::size_t>(name)];
    if (g < 0) {
      g = partition.num_groups();
      partition.group_size.push_back(0);
      out.named.push_back(name);
    }
    partition.group[c] = g;
    ++partition.group_size[static_cast<std::size_t>(g)];
  }
  if (options.intercept && options.penalize_intercept) {  // a column like any other: in the shared group, or in its own group
    if (prior.kind != PriorKind::shared || partition.num_groups() == 0) {
      partition.group_size.push_back(0);
      out.named.push_back(num_columns);
    }
    partition.group.back() = partition.num_groups() - 1;
    ++partition.group_size.back();
  }
  for (std::size_t j = 0; j < partition.group.size(); ++j)
    if (partition.group[j] == Partition::flat) partition.flat_columns.push_back(static_cast<Index>(j));
  if (std::find(partition.group.begin(), partition.group.end(), Partition::fixed) != partition.group.end()) {
    partition.fixed_precision = Vector::Zero(partition.num_columns());
    partition.fixed_precision.head(num_columns) = given.fixed;
  }
  return out;
}

// \param named  [groups] the caller's number
void take_hyperpriors_of_groups(const std::vector<GammaDistribution>& hyperprior, const std::vector<Index>& named, PreparedPrior& out) {
  const Index needed = named.empty() ? 0 : *std::max_element(named.begin(), named.end()) + 1;
  if (static_cast<Index>(hyperprior.size()) < needed)
    throw InvalidArgument(fmt::format("prior.hyperprior has {} entries; it must have one per group: {}", hyperprior.size(), needed));
  for (Index g = 0; g < out.shape.size(); ++g) {
    const GammaDistribution& h = hyperprior[static_cast<std::size_t>(named[static_cast<std::size_t>(g)])];
    validate::gamma(h, "the shape of a group's hyper-prior", "the rate of a group's hyper-prior");
    out.shape[g] = h.shape;
    out.rate[g] = h.rate;
  }
}

}  // namespace

PreparedPrior prepare_prior(const FitOptions& options, Index num_columns, const std::vector<bool>& left_out) {
  const Prior& prior = options.prior;
  const GivenPrecisions given = given_precisions(prior, num_columns);
  if (has_groups(prior)) check_groups(prior, num_columns);
  auto [partition, named] = partition_of(options, given, left_out);
  const Index groups = partition.num_groups();
  PreparedPrior out{std::move(partition), Vector::Constant(groups, options.precision.shape),
                    Vector::Constant(groups, options.precision.rate), prior.kind};
  if (!prior.hyperprior.empty()) take_hyperpriors_of_groups(prior.hyperprior, named, out);
  return out;
}

namespace {

bool is_one_for_all(const FitOptions& options) { return options.prior.kind == PriorKind::shared && options.start_precision.size() == 1; }

}  // namespace

void validate_start(const FitOptions& options, Index p, Index num_models) {
  const auto size = static_cast<Index>(options.start_precision.size());
  if (size == 0) return;
  for (double a : options.start_precision) validate::positive(a, "an entry of start_precision");
  const bool with_intercept = options.intercept && size == num_models * (p + 1);
  if (size == num_models * p || with_intercept || is_one_for_all(options)) return;
  throw InvalidArgument(fmt::format("start_precision has {} entries; it must have one per column of X{}: {}{}", size,
                                    num_models > 1 ? fmt::format(" for each of {} regressions or classes", num_models) : "", num_models * p,
                                    options.intercept ? fmt::format(", or {} with the intercept's", num_models * (p + 1)) : ""));
}

std::vector<double> start_of_model(const FitOptions& options, Index num_models, Index model) {
  const std::vector<double>& all = options.start_precision;
  if (all.empty() || is_one_for_all(options)) return all;
  const auto size = static_cast<std::ptrdiff_t>(all.size()) / num_models;
  return {all.begin() + model * size, all.begin() + (model + 1) * size};
}

Vector start_of(const FitOptions& options, const Partition& partition, Index num_models, Index q, Vector expected) {
  if (is_one_for_all(options)) return expected.setConstant(options.start_precision.front());
  const Index size = static_cast<Index>(options.start_precision.size()) / num_models;
  for (Index model = 0; model < num_models; ++model)
    for (Index j = size - 1; j >= 0; --j) {
      const Index g = partition.group[static_cast<std::size_t>(model * q + j)];
      if (g >= 0) expected[g] = options.start_precision[static_cast<std::size_t>(model * size + j)];
    }
  return expected;
}

}  // namespace ardvark::internal
