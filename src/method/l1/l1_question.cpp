#include "method/l1/l1_question.hpp"

#include <algorithm>

#include "core/blas.hpp"
#include "core/logistic_rows.hpp"

namespace ardvark::internal {
namespace {

// The rows of each fold. Equal rows have equal numbers, wherever they stand.                                                     (L1.14)
std::vector<std::vector<Index>> divided(const L1Question& asked, const RowBlock& block) {
  const RowFolds& folds = asked.folds;
  std::vector<std::vector<Index>> out(static_cast<std::size_t>(folds.count));
  const bool is_centred = asked.units.center.size() > 0;
  for (Index i = 0; i < block.X.rows(); ++i) {
    double number = 0;
    for (Index j = 0; j < folds.factor.size(); ++j)
      if (folds.factor[j] != 0) number += folds.factor[j] * (block.X(i, j) - (is_centred ? asked.units.center[j] : 0.0));
    const Index fold = folds.count > 1 ? folds.fold_of(number, block.y[i] == asked.own_label) : 0;
    out[static_cast<std::size_t>(fold)].push_back(i);
  }
  return out;
}

// These rows of the design.
Matrix design_of(const RowBlock& block, const std::vector<Index>& rows, const Standardization& units) {
  const Index p = block.X.cols();
  Matrix Z = Matrix::Ones(static_cast<Index>(rows.size()), p + (units.intercept ? 1 : 0));
  for (Index j = 0; j < p; ++j) {
    const double center = units.center.size() > 0 ? units.center[j] : 0, scale = units.scale.size() > 0 ? units.scale[j] : 1;
    for (Index i = 0; i < Z.rows(); ++i) Z(i, j) = scale == 0 ? 0 : (block.X(rows[static_cast<std::size_t>(i)], j) - center) * scale;
  }
  return Z;
}

// A place in the numbers of the answer.
class Places {
 public:
  explicit Places(const L1Question& asked) : asked_(asked), points_(asked.num_points()), q_(asked.W.rows()) {}
  [[nodiscard]] Index of_fold(Index fold) const { return fold * (1 + points_ + (asked_.is_test ? 0 : points_ * q_)); }
  [[nodiscard]] Index gradient(Index fold) const { return of_fold(fold) + 1 + points_; }
  [[nodiscard]] Index omega() const { return of_fold(asked_.folds.count); }
  [[nodiscard]] Index gram(Index number) const { return omega() + (asked_.is_test ? 0 : points_) + number * (q_ * (q_ + 1) / 2); }
  [[nodiscard]] Index size() const { return gram(static_cast<Index>(asked_.grams.size())); }

 private:
  const L1Question& asked_;
  Index points_, q_;
};

// The rows of one fold: adds to the Gram matrices.
void add_fold(const L1Question& asked, const RowBlock& block, const std::vector<Index>& rows, Index fold, std::vector<Matrix>& grams,
              Vector& out) {
  const Places places(asked);
  const Matrix Z = design_of(block, rows, asked.units);
  const Index n = Z.rows(), q = Z.cols(), points = asked.num_points();
  Vector t(n), k(n), above, below;
  for (Index i = 0; i < n; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    t[i] = block.y[row] == asked.own_label ? 1.0 : 0.0;
    k[i] = block.weights.empty() ? 1.0 : block.weights[row];
  }
  out[places.of_fold(fold)] += k.sum();
  Matrix M(n, points);
  const double* const W = asked.is_test ? asked.W.col(fold * points).data() : asked.W.data();
  blas::gemm(blas::Transpose::no, blas::Transpose::no, n, points, q, 1.0, Z.data(), n, W, q, 0.0, M.data(), n);
  for (Index l = 0; l < points; ++l) {
    out[places.of_fold(fold) + 1 + l] += logistic_rows(M.col(l), t, k, above, below);
    if (asked.is_test) continue;
    for (Index i = 0; i < n; ++i) M(i, l) = k[i] * (t[i] > 0.5 ? below[i] : -above[i]);  // (L1.2)
    const Vector omega = k.cwiseProduct(above).cwiseProduct(below);
    out[places.omega() + l] += omega.sum();
    const auto found = std::ranges::find(asked.grams, l);
    if (found == asked.grams.end()) continue;
    const Matrix scaled = omega.cwiseSqrt().asDiagonal() * Z;
    blas::syrk(blas::Transpose::yes, q, n, 1.0, scaled.data(), n, 1.0, grams[static_cast<std::size_t>(found - asked.grams.begin())].data(),
               q);
  }
  if (!asked.is_test)
    blas::gemm(blas::Transpose::yes, blas::Transpose::no, q, points, n, 1.0, Z.data(), n, M.data(), n, 0.0,
               out.data() + places.gradient(fold), q);
}

}  // namespace

Vector L1Question::sums_of(const RowBlock& block) const {
  const Places places(*this);
  const Index q = W.rows();
  Vector out = Vector::Zero(places.size());
  std::vector<Matrix> all(grams.size(), Matrix::Zero(q, q));
  const std::vector<std::vector<Index>> rows = divided(*this, block);
  for (Index f = 0; f < folds.count; ++f)
    if (const auto& own = rows[static_cast<std::size_t>(f)]; !own.empty()) add_fold(*this, block, own, f, all, out);
  for (std::size_t g = 0; g < all.size(); ++g)
    for (Index j = 0, at = places.gram(static_cast<Index>(g)); j < q; at += q - j, ++j) out.segment(at, q - j) = all[g].col(j).tail(q - j);
  return out;
}

void L1Question::write(WorkWriter& to) const {
  to.flag("intercept", units.intercept);
  to.whole_number("folds", folds.count);
  to.bits("seed", folds.seed);
  to.vector("factor", folds.factor);
  to.numbers("width", {folds.width});
  to.flag("test", is_test);
  to.whole_numbers("grams", grams);
  to.vector("center", units.center);
  to.vector("scale", units.scale);
  to.numbers("own_label", {own_label});
  to.matrix("points", W);
}

std::shared_ptr<const RowWork> L1Question::read(const WorkReader& from) {
  auto out = std::make_shared<L1Question>();
  const Index p = from.question().num_columns;
  out->units = {from.vector("center"), from.vector("scale"), from.flag("intercept")};
  for (const Vector* of_columns : {&out->units.center, &out->units.scale})
    require_consistent(of_columns->size() == 0 || of_columns->size() == p);
  out->folds = {from.whole_number("folds"), from.bits("seed"), from.vector("factor"), 1};
  require_consistent(out->folds.count >= 1 && out->folds.count <= most_folds_by_passes);
  require_consistent(out->folds.factor.size() == 0 || out->folds.factor.size() == p);
  const Vector width = from.vector("width");
  require_consistent(width.size() == 1 && width[0] > 0);
  out->folds.width = width[0];
  out->is_test = from.flag("test");
  out->grams = from.whole_numbers("grams");
  const Vector own = from.vector("own_label");
  require_consistent(own.size() == 1);
  out->own_label = own[0];
  out->W = from.matrix("points");
  require_consistent(out->W.rows() == p + (out->units.intercept ? 1 : 0) && (!out->is_test || out->W.cols() % out->folds.count == 0));
  for (const Index point : out->grams) require_consistent(point >= 0 && point < out->W.cols() && !out->is_test);
  return out;
}

L1Sums::L1Sums(const L1Question& asked, const Vector& numbers) {
  const Places places(asked);
  if (numbers.size() != places.size()) throw InvalidArgument("the sums over the rows answer another question");
  const Index points = asked.num_points(), q = asked.W.rows();
  weight.resize(asked.folds.count);
  log_likelihood.resize(asked.folds.count, points);
  for (Index f = 0; f < asked.folds.count; ++f) {
    weight[f] = numbers[places.of_fold(f)];
    log_likelihood.row(f) = numbers.segment(places.of_fold(f) + 1, points).transpose();
    if (!asked.is_test) gradient.emplace_back(numbers.segment(places.gradient(f), q * points).reshaped(q, points));
  }
  if (!asked.is_test) omega = numbers.segment(places.omega(), points);
  for (std::size_t g = 0; g < asked.grams.size(); ++g) {
    PassSums packed;
    packed.packed = numbers.segment(places.gram(static_cast<Index>(g)), q * (q + 1) / 2);
    packed.response.resize(q);
    gram.push_back(packed.gram());
  }
}

}  // namespace ardvark::internal
