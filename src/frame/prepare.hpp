// From the caller's table to a design: moments, standardisation, columns that can take no part, and the partition of the prior.
#pragma once

#include "ardvark/fit.hpp"
#include "design/dense.hpp"
#include "waist/waist.hpp"

namespace ardvark::internal {

/// Which of the columns are in a list. \throws InvalidArgument where it names one that X does not have
[[nodiscard]] std::vector<bool> marked_columns(const std::vector<Index>& columns, const char* what, Index num_columns);

/// A regression needs as many rows as it has columns without a prior; weights count as repetitions.
/// \throws InvalidArgument  naming the weights, if there are any, and their sum
void require_rows(const FitOptions& options, double total, Index num_flat);

/// What is lost of numbers whose differences have few digits, as a warning.                                                     (LIN.7)
[[nodiscard]] std::string few_digits(const std::string& what, double spread, double mean);

/// The observation weights; of none, ones.
[[nodiscard]] Vector weights_or_ones(VectorView weights, Index n);

struct Prepared {
  Standardization standardization;
  std::vector<bool> left_out;  ///< [p] constant, or a copy of an earlier column
  std::vector<std::string> notes, warnings;
};

/// Weighted centre and scale of each column (with an intercept: mean and standard deviation; without: 0 and root mean square), and which
/// columns take no part in a model. With neither intercept nor standardisation nothing is touched.
/// \throws InvalidArgument  X is not finite, or beyond what squares of doubles hold
Prepared prepare_columns(MatrixView X, const Vector& k, const FitOptions& options);

/// The partition of the design's columns, and the hyper-priors of its groups. Validates the prior, which is none of automatic and sparse.
struct PreparedPrior {
  Partition partition;
  Vector shape, rate;
  PriorKind kind = PriorKind::shared;
};
/// Whether the intercept of two classes has a prior: it stands alone among the flat columns, and no published program is asked for. (SP.20)
[[nodiscard]] bool has_proper_intercept(const FitOptions& options, const std::vector<Index>& flat_columns);

PreparedPrior prepare_prior(const FitOptions& options, Index num_columns, const std::vector<bool>& left_out);

/// FitOptions::start_precision of so many models, or classes, of p columns each. \throws InvalidArgument
void validate_start(const FitOptions& options, Index p, Index num_models);
/// Those of one of the models.
[[nodiscard]] std::vector<double> start_of_model(const FitOptions& options, Index num_models, Index model);
/// E[alpha] of the groups to begin with: as start_precision says, and `expected` where it says nothing. `q`: columns of a model's design.
[[nodiscard]] Vector start_of(const FitOptions& options, const Partition& partition, Index num_models, Index q, Vector expected);

}  // namespace ardvark::internal
