// Converts a drawn problem to the input of the library, the program and other languages, or changes a part of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support/problem_generator.hpp"

namespace ardvark::testing {
namespace {

using Json = nlohmann::ordered_json;
using Value = ModelOptions::Value;
using Words = std::vector<std::string>;

Value value_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (!json.empty() && json.front().is_string()) return json.get<std::vector<std::string>>();
  return json.get<std::vector<double>>();
}

Json json_of_option(const Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

std::string text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return json_of_option(value).dump();
}

std::string field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// A number, or the text at this position; empty: it is missing.
std::string cell(double value, const Words& texts) {
  if (std::isnan(value)) return "";
  return texts.empty() ? fmt::format("{}", value) : field(texts[static_cast<std::size_t>(value)]);
}

Json list(const Vector& v) { return std::vector<double>(v.begin(), v.end()); }
Vector vector_of(const Json& json) {
  const auto values = json.get<std::vector<double>>();
  return VectorView(values).eigen();
}

}  // namespace

const Value* DrawnProblem::option(const std::string& name) const {
  for (const auto& [given, value] : options)
    if (given == name) return &value;
  return nullptr;
}

std::string DrawnProblem::word(const std::string& name) const {
  const Value* value = option(name);
  return value == nullptr ? "" : text_of(*value);
}

bool DrawnProblem::has_trait(const std::string& trait) const { return std::find(traits.begin(), traits.end(), trait) != traits.end(); }

bool DrawnProblem::has_text() const {
  return std::any_of(columns.begin(), columns.end(), [](const DrawnColumn& c) { return !c.levels.empty(); });
}

ModelOptions model_options_of(const DrawnProblem& problem) {
  ModelOptions options;
  for (const auto& [name, value] : problem.options) options.set(name, value);
  return options;
}

// Numbers first, then texts. Kernels have every level, other models all but the one with the most rows (or weight), and of several such the
// first.
std::vector<std::size_t> levels_with_dummies(const DrawnColumn& column, const Vector& weights, bool every) {
  std::vector<std::size_t> order;
  for (const bool numbers : {true, false})
    for (std::size_t k = 0; k < column.levels.size(); ++k)
      if ((column.levels[k].find_first_not_of("0123456789") == std::string::npos) == numbers) order.push_back(k);
  const auto rows = [&](std::size_t k) -> double {
    const auto is_here = (column.values.array() == static_cast<double>(k)).cast<double>();
    return weights.size() > 0 ? (is_here * weights.array()).sum() : is_here.sum();
  };
  if (every) return order.size() < 2 ? std::vector<std::size_t>() : order;  // one text in every row is no input
  const auto reference = std::max_element(order.begin(), order.end(),       // a sum may differ by rounding
                                          [&](std::size_t a, std::size_t b) { return rows(a) * (1 + 1e-9) < rows(b); });
  if (reference != order.end()) order.erase(reference);
  return order;
}

// The weights of the rows that a fit uses; empty: all count the same.
Vector counted_rows(const DrawnProblem& problem) {
  if (problem.word("missing") != "drop") return problem.weights;
  Vector out = problem.weights.size() > 0 ? problem.weights : Vector(Vector::Ones(problem.rows()));
  for (Index i = 0; i < problem.rows(); ++i) {
    bool whole = !std::isnan(problem.target[i]);
    for (const DrawnColumn& column : problem.columns) whole = whole && !std::isnan(column.values[i]);
    if (!whole) out[i] = 0;
  }
  return out;
}

PreparedProblem prepare(const DrawnProblem& problem) {
  PreparedProblem out;
  out.target = problem.target;
  out.options = model_options_of(problem);
  const Vector counted = counted_rows(problem);
  std::vector<Vector> X;
  std::vector<Index> group, flat;
  std::map<Index, Index> number;  // groups are numbered in the order of their first columns
  const bool is_process = problem.word("model") == "kernel";
  for (Index j = 0; j < problem.num_columns(); ++j) {
    const DrawnColumn& column = problem.columns[static_cast<std::size_t>(j)];
    const Index own = problem.group.empty() ? j : problem.group[static_cast<std::size_t>(j)];
    const std::size_t first = X.size();
    if (column.levels.empty()) {
      X.push_back(column.values);
      out.options.column_names.push_back(column.name);
    }
    for (const std::size_t k : levels_with_dummies(column, counted, is_process)) {
      X.push_back(column.values.array().isNaN().select(column.values, (column.values.array() == static_cast<double>(k)).cast<double>()));
      out.options.column_names.push_back(column.name + "=" + column.levels[k]);
    }
    for (std::size_t k = first; k < X.size(); ++k) {
      group.push_back(number.emplace(own, static_cast<Index>(number.size())).first->second);
      if (std::find(problem.flat.begin(), problem.flat.end(), j) != problem.flat.end()) flat.push_back(static_cast<Index>(k));
    }
  }
  out.X.resize(problem.rows(), static_cast<Index>(X.size()));
  for (std::size_t j = 0; j < X.size(); ++j) out.X.col(static_cast<Index>(j)) = X[j];
  const std::string prior = problem.word("prior");
  const bool groups_of_text = problem.has_text() && problem.word("preset").empty() && prior != "laplace" && prior != "dense" &&
                              prior != "shared" && prior != "none";
  if (is_process && problem.has_text())
    out.options.input_group = group;
  else if (!problem.group.empty() || groups_of_text)
    out.options.group = group;
  out.options.flat = flat;
  if (!out.options.flat.empty()) out.options.given.insert("flat");
  if (!problem.group.empty()) out.options.given.insert("group");
  out.options.class_names = problem.class_names;
  out.options.target = problem.target_name;
  out.options.weights.assign(problem.weights.begin(), problem.weights.end());
  return out;
}

std::string describe(const DrawnProblem& problem) {
  std::string text = fmt::format("{} x {}", problem.rows(), problem.num_columns());
  for (const auto& [name, value] : problem.options) text += fmt::format(", {} {}", name, text_of(value));
  if (!problem.group.empty()) text += fmt::format(", groups {}", fmt::join(problem.group, " "));
  if (!problem.flat.empty()) text += fmt::format(", flat {}", fmt::join(problem.flat, " "));
  if (problem.weights.size() > 0) text += ", weighted";
  for (const std::string& trait : problem.traits) text += ", " + trait;
  return text;
}

std::string csv_of(const DrawnProblem& problem) {
  std::string text;
  for (const DrawnColumn& column : problem.columns) text += field(column.name) + ",";
  if (problem.weights.size() > 0) text += field(problem.weights_name) + ",";
  text += field(problem.target_name) + "\n";
  for (Index i = 0; i < problem.rows(); ++i) {
    for (const DrawnColumn& column : problem.columns) text += cell(column.values[i], column.levels) + ",";
    if (problem.weights.size() > 0) text += fmt::format("{},", problem.weights[i]);
    text += cell(problem.target[i], problem.class_names) + "\n";
  }
  return text;
}

DrawnProblem for_the_shell(DrawnProblem problem, const std::vector<std::string>& known) {
  const auto has = [&](const std::string& option) { return std::find(known.begin(), known.end(), option) != known.end(); };
  const auto options = problem.options;
  ModelOptions spelling;
  spelling.spelling = Spelling::command_line;
  for (const auto& [name, value] : options)
    if (!has(spelling.spelled(name)) || std::holds_alternative<std::vector<double>>(value)) drop_option(problem, name);
  const auto is_plain = [](const DrawnColumn& column) { return column.name.find(',') == std::string::npos; };
  if (!std::all_of(problem.columns.begin(), problem.columns.end(), is_plain)) {
    problem.group.clear();
    problem.flat.clear();
    if (problem.word("prior") == "groups") drop_option(problem, "prior");
  }
  // In the CSV file, text columns and a target of text contain texts; if these look like numbers, the program reads them as numbers.
  return problem;
}

std::vector<std::string> arguments_of(const DrawnProblem& problem, const std::vector<std::string>& known) {
  const DrawnProblem shell = for_the_shell(problem, known);
  ModelOptions spelling;
  spelling.spelling = Spelling::command_line;
  std::vector<std::string> arguments = {"--target", shell.target_name};
  if (shell.weights.size() > 0) arguments.insert(arguments.end(), {"--weights", shell.weights_name});
  std::string categorical;
  for (const DrawnColumn& column : shell.columns)
    if (!column.levels.empty() && column.name.find(',') == std::string::npos) categorical += (categorical.empty() ? "" : ",") + column.name;
  if (!categorical.empty()) arguments.push_back("--categorical=" + categorical);
  for (const auto& [name, value] : shell.options) {
    const bool flag = std::any_of(model_options().begin(), model_options().end(), [&, &option = name](const ModelOption& o) {
      return option == o.name && std::holds_alternative<bool ModelOptions::*>(o.member);
    });
    arguments.push_back(flag ? spelling.spelled(name) : spelling.spelled(name) + "=" + text_of(value));
  }
  std::map<Index, std::string> groups;
  for (std::size_t j = 0; j < shell.group.size(); ++j) {
    std::string& names = groups[shell.group[j]];
    names += (names.empty() ? "" : ",") + shell.columns[j].name;
  }
  for (const auto& [number, names] : groups) arguments.push_back(fmt::format("--group=g{}={}", number, names));
  for (const Index j : shell.flat) arguments.push_back("--flat=" + shell.columns[static_cast<std::size_t>(j)].name);
  return arguments;
}

Json json_of(const DrawnProblem& problem) {
  Json json = {{"seed", problem.seed},
               {"target_name", problem.target_name},
               {"weights_name", problem.weights_name},
               {"class_names", problem.class_names},
               {"target", list(problem.target)},
               {"weights", list(problem.weights)},
               {"group", problem.group},
               {"flat", problem.flat}};
  json["columns"] = Json::array();
  for (const DrawnColumn& column : problem.columns)
    json["columns"].push_back({{"name", column.name}, {"levels", column.levels}, {"values", list(column.values)}});
  json["options"] = Json::array();
  for (const auto& [name, value] : problem.options) json["options"].push_back(Json::array({name, json_of_option(value)}));
  return json;
}

DrawnProblem problem_of(const Json& json) {
  DrawnProblem problem;
  problem.seed = json.at("seed").get<std::uint64_t>();
  problem.target_name = json.at("target_name").get<std::string>();
  problem.weights_name = json.at("weights_name").get<std::string>();
  problem.class_names = json.at("class_names").get<Words>();
  problem.target = vector_of(json.at("target"));
  problem.weights = vector_of(json.at("weights"));
  problem.group = json.at("group").get<std::vector<Index>>();
  problem.flat = json.at("flat").get<std::vector<Index>>();
  for (const Json& column : json.at("columns"))
    problem.columns.push_back({column.at("name").get<std::string>(), column.at("levels").get<Words>(), vector_of(column.at("values"))});
  for (const Json& option : json.at("options")) problem.options.emplace_back(option.at(0).get<std::string>(), value_of(option.at(1)));
  return problem;
}

DrawnProblem with_rows(const DrawnProblem& problem, const std::vector<Index>& rows) {
  DrawnProblem out = problem;
  for (DrawnColumn& column : out.columns) column.values = Vector(column.values(rows));
  out.target = problem.target(rows);
  if (problem.weights.size() > 0) out.weights = problem.weights(rows);
  return out;
}

DrawnProblem with_columns(const DrawnProblem& problem, const std::vector<Index>& columns) {
  DrawnProblem out = problem;
  out.columns.clear();
  out.group.clear();
  out.flat.clear();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto j = static_cast<std::size_t>(columns[k]);
    out.columns.push_back(problem.columns[j]);
    if (!problem.group.empty()) out.group.push_back(problem.group[j]);
    if (std::find(problem.flat.begin(), problem.flat.end(), columns[k]) != problem.flat.end()) out.flat.push_back(static_cast<Index>(k));
  }
  std::map<Index, Index> number;  // without gaps
  for (const Index g : out.group) number.emplace(g, 0);
  Index next = 0;
  for (auto& [g, now] : number) now = next++;
  for (Index& g : out.group) g = number.at(g);
  return out;
}

void set_option(DrawnProblem& problem, const std::string& name, const Value& value) {
  for (auto& [given, old] : problem.options)
    if (given == name) {
      old = value;
      return;
    }
  problem.options.emplace_back(name, value);
}

void drop_option(DrawnProblem& problem, const std::string& name) {
  std::erase_if(problem.options, [&](const auto& option) { return option.first == name; });
  if (name == "prior") problem.group.clear();
}

}  // namespace ardvark::testing
