#include "passes/first_look.hpp"

#include <fmt/format.h>

#include <memory>

#include "core/refusals.hpp"

namespace ardvark::internal {

void refuse_weights(const FitOptions& options) {
  if (!options.weights.empty()) throw refused("weights", "cannot be given with rows that are read in passes: they belong to the rows");
}

void refuse_what_needs_rows(const FitOptions& options, bool is_softmax) {
  const auto refuse = [](const std::string& what) {
    throw InvalidArgument(what +
                          " needs the whole table, and the rows are not in memory; read the table into memory, or leave the option out");
  };
  if (!options.preset.empty()) refuse(fmt::format("preset '{}'", options.preset));
  if (options.pruning.is_on()) refuse("pruning");
  if (!is_softmax && options.rule.value_or(UpdateRule::vb) != UpdateRule::vb) refuse("a rule for the precisions other than vb");
  if (options.solver != SolverKind::automatic && !(is_softmax && options.solver == SolverKind::primal))
    refuse(fmt::format("solver '{}'", to_string(options.solver)));
}

namespace {

FirstLook look_at(const AskRows& ask, RowQuestion::State question) {
  question.is_first_look = true;
  RowSums answer = ask(RowQuestion(std::make_shared<const RowQuestion::State>(std::move(question))));
  Moments total = moments_of(answer);
  FirstLook look{std::move(answer), std::move(total), {}, {}, {}};
  look.sample = look.answer.state().sample;
  const auto& classes = look.answer.state().classes;
  look.weights.resize(static_cast<Index>(classes.size()));
  for (const auto& [label, sums] : classes) {
    look.weights[static_cast<Index>(look.labels.size())] = sums.weight;
    look.labels.push_back(label);
  }
  if (const Index p = look.num_columns(); !look.sample.is_complete()) look.sample.keep(most_sample_rows(p), p);
  return look;
}

}  // namespace

FirstLook look_at(const AskRows& ask, const std::vector<std::string>& column_names, Index most_labels) {
  RowQuestion::State question;
  question.most_labels = most_labels;
  question.names = column_names;
  return look_at(ask, std::move(question));
}

FirstLook look_at_counts(const AskRows& ask, const std::vector<std::string>& column_names, const std::optional<OffsetColumn>& offset) {
  RowQuestion::State question;
  question.is_regression = question.is_count = true;
  question.names = column_names;
  question.offset = offset;
  return look_at(ask, std::move(question));
}

FirstLook look_at_numbers(const AskRows& ask, const std::vector<std::string>& column_names) {
  RowQuestion::State question;
  question.is_regression = true;
  question.names = column_names;
  return look_at(ask, std::move(question));
}

RowsLookedAt look_once(const AskRows& ask, const std::vector<std::string>& column_names) {
  FirstLook look = look_at(ask, column_names, most_classes_by_passes);
  const Index num_labels = look.weights.size(), num_rows = look.answer.num_rows();
  return {[ask, answer = std::move(look.answer)](const RowQuestion& question) {
            return question.state().is_first_look ? answer : ask(question);
          },
          num_labels, num_rows};
}

Frame frame_of(const FirstLook& look, Task task, std::vector<std::string> classes, const SmallTable& table, FitOptions options) {
  const Vector k = Vector::Constant(table.Z.rows(), table.stand_in.weight);
  options.weights = k;
  Frame frame = frame_of_columns(table.Z.leftCols(look.num_columns()), options, nullptr, table.stand_in);
  frame.options.weights = {};
  frame.task = task;
  frame.classes = std::move(classes);
  frame.rows = look.total.weight;
  frame.stand_in.y = 0;  // that of the labels
  return frame;
}

RowQuestion::State pass_of(const FirstLook& look) {
  RowQuestion::State pass;
  pass.labels = look.labels;
  pass.num_rows = look.answer.num_rows();
  pass.num_columns = look.num_columns();
  pass.fingerprint = look.answer.state().fingerprint;
  return pass;
}

}  // namespace ardvark::internal
