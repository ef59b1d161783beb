// ardvark-mpi fit: a fit by passes, whose questions are answered by the ranks of an MPI job, each for its files. The sums are added in the
// order of the files, so that the bits of the result depend on the files alone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <memory>

#include "core/blas.hpp"
#include "io/encoding_record.hpp"
#include "io/json_reader.hpp"
#include "pass_rows.hpp"
#include "ranks.hpp"
#include "table_sums.hpp"
#include "targets.hpp"

namespace ardvark::cli {
namespace {

using internal::io::Json;

Json parsed(const std::string& text) { return internal::io::bounded_json(text, 1'000'000'000, "what a rank says of its files"); }

// ---- what is seen of a file, as a text

std::string to_text(const TableLook& look) {
  Json columns = Json::array(), missing = Json::object();
  for (const ColumnFacts& facts : look.facts.facts())
    columns.push_back({{"name", facts.column.name},
                       {"categorical", facts.column.categorical},
                       {"is_listed", facts.column.is_listed},
                       {"levels", facts.column.levels},
                       {"rows", facts.rows}});
  for (const auto& [column, count] : look.num_missing) missing.append(column, count);
  return Json({{"columns", columns},
               {"missing", missing},
               {"classes", look.classes},
               {"is_text", look.is_text},
               {"is_regression", look.is_regression},
               {"num_rows", look.num_rows},
               {"num_dropped", look.num_dropped},
               {"notes", look.notes}})
      .dump();
}

TableLook look_of(const std::string& text) {
  const Json json = parsed(text);
  TableLook look;
  std::vector<ColumnFacts> columns;
  for (const Json& of_column : json.at("columns").list()) {
    ColumnFacts& facts = columns.emplace_back();
    facts.column.name = of_column.at("name").text();
    facts.column.categorical = of_column.at("categorical").flag();
    facts.column.is_listed = of_column.at("is_listed").flag();
    facts.column.levels = of_column.at("levels").texts();
    facts.rows = of_column.at("rows").numbers();
  }
  look.facts.merge(columns);
  for (const auto& [column, count] : json.at("missing").members()) look.num_missing[column] = count.whole_number();
  look.classes = json.at("classes").texts();
  look.is_text = json.at("is_text").flag();
  look.is_regression = json.at("is_regression").flag();
  look.num_rows = json.at("num_rows").whole_number();
  look.num_dropped = json.at("num_dropped").whole_number();
  look.notes = json.at("notes").texts();
  return look;
}

std::string to_text(const KnownTable& known) {
  Json json = {{"classes", known.classes}, {"is_text", known.is_text}, {"is_regression", known.is_regression}};
  internal::io::add_encoding(json, known.encoding);
  return json.dump();
}

KnownTable known_of(const std::string& text) {
  const Json json = parsed(text);
  return {internal::io::read_encoding(json), json.at("classes").texts(), json.at("is_text").flag(), json.at("is_regression").flag()};
}

// ---- the files

class RankFiles {
 public:
  RankFiles(const FitArguments& args, bool is_kernel) : args_(args), is_kernel_(is_kernel) {
    for (std::size_t i = 0; i < args.files.size(); ++i)
      if (owner_of(i) == ranks->rank())
        own_.push_back(read_part(args.files[i], [&] { return std::make_unique<PassRows>(args, std::vector{args.files[i]}, is_kernel); }));
  }

  // Of the whole table, in the first rank.
  TableLook look() {
    TableLook all;
    all.is_regression = says_regression(args_, is_kernel_);
    gather([](PassRows& rows, std::uint64_t) { return to_text(rows.look()); },
           [&](const std::string& text, const std::string& file) { add_to(all, look_of(text), file); });
    return all;
  }

  // The sums over all rows, in the first rank.
  std::optional<RowSums> answer(const RowQuestion& question, const KnownTable& known) {
    std::optional<RowSums> all;
    gather([&](PassRows& rows, std::uint64_t number) { return rows.answer(question, known, number).to_bytes(); },
           [&](const std::string& bytes, const std::string&) {
             RowSums next = RowSums::from_bytes(bytes);
             all ? all->merge(next) : static_cast<void>(all = std::move(next));
           });
    return all;
  }

 private:
  static int owner_of(std::size_t file) { return static_cast<int>(file % static_cast<std::size_t>(ranks->size())); }

  // Each rank says something of each of its files, and the first rank takes all of it, in the order of the files.
  template <typename Say, typename Take>
  void gather(Say&& say, Take&& take) {
    std::size_t next_own = 0;
    for (std::size_t i = 0; i < args_.files.size(); ++i) {
      const std::string& file = args_.files[i];
      if (owner_of(i) == ranks->rank()) {
        std::string said = read_part(file, [&] { return say(*own_[next_own++], i); });
        ranks->is_first() ? take(said, file) : ranks->send(std::move(said));
      } else if (ranks->is_first()) {
        take(Ranks::receive(owner_of(i)), file);
      }
    }
    ranks->finish_sending();
  }

  void add_to(TableLook& all, const TableLook& next, const std::string& file) const try {
    all.merge(next, args_, is_kernel_);
  } catch (const InvalidArgument& e) {
    throw InvalidArgument(fmt::format("'{}' cannot be added to '{}': {}", file, args_.files.front(), e.what()));
  }

  const FitArguments& args_;
  bool is_kernel_;
  std::vector<std::unique_ptr<PassRows>> own_;
};

// ---- the command

// What is wrong with the command is found by the first rank, if need be in the first rows; only then the others begin.
void prepare(const FitArguments& args, ModelKind kind) {
  if (!ranks->is_first()) return;
  if (needs_only_sums(args, kind))
    throw InvalidArgument("--model linear needs only sums: use 'ardvark-mpi stats', and then 'ardvark fit --statistics'");
  if (const std::string why = why_rows_are_needed(args, kind); !why.empty())
    throw InvalidArgument(fmt::format("'ardvark-mpi fit' cannot be used here: {}", why));
  require_writable(args);
  static_cast<void>(csv_options(args));
  static_cast<void>(TableStream(args.files, csv_options(args)));  // a path that is given twice
  const bool is_kernel = kind == ModelKind::kernel;
  static_cast<void>(read_part(args.files[0], [&] { return PassRows(args, {args.files[0]}, is_kernel).look(true); }));
  ranks->begin();
}

int run_mpi_fit(FitArguments args) {
  if (args.covariance && !args.json) throw InvalidArgument("--covariance needs --json; the table has no place for a matrix");
  if (ranks->is_first()) args.files = matching_paths(args.files);
  if (has_many_targets(args))
    throw InvalidArgument("several targets need only sums: use 'ardvark-mpi stats', and then 'ardvark fit --statistics'");
  const ModelKind kind = check_options(args);
  prepare(args, kind);
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);  // mpirun ends the ranks, and says why
  args.files = parsed(ranks->of_first(Json(args.files).dump())).texts();
  args.threads = std::max(1, args.threads);  // of a machine, each rank has a processor or more
  const internal::blas::ThreadScope threads(args.threads);
  const bool is_kernel = kind == ModelKind::kernel;
  RankFiles files(args, is_kernel);
  const TableLook look = files.look();
  const KnownTable known = known_of(ranks->of_first(ranks->is_first() ? to_text(known_table(look, args)) : ""));
  if (ranks->is_first()) {
    const int code = fit_known_table(args, look, known, is_kernel, [&](const RowQuestion& question) {
      static_cast<void>(ranks->of_first(question.to_bytes()));
      return *files.answer(question, known);
    });
    static_cast<void>(ranks->of_first(""));  // there are no more questions
    return code;
  }
  for (std::string question; !(question = ranks->of_first("")).empty();)
    static_cast<void>(files.answer(RowQuestion::from_bytes(question), known));
  return ok;
}

}  // namespace

void add_mpi_fit(CLI::App& app, Run& run) {
  CLI::App& c = *app.add_subcommand("fit", "Fit classes or a kernel machine to a table in many files, in passes");
  shorten_help(c);
  auto args = std::make_shared<FitArguments>();
  add_fit_options(c, args);
  c.footer("Example:\n  mpirun -n 4 ardvark-mpi fit 'part-*.csv' --target y --model logistic -o model.ardvark");
  c.callback([args, &run] {
    args->note_given();
    run = [args] { return run_mpi_fit(*args); };
  });
}

}  // namespace ardvark::cli
