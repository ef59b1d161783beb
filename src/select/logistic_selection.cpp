// Selection by fit_logistic.
#include <fmt/format.h>

#include "ardvark/logistic.hpp"
#include "ardvark/select.hpp"
#include "core/refusals.hpp"
#include "predict/predictive.hpp"
#include "select/log_shares.hpp"

namespace ardvark {

using namespace internal;

SelectionMethod logistic_selection(const FitOptions& options) {
  if (!options.weights.empty())
    throw InvalidArgument("FitOptions::weights is not empty; the weights of a selection are SelectionOptions::weights");
  return [options](const SelectionRows& rows) {
    if (rows.num_classes != 2)
      throw refused("labels", fmt::format("has {} classes; logistic regression needs exactly two", rows.num_classes));
    FitOptions of_fold = options;
    of_fold.weights = rows.weights;
    of_fold.threads = 0;
    of_fold.keep_covariance = Keep::always;
    of_fold.on_sweep = [&](const Progress&) { return rows.go_on(); };
    const LogisticFit fit = fit_logistic(rows.X, rows.labels, of_fold);

    const bool usable = fit.state != nullptr && fit.mean.allFinite();
    if (!usable) return SelectionFit{std::vector<bool>(static_cast<std::size_t>(rows.X.cols())), log_shares(rows), fit.report.status};
    return SelectionFit{fit.relevant, log_class_probabilities(fit, rows.X_new), fit.report.status};
  };
}

}  // namespace ardvark
