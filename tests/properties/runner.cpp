#include "runner.hpp"

#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

namespace ardvark::testing {
namespace {

using Clock = std::chrono::steady_clock;

struct Count {
  std::uint64_t held = 0, failed = 0, exempt = 0;
  double seconds = 0;
};

std::vector<Property> chosen(const std::string& wanted) {
  if (wanted.empty()) return properties();
  std::vector<Property> out;
  for (std::size_t at = 0; at <= wanted.size();) {
    const std::size_t comma = std::min(wanted.find(',', at), wanted.size());
    const std::string name = wanted.substr(at, comma - at);
    const auto found = std::find_if(properties().begin(), properties().end(), [&](const Property& p) { return name == p.name; });
    if (found == properties().end()) throw std::runtime_error(fmt::format("there is no property '{}'", name));
    out.push_back(*found);
    at = comma + 1;
  }
  return out;
}

// An exception is a failure, too: for every problem, the library must give a result or refuse it.
Verdict verdict_of(const Property& property, const Subject& subject) {
  try {
    return property.check(subject);
  } catch (const std::exception& error) {
    return fails(fmt::format("an exception: {}", error.what()));
  }
}

Verdict verdict_of(const Property& property, const DrawnProblem& problem) {
  try {
    return verdict_of(property, Subject(problem));
  } catch (const std::exception& error) {
    return fails(fmt::format("an exception: {}", error.what()));
  }
}

void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// A smaller problem that falls under an exemption fails for another reason.
bool is_exempt(const char* property, const DrawnProblem& problem, bool strict) {
  return !strict && exemption_of(property, Subject(problem)) != nullptr;
}

// The kind of a failure: its first words, without numbers and names.
std::string kind_of(const std::string& failure) {
  std::string words;
  int count = 0;
  for (const char c : failure) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      words += c;
    else if (!words.empty() && words.back() != ' ') {
      words += ' ';
      if (++count == 6) break;
    }
  }
  return words;
}

void report_failure(const Property& property, const DrawnProblem& problem, const std::string& failure, const RunOptions& options) {
  fmt::print("FAILED {}, seed {}: {}\n  {}\n", property.name, problem.seed, failure, describe(problem));
  fmt::print("  repeat: build/bin/ardvark_random --seed {} --property {}{}\n", problem.seed, property.name,
             options.extreme ? " --extreme" : "");
  if (options.failures.empty()) return;
  const std::string kind = kind_of(failure);
  const auto until = Clock::now() + std::chrono::seconds(20);
  const auto still_fails = [&](const DrawnProblem& candidate) {
    return Clock::now() < until && kind_of(verdict_of(property, candidate).failure) == kind &&
           !is_exempt(property.name, candidate, options.strict);
  };
  const DrawnProblem small = shrink(problem, still_fails);
  const std::string name = fmt::format("{}/{}-{}", options.failures, property.name, problem.seed);
  write(name + ".json", json_of(small).dump(1));
  write(name + ".csv", csv_of(small));
  fmt::print("  smallest problem that fails: {}: {}\n", describe(small), verdict_of(property, small).failure);
  fmt::print("  repeat: build/bin/ardvark_random --problem {}.json --property {}\n", name, property.name);
  std::string line = fmt::format("build/bin/ardvark fit {}.csv", name);
  for (const std::string& word : arguments_of(small, shell_options())) line += " " + quoted(word);
  fmt::print("  as a command: {}\n", line);
}

// All results of a problem except times, as one number: FNV-1a of the text.
std::uint64_t digest_of(const Subject& subject) {
  std::string text = subject.refusal;
  if (subject.model) {
    const bool covariance = subject.keeps_covariance();
    text = json_of(*subject.model, covariance).dump();
    if (covariance && subject.has_posterior()) text += json_of(predict(*subject.model, new_rows(subject)), *subject.model).dump();
  }
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return digest;
}

// A fit of hundreds of times the usual work: each of its many steps is one for every value of the hyper-parameters. Most properties repeat
// the fit many times.
bool is_dear(const Subject& subject) {
  constexpr int many_steps = 14;
  if (!subject.model) return false;
  const Report& report = report_of(*subject.model);
  return report.solver == SolverKind::coordinate && report.sweeps > many_steps;
}
bool needs_no_fit(const Property& property) {
  const std::string_view name = property.name;
  return name == "saved" || name == "sound" || name == "derived" || name == "bound" || name == "described" || name == "predicted";
}

}  // namespace

RunOutcome run_properties(const RunOptions& options) {
  const bool asks = options.folder.empty() && !options.digest;
  const std::vector<Property> all =
      asks ? chosen(options.wanted.empty() && options.extreme ? "saved,sound" : options.wanted) : std::vector<Property>();
  std::map<std::string, Count> counts;
  RunOutcome outcome;
  const auto try_one = [&](const DrawnProblem& problem) {
    if (options.show) fmt::print("seed {}: {}\n", problem.seed, describe(problem));
    ++outcome.num_problems;
    std::optional<Subject> subject;
    try {
      subject.emplace(problem);
    } catch (const std::exception& error) {
      ++outcome.num_failures;
      fmt::print("FAILED fit, seed {}: an exception: {}\n  {}\n", problem.seed, error.what(), describe(problem));
      return;
    }
    if (options.show && !subject->model) fmt::print("  refused: {}\n", subject->refusal);
    ++(subject->model ? outcome.num_fitted : outcome.num_refused);
    if (options.digest) {
      fmt::print("{} {:016x}\n", problem.seed, digest_of(*subject));
      return;
    }
    if (!options.folder.empty()) {
      write(fmt::format("{}/{}.json", options.folder, problem.seed), exchanged(*subject).dump());
      return;
    }
    for (const Property& property : all) {
      if (std::string(property.name) == "shell" && (options.shell_every == 0 || problem.seed % options.shell_every != 0)) continue;
      if (options.brief && is_dear(*subject) && !needs_no_fit(property)) continue;
      Count& count = counts[property.name];
      const auto begin = Clock::now();
      const Verdict verdict = verdict_of(property, *subject);
      count.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
      if (!verdict.applies) continue;
      if (!verdict.fails()) {
        ++count.held;
        continue;
      }
      const Exemption* exemption = exemption_of(property.name, *subject);
      if (!options.strict && exemption != nullptr) {
        ++count.exempt;
        continue;
      }
      if (exemption != nullptr) fmt::print("exempt: {}\n", exemption->reason);
      ++count.failed;
      ++outcome.num_failures;
      report_failure(property, problem, verdict.failure, options);
    }
    std::fflush(stdout);
  };
  if (!options.file.empty())
    try_one(problem_of(Json::parse(std::ifstream(options.file))));
  else
    for (std::uint64_t k = 0; k < options.count; ++k)
      try_one(options.extreme ? draw_extreme_problem(options.seed + k) : draw_problem(options.seed + k));
  fmt::print("figure: {} problems: {} fitted, {} refused\n", outcome.num_problems, outcome.num_fitted, outcome.num_refused);
  for (const Property& property : all) {
    const Count& count = counts[property.name];
    fmt::print("figure: {:<12} holds for {:>6}, fails for {}, under an exemption {} ({:.1f} s)\n", property.name, count.held, count.failed,
               count.exempt, count.seconds);
  }
  return outcome;
}

}  // namespace ardvark::testing
