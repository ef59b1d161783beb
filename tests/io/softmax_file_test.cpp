// Classifications into several classes in files: what comes back, and what a damaged file does.
#include <gtest/gtest.h>

#include <random>

#include "ardvark/model_file.hpp"
#include "ardvark/softmax.hpp"
#include "mutations.hpp"
#include "support/random_problem.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

struct Data {
  Matrix X;
  Vector y;
};
Data make(Index n, Index p) {
  testing::Random random(4);
  Data d{random.normals(n, p), Vector(n)};
  for (Index i = 0; i < n; ++i) d.y[i] = std::floor(std::min(std::max(d.X(i, 0) + 0.5 * random.normal() + 1.5, 0.0), 2.0));
  return d;
}

SoftmaxOptions options_of(const std::string& preset, SolverKind solver = SolverKind::automatic) {
  SoftmaxOptions options = preset.empty() ? SoftmaxOptions() : softmax_options_for_preset(preset, preset == "slr_var_ovo");
  options.max_sweeps = 60;
  options.solver = solver;
  options.class_names = {"low", "middle", "high"};
  return options;
}

struct Case {
  const char* preset;
  SolverKind solver;
};
const Case cases[] = {{"", SolverKind::primal},
                      {"", SolverKind::dual},
                      {"smlr", SolverKind::automatic},
                      {"slr_lap_ovr", SolverKind::automatic},
                      {"slr_var_ovo", SolverKind::automatic}};

TEST(SoftmaxFile, BringsEveryFitBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.ardvark";
  const Data d = make(60, 5);
  for (const auto& [preset, solver] : cases) {
    SoftmaxFit fit = fit_softmax(d.X, d.y, options_of(preset, solver));
    fit.target = "size";
    save_model(path, fit);
    const SavedModel model = load_model(path);
    ASSERT_TRUE(model.softmax() != nullptr && model.relevance() == nullptr) << preset;
    EXPECT_EQ(summary(*model.softmax()), summary(fit)) << preset;
    EXPECT_EQ(model.softmax()->classes, fit.classes);
    EXPECT_EQ(model.softmax()->standardized_mean, fit.standardized_mean);
    EXPECT_EQ(model.softmax()->precision, fit.precision);
    EXPECT_EQ(model.softmax()->report.bound_history, fit.report.bound_history);
    const Matrix new_rows = 2 * d.X.topRows(10);
    for (const ClassRule rule : {ClassRule::automatic, ClassRule::plug_in})
      EXPECT_EQ(predict(*model.softmax(), new_rows, rule).probability, predict(fit, new_rows, rule).probability) << preset;
  }
}

TEST(SoftmaxFile, WithoutAPosteriorThereIsNothingToSave) {
  const TemporaryFolder folder;
  EXPECT_THROW(save_model(folder / "m.ardvark", SoftmaxFit()), InvalidArgument);
}

// Whatever the bytes: a model that predicts and prints, or an InvalidArgument.
TEST(SoftmaxFile, DamageIsToldOrHarmless) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.ardvark";
  const Data d = make(30, 3);
  std::mt19937 random(9);
  int read = 0, refused = 0;
  for (const auto& [preset, solver] : cases) {
    save_model(path, fit_softmax(d.X, d.y, options_of(preset, solver)));
    std::string bytes = read_bytes(path);
    bytes = testing::without_checksums(bytes);
    for (int i = 0; i < 300; ++i) {
      // Half of the changes where the description lies.
      std::string damaged = bytes;
      if (i % 2 == 0)
        damaged = testing::mutated(bytes, "{}[]\":,0123456789-", random);
      else
        damaged[8 + random() % 3000 % (bytes.size() - 8)] = "0123456789[]{}\",:"[random() % 17];
      write_bytes(path, damaged);
      try {
        const SavedModel model = load_model(path);
        if (model.softmax()) {
          const Matrix origin = Matrix::Zero(2, model.softmax()->num_columns());
          static_cast<void>(summary(*model.softmax()));
          static_cast<void>(predict(*model.softmax(), origin, ClassRule::plug_in));
          static_cast<void>(predict(*model.softmax(), origin));
        }
        ++read;
      } catch (const InvalidArgument&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace ardvark
