// Genotypes of a PLINK 1 fileset: fits and predictions that keep them in 2 bits each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/genotype_view.hpp"
#include "ardvark/model.hpp"

namespace ardvark {

namespace internal::io {
struct GenotypeData;
}

/// A line of a .bim file.
struct Variant {
  std::string_view chromosome, name, position, allele_1, allele_2;
};
/// A line of a .fam file.
struct Sample {
  std::string_view family, name, sex, phenotype;
};

/// What a fit explains. NaN: missing.
struct Phenotype {
  Vector values;                          ///< [samples] numbers, or positions in `classes`
  std::vector<std::string> classes = {};  ///< not empty: of two classes
  Index num_missing = 0;
  std::vector<std::string> notes = {};
};

/// A PLINK 1 fileset, or some of its samples. Copies share the memory; a whole fileset lies in the memory of the file (mmap), which must
/// not change while it is used.
class Genotypes {
 public:
  explicit Genotypes(std::shared_ptr<const internal::io::GenotypeData> data) : data_(std::move(data)) {}

  [[nodiscard]] Index num_samples() const;
  [[nodiscard]] Index num_variants() const;
  [[nodiscard]] Variant variant(Index j) const;
  [[nodiscard]] Sample sample(Index i) const;
  /// The name of the .bim file; for one without a name ("."), chromosome:position:allele:allele with the alleles in sorted order.
  [[nodiscard]] const std::string& name(Index j) const;
  [[nodiscard]] std::string_view counted_allele(Index j) const;
  [[nodiscard]] std::string_view other_allele(Index j) const;
  [[nodiscard]] int count_allele() const;  ///< 1 or 2: which allele of each line of the .bim file is counted

  /// [variants] the mean number of copies among the samples whose genotype is known (0 if none is), which stands for a missing genotype.
  [[nodiscard]] VectorView means() const;
  [[nodiscard]] Index num_missing() const;               ///< genotypes
  [[nodiscard]] const std::string& path() const;         ///< of the .bed file
  [[nodiscard]] std::vector<std::string> notes() const;  ///< what there is to say of them: the counted allele, missing genotypes, names

  /// The last column of the .fam file. If its numbers are all among -9, 0, 1 and 2, with a 2, it has classes: 1 is control, 2 is case, and
  /// the others are missing. Otherwise it has numbers, and -9, NA and nan are missing.
  /// \throws InvalidArgument  a phenotype is neither; all are missing
  [[nodiscard]] Phenotype phenotype() const;

  /// Some samples, in any order.
  [[nodiscard]] Genotypes rows(const std::vector<Index>& samples) const;
  /// \param beside  [samples, any] dense columns
  [[nodiscard]] GenotypeView view(const MatrixView& beside = {}) const;
  /// [samples, variants], column-major: the copies of the counted allele; -127 for a missing one, as bed-reader has it.
  void write_counts(std::int8_t* to) const;

  [[nodiscard]] const internal::io::GenotypeData& data() const { return *data_; }

 private:
  std::shared_ptr<const internal::io::GenotypeData> data_;
};

/// Reads study.bed with study.bim and study.fam beside it.
/// \param path          "study.bed" or "study"
/// \param count_allele  1: numbers are copies of allele 1, the fifth field of .bim (often the minor allele); 2: of the sixth
/// \throws InvalidArgument   the .bed file is none, or is in sample-major order; its length does not fit .bim and .fam; a line of these
/// does
///                           not have six fields; two variants have one name
/// \throws EnvironmentError  a file cannot be read
[[nodiscard]] Genotypes read_plink(const std::string& path, int count_allele = 1);

/// Columns beside the genotypes, such as age and sex. They have no prior.
struct GenotypeCovariates {
  MatrixView X;                   ///< [samples, columns of the encoding]
  FeatureEncoding encoding = {};  ///< gives them their names
};

/// Fits a linear model, or one of two classes. The model keeps the alleles of the variants that it uses.
/// \param target  as for fit_model
/// \throws InvalidArgument  a column beside the genotypes has the name of a variant; what fit_model throws
[[nodiscard]] SavedModel fit_model(const Genotypes& X, VectorView target, const ModelOptions& options,
                                   const GenotypeCovariates& covariates = {});

/// What a prediction does with a variant of the model that the new genotypes do not have, or have with other alleles.
enum class AbsentVariants {
  refuse,
  mean  ///< it counts as the mean of the fit, and a note says how many there are
};

/// New genotypes as the model counts them.
class MatchedGenotypes {
 public:
  /// Variants are found by name. If the two alleles of one are swapped, the other one is counted; missing genotypes are at the mean of the
  /// fit. Variants whose coefficients are zero are not looked for.
  /// \throws InvalidArgument  the model was not fitted to genotypes; a variant is not there or has other alleles, unless `absent` is mean
  MatchedGenotypes(const SavedModel& model, const Genotypes& X_new, AbsentVariants absent = AbsentVariants::refuse);
  /// \param beside  [samples, columns of the model that are no variants]
  [[nodiscard]] GenotypeView view(const MatrixView& beside = {}) const;
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  Genotypes X_;
  std::vector<std::int64_t> line_;
  std::vector<std::uint8_t> counts_second_;
  std::vector<double> missing_;
  std::vector<std::string> notes_;
};

/// The number of columns of a model that are variants; 0: it was not fitted to genotypes.
[[nodiscard]] Index num_variants(const SavedModel& model);

/// \param beside  as MatchedGenotypes::view
/// \throws InvalidArgument  as MatchedGenotypes; what predict of the model throws
[[nodiscard]] Prediction predict(const SavedModel& model, const Genotypes& X_new, const MatrixView& beside = {},
                                 const ModelOptions& options = {}, AbsentVariants absent = AbsentVariants::refuse);

}  // namespace ardvark
