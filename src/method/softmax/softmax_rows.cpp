#include "method/softmax/softmax_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/blas.hpp"
#include "core/triangle.hpp"
#include "frame/prepare.hpp"
#include "predict/softmax.hpp"

namespace ardvark::internal {

namespace {

constexpr Index num_facts = 4;  // before the gradient

// The lower triangle of Z'diag(omega)Z, a few rows after the others so that they stay in the cache.
Vector weighted_cross(const Matrix& Z, const Vector& omega) {
  const Index n = Z.rows(), q = Z.cols(), block = std::clamp<Index>((Index{1} << 16) / q, 64, 1024);
  Matrix G = Matrix::Zero(q, q), scaled(std::min(block, n), q);
  const Vector root = omega.cwiseSqrt();
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    scaled.topRows(count) = root.segment(first, count).asDiagonal() * Z.middleRows(first, count);
    blas::syrk(blas::Transpose::yes, q, count, 1.0, scaled.data(), scaled.rows(), 1.0, G.data(), q);
  }
  return packed_triangle(G);
}

Matrix scores_of(const Matrix& Z, const Matrix& W) {
  Matrix F(Z.rows(), W.cols());
  blas::gemm(blas::Transpose::no, blas::Transpose::no, Z.rows(), W.cols(), Z.cols(), 1.0, Z.data(), Z.rows(), W.data(), W.rows(), 0.0,
             F.data(), F.rows());
  return F;
}

// The number of rows whose own class another class leads by at least `by`; with 0, ties count.
double rows_nearer_to_another(const Matrix& F, const std::vector<Index>& own, const Vector& k, double by) {
  double count = 0;
  for (Index i = 0; i < F.rows(); ++i) {
    const Index mine = own[static_cast<std::size_t>(i)];
    bool is_nearer = false;
    for (Index c = 0; c < F.cols(); ++c) is_nearer = is_nearer || (c != mine && !(F(i, mine) - F(i, c) > -by));
    if (is_nearer && k[i] > 0) count += 1;
  }
  return count;
}

SoftmaxSums log_likelihood_of(const SoftmaxQuestion& asked, const Matrix& Z, const std::vector<Index>& own, const Vector& k) {
  const Index n = Z.rows(), q = Z.cols(), C = asked.W.cols();
  const Matrix F = scores_of(Z, asked.W);
  SoftmaxRows rows;
  SoftmaxLaplace(own, k, C).update(F, rows);
  SoftmaxSums out;
  out.log_likelihood = rows.log_likelihood;
  out.gradient.resize(q, C);
  blas::gemm(blas::Transpose::yes, blas::Transpose::no, q, C, n, 1.0, Z.data(), n, rows.E.data(), n, 0.0, out.gradient.data(), q);
  for (Index c = 0; c < C; ++c)
    for (Index d = c + 1; d < C; ++d) out.of.push_back(weighted_cross(Z, rows.D.col(c).cwiseProduct(rows.P.col(d))));
  out.num_missed = rows_nearer_to_another(F, own, k, 0);
  if (asked.before.size() == 0) return out;
  Matrix moved = F - scores_of(Z, asked.before);
  out.num_pushed = rows_nearer_to_another(moved, own, k, 1e-7);
  moved.colwise() -= moved.rowwise().mean().eval();
  out.num_moved = static_cast<double>((k.array() > 0 && moved.cwiseAbs().rowwise().maxCoeff().array() >= 0.1).count());
  return out;
}

// Correct rows, and the sum of -ln p.                                                                                          (SMX.8)
Vector description_of(const SoftmaxQuestion& asked, const TableDesign& design, const Matrix& F, const std::vector<Index>& own,
                      const Vector& k) {
  const Index C = asked.W.cols();
  Vector out = Vector::Zero(2), probability(C);
  const auto add = [&](Index i) {
    Index best = 0;
    probability.maxCoeff(&best);
    const Index mine = own[static_cast<std::size_t>(i)];
    if (best == mine) out[0] += k[i];
    out[1] -= k[i] * std::log(std::max(probability[mine], std::numeric_limits<double>::min()));
  };
  if (asked.covariance.kind == ClassCovariance::Kind::none) {
    for (Index i = 0; i < F.rows(); ++i) plain_softmax(F.row(i).transpose(), probability), add(i);
    return out;
  }
  ExpectedSoftmax expected(C);
  NarrowSoftmax narrow(C);
  asked.covariance.score_covariances(design, [&](Index i, const Matrix& S) {
    const Vector m = F.row(i);
    if (!narrow(m, S, own[static_cast<std::size_t>(i)], probability)) expected(m, S, probability);
    add(i);
  });
  return out;
}

}  // namespace

Vector SoftmaxSums::packed() const {
  const Index size = of.empty() ? 0 : of.front().size();
  Vector out(num_facts + gradient.size() + static_cast<Index>(of.size()) * size);
  out.head(num_facts) << log_likelihood, num_missed, num_moved, num_pushed;
  out.segment(num_facts, gradient.size()) = gradient.reshaped();
  Index at = num_facts + gradient.size();
  for (const Vector& one : of) out.segment(at, size) = one, at += size;
  return out;
}

SoftmaxSums SoftmaxSums::unpacked(const Vector& numbers, Index q, Index C) {
  const Index pairs = C * (C - 1) / 2, size = q * (q + 1) / 2;
  const Index first = num_facts + q * C;
  if (numbers.size() != first + pairs * size) throw InvalidArgument("the sums over the rows answer another question");
  SoftmaxSums out{numbers[0], numbers[1], numbers[2], numbers[3], numbers.segment(num_facts, q * C).reshaped(q, C), {}};
  for (Index i = 0; i < pairs; ++i) out.of.push_back(numbers.segment(first + i * size, size));
  return out;
}

// p_c d_cd - p_c p_d: the blocks of two classes are negative, and all blocks of a class sum to zero.
Matrix SoftmaxSums::hessian() const {
  const Index q = gradient.rows(), C = gradient.cols();
  Matrix H = Matrix::Zero(q * C, q * C);
  auto one = of.begin();
  for (Index c = 0; c < C; ++c)
    for (Index d = c + 1; d < C; ++d, ++one)
      for (Index j = 0, at = 0; j < q; at += q - j, ++j) {
        const auto column = one->segment(at, q - j);
        H.col(c * q + j).segment(d * q + j, q - j) = -column;
        H.row(d * q + j).segment(c * q + j, q - j) = -column.transpose();
        H.col(c * q + j).segment(c * q + j, q - j) += column;
        H.col(d * q + j).segment(d * q + j, q - j) += column;
      }
  return H;
}

Vector SoftmaxQuestion::sums_of(const RowBlock& block) const {
  const auto design = table_design(block.X, units);
  Matrix Z(design->rows(), design->cols());
  design->read_rows(0, Z.rows(), nullptr, Z);
  std::vector<Index> own;
  for (Index i = 0; i < Z.rows(); ++i) own.push_back(std::ranges::lower_bound(labels, block.y[i]) - labels.begin());
  const Vector k = weights_or_ones(block.weights, block.X.rows());
  return describes ? description_of(*this, *design, scores_of(Z, W), own, k) : log_likelihood_of(*this, Z, own, k).packed();
}

void SoftmaxQuestion::write(WorkWriter& to) const {
  to.flag("describes", describes);
  to.flag("covariance", covariance.kind != ClassCovariance::Kind::none);
  to.whole_numbers("class_of", covariance.class_of);
  to.whole_numbers("column", covariance.column);
  to.matrix("weights", W);
  to.matrix("before", before);
  to.matrix("root", covariance.L_inverse);
}

std::shared_ptr<const RowWork> SoftmaxQuestion::read(const WorkReader& from) {
  const RowQuestion::State& question = from.question();
  auto out = std::make_shared<SoftmaxQuestion>();
  out->labels = question.labels;
  out->units = question.units;
  out->describes = from.flag("describes");
  out->W = from.matrix("weights");
  out->before = from.matrix("before");
  const Index q = question.num_columns + (question.units.intercept ? 1 : 0), C = std::ssize(question.labels);
  require_consistent(out->W.rows() == q && out->W.cols() == C && q > 0 && C > 1);
  require_consistent(out->before.size() == 0 || (out->before.rows() == q && out->before.cols() == C));
  if (!from.flag("covariance")) return out;
  ClassCovariance& covariance = out->covariance;
  covariance.kind = ClassCovariance::Kind::triangular;
  covariance.num_classes = C;
  covariance.class_of = from.whole_numbers("class_of");
  covariance.column = from.whole_numbers("column");
  covariance.L_inverse = from.matrix("root");
  const Index P = std::ssize(covariance.column);
  require_consistent(std::ssize(covariance.class_of) == P && covariance.L_inverse.rows() == P && covariance.L_inverse.cols() == P);
  for (const Index c : covariance.class_of) require_consistent(c >= 0 && c < C);
  for (const Index j : covariance.column) require_consistent(j >= 0 && j < q);
  return out;
}

}  // namespace ardvark::internal
