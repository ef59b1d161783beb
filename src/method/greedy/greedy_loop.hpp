// The loop of the greedy algorithm: the best action wins each step.                                                 docs/math/greedy.md
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
  /// Where each action moves the rows, many columns cost too much to be kept up to date.                              (GREEDY.12)
  static bool in_parts(const Design& basis, const GreedySettings& settings) {
    return settings.alike && settings.likelihood != GreedyLikelihood::gaussian && basis.cols() >= GreedySettings::many;
  }
  /// Then all columns stand in the pool.
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
  struct Standing {
    bool in_model = false;
    bool exhausted = false;   // what was last tried with it was taken back
    Index aligned_with = -1;  // a column of the model so near that this one is refused
  };
  // A candidate for the pool of a design that is not kept, and what a pass over all columns found.
  struct Promise {
    double gain = -ColumnGain::infinity;
    Index id = -1;
  };
  static bool better(const Promise& x, const Promise& y) { return x.gain != y.gain ? x.gain > y.gain : x.id < y.id; }
  struct Screening {
    std::vector<Promise> additions, best_of_stretch;
    std::vector<std::vector<Promise>> exchanges;  // for each column of the model
    std::vector<double> loss;                     // of each
    Index stretch = 1, each = 1;
    bool gains = false;
    void keep(std::vector<Promise>& list, Promise promise) const;  // among the best `each`
  };

  [[nodiscard]] bool design_is_kept() const { return is_kept(design_, settings_); }
  bool start();  // the free columns, and those that the settings begin with
  bool begin_with(Index id, double precision, bool is_free);
  bool ascend();   // all that gains; false: stopped
  void charge();   // from now on each column costs what the settings say                                                  (GREEDY.7)
  bool improve();  // actions on the pool until none gains; false: stopped from outside
  bool settle();   // the rows follow the columns until they rest; false: they did not move
  void finish();   // the result, in the caller's scaling
  void record();
  [[nodiscard]] const char* words() const;
  // Which action: greedy_choice.cpp
  Action best_action();
  Action best_lazily();  // where the rows move with each action: S and Q are renewed as far as the choice depends on them
  void narrow();
  Action best_inside(Index position);
  Action addition_of(Index row, double least = 0);  // none if it gains no more than `least`
  Action best_exchange();
  // `loss` is loss_of(position); likewise.
  Action exchange_of(Index position, double loss, Index row, double least = -ColumnGain::infinity);
  [[nodiscard]] double loss_of(Index position) const;  // what the column is worth
  bool look_ahead();                                   // exchanges that gain once the rest follows
  bool try_ahead(const Action& trial);

  // Taking it: greedy_loop.cpp
  void take(const Action& action);
  bool reestimate_together();  // every precision with the rows held, then the rows
  bool admissible(const Action& action);
  bool apply(const Action& action, Index id, double precision, RankOne& change);
  void accept(const Action& action, Index id, Index replaced, const RankOne& change);
  void update_pool(const Action& action, const RankOne& change);
  void refresh();
  void refresh_all(bool beyond_near = false);  // from the columns; beyond_near: of a model that those near have been renewed for
  void release(Index id);
  void exhaust(Index id);  // not again until the model has changed
  [[nodiscard]] bool noise_is_due(bool structural) const;

  // Designs too large to keep: greedy_screen.cpp
  bool cycle();   // false: stopped
  bool screen();  // fills the pool with the most promising of all columns; false: none gains
  void screen_block(Index first, Screening& seen);

  [[nodiscard]] int actions() const { return out_.num_added + out_.num_reestimated + out_.num_deleted + out_.num_exchanged; }
  Standing& standing(Index id) { return standing_[static_cast<std::size_t>(id)]; }
  template <typename T>
  static const T& at(const std::vector<T>& v, Index i) {
    return v[static_cast<std::size_t>(i)];
  }

  Design& design_;
  const GreedySettings& settings_;
  // The products are long and thin: they are shared out to threads here, and those of BLAS, which spin while they wait, are held.
  const Index num_threads_ = blas::num_threads();
  const blas::ThreadScope one_{1};
  GreedyModel model_;
  GreedyPool pool_;
  Vector length_;  // of each column
  std::vector<Standing> standing_;
  std::vector<Index> exhausted_;
  GreedyOutcome out_;
  std::string notes_;
  int since_factor_ = 0, num_settled_ = 0;
  bool stopped_ = false;
  bool is_charged_;
  // Which S and Q come from the columns and this very model, not from updates or an earlier model.
  enum class Fresh { none, near, all };
  Fresh fresh_ = Fresh::none;
  bool together_failed_ = false;  // since the columns last changed
};

}  // namespace ardvark::internal
