#include "predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <variant>

#include "commands.hpp"
#include "io/csv_numbers.hpp"
#include "io/text.hpp"
#include "predict/predictive.hpp"

namespace ardvark::cli {
namespace {

void append(Json& list, const Vector& v) {
  if (list.is_null()) list = Json::array();
  for (const double x : v) list.push_back(x);
}

// The exponent of its first digit.
int place_of(double x) { return static_cast<int>(std::floor(std::log10(x))); }

std::string name_of_probability(const std::string& name) { return "probability_" + name; }

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  if (!internal::io::parse_number(text, value) || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Whether a double brings back what the text says: not of 007, and not of whole numbers with more digits than it holds.
bool is_held_by_double(const std::string& text) {
  const std::optional<double> value = number_of(text);
  if (!value) return true;  // no value
  const std::string digits = text.substr(text.find_first_not_of("+-"));
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return false;
  const bool is_whole = digits.find_first_not_of("0123456789") == std::string::npos;
  return !is_whole || fmt::format("{:.0f}", std::abs(*value)) == digits;
}

// The type in which a kept column is written to Parquet; empty: texts.
std::string type_to_write(const KeptColumn& column) {
  for (const char* type : {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DOUBLE",
                           "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"})
    if (column.stored_type == type) return type;
  if (column.stored_type.starts_with("DECIMAL(")) return column.stored_type;
  return column.stored_type.empty() && column.is_number && std::ranges::all_of(column.texts, is_held_by_double) ? "DOUBLE" : "";
}

}  // namespace

KeptColumn kept_column(const Table& table, const std::string& name) {
  const Index own = table.at(name), after = own + 1;
  const bool has_copy = after < table.num_columns() && table.columns[static_cast<std::size_t>(after)].is_copy;
  const Index j = has_copy ? after : own;
  const TableColumn& column = table.columns[static_cast<std::size_t>(j)];
  KeptColumn kept{name, {}, !table.columns[static_cast<std::size_t>(own)].categorical, column.stored_type};
  for (Index i = 0; i < table.num_rows; ++i) kept.texts.push_back(column.levels[static_cast<std::size_t>(table.value(i, j))]);
  return kept;
}

void PredictionOutput::add(const Prediction& prediction, const RowsOfPrediction& rows) {
  rows_ = &rows;
  if (format_ == OutputFormat::columns) begin_columns();
  std::visit([&](const auto& p) { put(p); }, prediction);
  if (format_ == OutputFormat::json) note_rows();
}

void PredictionOutput::put_column(const std::string& name, const Vector& numbers) {
  columns_.push_back({name, internal::io::OutputColumn::Type::number, {numbers.begin(), numbers.end()}, {}});
}

void PredictionOutput::put_column(const std::string& name, std::vector<std::string> texts) {
  columns_.push_back({name, internal::io::OutputColumn::Type::text, {}, std::move(texts)});
}

void PredictionOutput::begin_columns() {
  if (numbers_rows_)
    columns_.push_back({"row", internal::io::OutputColumn::Type::whole_number, {rows_->numbers.begin(), rows_->numbers.end()}, {}});
  for (const KeptColumn& column : rows_->kept) put_kept(column);
}

// The rows of a file of Parquet have one type, which the first ones decide.
void PredictionOutput::put_kept(const KeptColumn& column) {
  const std::string here = type_to_write(column), &type = kept_types_.emplace(column.name, here).first->second;
  if (here != type && !type.empty())
    throw InvalidArgument(
        fmt::format("column '{}' of --keep is written as {}, which cannot hold all values of later rows; write CSV", column.name, type));
  if (type != "DOUBLE" || !column.stored_type.empty()) {
    put_column(column.name, column.texts);
    columns_.back().written_as = type;
    return;
  }
  Vector numbers(static_cast<Index>(column.texts.size()));
  for (std::size_t i = 0; i < column.texts.size(); ++i)
    numbers[static_cast<Index>(i)] = number_of(column.texts[i]).value_or(std::numeric_limits<double>::quiet_NaN());
  put_column(column.name, numbers);
}

void PredictionOutput::note_rows() {
  for (const Index number : rows_->numbers)
    if (numbers_rows_) json_["rows"].push_back(number);
  for (const KeptColumn& column : rows_->kept) {
    Json& list = json_["keep"][column.name];
    for (const std::string& text : column.texts) list.push_back(text);
  }
}

void PredictionOutput::header(const std::string& names) {
  if (std::exchange(has_header_, true)) return;
  if (numbers_rows_) csv_ += "row,";
  for (const KeptColumn& column : rows_->kept) csv_ += csv_field(column.name) + ",";
  csv_ += names + "\n";
}

void PredictionOutput::begin_row(Index i) {
  if (numbers_rows_) csv_ += fmt::format("{},", rows_->numbers[static_cast<std::size_t>(i)]);
  for (const KeptColumn& column : rows_->kept) csv_ += csv_field(column.texts[static_cast<std::size_t>(i)]) + ",";
}

// With as many significant digits as asked for; zeros at the end count.
std::string PredictionOutput::significant(double x) const {
  char text[40] = "";
  std::snprintf(text, sizeof text, "%#.*g", *digits_, x);
  std::string out = text;
  if (const std::size_t point = out.find('.'); point != std::string::npos && (point + 1 == out.size() || out[point + 1] == 'e'))
    out.erase(point, 1);
  return out;
}

// A number whose error has this size: three digits of the error are written.
std::string PredictionOutput::number(double x, double error) const {
  constexpr int most_places = 15;
  if (digits_) return significant(x);
  if (!(error > 0) || std::isinf(error) || std::abs(x) >= 1e15) return fmt::format("{:.6g}", x);
  const int places = 2 - place_of(error);
  return places > most_places ? fmt::format("{}", x) : fmt::format("{:.{}f}", x, std::max(places, 0));
}

// The probabilities of a class with the same places in each row: four, or up to six where three digits of the smallest one so far or of the
// smallest complement need them. Beyond that, a small one is written as 1.23e-05, and a large one with the nines that tell it from 1.
std::vector<std::string> PredictionOutput::probabilities(Index column, const Vector& p) {
  constexpr int fewest = 4, most = 6;
  double least = 1;
  for (const double x : p)
    if (const double rest = std::min(x, 1 - x); rest > 0) least = std::min(least, rest);
  int& places = places_.emplace(column, fewest).first->second;
  places = std::clamp(2 - place_of(least), places, most);
  std::vector<std::string> out;
  for (const double x : p) {
    const double other = 1 - x;
    if (digits_)
      out.push_back(significant(x));
    else if (x > 0 && 2 - place_of(x) > most)
      out.push_back(fmt::format("{:.2e}", x));
    else
      out.push_back(fmt::format("{:.{}f}", x, other > 0 && other < 1 ? std::max(places, -place_of(other)) : places));
  }
  return out;
}

void PredictionOutput::put(const StudentPrediction& p) {
  put_distribution(p);
  if (format_ != OutputFormat::json) return;
  append(json_["scale"], p.scale);
  json_["degrees_of_freedom"] = p.degrees_of_freedom;  // null if infinite: a normal distribution
}

void PredictionOutput::put(const NoiseMixturePrediction& p) { put_distribution(p); }
void PredictionOutput::put(const TMixturePrediction& p) {
  put_distribution(p);
  if (format_ == OutputFormat::json) json_["scale"] = json_["degrees_of_freedom"] = nullptr;  // a mixture has none
}

void PredictionOutput::put(const CountPrediction& p) {
  put_distribution(p);
  if (format_ == OutputFormat::json) append(json_["log_mean"], p.log_mean), append(json_["log_variance"], p.log_variance);
}

void PredictionOutput::put_distribution(const auto& p) {
  const Vector sd = p.standard_deviation();
  const auto [lower, upper] = internal::interval_of(p, level_);
  if (format_ == OutputFormat::json) {
    append(json_["mean"], p.mean), append(json_["sd"], sd);
    append(json_["lower"], lower), append(json_["upper"], upper);
    return;
  }
  if (format_ == OutputFormat::columns)
    return put_column("mean", p.mean), put_column("sd", sd), put_column("lower", lower), put_column("upper", upper);
  header("mean,sd,lower,upper");
  for (Index i = 0; i < p.mean.size(); ++i) {
    begin_row(i);
    const double error = std::isfinite(sd[i]) ? sd[i] : 0.5 * (upper[i] - lower[i]);
    const auto end = [&](double value) {
      const bool is_count = std::is_same_v<decltype(p), const CountPrediction&> && value == std::round(value);
      return is_count ? fmt::format("{:.0f}", value) : number(value, error);
    };
    csv_ += fmt::format("{},{},{},{}\n", number(p.mean[i], error), number(sd[i], error), end(lower[i]), end(upper[i]));
  }
}

void PredictionOutput::put(const ClassPrediction& p) {
  const std::vector<std::string>& classes = classes_of(model_);
  if (format_ == OutputFormat::json) {
    append(json_["probability"], p.probability);
    json_["classes"] = classes;
    return;
  }
  if (format_ == OutputFormat::columns) {
    std::vector<std::string> names;
    for (const double probability : p.probability) names.push_back(classes[says_second(probability) ? 1 : 0]);
    put_column(name_of_probability(classes[1]), p.probability);
    put_column("class", std::move(names));
    return put_column("log_odds", p.mean), put_column("log_odds_sd", p.variance.cwiseSqrt());
  }
  header(csv_field(name_of_probability(classes[1])) + ",class,log_odds,log_odds_sd");
  const std::vector<std::string> probability = probabilities(1, p.probability);
  for (Index i = 0; i < p.mean.size(); ++i) {
    begin_row(i);
    const double sd = std::sqrt(p.variance[i]);
    csv_ += fmt::format("{},{},{},{}\n", probability[static_cast<std::size_t>(i)],
                        csv_field(classes[says_second(p.probability[i]) ? 1 : 0]), number(p.mean[i], sd), number(sd, sd));
  }
}

// Two classes: the probability of the second. More classes: one column for each.
void PredictionOutput::put(const ClassProbabilities& p) {
  const std::vector<std::string>& classes = classes_of(model_);
  const Index first = classes.size() == 2 ? 1 : 0, num_classes = p.probability.cols();
  if (format_ == OutputFormat::json) {
    Json& lists = json_["probability"];
    for (Index c = first; c < num_classes; ++c)
      append(classes.size() == 2 ? lists : lists[static_cast<std::size_t>(c)], Vector(p.probability.col(c)));
    json_["classes"] = classes;
    return;
  }
  if (format_ == OutputFormat::columns) {
    for (Index c = first; c < num_classes; ++c)
      put_column(name_of_probability(classes[static_cast<std::size_t>(c)]), Vector(p.probability.col(c)));
    std::vector<std::string> most_probable;
    for (const auto c : p.most_probable) most_probable.push_back(classes[static_cast<std::size_t>(c)]);
    return put_column("class", std::move(most_probable));
  }
  std::string names;
  std::vector<std::vector<std::string>> columns;
  for (Index c = first; c < num_classes; ++c) {
    names += csv_field(name_of_probability(classes[static_cast<std::size_t>(c)])) + ",";
    columns.push_back(probabilities(c, p.probability.col(c)));
  }
  header(names + "class");
  for (Index i = 0; i < p.probability.rows(); ++i) {
    begin_row(i);
    for (const std::vector<std::string>& column : columns) csv_ += column[static_cast<std::size_t>(i)] + ",";
    csv_ += csv_field(classes[static_cast<std::size_t>(p.most_probable[static_cast<std::size_t>(i)])]) + "\n";
  }
}

Vector observed(const KeptColumn& target, const std::vector<std::string>& classes) {
  Vector y(static_cast<Index>(target.texts.size()));
  for (std::size_t i = 0; i < target.texts.size(); ++i) {
    const std::string& text = target.texts[i];
    const std::optional<double> number = number_of(text);
    double& value = y[static_cast<Index>(i)];
    value = classes.empty() && number ? *number : std::numeric_limits<double>::quiet_NaN();
    const std::optional<bool> truth = internal::io::truth_of(text);
    const auto is_it = [&](const std::string& name) {
      return (number && number_of(name) == number) || (truth && internal::io::truth_of(name) == truth);
    };
    auto found = std::ranges::find(classes, text);  // numbers that differ in digits that a double does not hold are other classes
    if (found == classes.end()) found = std::ranges::find_if(classes, is_it);
    if (found != classes.end()) value = static_cast<double>(found - classes.begin());
  }
  return y;
}

std::string sentence_of(const PredictionScore& s, const std::string& target, Index num_rows, double level, bool has_interval) {
  if (s.num_rows == 0) return fmt::format("no value of '{}' is one that the model can predict, so the predictions are not scored", target);
  const std::string rows = s.num_rows == num_rows ? fmt::format("{} rows", num_rows) : fmt::format("{} of {} rows", s.num_rows, num_rows);
  if (s.accuracy)
    return fmt::format("{} with '{}': accuracy {:.4f}, log loss {:.4f} nats a row", rows, target, *s.accuracy, -s.log_density);
  return fmt::format("{} with '{}': R^2 {:.4f}, root mean squared error {:.4g}{}", rows, target, *s.r_squared, *s.rmse,
                     has_interval ? fmt::format(", {:.1f}% of them in their {:g}% interval, log density {:.4f} nats a row",
                                                100 * *s.coverage, 100 * level, s.log_density)
                                  : "");
}

Json json_of(const PredictionScore& s, bool has_interval) {
  Json json = {{"num_rows", s.num_rows}};
  if (s.num_rows == 0) return json;
  if (s.accuracy) json.update({{"accuracy", *s.accuracy}, {"log_loss", -s.log_density}});
  if (s.r_squared) json.update({{"r_squared", *s.r_squared}, {"rmse", *s.rmse}});
  if (s.coverage && has_interval) json.update({{"coverage", *s.coverage}, {"log_density", s.log_density}});
  return json;
}

}  // namespace ardvark::cli
