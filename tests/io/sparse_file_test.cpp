// Fits under a sparse prior in files: what comes back, what earlier files say, and what a damaged one does.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/table.hpp"
#include "posterior/state.hpp"
#include "support/paths.hpp"
#include "support/random_problem.hpp"
#include "temporary_file.hpp"

namespace ardvark::internal {
namespace {

using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

FitOptions with(PriorKind kind) {
  FitOptions options;
  options.prior.kind = kind;
  return options;
}

template <typename AnyFit>
AnyFit as(const Fit& fit) {
  AnyFit typed;
  static_cast<Fit&>(typed) = fit;
  return typed;
}

const std::vector<MixtureComponent>& components(const Fit& fit) { return fit.state->factor.mixture.components; }

TEST(SparseFile, BringsEveryComponentBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.ardvark";
  for (const Index p : {12, 24})  // averaged (SP.21), and from several starts (SP.8)
    for (const PriorKind kind : {PriorKind::sparse, PriorKind::slab, PriorKind::dense})
      for (const bool linear : {true, false}) {
        const testing::Problem problem = testing::make_problem(7, 50, p);
        const Fit fit = linear ? static_cast<Fit>(fit_linear(problem.X, problem.y, with(kind)))
                               : static_cast<Fit>(fit_logistic(problem.X, problem.labels, with(kind)));
        save_model(path, fit);
        const SavedModel saved = load_model(path);
        EXPECT_EQ(summary(*saved.score()), summary(fit));
        EXPECT_EQ(saved.score()->covariance(), fit.covariance());
        ASSERT_EQ(components(*saved.score()).size(), components(fit).size());
        for (std::size_t c = 0; c < components(fit).size(); ++c) {
          const std::optional<DenseSpread>&u = components(fit)[c].spread, &read = components(*saved.score())[c].spread;
          ASSERT_EQ(read.has_value(), u.has_value());
          EXPECT_EQ(u.has_value(), kind != PriorKind::slab && p > 20);
          if (!u) continue;
          EXPECT_EQ(read->variance, u->variance);
          EXPECT_EQ(read->narrowing, u->narrowing);
          EXPECT_EQ(read->moves, u->moves);
          EXPECT_EQ(read->flat, u->flat);
        }
        if (linear) {
          EXPECT_EQ(predict(as<LinearFit>(*saved.score()), problem.X).scale, predict(as<LinearFit>(fit), problem.X).scale);
        }
      }
}

TEST(SparseFile, KeepsTheVarianceOfEffectsBeside) {
  const TemporaryFolder folder;
  const testing::Problem problem = testing::make_problem(7, 50, 24);
  LinearFit fit = fit_linear(problem.X, problem.y, with(PriorKind::slab));
  const Vector before = predict(fit, problem.X).scale;
  const auto state = std::make_shared<FitState>(*fit.state);
  for (MixtureComponent& one : state->factor.mixture.components) one.beside = 0.25;
  fit.state = state;
  const Vector now = predict(fit, problem.X).scale;
  EXPECT_GT((now - before).minCoeff(), 0) << "predictions have it";
  save_model(folder / "m.ardvark", fit);
  EXPECT_EQ(predict(as<LinearFit>(*load_model(folder / "m.ardvark").score()), problem.X).scale, now);
}

// Written before intervals knew of the spread of h (SP.15): they are those given h (SP.6).
TEST(SparseFile, OfAnEarlierProgramHasTheIntervalsItHad) {
  const SavedModel saved = load_model(testing::data_path("models/wide_sparse.ardvark"));
  ASSERT_FALSE(components(*saved.score()).empty());
  for (const MixtureComponent& each : components(*saved.score())) EXPECT_FALSE(each.spread.has_value());
  const std::string wide = testing::data_path("models/wide.csv");
  const Table table = read_csv(wide);
  const EncodedTable rows = encode(read_csv(wide), saved.encoding);
  FitOptions options = with(PriorKind::sparse);
  for (Index j = 0; j < rows.X().cols(); ++j) options.prior.group.push_back(std::max(j - 1, Index{0}));  // the first two: of one category
  LinearFit again = fit_linear(rows.X(), column_values(table, table.at("y")), options);
  const LinearFit loaded = as<LinearFit>(*saved.score());
  EXPECT_TRUE((predict(again, rows.X()).scale.array() > predict(loaded, rows.X()).scale.array()).all());
  // (SP.6) by p x p matrices.
  const Mixture& mixture = loaded.state->factor.mixture;
  const auto p = static_cast<Index>(mixture.columns.size());
  Vector centre = Vector::Zero(p);
  for (const MixtureComponent& each : mixture.components) centre += each.weight * each.w;
  Matrix expected = Matrix::Zero(p, p);
  for (const MixtureComponent& each : mixture.components) {
    const auto Z = each.basis->Z();
    const Vector D = (1 + each.h * each.basis->l.array()).inverse();
    const Matrix P = Matrix::Identity(p, p) - each.h * Z.transpose() * D.asDiagonal() * Z;
    Matrix B = each.v.asDiagonal();
    if (!each.active.empty()) B(each.active, each.active) = each.F.transpose() * each.F;
    expected += each.weight * (each.s2 * each.h * P + P * B * P.transpose() + (each.w - centre) * (each.w - centre).transpose());
  }
  const Matrix found = mixture.covariance(loaded.state->w.size())(mixture.columns, mixture.columns);
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  // And what predictions make of it.
  Matrix with_one = Matrix::Ones(rows.X().rows(), rows.X().cols() + 1);
  for (Index i = 0; i < with_one.rows(); ++i)
    for (Index j = 0; j + 1 < with_one.cols(); ++j) with_one(i, j) = rows.X()(i, j);
  const Vector variance = (with_one * loaded.covariance()).cwiseProduct(with_one).rowwise().sum();
  const Vector scale = predict(loaded, rows.X()).scale;
  EXPECT_LT((scale.array().square() - variance.array() - std::pow(noise_sd(loaded), 2)).abs().maxCoeff(), 1e-10);
}

TEST(SparseFile, RefusesASpreadThatCannotBe) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.ardvark";
  const auto refuses = [&](const LinearFit& fit, auto&& change) {
    LinearFit changed = fit;
    auto state = std::make_shared<internal::FitState>(*fit.state);
    change(*state->factor.mixture.components.at(0).spread);
    changed.state = std::move(state);
    save_model(path, changed);
    const std::string message = message_of<InvalidArgument>([&] { (void)load_model(path); });
    EXPECT_NE(message.find("the posterior of the sparse prior"), std::string::npos) << message;
  };
  const testing::Problem narrow = testing::make_problem(8, 60, 24), wide = testing::make_problem(8, 12, 30);
  const LinearFit of_narrow = fit_linear(narrow.X, narrow.y, with(PriorKind::dense));  // whose spread is a difference: of any sign (SP.16)
  const LinearFit of_wide = fit_linear(wide.X, wide.y, with(PriorKind::dense));
  refuses(of_wide, [](DenseSpread& u) { u.variance = -1; });
  refuses(of_wide, [](DenseSpread& u) { u.narrowing[0] = -1e-3; });
  for (const LinearFit& fit : {of_narrow, of_wide}) {
    refuses(fit, [](DenseSpread& u) { u.flat = 0; });
    refuses(fit, [](DenseSpread& u) { u.narrowing.conservativeResize(u.narrowing.size() - 1); });
    refuses(fit, [](DenseSpread& u) { u.moves.conservativeResize(u.moves.rows() - 1, u.moves.cols()); });
  }
}

}  // namespace
}  // namespace ardvark::internal
