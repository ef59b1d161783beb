#include "passes/row_sums.hpp"

#include <fmt/format.h>

#include <bit>

#include "core/blas.hpp"
#include "core/pulse.hpp"
#include "core/refusals.hpp"
#include "core/special.hpp"
#include "core/triangle.hpp"
#include "core/validate.hpp"
#include "frame/prepare.hpp"
#include "likelihood/count_target.hpp"
#include "likelihood/negative_binomial.hpp"
#include "likelihood/registry.hpp"
#include "predict/predictive.hpp"
#include "predict/softmax.hpp"

namespace ardvark {

using namespace internal;

namespace {

// The sum over the rows of a hash of their numbers. It differs if a row is missing or added, or if
// a value differs.
std::uint64_t fingerprint_of(const RowBlock& rows) {
  constexpr Index tile = 64;
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
  std::uint64_t sum = 0, hash[tile];
  for (Index first = 0; first < rows.X.rows(); first += tile) {
    const Index count = std::min(tile, rows.X.rows() - first);
    const auto add = [&](Index i, double value) { hash[i] = (hash[i] ^ std::bit_cast<std::uint64_t>(value)) * factor; };
    for (Index i = 0; i < count; ++i) hash[i] = 1, add(i, rows.y[first + i]);
    for (Index j = 0; j < rows.X.cols(); ++j)
      for (Index i = 0; i < count; ++i) add(i, rows.X(first + i, j));
    for (Index i = 0; i < count; ++i) {
      const double weight = rows.weights.empty() ? 1.0 : rows.weights[first + i];
      if (weight != 0) sum += mixed_bits(hash[i] ^ std::bit_cast<std::uint64_t>(weight));
    }
  }
  return sum;
}

// What a block adds.
struct Answered {
  PassSums sums;
  std::uint64_t fingerprint = 0;
};

void add_scores(const RowQuestion::State& asked, const Vector& t, const Vector& k, const ComponentMoments& moments, PassSums& out) {
  Mixture mixture;
  if (asked.is_mixture)
    for (const auto& one : asked.at) mixture.components.emplace_back().weight = one.weight;
  for (Index i = 0; i < t.size(); ++i) {
    const double m = moments.mean(i, 0), s = moments.variance(i, 0);
    if (asked.is_mixture)
      out.scores.add(t[i], k[i], class_probability(mixture, moments, i),
                     [&](double sign) { return log_class_probability(mixture, moments, i, sign); });
    else
      out.scores.add(t[i], k[i], class_probability(PredictiveRule::exact, m, s),
                     [&](double sign) { return log_class_probability(PredictiveRule::exact, m, s, sign); });
  }
}

// The counts of a block, or the target of a regression in its units, which are not labels.
struct BlockTarget {
  Vector t, offset;
};

BlockTarget target_of(const RowQuestion::State& asked, const RowBlock& block, const Vector& k) {
  if (asked.is_count)
    return {block.y.eigen(), asked.offset ? offset_in("X", block.X, *asked.offset, "", k) : Vector(Vector::Zero(k.size()))};
  if (asked.noise) return {(block.y.eigen().array() - asked.noise->y_center) / asked.noise->y_scale, {}};
  Vector t(block.y.size());
  for (Index i = 0; i < t.size(); ++i) t[i] = block.y[i] == asked.own_label ? 1.0 : 0.0;
  return {std::move(t), {}};
}

void look_at_scores(const RowQuestion::State& asked, const Vector& t, const Vector& k, const Vector& m, const Vector& s, PassSums& out) {
  for (Index i = 0; i < t.size(); ++i) {
    if (k[i] == 0) continue;
    out.extent.add(m[i], s[i]);
    out.nearest = std::min(out.nearest, m[i] * m[i] + s[i]);
    const double of_second = asked.is_count ? -std::abs(m[i]) : m[i];
    out.least_margin = std::min(out.least_margin, t[i] > 0.5 ? of_second : -m[i]);
  }
}

// The order of some sums follows the memory order, so every block is stored row by row.
struct ByRows {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> copy;
  MatrixView X;

  explicit ByRows(const MatrixView& given) : X(given) {
    if (given.layout() == Layout::row_major && given.scalar() == ScalarType::float64 && given.stride() == given.cols()) return;
    copy.resize(given.rows(), given.cols());
    constexpr Index tile = 16;
    for (Index first = 0; first < given.rows(); first += tile)
      for (Index j = 0; j < given.cols(); ++j)
        for (Index i = first; i < std::min(first + tile, given.rows()); ++i) copy(i, j) = given(i, j);
    X = MatrixView(copy.data(), given.rows(), given.cols(), Layout::row_major);
  }
};

// The likelihood of these rows at the posterior q: its expectation, and the rows of the quadratic function.
double likelihood_of(const RowQuestion::State& asked, const BlockTarget& target, const Vector& k, const Posterior& q, Rows& rows,
                     PassSums& out) {
  if (asked.noise) {  // (PASS.12)
    const Vector d = (target.t - q.m).cwiseAbs2() + q.s;
    const NoiseParameters& at = asked.noise->at.front();
    rows.omega = std::exp(at.x) * k.cwiseProduct(noise_weights(d, at));
    rows.r = rows.omega.cwiseProduct(target.t);
    out.of_noise.resize(3 * static_cast<Index>(asked.noise->at.size()));
    for (Index i = 0; i < out.of_noise.size(); i += 3) {
      const NoiseSums sums = noise_sums(d, k, asked.noise->at[static_cast<std::size_t>(i / 3)]);
      out.of_noise.segment(i, 3) << sums.logs, sums.q, sums.spread;
    }
    return -0.5 * (std::exp(at.u) + 1) * out.of_noise[0];
  }
  if (asked.log_dispersion) {  // (PASS.11)
    Vector& of_dispersion = out.of_dispersion;
    of_dispersion.resize(2 + static_cast<Index>(asked.dispersion_profile.size()));
    const AtDispersion found = negative_binomial_rows({target.t, k, target.offset, q.m, q.s}, *asked.log_dispersion, rows,
                                                      asked.dispersion_profile, of_dispersion.data() + 2);
    of_dispersion[0] = found.slope, of_dispersion[1] = found.curve;
    return found.value;
  }
  LikelihoodInput input{target.t, k};
  input.offset = target.offset;
  const auto likelihood = likelihood_row(asked.likelihood).make(std::move(input));
  likelihood->start(rows);
  likelihood->update(q, rows);
  return likelihood->traits().to_mode ? likelihood->log_likelihood() : likelihood->bound(q);
}

// \param X  the rows of the block, row by row;  moments  of the log odds at each posterior
PassSums sums_of(const RowQuestion::State& asked, const RowBlock& block, const MatrixView& X, const Vector& k, ComponentMoments& moments) {
  const Index n = X.rows(), q = X.cols() + (asked.units.intercept ? 1 : 0);
  const auto count = static_cast<Index>(asked.at.size());
  const BlockTarget target = target_of(asked, block, k);
  const auto& [t, offset] = target;
  const auto design = table_design(X, asked.units);
  PassSums out;
  out.log_likelihood = Vector::Zero(count);
  moments = {Matrix(n, count), Matrix::Zero(n, count)};
  Posterior of_rows;
  of_rows.m = of_rows.s = Vector::Zero(n);
  for (Index c = 0; c < count; ++c) {
    const auto& at = asked.at[static_cast<std::size_t>(c)];
    design->apply(at.w, of_rows.m);
    if (at.L.size() > 0)
      design->row_variance(at.L, of_rows.s);
    else
      of_rows.s.setZero();
    moments.mean.col(c) = of_rows.m;
    moments.variance.col(c) = of_rows.s;
    if (asked.is_mixture) continue;
    Rows rows;
    out.log_likelihood[c] = likelihood_of(asked, target, k, of_rows, rows, out);
    if (c > 0) continue;
    look_at_scores(asked, t, k, of_rows.m, of_rows.s, out);
    if (!asked.wants_step) continue;
    Matrix G = Matrix::Zero(q, q);
    design->gram(rows.omega, G);
    out.weight = rows.omega.sum();
    out.packed = packed_triangle(G);
    out.response = Vector(q);
    design->project(rows.r, out.response);
  }
  if (asked.wants_scores && asked.is_count) {
    const Vector log_mean = offset + moments.mean.col(0) + 0.5 * moments.variance.col(0);
    const double dispersion = asked.log_dispersion ? std::exp(*asked.log_dispersion) : 0;
    for (Index i = 0; i < n; ++i) out.counts.add(t[i], k[i], log_mean[i], offset[i], asked.constant_rate, dispersion);
  } else if (asked.wants_scores) {
    add_scores(asked, t, k, moments, out);
  }
  return out;
}

// Adds the weight of the rows whose most probable class is their own, and their log loss. (SMX.9)
void add_class_scores(const RowQuestion::State& asked, const RowBlock& block, const Vector& k, const std::vector<ComponentMoments>& parts,
                      ClassTally& out) {
  const auto C = static_cast<Index>(parts.size());
  Vector score(C), probability(C);
  for (Index i = 0; i < k.size(); ++i) {
    Index own = 0, best = 0;
    for (Index c = 0; c < C; ++c) {
      const auto at = static_cast<std::size_t>(c);
      score[c] = log_expected_sigmoid(parts[at].mean(i, 0), parts[at].variance(i, 0));
      if (block.y[i] == asked.parts[at].own_label) own = c;
    }
    plain_softmax(score, probability);
    probability.maxCoeff(&best);
    out.ClassScores::add(k[i], best == own, probability[own]);
  }
}

PassSums sums_of_work(const RowWork& work, const RowBlock& block) {
  PassSums out;
  out.of_work = work.sums_of(block);
  return out;
}

Answered answer(const RowQuestion::State& asked, const RowBlock& block) {
  if (asked.work) return {sums_of_work(*asked.work, block), fingerprint_of(block)};
  const ByRows by_rows(block.X);
  const Vector k = weights_or_ones(block.weights, block.X.rows());
  Answered out{{}, fingerprint_of(block)};
  std::vector<ComponentMoments> moments(std::max<std::size_t>(asked.parts.size(), 1));
  if (asked.parts.empty()) out.sums = sums_of(asked, block, by_rows.X, k, moments[0]);
  for (std::size_t i = 0; i < asked.parts.size(); ++i)
    out.sums.parts.push_back(asked.parts[i].work ? sums_of_work(*asked.parts[i].work, block)
                                                 : sums_of(asked.parts[i], block, by_rows.X, k, moments[i]));
  if (asked.compares_parts) add_class_scores(asked, block, k, moments, out.sums.scores);
  return out;
}

[[noreturn]] void refuse_change(const std::string& what) {
  throw InvalidArgument("the rows have changed between two passes over them: " + what +
                        "; a fit reads the same rows several times, in the same order");
}

// Here, because a block does not know where it is in the table.
void check_counts(const RowSums::State& state, const RowBlock& rows) {
  const RowQuestion::State& asked = state.asked();
  if (!asked.is_count) return;
  validate_counts(rows.y, state.num_rows);
  if (asked.offset)
    static_cast<void>(offset_in("X", rows.X, *asked.offset, validate::column_name(asked.names, asked.offset->column),
                                weights_or_ones(rows.weights, rows.X.rows()), state.num_rows));
}

void check_labels(const RowSums::State& state, const RowBlock& rows) {
  if (state.asked().is_regression) return;
  const auto& labels = state.asked().labels;
  for (Index i = 0; i < rows.X.rows(); ++i)
    if (const bool counts = rows.weights.empty() || rows.weights[i] > 0; counts && !std::ranges::binary_search(labels, rows.y[i]))
      refuse_change(fmt::format("row {} has the label {}, which no row had before", state.num_rows + i + 1, rows.y[i]));
}

[[noreturn]] void refuse_labels(Index most, const std::string& what) {
  if (most == 2) throw InvalidArgument(what + ", the third one; this fit needs two classes");
  throw InvalidArgument(fmt::format(
      "{}, and there are {} others already; rows that are not in memory can have {} classes; if the labels are measurements, use a "
      "linear regression (--model linear)",
      what, most, most));
}

// Sums the weights and the columns of each class. Rows are added one after the other, so the result
// does not depend on the pieces in which they come.
void note_classes(RowSums::State& state, const RowBlock& rows) {
  if (state.asked().is_regression) return;
  const Index n = rows.X.rows(), p = rows.X.cols(), most = state.asked().most_labels;
  std::vector<ClassSums*> of_row(static_cast<std::size_t>(n));
  Vector k(n);
  for (Index i = 0; i < n; ++i) {
    ClassSums& own = *(of_row[static_cast<std::size_t>(i)] = &state.classes[rows.y[i]]);
    own.weight += k[i] = rows.weights.empty() ? 1.0 : rows.weights[i];
    if (own.columns.empty()) own.columns.resize(static_cast<std::size_t>(p));
    if (static_cast<Index>(state.classes.size()) > most)
      refuse_labels(most, fmt::format("row {} has the label {}", state.num_rows + i + 1, rows.y[i]));
  }
  for (Index j = 0; j < p; ++j)
    for (Index i = 0; i < n; ++i)
      if (k[i] > 0) of_row[static_cast<std::size_t>(i)]->columns[static_cast<std::size_t>(j)].add(k[i] * rows.X(i, j));
}

void look(RowSums::State& state, const RowBlock& rows) {
  state.statistics.update(rows.X, rows.y, rows.weights);
  check_counts(state, rows);
  note_classes(state, rows);
  state.fingerprint += fingerprint_of(rows);
  state.sample.add(rows, state.num_rows, state.stream, state.most_in_sample());
}

void pass(RowSums::State& state, const RowBlock& rows) {
  check_labels(state, rows);
  check_counts(state, rows);
  const auto push = [&](Answered block, const RowBlock&, Index) {
    state.fingerprint += block.fingerprint;
    state.tree.push(std::move(block.sums));
  };
  const auto of = [&](const RowBlock& block) { return answer(state.asked(), block); };
  const auto append = [&](const RowBlock& some, Index) { state.append(some); };
  cut_into_blocks(state, rows, state.num_rows, append, of, push);
}

}  // namespace

namespace internal {

void PassSums::merge(const PassSums& right) {
  log_likelihood += right.log_likelihood;
  weight += right.weight;
  packed += right.packed;
  response += right.response;
  extent.merge(right.extent);
  nearest = std::min(nearest, right.nearest);
  least_margin = std::min(least_margin, right.least_margin);
  scores.merge(right.scores);
  counts.merge(right.counts);
  of_work += right.of_work;
  if (of_dispersion.size() != right.of_dispersion.size() || of_noise.size() != right.of_noise.size())
    throw InvalidArgument("the sums to add answer another question");
  of_dispersion += right.of_dispersion;
  of_noise += right.of_noise;
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].merge(right.parts[i]);
}

void ClassSums::merge(const ClassSums& right) {
  weight += right.weight;
  columns.resize(std::max(columns.size(), right.columns.size()));
  for (std::size_t j = 0; j < right.columns.size(); ++j) columns[j].add(right.columns[j].sum), columns[j].rest += right.columns[j].rest;
}

Matrix PassSums::gram() const { return unpacked_triangle(packed, response.size()).selfadjointView<Eigen::Lower>(); }

void RowSample::add(const RowBlock& block, Index before, std::uint64_t stream, Index most) {
  const Index p = block.X.cols();
  for (Index i = 0; i < block.X.rows(); ++i) {
    const double weight = block.weights.empty() ? 1.0 : block.weights[i];
    if (weight == 0) continue;
    ++num_seen;
    const std::uint64_t hash = mixed_bits(mixed_bits(static_cast<std::uint64_t>(before + i) + 1) ^ (stream * 0xd1342543de82ef95U));
    if (hash > threshold) continue;
    rows.push_back({hash, stream, before + i});
    for (Index j = 0; j < p; ++j) X.push_back(block.X(i, j));
    y.push_back(block.y[i]);
    weights.push_back(weight);
    if (static_cast<Index>(y.size()) > 2 * most) keep(most, p);
  }
}

void RowSample::keep(Index most, Index p) {
  if (static_cast<Index>(rows.size()) <= most) return;
  std::vector<std::uint64_t> hashes;
  for (const Row& row : rows) hashes.push_back(row.hash);
  std::nth_element(hashes.begin(), hashes.begin() + (most - 1), hashes.end());
  threshold = hashes[static_cast<std::size_t>(most - 1)];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].hash > threshold) continue;
    rows[kept] = rows[i];
    y[kept] = y[i];
    weights[kept] = weights[i];
    std::copy_n(X.begin() + static_cast<Index>(i) * p, p, X.begin() + static_cast<Index>(kept) * p);
    ++kept;
  }
  rows.resize(kept), y.resize(kept), weights.resize(kept), X.resize(kept * static_cast<std::size_t>(p));
}

void RowSample::merge(const RowSample& right, Index before, Index most) {
  const Index p = !y.empty()        ? static_cast<Index>(X.size() / y.size())
                  : right.y.empty() ? 0
                                    : static_cast<Index>(right.X.size() / right.y.size());
  const bool was_complete = is_complete() && right.is_complete();
  num_seen += right.num_seen;
  for (const Row& row : right.rows) rows.push_back({row.hash, row.stream, before + row.position});
  X.insert(X.end(), right.X.begin(), right.X.end());
  y.insert(y.end(), right.y.begin(), right.y.end());
  weights.insert(weights.end(), right.weights.begin(), right.weights.end());
  threshold = std::min(threshold, right.threshold);
  if (!was_complete || static_cast<Index>(y.size()) > 2 * most) keep(most, p);
}

}  // namespace internal

std::optional<PassSums> RowSums::State::total() const {
  std::optional<PassSums> out = closed;
  tree.add_to(out);
  if (num_waiting() == 0) return out;
  const PassSums rest = answer(asked(), waiting(num_columns)).sums;
  out ? out->merge(rest) : void(out = rest);
  return out;
}

std::uint64_t RowSums::State::all_fingerprints() const {
  return fingerprint + (num_waiting() > 0 ? fingerprint_of(waiting(num_columns)) : 0);
}

RowSums::RowSums(const RowQuestion& question, std::uint64_t stream) : state_(std::make_unique<State>()) {
  state_->question = question;
  state_->stream = stream;
  if (question.state().is_first_look && !question.state().names.empty())
    state_->statistics.set_encoding(FeatureEncoding::of_numbers(question.state().names));
}
RowSums::RowSums(std::unique_ptr<State> state) : state_(std::move(state)) {}
RowSums::RowSums(const RowSums& other) : state_(std::make_unique<State>(*other.state_)) {}
RowSums::RowSums(RowSums&& other) noexcept = default;
RowSums& RowSums::operator=(RowSums other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}
RowSums::~RowSums() = default;

void RowSums::update(MatrixView X, VectorView y, VectorView weights) {
  State& state = *state_;
  if (X.rows() == 0) return;
  pulse();
  if (state.num_columns != 0 && state.num_columns != X.cols())
    throw refused("X", fmt::format("has {} columns; earlier rows have {}", X.cols(), state.num_columns));
  if (y.size() != X.rows()) throw refused("y", fmt::format("has {} values; it must have one for each row of X: {}", y.size(), X.rows()));
  if (state.asked().num_columns > 0 && state.asked().num_columns != X.cols())
    refuse_change(fmt::format("there were {} columns, and now there are {}", state.asked().num_columns, X.cols()));
  state.num_columns = X.cols();
  const blas::ThreadScope threads(blas::ThreadScope::OursAlone{});
  const RowBlock rows{X, y, weights};
  state.asked().is_first_look ? look(state, rows) : pass(state, rows);
  state.num_rows += X.rows();
}

void RowSums::merge(const RowSums& right) {
  State& state = *state_;
  const State& other = *right.state_;
  if (other.num_rows == 0) return;
  if (state.num_rows == 0) {
    const std::uint64_t stream = state.stream;
    *this = right;
    state_->stream = stream;
    return;
  }
  if (state.num_columns != other.num_columns)
    throw InvalidArgument(
        fmt::format("the sums to add are over rows with {} columns; these have {}", other.num_columns, state.num_columns));
  if (state.asked().is_first_look) {
    state.statistics.merge(other.statistics);
    state.sample.merge(other.sample, state.num_rows, state.most_in_sample());
    for (const auto& [label, sums] : other.classes) state.classes[label].merge(sums);
    if (const Index most = state.asked().most_labels; static_cast<Index>(state.classes.size()) > most)
      refuse_labels(most, fmt::format("the rows have the label {}", state.classes.rbegin()->first));
  } else {
    const std::optional<PassSums> added = other.total();
    state.closed = state.total();
    state.tree = {};
    state.fingerprint = state.all_fingerprints();
    state.clear();
    if (added) state.closed ? state.closed->merge(*added) : void(state.closed = added);
  }
  state.fingerprint += other.all_fingerprints();
  state.num_rows += other.num_rows;
}

Index RowSums::num_rows() const { return state_->num_rows; }

AskRows rows_from(std::function<void(const TakeRows& take)> read) {
  return [read = std::move(read)](const RowQuestion& question) {
    RowSums sums(question);
    read([&](MatrixView X, VectorView y, VectorView weights) { sums.update(X, y, weights); });
    return sums;
  };
}

}  // namespace ardvark
