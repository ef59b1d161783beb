// The part of a model file for a fit with a sparse prior.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "io/fit_record.hpp"

namespace ardvark::internal::io {

namespace {

// Rounding changes a sum of some starts by much less than this.
constexpr double sum_tolerance = 1e-9;

void check_sum(double sum, const char* what, const std::string& path) {
  if (!(std::abs(sum - 1) <= sum_tolerance))
    throw InvalidArgument(fmt::format("'{}' is damaged: {} sum to {}; they must sum to 1", path, what, sum));
}

}  // namespace

Json describe(const SparseResult& sparse) {
  Json starts = Json::array(), sets = Json::array();
  for (const SparseStart& start : sparse.starts)
    starts.push_back({{"name", start.name},
                      {"status", to_string(start.status)},
                      {"sweeps", start.sweeps},
                      {"numbers", Json::array({start.bound, start.weight, start.inclusion_prior, start.slab_sd, start.dense_sd,
                                               start.noise_sd, start.dense_fraction})}});
  for (const CredibleSet& set : sparse.sets)
    sets.push_back({{"columns", set.columns}, {"probability", set.probability}, {"inclusion", set.inclusion}});
  return {{"dense_fraction", sparse.dense_fraction}, {"undecided", by_runs(sparse.undecided)}, {"starts", starts}, {"sets", sets}};
}

SparseResult read_sparse(const Json& description, Vector inclusion, const std::string& path) {
  SparseResult sparse;
  sparse.inclusion = std::move(inclusion);
  sparse.peak_bound = std::numeric_limits<double>::quiet_NaN();
  for (double& share : sparse.inclusion) share = checked_share(share, "an inclusion", path);
  sparse.dense_fraction = checked_share(description.at("dense_fraction").number(), "its dense fraction", path);
  const auto columns = static_cast<std::size_t>(sparse.inclusion.size());
  // Earlier files do not have it.
  sparse.undecided = description.contains("undecided") ? flags_of(description.at("undecided"), sparse.inclusion.size())
                                                       : std::vector<bool>(columns, false);
  if (sparse.undecided.size() != columns) fail_model(path, "the list of undecided columns has the wrong size");
  double sum = 0;
  for (const Json& start : description.at("starts").list()) {
    const Json::List& numbers = start.at("numbers").list();
    if (numbers.size() != 7) fail_model(path, "the list of starts has the wrong size");
    const auto number = [&](std::size_t i) {
      return numbers[i].is_number() ? numbers[i].number() : -std::numeric_limits<double>::infinity();
    };
    sparse.starts.push_back({start.at("name").text(), status_from(start.at("status"), path), checked_count(start.at("sweeps"), path),
                             number(0), number(1), number(2), number(3), number(4), number(5), number(6)});
    SparseStart& read = sparse.starts.back();
    sum += read.weight = checked_share(read.weight, "the weight of a start", path);
    if (read.weight > 0) {
      read.inclusion_prior = checked_share(read.inclusion_prior, "the prior probability of an effect", path);
      read.dense_fraction = checked_share(read.dense_fraction, "the dense fraction of a start", path);
    }
  }
  check_sum(sum, "the weights of its starts", path);
  for (const Json& set : description.at("sets").list()) {
    CredibleSet read{set.at("columns").whole_numbers(), set.at("probability").numbers(), set.at("inclusion").number()};
    if (read.columns.size() != read.probability.size()) fail_model(path, "a credible set has the wrong size");
    for (const Index j : read.columns)
      if (j < 0 || j >= sparse.inclusion.size()) fail_model(path, "a credible set has the wrong size");
    if (has_repeats(read.columns)) fail_model(path, "a credible set names a column twice");
    for (double& share : read.probability) share = checked_share(share, "a probability in a credible set", path);
    read.inclusion = checked_share(read.inclusion, "the inclusion of a credible set", path);
    sparse.sets.push_back(std::move(read));
  }
  return sparse;
}

// Components may share a basis: each basis is written once.
Json describe(const Mixture& mixture) {
  Json components = Json::array();
  std::vector<const DenseBasis*> bases;
  for (const MixtureComponent& c : mixture.components) {
    auto at = std::find(bases.begin(), bases.end(), c.basis.get());
    if (at == bases.end()) at = bases.insert(bases.end(), c.basis.get());
    Json& component =
        components.push_back({{"basis", at - bases.begin()}, {"numbers", Json::array({c.weight, c.s2, c.h})}, {"active", c.active}});
    if (c.spread) component["spread"] = Json::array({c.spread->variance, c.spread->flat});
    if (c.beside > 0) component["beside"] = c.beside;
  }
  return {
      {"columns", by_runs(mixture.columns)}, {"flat_columns", mixture.flat_columns}, {"components", components}, {"bases", bases.size()}};
}

void add_arrays(SafetensorsWriter& file, const std::string& prefix, const Mixture& mixture) {
  std::vector<const DenseBasis*> bases;
  for (std::size_t i = 0; i < mixture.components.size(); ++i) {
    const MixtureComponent& c = mixture.components[i];
    const std::string name = prefix + fmt::format("component{}.", i);
    file.add_vector(name + "w", c.w);
    file.add_vector(name + "flat_mean", c.flat_mean);
    file.add_vector(name + "v", c.v);
    file.add_matrix(name + "F", c.F);
    if (c.spread) {
      file.add_vector(name + "narrowing", c.spread->narrowing);
      file.add_matrix(name + "moves", c.spread->moves);
    }
    if (std::find(bases.begin(), bases.end(), c.basis.get()) != bases.end()) continue;
    const std::string basis = prefix + fmt::format("basis{}.", bases.size());
    const auto Z = c.basis->Z();
    file.add_array(basis + "Z", Z.data(), {static_cast<std::uint64_t>(Z.cols()), static_cast<std::uint64_t>(Z.rows())});
    file.add_vector(basis + "l", c.basis->l);
    file.add_matrix(basis + "G", c.basis->G);
    file.add_matrix(basis + "R", c.basis->R);
    bases.push_back(c.basis.get());
  }
}

Mixture read_mixture(const SafetensorsReader& file, const std::string& prefix, const Json& description, Index num_columns) {
  const std::string& path = file.path();
  const auto fail = [&] { fail_model(path, "the posterior of the sparse prior has the wrong size"); };
  const auto vector = [&](const std::string& name, Index size) {
    Vector v = checked_finite(file.vector(prefix + name), prefix + name, path);
    if (v.size() != size) fail();
    return v;
  };
  const auto finite = [&](const std::string& name) { return checked_finite(file.matrix(prefix + name), prefix + name, path); };
  const auto matrix = [&](const std::string& name, Index rows, Index cols) {
    Matrix m = finite(name);
    if (m.rows() != rows || m.cols() != cols) fail();
    return m;
  };
  Mixture mixture;
  mixture.columns = whole_numbers_of(description.at("columns"), num_columns);
  mixture.flat_columns = description.at("flat_columns").whole_numbers();
  std::vector<Index> named = mixture.columns;
  named.insert(named.end(), mixture.flat_columns.begin(), mixture.flat_columns.end());
  if (std::ranges::any_of(named, [&](Index j) { return j < 0 || j >= num_columns; })) fail();
  if (has_repeats(std::move(named))) fail_model(path, "the posterior of the sparse prior names a column twice");
  const auto p = static_cast<Index>(mixture.columns.size()), f = static_cast<Index>(mixture.flat_columns.size());
  std::vector<std::shared_ptr<const DenseBasis>> bases;
  for (std::size_t i = 0; i < static_cast<std::size_t>(description.at("bases").whole_number()); ++i) {
    const std::string name = fmt::format("basis{}.", i);
    auto basis = std::make_shared<DenseBasis>();
    basis->l = checked_finite(file.vector(prefix + name + "l"), prefix + name + "l", path);
    basis->storage = OwnedMatrix(matrix(name + "Z", basis->l.size(), p)).memory;
    basis->G = matrix(name + "G", f, p);
    basis->R = matrix(name + "R", f, f);
    bases.push_back(std::move(basis));
  }
  const Json::List& components = description.at("components").list();
  if (components.empty()) fail();
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string name = fmt::format("component{}.", i);
    const std::vector<double> numbers = components[i].at("numbers").numbers();
    const auto basis = static_cast<std::size_t>(components[i].at("basis").whole_number());
    if (numbers.size() != 3 || basis >= bases.size()) fail();
    MixtureComponent& c = mixture.components.emplace_back();
    c.weight = numbers[0], c.s2 = numbers[1], c.h = numbers[2];
    if (!(c.weight > 0 && c.weight <= 1 + sum_tolerance && c.s2 > 0 && c.h >= 0)) fail();
    c.basis = bases[basis];
    c.active = components[i].at("active").whole_numbers();
    for (const Index j : c.active)
      if (j < 0 || j >= p) fail();
    if (has_repeats(c.active)) fail_model(path, "a component of the sparse prior's posterior names a column twice");
    const auto a = static_cast<Index>(c.active.size());
    c.w = vector(name + "w", p);
    c.flat_mean = vector(name + "flat_mean", f);
    c.v = vector(name + "v", p);
    c.F = matrix(name + "F", a, a);
    if (components[i].contains("beside")) {
      c.beside = components[i].at("beside").number();
      if (!(c.beside >= 0 && std::isfinite(c.beside))) fail();
    }
    if (components[i].contains("spread")) {  // without it, in earlier files: the covariance given h                              (SP.15)
      const std::vector<double> spread = components[i].at("spread").numbers();
      if (spread.size() != 2) fail();
      DenseSpread u{spread[0], vector(name + "narrowing", c.basis->l.size()), finite(name + "moves"), spread[1]};
      const bool is_difference = c.h == 0 && a == p;  // to the covariance given h                                           (SP.16)
      const bool can_be = is_difference ? std::isfinite(u.variance) : u.variance > 0 && (u.narrowing.array() >= 0).all();
      if (!(can_be && u.flat > 0) || u.moves.rows() != u.narrowing.size()) fail();
      c.spread = std::move(u);
    }
  }
  double sum = 0;
  for (const MixtureComponent& c : mixture.components) sum += c.weight;
  check_sum(sum, "the weights of the components of its posterior", path);
  mixture.normalise_weights();  // earlier programs did not remove rounding errors
  return mixture;
}

}  // namespace ardvark::internal::io
