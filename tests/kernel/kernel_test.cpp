#include "ardvark/kernel.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"

namespace ardvark {
namespace {

using testing::distance;
using testing::Long;
using testing::Random;
using testing::relative_distance;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

using PlainKernel = std::function<Long(const Matrix&, Index, const Matrix&, Index)>;

// ---- the formulas of docs/math/kernels.md, one pair of points at a time, in extended precision

Long plain_squares(const Matrix& X, Index i, const Matrix& C, Index j, const std::vector<double>& widths) {
  Long sum = 0;
  for (Index k = 0; k < X.cols(); ++k) {
    const Long u = (Long(X(i, k)) - Long(C(j, k))) / Long(widths[widths.size() == 1 ? 0 : static_cast<std::size_t>(k)]);
    sum += u * u;
  }
  return sum;
}
Long plain_dot(const Matrix& X, Index i, const Matrix& C, Index j) {
  Long sum = 0;
  for (Index k = 0; k < X.cols(); ++k) sum += Long(X(i, k)) * Long(C(j, k));
  return sum;
}
PlainKernel plain_gaussian(std::vector<double> widths) {
  return [=](const Matrix& X, Index i, const Matrix& C, Index j) { return std::exp(-plain_squares(X, i, C, j, widths)); };
}
PlainKernel plain_laplacian(std::vector<double> widths) {
  return [=](const Matrix& X, Index i, const Matrix& C, Index j) { return std::exp(-std::sqrt(plain_squares(X, i, C, j, widths))); };
}
PlainKernel plain_cauchy(std::vector<double> widths) {
  return [=](const Matrix& X, Index i, const Matrix& C, Index j) { return 1 / (1 + plain_squares(X, i, C, j, widths)); };
}
// With r^2 = roots u: (1 + r + square r^2) exp(-r).
PlainKernel plain_matern(double roots, Long square, std::vector<double> widths) {
  return [=](const Matrix& X, Index i, const Matrix& C, Index j) {
    const Long r = std::sqrt(Long(roots) * plain_squares(X, i, C, j, widths));
    return (1 + r + square * r * r) * std::exp(-r);
  };
}
PlainKernel plain_polynomial(int degree, double offset) {
  return [=](const Matrix& X, Index i, const Matrix& C, Index j) {
    Long power = 1;
    for (int k = 0; k < degree; ++k) power *= plain_dot(X, i, C, j) + Long(offset);
    return power;
  };
}
Long plain_spline(const Matrix& X, Index i, const Matrix& C, Index j) {
  Long product = 1;
  for (Index k = 0; k < X.cols(); ++k) {
    const Long x = X(i, k), c = C(j, k), m = std::min(x, c);
    product *= 1 + x * c + x * c * m - (x + c) / 2 * m * m + m * m * m / 3;
  }
  return product;
}

Matrix plain_matrix(const PlainKernel& kernel, const Matrix& X, const Matrix& C) {
  Matrix K(X.rows(), C.rows());
  for (Index j = 0; j < C.rows(); ++j)
    for (Index i = 0; i < X.rows(); ++i) K(i, j) = static_cast<double>(kernel(X, i, C, j));
  return K;
}

Matrix evaluated(const Kernel& kernel, const Matrix& X, const Matrix& C) {
  Matrix K = Matrix::Constant(X.rows(), C.rows(), not_a_number);
  kernel.evaluate(X, C, K);
  return K;
}
Matrix derived(const Kernel& kernel, const Matrix& X, const Matrix& C, Index parameter) {
  Matrix D = Matrix::Constant(X.rows(), C.rows(), not_a_number);
  kernel.derivative(X, C, parameter, D);
  return D;
}

double plain_callable(const double* x, const double* c, Index d) {
  double sum = 0;
  for (Index i = 0; i < d; ++i) sum += std::abs(x[i] - c[i]) * static_cast<double>(i + 1);
  return 1 / (1 + sum);
}
Kernel some_callable() { return Kernel::callable(plain_callable, "inverse distance"); }

struct Pair {
  Kernel kernel;
  PlainKernel plain;
};
std::vector<Pair> kernels_for(Index d) {
  Random random(static_cast<std::uint64_t>(d));
  std::vector<double> widths(static_cast<std::size_t>(d));
  for (double& width : widths) width = random.scale(1, 10);
  return {
      {Kernel::gaussian(2.5), plain_gaussian({2.5})},
      {Kernel::gaussian(widths), plain_gaussian(widths)},
      {Kernel::laplacian(1.5), plain_laplacian({1.5})},
      {Kernel::laplacian(widths), plain_laplacian(widths)},
      {Kernel::cauchy(0.8), plain_cauchy({0.8})},
      {Kernel::cauchy(widths), plain_cauchy(widths)},
      {Kernel::matern32(2), plain_matern(6, 0, {2})},
      {Kernel::matern32(widths), plain_matern(6, 0, widths)},
      {Kernel::matern52(3), plain_matern(10, Long(1) / 3, {3})},
      {Kernel::matern52(widths), plain_matern(10, Long(1) / 3, widths)},
      {Kernel::linear(), plain_dot},
      {Kernel::polynomial(1), plain_polynomial(1, 1)},
      {Kernel::polynomial(3, 0.5), plain_polynomial(3, 0.5)},
      {Kernel::polynomial(6, 0), plain_polynomial(6, 0)},
      {Kernel::spline(), plain_spline},
      {some_callable(),
       [](const Matrix& X, Index i, const Matrix& C, Index j) {
         Long sum = 0;
         for (Index k = 0; k < X.cols(); ++k) sum += std::abs(Long(X(i, k)) - Long(C(j, k))) * Long(k + 1);
         return 1 / (1 + sum);
       }},
  };
}

// ---- values

TEST(Kernel, EqualsTheFormulasAsPrinted) {  // (KER.1) to (KER.7); sizes across the ends of tiles, inputs on both sides of the product path
  const std::vector<std::array<Index, 3>> sizes = {{1, 1, 1}, {1, 3, 2}, {7, 1, 8}, {6, 5, 9}, {257, 65, 3}, {300, 70, 12}, {2, 130, 40}};
  for (const auto& [n, m, d] : sizes) {
    Random random(static_cast<std::uint64_t>(n + m + d));
    const Matrix X = random.normals(n, d), C = random.normals(m, d);
    for (const auto& [kernel, plain] : kernels_for(d)) {
      const Matrix expected = plain_matrix(plain, X, C);
      const double scale = expected.cwiseAbs().maxCoeff();  // products and powers of signed terms cancel
      EXPECT_LE(distance(evaluated(kernel, X, C), expected), 2e-13 * (1 + scale) * static_cast<double>(d + 2))
          << kernel.name() << " " << n << " x " << m << ", " << d;
    }
  }
}

TEST(Kernel, EqualsValuesByHand) {
  Matrix x(1, 2), c(1, 2);
  x << 1, 2;
  c << 4, 6;  // at distance 5, with x'c = 16
  const auto at = [&](const Kernel& kernel) { return evaluated(kernel, x, c)(0, 0); };
  EXPECT_NEAR(at(Kernel::gaussian(5)), 0.36787944117144233, 1e-15);
  EXPECT_NEAR(at(Kernel::gaussian({3, 4})), 0.13533528323661270, 1e-15);  // exp(-2)
  EXPECT_NEAR(at(Kernel::laplacian(2.5)), 0.13533528323661270, 1e-15);
  EXPECT_EQ(at(Kernel::cauchy(5)), 0.5);
  EXPECT_EQ(at(Kernel::linear()), 16);
  EXPECT_EQ(at(Kernel::polynomial(2)), 289);
  EXPECT_EQ(at(Kernel::polynomial(3, 0)), 4096);
  // input 1: 1 + 4 + 4 - 5/2 + 1/3 = 41/6; input 2: 1 + 12 + 24 - 16 + 8/3 = 71/3
  EXPECT_NEAR(at(Kernel::spline()), 41.0 / 6 * 71 / 3, 1e-12);
}

TEST(Kernel, SplineOfNegativeInputsIsTheSameFormula) {  // (KER.7): k(-a,-a) = 1 + a^2 - a^3/3
  const Matrix x = Matrix::Constant(1, 1, -6), y = Matrix::Constant(1, 1, 2);
  EXPECT_NEAR(evaluated(Kernel::spline(), x, x)(0, 0), 37.0 - 72, 1e-13);
  EXPECT_NEAR(evaluated(Kernel::spline(), x, y)(0, 0), 1 - 12 + 72 + 72 - 72, 1e-13);  // min -6: -12*-6, -(-4)/2*36, -216/3
}

TEST(Kernel, IsSymmetricOnTheSamePoints) {
  for (const Index d : {2, 11}) {
    const Matrix X = Random(3).normals(80, d);
    for (const auto& [kernel, plain] : kernels_for(d)) {
      const Matrix K = evaluated(kernel, X, X);
      EXPECT_LE(relative_distance(K, K.transpose()), 1e-12) << kernel.name();
    }
  }
}

TEST(Kernel, IsPositiveSemiDefinite) {
  for (const Index d : {1, 3, 10}) {
    const Matrix X = 0.3 * Random(static_cast<std::uint64_t>(d)).normals(60, d).cwiseAbs();  // the spline needs inputs >= 0
    const std::vector<Kernel> kernels = {Kernel::gaussian(1),
                                         Kernel::gaussian(std::vector<double>(static_cast<std::size_t>(d), 0.4)),
                                         Kernel::laplacian(2),
                                         Kernel::cauchy(0.5),
                                         Kernel::linear(),
                                         Kernel::polynomial(3, 0.2),
                                         Kernel::polynomial(2, 0),
                                         Kernel::spline(),
                                         Kernel::gaussian(1) + Kernel::linear(),
                                         Kernel::gaussian(1) * Kernel::polynomial(2),
                                         3.0 * (Kernel::cauchy(1) + 0.5 * Kernel::laplacian(1)) * Kernel::gaussian(3)};
    for (const Kernel& kernel : kernels) {
      const Matrix K = evaluated(kernel, X, X);
      const double smallest = Eigen::SelfAdjointEigenSolver<Matrix>(K, Eigen::EigenvaluesOnly).eigenvalues()[0];
      EXPECT_GE(smallest, -1e-10 * std::max(1.0, K.trace() / 60)) << kernel.name() << ", " << d << " inputs";
    }
  }
}

TEST(Kernel, CombinesByElement) {  // (KER.8), (KER.9), (KER.10)
  Random random(5);
  const Matrix X = random.normals(270, 3), C = random.normals(66, 3);
  const Kernel a = Kernel::gaussian(1.5), b = Kernel::polynomial(2), c = Kernel::cauchy(2);
  const Eigen::ArrayXXd A = evaluated(a, X, C), B = evaluated(b, X, C), K = evaluated(c, X, C);
  EXPECT_LE(relative_distance(evaluated(a + b, X, C), (A + B).matrix()), 1e-15);
  EXPECT_LE(relative_distance(evaluated(a * b, X, C), (A * B).matrix()), 1e-15);
  EXPECT_LE(relative_distance(evaluated(2.5 * a, X, C), (2.5 * A).matrix()), 1e-15);
  EXPECT_LE(relative_distance(evaluated((a + b) * (c + 0.5 * a) * b, X, C), ((A + B) * (K + 0.5 * A) * B).matrix()), 1e-14);
  EXPECT_LE(relative_distance(evaluated(a + (b + c), X, C), (A + B + K).matrix()), 1e-15);
  EXPECT_LE(relative_distance(evaluated(some_callable() * a, X, C), (evaluated(some_callable(), X, C).array() * A).matrix()), 1e-15);
}

// ---- accuracy

TEST(Kernel, IdenticalRowsGiveExactlyOne) {  // (KER.11)
  for (const Index d : {1, 8, 9, 30})
    for (const double offset : {0.0, 1e6, -1e12}) {
      Matrix X = Random(7).normals(90, d);
      X.array() += offset;
      X.row(40) = X.row(3);
      X.row(89).setConstant(1e9);  // an outlier moves the mean
      for (const double width : {1e-300, 1e-6, 1.0, 1e200})
        for (const Kernel& kernel : {Kernel::gaussian(width), Kernel::gaussian(std::vector<double>(static_cast<std::size_t>(d), width)),
                                     Kernel::laplacian(width), Kernel::cauchy(width)}) {
          const Matrix K = evaluated(kernel, X, X);
          for (Index i = 0; i < X.rows(); ++i) ASSERT_EQ(K(i, i), 1) << kernel.name() << " row " << i;
          ASSERT_EQ(K(40, 3), 1) << kernel.name();
          ASSERT_TRUE((K.array() >= 0).all() && (K.array() <= 1).all()) << kernel.name();
        }
    }
}

TEST(Kernel, KeepsItsDigitsFarFromTheOrigin) {  // (KER.11)
  for (const Index d : {2, 8, 9, 10, 25}) {
    Random random(static_cast<std::uint64_t>(d));
    Matrix X = random.normals(100, d), C = random.normals(80, d);
    X.array() += 1e6;
    C.array() += 1e6;
    C.topRows(40) = X.topRows(40) + 1e-3 * random.normals(40, d);  // near pairs, where the product cancels
    for (const bool outlier : {false, true}) {
      if (outlier) C.row(79).setConstant(-1e9);
      for (const auto& [kernel, plain] :
           {Pair{Kernel::gaussian(1.5), plain_gaussian({1.5})}, Pair{Kernel::gaussian(1e-3), plain_gaussian({1e-3})},
            Pair{Kernel::laplacian(1e-3), plain_laplacian({1e-3})}, Pair{Kernel::cauchy(1e-3), plain_cauchy({1e-3})}})
        EXPECT_LE(distance(evaluated(kernel, X, C), plain_matrix(plain, X, C)), 1e-13 * static_cast<double>(d + 2)) << kernel.name();
    }
  }
}

TEST(Kernel, StaysFiniteForExtremeInputs) {
  for (const Index d : {1, 12}) {
    Matrix X = Matrix::Zero(3, d);
    X.row(1).setConstant(1e308);
    X.row(2).setConstant(-1e308);
    const Matrix expected = Matrix::Identity(3, 3);
    for (const Kernel& kernel : {Kernel::gaussian(1), Kernel::laplacian(1), Kernel::cauchy(1), Kernel::matern32(1), Kernel::matern52(1),
                                 Kernel::gaussian(5e-324)}) {
      EXPECT_EQ(distance(evaluated(kernel, X, X), expected), 0) << kernel.name();
      EXPECT_LE(distance(derived(kernel, X, X, 0), Matrix::Zero(3, 3)), 1e-140) << kernel.name();
    }
  }
}

TEST(Kernel, ReturnsNoDenormalNumbers) {
  const Matrix X = Vector::LinSpaced(2001, 0, 40), c = Matrix::Zero(1, 1);  // exp(-1600) is not a double
  for (const Kernel& kernel : {Kernel::gaussian(1), Kernel::laplacian(0.05)}) {
    const Matrix K = evaluated(kernel, X, c);
    for (Index i = 0; i < X.rows(); ++i) ASSERT_TRUE(K(i, 0) == 0 || std::isnormal(K(i, 0))) << kernel.name() << " at " << X(i, 0);
    EXPECT_EQ(K(2000, 0), 0);
    EXPECT_NEAR(std::log(K(1250, 0)), kernel.name()[0] == 'g' ? -625 : -500, 1e-9);
  }
}

TEST(Kernel, ReadsBlocksAndRowMajorPoints) {
  Random random(9);
  const Matrix wide = random.normals(50, 12), centres = random.normals(40, 12);
  Matrix X = wide.block(3, 1, 20, 10), C = centres.block(5, 2, 7, 10);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = X;
  Matrix out = Matrix::Constant(30, 9, -7);
  for (const auto& [kernel, plain] : kernels_for(10)) {
    const Matrix expected = evaluated(kernel, X, C);
    kernel.evaluate(wide.block(3, 1, 20, 10), centres.block(5, 2, 7, 10), out.block(4, 1, 20, 7));
    EXPECT_LE(relative_distance(out.block(4, 1, 20, 7), expected), 1e-14) << kernel.name();
    kernel.evaluate(by_row, C, out.block(4, 1, 20, 7));
    EXPECT_LE(relative_distance(out.block(4, 1, 20, 7), expected), 1e-14) << kernel.name();
  }
  EXPECT_TRUE((out.topRows(4).array() == -7).all() && (out.rightCols(1).array() == -7).all());
}

// ---- parameters

std::vector<Kernel> learnable_kernels() {
  const Kernel ard = Kernel::gaussian({0.8, 2, 1.2}), sum = Kernel::gaussian(1.5) + 0.7 * Kernel::polynomial(3, 0.5);
  return {Kernel::gaussian(1.3),
          ard,
          Kernel::laplacian(2),
          Kernel::cauchy(0.7),
          Kernel::polynomial(1, 0.4),
          Kernel::polynomial(4, 1.1),
          2.5 * Kernel::linear(),
          sum,
          ard * Kernel::cauchy(2),
          3.0 * (ard + Kernel::laplacian(1)) * (sum + Kernel::linear()),
          Kernel::spline() + 0.1 * ard * Kernel::polynomial(2, 0) + some_callable()};
}

TEST(Kernel, DerivativesEqualFiniteDifferences) {  // (KER.1) to (KER.10)
  Random random(11);
  const Matrix X = random.normals(30, 3), C = random.normals(20, 3);
  for (const Kernel& kernel : learnable_kernels()) {
    const std::vector<double> logs = kernel.log_parameters();
    ASSERT_EQ(static_cast<Index>(logs.size()), kernel.num_parameters());
    for (std::size_t p = 0; p < logs.size(); ++p) {
      constexpr double h = 1e-4;  // fourth order: truncation h^4 = 1e-16 times the fifth derivative, rounding 1e-16/h = 1e-12
      const auto at = [&](double steps) {
        std::vector<double> moved = logs;
        moved[p] += steps * h;
        return evaluated(kernel.with_log_parameters(moved), X, C);
      };
      const Matrix expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
      const Matrix D = derived(kernel, X, C, static_cast<Index>(p));
      EXPECT_GT(D.cwiseAbs().maxCoeff(), 0) << kernel.name() << ", parameter " << p;
      EXPECT_LE(distance(D, expected), 1e-6 * std::min(1.0, expected.cwiseAbs().maxCoeff())) << kernel.name() << ", parameter " << p;
    }
  }
}

TEST(Kernel, DerivativesEqualFiniteDifferencesWithManyInputs) {  // by the matrix product
  Random random(12);
  const Matrix X = random.normals(30, 11);
  std::vector<double> widths(11);
  for (double& width : widths) width = random.scale(2, 20);
  for (const Kernel& kernel : {Kernel::gaussian(5), Kernel::gaussian(widths), Kernel::laplacian(2), Kernel::laplacian(widths),
                               Kernel::cauchy(3), Kernel::cauchy(widths), Kernel::matern32(widths), Kernel::matern52(widths)})
    for (Index p = 0; p < kernel.num_parameters(); ++p) {
      constexpr double h = 1e-4;
      const auto at = [&](double steps) {
        std::vector<double> moved = kernel.log_parameters();
        moved[static_cast<std::size_t>(p)] += steps * h;
        return evaluated(kernel.with_log_parameters(moved), X, X);
      };
      const Matrix expected = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
      EXPECT_LE(distance(derived(kernel, X, X, p), expected), 1e-6 * expected.cwiseAbs().maxCoeff())
          << kernel.name() << ", parameter " << p;
    }
}

TEST(Kernel, CountsItsParametersInTheOrderOfItsName) {
  EXPECT_EQ(Kernel::linear().num_parameters(), 0);
  EXPECT_EQ(Kernel::spline().num_parameters(), 0);
  EXPECT_EQ(some_callable().num_parameters(), 0);
  EXPECT_EQ(Kernel::polynomial(2, 0).num_parameters(), 0);
  EXPECT_EQ(Kernel::polynomial(2, 3).num_parameters(), 1);
  EXPECT_EQ(Kernel::gaussian({1, 2, 3}).num_parameters(), 3);
  const Kernel all = 2.0 * (Kernel::gaussian({3, 4}) + Kernel::linear() * Kernel::cauchy(5)) * (7.0 * Kernel::polynomial(2, 8));
  const std::vector<double> logs = all.log_parameters(), parameters = {2, 3, 4, 5, 7, 8};
  ASSERT_EQ(logs.size(), parameters.size());
  for (std::size_t i = 0; i < logs.size(); ++i) EXPECT_EQ(logs[i], std::log(parameters[i]));
}

TEST(Kernel, TakesNewParametersAndStaysAsItWas) {
  for (const Kernel& kernel : learnable_kernels()) {
    const std::string name = kernel.name();
    std::vector<double> logs = kernel.log_parameters();
    EXPECT_EQ(kernel.with_log_parameters(logs).name(), name);
    for (double& log : logs) log += 1;
    const Kernel other = kernel.with_log_parameters(logs);
    EXPECT_EQ(kernel.name(), name);
    EXPECT_NE(other.name(), name);
    for (std::size_t i = 0; i < logs.size(); ++i) EXPECT_NEAR(other.log_parameters()[i], logs[i], 1e-15 * (1 + std::abs(logs[i])));
  }
  EXPECT_EQ(Kernel::polynomial(2, 0).with_log_parameters({}).name(), "polynomial(degree=2, offset=0)");
  EXPECT_EQ(Kernel::spline().with_log_parameters({}).name(), "spline");
}

// ---- names, data

TEST(Kernel, HasAName) {
  const Kernel g = Kernel::gaussian(0.5), l = Kernel::linear();
  EXPECT_EQ(g.name(), "gaussian(width=0.5)");
  EXPECT_EQ(Kernel::gaussian({0.5, 2}).name(), "gaussian(widths=[0.5, 2])");
  EXPECT_EQ(Kernel::gaussian(1.0 / 3).name(), "gaussian(width=0.333333)");
  EXPECT_EQ(Kernel::laplacian(2).name(), "laplacian(width=2)");
  EXPECT_EQ(Kernel::cauchy(1e-9).name(), "cauchy(width=1e-09)");
  EXPECT_EQ(l.name(), "linear");
  EXPECT_EQ(Kernel::polynomial(3).name(), "polynomial(degree=3, offset=1)");
  EXPECT_EQ(Kernel::spline().name(), "spline");
  EXPECT_EQ(some_callable().name(), "inverse distance");
  EXPECT_EQ((g + l).name(), "gaussian(width=0.5) + linear");
  EXPECT_EQ((g * l).name(), "gaussian(width=0.5) * linear");
  EXPECT_EQ((2 * g).name(), "2 * gaussian(width=0.5)");
  EXPECT_EQ((2 * (3 * g)).name(), "6 * gaussian(width=0.5)");
  EXPECT_EQ((l + (l + 2 * l)).name(), "linear + linear + 2 * linear");
  EXPECT_EQ((2 * (g + l)).name(), "2 * (gaussian(width=0.5) + linear)");
  EXPECT_EQ(((g + l) * Kernel::spline()).name(), "(gaussian(width=0.5) + linear) * spline");
}

TEST(Kernel, AMovedFromKernelIsStillAKernel) {
  Kernel a = Kernel::gaussian(0.5);
  const Kernel b = std::move(a);
  EXPECT_EQ(a.name(), b.name());
}

TEST(KernelSpec, GivesTheSameKernelBack) {
  Random random(13);
  const Matrix X = random.normals(20, 3), C = random.normals(10, 3);
  std::vector<Kernel> kernels = learnable_kernels();
  kernels.pop_back();  // the one with a callable
  for (const Kernel& kernel : {Kernel::linear(), Kernel::spline(), Kernel::polynomial(2, 0), Kernel::gaussian(1.0 / 3),
                               (Kernel::spline() + Kernel::linear()) * (0.1 * Kernel::cauchy(3)) + 2 * Kernel::gaussian({0.1, 0.2, 0.3})})
    kernels.push_back(kernel);
  for (const Kernel& kernel : kernels) {
    const KernelSpec spec = kernel.spec();
    const Kernel back = Kernel::from_spec(spec);
    EXPECT_EQ(back.spec(), spec) << kernel.name();
    EXPECT_EQ(back.name(), kernel.name());
    EXPECT_EQ(back.log_parameters(), kernel.log_parameters());
    EXPECT_EQ(distance(evaluated(back, X, C), evaluated(kernel, X, C)), 0) << kernel.name();
  }
}

TEST(KernelSpec, IsPlainData) {
  const KernelSpec gaussian = {"gaussian", {0.5, 2}, {}}, polynomial = {"polynomial", {3, 0.25}, {}}, linear = {"linear", {}, {}};
  EXPECT_EQ(Kernel::gaussian({0.5, 2}).spec(), gaussian);
  EXPECT_EQ(Kernel::polynomial(3, 0.25).spec(), polynomial);
  const KernelSpec scaled = {"scaled", {4}, {linear}}, sum = {"sum", {}, {gaussian, scaled, polynomial}};
  EXPECT_EQ((Kernel::gaussian({0.5, 2}) + 4 * Kernel::linear() + Kernel::polynomial(3, 0.25)).spec(), sum);
  EXPECT_EQ((Kernel::linear() * Kernel::linear()).spec(), (KernelSpec{"product", {}, {linear, linear}}));
}

// ---- errors

template <typename Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Kernel, RejectsParametersOutsideTheirRange) {
  for (const auto& [value, text] : {std::pair{0.0, "0"}, {-1.0, "-1"}, {not_a_number, "nan"}, {infinity, "inf"}}) {
    const std::string width = std::string("width is ") + text + "; it must be positive and finite";
    const double v = value;
    EXPECT_EQ(refusal([v] { (void)Kernel::gaussian(v); }), width);
    EXPECT_EQ(refusal([v] { (void)Kernel::gaussian(std::vector<double>{v}); }), width);
    EXPECT_EQ(refusal([v] { (void)Kernel::gaussian({1, v}); }), std::string("widths at 1 is ") + text + "; it must be positive and finite");
    EXPECT_EQ(refusal([v] { (void)Kernel::laplacian(v); }), width);
    EXPECT_EQ(refusal([v] { (void)Kernel::cauchy(v); }), width);
    EXPECT_EQ(refusal([v] { (void)(v * Kernel::linear()); }), std::string("scale is ") + text + "; it must be positive and finite");
  }
  EXPECT_EQ(refusal([] { (void)Kernel::gaussian(std::vector<double>{}); }),
            "widths is empty; it must have one entry, or one per column of X");
  EXPECT_EQ(refusal([] { (void)(1e200 * (1e200 * Kernel::linear())); }), "scale is inf; it must be positive and finite");
  EXPECT_EQ(refusal([] { (void)Kernel::polynomial(0); }), "degree is 0; it must be at least 1");
  EXPECT_EQ(refusal([] { (void)Kernel::polynomial(2, -0.5); }), "offset is -0.5; it must be finite and not negative");
  EXPECT_EQ(refusal([] { (void)Kernel::polynomial(2, not_a_number); }), "offset is nan; it must be finite and not negative");
  EXPECT_EQ(refusal([] { (void)Kernel::polynomial(2, infinity); }), "offset is inf; it must be finite and not negative");
  EXPECT_EQ(refusal([] { (void)Kernel::callable({}, "mine"); }), "function is empty; it must be callable");
  EXPECT_EQ(refusal([] { (void)Kernel::callable(plain_callable, ""); }), "name is empty; a callable kernel must have one to show");
}

TEST(Kernel, RejectsPointsThatDoNotFit) {
  const Kernel g = Kernel::gaussian(1), two = Kernel::linear() + 2 * Kernel::gaussian({1, 1}) * Kernel::spline();
  const Matrix X = Matrix::Ones(4, 3), C = Matrix::Ones(2, 3);
  Matrix out(4, 2), wrong(2, 4);
  for (const bool derivative : {false, true}) {
    const auto call = [&](const Kernel& kernel, const Matrix& x, const Matrix& c, Matrix& result) {
      return refusal([&] { derivative ? kernel.derivative(x, c, 0, result) : kernel.evaluate(x, c, result); });
    };
    EXPECT_EQ(call(g, X, Matrix::Ones(2, 2), out), "C has 2 columns; it must have as many as X: 3");
    EXPECT_EQ(call(two, X, C, out), "X has 3 columns; the kernel has one width per column: 2");
    EXPECT_EQ(call(g, X, C, wrong), "out is 2 x 4; it must have a row per row of X and a column per row of C: 4 x 2");
    EXPECT_EQ(call(g, Matrix(0, 3), C, out), "X has 0 rows; it must have at least 1");
    EXPECT_EQ(call(g, X, Matrix(0, 3), out), "C has 0 rows; it must have at least 1");
    EXPECT_EQ(call(g, Matrix(4, 0), Matrix(2, 0), out), "X has 0 columns; it must have at least 1");
    Matrix bad = X;
    bad(2, 1) = not_a_number;
    EXPECT_EQ(call(g, bad, C, out), "X at row 3, column 'x2' is NaN; all values must be finite");
    bad(2, 1) = -infinity;
    EXPECT_EQ(call(g, C, bad, wrong), "C at row 3, column 'x2' is -inf; all values must be finite");
  }
}

TEST(Kernel, RejectsParameterNumbersAndValuesThatDoNotFit) {
  const Matrix X = Matrix::Ones(2, 2);
  Matrix out(2, 2);
  const Kernel ard = Kernel::gaussian({1, 2});
  EXPECT_EQ(refusal([&] { ard.derivative(X, X, 2, out); }), "parameter is 2; it must be from 0 to 1");
  EXPECT_EQ(refusal([&] { ard.derivative(X, X, -1, out); }), "parameter is -1; it must be from 0 to 1");
  EXPECT_EQ(refusal([&] { Kernel::linear().derivative(X, X, 0, out); }), "parameter is 0; the kernel linear has no parameters");
  EXPECT_EQ(refusal([&] { (void)ard.with_log_parameters({1}); }),
            "log_parameters has 1 entries; it must have one per parameter of the kernel: 2");
  EXPECT_EQ(refusal([&] { (void)Kernel::linear().with_log_parameters({1}); }),
            "log_parameters has 1 entries; it must have one per parameter of the kernel: 0");
  for (const auto& [value, text] :
       {std::pair{not_a_number, "nan"}, {infinity, "inf"}, {-infinity, "-inf"}, {710.0, "710"}, {-750.0, "-750"}}) {
    const double v = value;
    EXPECT_EQ(refusal([&] {
                (void)ard.with_log_parameters({0, v});
              }),
              std::string("log_parameters at 1 is ") + text + "; it must be finite, and its exponential positive and finite");
  }
}

TEST(KernelSpec, RejectsWhatIsNoKernel) {
  const auto from = [](const KernelSpec& spec) { return refusal([&] { (void)Kernel::from_spec(spec); }); };
  const KernelSpec linear = {"linear", {}, {}};
  EXPECT_EQ(from({"rbf", {1}, {}}),
            "kernel 'rbf' is unknown; it must be one of gaussian, laplacian, cauchy, matern32, matern52, linear, polynomial, spline, "
            "scaled, sum, product");
  EXPECT_EQ(from({"sum", {}, {linear, {"", {}, {}}}}).substr(0, 21), "kernel '' is unknown;");
  EXPECT_EQ(from({"gaussian", {}, {}}), "kernel 'gaussian' has 0 parameters; it must have 1");
  EXPECT_EQ(from({"matern32", {1, -2}, {}}), "widths at 1 is -2; it must be positive and finite");
  EXPECT_EQ(from({"cauchy", {}, {}}), "kernel 'cauchy' has 0 parameters; it must have 1");
  EXPECT_EQ(from({"linear", {1}, {}}), "kernel 'linear' has 1 parameters; it must have 0");
  EXPECT_EQ(from({"spline", {1}, {}}), "kernel 'spline' has 1 parameters; it must have 0");
  EXPECT_EQ(from({"polynomial", {2}, {}}), "kernel 'polynomial' has 1 parameters; it must have 2");
  EXPECT_EQ(from({"scaled", {}, {linear}}), "kernel 'scaled' has 0 parameters; it must have 1");
  EXPECT_EQ(from({"sum", {1}, {linear, linear}}), "kernel 'sum' has 1 parameters; it must have 0");
  EXPECT_EQ(from({"sum", {}, {linear}}), "kernel 'sum' has 1 parts; it must have at least 2");
  EXPECT_EQ(from({"product", {}, {}}), "kernel 'product' has 0 parts; it must have at least 2");
  EXPECT_EQ(from({"scaled", {1}, {linear, linear}}), "kernel 'scaled' has 2 parts; it must have 1");
  EXPECT_EQ(from({"gaussian", {1}, {linear}}), "kernel 'gaussian' has 1 parts; it must have 0");
  EXPECT_EQ(from({"gaussian", {-1}, {}}), "width is -1; it must be positive and finite");
  EXPECT_EQ(from({"scaled", {0}, {linear}}), "scale is 0; it must be positive and finite");
  EXPECT_EQ(from({"polynomial", {2.5, 1}, {}}), "degree is 2.5; it must be a whole number from 1 to 2147483647");
  EXPECT_EQ(from({"polynomial", {1e10, 1}, {}}), "degree is 10000000000; it must be a whole number from 1 to 2147483647");
  EXPECT_EQ(from({"polynomial", {not_a_number, 1}, {}}).substr(0, 13), "degree is nan");
  EXPECT_EQ(from({"polynomial", {2, -1}, {}}), "offset is -1; it must be finite and not negative");
}

TEST(KernelSpec, RefusesToStoreACallable) {
  const std::string text = "kernel 'inverse distance' is a callable and cannot be stored; build it from the kernels of the library instead";
  EXPECT_EQ(refusal([] { (void)some_callable().spec(); }), text);
  EXPECT_EQ(refusal([] { (void)(2 * (Kernel::linear() + some_callable())).spec(); }), text);
}

}  // namespace
}  // namespace ardvark
