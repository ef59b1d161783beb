// fit and predict of PLINK 1 filesets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ardvark/genotypes.hpp"
#include "fit.hpp"
#include "predictions.hpp"

namespace ardvark::cli {

/// Of --covariates, for the help.
inline constexpr const char* about_covariates =
    "PLINK filesets: a table with the columns FID and IID (or only IID) and others, such as age and sex, which are fitted without a prior";

/// Whether the first file is a .bed file.
[[nodiscard]] bool are_genotypes(const std::vector<std::string>& files);

[[nodiscard]] int fit_genotypes(FitArguments args);

/// How genotypes are predicted.
struct GenotypeArguments {
  std::string covariates, absent_variants = "refuse";
  TableFormat format;
};

/// New genotypes with what stands beside them.
struct NewGenotypes {
  Index num_rows = 0;
  Prediction prediction;
  std::vector<KeptColumn> samples;     ///< FID and IID
  std::optional<KeptColumn> observed;  ///< the phenotypes, if the model was fitted to those of a .fam file
  std::vector<std::string> notes;
};
/// \throws InvalidArgument  as predict() of genotypes; a sample has no covariates
[[nodiscard]] NewGenotypes predict_genotypes(const SavedModel& model, const std::string& path, const GenotypeArguments& args,
                                             const ModelOptions& options);

}  // namespace ardvark::cli
