// ardvark-mpi stats: the files of a table are read by the ranks of an MPI job, and their statistics are added in the order of the files.
// The bits of the result depend on the files alone, not on the number of ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "ardvark/table_stream.hpp"
#include "core/blas.hpp"
#include "io/file.hpp"
#include "ranks.hpp"
#include "table_sums.hpp"
#include "target_sums.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

struct MpiArguments : FitArguments {
  std::string form = "gram";
  bool keep_parts = false;
  [[nodiscard]] std::string folder() const { return output + ".parts"; }
};

// One file, and the statistics of it that a job before may have left.
struct Part {
  std::string file, path;
  bool is_there = false;
};

constexpr std::size_t key_digits = 16;

// A name for the statistics of a file as it is now, read with these options.
std::string key_of(const std::string& file, const MpiArguments& args) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", std::filesystem::absolute(file).string(), args.form, args.target,
                                 args.weights_column, args.format.delimiter, args.format.decimal, args.missing);
  for (const auto* list : {&args.ignore, &args.categorical, &args.missing_markers}) text += fmt::format("{}\n", fmt::join(*list, "\t"));
  const auto stamp = internal::io::File::open(file).stamp_if_regular().value_or(internal::io::FileStamp());
  text += fmt::format("{} {} {} {}", stamp.number, stamp.size, stamp.modified_ns, stamp.changed_ns);
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:0{}x}", hash, key_digits);
}

// The list of the first rank, in all ranks.
std::vector<Part> parts_of(const MpiArguments& args) {
  std::string text;
  if (ranks->is_first())
    for (const std::string& file : matching_paths(args.files)) {
      const std::string path = fmt::format("{}/{}.stats", args.folder(), key_of(file, args));
      text += file + '\0' + path + '\0' + (std::filesystem::exists(path) ? '1' : '0');
    }
  std::istringstream words(ranks->of_first(std::move(text)));
  std::vector<Part> parts;
  for (Part part; std::getline(words, part.file, '\0') && std::getline(words, part.path, '\0'); parts.push_back(part))
    part.is_there = words.get() == '1';
  return parts;
}

LinearStatistics read_one_target(const std::string& file, const MpiArguments& args, std::vector<std::string>* notes) {
  TableStream stream({file}, csv_options(args));
  LinearStatistics statistics(statistics_form(args.form));
  for (Table piece; stream.next(piece);) {
    check_features(piece, args);
    statistics.update(piece, args.target, args.weights_column);
    if (notes != nullptr) break;
  }
  if (notes != nullptr) *notes = stream.notes();
  return statistics;
}

// Of one target, and of several.
template <typename Statistics>
constexpr bool is_of_many = std::is_same_v<Statistics, TargetStatistics>;

template <typename Statistics>
Statistics empty_sums(const MpiArguments& args) {
  if constexpr (is_of_many<Statistics>)
    return Statistics();
  else
    return Statistics(statistics_form(args.form));
}

void save(const std::string& path, const LinearStatistics& statistics) { save_statistics(path, statistics); }
void save(const std::string& path, const TargetStatistics& statistics) { save_target_statistics(path, statistics); }

template <typename Statistics>
Statistics load(const std::string& path) {
  if constexpr (is_of_many<Statistics>)
    return load_target_statistics(path);
  else
    return load_statistics(path);
}

// \param notes  if they are asked for, only the first rows are read: what is wrong with the command shows there
template <typename Statistics>
Statistics read(const std::string& file, const MpiArguments& args, std::vector<std::string>* notes = nullptr) {
  const internal::blas::ThreadScope threads(std::max(1, args.threads));  // of a machine, each rank has a processor or more
  if constexpr (is_of_many<Statistics>) {
    FitArguments of_file = args;
    of_file.files = {file};
    of_file.quiet = true;
    std::vector<std::string> told;
    Statistics statistics = target_sums_of(of_file, told, notes != nullptr);
    if (notes != nullptr) *notes = std::move(told);
    return statistics;
  } else {
    return read_one_target(file, args, notes);
  }
}

template <typename Statistics>
Statistics statistics_of(const Part& part, const MpiArguments& args) {
  if (part.is_there) try {
      return load<Statistics>(part.path);
    } catch (const InvalidArgument&) {  // damaged
    }
  Statistics statistics = read_part(part.file, [&] { return read<Statistics>(part.file, args); });
  save(part.path, statistics);
  return statistics;
}

template <typename Statistics>
void add(Statistics& all, const Statistics& next, const std::string& file, const std::string& first_file) try {
  all.merge(next);
} catch (const InvalidArgument& e) {
  throw InvalidArgument(fmt::format("'{}' cannot be added to '{}': {}", file, first_file, e.what()));
}

// Reads the files that are this rank's: of those that are not there, every size-th. The first rank adds all of them, in their order.
template <typename Statistics>
Statistics sum_of(const std::vector<Part>& parts, const MpiArguments& args) {
  Statistics all = empty_sums<Statistics>(args);
  auto told = std::chrono::steady_clock::now();
  int owner = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const int reader = part.is_there ? 0 : owner;
    if (!part.is_there) owner = (owner + 1) % ranks->size();
    if (reader == ranks->rank()) {
      const Statistics here = statistics_of<Statistics>(part, args);
      ranks->is_first() ? add(all, here, part.file, parts[0].file) : ranks->send(here.to_bytes());
    } else if (ranks->is_first()) {
      add(all, Statistics::from_bytes(Ranks::receive(reader)), part.file, parts[0].file);
    }
    if (const auto now = std::chrono::steady_clock::now();
        ranks->is_first() && args.shows_progress() && now - told > std::chrono::seconds(1)) {
      fmt::print(stderr, "ardvark-mpi: {} of {} files, {} rows\n", i + 1, parts.size(), all.num_rows());
      told = now;
    }
  }
  ranks->finish_sending();
  return all;
}

// Nothing but what such jobs wrote there, and the folder if it is empty then.
void clear_parts(const std::vector<Part>& parts, const MpiArguments& args) {
  std::error_code may_fail;
  for (const auto& entry : std::filesystem::directory_iterator(args.folder(), may_fail)) {
    const bool is_kept = args.keep_parts && std::ranges::find(parts, entry.path().string(), &Part::path) != parts.end();
    if (!is_kept && entry.path().filename().string().find(".stats") == key_digits) std::filesystem::remove(entry.path(), may_fail);
  }
  std::filesystem::remove(args.folder(), may_fail);
}

// What is wrong with the command is found by the first rank, if need be in the first rows; only then the others begin.
// \return  what is to be said of the first file
template <typename Statistics>
std::vector<std::string> prepare(const MpiArguments& args) {
  std::vector<std::string> notes;
  if (!ranks->is_first()) return notes;
  static_cast<void>(statistics_form(args.form));
  if (is_of_many<Statistics>) refuse_options_of_one_target(args.form, {});
  CsvOptions csv = csv_options(args);
  if (is_of_many<Statistics>) std::erase_if(csv.required, [](const auto& needed) { return needed.second == "--target"; });
  FitArguments writes = args;
  writes.files = matching_paths(args.files);
  require_writable(writes);
  static_cast<void>(TableStream(writes.files, csv));  // a path that is given twice
  for (const std::string& file : writes.files)
    if (!std::filesystem::is_regular_file(file)) throw InvalidArgument(fmt::format("'{}' is not a regular file", file));
  const std::string& first = writes.files[0];
  static_cast<void>(read_part(first, [&] { return read<Statistics>(first, args, &notes); }));
  std::filesystem::create_directories(args.folder());
  ranks->begin();
  return notes;
}

template <typename Statistics>
int run_stats(const MpiArguments& args) {
  const std::vector<std::string> notes = prepare<Statistics>(args);
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);  // mpirun ends the ranks, and says why
  const std::vector<Part> parts = parts_of(args);
  Statistics all = sum_of<Statistics>(parts, args);
  if (!ranks->is_first()) return ok;
  if (!(all.weight() > 0)) refuse_zero_weights(args);
  if constexpr (!is_of_many<Statistics>)
    if (!args.reference.empty()) all = all.with_references(args.reference);
  save_uninterrupted(args.output, all, false);
  clear_parts(parts, args);
  if (args.quiet) return ok;
  const auto used = std::ranges::count_if(parts, &Part::is_there);
  fmt::print("{}", summary(all));
  for (const std::string& note : notes) fmt::print("note                  {}\n", note);
  if (used > 0) fmt::print("note                  the statistics of {} of {} files were there from a run before\n", used, parts.size());
  fmt::print("statistics            {}\n", args.output);
  return ok;
}

}  // namespace

void add_mpi_stats(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("stats", "Read the files of a table, and write the sums that a linear fit needs of it");
  auto args = std::make_shared<MpiArguments>();
  add_table_options(c, args, true);
  add_model_option(c, *args, model_option("threads"))->description("Threads of each rank (default 1)");
  c.add_option("--form", args->form,
               "gram: cross-products (the default); factor: a triangular factor, for columns that are nearly collinear");
  c.add_option("-o,--output", args->output, "Write the statistics to this file")->required()->check(not_empty);
  c.add_flag("--keep-parts", args->keep_parts,
             "Keep the folder OUTPUT.parts with the statistics of each file. A later run reads only files that are new or have changed. "
             "Without it, the folder stays only if the job is ended before OUTPUT is complete");
  c.add_flag("-q,--quiet", args->quiet, "Print no summary and no progress");
  c.footer(
      "Example:\n  mpirun -n 4 ardvark-mpi stats 'part-*.csv' --target y -o all.stats\n  ardvark fit --statistics all.stats -o "
      "model.ardvark");
  c.callback([args, &run] {
    args->note_given();
    run = [args] { return has_many_targets(*args) ? run_stats<TargetStatistics>(*args) : run_stats<LinearStatistics>(*args); };
  });
}

}  // namespace ardvark::cli
