#include "passes/passes.hpp"

#include <fmt/format.h>

#include "core/pulse.hpp"
#include "core/triangle.hpp"
#include "design/design.hpp"
#include "rows/statistics_state.hpp"

namespace ardvark::internal {

RowQuestion::State::Posterior sent(const WeightMoments& at, double weight) {
  const bool has_variance = at.V.size() > 0 && (at.V.diagonal().array() > 0).any();
  return {at.w, has_variance ? lower_root(at.V) : Matrix(), weight};
}

PassSums ask_rows(const AskRows& ask, RowQuestion::State question) {
  pulse("fitting");
  const RowQuestion asked(std::make_shared<const RowQuestion::State>(std::move(question)));
  const RowSums answer = ask(asked);
  const RowQuestion::State& known = asked.state();
  const RowSums::State& state = answer.state();
  const std::string remedy = "; a fit reads the same rows several times, in the same order";
  if (state.num_rows != known.num_rows)
    throw InvalidArgument(fmt::format("the rows have changed between two passes over them: there were {} rows, and now there are {}{}",
                                      known.num_rows, state.num_rows, remedy));
  if (known.fingerprint && state.all_fingerprints() != *known.fingerprint)
    throw InvalidArgument("the rows have changed between two passes over them: a value differs" + remedy);
  std::optional<PassSums> total = state.total();
  if (!total) throw InternalError("a pass without rows");
  const auto of_dispersion = static_cast<Index>(known.log_dispersion ? 2 + known.dispersion_profile.size() : 0);
  const auto of_noise = static_cast<Index>(known.noise ? 3 * known.noise->at.size() : 0);
  if (total->parts.size() != known.parts.size() || total->of_dispersion.size() != of_dispersion || total->of_noise.size() != of_noise)
    throw InvalidArgument("the sums given answer another question");
  return std::move(*total);
}

Moments moments_of(const RowSums& first_look) {
  std::optional<Moments> total = first_look.state().statistics.state().total();
  if (!total)
    throw InvalidArgument(first_look.num_rows() > 0 ? "the weights are all zero; at least one must be positive" : "there are no rows");
  return std::move(*total);
}

PassSums Passes::ask(RowQuestion::State question) {
  ++count_;
  return ask_(std::move(question));
}

PassSums Passes::sums(const std::vector<const WeightMoments*>& at, bool wants_step, bool wants_scores) {
  RowQuestion::State question = pass_;
  for (const WeightMoments* one : at) question.at.push_back(sent(*one));
  question.wants_step = wants_step;
  question.wants_scores = wants_scores;
  return ask(std::move(question));
}

Vector Passes::numbers(std::shared_ptr<const RowWork> work) {
  RowQuestion::State question = pass_;
  question.work = std::move(work);
  return ask(std::move(question)).of_work;
}

ClassTally Passes::scores(const std::vector<std::pair<double, WeightMoments>>& mixture) {
  RowQuestion::State question = pass_;
  for (const auto& [weight, one] : mixture) question.at.push_back(sent(one, weight));
  question.wants_scores = true;
  question.is_mixture = mixture.size() > 1;
  return ask(std::move(question)).scores;
}

PassSums sums_of_equal_odds(const KnownRows& known, double log_odds) {
  const double p = 1 / (1 + std::exp(-log_odds)), omega = p * (1 - p);
  PassSums out;
  out.weight = omega * known.weight;
  out.packed = packed_triangle(omega * known.cross);
  out.response = known.to_class + (omega * log_odds + known.share - p) * known.cross.col(known.cross.cols() - 1);
  out.log_likelihood = Vector::Constant(1, known.weight * (known.share * std::log(p) + (1 - known.share) * std::log1p(-p)));
  out.extent.add(log_odds, 0);
  out.nearest = log_odds * log_odds;
  return out;
}

std::string column_that_grows(const Frame& frame, const std::vector<Index>& flat, const Vector& step) {
  Index most = -1;
  double longest = 0;
  Matrix column(frame.X.rows(), 1);
  for (const Index j : flat) {
    if (j >= frame.num_columns()) continue;  // the intercept
    frame.design()->columns(j, 1, column);
    if (const double length = std::abs(step[j]) * column.norm(); length > longest) longest = length, most = j;
  }
  return most < 0 ? "" : fmt::format(" ('{}' most)", frame.names[static_cast<std::size_t>(most)]);
}

}  // namespace ardvark::internal
