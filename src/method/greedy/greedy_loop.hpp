// The loop of the greedy algorithm: each step takes the best action.                                                docs/math/greedy.md
#pragma once

#include "core/blas.hpp"
#include "method/greedy/greedy_pool.hpp"

namespace ardvark::internal {

class Greedy {
 public:
  Greedy(Design& basis, const Vector& target, const GreedySettings& settings);
  Greedy(const Greedy&) = delete;
  Greedy& operator=(const Greedy&) = delete;
  GreedyOutcome run();
  /// If each action changes the rows, it is too expensive to keep many columns up to date.                            (GREEDY.12)
  static bool in_parts(const Design& basis, const GreedySettings& settings) {
    return settings.alike && settings.likelihood != GreedyLikelihood::gaussian && basis.cols() >= GreedySettings::many;
  }
  /// Whether all columns are kept in the pool.
  static bool is_kept(const Design& basis, const GreedySettings& settings) {
    return basis.factors() != nullptr ||
           (basis.rows() <= settings.most_kept / std::max<Index>(basis.cols(), 1) && !in_parts(basis, settings));
  }

 private:
  enum class Kind { none, add, reestimate, remove, exchange };
  struct Action {
    Kind kind = Kind::none;
    Index position = -1;  // in the model
    Index row = -1;       // in the pool
    double precision = 0;
    double gain = 0;
    explicit operator bool() const { return kind != Kind::none; }
  };
  // Whether a candidate may be added, and why not.
  struct Eligibility {
    bool in_model = false;
    bool exhausted = false;   // the last action with it was undone
    Index aligned_with = -1;  // a column of the model that is too similar, so that this one is refused
  };
  // If the design is not kept: a candidate for the pool, and the result of a pass over all columns.
  struct Promise {
    double gain = -ColumnGain::infinity;
    Index id = -1;
  };
  static bool better(const Promise& x, const Promise& y) { return x.gain != y.gain ? x.gain > y.gain : x.id < y.id; }
  struct Screening {
    std::vector<Promise> additions, best_of_stretch;
    std::vector<std::vector<Promise>> exchanges;  // for each column of the model
    std::vector<double> loss;                     // [size of the model] see loss_of()
    Index stretch = 1, each = 1;
    bool gains = false;
    void keep(std::vector<Promise>& list, Promise promise) const;  // among the best `each`
  };

  [[nodiscard]] bool design_is_kept() const { return is_kept(design_, settings_); }
  bool start();  // the free columns, and those that the settings begin with
  bool begin_with(Index id, double precision, bool is_free);
  bool ascend();   // all actions that gain; false: stopped
  void charge();   // from now on each column costs settings.column_cost                                                   (GREEDY.7)
  bool improve();  // actions on the pool until none gains; false: stopped
  bool settle();   // updates the rows until they no longer change; false: they did not change
  void finish();   // the result, in the caller's scaling
  void record();
  [[nodiscard]] const char* words() const;
  // Which action: greedy_choice.cpp
  Action best_action();
  Action best_lazily();  // if the rows change with each action: updates only the S and Q that decide the choice
  void narrow();
  Action best_inside(Index position);
  Action addition_of(Index row, double least = 0);  // none if it gains no more than `least`
  Action best_exchange();
  // \param loss  loss_of(position). None if it gains no more than `least`.
  Action exchange_of(Index position, double loss, Index row, double least = -ColumnGain::infinity);
  [[nodiscard]] double loss_of(Index position) const;  // what the model loses without this column
  bool look_ahead();                                   // exchanges that gain once the other precisions are updated
  bool try_ahead(const Action& trial);

  // Taking an action: greedy_loop.cpp
  void take(const Action& action);
  bool reestimate_together();  // all precisions with fixed rows, then the rows
  bool admissible(const Action& action);
  bool apply(const Action& action, Index id, double precision, RankOne& change);
  void accept(const Action& action, Index id, Index replaced, const RankOne& change);
  void update_pool(const Action& action, const RankOne& change);
  void refresh();
  void refresh_all(bool beyond_near = false);  // from the columns; beyond_near: the near ones are already up to date
  void release(Index id);
  void exhaust(Index id);  // do not try it again until the model has changed
  [[nodiscard]] bool noise_is_due(bool structural) const;

  // Designs too large to keep: greedy_screen.cpp
  bool cycle();   // false: stopped
  bool screen();  // fills the pool with the most promising of all columns; false: none gains
  void screen_block(Index first, Screening& seen);

  [[nodiscard]] int actions() const { return out_.num_added + out_.num_reestimated + out_.num_deleted + out_.num_exchanged; }
  Eligibility& standing(Index id) { return standing_[static_cast<std::size_t>(id)]; }
  template <typename T>
  static const T& at(const std::vector<T>& v, Index i) {
    return v[static_cast<std::size_t>(i)];
  }

  Design& design_;
  const GreedySettings& settings_;
  // The products are long and thin. They are divided among threads here; BLAS, whose threads are busy while they wait, has one thread.
  const Index num_threads_ = blas::num_threads();
  const blas::ThreadScope one_{1};
  GreedyModel model_;
  GreedyPool pool_;
  Vector length_;  // of each column
  std::vector<Eligibility> standing_;
  std::vector<Index> exhausted_;
  GreedyOutcome out_;
  std::string notes_;
  int since_factor_ = 0, num_settled_ = 0;
  bool stopped_ = false;
  bool is_charged_;
  // Which S and Q are computed from the columns and the present model, not from updates or an earlier model.
  enum class Fresh { none, near, all };
  Fresh fresh_ = Fresh::none;
  bool together_failed_ = false;  // since the columns last changed
};

}  // namespace ardvark::internal
