#include "impute/joint.hpp"

#include <algorithm>
#include <utility>

#include "core/eigen_solvers.hpp"

namespace ardvark::internal {
namespace {

// A column that others determine has almost no noise, and a precision of almost no digits.
constexpr double least_sd = 1e-5;
// Texts given numbers and numbers given texts, after the texts have been left out.                                              (MI.8)
constexpr int passes_of_texts = 3;

// Gaps of rows given their other values: precision, and precision times mean.                                                   (MI.7)
struct Canonical {
  Matrix precision;  ///< [gaps, gaps]
  Matrix linear;     ///< [gaps, rows]
};
// \param values  [columns of Z, rows] 0 in the gaps
Canonical given_others(const Matrix& values, const std::vector<Index>& gaps, const Sequence& sequence,
                       const std::vector<Conditional>& parameters) {
  const auto m = static_cast<Index>(gaps.size());
  Canonical out{Matrix::Zero(m, m), Matrix::Zero(m, values.cols())};
  std::vector<Index> place(static_cast<std::size_t>(values.rows()), -1);
  for (Index a = 0; a < m; ++a) place[static_cast<std::size_t>(gaps[static_cast<std::size_t>(a)])] = a;
  std::vector<std::pair<Index, double>> of_gaps;
  for (std::size_t i = 0; i < sequence.columns.size(); ++i) {
    const auto weight = [&, &w = parameters[i].weights](std::size_t k) { return w(static_cast<Index>(k) + 1, 0); };
    const std::vector<Index>& predictors = sequence.predictors[i];
    of_gaps.clear();
    if (const Index a = place[static_cast<std::size_t>(sequence.columns[i])]; a >= 0) of_gaps.emplace_back(a, 1);
    for (std::size_t k = 0; k < predictors.size(); ++k)
      if (const Index a = place[static_cast<std::size_t>(predictors[k])]; a >= 0) of_gaps.emplace_back(a, -weight(k));
    if (of_gaps.empty()) continue;
    const double sd = std::max(parameters[i].sd, least_sd), tau = 1 / (sd * sd);
    Eigen::RowVectorXd rest = values.row(sequence.columns[i]).array() - parameters[i].weights(0, 0);
    for (std::size_t k = 0; k < predictors.size(); ++k) rest -= weight(k) * values.row(predictors[k]);
    for (const auto& [a, c] : of_gaps) {
      out.linear.row(a) -= tau * c * rest;
      for (const auto& [b, d] : of_gaps) out.precision(a, b) += tau * c * d;
    }
  }
  return out;
}

// All gaps of a row from their joint distribution given its other values.                                                       (MI.7)
void draw_jointly(Matrix& Z, const std::vector<Index>& rows, const std::vector<Index>& gaps, const Sequence& sequence,
                  const std::vector<Conditional>& parameters, Normals& random) {
  if (gaps.empty()) return;
  Z(rows, gaps).setZero();
  const Canonical given = given_others(Z(rows, Eigen::all).transpose(), gaps, sequence, parameters);
  const Eigen::LLT<Matrix> root(given.precision);
  Matrix z(given.linear.rows(), given.linear.cols());
  for (double& one : z.reshaped()) one = random();
  root.matrixU().solveInPlace(z);
  Z(rows, gaps) = (root.solve(given.linear) + z).transpose();
}

}  // namespace

Gaps gaps_of(const GapModel& model, const std::vector<bool>& is_missing) {
  Gaps out;
  for (std::size_t v = 0; v < is_missing.size(); ++v) {
    if (!is_missing[v]) continue;
    const Variable& variable = model.variables[v];
    if (variable.is_text()) out.texts.push_back(v);
    for (Index j = variable.first; j < variable.first + variable.width; ++j) {
      if (model.units.scale[j] == 0) continue;
      out.columns.push_back(j);
      if (!variable.is_text()) out.numbers.push_back(j);
    }
  }
  return out;
}

void fill_gaps(Matrix& Z, const Gaps& gaps, const GapModel& model, const GapParameters& parameters, Normals& random) {
  const bool several = gaps.texts.size() + gaps.numbers.size() > 1;
  if (several || gaps.texts.empty()) draw_jointly(Z, gaps.rows, gaps.columns, model.sequence, parameters.columns, random);
  if (gaps.texts.empty()) return;
  for (int pass = 0; pass < (several ? passes_of_texts : 1); ++pass) {
    for (const std::size_t v : gaps.texts)
      fill(Z, gaps.rows, model.variables[v], model.units, model.predictors[v], parameters.variables[v], random);
    draw_jointly(Z, gaps.rows, gaps.numbers, model.sequence, parameters.columns, random);
  }
}

Vector distances(const Matrix& Z, const Matrix& other, const Gaps& gaps, const Sequence& sequence,
                 const std::vector<Conditional>& parameters) {
  if (gaps.numbers.empty()) return {};
  Matrix values = Matrix::Zero(Z.cols(), static_cast<Index>(gaps.rows.size()));
  const Matrix precision = given_others(values, gaps.numbers, sequence, parameters).precision;
  const Matrix apart = Z(gaps.rows, gaps.numbers) - other(gaps.rows, gaps.numbers);
  const Vector squares = (apart * precision).cwiseProduct(apart).rowwise().sum();
  return (squares / static_cast<double>(gaps.numbers.size())).cwiseMax(0).cwiseSqrt();
}

}  // namespace ardvark::internal
