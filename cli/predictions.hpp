// Predictions of the rows of a table as text.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/model.hpp"
#include "ardvark/table.hpp"
#include "io/parquet_writer.hpp"

namespace ardvark::cli {

using Json = nlohmann::ordered_json;

/// A column of the table that the output has, too, or that holds the target.
struct KeptColumn {
  std::string name;
  std::vector<std::string> texts;
  bool is_number = false;        ///< to the model
  std::string stored_type = {};  ///< in a file of Parquet
};
/// The texts of the column in each row, as they are in the file.
[[nodiscard]] KeptColumn kept_column(const Table& table, const std::string& name);

/// What stands beside the predictions of some rows.
struct RowsOfPrediction {
  std::vector<Index> numbers;  ///< of the rows in the table
  std::vector<KeptColumn> kept;
};

/// CSV with a header and one line per row; JSON; or columns of numbers that are not rounded.
enum class OutputFormat { csv, json, columns };

/// The output, from pieces.
class PredictionOutput {
 public:
  using Columns = std::vector<internal::io::OutputColumn>;

  /// \param digits         significant ones; none: those that matter
  /// \param numbers_rows   whether the number of each row is written
  PredictionOutput(const SavedModel& model, double level, std::optional<int> digits, OutputFormat format, bool numbers_rows)
      : model_(model), level_(level), digits_(digits), format_(format), numbers_rows_(numbers_rows) {}
  void add(const Prediction& prediction, const RowsOfPrediction& rows);
  /// The lines of CSV since it was called before.
  [[nodiscard]] std::string take_csv() { return std::exchange(csv_, {}); }
  [[nodiscard]] Json& json() { return json_; }
  /// The rows since it was called before.
  [[nodiscard]] Columns take_columns() { return std::exchange(columns_, {}); }

 private:
  void header(const std::string& names);
  void begin_row(Index i);
  [[nodiscard]] std::string significant(double x) const;
  [[nodiscard]] std::string number(double x, double error) const;
  [[nodiscard]] std::vector<std::string> probabilities(Index column, const Vector& p);
  void put_distribution(const auto& p);
  void put(const StudentPrediction& p);
  void put(const NoiseMixturePrediction& p);
  void put(const TMixturePrediction& p);
  void put(const CountPrediction& p);
  void put(const ClassPrediction& p);
  void put(const ClassProbabilities& p);
  void note_rows();
  void begin_columns();
  void put_column(const std::string& name, const Vector& numbers);
  void put_column(const std::string& name, std::vector<std::string> texts);
  void put_kept(const KeptColumn& column);

  const SavedModel& model_;
  double level_;
  std::optional<int> digits_;
  OutputFormat format_;
  bool numbers_rows_, has_header_ = false;
  std::map<Index, int> places_;                    // of the probabilities of each class
  std::map<std::string, std::string> kept_types_;  // of the kept columns in the rows before, in Parquet
  const RowsOfPrediction* rows_ = nullptr;         // of the piece
  Json json_;
  std::string csv_;
  Columns columns_;
};

/// The observed numbers or positions of classes; NaN where the text is none of these.
[[nodiscard]] Vector observed(const KeptColumn& target, const std::vector<std::string>& classes);
/// One line about how well the rows are predicted whose target is known.
[[nodiscard]] std::string sentence_of(const PredictionScore& s, const std::string& target, Index num_rows, double level, bool has_interval);
[[nodiscard]] Json json_of(const PredictionScore& s, bool has_interval);

}  // namespace ardvark::cli
