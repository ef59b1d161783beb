// Many targets in the C interface.
#include <vector>

#include "capi/target_arguments.hpp"

namespace ardvark::internal::capi {
namespace {

// A matrix of the caller that may be NULL.
class OptionalData {
 public:
  OptionalData(const ardvark_matrix* matrix, const char* name) {
    if (matrix != nullptr) data_.emplace(matrix, name);
  }
  [[nodiscard]] MatrixView X() const { return data_ ? data_->X() : MatrixView(); }

 private:
  std::optional<Data> data_;
};

}  // namespace
}  // namespace ardvark::internal::capi

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

ardvark_code ardvark_fit_targets(const ardvark_matrix* X, const ardvark_matrix* Y, const char* const* names, const ardvark_options* options,
                                 int32_t what, const ardvark_columns* mean, const ardvark_columns* sd, const ardvark_columns* inclusion,
                                 ardvark_targets** targets, ardvark_error* error) {
  return made(targets, "targets", error, [&] {
    const Data columns(X, "X"), all(Y, "Y");
    const CallOptions asked(options);
    const TargetsOptions results = results_of(what, mean, sd, inclusion, columns.X().cols());
    ModelOptions model = asked.values;
    model.on_sweep = {};  // of one fit; the call is listened to
    std::vector<std::string> target_names;
    for (Index k = 0; names != nullptr && k < all.X().cols(); ++k) target_names.emplace_back(text_of(names[k], "names"));
    return std::make_shared<const SavedTargets>(fit_targets(columns.X(), all.X(), model, std::move(target_names), results));
  });
}
void ardvark_targets_free(ardvark_targets* targets) { delete targets; }

ardvark_code ardvark_targets_result(const ardvark_targets* targets, ardvark_result** result, ardvark_error* error) {
  return made(result, "result", error, [&] { return [saved = required(targets, "targets").saved](Fields& out) { visit(*saved, out); }; });
}

ardvark_code ardvark_targets_explained(const ardvark_targets* targets, double rate, ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] {
    const TargetsFit& fit = required(targets, "targets").saved->fit;
    return explained_targets(fit.log_bayes, fit.log_bayes_of_noise, rate);
  });
}

ardvark_code ardvark_targets_directions(const ardvark_targets* targets, int32_t pool, const ardvark_matrix* coefficients,
                                        ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] {
    const OptionalData given(coefficients, "coefficients");
    return target_directions(required(targets, "targets").saved->fit, pool != 0, given.X());
  });
}

ardvark_code ardvark_targets_predict(const ardvark_targets* targets, const ardvark_matrix* X, const ardvark_matrix* coefficients,
                                     const ardvark_options* options, const ardvark_columns* mean, const ardvark_columns* sd,
                                     ardvark_error* error) {
  return guarded(error, [&] {
    const TargetsFit& fit = required(targets, "targets").saved->fit;
    const Data rows(X, "X");
    const OptionalData given(coefficients, "coefficients");
    const CallOptions asked(options);
    const std::string& interval = asked.values.interval;
    if (interval != "new" && interval != "mean") throw wrong("interval", interval, "it must be new or mean");
    required(mean, "mean");
    TargetsPredictOptions how;
    how.what = interval == "mean" ? PredictionOf::mean : PredictionOf::new_observation;
    how.standard_deviations = sd != nullptr;
    how.coefficients = given.X();
    how.mean = columns_of(mean, rows.X().rows(), "mean");
    how.sd = columns_of(sd, rows.X().rows(), "sd");
    how.threads = asked.values.threads;
    static_cast<void>(predict(fit, rows.X(), how));
  });
}

ardvark_code ardvark_targets_save(const ardvark_targets* targets, const ardvark_matrix* coefficients, const char* path,
                                  ardvark_error* error) {
  return guarded(error, [&] {
    const OptionalData given(coefficients, "coefficients");
    save_targets(std::string(text_of(path, "path")), *required(targets, "targets").saved, given.X());
  });
}
ardvark_code ardvark_targets_load(const char* path, ardvark_targets** targets, ardvark_error* error) {
  return made(targets, "targets", error,
              [&] { return std::make_shared<const SavedTargets>(load_targets(std::string(text_of(path, "path")))); });
}
ardvark_code ardvark_targets_to_bytes(const ardvark_targets* targets, const ardvark_matrix* coefficients, void** data, size_t* size,
                                      ardvark_error* error) {
  return guarded(error, [&] {
    const OptionalData given(coefficients, "coefficients");
    give_bytes(targets_to_bytes(*required(targets, "targets").saved, given.X()), data, size);
  });
}
ardvark_code ardvark_targets_from_bytes(const void* data, size_t size, ardvark_targets** targets, ardvark_error* error) {
  return made(targets, "targets", error, [&] { return std::make_shared<const SavedTargets>(targets_from_bytes(bytes_of(data, size))); });
}
ardvark_code ardvark_targets_encoding(const ardvark_targets* targets, ardvark_encoding** encoding, ardvark_error* error) {
  return made(encoding, "encoding", error, [&] { return required(targets, "targets").saved->encoding; });
}

}  // extern "C"
