// ardvark stats and ardvark merge: a table as sums over its rows, which are enough for linear fits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>

#include "ardvark/table_stream.hpp"
#include "table_sums.hpp"
#include "target_sums.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

struct StatsArguments : FitArguments {
  std::string form = "gram";
  std::vector<std::string> levels;
};

StatisticsForm form_of(const std::string& word) {
  if (word == "gram" || word == "factor") return statistics_form(word);
  throw wrong("--form", word, "it must be gram or factor");
}

int stats_of_targets(const StatsArguments& args) {
  refuse_options_of_one_target(args.form, args.levels);
  std::vector<std::string> notes;
  const TargetStatistics statistics = target_sums_of(args, notes);
  if (!(statistics.weight() > 0)) refuse_zero_weights(args);
  save_uninterrupted(args.output, statistics, args.shows_progress());
  if (args.quiet) return ok;
  fmt::print("{}", summary(statistics));
  for (const std::string& note : notes) fmt::print("note                  {}\n", note);
  fmt::print("statistics            {}\n", args.output);
  return ok;
}

int run_stats(StatsArguments args) {
  const StatisticsForm form = form_of(args.form);
  args.files = matching_paths(args.files);
  require_writable(args);
  if (has_many_targets(args)) return stats_of_targets(args);
  const TableSums sums = sums_of_table(args, form, false, args.levels);
  save_uninterrupted(args.output, sums.statistics, args.shows_progress());
  if (args.quiet) return ok;
  fmt::print("{}", summary(sums.statistics));
  for (const std::string& note : sums.notes) fmt::print("note                  {}\n", note);
  for (const std::string& warning : sums.warnings) fmt::print("WARNING               {}\n", warning);
  fmt::print("statistics            {}\n", args.output);
  return ok;
}

struct MergeArguments {
  std::vector<std::string> files;
  std::string output;
  bool quiet = false;
};

void check_files(const MergeArguments& args) {
  std::set<std::filesystem::path> seen;
  for (const std::string& path : args.files) {
    std::error_code none;
    if (std::filesystem::equivalent(path, args.output, none))
      throw refused("--output", fmt::format("is '{}', one of the files to add; give a path that is not among them", args.output));
    if (const auto real = std::filesystem::weakly_canonical(path, none); !none && !seen.insert(real).second)
      throw InvalidArgument(fmt::format("'{}' is given twice; its rows would count twice", path));
  }
}

template <typename Statistics>
int merge_files(const MergeArguments& args, Statistics (*load)(const std::string&)) {
  Statistics all = load(args.files.front());
  for (std::size_t i = 1; i < args.files.size(); ++i) {
    const Statistics next = load(args.files[i]);
    try {
      all.merge(next);
    } catch (const InvalidArgument& e) {
      const bool is_of_levels = !e.fields().remedy.empty();  // no other difference has one
      throw InvalidArgument(fmt::format("'{}' cannot be added to '{}': {}{}", args.files[i], args.files.front(), e.what(),
                                        is_of_levels ? " (stats --levels)" : ""));
    }
  }
  save_uninterrupted(args.output, all, !args.quiet);
  if (!args.quiet) fmt::print("{}statistics            {}\n", summary(all), args.output);
  return ok;
}

int run_merge(MergeArguments args) {
  args.files = matching_paths(args.files);
  check_files(args);
  FitArguments writes;  // the checks of -o
  writes.output = args.output;
  require_writable(writes);
  return holds_target_statistics(args.files.front()) ? merge_files(args, load_target_statistics) : merge_files(args, load_statistics);
}

}  // namespace

void add_stats(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("stats", "Read a table of any length, and write the sums that a linear fit needs of it");
  auto args = std::make_shared<StatsArguments>();
  add_table_options(c, args, true);
  c.add_option("--levels", args->levels,
               "COLUMN=LEVEL,LEVEL,... the levels of a text column; the others are compared with the first, and a row with another text "
               "is refused (repeatable). Without them, the statistics have every level that a row has, and 'fit --statistics' leaves "
               "out the reference")
      ->allow_extra_args(false);
  c.add_option(
       "--form", args->form,
       "gram: cross-products (the default); factor: a triangular factor, twice the work, for columns that are nearly collinear (one "
       "target only)")
      ->check(not_empty);
  c.add_option("-o,--output", args->output, "Write the statistics to this file")->required()->check(not_empty);
  c.add_flag("-q,--quiet", args->quiet, "Print no summary and no progress");
  c.footer(
      "Examples:\n"
      "  ardvark stats examples/data/Boston.csv --target medv -o boston.stats\n"
      "  ardvark fit --statistics boston.stats --prior shared -o boston.ardvark\n"
      "  ardvark stats 'part-*.csv' --target y --missing drop -o all.stats\n"
      "  ardvark stats 'part-*.csv' --target a,b,c -o many.stats");
  c.callback([args, &run] {
    args->note_given();
    run = [args] { return run_stats(*args); };
  });
}

void add_merge(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("merge", "Add the statistics of several parts of a table");
  auto args = std::make_shared<MergeArguments>();
  c.add_option("statistics", args->files, "Files written by stats or merge; a pattern such as '*.stats' stands for all that match")
      ->required()
      ->check(not_empty);
  c.add_option("-o,--output", args->output, "Write their sum to this file")->required()->check(not_empty);
  c.add_flag("-q,--quiet", args->quiet, "Print no summary and no progress");
  c.footer("Example:\n  ardvark merge part-1.stats part-2.stats -o all.stats");
  c.callback([args, &run] { run = [args] { return run_merge(*args); }; });
}

}  // namespace ardvark::cli
