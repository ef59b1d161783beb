#include "report/curves.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "predict/predictive.hpp"
#include "report/chart.hpp"
#include "target/target.hpp"

namespace ardvark::internal::report {
namespace {

std::vector<Interval> ranges_of(const Matrix& kept, const ReportRows& rows, Index d) {
  std::vector<Interval> out;
  for (Index j = 0; j < d; ++j) {
    AxisExtent extent;
    for (Index i = 0; i < kept.rows(); ++i) extent.add(kept(i, j));
    for (Index i = 0; i < rows.X.rows(); ++i) extent.add(rows.X(i, j));
    out.push_back(extent.is_empty() ? Interval{0, 0} : Interval{extent.low(), extent.high()});
  }
  return out;
}

// By the shares of the variance, or else by the widths: the function changes most along an input with a small one.
double importance_of(const KernelFit& fit, Index j) {
  if (fit.variance_share.size() > j) return fit.variance_share[j];
  const std::vector<KernelHypothesis>& hypotheses = fit.processes.front().hypotheses;
  if (hypotheses.empty() || std::ssize(hypotheses.front().widths) != fit.num_inputs()) return 1;
  return 1 / (hypotheses.front().widths[static_cast<std::size_t>(j)] * fit.input_scale[j]);
}

double importance_of(const RelevanceFit& fit, Index j) {
  if (fit.search != KernelSearch::each) return 1;
  const KernelSpec spec = fit.kernel.spec();
  return std::ssize(spec.parameters) == fit.num_inputs() ? 1 / spec.parameters[static_cast<std::size_t>(j)] : 1;
}

Matrix kept_rows(const KernelFit& fit) { return fit.relevance_vectors; }
Matrix kept_rows(const RelevanceFit& fit) {
  return fit.input_range.rows() == fit.num_inputs() ? Matrix(fit.input_range.transpose()) : fit.relevance_vectors;
}

MachineInputs inputs_of_fit(const auto& fit, const ReportRows& rows) {
  MachineInputs out{fit.input_center, ranges_of(kept_rows(fit), rows, fit.num_inputs()), {}, fit.input_names, {}};
  for (Index j = 0; j < fit.num_inputs(); ++j) {
    const Interval range = out.range[static_cast<std::size_t>(j)];
    out.varies.push_back(fit.input_scale[j] > 0 && range.lower < range.upper);
    out.importance.push_back(importance_of(fit, j));
  }
  return out;
}

}  // namespace

MachineInputs inputs_of(const SavedModel& model, const ReportRows& rows) {
  return model.process() != nullptr ? inputs_of_fit(*model.process(), rows) : inputs_of_fit(*model.relevance(), rows);
}

std::vector<MachineFeature> features_of(const SavedModel& model, const MachineInputs& inputs) {
  std::vector<MachineFeature> out;
  const auto importance = [&](Index j) { return inputs.importance[static_cast<std::size_t>(j)]; };
  if (model.encoding.dummies != Dummies::every_level || model.encoding.num_columns() != inputs.center.size()) {
    for (Index j = 0; j < inputs.center.size(); ++j) out.push_back({nullptr, j, importance(j)});
  } else {
    Index at = 0;
    for (const FeatureColumn& feature : model.encoding.features) {
      const Index count = !feature.categorical ? 1 : feature.levels.size() > 1 ? std::ssize(feature.levels) : 0;
      double sum = 0;
      for (Index k = 0; k < count; ++k) sum += importance(at + k);
      if (count > 0) out.push_back({feature.categorical ? &feature : nullptr, at, sum});
      at += count;
    }
  }
  std::erase_if(out, [&](const MachineFeature& f) { return f.texts == nullptr && !inputs.varies[static_cast<std::size_t>(f.first)]; });
  std::ranges::stable_sort(out, [](const MachineFeature& a, const MachineFeature& b) { return a.importance > b.importance; });
  return out;
}

Matrix grid_of(const MachineInputs& inputs, Index j, Index num_points) {
  Matrix X = inputs.center.transpose().replicate(num_points, 1);
  const Interval range = inputs.range[static_cast<std::size_t>(j)];
  X.col(j).setLinSpaced(num_points, range.lower, range.upper);
  return X;
}

Matrix rows_of_levels(const MachineInputs& inputs, Index first, Index num_levels) {
  Matrix X = inputs.center.transpose().replicate(num_levels, 1);
  X.middleCols(first, num_levels).setIdentity();
  return X;
}

MachineCurve curve_at(const SavedModel& model, const Matrix& X, double level) {
  ModelOptions how;
  how.interval = has_noise(task_of(model)) ? "mean" : "new";
  MachineCurve out;
  const std::vector<std::string>& classes = classes_of(model);
  std::visit(
      [&](const auto& p) {
        if constexpr (requires { p.most_probable(); }) {
          out.lines = {p.probability}, out.names = {classes[1]};
        } else if constexpr (requires { p.most_probable; }) {
          const bool is_two = classes.size() == 2;
          for (Index c = is_two ? 1 : 0; c < std::min<Index>(p.probability.cols(), 3); ++c)
            out.lines.emplace_back(p.probability.col(c)), out.names.push_back(classes[static_cast<std::size_t>(c)]);
        } else {
          out.lines = {p.mean};
          std::tie(out.lower, out.upper) = interval_of(p, level);
        }
      },
      predict(model, X, how));
  return out;
}

const std::string& target_name(const SavedModel& model) {
  return std::visit([](const auto& fit) -> const std::string& { return fit.target; }, model.fit);
}

}  // namespace ardvark::internal::report
