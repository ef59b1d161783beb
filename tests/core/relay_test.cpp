// A callback that runs on the caller's thread while others work.
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/parallel.hpp"

namespace ardvark::internal {
namespace {

TEST(Relay, AnswersOnTheCallersThreadUntilToldToStop) {
  const std::thread::id caller = std::this_thread::get_id();
  int sum = 0, calls = 0;
  Relay<int> relay([&](const int& message) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    sum += message;
    return ++calls < 5;
  });
  std::atomic<int> allowed = 0, refused = 0;
  relay.run([&] {
    EXPECT_NE(std::this_thread::get_id(), caller);
    parallel_for(40, 4, [&](Index) { ++(relay.ask(1) ? allowed : refused); });
  });
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(allowed, 4);
  EXPECT_EQ(refused, 36);
}

TEST(Relay, PassesExceptionsOnFromEitherSide) {
  Relay<int> quiet([](const int&) { return true; });
  EXPECT_THROW(quiet.run([] { throw std::domain_error("work"); }), std::domain_error);
  Relay<int> loud([](const int&) -> bool { throw std::out_of_range("answer"); });
  bool went_on = true;
  EXPECT_THROW(loud.run([&] { went_on = loud.ask(1); }), std::out_of_range);
  EXPECT_FALSE(went_on);
}

}  // namespace
}  // namespace ardvark::internal
