// The rows of CSV files with many targets as statistics: stats, merge, show and fit --statistics.
#pragma once

#include <string>
#include <vector>

#include "ardvark/target_statistics.hpp"
#include "fit.hpp"

namespace ardvark::cli {

/// Whether a file holds statistics of many targets. Of a file that cannot be read, load_statistics() says what is wrong.
[[nodiscard]] bool holds_target_statistics(const std::string& path);

/// Reads args.files once. \throws InvalidArgument  a column that is no target holds texts
/// \param notes       what is to be said of the files
/// \param first_rows  only the first rows are read: what is wrong with the command shows there
[[nodiscard]] TargetStatistics target_sums_of(const FitArguments& args, std::vector<std::string>& notes, bool first_rows = false);

/// \param form, levels  the options of stats, which have no meaning here
void refuse_options_of_one_target(const std::string& form, const std::vector<std::string>& levels);
/// Writes a file that Ctrl-C does not cut.
void save_uninterrupted(const std::string& path, const TargetStatistics& statistics, bool shows_progress);

[[nodiscard]] int fit_of_target_statistics(FitArguments args);

}  // namespace ardvark::cli
