// Fits a linear, a logistic or a count model of an X that is sparse, or of genotypes, by its options.

#include "core/classes.hpp"
#include "core/validate.hpp"
#include "fit/validate_options.hpp"
#include "model/choice.hpp"
#include "model/fit_parts.hpp"
#include "model/missing.hpp"
#include "model/remarks.hpp"
#include "model/resolve.hpp"
#include "table/fit_table.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr const char *models = "has a linear, a logistic or a count model",
                     *models_of_genotypes = "has a linear model, or a logistic one of two classes";

template <typename Form>
struct FormFitter {
  static constexpr bool is_sparse = std::is_same_v<Form, CscView>;
  Form X;
  VectorView target;
  const ModelOptions& options;

  SavedModel operator()(const LinearModel& model) const {
    validate::vector(target, X.rows(), "y");
    require_numbers(options);
    SavedModel saved{fit_linear(X, target, model.options)};
    FewValues values;
    for (const double y : target) values.add(y);
    if (const std::string warning = values.remark(options); !warning.empty()) saved.score()->report.warnings.push_back(warning);
    add_selected(options, model.options, X, target, saved);
    return saved;
  }
  SavedModel operator()(const LogisticModel& model) const {
    validate::vector(target, X.rows(), "labels");
    if (has_several_classes(options, target)) {
      require_classes(options, target, options.spelled("model", "linear"));
      if constexpr (is_sparse)
        return {fit_softmax(X, target, softmax_options(options, model.options))};
      else
        refuse_sparse(X, "a model of several classes", models_of_genotypes);
    }
    require_two_classes(options, target);
    SavedModel saved{fit_logistic(X, target, model.options)};
    add_selected(options, model.options, X, target, saved);
    name_classes(options, target, *saved.score());
    return saved;
  }
  SavedModel operator()(const CountModel& model) const {
    validate::vector(target, X.rows(), "y");
    require_numbers(options);
    if constexpr (is_sparse) {
      SavedModel saved{fit_counts(X, target, model.options)};
      add_selected(options, model.options, X, target, saved);
      return saved;
    } else {
      refuse_sparse(X, options.spelled("model", "counts"), models_of_genotypes);
    }
  }
  SavedModel operator()(const auto&) const {
    throw InternalError("an X that is not dense has no such model");  // which is refused before
  }
};

template <typename Form>
SavedModel fit_form(Form X, VectorView target, const ModelOptions& options) {
  return in_names_of(options, [&] {
    if (missing_of(options) != Missing::refuse) refuse_sparse(X, options.spelled("missing", options.missing), "takes no missing values");
    const bool is_encoded = !options.encoding.features.empty();
    const ModelOptions encoded = is_encoded ? with_encoded_columns(options, X.cols()) : ModelOptions();
    const ModelOptions& all = is_encoded ? encoded : options;  // no copy of the names of very many columns
    const ResolvedModel resolved = resolve(all);
    validate_preset_of_table(X, options.preset, options.compat);
    if (const auto refused = refused_in(options, fit_case::sparse_x))
      refuse_sparse(X, refused->what, FormFitter<Form>::is_sparse ? models : models_of_genotypes);
    SavedModel model = with_remedy("leave out such rows", [&] { return std::visit(FormFitter<Form>{X, target, all}, resolved); });
    if (Fit* const fit = model.score())
      fit->target = options.target;
    else
      model.softmax()->target = options.target;
    if constexpr (FormFitter<Form>::is_sparse) add_remarks(remarks_on_table(X, options), report_of(model));
    note_weights(options.weights, report_of(model));
    return described(std::move(model), options);
  });
}

}  // namespace

SavedModel fit_model(CscView X, VectorView target, const ModelOptions& options) { return fit_form(X, target, options); }
SavedModel fit_model(GenotypeView X, VectorView target, const ModelOptions& options) { return fit_form(X, target, options); }

}  // namespace ardvark
