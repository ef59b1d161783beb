#include "io/imputation_record.hpp"

#include <algorithm>

#include "impute/row_imputer.hpp"
#include "io/fit_record.hpp"

namespace ardvark::internal::io {
namespace {

// The weights of all tables, one after the other.
Vector all_weights(const RowImputer& rows) {
  std::vector<double> out;
  for (const auto& table : rows.tables)
    for (const Conditional& one : table) out.insert(out.end(), one.weights.data(), one.weights.data() + one.weights.size());
  return Vector(Eigen::Map<const Vector>(out.data(), static_cast<Index>(out.size())));
}

Matrix all_sds(const RowImputer& rows) {
  Matrix out(static_cast<Index>(rows.variables.size()), static_cast<Index>(rows.tables.size()));
  for (Index m = 0; m < out.cols(); ++m)
    for (Index v = 0; v < out.rows(); ++v) out(v, m) = rows.tables[static_cast<std::size_t>(m)][static_cast<std::size_t>(v)].sd;
  return out;
}

void read_tables(Index imputations, const Vector& weights, const Matrix& sd, RowImputer& rows, const std::string& path) {
  Index of_table = 0;
  for (std::size_t v = 0; v < rows.variables.size(); ++v)
    of_table += (1 + static_cast<Index>(rows.predictors[v].size())) * rows.variables[v].num_scores();
  if (weights.size() != imputations * of_table || sd.rows() != static_cast<Index>(rows.variables.size()) || sd.cols() != imputations)
    fail_model(path, "what it needs to impute missing values has the wrong size");
  if (!(sd.array() >= 0).all()) fail_damaged(path, "imputation.sd");
  const double* at = weights.data();
  for (Index m = 0; m < imputations; ++m) {
    auto& table = rows.tables.emplace_back();
    for (std::size_t v = 0; v < rows.variables.size(); ++v) {
      const Index size = 1 + static_cast<Index>(rows.predictors[v].size()), scores = rows.variables[v].num_scores();
      table.push_back({Eigen::Map<const Matrix>(at, size, scores), sd(static_cast<Index>(v), m)});
      at += size * scores;
    }
  }
}

}  // namespace

Json describe(const Imputation& imputation) {
  return {{"imputations", imputation.imputations},
          {"columns", imputation.columns},
          {"gaps", imputation.gaps},
          {"predictors", [&] {
             Json lists = Json::array();
             for (const std::vector<Index>& columns : imputation.rows->predictors) lists.push_back(columns);
             return lists;
           }()}};
}

void add_arrays(SafetensorsWriter& file, const Imputation& imputation) {
  const RowImputer& rows = *imputation.rows;
  file.add_vector("imputation.information", imputation.missing_information);
  file.add_vector("imputation.center", rows.units.center);
  file.add_vector("imputation.scale", rows.units.scale);
  file.add_vector("imputation.weights", all_weights(rows));
  file.add_matrix("imputation.sd", all_sds(rows));
}

Imputation read_imputation(const SafetensorsReader& file, const Json& description, const FeatureEncoding& encoding) {
  const std::string& path = file.path();
  const Index p = encoding.num_columns();
  const auto vector = [&](const char* name, Index size) {
    Vector v = checked_finite(file.vector(name), name, path);
    if (size >= 0 && v.size() != size) fail_model(path, std::string(name) + " has the wrong size");
    return v;
  };
  Imputation out;
  out.imputations = description.at("imputations").whole_number();
  out.columns = description.at("columns").texts();
  out.gaps = description.at("gaps").whole_numbers();
  out.missing_information = vector("imputation.information", p);
  for (double& share : out.missing_information) share = checked_share(share, "a share of missing information", path);
  RowImputer rows{variables_of(encoding), {vector("imputation.center", p), vector("imputation.scale", p)}, {}, {}};
  if (!(rows.units.scale.array() >= 0).all()) fail_damaged(path, "imputation.scale");
  for (const Json& columns : description.at("predictors").list()) rows.predictors.push_back(columns.whole_numbers());
  const bool fits = out.imputations >= 1 && rows.predictors.size() == rows.variables.size() && out.columns.size() == out.gaps.size() &&
                    encoding.dummies == Dummies::all_but_reference &&
                    std::ranges::all_of(rows.predictors, [&](const std::vector<Index>& columns) {
                      return std::ranges::all_of(columns, [&](Index j) { return j >= 0 && j < p; });
                    });
  if (!fits) fail_model(path, "what it needs to impute missing values does not fit together");
  const Matrix sd = checked_finite(file.matrix("imputation.sd"), "imputation.sd", path);
  if (sd.cols() != out.imputations) fail_model(path, "what it needs to impute missing values has the wrong size");
  read_tables(out.imputations, vector("imputation.weights", -1), sd, rows, path);
  out.rows = std::make_shared<const RowImputer>(std::move(rows));
  return out;
}

}  // namespace ardvark::internal::io
