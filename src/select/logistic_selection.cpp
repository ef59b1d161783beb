// The method of selection that is a fit_logistic.
#include <fmt/format.h>

#include <cmath>

#include "ardvark/logistic.hpp"
#include "ardvark/select.hpp"
#include "core/special.hpp"
#include "engine/coordinate/l1_slr.hpp"
#include "engine/toolbox.hpp"
#include "select/log_shares.hpp"

namespace ardvark {
SelectionMethod logistic_selection(const FitOptions& options) {
  if (!options.weights.empty())
    throw InvalidArgument("FitOptions::weights is not empty; the weights of a selection are SelectionOptions::weights");
  return [options](const SelectionRows& rows) {
    if (rows.num_classes != 2)
      throw InvalidArgument(fmt::format("labels has {} classes; logistic regression needs exactly two", rows.num_classes));
    FitOptions of_fold = options;
    of_fold.weights = rows.weights;
    of_fold.threads = 0;
    of_fold.keep_covariance = Keep::always;
    of_fold.on_sweep = [&](const Progress&) { return rows.go_on(); };
    const LogisticFit fit = fit_logistic(rows.X, rows.labels, of_fold);

    const bool usable = fit.state != nullptr && fit.mean.allFinite();
    if (!usable) return SelectionFit{std::vector<bool>(static_cast<std::size_t>(rows.X.cols())), log_shares(rows), fit.report.status};
    const bool plug_in = options.compat && (is_toolbox_preset(options.preset) || is_l1_slr(options.preset));
    const ClassPrediction p = predict(fit, rows.X_new, plug_in ? PredictiveRule::plug_in : PredictiveRule::exact);
    SelectionFit out{fit.relevant, Matrix(p.mean.size(), 2), fit.report.status};
    for (Index i = 0; i < p.mean.size(); ++i)
      for (const Index second : {0, 1}) {
        const double m = second == 1 ? p.mean[i] : -p.mean[i];
        out.log_probability(i, second) = plug_in ? log_sigmoid(m) : log_expected_sigmoid(m, p.variance[i]);  // (PRED.2)
      }
    return out;
  };
}

}  // namespace ardvark
