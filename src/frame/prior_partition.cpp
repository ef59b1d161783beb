#include "frame/prior_partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "posterior/state.hpp"

namespace ardvark::internal {
namespace {

void check_column(Index j, const char* what, Index num_columns) {
  if (j < 0 || j >= num_columns) throw refused(what, fmt::format("names column {}; X has columns 0 to {}", j, num_columns - 1));
}

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
    throw wrong_size("prior.fixed_precision", prior.fixed_precision.size(),
                     fmt::format("it must have one per fixed column: {}", prior.fixed_columns.size()));
  for (std::size_t i = 0; i < prior.fixed_columns.size(); ++i) {
    const Index j = prior.fixed_columns[i];
    check_column(j, "prior.fixed_columns", num_columns);
    if (out.mark[static_cast<std::size_t>(j)] == Partition::flat)
      throw InvalidArgument(fmt::format("column {} is both flat and of fixed precision", j));
    validate::positive(prior.fixed_precision[i], {"", "a fixed precision"});
    out.mark[static_cast<std::size_t>(j)] = Partition::fixed;
    out.fixed[j] = prior.fixed_precision[i];
  }
  return out;
}

bool has_groups(const Prior& prior) { return prior.kind != PriorKind::shared && (prior.kind == PriorKind::groups || !prior.group.empty()); }

void check_groups(const Prior& prior, Index num_columns) {
  if (static_cast<Index>(prior.group.size()) != num_columns)
    throw wrong_size("prior.group", prior.group.size(), fmt::format("it must have one per column of X: {}", num_columns));
  for (Index g : prior.group)
    if (g < 0 || g >= num_columns) throw refused("prior.group", fmt::format("holds {}; group numbers are 0 to {}", g, num_columns - 1));
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
    throw wrong_size("prior.hyperprior", hyperprior.size(), fmt::format("it must have one per group: {}", needed));
  for (Index g = 0; g < out.shape.size(); ++g) {
    const GammaDistribution& h = hyperprior[static_cast<std::size_t>(named[static_cast<std::size_t>(g)])];
    validate::gamma(h, {"", "the shape of a group's hyper-prior"}, {"", "the rate of a group's hyper-prior"});
    out.shape[g] = h.shape;
    out.rate[g] = h.rate;
  }
}

}  // namespace

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
  // A table that stands in for another one has equal weights whose sum is the number of rows.
  const bool are_equal = std::adjacent_find(options.weights.begin(), options.weights.end(), std::not_equal_to<>()) == options.weights.end();
  if (are_equal && std::abs(total - std::round(total)) < 1e-9 * total)
    throw InvalidArgument(fmt::format("{:.10g} rows cannot determine {}; a linear fit needs at least as many rows", total, columns));
  throw refused("weights",
                fmt::format("have the sum {:.6g}, which counts as the number of rows; so few rows cannot determine {}; a weight is a "
                            "number of repetitions: multiply relative weights so that they sum to the number of observations",
                            total, columns));
}

void require_noise_shape(const FitOptions& options, double total, Index num_flat) {
  const double rows = total - static_cast<double>(options.posterior == LinearPosterior::joint ? num_flat : 0);
  const double shape = options.noise.shape + 0.5 * rows;
  if (shape >= least_noise_shape) return;
  throw refused(
      "a0",
      fmt::format(
          "(noise.shape) is {:.6g}, which with {:.6g} for the rows is {:.6g}, too little for a posterior of the noise; it must be at least "
          "{:g}: give a larger a0, or more rows (their number is the sum of the weights)",
          options.noise.shape, 0.5 * rows, shape, least_noise_shape));
}

bool has_proper_intercept(const FitOptions& options, const std::vector<Index>& flat_columns) {
  return options.preset.empty() && options.intercept && !options.penalize_intercept && flat_columns.size() == 1 &&
         options.prior.kind != PriorKind::none;
}

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
  for (double a : options.start_precision) validate::positive(a, {"", "an entry of start_precision"});
  const bool with_intercept = options.intercept && size == num_models * (p + 1);
  if (size == num_models * p || with_intercept || is_one_for_all(options)) return;
  throw wrong_size("start_precision", size,
                   fmt::format("it must have one per column of X{}: {}{}",
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
