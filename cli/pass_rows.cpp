#include "pass_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "io/text.hpp"
#include "model/missing.hpp"
#include "table_sums.hpp"

namespace ardvark::cli {

using namespace internal;
namespace {

constexpr std::size_t most_classes = 1000;  // as the library

bool comes_before(bool is_text, const std::string& a, const std::string& b) { return is_text ? a < b : std::stod(a) < std::stod(b); }

// True: the class is new.
bool add_class(const std::string& name, TableLook& look) {
  const auto at = std::ranges::lower_bound(look.classes, name,
                                           [&](const std::string& a, const std::string& b) { return comes_before(look.is_text, a, b); });
  if (at != look.classes.end() && *at == name) return false;
  look.classes.insert(at, name);
  return true;
}

// Without --task, a kernel machine of more than two numbers is a regression.
bool becomes_regression(const TableLook& look, const FitArguments& args, bool is_kernel) {
  return is_kernel && args.task.empty() && !look.is_text && look.classes.size() > 2;
}

std::string text_of_too_many(const TableLook& look, const FitArguments& args) {
  return fmt::format("target '{}' has more than {} classes ({}, {}, {}, ...), the most that a table that is read in pieces can have{}",
                     args.target, most_classes, io::shown(look.classes[0]), io::shown(look.classes[1]), io::shown(look.classes[2]),
                     look.is_text ? "" : "; for numbers use --model linear");
}

// The class of each row, as a text; for numbers, their shortest form.
std::vector<std::string> texts_of(const Table& piece, const FitArguments& args, std::optional<bool> is_text) {
  const Index column = piece.at(args.target);
  const TableColumn& c = piece.columns[static_cast<std::size_t>(column)];
  if (is_text && *is_text != c.categorical)
    throw InvalidArgument(piece.cell(0, args.target), fmt::format(", target '{}': some rows have texts and others numbers", args.target));
  std::vector<std::string> out;
  for (Index i = 0; i < piece.num_rows; ++i) {
    const double value = piece.value(i, column);
    out.push_back(c.categorical ? c.levels[static_cast<std::size_t>(value)] : fmt::format("{}", value));
  }
  return out;
}

Vector labels_of(const Table& piece, const FitArguments& args, const KnownTable& known) {
  const std::vector<std::string> texts = texts_of(piece, args, known.is_text);
  std::map<std::string_view, double> number;
  for (const std::string& name : known.classes) number.emplace(name, static_cast<double>(number.size()));
  if (known.classes.size() == 2 && io::hold_truths(known.classes))
    for (const char* other : {"false", "False", "FALSE", "true", "True", "TRUE"})  // false is first
      number.emplace(other, io::truth_of(other) == true ? 1 : 0);
  Vector labels(piece.num_rows);
  for (Index i = 0; i < piece.num_rows; ++i) {
    const auto at = number.find(texts[static_cast<std::size_t>(i)]);
    if (at == number.end())
      throw InvalidArgument(piece.cell(i, args.target),
                            fmt::format(": the class {} was not there when the table was read first; run the command again",
                                        io::shown(texts[static_cast<std::size_t>(i)])));
    labels[i] = at->second;
  }
  return labels;
}

}  // namespace

// ---- the first reading

void TableLook::merge(const TableLook& right, const FitArguments& args, bool is_kernel) {
  facts.merge(right.facts.facts());
  if (num_rows == 0) is_text = right.is_text;
  if (!is_regression && !right.is_regression)
    for (const std::string& name : right.classes) add_class(name, *this);
  is_regression = is_regression || right.is_regression || becomes_regression(*this, args, is_kernel);
  if (!is_regression && classes.size() > most_classes) throw InvalidArgument(text_of_too_many(*this, args));
  num_rows += right.num_rows, num_dropped += right.num_dropped;
  for (const auto& [column, count] : right.num_missing) num_missing[column] += count;
  for (const std::string& note : right.notes)
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

bool says_regression(const FitArguments& args, bool is_kernel) {
  return is_kernel ? args.task == "regression" : args.model == "counts" || args.model == "linear";
}

KnownTable known_table(const TableLook& look, const FitArguments& args) {
  const std::vector<std::string> listed = split_names(args.categorical);
  const bool is_listed = std::ranges::find(listed, args.target) != listed.end();
  const std::vector<std::string> classes = look.is_text && !is_listed ? io::with_one_spelling(look.classes) : look.classes;
  if (!look.is_regression) check_classes(args.target, look.is_text, classes, look.num_rows, "--model linear");
  std::vector<std::string> no_features = {args.target};
  if (!args.weights_column.empty()) no_features.push_back(args.weights_column);
  return {make_encoding(look.facts.facts(), no_features, args), look.is_regression ? std::vector<std::string>() : classes, look.is_text,
          look.is_regression};
}

// ---- PassRows

PassRows::PassRows(const FitArguments& args, const std::vector<std::string>& files, bool is_kernel)
    : args_(args), stream_(files, csv_options(args)), is_kernel_(is_kernel) {
  if (is_kernel && args.covariance) throw refused("--covariance", fmt::format("cannot be used with --model {}", args.model));
  for (const std::string& file : files)
    if (std::error_code none; std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
      throw InvalidArgument(
          fmt::format("this fit reads the table several times, but '{}' is a pipe or a device, which can be read only once; write "
                      "the table to a file, or read it into memory (--stream never)",
                      file));
}

Vector PassRows::weights(const Table& piece) const { return args_.weights_column.empty() ? Vector() : weights_in(piece, args_); }

void PassRows::add_classes(const Table& piece, TableLook& look) {
  const std::vector<std::string> texts = texts_of(piece, args_, look.num_rows > 0 ? std::optional(look.is_text) : std::nullopt);
  look.is_text = piece.columns[static_cast<std::size_t>(piece.at(args_.target))].categorical;
  for (std::size_t i = 0; i < texts.size() && !look.is_regression; ++i) {
    if (!add_class(texts[i], look)) continue;
    look.is_regression = becomes_regression(look, args_, is_kernel_);
    if (!look.is_regression && look.classes.size() > most_classes)
      throw InvalidArgument(piece.cell(static_cast<Index>(i), args_.target), ": " + text_of_too_many(look, args_));
  }
}

TableLook PassRows::look(bool first_piece) {
  TableLook look;
  look.is_regression = says_regression(args_, is_kernel_);
  std::vector<std::string> names;
  for (Table piece; stream_.next(piece);) {
    if (names.empty()) {
      check_features(piece, args_);
      for (const TableColumn& column : piece.columns) names.push_back(column.name);
    }
    look.facts.add(piece, weights(piece));
    if (!look.is_regression)
      add_classes(piece, look);
    else
      static_cast<void>(linear_target_of(piece, args_.target));
    look.num_rows += piece.num_rows;
    if (first_piece) break;
  }
  look.num_dropped = stream_.num_dropped(), look.notes = stream_.notes();
  for (std::size_t j = 0; j < stream_.num_missing().size(); ++j) look.num_missing[names[j]] = stream_.num_missing()[j];
  return look;
}

RowSums PassRows::answer(const RowQuestion& question, const KnownTable& known, std::uint64_t stream) {
  RowSums sums(question, stream);
  stream_.rewind();
  Table piece;
  constexpr Index some_blocks = 4 * 8192;  // each block has a thread
  while (stream_.next(piece, some_blocks)) {
    const Vector labels = known.is_regression ? linear_target_of(piece, args_.target) : labels_of(piece, args_, known);
    const Vector k = weights(piece);
    const Table rows = piece.row_names();
    const EncodedTable X = encode(std::move(piece), known.encoding);
    in_rows_of_file(
        rows, [&] { sums.update(X.X(), labels, k); }, sums.num_rows());
  }
  return sums;
}

// ---- the fit

int fit_known_table(const FitArguments& args, const TableLook& look, const KnownTable& known, bool is_kernel, const AskRows& ask) {
  ModelOptions options = options_in_pieces(args);
  if (is_kernel) options.task = known.is_regression ? "regression" : "classification";
  options.encoding = known.encoding;
  options.class_names = known.classes;
  if (!is_kernel) options.keep_covariance = !args.output.empty() || args.covariance ? "always" : "automatic";
  set_prior_columns(args, options.encoding, options);
  SavedModel model;
  {
    const ProgressLine progress(args.shows_progress(), "fitting");
    options.on_sweep = progress.on_sweep();
    model = fit_model(ask, options);
  }
  Training training;
  training.notes = look.notes;
  if (look.num_dropped > 0) {
    const auto worst = std::ranges::max_element(look.num_missing, {}, [](const auto& of_column) { return of_column.second; });
    training.notes.push_back(note_of_dropped(look.num_dropped, worst->first, worst->second));
  }
  training.notes.emplace_back("the table was read in pieces: once for its columns and classes, and then for the fit");
  return finish_fit(args, model, training);
}

int fit_by_passes(const FitArguments& args, bool is_kernel) {
  require_writable(args);
  PassRows rows(args, args.files, is_kernel);
  TableLook look;
  {
    const ProgressLine progress(args.shows_progress(), "reading");
    look = rows.look();
  }
  const KnownTable known = known_table(look, args);
  return fit_known_table(args, look, known, is_kernel, [&](const RowQuestion& question) { return rows.answer(question, known); });
}

}  // namespace ardvark::cli
