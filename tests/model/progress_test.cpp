// What the calls of a model tell a listener, and how they end when it asks for that.
#include "ardvark/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../support/mentions.hpp"
#include "../support/random_problem.hpp"
#include "ardvark/model.hpp"

namespace ardvark {
namespace {

using testing::make_problem;
using testing::mentions;
using testing::Problem;

/// Hears all, and gives this answer from the first text on that begins so.
class Ear {
 public:
  explicit Ear(std::string from = "never", Answer answer = Answer::leave)
      : from_(std::move(from)), answer_(answer), listening_([this](const Progress& p) { return hear(p); }, 0) {}

  [[nodiscard]] ModelOptions options(const char* prior) const {
    ModelOptions out{.model = "logistic", .prior = prior};
    out.on_sweep = listening_.on_sweep();
    out.on_fit = listening_.on_fit();
    return out;
  }
  [[nodiscard]] bool heard(const std::string& begin) const {
    return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& text) { return text.starts_with(begin); });
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  Answer hear(const Progress& p) {
    texts_.push_back(text_of(p));
    return heard(from_) ? answer_ : Answer::go_on;
  }

  std::string from_;
  Answer answer_;
  std::vector<std::string> texts_;
  Listening listening_;
};

TEST(ModelProgress, NamesTheStagesOfAFitAndItsCheck) {
  const Problem d = make_problem(1, 3000, 4);
  const Ear ear;
  ModelOptions options = ear.options("shared");
  options.diagnose = true;
  options.keep_covariance = "always";
  const SavedModel model = fit_model(d.X, d.labels, options);
  static_cast<void>(predict(model, d.X));
  std::vector<std::string> stages;
  for (const std::string& text : ear.texts())
    if (const std::string stage = text.substr(0, text.find(':')); stages.empty() || stages.back() != stage) stages.push_back(stage);
  EXPECT_EQ(stages, (std::vector<std::string>{"preparing", "fitting", "checking", "predicting"}));
  EXPECT_TRUE(ear.heard("fitting: step 1"));
  EXPECT_TRUE(ear.heard("checking: 68%")) << "the fifth block of 512 rows of 3000";
}

TEST(ModelProgress, CountsTheSettingsAndStartsOfTheDefaultPrior) {
  const Problem few = make_problem(2, 80, 5), many = make_problem(3, 80, 40);
  const auto hears = [](const Problem& d, const std::string& text) {
    const Ear ear;
    ModelOptions options = ear.options("sparse");
    options.model = "linear";
    options.threads = 1;  // two that end at once are told as one
    static_cast<void>(fit_model(d.X, d.y, options));
    return ear.heard(text);
  };
  EXPECT_TRUE(hears(few, "fitting: prior setting 1 of at least "));
  EXPECT_TRUE(hears(many, "fitting: start 1 of 6"));
  EXPECT_TRUE(hears(many, "fitting: start 5 of 6"));
}

TEST(ModelProgress, AnsweringLeaveEndsEveryCall) {
  const Problem d = make_problem(4, 400, 6);
  const SavedModel model = fit_model(d.X, d.labels, {.model = "logistic", .prior = "shared"});
  for (const char* from : {"preparing", "fitting", "fitting: step 2"}) {
    for (const char* prior : {"shared", "ard", "sparse"}) {
      const Ear ear(from);
      EXPECT_THROW(static_cast<void>(fit_model(d.X, d.labels, ear.options(prior))), Stopped) << from << ", " << prior;
    }
  }
  {
    const Ear ear("predicting");
    EXPECT_THROW(static_cast<void>(predict(model, d.X)), Stopped);
  }
  for (const char* from : {"fitting: fold 0", "fitting: fold 3"}) {
    const Ear ear(from);
    ModelOptions options = ear.options("shared");
    options.threads = 2;
    EXPECT_THROW(static_cast<void>(select_columns(d.X, d.labels, options)), Stopped) << from;
  }
}

TEST(ModelProgress, AnsweringStopKeepsWhatThereIs) {
  const Problem d = make_problem(5, 400, 6);
  {
    const Ear ear("preparing", Answer::stop);
    const SavedModel model = fit_model(d.X, d.labels, ear.options("shared"));
    EXPECT_EQ(report_of(model).status, Status::stopped_by_user);
    EXPECT_EQ(report_of(model).sweeps, 1);
  }
  {
    const Ear ear("checking", Answer::stop);
    ModelOptions options = ear.options("shared");
    options.diagnose = true;
    options.keep_covariance = "always";
    const SavedModel model = fit_model(d.X, d.labels, options);
    EXPECT_EQ(report_of(model).status, Status::converged);
    EXPECT_FALSE(model.diagnosis);
    EXPECT_TRUE(mentions(report_of(model).warnings, "k-hat was not computed: it was stopped"));
  }
  {
    const Ear ear("fitting: fold 3", Answer::stop);
    const SelectionCounts counts = select_columns(d.X, d.labels, ear.options("shared"));
    EXPECT_EQ(counts.status, Status::stopped_by_user);
    EXPECT_EQ(counts.num_fits(), 3);
  }
}

}  // namespace
}  // namespace ardvark
