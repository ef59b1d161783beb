// Statistics of rows in the C interface.
#include <vector>

#include "capi/arguments.hpp"
#include "core/refusals.hpp"

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

ardvark_code ardvark_statistics_create(const char* form, ardvark_statistics** statistics, ardvark_error* error) {
  return guarded(error, [&] {
    const StatisticsForm chosen = form == nullptr ? StatisticsForm::gram : statistics_form(form);
    required(statistics, "statistics") = nullptr;
    *statistics = new ardvark_statistics{LinearStatistics(chosen)};
  });
}
void ardvark_statistics_free(ardvark_statistics* statistics) { delete statistics; }
ardvark_code ardvark_statistics_copy(const ardvark_statistics* statistics, ardvark_statistics** copy, ardvark_error* error) {
  return made(copy, "copy", error, [&] { return required(statistics, "statistics").statistics; });
}

ardvark_code ardvark_statistics_set_names(ardvark_statistics* statistics, const ardvark_options* options, ardvark_error* error) {
  return guarded(error, [&] {
    const ModelOptions all = required(options, "options").options;
    const bool is_table = !all.encoding.features.empty();
    required(statistics, "statistics")
        .statistics.set_encoding(is_table ? all.encoding : FeatureEncoding::of_numbers(all.column_names), all.target);
  });
}
ardvark_code ardvark_statistics_update(ardvark_statistics* statistics, const ardvark_matrix* X, const double* target, const double* weights,
                                       ardvark_error* error) {
  return guarded(error, [&] {
    const Data data(X, "X");
    const Index rows = data.X().rows();
    required(statistics, "statistics").statistics.update(data.X(), vector_of(target, rows, "target"), weights_of(weights, rows));
  });
}
ardvark_code ardvark_statistics_merge(ardvark_statistics* statistics, const ardvark_statistics* right, ardvark_error* error) {
  return guarded(error, [&] { required(statistics, "statistics").statistics.merge(required(right, "right").statistics); });
}
ardvark_code ardvark_statistics_result(const ardvark_statistics* statistics, ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] { return required(statistics, "statistics").statistics; });
}
ardvark_code ardvark_statistics_to_bytes(const ardvark_statistics* statistics, void** data, size_t* size, ardvark_error* error) {
  return guarded(error, [&] { give_bytes(required(statistics, "statistics").statistics.to_bytes(), data, size); });
}
ardvark_code ardvark_statistics_from_bytes(const void* data, size_t size, ardvark_statistics** statistics, ardvark_error* error) {
  return made(statistics, "statistics", error, [&] { return LinearStatistics::from_bytes(bytes_of(data, size)); });
}
ardvark_code ardvark_statistics_error(const ardvark_statistics* statistics, const ardvark_model* model, double* mean_square,
                                      ardvark_error* error) {
  return guarded(error, [&] {
    const Fit* const fit = required(model, "model").model->score();
    if (fit == nullptr) throw refused("model", "is no linear regression");
    required(mean_square, "mean_square") = squared_error(*fit, required(statistics, "statistics").statistics);
  });
}
ardvark_code ardvark_fit_folds(const ardvark_statistics* const* folds, int64_t count, const ardvark_options* options, ardvark_model** model,
                               ardvark_error* error) {
  return modelled(model, error, [&] {
    std::vector<LinearStatistics> all;
    for (Index f = 0; f < count; ++f) all.push_back(required((&required(folds, "folds"))[f], "folds").statistics);
    const CallOptions asked(options);
    return fit_model(all, asked.values);
  });
}
ardvark_code ardvark_fit_statistics(const ardvark_statistics* statistics, const ardvark_options* options, ardvark_model** model,
                                    ardvark_error* error) {
  return modelled(model, error, [&] {
    const CallOptions all(options);
    return fit_model(required(statistics, "statistics").statistics, all.values);
  });
}

}  // extern "C"
