// Genotypes of PLINK filesets in the C interface.
#include "ardvark/genotypes.hpp"

#include <string>
#include <utility>
#include <vector>

#include "capi/arguments.hpp"
#include "capi/prediction.hpp"

struct ardvark_genotypes {
  ardvark::Genotypes genotypes;
};

namespace ardvark::internal::capi {
namespace {

// A text for each variant or sample.
std::vector<std::string> texts(Index count, auto&& text_of) {
  std::vector<std::string> out;
  out.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) out.emplace_back(text_of(i));
  return out;
}

void visit(const Genotypes& X, Fields& out) {
  const auto of_variants = [&](const char* name, auto&& text_of) {
    if (out.wants(name)) out.put(name, Json(texts(X.num_variants(), text_of)));
  };
  const auto of_samples = [&](const char* name, auto&& text_of) {
    if (out.wants(name)) out.put(name, Json(texts(X.num_samples(), text_of)));
  };
  out.put("num_samples", Json(X.num_samples()));
  out.put("num_variants", Json(X.num_variants()));
  out.put("num_missing", Json(X.num_missing()));
  out.put("count_allele", Json(X.count_allele()));
  out.put("notes", Json(X.notes()));
  out.put("means", X.means());
  of_variants("name", [&](Index j) { return X.name(j); });
  of_variants("chromosome", [&](Index j) { return X.variant(j).chromosome; });
  of_variants("position", [&](Index j) { return X.variant(j).position; });
  of_variants("counted", [&](Index j) { return X.counted_allele(j); });
  of_variants("other", [&](Index j) { return X.other_allele(j); });
  of_samples("FID", [&](Index i) { return X.sample(i).family; });
  of_samples("IID", [&](Index i) { return X.sample(i).name; });
  of_samples("sex", [&](Index i) { return X.sample(i).sex; });
}

void visit(const Phenotype& phenotype, Fields& out) {
  out.put("values", phenotype.values);
  out.put("classes", Json(phenotype.classes));
  out.put("notes", Json(phenotype.notes));
}

// The columns beside the genotypes; null: none.
class Beside {
 public:
  Beside(const ardvark_matrix* matrix, const char* const* names) {
    if (matrix == nullptr) return;
    data_.emplace(matrix, "beside");
    for (Index j = 0; names != nullptr && j < data_->X().cols(); ++j) names_.emplace_back(text_of(names[j], "names"));
    for (Index j = 0; names == nullptr && j < data_->X().cols(); ++j) names_.push_back(fmt::format("c{}", j + 1));
  }
  [[nodiscard]] MatrixView X() const { return data_ ? data_->X() : MatrixView(); }
  [[nodiscard]] GenotypeCovariates covariates() const { return {X(), FeatureEncoding::of_numbers(names_)}; }

 private:
  std::optional<Data> data_;
  std::vector<std::string> names_;
};

}  // namespace
}  // namespace ardvark::internal::capi

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

ardvark_code ardvark_genotypes_read(const char* path, int32_t count_allele, ardvark_genotypes** genotypes, ardvark_error* error) {
  return made(genotypes, "genotypes", error, [&] { return read_plink(std::string(text_of(path, "path")), count_allele); });
}
void ardvark_genotypes_free(ardvark_genotypes* genotypes) { delete genotypes; }

ardvark_code ardvark_genotypes_result(const ardvark_genotypes* genotypes, ardvark_result** result, ardvark_error* error) {
  return made(result, "result", error,
              [&] { return [X = required(genotypes, "genotypes").genotypes](Fields& out) { capi::visit(X, out); }; });
}
ardvark_code ardvark_genotypes_phenotype(const ardvark_genotypes* genotypes, ardvark_result** result, ardvark_error* error) {
  return made(result, "result", error,
              [&] { return [found = required(genotypes, "genotypes").genotypes.phenotype()](Fields& out) { capi::visit(found, out); }; });
}
ardvark_code ardvark_genotypes_rows(const ardvark_genotypes* genotypes, const int64_t* rows, int64_t count, ardvark_genotypes** some,
                                    ardvark_error* error) {
  return made(some, "some", error, [&] {
    if (count > 0) required(rows, "rows");
    return required(genotypes, "genotypes").genotypes.rows(std::vector<Index>(rows, rows + std::max<Index>(count, 0)));
  });
}
ardvark_code ardvark_genotypes_counts(const ardvark_genotypes* genotypes, int8_t* counts, ardvark_error* error) {
  return guarded(error, [&] { required(genotypes, "genotypes").genotypes.write_counts(&required(counts, "counts")); });
}

ardvark_code ardvark_fit_genotypes(const ardvark_genotypes* X, const ardvark_matrix* beside, const char* const* names, const double* target,
                                   const ardvark_options* options, ardvark_model** model, ardvark_error* error) {
  return modelled(model, error, [&] {
    const Genotypes& all = required(X, "X").genotypes;
    const Beside columns(beside, names);
    const CallOptions asked(options);
    return fit_model(all, vector_of(target, all.num_samples(), "target"), asked.values, columns.covariates());
  });
}
ardvark_code ardvark_predict_genotypes(const ardvark_model* model, const ardvark_genotypes* X, const ardvark_matrix* beside,
                                       int32_t absent_at_mean, const double* target, const ardvark_options* options,
                                       ardvark_result** result, ardvark_error* error) {
  return made(result, "result", error, [&] {
    const Beside columns(beside, nullptr);
    const MatchedGenotypes matched(*required(model, "model").model, required(X, "X").genotypes,
                                   absent_at_mean != 0 ? AbsentVariants::mean : AbsentVariants::refuse);
    auto predicted = prediction_of(model, matched.view(columns.X()), target, options);
    return [predicted, notes = matched.notes()](Fields& out) {
      predicted(out);
      out.put("notes", Json(notes));
    };
  });
}

}  // extern "C"
