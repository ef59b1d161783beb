#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "ardvark/compare.hpp"
#include "ardvark/normalize.hpp"
#include "ardvark/plot.hpp"
#include "ardvark/posterior.hpp"
#include "ardvark/progress.hpp"
#include "capi/arguments.hpp"
#include "capi/prediction.hpp"
#include "core/refusals.hpp"
#include "model/choice.hpp"
#include "model/missing.hpp"
#include "target/target.hpp"

namespace ardvark::internal::capi {

namespace {

template <typename Value>
Value word_of(std::string_view word, const char* name, std::initializer_list<std::pair<const char*, Value>> words) {
  std::string known;
  for (const auto& [text, value] : words) {
    if (word == text) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw wrong(name, word, fmt::format("it must be one of {}", known));
}

RowOrder row_order_of(const ardvark_options* options) {
  return internal::row_order_of(options == nullptr ? ModelOptions() : options->options);
}

void set(ardvark_options* options, const char* name, ModelOptions::Value value) {
  required(options, "options").options.set(std::string(text_of(name, "name")), value);
}

// \param asked_for  what only such a model has
const Fit& one_score(const ardvark_model* model, const char* asked_for) {
  const SavedModel& saved = *required(model, "model").model;
  if (const Fit* const fit = saved.score()) return *fit;
  if (const auto* const machine = std::get_if<RelevanceFit>(&saved.fit); machine != nullptr && machine->machines.size() == 1)
    return machine->machines.front().fit;
  throw InvalidArgument(fmt::format("only a regression or two classes have {}; with several classes ask for the covariance", asked_for));
}

PathGrid grid_of(const double* lambdas, std::int64_t count, double smallest) {
  PathGrid grid;
  if (lambdas != nullptr) grid.lambdas.assign(lambdas, lambdas + std::max<Index>(count, 0));
  if (lambdas == nullptr && count != 0) grid.count = static_cast<int>(std::clamp<std::int64_t>(count, -1, 1 << 20));
  grid.smallest = smallest;
  return grid;
}

}  // namespace
}  // namespace ardvark::internal::capi

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

const char* ardvark_version(void) { return ARDVARK_VERSION; }
void ardvark_free(void* memory) { std::free(memory); }

ardvark_options* ardvark_options_create(void) {
  try {
    return new ardvark_options;
  } catch (...) {
    return nullptr;
  }
}
void ardvark_options_free(ardvark_options* options) { delete options; }

ardvark_code ardvark_options_set_text(ardvark_options* options, const char* name, const char* value, ardvark_error* error) {
  return guarded(error, [&] { set(options, name, std::string(text_of(value, "value"))); });
}
ardvark_code ardvark_options_set_number(ardvark_options* options, const char* name, double value, ardvark_error* error) {
  return guarded(error, [&] { set(options, name, value); });
}
ardvark_code ardvark_options_set_numbers(ardvark_options* options, const char* name, const double* values, int64_t count,
                                         ardvark_error* error) {
  return guarded(error, [&] {
    const VectorView list = vector_of(values, std::max<Index>(count, 0), "values");
    set(options, name, std::vector<double>(list.begin(), list.end()));
  });
}
ardvark_code ardvark_options_set_texts(ardvark_options* options, const char* name, const char* const* values, int64_t count,
                                       ardvark_error* error) {
  return guarded(error, [&] {
    std::vector<std::string> texts;
    for (Index i = 0; i < count; ++i) texts.emplace_back(text_of((&required(values, "values"))[i], "values"));
    set(options, name, std::move(texts));
  });
}
void ardvark_options_set_progress(ardvark_options* options, ardvark_progress_callback callback, void* context, double seconds) {
  if (options == nullptr) return;
  options->progress = callback;
  options->context = context;
  options->seconds = seconds;
}

ardvark_code ardvark_progress_line(const char* text, double elapsed_seconds, double seconds_left, char** line, ardvark_error* error) {
  return guarded(error, [&] {
    store(line, "line", [&] { return copy(with_times(std::string(text_of(text, "text")), elapsed_seconds, seconds_left)); });
  });
}

ardvark_code ardvark_fit(const ardvark_matrix* X, const double* target, const ardvark_options* options, ardvark_model** model,
                         ardvark_error* error) {
  return modelled(model, error, [&] {
    const Data data(X, "X");
    const CallOptions all(options);
    return fit_model(data.X(), vector_of(target, data.X().rows(), "target"), all.values);
  });
}
ardvark_code ardvark_fit_csc(const ardvark_csc* X, const double* target, const ardvark_options* options, ardvark_model** model,
                             ardvark_error* error) {
  return modelled(model, error, [&] {
    const CscView data = csc_of(X, "X");
    const CallOptions all(options);
    return fit_model(data, vector_of(target, data.rows(), "target"), all.values);
  });
}
void ardvark_model_free(ardvark_model* model) { delete model; }

ardvark_code ardvark_model_result(const ardvark_model* model, const ardvark_options* options, ardvark_result** result,
                                  ardvark_error* error) {
  return made(result, "result", error, [&] {
    auto fit = required(model, "model").model;
    if (options != nullptr && options->options.fdr) fit = std::make_shared<const SavedModel>(at_fdr(*fit, *options->options.fdr));
    return [fit, level = level_of(options)](Fields& out) { visit(*fit, level, out); };
  });
}

ardvark_code ardvark_model_from_moments(const ardvark_moments* moments, const ardvark_options* options, ardvark_model** model,
                                        ardvark_error* error) {
  return modelled(model, error, [&] {
    const ardvark_moments& m = sized(moments, "moments", "ardvark_moments");
    const Data V(m.V, "V");
    std::optional<Data> inverse;
    if (m.V_inverse != nullptr) inverse.emplace(m.V_inverse, "V_inverse");
    const Moments given{vector_of(m.mean, std::max<Index>(m.columns, 0), "mean"), V.X(), inverse ? inverse->X() : MatrixView(),
                        GammaDistribution{m.noise_shape, m.noise_rate}};
    return model_from_moments(given, CallOptions(options).values);
  });
}

ardvark_code ardvark_model_V_inverse(const ardvark_model* model, const ardvark_matrix* X, ardvark_array* array, ardvark_error* error) {
  return guarded(error, [&] {
    ardvark_array& out = array_of(array, "array");
    const Fit* const fit = required(model, "model").model->score();
    if (fit == nullptr) throw InvalidArgument("V^-1 exists only for one linear or logistic regression");
    std::optional<Data> rows;
    if (X != nullptr) rows.emplace(X, "X");
    give(V_inverse(*fit, rows ? rows->X() : MatrixView()), out);
  });
}

ardvark_code ardvark_model_covariance(const ardvark_model* model, const int64_t* columns, int64_t count, ardvark_array* array,
                                      ardvark_error* error) {
  return guarded(error, [&] {
    ardvark_array& out = array_of(array, "array");
    const Fit& fit = one_score(model, "the covariance of some columns");
    if (count > 0) required(columns, "columns");
    give(covariance_of(fit, std::vector<Index>(columns, columns + std::max<std::int64_t>(count, 0))), out);
  });
}

ardvark_code ardvark_model_draws(const ardvark_model* model, int64_t count, const ardvark_options* options, ardvark_result** result,
                                 ardvark_error* error) {
  return reported(result, error, [&] { return draw_weights(one_score(model, "draws"), count, seed_of(CallOptions(options).values)); });
}

ardvark_code ardvark_model_summary(const ardvark_model* model, const ardvark_options* options, char** text, ardvark_error* error) {
  return guarded(error,
                 [&] { store(text, "text", [&] { return copy(summary(*required(model, "model").model, CallOptions(options).values)); }); });
}

ardvark_code ardvark_model_drawing(const ardvark_model* model, int32_t width, const ardvark_options* options, char** text,
                                   ardvark_error* error) {
  constexpr int usual_width = 80;
  return guarded(error, [&] {
    const CallOptions asked(options);
    store(text, "text",
          [&] { return copy(drawing(*required(model, "model").model, width == 0 ? usual_width : width, asked.values.level)); });
  });
}

ardvark_code ardvark_predict(const ardvark_model* model, const ardvark_matrix* X, const double* target, const ardvark_options* options,
                             ardvark_result** result, ardvark_error* error) {
  return made(result, "result", error, [&] { return prediction_of(model, Data(X, "X").X(), target, options); });
}

ardvark_code ardvark_predict_csc(const ardvark_model* model, const ardvark_csc* X, const double* target, const ardvark_options* options,
                                 ardvark_result** result, ardvark_error* error) {
  return made(result, "result", error, [&] { return prediction_of(model, csc_of(X, "X"), target, options); });
}

ardvark_code ardvark_predict_joint(const ardvark_model* model, const ardvark_matrix* X, int64_t draws, const ardvark_options* options,
                                   ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] {
    if (draws < 0) throw wrong("draws", draws, "it must be at least 0");
    const auto fit = required(model, "model").model;
    const Data data(X, "X");
    const CallOptions asked(options);
    return joint_result(*fit, data.X(), draws, asked.values);
  });
}

ardvark_code ardvark_model_save(const ardvark_model* model, const char* path, ardvark_error* error) {
  return guarded(error, [&] { save_model(std::string(text_of(path, "path")), *required(model, "model").model); });
}
ardvark_code ardvark_model_load(const char* path, ardvark_model** model, ardvark_error* error) {
  return modelled(model, error, [&] { return load_model(std::string(text_of(path, "path"))); });
}
ardvark_code ardvark_model_to_bytes(const ardvark_model* model, void** data, size_t* size, ardvark_error* error) {
  return guarded(error, [&] { give_bytes(model_to_bytes(*required(model, "model").model), data, size); });
}
ardvark_code ardvark_model_from_bytes(const void* data, size_t size, ardvark_model** model, ardvark_error* error) {
  return modelled(model, error, [&] { return model_from_bytes(bytes_of(data, size)); });
}

ardvark_code ardvark_select(const ardvark_matrix* X, const double* labels, const ardvark_options* options, ardvark_result** result,
                            ardvark_error* error) {
  return reportable(result, error, [&] {
    const Data data(X, "X");
    const CallOptions asked(options);
    const auto all = std::make_shared<const ModelOptions>(asked.values);
    const auto counts =
        std::make_shared<const SelectionCounts>(select_columns(data.X(), vector_of(labels, data.X().rows(), "labels"), *all));
    return std::pair([counts, all](Fields& out) { visit(*counts, *all, out); }, counts);
  });
}

namespace {

// NULL: the default.
void set_names(const char* list, std::vector<std::string>& names) {
  if (list == nullptr) return;
  names.clear();
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

ardvark_code ardvark_compare(const ardvark_matrix* X, const double* target, const char* priors, const char* kernels,
                             const ardvark_options* options, ardvark_result** result, ardvark_error* error) {
  return reportable(result, error, [&] {
    const Data data(X, "X");
    const CallOptions asked(options);
    ComparisonOptions all;
    all.model = asked.values;
    set_names(priors, all.priors);
    set_names(kernels, all.kernels);
    const auto take = [&](std::vector<std::string>& to, std::initializer_list<std::string_view> words) {
      const auto others = std::stable_partition(all.kernels.begin(), all.kernels.end(),
                                                [&](const auto& name) { return std::ranges::find(words, name) == words.end(); });
      to.assign(others, all.kernels.end());
      all.kernels.erase(others, all.kernels.end());
    };
    take(all.models, {"kernel"});
    take(all.families, {"normal", "student", "poisson", "negative-binomial"});
    const char* const name = facts_of(task_of_model(all.model.model)).argument;
    const auto comparison = std::make_shared<const Comparison>(compare_models(data.X(), vector_of(target, data.X().rows(), name), all));
    const auto visit_all = [comparison](Fields& out) {
      visit(*comparison, out);
      if (out.wants("summary")) out.put("summary", Json(summary(*comparison)));
    };
    return std::pair(visit_all, comparison);
  });
}

ardvark_code ardvark_path(const ardvark_matrix* X, const double* labels, const double* lambdas, int64_t count, double smallest,
                          const ardvark_options* options, ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] {
    const Data data(X, "X");
    const CallOptions asked(options);
    return fit_path(data.X(), vector_of(labels, data.X().rows(), "labels"), grid_of(lambdas, count, smallest), asked.values);
  });
}
ardvark_code ardvark_path_csc(const ardvark_csc* X, const double* labels, const double* lambdas, int64_t count, double smallest,
                              const ardvark_options* options, ardvark_result** result, ardvark_error* error) {
  return reported(result, error, [&] {
    const CscView data = csc_of(X, "X");
    const CallOptions asked(options);
    return fit_path(data, vector_of(labels, data.rows(), "labels"), grid_of(lambdas, count, smallest), asked.values);
  });
}

ardvark_code ardvark_normalize(const ardvark_matrix* X, const ardvark_matrix* like, const char* center, const char* scale, double* out,
                               ardvark_error* error) {
  return guarded(error, [&] {
    const Data data(X, "X");
    std::optional<Data> other;
    if (like != nullptr) other.emplace(like, "like");
    const ColumnUnits units =
        column_units(other ? other->X() : data.X(),
                     word_of<ColumnCenter>(text_of(center, "center"), "center",
                                           {{"none", ColumnCenter::none}, {"each", ColumnCenter::each}, {"all", ColumnCenter::all}}),
                     word_of<ColumnScale>(text_of(scale, "scale"), "scale",
                                          {{"none", ColumnScale::none},
                                           {"each", ColumnScale::each},
                                           {"all", ColumnScale::all},
                                           {"stdeach", ColumnScale::deviation_each},
                                           {"stdall", ColumnScale::deviation_all}}));
    const Matrix Z = in_units(data.X(), units);
    std::copy_n(Z.data(), Z.size(), &required(out, "out"));
  });
}

ardvark_code ardvark_sequential_create(int64_t columns, const ardvark_options* options, ardvark_sequential** filter, ardvark_error* error) {
  return made(filter, "filter", error, [&] {
    const ModelOptions all = CallOptions(options).values;
    SequentialOptions sequential;
    sequential.precision = all.precision;
    if (all.block_rows) sequential.block_rows = *all.block_rows;
    sequential.threads = all.threads;
    return SequentialLogistic(columns, sequential);
  });
}
void ardvark_sequential_free(ardvark_sequential* filter) { delete filter; }

ardvark_code ardvark_sequential_update(ardvark_sequential* filter, const ardvark_matrix* X, const double* labels, ardvark_error* error) {
  return guarded(error, [&] {
    const Data data(X, "X");
    required(filter, "filter").filter.update(data.X(), vector_of(labels, data.X().rows(), "labels"));
  });
}
ardvark_code ardvark_sequential_update_weighted(ardvark_sequential* filter, const ardvark_matrix* X, const double* labels,
                                                const double* weights, const ardvark_options* options, ardvark_error* error) {
  return guarded(error, [&] {
    const Data data(X, "X");
    const Index rows = data.X().rows();
    required(filter, "filter").filter.update(data.X(), vector_of(labels, rows, "labels"), weights_of(weights, rows), row_order_of(options));
  });
}
ardvark_code ardvark_sequential_model(const ardvark_sequential* filter, const ardvark_options* options, ardvark_model** model,
                                      ardvark_error* error) {
  return modelled(model, error, [&] {
    const ModelOptions all = CallOptions(options).values;
    return sequential_model(required(filter, "filter").filter, all);
  });
}
ardvark_code ardvark_sequential_from_model(const ardvark_model* model, const ardvark_options* options, ardvark_sequential** filter,
                                           ardvark_error* error) {
  return made(filter, "filter", error, [&] {
    const ModelOptions all = CallOptions(options).values;
    return sequential_from_model(*required(model, "model").model, all);
  });
}
ardvark_code ardvark_sequential_to_bytes(const ardvark_sequential* filter, void** data, size_t* size, ardvark_error* error) {
  return guarded(error, [&] { give_bytes(required(filter, "filter").filter.to_bytes(), data, size); });
}
ardvark_code ardvark_sequential_from_bytes(const void* data, size_t size, ardvark_sequential** filter, ardvark_error* error) {
  return made(filter, "filter", error, [&] { return SequentialLogistic::from_bytes(bytes_of(data, size)); });
}

}  // extern "C"
