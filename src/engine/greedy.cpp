// The loop of the greedy algorithm: the best action wins each step.                                                 docs/math/greedy.md
#include "engine/greedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/errors.hpp"
#include "engine/greedy_pool.hpp"

namespace ardvark {
namespace {

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
  bool exhausted = false;   // adding, or deleting, it was taken back
  Index aligned_with = -1;  // a column of the model so near that this one is refused
};

class Greedy {
 public:
  Greedy(Design& basis, const Vector& target, const GreedySettings& settings)
      : design_(basis),
        settings_(settings),
        model_(target, settings),
        length_(Vector::Zero(basis.cols())),
        standing_(static_cast<std::size_t>(basis.cols())) {}

  GreedyOutcome run() {
    const bool kept = design_.rows() <= settings_.most_kept / std::max<Index>(design_.cols(), 1);
    if (kept) pool_.load_range(design_, 0, design_.cols(), length_);
    if (start()) {
      if (kept)
        improve();
      else
        while (screen() && improve()) {
        }
    }
    finish();
    return std::move(out_);
  }

 private:
  // ---- start and end ----------------------------------------------------------------------------------------------------------------

  bool start() {
    Matrix column(design_.rows(), 1);
    RankOne change;
    for (Index id : settings_.free_columns) {
      design_.columns(id, 1, column);
      const double length = column.norm();
      length_[id] = length;
      if (!(length > 0)) continue;
      column /= length;
      const LeftOut x = model_.candidate(column.col(0));
      if (!(x.s > 1e-10 * column.col(0).cwiseAbs2().dot(model_.state().omega))) {
        notes_ += fmt::format("; free column {} is a combination of the free columns before it and was left out", id);
        continue;
      }
      model_.begin();
      model_.add(id, column.col(0), settings_.free_precision, change);
      standing(id).in_model = true;
    }
    model_.end_free();
    if (model_.solve() && model_.settle_rows(100)) return true;
    out_.status = Status::not_positive_definite;
    out_.message = "the free columns alone do not give a positive definite system";
    return false;
  }

  void finish() {
    static_cast<void>(model_.solve());
    const auto& now = model_.state();
    const Index k = model_.size();
    std::vector<Index> order(static_cast<std::size_t>(k));
    for (Index i = 0; i < k; ++i) order[static_cast<std::size_t>(i)] = i;
    std::sort(order.begin(), order.end(), [&](Index i, Index j) { return at(now.columns, i) < at(now.columns, j); });
    out_.w.resize(k);
    out_.alpha.resize(k);
    out_.well_determined.resize(k);
    out_.V.resize(k, k);
    for (Index a = 0; a < k; ++a) {
      const Index i = at(order, a), id = at(now.columns, i);
      out_.columns.push_back(id);
      out_.w[a] = now.w[i] / length_[id];
      out_.alpha[a] = now.alpha[i] * length_[id] * length_[id];
      out_.well_determined[a] = 1 - now.alpha[i] * now.V(i, i);
      for (Index b = 0; b < k; ++b) {
        const Index j = at(order, b);
        out_.V(a, b) = now.V(i, j) / (length_[id] * length_[at(now.columns, j)]);
      }
    }
    out_.m = now.m;
    out_.noise_precision = model_.is_gaussian() ? now.tau : 1.0;
    out_.log_evidence = now.evidence;
    if (out_.message.empty())
      out_.message = fmt::format("{} after {} actions with {} of {} columns", words(), actions(), k, design_.cols());
    if (k == 0) out_.message += "; no column improves on the model without columns";
    out_.message += notes_;
  }

  [[nodiscard]] const char* words() const {
    switch (out_.status) {
      case Status::converged: return "no action gains more than the tolerance";
      case Status::stopped_by_user: return "stopped by the caller";
      default: return "the limit of actions was reached";
    }
  }
  [[nodiscard]] int actions() const { return out_.num_added + out_.num_reestimated + out_.num_deleted + out_.num_exchanged; }

  template <typename T>
  static const T& at(const std::vector<T>& v, Index i) {
    return v[static_cast<std::size_t>(i)];
  }
  Standing& standing(Index id) { return standing_[static_cast<std::size_t>(id)]; }

  // ---- the loop: actions on the pool until none gains ---------------------------------------------------------------------------------

  // False: stopped from outside.
  bool improve() {
    pool_.refresh(model_);
    while (!stopped_) {
      Action action = best_action();
      if (!action) {
        if (settle()) continue;
        if (settings_.exchange) action = best_exchange();
        if (!action) break;
      }
      take(action);
      if (actions() >= settings_.max_actions && !stopped_) {
        stopped_ = true;
        out_.status = Status::max_sweeps;
      }
    }
    if (!stopped_) out_.status = Status::converged;
    return !stopped_;
  }

  // The rows follow the columns until they rest. False: they did not move.
  bool settle() {
    const double before = model_.objective();
    bool moved = false;
    for (int round = 0; round < 20; ++round) {
      const double here = model_.objective();
      if (model_.is_gaussian()) {
        if (!(std::abs(model_.update_noise()) > 1e-6)) break;
      } else if (settings_.likelihood == GreedyLikelihood::logistic_bound) {
        model_.begin();
        if (!model_.settle_rows(5) || model_.objective() < here) {
          model_.undo();
          break;
        }
      } else {
        break;
      }
      if (!(model_.objective() > here + 0.01 * settings_.tolerance)) break;
      moved = true;
    }
    if (moved) refresh();
    return moved && model_.objective() > before + 0.01 * settings_.tolerance;
  }

  void refresh() {
    if (model_.is_gaussian())
      pool_.rescale(model_);
    else
      pool_.refresh(model_);
  }

  // ---- which action -------------------------------------------------------------------------------------------------------------------

  Action best_action() {
    Action change, removal, addition;
    for (Index i = 0; i < model_.size(); ++i) {
      if (model_.is_free(i)) continue;
      const Action action = best_inside(i);
      Action& best = action.kind == Kind::remove ? removal : change;
      if (action.gain > best.gain) best = action;
    }
    if (removal && removal.gain > settings_.tolerance)
      return change.gain > removal.gain ? change : removal;  // a deletion that pays goes before any addition
    for (Index row = 0; row < pool_.size(); ++row) {
      const Action action = addition_of(row);
      if (action.gain > addition.gain) addition = action;
    }
    return addition.gain > change.gain ? addition : change;
  }

  // Re-estimation or deletion.                                                                                    (OPT.3), (OPT.5)
  Action best_inside(Index i) {
    const double a = model_.state().alpha[i];
    const LeftOut x = model_.left_out(i);
    const double best = model_.gain().best(x), gain = model_.gain().at(best, x) - model_.gain().at(a, x);
    const Standing& s = standing(at(model_.state().columns, i));
    if (!std::isfinite(best)) {
      if (s.exhausted || !(gain > settings_.tolerance)) return {};
      return {Kind::remove, i, -1, best, gain};
    }
    if (s.exhausted) return {};
    const bool moves = std::abs(std::log(best / a)) > 1e-4 && gain > 1e-3 * settings_.tolerance;
    return gain > settings_.tolerance || moves ? Action{Kind::reestimate, i, -1, best, gain} : Action{};
  }

  Action addition_of(Index row) {
    const Index id = pool_.id(row);
    const Standing& s = standing(id);
    if (s.in_model || s.exhausted || s.aligned_with >= 0 || !(length_[id] > 0) || pool_.in_span(row)) return {};
    const LeftOut x = pool_.candidate(row);
    const double best = model_.gain().best(x), gain = model_.gain().at(best, x);
    return std::isfinite(best) && gain > settings_.tolerance ? Action{Kind::add, -1, row, best, gain} : Action{};
  }

  // One column in the place of another: the first deleted, the second added to what is left.                               (GREEDY.9)
  Action best_exchange() {
    pool_.prepare_exchange(model_);
    Action best;
    for (Index i = 0; i < model_.size(); ++i) {
      if (model_.is_free(i)) continue;
      for (Index row = 0; row < pool_.size(); ++row) {
        const Action action = exchange_of(i, row);
        if (action.gain > best.gain) best = action;
      }
    }
    return best;
  }

  Action exchange_of(Index i, Index row) {
    const auto& now = model_.state();
    const Index id = pool_.id(row);
    const Standing& s = standing(id);
    if (s.in_model || s.exhausted || !(length_[id] > 0)) return {};
    if (s.aligned_with >= 0 && s.aligned_with != at(now.columns, i)) return {};
    const double V = now.V(i, i), W = pool_.W(row, i);
    const LeftOut here = pool_.candidate(row), x = {here.s + W * W / V, here.q + W * now.w[i] / V};
    const double best = model_.gain().best(x);
    if (!std::isfinite(best)) return {};
    const double gain = model_.gain().at(best, x) - model_.gain().at(now.alpha[i], model_.left_out(i));
    return gain > settings_.tolerance ? Action{Kind::exchange, i, row, best, gain} : Action{};
  }

  // ---- taking it ----------------------------------------------------------------------------------------------------------------------

  // An action whose evidence, computed afresh, does not rise is tried in smaller steps and then taken back for good.
  void take(const Action& action) {
    if ((action.kind == Kind::add || action.kind == Kind::exchange) && !admissible(action)) return;
    const double before = model_.objective(), old = action.position >= 0 ? model_.state().alpha[action.position] : 0.0;
    const Index id = action.row >= 0 ? pool_.id(action.row) : at(model_.state().columns, action.position);
    const Index replaced = action.position >= 0 ? at(model_.state().columns, action.position) : -1;
    for (int attempt = 0; attempt < 4; ++attempt) {
      double a = action.precision;
      if (action.kind == Kind::reestimate) a = old * std::pow(a / old, std::pow(0.5, attempt));
      if (action.kind == Kind::add || action.kind == Kind::exchange) a *= std::pow(4.0, attempt);
      model_.begin();
      RankOne change;
      if (apply(action, id, a, change) && model_.objective() > before + 1e-4 * settings_.tolerance) {
        accept(action, id, replaced, change);
        return;
      }
      model_.undo();
      if (action.kind == Kind::remove) break;
    }
    ++out_.num_refused;
    standing(id).exhausted = true;
    exhausted_.push_back(id);
    if (model_.is_gaussian()) pool_.refresh(model_);  // the gain was rounding: the next ones shall not be
  }

  // The candidate's S and Q afresh, and its angles with the model.
  bool admissible(const Action& action) {
    const Index id = pool_.id(action.row);
    const auto column = pool_.column(action.row);
    const Index k = model_.size();
    if (k > 0) {
      const Vector cosine = (model_.Phi().transpose() * column).cwiseAbs();
      for (Index i = 0; i < k; ++i)
        if (cosine[i] > settings_.alignment && !(action.kind == Kind::exchange && i == action.position)) {
          standing(id).aligned_with = at(model_.state().columns, i);
          return false;
        }
    }
    if (action.kind == Kind::exchange) return true;
    pool_.set(action.row, model_.candidate(column));
    return addition_of(action.row).gain > 0.5 * action.gain;
  }

  // With the rows held, then the rows.
  bool apply(const Action& action, Index id, double a, RankOne& change) {
    switch (action.kind) {
      case Kind::add: model_.add(id, pool_.column(action.row), a, change); break;
      case Kind::reestimate: model_.reestimate(action.position, a, change); break;
      case Kind::remove: model_.remove(action.position, change); break;
      case Kind::exchange: model_.exchange(action.position, id, pool_.column(action.row), a); break;
      case Kind::none: return false;
    }
    const bool afresh = model_.size() <= 64 || action.kind == Kind::exchange || since_factor_ + 1 >= settings_.refactor_every;
    if (!model_.is_gaussian() || afresh) {
      if (!model_.solve()) return false;
    } else {
      model_.update_evidence();
    }
    return model_.settle_rows(3);
  }

  void accept(const Action& action, Index id, Index replaced, const RankOne& change) {
    const bool structural = action.kind != Kind::reestimate;
    switch (action.kind) {
      case Kind::add: ++out_.num_added; break;
      case Kind::reestimate: ++out_.num_reestimated; break;
      case Kind::remove: ++out_.num_deleted; break;
      case Kind::exchange: ++out_.num_exchanged; break;
      case Kind::none: break;
    }
    if (action.kind == Kind::remove || action.kind == Kind::exchange) {
      standing(replaced).in_model = false;
      for (Standing& s : standing_)
        if (s.aligned_with == replaced) s.aligned_with = -1;
    }
    if (action.kind == Kind::add || action.kind == Kind::exchange) standing(id).in_model = true;
    if (structural || action.gain > 1e-3) {
      for (Index j : exhausted_) standing(j).exhausted = false;
      exhausted_.clear();
    }
    update_pool(action, change);
    if (model_.is_gaussian() && !settings_.fixed_noise && (structural || out_.num_reestimated % 5 == 0))
      if (model_.update_noise() != 0) pool_.rescale(model_);
    record();
  }

  void update_pool(const Action& action, const RankOne& change) {
    ++since_factor_;
    if (!model_.is_gaussian() || action.kind == Kind::exchange || since_factor_ >= settings_.refactor_every) {
      pool_.refresh(model_);
      since_factor_ = 0;
      return;
    }
    switch (action.kind) {
      case Kind::add: pool_.add(model_, change); break;
      case Kind::reestimate: pool_.reestimate(change); break;
      case Kind::remove: pool_.remove(action.position, change); break;
      default: break;
    }
  }

  void record() {
    out_.evidence_trace.push_back(model_.objective());
    if (settings_.on_action && !settings_.on_action(actions(), model_.objective())) {
      stopped_ = true;
      out_.status = Status::stopped_by_user;
    }
  }

  // ---- designs too large to keep ------------------------------------------------------------------------------------------------------

  // One pass over all columns fills the pool with the most promising; false: none gains.
  bool screen() {
    struct Promise {
      double gain;
      Index id;
    };
    const Index M = design_.cols(), most = std::max<Index>(settings_.screen_block / 2, 1);
    const Index stretch = std::max<Index>(2 * M / most, 1);
    std::vector<Promise> all, best_of_stretch(static_cast<std::size_t>(M / stretch + 1), Promise{0, -1});
    pool_ = GreedyPool();
    ++out_.num_screens;
    for (Index first = 0; first < M; first += settings_.screen_block) {
      GreedyPool block;
      block.load_range(design_, first, std::min(settings_.screen_block, M - first), length_);
      block.refresh(model_);
      std::swap(pool_, block);
      pool_.prepare_exchange(model_);
      for (Index row = 0; row < pool_.size(); ++row) {
        double gain = addition_of(row).gain;
        for (Index i = 0; settings_.exchange && i < model_.size(); ++i)
          if (!model_.is_free(i)) gain = std::max(gain, exchange_of(i, row).gain);
        if (!(gain > 0)) continue;
        all.push_back({gain, pool_.id(row)});
        Promise& local = best_of_stretch[static_cast<std::size_t>(pool_.id(row) / stretch)];
        if (gain > local.gain) local = all.back();
      }
      std::swap(pool_, block);
    }
    const auto better = [](const Promise& x, const Promise& y) { return x.gain != y.gain ? x.gain > y.gain : x.id < y.id; };
    std::sort(all.begin(), all.end(), better);
    std::vector<Index> ids;
    for (std::size_t i = 0; i < all.size() && static_cast<Index>(i) < most / 2; ++i) ids.push_back(all[i].id);
    for (const Promise& p : best_of_stretch)
      if (p.id >= 0) ids.push_back(p.id);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (ids.empty()) {
      out_.status = Status::converged;
      return false;
    }
    pool_.load(design_, ids, length_);
    return true;
  }

  Design& design_;
  const GreedySettings& settings_;
  GreedyModel model_;
  GreedyPool pool_;
  Vector length_;
  std::vector<Standing> standing_;
  std::vector<Index> exhausted_;
  GreedyOutcome out_;
  std::string notes_;
  int since_factor_ = 0;
  bool stopped_ = false;
};

void require(bool holds, const std::string& message) {
  if (!holds) throw InvalidArgument(message);
}

void require_prior(const GreedyPrior& prior, const char* name) {
  const bool none = prior.shape == 0 && prior.rate == 0;
  require(none || (prior.shape > 0 && prior.rate > 0 && std::isfinite(prior.shape) && std::isfinite(prior.rate)),
          fmt::format("{} = Gamma({}, {}): shape and rate must be both 0 (no prior) or both positive", name, prior.shape, prior.rate));
}

void validate(const Design& basis, const Vector& target, const GreedySettings& s) {
  require(target.size() == basis.rows() && target.size() > 0,
          fmt::format("target has {} entries, the design {} rows; they must be equal and at least 1", target.size(), basis.rows()));
  const bool gaussian = s.likelihood == GreedyLikelihood::gaussian;
  for (Index i = 0; i < target.size(); ++i)
    require(gaussian ? std::isfinite(target[i]) : target[i] == 0 || target[i] == 1,
            fmt::format("target[{}] is {}; it must be {}", i, target[i], gaussian ? "finite" : "0 or 1"));
  require(s.noise_precision >= 0 && std::isfinite(s.noise_precision),
          fmt::format("noise_precision is {}; it must be >= 0", s.noise_precision));
  require(s.free_precision > 0 && std::isfinite(s.free_precision), fmt::format("free_precision is {}; it must be > 0", s.free_precision));
  require(s.tolerance > 0, fmt::format("tolerance is {}; it must be > 0", s.tolerance));
  require(s.max_actions >= 0 && s.refactor_every >= 1 && s.screen_block >= 1 && s.most_kept >= 0,
          "max_actions and most_kept must be >= 0, refactor_every and screen_block >= 1");
  require(s.alignment > 0 && s.alignment <= 1, fmt::format("alignment is {}; it must be in (0, 1]", s.alignment));
  require_prior(s.precision, "precision");
  require_prior(s.noise, "noise");
  std::vector<Index> free = s.free_columns;
  std::sort(free.begin(), free.end());
  for (std::size_t i = 0; i < free.size(); ++i)
    require(free[i] >= 0 && free[i] < basis.cols() && (i == 0 || free[i] != free[i - 1]),
            fmt::format("free_columns names column {}; each must be from 0 to {} and named once", free[i], basis.cols() - 1));
}

}  // namespace

GreedyOutcome greedy(Design& basis, const Vector& target, const GreedySettings& settings) {
  validate(basis, target, settings);
  return Greedy(basis, target, settings).run();
}

}  // namespace ardvark
