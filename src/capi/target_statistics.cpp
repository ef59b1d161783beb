// Statistics of many targets in the C interface.
#include "ardvark/target_statistics.hpp"

#include <vector>

#include "capi/target_arguments.hpp"

struct ardvark_target_statistics {
  ardvark::TargetStatistics statistics;
};

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

ardvark_code ardvark_target_statistics_create(ardvark_target_statistics** statistics, ardvark_error* error) {
  return made(statistics, "statistics", error, [] { return TargetStatistics(); });
}
void ardvark_target_statistics_free(ardvark_target_statistics* statistics) { delete statistics; }
ardvark_code ardvark_target_statistics_copy(const ardvark_target_statistics* statistics, ardvark_target_statistics** copy,
                                            ardvark_error* error) {
  return made(copy, "copy", error, [&] { return required(statistics, "statistics").statistics; });
}

ardvark_code ardvark_target_statistics_set_names(ardvark_target_statistics* statistics, const ardvark_options* options,
                                                 const char* const* targets, int64_t count, ardvark_error* error) {
  return guarded(error, [&] {
    const ModelOptions& all = required(options, "options").options;
    std::vector<std::string> names;
    for (Index k = 0; targets != nullptr && k < count; ++k) names.emplace_back(text_of(targets[k], "targets"));
    required(statistics, "statistics").statistics.set_names(all.column_names, std::move(names));
  });
}
ardvark_code ardvark_target_statistics_update(ardvark_target_statistics* statistics, const ardvark_matrix* X, const ardvark_matrix* Y,
                                              const double* weights, ardvark_error* error) {
  return guarded(error, [&] {
    const Data columns(X, "X"), targets(Y, "Y");
    required(statistics, "statistics").statistics.update(columns.X(), targets.X(), weights_of(weights, columns.X().rows()));
  });
}
ardvark_code ardvark_target_statistics_merge(ardvark_target_statistics* statistics, const ardvark_target_statistics* right,
                                             ardvark_error* error) {
  return guarded(error, [&] { required(statistics, "statistics").statistics.merge(required(right, "right").statistics); });
}
ardvark_code ardvark_target_statistics_result(const ardvark_target_statistics* statistics, ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] { return required(statistics, "statistics").statistics; });
}
ardvark_code ardvark_target_statistics_to_bytes(const ardvark_target_statistics* statistics, void** data, size_t* size,
                                                ardvark_error* error) {
  return guarded(error, [&] { give_bytes(required(statistics, "statistics").statistics.to_bytes(), data, size); });
}
ardvark_code ardvark_target_statistics_from_bytes(const void* data, size_t size, ardvark_target_statistics** statistics,
                                                  ardvark_error* error) {
  return made(statistics, "statistics", error, [&] { return TargetStatistics::from_bytes(bytes_of(data, size)); });
}
ardvark_code ardvark_fit_target_statistics(const ardvark_target_statistics* statistics, const ardvark_options* options, int32_t what,
                                           const ardvark_columns* mean, const ardvark_columns* sd, const ardvark_columns* inclusion,
                                           ardvark_targets** targets, ardvark_error* error) {
  return made(targets, "targets", error, [&] {
    const TargetStatistics& sums = required(statistics, "statistics").statistics;
    const CallOptions asked(options);
    ModelOptions model = asked.values;
    model.on_sweep = {};  // of one fit; the call is listened to
    return std::make_shared<const SavedTargets>(fit_targets(sums, model, results_of(what, mean, sd, inclusion, sums.num_columns())));
  });
}

}  // extern "C"
