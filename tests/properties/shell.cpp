// The program and the C interface print, save and return the same results as the library.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "ardvark/ardvark.h"
#include "invariance.hpp"
#include "support/handles.hpp"
#include "support/paths.hpp"

namespace ardvark::testing {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Answer {
  int exit_code = -1;
  std::string out;
};

// The output of the program, followed by its messages.
Answer ask(const std::string& words) {
  Answer answer;
  std::FILE* pipe = ::popen((quoted(program_path()) + " " + words + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start the program");
  std::array<char, 65536> block;
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), pipe)) answer.out.append(block.data(), size);
  const int status = ::pclose(pipe);
  answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return answer;
}

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ardvark-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  void put(const std::string& name, const std::string& text) const { std::ofstream(*this / name, std::ios::binary) << text; }

 private:
  std::string path_;
};

// In the memory order of the table, so that sums have the same bits.
SavedModel fit_by_rows(const PreparedProblem& prepared) {
  const RowMajor X = prepared.X;
  return fit_model(MatrixView(X.data(), X.rows(), X.cols(), Layout::row_major), prepared.target, prepared.options);
}

// Without notes: some only the program has, because it reads a table (rows that were dropped, levels that separate classes).
Json without_notes(Json json) {
  json.erase("notes");
  json.erase("seconds");
  return json;
}

std::string check_prediction(const Json& given, const Json& expected) {
  for (const char* name : {"mean", "sd", "lower", "upper", "scale"})
    if (given.contains(name) && expected.contains(name))
      if (auto place = difference(given.at(name), expected.at(name), 1e-12, name); !place.empty()) return place;
  if (!given.contains("probability")) return "";
  Json lists = Json::array();  // one list per class; for two classes only the second
  const Json& rows = expected.at("probability");
  const std::size_t classes = rows.front().size();
  for (std::size_t c = 0; c < classes; ++c) {
    Json list = Json::array();
    for (const Json& row : rows) list.push_back(row[c]);
    lists.push_back(list);
  }
  return difference(given.at("probability"), classes == 2 ? lists[1] : lists, 1e-12, "probability");
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

// The table with one to three additional rows, which are copies with an empty cell. `last_of_all`: they come last, because row numbers are
// the names of kernel columns.
std::string with_holes(const std::string& csv, bool last_of_all, Random& random) {
  std::vector<std::string> lines(1);
  for (const char c : csv)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  lines.pop_back();
  for (Index hole = random.integer(1, 3); hole > 0; --hole) {
    const auto last = static_cast<Index>(lines.size()) - 1;
    std::vector<std::string> fields = fields_of(lines[static_cast<std::size_t>(random.integer(1, last))]);
    fields[static_cast<std::size_t>(random.integer(0, static_cast<Index>(fields.size()) - 1))].clear();
    lines.insert(lines.begin() + (last_of_all ? last + 1 : random.integer(1, last + 1)), fmt::format("{}", fmt::join(fields, ",")));
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

const std::vector<std::string>& shell_options() {
  static const std::vector<std::string> known = [] {
    const std::string text = ask("fit --help-all").out;
    std::vector<std::string> options;
    for (std::size_t at = text.find("  --"); at != std::string::npos; at = text.find("  --", at + 2)) {
      const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at + 2);
      options.push_back(text.substr(at + 2, end - at - 2));
    }
    return options;
  }();
  return known;
}

namespace {

Verdict the_program_fits_the_same(const Subject& given) {
  if (!given.model) return says_nothing();
  const DrawnProblem problem = for_the_shell(given.problem, shell_options());
  for (const DrawnColumn& column : problem.columns)  // --categorical cannot name it
    if (!column.levels.empty() && column.name.find(',') != std::string::npos) return says_nothing();
  Subject subject(problem);
  if (!subject.model) return says_nothing();
  subject.prepared.options.keep_covariance = "always";
  const SavedModel model = fit_by_rows(subject.prepared);
  const Folder folder;
  folder.put("table.csv", csv_of(problem));
  // Rows with a missing value change nothing if they may be dropped.
  Random random(problem.seed + 8);
  const bool holes = random.chance(0.3) && problem.word("missing").empty();
  if (holes) folder.put("holes.csv", with_holes(csv_of(problem), subject.is_machine() || problem.word("preset") == "slr_rvm", random));
  std::string line = "fit " + quoted(folder / (holes ? "holes.csv" : "table.csv")) + (holes ? " --missing drop" : "");
  for (const std::string& word : arguments_of(problem, shell_options())) line += " " + quoted(word);
  const Answer fit = ask(line + " --json -o " + quoted(folder / "m.ardvark"));
  if (fit.exit_code == 2)
    return is_refused_by_the_shell_alone(fit.out) ? says_nothing() : fails("the program refuses what the library accepts: " + fit.out);
  const int expected_code = has_posterior(model) ? 0 : 4;
  if (fit.exit_code != expected_code) return fails(fmt::format("the program ends with {}: {}", fit.exit_code, fit.out.substr(0, 400)));
  if (expected_code != 0) return holds();
  const Json printed = without_notes(Json::parse(fit.out));
  Json as_matrix = printed, expected = without_notes(json_of(model, false, subject.prepared.options.level));
  if (problem.has_text()) {  // only the program knows of text columns: there they are groups without an option
    as_matrix.erase("text_columns");
    Json others = Json::array();  // a text column that may name the rows is warned of
    for (const Json& warning : as_matrix.at("warnings"))
      if (!warning.get<std::string>().starts_with("text column '")) others.push_back(warning);
    as_matrix.at("warnings") = others;
    for (Json* const json : {&as_matrix, &expected})
      for (const char* groups : {"group", "input_group"}) json->at("options").erase(groups);
  }
  if (holes) as_matrix.at("options").erase("missing");
  std::string place = difference(as_matrix, expected, 1e-12);
  if (!place.empty()) return fails("`fit --json` and the library differ: " + place);
  const Answer show = ask("show " + quoted(folder / "m.ardvark") + " --json --level " + fmt::format("{}", subject.prepared.options.level));
  Json shown = without_notes(Json::parse(show.out));
  if (printed.contains("row_weight")) shown["row_weight"] = printed.at("row_weight");  // of the rows of the fit, which are in no file
  place = difference(shown, printed);
  if (!place.empty()) return fails("`show --json` and `fit --json` differ: " + place);
  if (ask("show " + quoted(folder / "m.ardvark")).out.empty()) return fails("`show` prints nothing");
  const Answer predict_answer = ask("predict " + quoted(folder / "m.ardvark") + " " + quoted(folder / "table.csv") + " --json");
  if (predict_answer.exit_code != 0) return fails("`predict`: " + predict_answer.out);
  const RowMajor X = subject.prepared.X;
  const Prediction prediction = predict(model, MatrixView(X.data(), X.rows(), X.cols(), Layout::row_major));
  place = check_prediction(Json::parse(predict_answer.out), json_of(prediction, model));
  return place.empty() ? holds() : fails("`predict --json` and the library differ: " + place);
}

}  // namespace

Verdict the_program_agrees(const Subject& given) {
  Verdict verdict = the_program_fits_the_same(given);
  const std::optional<DrawnProblem> lambda = chosen_lambda_variant(given.problem);
  if (!verdict.fails() && lambda) verdict = the_program_fits_the_same(Subject(*lambda));
  if (verdict.fails() || given.problem.has_text()) return verdict;  // the gaps of a text column are filled with texts
  const std::optional<DrawnProblem> imputed = imputed_variant(given.problem);
  return imputed ? the_program_fits_the_same(Subject(*imputed)) : verdict;
}

// The program reads columns of numbers, the library gets positions, so these messages come only from the program.
bool is_refused_by_the_shell_alone(const std::string& message) {
  return message.find("needs two rows each") != std::string::npos || message.find("need two rows each") != std::string::npos ||
         message.find("different numbers") != std::string::npos || message.find("no feature column") != std::string::npos;
}

namespace {

void set(ardvark_options* options, const std::string& name, const ModelOptions::Value& value) {
  ardvark_error error = {};
  error.struct_size = sizeof error;
  ardvark_code code = ARDVARK_OK;
  if (const auto* text = std::get_if<std::string>(&value)) code = ardvark_options_set_text(options, name.c_str(), text->c_str(), &error);
  if (const auto* number = std::get_if<double>(&value)) code = ardvark_options_set_number(options, name.c_str(), *number, &error);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value))
    code = ardvark_options_set_numbers(options, name.c_str(), numbers->data(), static_cast<int64_t>(numbers->size()), &error);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<const char*> pointers;
    for (const std::string& t : *texts) pointers.push_back(t.c_str());
    code = ardvark_options_set_texts(options, name.c_str(), pointers.data(), static_cast<int64_t>(pointers.size()), &error);
  }
  if (code != ARDVARK_OK) throw std::runtime_error(fmt::format("option {}: {}", name, error.message));
}

std::vector<double> numbers(const std::vector<Index>& positions) { return {positions.begin(), positions.end()}; }

Json text_of(const ardvark_result* result) {
  char* text = nullptr;
  if (ardvark_result_text(result, nullptr, &text, nullptr) != ARDVARK_OK) throw std::runtime_error("no results");
  const std::unique_ptr<char, decltype(&ardvark_free)> free_text(text, &ardvark_free);
  Json json = Json::parse(text);
  json.erase("seconds");
  return json;
}

}  // namespace

std::vector<std::pair<std::string, ModelOptions::Value>> all_options(const Subject& subject) {
  auto all = subject.problem.options;
  const ModelOptions& options = subject.prepared.options;
  if (!options.group.empty()) all.emplace_back("group", numbers(options.group));
  if (!options.input_group.empty()) all.emplace_back("input_group", numbers(options.input_group));
  if (!options.flat.empty()) all.emplace_back("flat", numbers(options.flat));
  if (!options.weights.empty()) all.emplace_back("weights", options.weights);
  if (!options.class_names.empty()) all.emplace_back("class_names", options.class_names);
  all.emplace_back("column_names", options.column_names);
  all.emplace_back("target", options.target);
  return all;
}

Verdict the_c_interface_agrees(const Subject& subject) {
  const Owned<ardvark_options> options(ardvark_options_create());
  for (const auto& [name, value] : all_options(subject)) set(options.get(), name, value);
  const Matrix& X = subject.prepared.X;
  const ardvark_matrix view = {sizeof(ardvark_matrix), X.data(), ARDVARK_FLOAT64, X.rows(), X.cols(), 1, X.rows()};
  ardvark_error error = {};
  error.struct_size = sizeof error;
  ardvark_model* raw = nullptr;
  const ardvark_code code = ardvark_fit(&view, subject.prepared.target.data(), options.get(), &raw, &error);
  const Owned<ardvark_model> model(raw);
  if (!subject.model) {
    if (code != ARDVARK_INVALID_ARGUMENT)
      return fails(fmt::format("the library refuses, and the C interface returns {}", static_cast<int>(code)));
    // In the C interface, weights are an option like any other, and may be the first option that is refused.
    const bool first = !subject.prepared.options.weights.empty() && std::string_view(error.message).starts_with("weights cannot be used");
    return subject.refusal == error.message || first
               ? holds()
               : fails(fmt::format("the library says '{}' and the C interface '{}'", subject.refusal, error.message));
  }
  if (code != ARDVARK_OK) return fails(fmt::format("the C interface returns {}: {}", static_cast<int>(code), error.message));
  ardvark_result* results = nullptr;
  if (ardvark_model_result(model.get(), nullptr, &results, &error) != ARDVARK_OK) return fails(error.message);
  const Owned<ardvark_result> result(results);
  // In memory, one row looks like a column. The way it is read changes the rounding, and so possibly the number of sweeps.
  if (X.rows() == 1 && !difference(text_of(result.get()), json_of(*subject.model, false)).empty()) return says_nothing();
  const double rounding = X.rows() == 1 ? 1e-12 : 0;
  std::string place = difference(text_of(result.get()), json_of(*subject.model, false), rounding);
  if (!place.empty()) return fails("the C interface and C++ differ: " + place);
  if (!subject.has_posterior() || !subject.keeps_covariance()) return holds();
  if (ardvark_predict(model.get(), &view, nullptr, nullptr, &results, &error) != ARDVARK_OK) return fails(error.message);
  const Owned<ardvark_result> prediction(results);
  Json expected = json_of(predict(*subject.model, X), *subject.model);
  expected["warnings"] = warnings_of_prediction(*subject.model, X);
  place = difference(text_of(prediction.get()), expected, rounding);
  return place.empty() ? holds() : fails("predictions by the C interface and C++ differ: " + place);
}

Json exchanged(const Subject& subject) {
  const PreparedProblem& prepared = subject.prepared;
  Json json = {{"seed", subject.problem.seed}, {"text", describe(subject.problem)}};
  json["options"] = Json::object();
  for (const auto& [name, value] : all_options(subject)) json["options"][name] = std::visit([](const auto& v) { return Json(v); }, value);
  json["X"] = Json::array();
  for (Index j = 0; j < prepared.X.cols(); ++j)
    json["X"].push_back(std::vector<double>(prepared.X.col(j).begin(), prepared.X.col(j).end()));
  json["target"] = std::vector<double>(prepared.target.begin(), prepared.target.end());
  if (!subject.model) {
    json["refusal"] = subject.refusal;
    return json;
  }
  json["results"] = json_of(*subject.model, false);
  if (subject.has_posterior() && subject.keeps_covariance())
    json["prediction"] = json_of(predict(*subject.model, prepared.X), *subject.model);
  return json;
}

}  // namespace ardvark::testing
