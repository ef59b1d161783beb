#include "core/side_by_side.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ardvark::internal {
namespace {

using Sums = SideBySide<int, int>;

// Each piece i asks i + 1 times; the answer to a question is the sum of all questions of its round.
TEST(SideBySide, AnswersAllQuestionsOfARoundAtOnce) {
  std::vector<std::vector<int>> rounds;
  Sums all([&](std::vector<int> questions) {
    rounds.push_back(questions);
    return std::vector<int>(questions.size(), std::accumulate(questions.begin(), questions.end(), 0));
  });
  std::vector<int> total(4);
  all.run(4, [&](Index i, Sums::Place& place) {
    for (Index step = 0; step <= i; ++step) total[static_cast<std::size_t>(i)] += place.ask(static_cast<int>(10 * step + i));
  });
  EXPECT_EQ(rounds, (std::vector<std::vector<int>>{{0, 1, 2, 3}, {11, 12, 13}, {22, 23}, {33}}));
  EXPECT_EQ(total, (std::vector<int>{6, 42, 87, 120}));
}

TEST(SideBySide, RunsOnePieceAtATimeInOrder) {
  std::vector<Index> order;  // without a lock: the thread sanitizer would see two at a time
  Sums all([](std::vector<int> questions) { return questions; });
  all.run(3, [&](Index i, Sums::Place& place) {
    for (int step = 0; step < 2; ++step) order.push_back(i), place.ask(step);
  });
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 0, 1, 2}));
}

TEST(SideBySide, RunsACallOnTheThreadOfTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<bool> same;
  Sums all([](std::vector<int> questions) { return questions; });
  std::string caught;
  all.run(2, [&](Index, Sums::Place& place) {
    EXPECT_FALSE(std::this_thread::get_id() == caller);
    place.on_caller([&] { same.push_back(std::this_thread::get_id() == caller); });
    try {
      place.on_caller([] { throw std::runtime_error("no"); });
    } catch (const std::runtime_error& e) {
      caught += e.what();
    }
  });
  EXPECT_EQ(same, (std::vector<bool>{true, true}));
  EXPECT_EQ(caught, "nono");
}

// Of a piece, of the answers, before others have begun and while they wait: all threads end.
TEST(SideBySide, TheFirstExceptionEndsAllPieces) {
  struct Counted {
    int& alive;
    explicit Counted(int& count) : alive(count) { ++alive; }
    ~Counted() { --alive; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
  };
  for (const int where : {0, 1, 2, 3}) {
    int alive = 0, round = 0;
    Sums all([&](std::vector<int> questions) {
      if (where == 3 && ++round == 2) throw std::runtime_error("the answers");
      return questions;
    });
    const auto work = [&](Index i, Sums::Place& place) {
      const Counted counted(alive);
      for (int step = 0; step < 5; ++step) {
        if (i == where && (where == 0 || step == 2)) throw std::runtime_error("a piece");
        place.ask(step);
      }
    };
    EXPECT_THROW(all.run(3, work), std::runtime_error) << where;
    EXPECT_EQ(alive, 0) << where;
  }
}

TEST(SideBySide, NeedsNoPieces) {
  Sums all([](std::vector<int> questions) { return questions; });
  EXPECT_NO_THROW(all.run(0, [](Index, Sums::Place&) {}));
}

}  // namespace
}  // namespace ardvark::internal
