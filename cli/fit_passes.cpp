// ardvark fit --model logistic and --model kernel with --stream: several passes over a table that is read in pieces.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "ardvark/row_pass.hpp"
#include "ardvark/table_stream.hpp"
#include "io/text.hpp"
#include "model/missing.hpp"
#include "table_sums.hpp"

namespace ardvark::cli {

using namespace internal;
namespace {

constexpr std::size_t most_classes = 1000;  // as the library

// Texts in the order of their letters, numbers by their values.
struct InOrder {
  const std::optional<bool>& is_text;
  bool operator()(const std::string& a, const std::string& b) const { return *is_text ? a < b : std::stod(a) < std::stod(b); }
};

// A table that is read once to know its columns and classes, and then once for each question of a fit.
class Rows {
 public:
  /// \param is_kernel  a target of more than two numbers is a regression, unless the options say something else
  Rows(const FitArguments& args, bool is_kernel)
      : args_(args),
        stream_(args.files, csv_options(args)),
        is_kernel_(is_kernel),
        may_be_regression_(is_kernel && args.task.empty()),
        is_regression_(is_kernel && args.task == "regression") {}

  // Finds columns, levels and classes.
  void look() {
    for (const std::string& file : args_.files)
      if (std::error_code none; std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
        throw InvalidArgument(
            fmt::format("this fit reads the table several times, but '{}' is a pipe or a device, which can be read only once; write "
                        "the table to a file, or read it into memory (--stream never)",
                        file));
    const ProgressLine progress(args_.shows_progress(), "reading");
    FactsOfColumns facts;
    Table piece;
    while (stream_.next(piece)) {
      if (names_.empty()) {
        check_features(piece, args_);
        for (const TableColumn& column : piece.columns) names_.push_back(column.name);
      }
      facts.add(piece, weights(piece));
      if (!is_regression_) add_classes(piece);
    }
    if (!is_regression_)
      check_classes(args_.target, is_text_.value_or(true), {classes_.begin(), classes_.end()}, num_rows_, "--model linear");
    if (is_kernel_ && !is_regression_ && classes_.size() > 2)
      throw InvalidArgument(fmt::format(
          "target '{}' has {} classes ({}); a kernel machine of a table that is read in pieces fits two: use --stream never, or "
          "--model logistic",
          args_.target, classes_.size(), io::listed({classes_.begin(), classes_.end()})));
    std::vector<std::string> no_features = {args_.target};
    if (!args_.weights_column.empty()) no_features.push_back(args_.weights_column);
    encoding_ = make_encoding(facts.facts(), no_features, args_);
  }

  RowSums answer(const RowQuestion& question) {
    RowSums sums(question);
    stream_.rewind();
    Table piece;
    constexpr Index some_blocks = 4 * 8192;  // each block has a thread
    while (stream_.next(piece, some_blocks)) {
      const Vector labels = is_regression_ ? linear_target_of(piece, args_.target) : labels_of(piece), k = weights(piece);
      const Table rows = piece.row_names();
      const EncodedTable X = encode(std::move(piece), encoding_);
      try {
        sums.update(X.X(), labels, k);
      } catch (const InvalidArgument& e) {
        throw InvalidArgument(with_row_of_file(e.what(), rows, sums.num_rows()));
      }
    }
    return sums;
  }

  [[nodiscard]] const FeatureEncoding& encoding() const { return encoding_; }
  [[nodiscard]] bool is_regression() const { return is_regression_; }
  [[nodiscard]] std::vector<std::string> class_names() const {
    return is_regression_ ? std::vector<std::string>() : std::vector<std::string>(classes_.begin(), classes_.end());
  }
  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes = stream_.notes();
    if (stream_.num_dropped() > 0) {
      const auto worst = static_cast<std::size_t>(std::ranges::max_element(stream_.num_missing()) - stream_.num_missing().begin());
      notes.push_back(note_of_dropped(stream_.num_dropped(), names_[worst], stream_.num_missing()[worst]));
    }
    return notes;
  }

 private:
  [[nodiscard]] Vector weights(const Table& piece) const { return args_.weights_column.empty() ? Vector() : weights_in(piece, args_); }

  // The class of each row, as a text; for numbers, their shortest form.
  [[nodiscard]] std::vector<std::string> texts_of(const Table& piece) const {
    const Index column = piece.at(args_.target);
    const TableColumn& c = piece.columns[static_cast<std::size_t>(column)];
    if (is_text_ && *is_text_ != c.categorical)
      throw InvalidArgument(fmt::format("{}, target '{}': some rows have texts and others numbers", piece.row_name(0), args_.target));
    std::vector<std::string> out;
    for (Index i = 0; i < piece.num_rows; ++i) {
      const double value = piece.value(i, column);
      out.push_back(c.categorical ? c.levels[static_cast<std::size_t>(value)] : fmt::format("{}", value));
    }
    return out;
  }

  void add_classes(const Table& piece) {
    const std::vector<std::string> texts = texts_of(piece);
    is_text_ = piece.columns[static_cast<std::size_t>(piece.at(args_.target))].categorical;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!classes_.insert(texts[i]).second) continue;
      if (may_be_regression_ && !*is_text_ && classes_.size() > 2) {
        is_regression_ = true;
        return;
      }
      if (classes_.size() <= most_classes) continue;
      const std::vector<std::string> names(classes_.begin(), classes_.end());
      throw InvalidArgument(
          fmt::format("{}: target '{}' has more than {} classes ({}, {}, {}, ...), the most that a table that is read in pieces can have{}",
                      piece.row_name(static_cast<Index>(i)), args_.target, most_classes, io::shown(names[0]), io::shown(names[1]),
                      io::shown(names[2]), *is_text_ ? "" : "; for numbers use --model linear"));
    }
    num_rows_ += piece.num_rows;
  }

  [[nodiscard]] Vector labels_of(const Table& piece) const {
    const std::vector<std::string> texts = texts_of(piece);
    Vector labels(piece.num_rows);
    std::map<std::string_view, double> number;
    for (const std::string& name : classes_) number.emplace(name, static_cast<double>(number.size()));
    for (Index i = 0; i < piece.num_rows; ++i) {
      const auto at = classes_.find(texts[static_cast<std::size_t>(i)]);
      if (at == classes_.end())
        throw InvalidArgument(fmt::format("{}: the class {} was not there when the table was read first; run the command again",
                                          piece.row_name(i), io::shown(texts[static_cast<std::size_t>(i)])));
      labels[i] = number.at(*at);
    }
    return labels;
  }

  const FitArguments& args_;
  TableStream stream_;
  std::vector<std::string> names_;
  std::optional<bool> is_text_;
  std::set<std::string, InOrder> classes_{InOrder{is_text_}};
  Index num_rows_ = 0;
  bool is_kernel_, may_be_regression_, is_regression_;
  FeatureEncoding encoding_;
};

}  // namespace

int fit_by_passes(const FitArguments& args, bool is_kernel) {
  require_writable(args);
  if (is_kernel && args.covariance) throw InvalidArgument(fmt::format("--covariance cannot be used with --model {}", args.model));
  Rows rows(args, is_kernel);
  rows.look();
  ModelOptions options = args;
  if (is_kernel) options.task = rows.is_regression() ? "regression" : "classification";
  options.encoding = rows.encoding();
  options.class_names = rows.class_names();
  for (const char* name : {"weights", "missing", "missing_marker"}) options.given.erase(name);  // they were of the rows
  if (!is_kernel) options.keep_covariance = !args.output.empty() || args.covariance ? "always" : "automatic";
  set_prior_columns(args, options.encoding, options);
  SavedModel model;
  {
    const ProgressLine progress(args.shows_progress(), "fitting");
    options.on_sweep = progress.on_sweep();
    model = fit_model([&](const RowQuestion& question) { return rows.answer(question); }, options);
  }
  Training training;
  training.notes = rows.notes();
  training.notes.emplace_back("the table was read in pieces, once for its columns and classes and then once for each pass of the fit");
  return finish_fit(args, model, training);
}

}  // namespace ardvark::cli
