// The rows of CSV files as statistics, read in pieces.
#pragma once

#include <string>
#include <vector>

#include "ardvark/statistics.hpp"
#include "fit.hpp"
#include "model/remarks.hpp"

namespace ardvark::cli {

struct TableSums {
  LinearStatistics statistics;
  FeatureEncoding encoding;
  std::vector<std::string> notes;     ///< as Training::notes
  std::vector<std::string> warnings;  ///< of columns that number the rows
  internal::FewValues target_values;
};

/// Reads args.files once.
/// \param for_fit  the statistics leave out the reference of each text column; else they have every level, unless references or levels are
///                 given
/// \param levels   "COLUMN=LEVEL,LEVEL,...": the levels of a text column; the others are compared with the first of them
[[nodiscard]] TableSums sums_of_table(const FitArguments& args, StatisticsForm form, bool for_fit,
                                      const std::vector<std::string>& levels = {});

/// The options of a fit whose rows are read in pieces, without those that the reader has obeyed.
[[nodiscard]] ModelOptions options_in_pieces(const FitArguments& args);
/// Whether a fit reads the rows once, for their statistics: a regression with normal noise.
[[nodiscard]] bool needs_only_sums(const FitArguments& args, ModelKind kind);
/// Why a fit needs the table in memory; empty: it does not.
[[nodiscard]] std::string why_rows_are_needed(const FitArguments& args, ModelKind kind);
/// Whether a fit of these files reads them in pieces.
/// \throws InvalidArgument  it must (--stream always), but cannot: the message says why; --stream has no such word
[[nodiscard]] bool reads_in_pieces(const FitArguments& args, ModelKind kind);
[[nodiscard]] int fit_in_pieces(const FitArguments& args);
/// Classes, counts, Student-t noise, or a kernel machine.
[[nodiscard]] int fit_by_passes(const FitArguments& args, bool is_kernel);
[[nodiscard]] int fit_of_statistics(const FitArguments& args);

/// Writes a file that Ctrl-C does not cut.
void save_uninterrupted(const std::string& path, const LinearStatistics& statistics, bool shows_progress);

}  // namespace ardvark::cli
