#include "posterior/solver.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <memory>
#include <string>
#include <vector>

#include "../support/plain.hpp"
#include "../support/random_problem.hpp"
#include "../support/solve.hpp"
#include "design/dense.hpp"

namespace ardvark::internal {
namespace {

using testing::distance;
using testing::plain_ridge;
using testing::PlainRidge;
using testing::Random;
using testing::relative_distance;

constexpr double tolerance = 1e-10;

// One linear system with everything that a solver has to serve.
struct Waist {
  Matrix X;
  Partition partition;
  Vector a;
  Rows rows;
  LikelihoodTraits traits;

  [[nodiscard]] Index n() const { return X.rows(); }
  [[nodiscard]] Index p() const { return X.cols(); }
};

enum class Groups { shared, ard, mixed };

// `moments`: omega as a logistic likelihood has it, tiny and zero ones included; otherwise observation weights and r = omega y.
Waist make_waist(Random& random, Index n, Index penalised, Index num_flat, Groups groups, bool with_fixed, bool moments, bool tiny) {
  Waist waist;
  const Index p = penalised + num_flat;
  waist.X = random.normals(n, p);
  std::vector<Index> group;
  Vector fixed = Vector::Zero(p);
  Index next = 0;
  for (Index j = 0; j < penalised; ++j) {
    if (with_fixed && j > 0 && random.chance(0.3)) {
      group.push_back(Partition::fixed);
    } else {
      group.push_back(groups == Groups::shared ? 0 : groups == Groups::ard ? next : next / 3);
      ++next;
    }
  }
  // Flat columns stand among the others; the first is an intercept.
  for (Index k = 0; k < num_flat; ++k) group.insert(group.begin() + random.integer(0, static_cast<Index>(group.size())), Partition::flat);
  for (Index j = 0; j < p; ++j)
    if (group[static_cast<std::size_t>(j)] == Partition::fixed) fixed[j] = random.scale(0.1, 10);
  waist.partition = testing::make_partition(group, fixed);
  if (num_flat > 0) waist.X.col(waist.partition.flat_columns[0]).setOnes();
  waist.a = Vector::Zero(p);
  Vector expected(waist.partition.num_groups());
  for (double& e : expected) e = random.scale(0.05, 50);
  for (Index j = 0; j < p; ++j) {
    const Index g = group[static_cast<std::size_t>(j)];
    waist.a[j] = g >= 0 ? expected[g] : fixed[j];
  }
  waist.rows.omega.resize(n);
  for (double& omega : waist.rows.omega) omega = moments ? random.uniform(0.02, 0.25) : random.uniform(0.5, 2);
  if (tiny) {
    const double awkward[] = {1e-6, 1e-12, 1e-300, 0, 1e-3};
    for (Index i = num_flat + 2; i < n; ++i)  // the first rows keep the flat columns apart
      if (random.chance(0.6)) waist.rows.omega[i] = moments || random.chance(0.5) ? awkward[random.integer(0, 4)] : 0.0;
  }
  waist.rows.r = random.normals(n);
  if (!moments) waist.rows.r = waist.rows.r.cwiseProduct(waist.rows.omega);
  waist.traits =
      moments ? LikelihoodTraits{.row_moments = true, .damped = true} : LikelihoodTraits{.residual = true, .constant_rows = true};
  return waist;
}

std::unique_ptr<Solver> make_solver(SolverKind kind, const System& system) {
  switch (kind) {
    case SolverKind::primal: return make_primal(system);
    case SolverKind::dual: return make_dual(system);
    case SolverKind::qr: return make_qr(system);
    default: return make_spectral(system, system.X.rows() < system.X.cols() ? make_dual(system) : make_primal(system));
  }
}

// The sums of the waist as they stand there.
void expect_sums(const Waist& waist, const PlainRidge& plain, const Posterior& q) {
  Vector square = Vector::Zero(waist.partition.num_groups()), variance = square;
  double penalty = 0, fixed_square = 0, fixed_variance = 0;
  for (Index j = 0; j < waist.p(); ++j) {
    const Index g = waist.partition.group[static_cast<std::size_t>(j)];
    penalty += waist.a[j] * plain.w[j] * plain.w[j];
    if (g >= 0) {
      square[g] += plain.w[j] * plain.w[j];
      variance[g] += plain.V(j, j);
    } else if (g == Partition::fixed) {
      fixed_square += waist.a[j] * plain.w[j] * plain.w[j];
      fixed_variance += waist.a[j] * plain.V(j, j);
    }
  }
  EXPECT_LE(relative_distance(q.group_square, square), tolerance);
  EXPECT_LE(relative_distance(q.group_variance, variance), tolerance);
  EXPECT_LE(relative_distance(q.penalty, penalty), tolerance);
  EXPECT_LE(relative_distance(q.fixed_square, fixed_square), tolerance);
  EXPECT_LE(relative_distance(q.fixed_variance, fixed_variance), tolerance);
  EXPECT_LE(relative_distance(q.explained, plain.explained), tolerance) << "(RIDGE.5)";
  EXPECT_LE(relative_distance(q.log_det_V, plain.log_det_V), tolerance);
  if (waist.traits.residual) {
    EXPECT_LE(relative_distance(q.residual, plain.residual), tolerance);
  }
}

void expect_agreement(SolverKind kind, Waist waist, Random& random) {
  SCOPED_TRACE(std::string(to_string(kind)) + ", " + std::to_string(waist.n()) + " x " + std::to_string(waist.p()) + ", " +
               std::to_string(waist.partition.num_flat()) + " flat");
  const PlainRidge plain = plain_ridge(waist.X, waist.rows.omega, waist.rows.r, waist.a);
  DenseDesign design(waist.X, {});
  const std::unique_ptr<Solver> solver = make_solver(kind, {design, waist.partition, waist.traits});
  EXPECT_EQ(solver->kind(), kind);
  Posterior q = testing::sized_posterior(waist.partition, waist.n());

  // Another system first: nothing of it may remain.
  Posterior other = q;
  Rows other_rows = waist.rows;
  if (!waist.traits.constant_rows) other_rows.omega.setConstant(0.3);
  ASSERT_TRUE(testing::solve(*solver, waist.traits, other_rows, Vector(7 * waist.a), other));

  ASSERT_TRUE(testing::solve(*solver, waist.traits, waist.rows, waist.a, q));
  expect_sums(waist, plain, q);
  if (waist.traits.row_moments) {
    EXPECT_LE(relative_distance(q.m, plain.m), tolerance);
    EXPECT_LE(relative_distance(q.s, plain.s), tolerance);
  }
  ASSERT_TRUE(solver->finish(waist.rows, waist.a, q));
  EXPECT_LE(relative_distance(q.w, plain.w), tolerance);
  EXPECT_LE(relative_distance(q.V_diagonal, plain.V.diagonal()), tolerance);
  EXPECT_LE(relative_distance(q.m, plain.m), tolerance);
  expect_sums(waist, plain, q);

  const Vector x = random.normals(waist.p());
  EXPECT_LE(relative_distance(solver->variance_of(x), x.dot(plain.V * x)), tolerance);
  const CovarianceFactor factor = solver->factor();
  EXPECT_EQ(factor.num_columns(), waist.p());
  EXPECT_LE(relative_distance(factor.covariance(waist.p()), plain.V), tolerance);
  const Matrix X_new = random.normals(5, waist.p());
  DenseDesign new_rows(X_new, {});
  Vector s(5);
  factor.row_variance(new_rows, s);
  EXPECT_LE(relative_distance(s, (X_new * plain.V).cwiseProduct(X_new).rowwise().sum()), tolerance);
}

// n < p, n = p, n > p, and the smallest sizes.
const std::pair<Index, Index> shapes[] = {{4, 9}, {6, 30}, {7, 7}, {8, 3}, {40, 6}, {5, 1}, {70, 75}, {75, 70}};

TEST(Solver, PrimalDualAndQrAgreeWithThePlainInverse) {  // (RIDGE.1) to (RIDGE.5), (RIDGE.7), (RIDGE.9)
  Random random(31);
  for (const auto& [n, penalised] : shapes)
    for (Index num_flat = 0; num_flat <= 2; ++num_flat)
      for (Groups groups : {Groups::shared, Groups::ard, Groups::mixed})
        for (int flags = 0; flags < 8; ++flags) {
          const Waist waist = make_waist(random, n, penalised, num_flat, groups, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0);
          for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::qr}) expect_agreement(kind, waist, random);
        }
}

TEST(Solver, SpectralAgreesWithThePlainInverse) {  // (RIDGE.6), (RIDGE.7)
  Random random(32);
  for (const auto& [n, penalised] : shapes)
    for (Index num_flat = 0; num_flat <= 2; ++num_flat)
      for (bool tiny : {false, true})
        expect_agreement(SolverKind::spectral, make_waist(random, n, penalised, num_flat, Groups::shared, false, false, tiny), random);
}

RC_GTEST_PROP(Solver, AgreesOnArbitrarySystems, ()) {  // (RIDGE.3), (RIDGE.4), (RIDGE.6), (RIDGE.7)
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>());
  const auto n = *rc::gen::inRange<Index>(4, 25), penalised = *rc::gen::inRange<Index>(1, 30), num_flat = *rc::gen::inRange<Index>(0, 3);
  const bool moments = *rc::gen::arbitrary<bool>(), tiny = *rc::gen::arbitrary<bool>(), fixed = *rc::gen::arbitrary<bool>();
  const auto groups = *rc::gen::element(Groups::shared, Groups::ard, Groups::mixed);
  Random random(seed);
  const Waist waist = make_waist(random, n, penalised, num_flat, groups, fixed, moments, tiny);
  expect_agreement(SolverKind::primal, waist, random);
  expect_agreement(SolverKind::dual, waist, random);
  expect_agreement(SolverKind::qr, waist, random);
  if (waist.traits.constant_rows && waist.partition.is_shared()) expect_agreement(SolverKind::spectral, waist, random);
}

TEST(Solver, AgreesWithAnInterceptOfTheDesign) {  // (RIDGE.7) on standardised columns
  Random random(33);
  for (const auto& [n, p] : {std::pair<Index, Index>{20, 5}, std::pair<Index, Index>{6, 15}}) {
    const Matrix X = random.normals(n, p);
    Standardization s{random.normals(p), random.normals(p).array().exp(), true};
    DenseDesign design(X, s);
    Matrix full(n, p + 1);
    design.columns(0, p + 1, full);
    std::vector<Index> group(static_cast<std::size_t>(p), 0);
    group.push_back(Partition::flat);
    const Partition partition = testing::make_partition(group);
    Vector a = Vector::Constant(p + 1, 1.7);
    a[p] = 0;
    Rows rows{Vector::Ones(n), random.normals(n)};
    const PlainRidge plain = plain_ridge(full, rows.omega, rows.r, a);
    for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::spectral, SolverKind::qr}) {
      const LikelihoodTraits traits = {.residual = true, .constant_rows = true};
      const std::unique_ptr<Solver> solver = make_solver(kind, {design, partition, traits});
      Posterior q = testing::sized_posterior(partition, n);
      ASSERT_TRUE(testing::solve(*solver, traits, rows, a, q) && solver->finish(rows, a, q));
      EXPECT_LE(relative_distance(q.w, plain.w), tolerance) << to_string(kind);
      EXPECT_LE(relative_distance(solver->factor().covariance(plain.V.rows()), plain.V), tolerance) << to_string(kind);
    }
  }
}

// More rows than a block of columns leaves room for: the dual solver and its factor go through several panels, the last one short.
TEST(Solver, DualWorksThroughPanelsOfColumns) {  // (RIDGE.4), (RIDGE.7) against (RIDGE.3)
  Random random(38);
  Waist waist = make_waist(random, 2100, 599, 1, Groups::ard, false, true, false);
  DenseDesign design(waist.X, {});
  Posterior primal = testing::sized_posterior(waist.partition, waist.n()), dual = primal;
  const std::unique_ptr<Solver> first = make_primal({design, waist.partition, waist.traits}),
                                second = make_dual({design, waist.partition, waist.traits});
  ASSERT_TRUE(testing::solve(*first, waist.traits, waist.rows, waist.a, primal) && first->finish(waist.rows, waist.a, primal));
  ASSERT_TRUE(testing::solve(*second, waist.traits, waist.rows, waist.a, dual) && second->finish(waist.rows, waist.a, dual));
  EXPECT_LE(relative_distance(dual.w, primal.w), tolerance);
  EXPECT_LE(relative_distance(dual.V_diagonal, primal.V_diagonal), tolerance);
  EXPECT_LE(relative_distance(dual.log_det_V, primal.log_det_V), tolerance);
  EXPECT_LE(relative_distance(dual.m, primal.m), tolerance);
  EXPECT_LE(relative_distance(dual.s, primal.s), tolerance);
  EXPECT_LE(relative_distance(dual.explained, primal.explained), tolerance);
  Vector s(waist.n());
  second->factor().row_variance(design, s);
  EXPECT_LE(relative_distance(s, primal.s), tolerance);
}

TEST(Solver, RespondsToAnotherResponseWithTheSameCovariance) {  // (VG.4): w = V X'r, V held
  Random random(38);
  for (const auto& [n, penalised] : shapes)
    for (Index num_flat = 0; num_flat <= 2; ++num_flat)
      for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::qr}) {
        const Waist waist = make_waist(random, n, penalised, num_flat, Groups::mixed, true, true, false);
        DenseDesign design(waist.X, {});
        const std::unique_ptr<Solver> solver = make_solver(kind, {design, waist.partition, waist.traits});
        Posterior q = testing::sized_posterior(waist.partition, waist.n());
        ASSERT_TRUE(testing::solve(*solver, waist.traits, waist.rows, waist.a, q));
        const Vector r = random.normals(waist.n());
        ASSERT_TRUE(solver->respond(r, waist.a, q));
        const PlainRidge plain = plain_ridge(waist.X, waist.rows.omega, r, waist.a);
        EXPECT_LE(relative_distance(q.w, plain.w), tolerance);
        EXPECT_LE(relative_distance(q.m, plain.m), tolerance);
        EXPECT_LE(relative_distance(q.penalty, waist.a.dot(plain.w.cwiseAbs2())), tolerance);
      }
}

// Some columns alone, the others held at their precisions, have the posterior that they have in the whole.
TEST(Solver, CondensedProblemHasThePosteriorOfTheWhole) {  // (CONDENSE.1)
  Random random(37);
  for (Index num_flat = 0; num_flat <= 2; ++num_flat)
    for (bool with_fixed : {false, true})
      for (bool with_zero_weights : {false, true}) {
        const Waist waist = make_waist(random, 12, 40, num_flat, Groups::mixed, with_fixed, false, with_zero_weights);
        const PlainRidge plain = plain_ridge(waist.X, waist.rows.omega, waist.rows.r, waist.a);
        DenseDesign design(waist.X, {});
        const std::unique_ptr<Solver> dual = make_dual({design, waist.partition, waist.traits});
        Posterior q = testing::sized_posterior(waist.partition, waist.n());
        ASSERT_TRUE(testing::solve(*dual, waist.traits, waist.rows, waist.a, q));
        std::vector<Index> columns = waist.partition.flat_columns;
        for (Index j = 0; j < waist.p(); ++j)
          if (waist.partition.group[static_cast<std::size_t>(j)] == 0 || waist.partition.group[static_cast<std::size_t>(j)] == 3)
            columns.push_back(j);
        Matrix X;
        Vector y;
        ASSERT_TRUE(dual->condense(waist.rows, columns, X, y));
        const PlainRidge small = plain_ridge(X, Vector::Ones(waist.n()), y, waist.a(columns));
        EXPECT_LE(relative_distance(small.w, Vector(plain.w(columns))), tolerance);
        EXPECT_LE(relative_distance(small.V, Matrix(plain.V(columns, columns))), tolerance);
        const auto energy = [](const PlainRidge& s, const Vector& a) { return s.residual + a.dot(s.w.cwiseAbs2()); };
        EXPECT_LE(relative_distance(energy(small, waist.a(columns)), energy(plain, waist.a)), tolerance) << "what b_N is made of";
      }
}

TEST(Solver, EliminatesFlatColumnsByTheBlockFormulas) {  // (RIDGE.7), block by block, against direct inversion
  Random random(34);
  for (Index num_flat : {1, 2, 3})
    for (Index penalised : {2, 12}) {
      const Index n = 9, p = num_flat + penalised;
      const Matrix F = random.normals(n, num_flat), Z = random.normals(n, penalised);
      const Vector omega = random.normals(n).cwiseAbs(), r = random.normals(n);
      Vector a = random.normals(p).array().exp();
      a.head(num_flat).setZero();
      Matrix X(n, p);
      X << F, Z;
      const Matrix Omega = omega.asDiagonal(), H = F.transpose() * Omega * F, B = H.inverse() * F.transpose() * Omega * Z;
      const Matrix Zp = Matrix(omega.cwiseSqrt().asDiagonal()) * (Z - F * B);
      Matrix P = Zp.transpose() * Zp;
      P.diagonal() += a.tail(penalised);
      const Matrix V_ZZ = P.inverse();
      const Vector w_Z = V_ZZ * (Z.transpose() * r - B.transpose() * F.transpose() * r);
      const Vector w_F = H.inverse() * F.transpose() * r - B * w_Z;
      Matrix V(p, p);
      V.topLeftCorner(num_flat, num_flat) = H.inverse() + B * V_ZZ * B.transpose();
      V.topRightCorner(num_flat, penalised) = -B * V_ZZ;
      V.bottomLeftCorner(penalised, num_flat) = (-B * V_ZZ).transpose();
      V.bottomRightCorner(penalised, penalised) = V_ZZ;
      const double log_det = std::log(V_ZZ.determinant()) - std::log(H.determinant());

      const PlainRidge plain = plain_ridge(X, omega, r, a);
      EXPECT_LE(relative_distance(V, plain.V), 1e-9);
      EXPECT_LE(relative_distance(log_det, plain.log_det_V), 1e-9);

      std::vector<Index> group(static_cast<std::size_t>(p), Partition::flat);
      for (Index j = num_flat; j < p; ++j) group[static_cast<std::size_t>(j)] = j - num_flat;
      const Partition partition = testing::make_partition(group);
      DenseDesign design(X, {});
      for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::qr}) {
        const std::unique_ptr<Solver> solver = make_solver(kind, {design, partition, {.row_moments = true}});
        Posterior q = testing::sized_posterior(partition, n);
        Rows rows{omega, r};
        ASSERT_TRUE(testing::solve(*solver, {.row_moments = true}, rows, a, q) && solver->finish(rows, a, q));
        EXPECT_LE(relative_distance(q.w.head(num_flat), w_F), 1e-9);
        EXPECT_LE(relative_distance(q.w.tail(penalised), w_Z), 1e-9);
        EXPECT_LE(relative_distance(solver->factor().covariance(V.rows()), V), 1e-9);
      }
    }
}

TEST(Solver, SeesANearlyPerfectFitInTheResidual) {  // what is left after cancellation of twelve digits and more
  Random random(35);
  for (double noise : {1e-3, 1e-6, 1e-8})
    for (const auto& [n, p] : {std::pair<Index, Index>{30, 4}, std::pair<Index, Index>{6, 11}}) {
      Waist waist = make_waist(random, n, p, 1, Groups::shared, false, false, false);
      waist.a = (waist.a.array() > 0).select(Vector::Constant(waist.p(), 1e-9), waist.a);
      const Vector y = waist.X * random.normals(waist.p()) + noise * random.normals(n);
      waist.rows.omega.setOnes();
      waist.rows.r = y;
      const double residual = plain_ridge(waist.X, waist.rows.omega, waist.rows.r, waist.a).residual;
      for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::spectral, SolverKind::qr}) {
        DenseDesign design(waist.X, {});
        const std::unique_ptr<Solver> solver = make_solver(kind, {design, waist.partition, waist.traits});
        Posterior q = testing::sized_posterior(waist.partition, n);
        ASSERT_TRUE(testing::solve(*solver, waist.traits, waist.rows, waist.a, q));
        if (n > p) {  // for p > n the residual itself is at the level of rounding
          EXPECT_NEAR(q.residual / residual, 1, 1e-5) << to_string(kind) << " " << noise;
        } else {
          EXPECT_NEAR(q.residual, residual, 1e-12 * y.squaredNorm()) << to_string(kind) << " " << noise;
        }
        EXPECT_GE(q.residual, 0) << to_string(kind) << " " << noise;
      }
    }
}

TEST(Solver, RefusesASystemThatIsNotPositiveDefinite) {
  Random random(36);
  Matrix X = random.normals(6, 3);
  X.col(1).setZero();
  const Partition flat = testing::make_partition({0, Partition::flat, 0}), ard = testing::ard_partition(3);
  const Rows rows{Vector::Ones(6), random.normals(6)};
  const Vector a = (Vector(3) << 1, 0, 1).finished();
  for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::qr}) {
    DenseDesign design(X, {});
    Posterior q = testing::sized_posterior(flat, 6), q_ard = testing::sized_posterior(ard, 6);
    EXPECT_FALSE(make_solver(kind, {design, flat, {.row_moments = true}})->solve(rows, a, q)) << to_string(kind);
    EXPECT_FALSE(make_solver(kind, {design, ard, {.row_moments = true}})->solve(rows, Vector::Constant(3, std::nan("")), q_ard))
        << to_string(kind);
  }
}

TEST(Solver, RefusesFlatColumnsThatAreCollinear) {  // whichever way the last pivot was rounded
  for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::qr}) {
    int num_accepted = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random random(seed);
      Matrix X = random.normals(20, 4);
      X.col(3) = X.col(1) + X.col(2);
      const Partition partition = testing::make_partition({0, Partition::flat, Partition::flat, Partition::flat});
      const Rows rows{Vector::Ones(20), random.normals(20)};
      DenseDesign design(X, {});
      Posterior q = testing::sized_posterior(partition, 20);
      if (make_solver(kind, {design, partition, {.row_moments = true}})->solve(rows, (Vector(4) << 1, 0, 0, 0).finished(), q))
        ++num_accepted;
    }
    EXPECT_EQ(num_accepted, 0) << "of 40 singular systems, " << to_string(kind);
  }
}

TEST(Solver, GivesVariancesOfZeroRowsForRowsOfZeros) {
  Random random(37);
  Matrix X = random.normals(8, 12);
  X.row(3).setZero();
  X.col(5).setZero();
  const Partition partition = testing::ard_partition(12);
  const Vector a = random.normals(12).array().exp();
  Rows rows{Vector::Constant(8, 0.2), random.normals(8)};
  const PlainRidge plain = plain_ridge(X, rows.omega, rows.r, a);
  for (SolverKind kind : {SolverKind::primal, SolverKind::dual, SolverKind::qr}) {
    DenseDesign design(X, {});
    const std::unique_ptr<Solver> solver = make_solver(kind, {design, partition, {.row_moments = true}});
    Posterior q = testing::sized_posterior(partition, 8);
    ASSERT_TRUE(testing::solve(*solver, {.row_moments = true}, rows, a, q));
    EXPECT_EQ(q.m[3], 0);
    EXPECT_EQ(q.s[3], 0);
    EXPECT_NEAR(q.w[5], 0, 1e-15);
    EXPECT_NEAR(q.V_diagonal[5] * a[5], 1, 1e-14);
    EXPECT_LE(relative_distance(q.s, plain.s), tolerance);
  }
}

// Nearly collinear columns with large weights of opposite sign, and a response that they explain well.
TEST(Primal, ResidualIsThatOfTheRowsThoughLargeWeightsCancel) {  // (RIDGE.10)
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Index n = 40, p = 6;
    const Vector base = random.normals(n);
    Matrix X(n, p);
    for (Index j = 0; j < p; ++j) X.col(j) = base + 1e-3 * random.normals(n);
    Rows rows;
    rows.omega = Vector::Constant(n, 3e5);
    Vector w = 1e3 * random.normals(p);
    w.array() -= w.mean();
    rows.r = rows.omega.cwiseProduct(X * w + 2e-3 * random.normals(n));
    DenseDesign design(X, {});
    const Partition partition = testing::ard_partition(p);
    const auto solver = make_primal({design, partition, {.residual = true}});
    Posterior q = testing::sized_posterior(partition, n);
    const Vector a = Vector::Constant(p, 1e-3);
    ASSERT_TRUE(solver->solve(rows, a, q));
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    const Long left =
        rows.r.cast<long double>().cwiseQuotient(rows.omega.cast<long double>()) - X.cast<long double>() * q.w.cast<long double>();
    const auto expected = static_cast<double>((rows.omega.cast<long double>().array() * left.array().square()).sum());
    EXPECT_NEAR(q.residual, expected, 1e-9 * expected);
  }
}

}  // namespace
}  // namespace ardvark::internal
