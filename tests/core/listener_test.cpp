// What a long call tells, and how it ends.
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/progress.hpp"
#include "core/parallel.hpp"
#include "core/pulse.hpp"

namespace ardvark::internal {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Progress fitting() {
  Progress p;
  p.stage = "fitting";
  return p;
}

TEST(Listener, HearsTheStagesOfItsThread) {
  std::vector<std::string> heard;
  {
    const Listening listening(
        [&](const Progress& p) {
          heard.push_back(text_of(p));
          return Answer::go_on;
        },
        0);
    pulse("reading", {.done = 1, .total = 4});
    pulse();
    pulse("fitting", {.name = "start", .done = 1, .total = 6, .alike = false});
    EXPECT_TRUE(listening.on_sweep()({3, -12.5, 0}));
    EXPECT_TRUE(listening.on_fit()({37, 100, 12}));
  }
  pulse("checking");  // nobody listens any more
  EXPECT_EQ(heard, (std::vector<std::string>{"reading: 25%", "reading: 25%", "fitting: start 1 of 6", "fitting: start 1 of 6",
                                             "fitting: fold 37 of 100"}));
}

TEST(Listener, IsNotAskedMoreOftenThanAgreed) {
  int calls = 0;
  const Listening listening(
      [&](const Progress&) {
        ++calls;
        return Answer::go_on;
      },
      1e9);
  parallel_for(100, 2, [](Index) { pulse("checking"); });
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(listening.on_sweep()({1, 0, 0}));  // a sweep is always told
  EXPECT_EQ(calls, 1);
}

TEST(Listener, EndsWorkOnAllThreads) {
  const std::thread::id caller = std::this_thread::get_id();
  const Listening listening(
      [&](const Progress&) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        return Answer::leave;
      },
      0);
  EXPECT_THROW(parallel_for(3, 3,
                            [](Index) {
                              while (true) pulse();
                            }),
               Stopped);
  EXPECT_THROW(pulse(), Stopped) << "it stays ended";
}

// The work runs on another thread, and is silent.
TEST(Listener, IsAskedWhileARelayWaits) {
  int calls = 0;
  const Listening listening([&](const Progress&) { return ++calls == 3 ? Answer::leave : Answer::go_on; }, 0);
  Relay<int> relay([](const int&) { return true; });
  EXPECT_THROW(relay.run([] {
    while (true) pulse();
  }),
               Stopped);
  EXPECT_EQ(calls, 3);
}

TEST(Listener, LetsAFitEndAfterItsSweepAndOtherWorkAtOnce) {
  const auto stop = [](const Progress&) { return Answer::stop; };
  {
    const Listening listening(stop, 0);
    pulse("fitting");
    EXPECT_TRUE(is_stopping());
    EXPECT_FALSE(listening.on_sweep()({1, 0, 0}));
  }
  const Listening listening(stop, 0);
  EXPECT_THROW(pulse("predicting"), Stopped);
}

TEST(Listener, MayCallTheLibraryAndThrow) {
  int depth = 0;
  const Listening listening(
      [&](const Progress&) {
        EXPECT_EQ(++depth, 1);
        parallel_for(3, 2, [](Index) { pulse("predicting"); });
        --depth;
        return Answer::go_on;
      },
      0);
  pulse("fitting");
  const Listening inner([](const Progress&) -> Answer { throw std::out_of_range("of the callback"); }, 0);
  EXPECT_THROW(pulse(), std::out_of_range);
}

TEST(Listener, HearsOfTheWholeInsteadOfItsParts) {
  std::string heard;
  const Listening listening(
      [&](const Progress& p) {
        heard = text_of(p);
        return Answer::go_on;
      },
      0);
  pulse("fitting", {.name = "fold", .done = 2, .total = 9});
  {
    const OneStage of_folds;
    pulse("preparing");
    EXPECT_EQ(heard, "fitting: fold 2 of 9");
  }
  pulse("checking");
  EXPECT_EQ(heard, "checking");
}

TEST(Listener, TellsTheTimeThatIsLeftOnlyFromPiecesOfOneSize) {
  Progress heard;
  const Listening listening(
      [&](const Progress& p) {
        heard = p;
        return Answer::go_on;
      },
      0);
  pulse("checking", {.done = 0, .total = 100});
  EXPECT_TRUE(std::isnan(heard.seconds_left));
  const double before = heard.elapsed_seconds;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  pulse("checking", {.done = 25, .total = 100});
  EXPECT_GE(heard.seconds_left, 3 * 0.02);
  EXPECT_LE(heard.seconds_left, 3 * (heard.elapsed_seconds - before) + 1e-3);  // two clocks are read one after the other
  pulse("fitting", {.name = "start", .done = 0, .total = 6, .alike = false});
  pulse("fitting", {.name = "start", .done = 3, .total = 6, .alike = false});
  EXPECT_TRUE(std::isnan(heard.seconds_left));
  pulse("fitting", {.name = "prior setting", .done = 3, .total = 6, .may_grow = true});
  EXPECT_TRUE(std::isnan(heard.seconds_left));
}

TEST(Listener, CountsTheRestFromThePiecesThatAreDone) {
  EXPECT_EQ(seconds_for_rest(2, 10, 6), 24);
  EXPECT_EQ(seconds_for_rest(2, 10, 6, 1), 23);
  EXPECT_EQ(seconds_for_rest(2, 3, 6, 5), 0) << "the last piece takes longer than the others";
  EXPECT_TRUE(std::isnan(seconds_for_rest(0, 10, 0)));
}

TEST(ProgressText, SaysWhatHowFarAndWhatIsLeft) {
  Progress p = fitting();
  EXPECT_EQ(text_of(p), "fitting");
  p.sweep = 41;
  EXPECT_EQ(with_times(text_of(p), 8, nan), "fitting: step 41, 8 s");
  p.fit = 3, p.num_fits = 10, p.fit_name = "class";
  EXPECT_EQ(with_times(text_of(p), 4.4, 9.3), "fitting: class 3 of 10, step 41, 4 s, about 9 s left");
  p = fitting();
  p.piece = "prior setting", p.done = 12, p.total = 40, p.total_may_grow = true;
  EXPECT_EQ(text_of(p), "fitting: prior setting 12 of at least 40");
  p.is_of_step = true, p.sweep = 2;
  EXPECT_EQ(text_of(p), "fitting: step 3, prior setting 12 of at least 40");
  p = fitting();
  p.stage = "checking", p.done = 199, p.total = 200;
  EXPECT_EQ(with_times(text_of(p), 98, 0.2), "checking: 99%, 98 s, about 1 s left");
  EXPECT_EQ(with_times("reading", 150, 9000), "reading, 2 min, about 2.5 h left");
}

}  // namespace
}  // namespace ardvark::internal
