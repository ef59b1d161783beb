#include "likelihood/registry.hpp"

#include <algorithm>

#include "ardvark/errors.hpp"

namespace ardvark::internal {
namespace {

using Input = LikelihoodInput;

std::unique_ptr<Likelihood> of_classes(std::unique_ptr<Likelihood> rows, InterceptForm form, const Input& in) {
  return in.last == LastRow::intercept ? with_intercept_row(std::move(rows), form, in.start_xi) : std::move(rows);
}

const LikelihoodRow table[] = {
    {"gaussian", Task::linear,
     [](Input in) -> std::unique_ptr<Likelihood> {
       return std::make_unique<Gaussian>(std::move(in.y), std::move(in.k), in.noise.shape, in.noise.rate, in.num_flat, in.num_penalised);
     }},
    {"gaussian-factorised", Task::linear,
     [](Input in) { return make_gaussian_factorised(std::move(in.y), std::move(in.k), in.noise, in.start_noise); }},
    {"vg", Task::logistic,
     [](Input in) { return of_classes(make_logistic_gaussian(std::move(in.y), std::move(in.k)), InterceptForm::moments, in); }},
    {"jj", Task::logistic,
     [](Input in) { return of_classes(make_logistic_bound(in.y, std::move(in.k), in.start_xi), InterceptForm::bound, in); }},
    {"laplace", Task::logistic,
     [](Input in) { return of_classes(make_logistic_laplace(std::move(in.y), std::move(in.k)), InterceptForm::mode, in); }},
    {"student", Task::linear, [](Input in) { return make_student(std::move(in.y), std::move(in.k), in.noise); }},
    {"negative-binomial", Task::counts,
     [](Input in) { return make_negative_binomial(std::move(in.y), std::move(in.k), in.num_flat, std::move(in.offset)); }},
    {"poisson", Task::counts, [](Input in) { return make_poisson(std::move(in.y), std::move(in.k), in.num_flat, std::move(in.offset)); }},
};

const char* name_of(Task task, const FitOptions& options) {
  const Family family = options.family.value_or(Family::automatic);
  if (task == Task::linear && family == Family::student) return "student";
  if (task == Task::linear) return options.posterior == LinearPosterior::joint ? "gaussian" : "gaussian-factorised";
  if (task == Task::counts) return family == Family::negative_binomial ? "negative-binomial" : "poisson";
  switch (options.likelihood.value_or(LogisticLikelihood::gaussian)) {
    case LogisticLikelihood::gaussian: return "vg";
    case LogisticLikelihood::bound: return "jj";
    case LogisticLikelihood::laplace: return "laplace";
  }
  throw InternalError("no such likelihood");
}

}  // namespace

std::span<const LikelihoodRow> likelihoods() { return table; }

const LikelihoodRow& likelihood_row(std::string_view name) {
  const auto* found = std::ranges::find_if(table, [&](const LikelihoodRow& row) { return row.name == name; });
  if (found == std::end(table)) throw InternalError("no such likelihood");
  return *found;
}

const LikelihoodRow& likelihood_row(Task task, const FitOptions& options) { return likelihood_row(name_of(task, options)); }

}  // namespace ardvark::internal
