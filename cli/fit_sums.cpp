// ardvark fit --statistics and --stream: linear fits from sums over rows.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>

#include "core/memory.hpp"
#include "model/refused_options.hpp"
#include "table_sums.hpp"

namespace ardvark::cli {
namespace {

// Bytes that this program may still take: what the system has, within the limits of the control group and of ulimit -v.
double available_memory() {
  double bytes = std::numeric_limits<double>::infinity();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string name; meminfo >> name;) {
    double kilobytes = 0;
    if (name == "MemAvailable:" && meminfo >> kilobytes) bytes = 1024 * kilobytes;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  std::ifstream groups("/proc/self/cgroup");
  bytes = std::min(bytes, internal::limit_of_groups(groups, "/sys/fs/cgroup"));
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit = {};
    if (::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  }
  return bytes;
}

// Numbers in memory take 8 bytes, and about as many in a file, or a quarter of them if it is compressed.
bool is_large(const std::vector<std::string>& files) {
  double bytes = 0;
  for (const std::string& path : files) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    const bool is_packed = path.ends_with(".gz") || path.ends_with(".zst") || path.ends_with(".parquet");
    if (!unknown) bytes += static_cast<double>(size) * (is_packed ? 4 : 1);
  }
  return bytes > available_memory() / 2;
}

std::string named_model(const FitArguments& args) { return args.preset.empty() ? "--model " + args.model : "--preset " + args.preset; }

SavedModel fit_with_sums(const FitArguments& args, const LinearStatistics& statistics, ModelOptions options) {
  options.keep_covariance = kept_covariance(args);
  set_prior_columns(args, options.encoding, options);
  const ProgressLine progress(args.shows_progress(), "preparing");
  options.on_sweep = progress.on_sweep();
  return fit_model(statistics, options);
}

}  // namespace

ModelOptions options_in_pieces(const FitArguments& args) {
  ModelOptions options = args;
  for (const char* name : {"weights", "missing_marker"}) options.given.erase(name);  // they are of the rows, as is the next one
  if (options.missing == "drop") options.given.erase("missing");
  return options;
}

bool needs_only_sums(const FitArguments& args, ModelKind kind) { return kind == ModelKind::linear && args.noise == "normal"; }

std::string why_rows_are_needed(const FitArguments& args, ModelKind kind) {
  if (args.prior == "laplace" && !args.lambda && kind == ModelKind::linear)
    return "--prior laplace without --lambda needs the table in memory, for its cross-validation";
  const FitCases form = needs_only_sums(args, kind) ? fit_case::statistics : fit_case::passes | fit_case::many_rows;
  const auto is_any_of = [](const std::string& word, std::initializer_list<const char*> words) {
    return std::ranges::find(words, word) != words.end();
  };
  const bool is_student = kind == ModelKind::linear && !needs_only_sums(args, kind);
  if ((args.model == "counts" || is_student) && is_any_of(args.prior, {"sparse", "slab", "dense"}))
    return fmt::format("--prior {} of {} needs the table in memory", args.prior, is_student ? "--noise " + args.noise : "counts");
  const auto refused = internal::refused_in(options_in_pieces(args), form);
  return refused ? refused->what + " needs the table in memory" + refused->otherwise : "";
}

bool reads_in_pieces(const FitArguments& args, ModelKind kind) {
  if (args.stream != "auto" && args.stream != "always" && args.stream != "never")
    throw wrong("--stream", args.stream, "it must be auto, always or never");
  const std::string why_not = why_rows_are_needed(args, kind);
  if (args.stream == "always" && !why_not.empty())
    throw refused("--stream", fmt::format("always cannot be used here: {}; leave it out", why_not));
  if (args.stream == "never" || !why_not.empty()) return false;
  return args.stream == "always" || (args.files.size() > 1 && needs_only_sums(args, kind)) || is_large(args.files);
}

int fit_in_pieces(const FitArguments& args) {
  require_writable(args);
  const bool needs_digits = args.prior == "none" || !args.flat_columns.empty();
  TableSums sums = sums_of_table(args, needs_digits ? StatisticsForm::factor : StatisticsForm::gram, true);
  ModelOptions options = options_in_pieces(args);
  options.encoding = sums.encoding;
  SavedModel model = fit_with_sums(args, sums.statistics, std::move(options));
  Report& report = report_of(model);
  if (const std::string warning = sums.target_values.remark(args); !warning.empty()) report.warnings.push_back(warning);
  report.warnings.insert(report.warnings.end(), sums.warnings.begin(), sums.warnings.end());
  Training training;
  training.notes = std::move(sums.notes);
  training.notes.push_back(fmt::format("the table was read in pieces, and the fit was made from the sums over its rows (form {})",
                                       to_string(sums.statistics.form())));
  return finish_fit(args, model, training);
}

int fit_of_statistics(const FitArguments& args) {
  for (const char* name : {"data", "--target", "--weights", "--categorical", "--missing", "--missing-marker", "--delimiter", "--decimal",
                           "--stream", "--diagnose", "--path"})
    if (args.command->get_option(name)->count() > 0)
      throw InvalidArgument(fmt::format(
          "{} cannot be used with --statistics, which has no rows any more{}", *name == '-' ? name : "a table",
          std::string_view(name) == "--diagnose" || std::string_view(name) == "--path" || *name != '-' ? "; leave it out"
                                                                                                       : "; give it to 'ardvark stats'"));
  FitArguments all = args;
  if (all.model.empty() && all.preset.empty()) all.model = "linear";
  if (const ModelKind kind = check_options(all); kind != ModelKind::linear)
    throw InvalidArgument(fmt::format("{} needs the rows of the table; statistics are enough only for --model linear", named_model(all)));
  all.data = all.statistics;
  require_writable(all);
  LinearStatistics statistics = load_statistics(all.statistics);
  const std::vector<std::string> ignored = split_names(all.ignore);
  if (!ignored.empty()) statistics = statistics.without(ignored);
  statistics = statistics.with_references(all.reference);
  ModelOptions options = all;
  options.encoding = statistics.encoding();
  if (options.encoding.features.empty()) options.encoding = FeatureEncoding::of_numbers(statistics.column_names());
  options.target = statistics.target();
  SavedModel model = fit_with_sums(all, statistics, std::move(options));
  Training training;
  training.notes.push_back(
      fmt::format("the fit was made from the sums over the rows in '{}' (form {})", all.statistics, to_string(statistics.form())));
  if (!ignored.empty())
    training.notes.push_back(fmt::format(
        "the rows are the {} that 'ardvark stats' kept: a row that it left out for a gap in '{}' alone stays out; to have such rows, give "
        "--ignore to 'ardvark stats'",
        statistics.num_rows(), fmt::join(ignored, "', '")));
  return finish_fit(all, model, training);
}

}  // namespace ardvark::cli
