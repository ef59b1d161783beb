// The part of a model file for a fit to a table with gaps.
#include <algorithm>

#include "impute/row_imputer.hpp"
#include "io/fit_record.hpp"

namespace ardvark::internal::io {
namespace {

using Parameters = std::vector<Conditional> GapParameters::*;

// The weights of all tables, one after the other.
Vector all_weights(const RowImputer& rows, Parameters which) {
  std::vector<double> out;
  for (const GapParameters& table : rows.tables)
    for (const Conditional& one : table.*which) out.insert(out.end(), one.weights.data(), one.weights.data() + one.weights.size());
  return Vector(Eigen::Map<const Vector>(out.data(), static_cast<Index>(out.size())));
}

Matrix all_sds(const RowImputer& rows, Parameters which) {
  Matrix out(static_cast<Index>((rows.tables.front().*which).size()), static_cast<Index>(rows.tables.size()));
  for (Index m = 0; m < out.cols(); ++m)
    for (Index v = 0; v < out.rows(); ++v) out(v, m) = (rows.tables[static_cast<std::size_t>(m)].*which)[static_cast<std::size_t>(v)].sd;
  return out;
}

// Numbers of weights of one table: [variables or columns] rows and scores.
using Sizes = std::vector<std::pair<Index, Index>>;

void read_tables(const SafetensorsReader& file, const std::string& name, const Sizes& sizes, Parameters which, RowImputer& rows) {
  const std::string &path = file.path(), of_weights = name + "weights", of_sd = name + "sd";
  const Vector weights = checked_finite(file.vector(of_weights), of_weights, path);
  const Matrix sd = checked_finite(file.matrix(of_sd), of_sd, path);
  const auto imputations = static_cast<Index>(rows.tables.size());
  Index of_table = 0;
  for (const auto& [size, scores] : sizes) of_table += size * scores;
  if (weights.size() != imputations * of_table || sd.rows() != std::ssize(sizes) || sd.cols() != imputations)
    fail_model(path, "what it needs to impute missing values has the wrong size");
  if (!(sd.array() >= 0).all()) fail_damaged(path, of_sd);
  const double* at = weights.data();
  for (Index m = 0; m < imputations; ++m)
    for (std::size_t v = 0; v < sizes.size(); ++v) {
      const auto [size, scores] = sizes[v];
      (rows.tables[static_cast<std::size_t>(m)].*which)
          .push_back({Eigen::Map<const Matrix>(at, size, scores), sd(static_cast<Index>(v), m)});
      at += size * scores;
    }
}

Json lists_of(const std::vector<std::vector<Index>>& columns) {
  Json lists = Json::array();
  for (const std::vector<Index>& some : columns) lists.push_back(some);
  return lists;
}

std::vector<std::vector<Index>> read_lists(const Json& lists, Index num_columns, const std::string& path) {
  std::vector<std::vector<Index>> out;
  for (const Json& columns : lists.list()) {
    out.push_back(columns.whole_numbers());
    if (std::ranges::any_of(out.back(), [&](Index j) { return j < 0 || j >= num_columns; }))
      fail_model(path, "what it needs to impute missing values does not fit together");
  }
  return out;
}

// Each column of numbers and of texts has a place, and comes after its predictors.                                              (MI.2)
Sequence read_sequence(const Json& description, const GapModel& model, const std::string& path) {
  const Index p = model.units.scale.size();
  Sequence out{description.at("columns").whole_numbers(), read_lists(description.at("predictors"), p, path)};
  if (has_repeats(out.columns)) fail_model(path, "its list of columns to impute names a column twice");
  std::vector<bool> is_before(static_cast<std::size_t>(p), false);
  bool fits = out.columns.size() == out.predictors.size() && std::ssize(out.columns) == (model.units.scale.array() > 0).count();
  for (std::size_t i = 0; fits && i < out.columns.size(); ++i) {
    const Index j = out.columns[i];
    fits = j >= 0 && j < p && model.units.scale[j] > 0 &&
           std::ranges::all_of(out.predictors[i], [&](Index k) { return is_before[static_cast<std::size_t>(k)]; });
    if (fits) is_before[static_cast<std::size_t>(j)] = true;
  }
  if (!fits) fail_model(path, "what it needs to impute missing values does not fit together");
  return out;
}

}  // namespace

Json describe(const Imputation& imputation) {
  const GapModel& model = imputation.rows->model;
  Json out = {{"imputations", imputation.imputations},
              {"columns", imputation.columns},
              {"gaps", imputation.gaps},
              {"predictors", lists_of(model.predictors)}};
  if (!model.sequence.columns.empty())  // otherwise the model was read from a file of an earlier version
    out["sequence"] = {{"columns", model.sequence.columns}, {"predictors", lists_of(model.sequence.predictors)}};
  return out;
}

void add_arrays(SafetensorsWriter& file, const Imputation& imputation) {
  const RowImputer& rows = *imputation.rows;
  file.add_vector("imputation.information", imputation.missing_information);
  file.add_vector("imputation.center", rows.model.units.center);
  file.add_vector("imputation.scale", rows.model.units.scale);
  file.add_vector("imputation.weights", all_weights(rows, &GapParameters::variables));
  file.add_matrix("imputation.sd", all_sds(rows, &GapParameters::variables));
  if (rows.model.sequence.columns.empty()) return;
  file.add_vector("imputation.sequence.weights", all_weights(rows, &GapParameters::columns));
  file.add_matrix("imputation.sequence.sd", all_sds(rows, &GapParameters::columns));
}

Imputation read_imputation(const SafetensorsReader& file, const Json& description, const FeatureEncoding& encoding) {
  const std::string& path = file.path();
  const Index p = encoding.num_columns();
  const RecordReader in{file};
  Imputation out;
  out.imputations = description.at("imputations").whole_number();
  out.columns = description.at("columns").texts();
  out.gaps = description.at("gaps").whole_numbers();
  out.missing_information = in.finite_vector("imputation.information", p);
  for (double& share : out.missing_information) share = checked_share(share, "a share of missing information", path);
  RowImputer rows;
  GapModel& model = rows.model;
  model = {variables_of(encoding), {in.finite_vector("imputation.center", p), in.finite_vector("imputation.scale", p)}, {}, {}};
  if (!(model.units.scale.array() >= 0).all()) fail_damaged(path, "imputation.scale");
  model.predictors = read_lists(description.at("predictors"), p, path);
  const Matrix sd = in.finite_matrix("imputation.sd");
  if (out.imputations < 1 || sd.cols() != out.imputations || model.predictors.size() != model.variables.size() ||
      out.columns.size() != out.gaps.size() || encoding.dummies != Dummies::all_but_reference)
    fail_model(path, "what it needs to impute missing values does not fit together");
  rows.tables.resize(static_cast<std::size_t>(out.imputations));
  Sizes sizes;
  for (std::size_t v = 0; v < model.variables.size(); ++v)
    sizes.emplace_back(1 + std::ssize(model.predictors[v]), model.variables[v].num_scores());
  read_tables(file, "imputation.", sizes, &GapParameters::variables, rows);
  if (description.contains("sequence")) {
    model.sequence = read_sequence(description.at("sequence"), model, path);
    sizes.clear();
    for (const std::vector<Index>& predictors : model.sequence.predictors) sizes.emplace_back(1 + std::ssize(predictors), 1);
    read_tables(file, "imputation.sequence.", sizes, &GapParameters::columns, rows);
  }
  out.rows = std::make_shared<const RowImputer>(std::move(rows));
  return out;
}

}  // namespace ardvark::internal::io
