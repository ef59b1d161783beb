// The two solvers of several classes against the Hessian of the penalised log likelihood, differenced from its gradient and inverted.
#include "posterior/softmax_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "design/dense.hpp"
#include "support/random_problem.hpp"

namespace ardvark::internal {
namespace {

using testing::Random;

struct ClassProblem {
  Matrix X;  // the last column is of ones and flat
  std::vector<Index> label;
  Vector k, a;
  ClassWeights weights;
  Index C;
};

// Some weights are pruned, of each class others.
ClassProblem make(std::uint64_t seed, Index n, Index p, Index C, bool weighted) {
  Random random(seed);
  ClassProblem out{Matrix(n, p + 1), {}, Vector::Ones(n), {}, {}, C};
  out.X << random.normals(n, p), Vector::Ones(n);
  for (Index i = 0; i < n; ++i) {
    out.label.push_back(i < C ? i : random.integer(0, C - 1));
    if (weighted) out.k[i] = static_cast<double>(random.integer(i < C ? 1 : 0, 3));
  }
  out.weights.num_classes = C;
  std::vector<double> a;
  for (Index c = 0; c < C; ++c)
    for (Index j = 0; j <= p; ++j) {
      if (j < p && random.chance(0.2)) continue;
      out.weights.class_of.push_back(c);
      out.weights.column.push_back(j);
      out.weights.flat.push_back(j == p);
      a.push_back(j == p ? 0 : random.scale(0.2, 20));
    }
  out.a = Eigen::Map<Vector>(a.data(), static_cast<Index>(a.size()));
  return out;
}

Matrix scores(const ClassProblem& p, const Vector& w) {
  Matrix W = Matrix::Zero(p.X.cols(), p.C);
  for (Index i = 0; i < w.size(); ++i)
    W(p.weights.column[static_cast<std::size_t>(i)], p.weights.class_of[static_cast<std::size_t>(i)]) = w[i];
  return p.X * W;
}

// Of ln p(y|w) - w'Aw/2, the softmax written out.
double objective(const ClassProblem& p, const Vector& w) {
  const Matrix F = scores(p, w);
  double L = -0.5 * p.a.dot(w.cwiseAbs2());
  for (Index n = 0; n < F.rows(); ++n) L += p.k[n] * (F(n, p.label[static_cast<std::size_t>(n)]) - std::log(F.row(n).array().exp().sum()));
  return L;
}
Vector gradient(const ClassProblem& p, const Vector& w) {
  const Matrix F = scores(p, w);
  Vector g = -p.a.cwiseProduct(w);
  for (Index n = 0; n < F.rows(); ++n) {
    const Vector prob = F.row(n).array().exp() / F.row(n).array().exp().sum();
    for (Index i = 0; i < w.size(); ++i) {
      const Index c = p.weights.class_of[static_cast<std::size_t>(i)];
      g[i] +=
          p.k[n] * p.X(n, p.weights.column[static_cast<std::size_t>(i)]) * ((p.label[static_cast<std::size_t>(n)] == c ? 1 : 0) - prob[c]);
    }
  }
  return g;
}

struct Mode {
  std::unique_ptr<ClassSolver> solver;
  Vector w, V;
  double log_det = 0;
};

Mode mode_of(const ClassProblem& p, Design& X, const SoftmaxLaplace& likelihood, SolverKind kind) {
  Mode out{make_class_solver(X, p.weights, likelihood, kind), {}, {}, 0};
  out.solver->begin(p.a, Vector::Zero(p.a.size()));
  SoftmaxRows rows;
  double length = 1;
  for (int step = 0; step < 50 && length > 1e-24; ++step) {
    likelihood.update(out.solver->scores(), rows);
    EXPECT_TRUE(out.solver->step(rows, length));
  }
  EXPECT_TRUE(out.solver->variances(out.V, out.log_det));
  out.solver->weights(out.w);
  return out;
}

// The inverse Hessian on the directions that the data or the prior say something of: all but a number added to the flat weights of a
// column.
struct Truth {
  Matrix V;
  double log_det;
};
Truth inverse_hessian(const ClassProblem& p, const Vector& w) {
  const Index P = w.size();
  Matrix H(P, P);
  const double h = 1e-5;
  for (Index i = 0; i < P; ++i) {
    Vector up = w, down = w;
    up[i] += h, down[i] -= h;
    H.col(i) = -(gradient(p, up) - gradient(p, down)) / (2 * h);
  }
  H = 0.5 * (H + H.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(H);
  Truth out{Matrix::Zero(P, P), 0};
  int left_out = 0;
  for (Index i = 0; i < P; ++i) {
    if (axes.eigenvalues()[i] < 1e-6) {
      ++left_out;
      continue;
    }
    out.V += axes.eigenvectors().col(i) * axes.eigenvectors().col(i).transpose() / axes.eigenvalues()[i];
    out.log_det -= std::log(axes.eigenvalues()[i]);
  }
  EXPECT_EQ(left_out, 1);
  return out;
}

struct Shape {
  Index n, p, C;
  bool weighted;
};

class SoftmaxSolver : public ::testing::TestWithParam<std::pair<SolverKind, Shape>> {};

TEST_P(SoftmaxSolver, FindsTheModeAndItsInverseHessian) {
  const auto& [kind, shape] = GetParam();
  const ClassProblem p = make(7, shape.n, shape.p, shape.C, shape.weighted);
  DenseDesign X(p.X, {});
  const SoftmaxLaplace likelihood(p.label, p.k, p.C);
  const Mode mode = mode_of(p, X, likelihood, kind);
  EXPECT_EQ(mode.solver->kind(), kind);
  EXPECT_LE(gradient(p, mode.w).cwiseAbs().maxCoeff(), 1e-9);
  SoftmaxRows rows;
  likelihood.update(mode.solver->scores(), rows);
  EXPECT_NEAR(rows.log_likelihood - 0.5 * mode.solver->penalty(), objective(p, mode.w), 1e-9);
  EXPECT_LE((mode.solver->scores() - scores(p, mode.w)).cwiseAbs().maxCoeff(), 1e-9);

  const Truth truth = inverse_hessian(p, mode.w);
  EXPECT_LE((mode.V - truth.V.diagonal()).cwiseAbs().maxCoeff(), 1e-7 * truth.V.diagonal().maxCoeff());
  EXPECT_NEAR(mode.log_det, truth.log_det, 1e-6);

  // The covariance of the scores of new rows, and what a column outside would find.
  Random random(3);
  Matrix fresh = random.normals(4, p.X.cols());
  fresh.col(p.X.cols() - 1).setOnes();
  const DenseDesign new_rows(fresh, {});
  mode.solver->covariance().score_covariances(new_rows, [&](Index n, const Matrix& S) {
    Matrix map = Matrix::Zero(p.C, mode.w.size());
    for (Index i = 0; i < mode.w.size(); ++i)
      map(p.weights.class_of[static_cast<std::size_t>(i)], i) = fresh(n, p.weights.column[static_cast<std::size_t>(i)]);
    const Matrix expected = map * truth.V * map.transpose();
    for (Index c = 1; c < p.C; ++c)
      for (Index d = 1; d < p.C; ++d) {
        const auto contrast = [&](const Matrix& M) { return M(c, d) - M(c, 0) - M(0, d) + M(0, 0); };
        EXPECT_NEAR(contrast(S), contrast(expected), 1e-6) << n << " " << c << " " << d;
      }
  });

  const Matrix column = random.normals(shape.n, 1);
  Vector S;
  mode.solver->curvature(1, column, S);
  Vector left(mode.w.size());
  double own = 0;
  left.setZero();
  for (Index n = 0; n < shape.n; ++n) {
    own += rows.D(n, 1) * (1 - rows.P(n, 1)) * column(n, 0) * column(n, 0);
    for (Index i = 0; i < left.size(); ++i) {
      const Index c = p.weights.class_of[static_cast<std::size_t>(i)];
      left[i] += rows.D(n, 1) * ((c == 1 ? 1 : 0) - rows.P(n, c)) * column(n, 0) * p.X(n, p.weights.column[static_cast<std::size_t>(i)]);
    }
  }
  EXPECT_NEAR(S[0], own - left.dot(truth.V * left), 1e-6 * own);
}
INSTANTIATE_TEST_SUITE_P(
    Shapes, SoftmaxSolver,
    ::testing::Values(std::pair{SolverKind::primal, Shape{40, 5, 3, false}}, std::pair{SolverKind::primal, Shape{300, 6, 4, true}},
                      std::pair{SolverKind::dual, Shape{40, 5, 3, false}}, std::pair{SolverKind::dual, Shape{30, 12, 2, true}},
                      std::pair{SolverKind::dual, Shape{25, 40, 4, true}}, std::pair{SolverKind::primal, Shape{25, 40, 4, true}}));

TEST(SoftmaxSolver, StepsAreInTheMetricOfTheHessian) {
  const ClassProblem p = make(11, 30, 8, 3, false);
  DenseDesign X(p.X, {});
  const SoftmaxLaplace likelihood(p.label, p.k, p.C);
  Random random(5);
  const Vector start = 0.3 * random.normals(p.a.size());
  for (const SolverKind kind : {SolverKind::primal, SolverKind::dual}) {
    auto solver = make_class_solver(X, p.weights, likelihood, kind);
    solver->begin(p.a, start);
    SoftmaxRows rows;
    likelihood.update(solver->scores(), rows);
    double length = 0;
    ASSERT_TRUE(solver->step(rows, length));
    Vector end;
    solver->weights(end);
    const Vector step = end - start;
    EXPECT_NEAR(length, step.dot(gradient(p, start)), 1e-8 * length);  // delta'H delta = delta'g
    solver->move(0.25);
    Vector quarter;
    solver->weights(quarter);
    EXPECT_LE((quarter - start - 0.25 * step).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((solver->scores() - scores(p, quarter)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(solver->penalty(), p.a.dot(quarter.cwiseAbs2()), 1e-10);
  }
}

}  // namespace
}  // namespace ardvark::internal
