#include "target_sums.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "ardvark/table_stream.hpp"
#include "io/safetensors.hpp"
#include "model/missing.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

// The numbers of the rows, and how the others become columns of X.
class TargetReader {
 public:
  TargetReader(const FitArguments& args, std::vector<std::string>& notes)
      : args_(args), notes_(notes), targets_(split_names({args.target})), stream_(args.files, options(args)) {
    for (const std::string& name : targets_)
      if (std::ranges::count(targets_, name) > 1) throw refused("--target", fmt::format("names column '{}' twice", name));
    if (std::ranges::find(targets_, args.weights_column) != targets_.end())
      throw InvalidArgument(fmt::format("'{}' cannot be both target and weights", args.weights_column));
  }

  TargetStatistics read(bool first_rows) {
    const ProgressLine progress(args_.shows_progress(), "reading");
    Table piece;
    if (!stream_.next(piece)) return std::move(sums_);  // next() throws if there is no row
    find_encoding(piece);
    do add(std::move(piece));
    while (!first_rows && stream_.next(piece));
    notes_ = stream_.notes();
    if (stream_.num_dropped() > 0) {
      const auto worst = static_cast<std::size_t>(std::ranges::max_element(stream_.num_missing()) - stream_.num_missing().begin());
      notes_.push_back(internal::note_of_dropped(stream_.num_dropped(), names_[worst], stream_.num_missing()[worst]));
    }
    return std::move(sums_);
  }

 private:
  static CsvOptions options(const FitArguments& args) {
    if (args.missing == "impute")
      throw refused("--missing", "impute needs the table in memory; drop leaves out the rows with gaps, also in a target");
    CsvOptions csv = csv_options(args);
    std::erase_if(csv.required, [](const auto& needed) { return needed.second == "--target"; });
    for (const std::string& name : split_names({args.target})) csv.required.emplace_back(name, "--target");
    return csv;
  }

  void find_encoding(const Table& piece) {
    for (const TableColumn& column : piece.columns) names_.push_back(column.name);
    std::vector<std::string> not_features = targets_;
    if (!args_.weights_column.empty()) not_features.push_back(args_.weights_column);
    if (piece.num_columns() <= std::ssize(not_features))
      throw InvalidArgument(fmt::format("'{}' has no feature columns besides the targets", args_.files.front()));
    encoding_ = make_encoding(piece, not_features, args_);
    for (const FeatureColumn& feature : encoding_.features)
      if (feature.categorical)
        throw refused("--target", fmt::format("names several columns, and statistics of many targets need columns of numbers; '{}' holds "
                                              "texts: leave it out (--ignore '{}'), or give one target",
                                              feature.name, feature.name));
    sums_.set_names(encoding_.names(), targets_);
  }

  void add(Table&& piece) {
    Matrix Y(piece.num_rows, std::ssize(targets_));
    for (Index k = 0; k < Y.cols(); ++k) Y.col(k) = linear_target_of(piece, targets_[static_cast<std::size_t>(k)]);
    const Vector weights = args_.weights_column.empty() ? Vector() : weights_in(piece, args_);
    const Table rows = piece.row_names();
    const EncodedTable X = encode(std::move(piece), encoding_);
    in_rows_of_file(
        rows, [&] { sums_.update(X.X(), Y, weights); }, sums_.num_rows());
  }

  const FitArguments& args_;
  std::vector<std::string>& notes_;
  std::vector<std::string> targets_, names_;
  FeatureEncoding encoding_;
  TargetStatistics sums_;
  TableStream stream_;
};

}  // namespace

bool holds_target_statistics(const std::string& path) {
  try {
    const internal::io::SafetensorsReader file(path);
    const auto format = file.metadata().find("format");
    return format != file.metadata().end() && format->second == "ardvark-target-statistics";
  } catch (const std::exception&) {
    return false;
  }
}

TargetStatistics target_sums_of(const FitArguments& args, std::vector<std::string>& notes, bool first_rows) {
  return TargetReader(args, notes).read(first_rows);
}

void refuse_options_of_one_target(const std::string& form, const std::vector<std::string>& levels) {
  if (form != "gram") throw wrong("--form", form, "statistics of several targets have the form gram only");
  if (!levels.empty()) throw refused("--levels", "cannot be used with several targets, whose statistics need columns of numbers");
}

void save_uninterrupted(const std::string& path, const TargetStatistics& statistics, bool shows_progress) {
  const ProgressLine progress(shows_progress, "writing");
  const UninterruptedWrite guard;
  save_target_statistics(path, statistics);
}

int fit_of_target_statistics(FitArguments args) {
  for (const char* name : {"data", "--target", "--targets", "--target-prefix", "--weights", "--categorical", "--missing",
                           "--missing-marker", "--delimiter", "--decimal", "--ignore", "--reference", "--diagnose"})
    if (const CLI::Option* found = args.command->get_option_no_throw(name); found != nullptr && found->count() > 0)
      throw InvalidArgument(fmt::format(
          "{} cannot be used with --statistics of many targets, which have no rows any more; {}", *name == '-' ? name : "a table",
          *name != '-' || std::string_view(name) == "--diagnose" ? "leave it out" : "give it to 'ardvark stats'"));
  const double fdr = check_many_targets(args);
  const TargetStatistics statistics = load_target_statistics(args.statistics);
  ModelOptions options = args;
  options.encoding = FeatureEncoding::of_numbers(statistics.column_names());
  set_prior_columns(args, options.encoding, options);
  if (options.keep_covariance == "automatic" && args.output.empty()) options.keep_covariance = "never";
  SavedTargets targets;
  {
    const ProgressLine progress(args.shows_progress(), "preparing");
    targets = fit_targets(statistics, options, {.predictions = !args.output.empty()});
  }
  targets.fit.notes.insert(targets.fit.notes.begin(),
                           fmt::format("the fits were made from the sums over the rows in '{}'", args.statistics));
  return finish_targets(args, targets, fdr);
}

}  // namespace ardvark::cli
