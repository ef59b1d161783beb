// Selection by fit_softmax.
#include "ardvark/select.hpp"
#include "ardvark/softmax.hpp"
#include "select/log_shares.hpp"

namespace ardvark {

using namespace internal;

SelectionMethod softmax_selection(const SoftmaxOptions& options) {
  if (!options.weights.empty())
    throw InvalidArgument("SoftmaxOptions::weights is not empty; the weights of a selection are SelectionOptions::weights");
  return [options](const SelectionRows& rows) {
    SoftmaxOptions of_fold = options;
    of_fold.weights = rows.weights;
    of_fold.threads = 0;
    of_fold.keep_covariance = Keep::always;
    of_fold.class_names.clear();
    of_fold.on_sweep = [&](const Progress&) { return rows.go_on(); };
    const SoftmaxFit fit = fit_softmax(rows.X, rows.labels, of_fold);
    if (fit.state == nullptr || !fit.mean.allFinite())
      return SelectionFit{std::vector<bool>(static_cast<std::size_t>(rows.X.cols())), log_shares(rows), fit.report.status};
    return SelectionFit{fit.relevant, predict(fit, rows.X_new).probability.array().log().matrix(), fit.report.status};
  };
}

}  // namespace ardvark
