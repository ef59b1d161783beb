// Questions to rows and the sums that answer them as bytes, in the layout of a model file.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include "fit/l1_question.hpp"
#include "fit/row_sums.hpp"
#include "fit/softmax_rows.hpp"
#include "io/json_reader.hpp"
#include "io/safetensors.hpp"
#include "kernel/kernel_function.hpp"
#include "likelihood/registry.hpp"
#include "process/kernel_rows.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::Json;
constexpr int version_of_bytes = 1;
constexpr const char* key_of_description = "description";
constexpr const char* question_format = "ardvark-row-question";
constexpr const char* sums_format = "ardvark-row-sums";

// 64 bits in hexadecimal digits: a JSON number does not hold them exactly.
std::string digits(std::uint64_t bits) { return fmt::format("{:016x}", bits); }
std::uint64_t bits_of(const std::string& text) {
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument("the bytes given are damaged: a number cannot be read");
  return bits;
}

std::string finished(io::SafetensorsWriter& file, const char* format, const Json& description) {
  file.metadata = {{"format", format}, {"format_version", std::to_string(version_of_bytes)}, {key_of_description, description.dump()}};
  file.add_checksums();
  return file.bytes();
}

// Reads the description and then the rest; what contradicts itself is refused.
template <typename Read>
auto read_bytes(std::string_view bytes, const char* format, Read&& read) {
  const io::SafetensorsReader file(bytes, "the bytes given");
  io::check_format(file, format, version_of_bytes, version_of_bytes);
  try {
    return read(file, io::bounded_json(file.text(key_of_description), file.most_bytes_of_tree(), file.path()));
  } catch (const io::JsonError& e) {
    throw InvalidArgument(fmt::format("the bytes given are damaged: their description cannot be read ({})", e.what()));
  }
}

void require(bool holds) {
  if (!holds) throw InvalidArgument("the bytes given are damaged: their numbers contradict each other");
}

// Before the names of what belongs to one of the parts of a question.
std::string part_name(std::size_t i) { return fmt::format("part.{}.", i); }

// How many posteriors or parts there are.
Index count_in(const Json& description, const char* name) {
  const Index count = description.at(name).whole_number();
  require(count >= 0 && count < 100'000);
  return count;
}

Vector vector_of(const std::vector<double>& values) { return VectorView(values).eigen(); }
std::vector<double> values_of(const Vector& vector) { return {vector.begin(), vector.end()}; }

// \param prefix  of the names: empty, or that of a part
PassSums read_sums(const io::SafetensorsReader& file, const std::string& prefix = {}) {
  PassSums out;
  out.log_likelihood = file.vector(prefix + "log_likelihood");
  out.packed = file.vector(prefix + "gram");
  out.response = file.vector(prefix + "response");
  const Vector numbers = file.vector(prefix + "numbers");
  const Index q = out.response.size();
  require(numbers.size() == 9 && out.packed.size() == q * (q + 1) / 2);
  out.weight = numbers[0], out.extent.farthest = numbers[1], out.nearest = numbers[2], out.least_margin = numbers[3];
  out.scores.correct = numbers[4], out.scores.loss = numbers[5];
  out.scores.weight[0] = numbers[6], out.scores.weight[1] = numbers[7];
  out.extent.vaguest = numbers[8];
  out.of_work = file.vector(prefix + "work");
  return out;
}

void add_sums(const PassSums& sums, io::SafetensorsWriter& file, const std::string& prefix = {}) {
  file.add_vector(prefix + "log_likelihood", sums.log_likelihood);
  file.add_vector(prefix + "gram", sums.packed);
  file.add_vector(prefix + "response", sums.response);
  file.add_vector(prefix + "numbers",
                  Vector(vector_of({sums.weight, sums.extent.farthest, sums.nearest, sums.least_margin, sums.scores.correct,
                                    sums.scores.loss, sums.scores.weight[0], sums.scores.weight[1], sums.extent.vaguest})));
  for (std::size_t i = 0; i < sums.parts.size(); ++i) add_sums(sums.parts[i], file, part_name(i));
  file.add_vector(prefix + "work", sums.of_work);
}

// Positions and hashes are whole numbers of 64 bits: two numbers each.
void add_sample(const RowSample& sample, io::SafetensorsWriter& file) {
  Matrix rows(5, static_cast<Index>(sample.rows.size()));
  for (Index i = 0; i < rows.cols(); ++i) {
    const RowSample::Row& row = sample.rows[static_cast<std::size_t>(i)];
    rows.col(i) << static_cast<double>(row.hash >> 32U), static_cast<double>(row.hash & 0xffffffffU),
        static_cast<double>(row.stream >> 32U), static_cast<double>(row.stream & 0xffffffffU), static_cast<double>(row.position);
  }
  file.add_matrix("sample.rows", std::move(rows));
  file.add_vector("sample.X", sample.X);
  file.add_vector("sample.y", sample.y);
  file.add_vector("sample.weights", sample.weights);
}

RowSample read_sample(const io::SafetensorsReader& file, Index num_columns) {
  RowSample out;
  const Matrix rows = file.matrix("sample.rows");
  require(rows.rows() == 5);
  const auto bits = [](double high, double low) {
    require(high >= 0 && high < 4294967296.0 && low >= 0 && low < 4294967296.0);
    return (static_cast<std::uint64_t>(high) << 32U) | static_cast<std::uint64_t>(low);
  };
  for (Index i = 0; i < rows.cols(); ++i) {
    require(rows(4, i) >= 0 && rows(4, i) < 1e18);
    out.rows.push_back({bits(rows(0, i), rows(1, i)), bits(rows(2, i), rows(3, i)), static_cast<Index>(rows(4, i))});
  }
  out.X = values_of(file.vector("sample.X"));
  out.y = values_of(file.vector("sample.y"));
  out.weights = values_of(file.vector("sample.weights"));
  require(out.y.size() == out.rows.size() && out.weights.size() == out.rows.size() &&
          out.X.size() == out.rows.size() * static_cast<std::size_t>(num_columns));
  return out;
}

// What a kernel machine asks.                                                                                                   (PASS.7)
Json add_machine(const KernelQuestion& asked, const std::string& prefix, io::SafetensorsWriter& file) {
  file.add_vector(prefix + "kernel.center", asked.center);
  file.add_vector(prefix + "kernel.scale", asked.scale);
  std::vector<double> numbers = {asked.target_center, asked.target_scale, asked.h};
  if (asked.own_label) numbers.push_back(*asked.own_label);
  file.add_vector(prefix + "kernel.numbers", Vector(vector_of(numbers)));
  file.add_vector(prefix + "kernel.theta", asked.theta);
  file.add_matrix(prefix + "kernel.centres", asked.centres);
  file.add_vector(prefix + "kernel.mean", asked.mean);
  file.add_matrix(prefix + "kernel.root", asked.root);
  if (asked.slope) {
    file.add_matrix(prefix + "kernel.Y", asked.slope->Y);
    file.add_vector(prefix + "kernel.v1", asked.slope->v1);
    file.add_vector(prefix + "kernel.v0", asked.slope->v0);
    file.add_vector(prefix + "kernel.of_k", asked.slope->of_k);
    file.add_vector(prefix + "kernel.b", Vector(Vector::Constant(1, asked.slope->b)));
  }
  return {{"kind", asked.kernel},
          {"linear_part", asked.linear_part},
          {"classes", asked.classes},
          {"group", asked.group},
          {"slope", asked.slope.has_value()}};
}

void add_work(const RowWork* work, io::SafetensorsWriter& file, Json& description) {
  if (const auto* const one = dynamic_cast<const KernelQuestion*>(work)) description["kernel"] = add_machine(*one, {}, file);
  const auto* const several = dynamic_cast<const KernelQuestions*>(work);
  if (several == nullptr) return;
  Json machines = {{"compares", several->compares}, {"parts", several->machines.size()}};
  for (std::size_t i = 0; i < several->machines.size(); ++i)
    machines[part_name(i)] = add_machine(*several->machines[i], part_name(i), file);
  description["machines"] = std::move(machines);
}

std::shared_ptr<const KernelQuestion> read_machine(const io::SafetensorsReader& file, const Json& described, const std::string& prefix,
                                                   Index num_columns) {
  auto out = std::make_shared<KernelQuestion>();
  out->kernel = described.at("kind").text();
  out->linear_part = described.at("linear_part").flag();
  out->classes = described.at("classes").flag();
  out->group = described.at("group").whole_numbers();
  out->center = file.vector(prefix + "kernel.center");
  out->scale = file.vector(prefix + "kernel.scale");
  const Vector numbers = file.vector(prefix + "kernel.numbers");
  require(numbers.size() == 3 || numbers.size() == 4);
  out->target_center = numbers[0], out->target_scale = numbers[1], out->h = numbers[2];
  if (numbers.size() == 4) out->own_label = numbers[3];
  out->theta = file.vector(prefix + "kernel.theta");
  out->centres = file.matrix(prefix + "kernel.centres");
  out->mean = file.vector(prefix + "kernel.mean");
  out->root = file.matrix(prefix + "kernel.root");
  const Index d = num_columns, size = out->num_features() + 1;
  require(out->center.size() == d && out->scale.size() == d && out->centres.cols() == d && std::ssize(out->group) == d && d > 0);
  require(is_distance_kernel(out->kernel));
  require(out->theta.size() == *std::ranges::max_element(out->group) + (out->linear_part ? 3 : 2));
  for (const Index group : out->group) require(group >= -1);
  require(!out->classes || (out->mean.size() == size && out->root.rows() == size && out->root.cols() == size));
  if (!described.at("slope").flag()) return out;
  const Vector b = file.vector(prefix + "kernel.b");
  require(b.size() == 1);
  out->slope = {file.matrix(prefix + "kernel.Y"),
                file.vector(prefix + "kernel.v1"),
                file.vector(prefix + "kernel.v0"),
                file.vector(prefix + "kernel.of_k"),
                {},
                b[0]};
  require(out->slope->Y.rows() == size - 1 && out->slope->Y.cols() == out->centres.rows());
  for (const Vector* v : {&out->slope->v1, &out->slope->v0, &out->slope->of_k}) require(v->size() == out->centres.rows());
  return out;
}

std::shared_ptr<const RowWork> read_work(const io::SafetensorsReader& file, const Json& description, Index num_columns) {
  if (description.contains("kernel")) return read_machine(file, description.at("kernel"), {}, num_columns);
  if (!description.contains("machines")) return nullptr;
  const Json& machines = description.at("machines");
  auto out = std::make_shared<KernelQuestions>();
  out->compares = machines.at("compares").flag();
  for (Index i = 0, count = count_in(machines, "parts"); i < count; ++i) {
    const std::string name = part_name(static_cast<std::size_t>(i));
    out->machines.push_back(read_machine(file, machines.at(name), name, num_columns));
    require(out->machines.back()->own_label && out->machines.back()->classes);
  }
  return out;
}

// What a Laplace prior asks.                                                                                                     (PASS.9)
// \param prefix  of the names: empty, or that of a part
void add_l1(const L1Question& asked, io::SafetensorsWriter& file, Json& description, const std::string& prefix) {
  description["l1"] = {{"intercept", asked.units.intercept},
                       {"folds", asked.folds},
                       {"seed", digits(asked.seed)},
                       {"test", asked.is_test},
                       {"grams", asked.grams}};
  file.add_vector(prefix + "l1.center", asked.units.center);
  file.add_vector(prefix + "l1.scale", asked.units.scale);
  file.add_vector(prefix + "l1.own_label", Vector(Vector::Constant(1, asked.own_label)));
  file.add_matrix(prefix + "l1.points", asked.W);
}

std::shared_ptr<const L1Question> read_l1(const io::SafetensorsReader& file, const Json& described, Index p, const std::string& prefix) {
  auto out = std::make_shared<L1Question>();
  out->units = {file.vector(prefix + "l1.center"), file.vector(prefix + "l1.scale"), described.at("intercept").flag()};
  for (const Vector* of_columns : {&out->units.center, &out->units.scale}) require(of_columns->size() == 0 || of_columns->size() == p);
  out->folds = described.at("folds").whole_number();
  require(out->folds >= 1 && out->folds <= most_folds_by_passes);
  out->seed = bits_of(described.at("seed").text());
  out->is_test = described.at("test").flag();
  out->grams = described.at("grams").whole_numbers();
  const Vector own = file.vector(prefix + "l1.own_label");
  require(own.size() == 1);
  out->own_label = own[0];
  out->W = file.matrix(prefix + "l1.points");
  require(out->W.rows() == p + (out->units.intercept ? 1 : 0) && (!out->is_test || out->W.cols() % out->folds == 0));
  for (const Index point : out->grams) require(point >= 0 && point < out->W.cols() && !out->is_test);
  return out;
}

// What a softmax asks.                                                                                                          (PASS.8)
void add_softmax(const SoftmaxQuestion& asked, io::SafetensorsWriter& file, Json& description) {
  const ClassCovariance& covariance = asked.covariance;
  description["softmax"] = {{"describes", asked.describes},
                            {"covariance", covariance.kind != ClassCovariance::Kind::none},
                            {"class_of", covariance.class_of},
                            {"column", covariance.column}};
  file.add_matrix("softmax.weights", asked.W);
  file.add_matrix("softmax.before", asked.before);
  file.add_matrix("softmax.root", covariance.L_inverse);
}

// \param question  labels and units have been read
std::shared_ptr<const SoftmaxQuestion> read_softmax(const io::SafetensorsReader& file, const Json& described,
                                                    const RowQuestion::State& question) {
  auto out = std::make_shared<SoftmaxQuestion>();
  out->labels = question.labels;
  out->units = question.units;
  out->describes = described.at("describes").flag();
  out->W = file.matrix("softmax.weights");
  out->before = file.matrix("softmax.before");
  const Index q = question.num_columns + (question.units.intercept ? 1 : 0), C = std::ssize(question.labels);
  require(out->W.rows() == q && out->W.cols() == C && q > 0 && C > 1);
  require(out->before.size() == 0 || (out->before.rows() == q && out->before.cols() == C));
  if (!described.at("covariance").flag()) return out;
  ClassCovariance& covariance = out->covariance;
  covariance.kind = ClassCovariance::Kind::triangular;
  covariance.num_classes = C;
  covariance.class_of = described.at("class_of").whole_numbers();
  covariance.column = described.at("column").whole_numbers();
  covariance.L_inverse = file.matrix("softmax.root");
  const Index P = std::ssize(covariance.column);
  require(std::ssize(covariance.class_of) == P && covariance.L_inverse.rows() == P && covariance.L_inverse.cols() == P);
  for (const Index c : covariance.class_of) require(c >= 0 && c < C);
  for (const Index j : covariance.column) require(j >= 0 && j < q);
  return out;
}

Json described(const RowQuestion::State& asked, io::SafetensorsWriter& file, const std::string& prefix = {}) {
  Json description = {{"first_look", asked.is_first_look},
                      {"most_labels", asked.most_labels},
                      {"names", asked.names},
                      {"likelihood", asked.likelihood},
                      {"intercept", asked.units.intercept},
                      {"wants_step", asked.wants_step},
                      {"wants_scores", asked.wants_scores},
                      {"is_mixture", asked.is_mixture},
                      {"compares_parts", asked.compares_parts},
                      {"has_fingerprint", asked.fingerprint.has_value()},
                      {"fingerprint", digits(asked.fingerprint.value_or(0))},
                      {"rows", asked.num_rows},
                      {"columns", asked.num_columns},
                      {"regression", asked.is_regression},
                      {"sample_rows", asked.sample_rows},
                      {"posteriors", asked.at.size()},
                      {"parts", asked.parts.size()}};
  add_work(asked.work.get(), file, description);
  if (const auto* const l1 = dynamic_cast<const L1Question*>(asked.work.get())) add_l1(*l1, file, description, prefix);
  if (const auto* const softmax = dynamic_cast<const SoftmaxQuestion*>(asked.work.get())) add_softmax(*softmax, file, description);
  file.add_vector(prefix + "labels", asked.labels);
  file.add_vector(prefix + "own_label", Vector(Vector::Constant(1, asked.own_label)));
  file.add_vector(prefix + "center", asked.units.center);
  file.add_vector(prefix + "scale", asked.units.scale);
  for (std::size_t i = 0; i < asked.at.size(); ++i) {
    const auto& one = asked.at[i];
    file.add_vector(fmt::format("{}mean.{}", prefix, i), one.w);
    file.add_matrix(fmt::format("{}root.{}", prefix, i), one.L);
    file.add_vector(fmt::format("{}weight.{}", prefix, i), Vector(Vector::Constant(1, one.weight)));
  }
  for (std::size_t i = 0; i < asked.parts.size(); ++i) description[part_name(i)] = described(asked.parts[i], file, part_name(i));
  return description;
}

RowQuestion::State read_question(const io::SafetensorsReader& file, const Json& description, const std::string& prefix = {}) {
  RowQuestion::State out;
  out.is_first_look = description.at("first_look").flag();
  out.most_labels = description.at("most_labels").whole_number();
  out.names = description.at("names").texts();
  out.likelihood = description.at("likelihood").text();
  out.units.intercept = description.at("intercept").flag();
  out.wants_step = description.at("wants_step").flag();
  out.wants_scores = description.at("wants_scores").flag();
  out.is_mixture = description.at("is_mixture").flag();
  out.compares_parts = description.at("compares_parts").flag();
  if (description.at("has_fingerprint").flag()) out.fingerprint = bits_of(description.at("fingerprint").text());
  out.num_rows = description.at("rows").whole_number();
  out.num_columns = description.at("columns").whole_number();
  out.is_regression = description.at("regression").flag();
  out.sample_rows = description.at("sample_rows").whole_number();
  require(out.sample_rows >= 0);
  out.work = read_work(file, description, out.num_columns);
  if (description.contains("l1")) out.work = read_l1(file, description.at("l1"), out.num_columns, prefix);
  out.labels = values_of(file.vector(prefix + "labels"));
  const Vector own = file.vector(prefix + "own_label");
  require(std::ranges::is_sorted(out.labels) && own.size() == 1);
  out.own_label = own[0];
  out.units.center = file.vector(prefix + "center");
  out.units.scale = file.vector(prefix + "scale");
  const Index p = out.num_columns, q = p + (out.units.intercept ? 1 : 0);
  for (const Vector* of_columns : {&out.units.center, &out.units.scale}) require(of_columns->size() == 0 || of_columns->size() == p);
  if (description.contains("softmax")) out.work = read_softmax(file, description.at("softmax"), out);
  for (Index i = 0, count = count_in(description, "posteriors"); i < count; ++i) {
    RowQuestion::State::Posterior one{file.vector(fmt::format("{}mean.{}", prefix, i)), file.matrix(fmt::format("{}root.{}", prefix, i)),
                                      1};
    const Vector weight = file.vector(fmt::format("{}weight.{}", prefix, i));
    require(weight.size() == 1 && one.w.size() == q && (one.L.size() == 0 || (one.L.rows() == q && one.L.cols() == q)));
    one.weight = weight[0];
    out.at.push_back(std::move(one));
  }
  // Posteriors ask for the likelihood of classes.
  const auto is_meant = [&](const LikelihoodRow& row) { return row.name == out.likelihood && row.task == Task::logistic; };
  require(out.at.empty() || out.is_mixture || std::ranges::any_of(likelihoods(), is_meant));
  const Index parts = count_in(description, "parts");
  require(parts == 0 || prefix.empty());
  require(!out.wants_scores || !out.at.empty() || parts > 0 || out.work);
  for (Index i = 0; i < parts; ++i) {
    const std::string name = part_name(static_cast<std::size_t>(i));
    out.parts.push_back(read_question(file, description.at(name), name));
    require(out.parts.back().num_columns == p && (!out.compares_parts || (out.parts.back().at.size() == 1 && !out.parts.back().work)));
  }
  return out;
}

// The classes of a first look: label and weight, then the sums of the columns, then their rests.
void add_classes(const std::map<double, ClassSums>& classes, Index num_columns, io::SafetensorsWriter& file) {
  Matrix out = Matrix::Zero(2 + 2 * num_columns, static_cast<Index>(classes.size()));
  Index at = 0;
  for (const auto& [label, sums] : classes) {
    out(0, at) = label, out(1, at) = sums.weight;
    for (Index j = 0; j < static_cast<Index>(sums.columns.size()); ++j) {
      const ExactSum& sum = sums.columns[static_cast<std::size_t>(j)];
      out(2 + j, at) = sum.sum, out(2 + num_columns + j, at) = sum.rest;
    }
    ++at;
  }
  file.add_matrix("classes", std::move(out));
}

std::map<double, ClassSums> read_classes(const io::SafetensorsReader& file, Index num_columns) {
  const Matrix given = file.matrix("classes");
  require(given.rows() == 2 + 2 * num_columns);
  std::map<double, ClassSums> out;
  for (Index i = 0; i < given.cols(); ++i) {
    ClassSums& sums = out[given(0, i)];
    sums.weight = given(1, i);
    for (Index j = 0; j < num_columns; ++j) sums.columns.push_back({given(2 + j, i), given(2 + num_columns + j, i)});
  }
  return out;
}

}  // namespace

std::string RowQuestion::to_bytes() const {
  io::SafetensorsWriter file;
  const Json description = described(*state_, file);
  return finished(file, question_format, description);
}

RowQuestion RowQuestion::from_bytes(std::string_view bytes) {
  return RowQuestion(
      std::make_shared<const State>(read_bytes(bytes, question_format, [](const io::SafetensorsReader& file, const Json& description) {
        return read_question(file, description);
      })));
}

std::string RowSums::to_bytes() const {
  const State& state = *state_;
  io::SafetensorsWriter file;
  const bool first = state.asked().is_first_look;
  Json description = {{"first_look", first},
                      {"rows", state.num_rows},
                      {"columns", state.num_columns},
                      {"fingerprint", digits(state.all_fingerprints())},
                      {"stream", digits(state.stream)},
                      {"regression", state.asked().is_regression},
                      {"sample_rows", state.asked().sample_rows},
                      {"seen", state.sample.num_seen},
                      {"threshold", digits(state.sample.threshold)}};
  const std::optional<PassSums> total = state.total();
  description["has_sums"] = total.has_value();
  description["parts"] = total ? total->parts.size() : 0;
  if (total) add_sums(*total, file);
  if (!first) return finished(file, sums_format, description);
  const std::string statistics = state.statistics.to_bytes();
  // Any bytes, as whole numbers of 32 bits.
  Vector words(static_cast<Index>((statistics.size() + 3) / 4));
  for (Index i = 0; i < words.size(); ++i) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b)
      if (const std::size_t at = static_cast<std::size_t>(i) * 4 + b; at < statistics.size())
        word |= static_cast<std::uint32_t>(static_cast<unsigned char>(statistics[at])) << (8U * b);
    words[i] = word;
  }
  description["statistics_bytes"] = statistics.size();
  file.add_vector("statistics", std::move(words));
  add_sample(state.sample, file);
  description["most_labels"] = state.asked().most_labels;
  add_classes(state.classes, state.num_columns, file);
  return finished(file, sums_format, description);
}

RowSums RowSums::from_bytes(std::string_view bytes) {
  auto state = std::make_unique<State>();
  read_bytes(bytes, sums_format, [&](const io::SafetensorsReader& file, const Json& description) {
    RowQuestion::State asked;
    asked.is_first_look = description.at("first_look").flag();
    asked.is_regression = description.at("regression").flag();
    asked.sample_rows = description.at("sample_rows").whole_number();
    state->num_rows = description.at("rows").whole_number();
    state->num_columns = description.at("columns").whole_number();
    state->fingerprint = bits_of(description.at("fingerprint").text());
    state->stream = bits_of(description.at("stream").text());
    require(state->num_rows >= 0 && state->num_columns >= 0 && (state->num_rows == 0 || state->num_columns > 0));
    if (asked.is_first_look) asked.most_labels = description.at("most_labels").whole_number();
    if (description.at("has_sums").flag()) state->closed = read_sums(file);
    for (Index i = 0, count = count_in(description, "parts"); i < count; ++i) {
      require(state->closed.has_value());
      state->closed->parts.push_back(read_sums(file, part_name(static_cast<std::size_t>(i))));
    }
    state->question = RowQuestion(std::make_shared<const RowQuestion::State>(std::move(asked)));
    if (!state->asked().is_first_look) return 0;
    const Vector words = file.vector("statistics");
    const Index size = description.at("statistics_bytes").whole_number();
    require(size >= 0 && (size + 3) / 4 == words.size());
    std::string statistics(static_cast<std::size_t>(size), '\0');
    for (Index i = 0; i < size; ++i) {
      const double word = words[i / 4];
      require(word >= 0 && word < 4294967296.0);
      statistics[static_cast<std::size_t>(i)] =
          static_cast<char>((static_cast<std::uint32_t>(word) >> (8U * static_cast<unsigned>(i % 4))) & 0xffU);
    }
    state->statistics = LinearStatistics::from_bytes(statistics);
    state->sample = read_sample(file, state->num_columns);
    state->sample.num_seen = description.at("seen").whole_number();
    state->sample.threshold = bits_of(description.at("threshold").text());
    state->classes = read_classes(file, state->num_columns);
    return 0;
  });
  return RowSums(std::move(state));
}

}  // namespace ardvark
