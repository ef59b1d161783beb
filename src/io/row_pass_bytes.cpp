// Questions to rows and the sums that answer them as bytes, in the layout of a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "io/json_reader.hpp"
#include "io/row_works.hpp"
#include "io/safetensors.hpp"
#include "likelihood/registry.hpp"
#include "passes/row_sums.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::bits_of;
using io::count_in;
using io::digits;
using io::Json;
using io::part_name;
constexpr int version_of_bytes = 2;
constexpr const char* key_of_description = "description";
constexpr const char* question_format = "ardvark-row-question";
constexpr const char* sums_format = "ardvark-row-sums";
constexpr const char* counts = "counts";
constexpr const char* dispersion = "dispersion";
constexpr const char* noise = "noise";

std::string finished(io::SafetensorsWriter& file, const char* format, const Json& description) {
  file.metadata = {{"format", format}, {"format_version", std::to_string(version_of_bytes)}, {key_of_description, description.dump()}};
  file.add_checksums();
  return file.bytes();
}

// Reads the description and then the rest; what contradicts itself is refused.
auto read_bytes(std::string_view bytes, const char* format, auto&& read) {
  const io::SafetensorsReader file(bytes, "the bytes given");
  io::check_format(file, format, version_of_bytes, version_of_bytes);
  try {
    return read(file, io::bounded_json(file.text(key_of_description), file.most_bytes_of_tree(), file.path()));
  } catch (const io::JsonError& e) {
    throw InvalidArgument(fmt::format("the bytes given are damaged: their description cannot be read ({})", e.what()));
  }
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
  require_consistent(numbers.size() == 9 && out.packed.size() == q * (q + 1) / 2);
  out.weight = numbers[0], out.extent.farthest = numbers[1], out.nearest = numbers[2], out.least_margin = numbers[3];
  out.scores.correct = numbers[4], out.scores.loss = numbers[5];
  out.scores.weight[0] = numbers[6], out.scores.weight[1] = numbers[7];
  out.extent.vaguest = numbers[8];
  out.of_work = file.vector(prefix + "work");
  if (file.has(prefix + dispersion)) out.of_dispersion = file.vector(prefix + dispersion);
  if (file.has(prefix + noise)) out.of_noise = file.vector(prefix + noise);
  if (!file.has(prefix + "counts")) return out;
  const Vector tally = file.vector(prefix + "counts");
  require_consistent(tally.size() == 6);
  out.counts = {tally[0], tally[1], tally[2], tally[3], tally[4], tally[5]};
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
  if (sums.of_dispersion.size() > 0) file.add_vector(prefix + dispersion, sums.of_dispersion);
  if (sums.of_noise.size() > 0) file.add_vector(prefix + noise, sums.of_noise);
  if (const CountTally& tally = sums.counts; tally.weight > 0)
    file.add_vector(prefix + "counts",
                    Vector(vector_of({tally.weight, tally.counted, tally.exposed, tally.deviance, tally.at_constant, tally.largest})));
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
  require_consistent(rows.rows() == 5);
  const auto bits = [](double high, double low) {
    require_consistent(high >= 0 && high < 4294967296.0 && low >= 0 && low < 4294967296.0);
    return (static_cast<std::uint64_t>(high) << 32U) | static_cast<std::uint64_t>(low);
  };
  for (Index i = 0; i < rows.cols(); ++i) {
    require_consistent(rows(4, i) >= 0 && rows(4, i) < 1e18);
    out.rows.push_back({bits(rows(0, i), rows(1, i)), bits(rows(2, i), rows(3, i)), static_cast<Index>(rows(4, i))});
  }
  out.X = values_of(file.vector("sample.X"));
  out.y = values_of(file.vector("sample.y"));
  out.weights = values_of(file.vector("sample.weights"));
  require_consistent(out.y.size() == out.rows.size() && out.weights.size() == out.rows.size() &&
                     out.X.size() == out.rows.size() * static_cast<std::size_t>(num_columns));
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
  if (asked.work) io::add_work(*asked.work, prefix, file, description);
  if (asked.is_count) {
    const OffsetColumn offset = asked.offset.value_or(OffsetColumn{-1});
    description[counts] = {{"offset_column", offset.column}, {"is_exposure", offset.is_exposure}};
    file.add_vector(prefix + "constant_rate", Vector(Vector::Constant(1, asked.constant_rate)));
    if (asked.log_dispersion) {
      std::vector<double> log_k{*asked.log_dispersion};
      log_k.insert(log_k.end(), asked.dispersion_profile.begin(), asked.dispersion_profile.end());
      file.add_vector(prefix + dispersion, vector_of(log_k));
    }
  }
  if (asked.noise) {
    std::vector<double> numbers{asked.noise->y_center, asked.noise->y_scale};
    for (const NoiseParameters& at : asked.noise->at) numbers.insert(numbers.end(), {at.x, at.u});
    file.add_vector(prefix + noise, vector_of(numbers));
  }
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
  require_consistent(out.sample_rows >= 0);
  out.labels = values_of(file.vector(prefix + "labels"));
  const Vector own = file.vector(prefix + "own_label");
  require_consistent(std::ranges::is_sorted(out.labels) && own.size() == 1);
  out.own_label = own[0];
  out.units.center = file.vector(prefix + "center");
  out.units.scale = file.vector(prefix + "scale");
  const Index p = out.num_columns, q = p + (out.units.intercept ? 1 : 0);
  for (const Vector* of_columns : {&out.units.center, &out.units.scale})
    require_consistent(of_columns->size() == 0 || of_columns->size() == p);
  out.work = io::read_work(file, description, prefix, out);
  for (Index i = 0, count = count_in(description, "posteriors"); i < count; ++i) {
    RowQuestion::State::Posterior one{file.vector(fmt::format("{}mean.{}", prefix, i)), file.matrix(fmt::format("{}root.{}", prefix, i)),
                                      1};
    const Vector weight = file.vector(fmt::format("{}weight.{}", prefix, i));
    require_consistent(weight.size() == 1 && one.w.size() == q && (one.L.size() == 0 || (one.L.rows() == q && one.L.cols() == q)));
    one.weight = weight[0];
    out.at.push_back(std::move(one));
  }
  if (const Json* const of_counts = description.find(counts)) {
    out.is_count = true;
    const OffsetColumn offset{of_counts->at("offset_column").whole_number(), of_counts->at("is_exposure").flag()};
    const Vector rate = file.vector(prefix + "constant_rate");
    const Index known = out.is_first_look ? static_cast<Index>(out.names.size()) : p;
    require_consistent(out.is_regression && !out.is_mixture && offset.column < known && rate.size() == 1);
    if (offset.column >= 0) out.offset = offset;
    out.constant_rate = rate[0];
    if (file.has(prefix + dispersion)) {
      out.dispersion_profile = values_of(file.vector(prefix + dispersion));
      require_consistent(!out.dispersion_profile.empty() && out.at.size() == 1);
      for (const double log_k : out.dispersion_profile) require_consistent(std::isfinite(log_k));
      out.log_dispersion = out.dispersion_profile.front();
      out.dispersion_profile.erase(out.dispersion_profile.begin());
    }
    require_consistent(out.at.empty() || out.log_dispersion.has_value() == (out.likelihood == "negative-binomial"));
  }
  if (file.has(prefix + noise)) {
    const Vector numbers = file.vector(prefix + noise);
    require_consistent(out.is_regression && !out.is_count && !out.is_mixture && !out.wants_scores && out.likelihood == "student");
    require_consistent(numbers.size() >= 4 && numbers.size() % 2 == 0 && out.at.size() == 1 && numbers.allFinite() && numbers[1] > 0);
    out.noise = {numbers[0], numbers[1], {}};
    for (Index i = 2; i < numbers.size(); i += 2) out.noise->at.push_back({numbers[i], numbers[i + 1]});
  }
  // Posteriors ask for the likelihood of classes, of counts, or of Student-t noise.
  const auto is_meant = [&](const LikelihoodRow& row) {
    if (row.name != out.likelihood) return false;
    return out.noise ? has_noise(row.task) : out.is_count ? is_count(row.task) : has_classes(row.task);
  };
  require_consistent(out.at.empty() || out.is_mixture || std::ranges::any_of(likelihoods(), is_meant));
  const Index parts = count_in(description, "parts");
  require_consistent(parts == 0 || prefix.empty());
  require_consistent(!out.wants_scores || !out.at.empty() || parts > 0 || out.work);
  for (Index i = 0; i < parts; ++i) {
    const std::string name = part_name(static_cast<std::size_t>(i));
    out.parts.push_back(read_question(file, description.at(name), name));
    require_consistent(out.parts.back().num_columns == p &&
                       (!out.compares_parts || (out.parts.back().at.size() == 1 && !out.parts.back().work)));
  }
  require_consistent(!out.compares_parts || !out.parts.empty());
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
  require_consistent(given.rows() == 2 + 2 * num_columns);
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
    require_consistent(state->num_rows >= 0 && state->num_columns >= 0 && (state->num_rows == 0 || state->num_columns > 0));
    if (asked.is_first_look) asked.most_labels = description.at("most_labels").whole_number();
    if (description.at("has_sums").flag()) state->closed = read_sums(file);
    for (Index i = 0, count = count_in(description, "parts"); i < count; ++i) {
      require_consistent(state->closed.has_value());
      state->closed->parts.push_back(read_sums(file, part_name(static_cast<std::size_t>(i))));
    }
    state->question = RowQuestion(std::make_shared<const RowQuestion::State>(std::move(asked)));
    if (!state->asked().is_first_look) return 0;
    const Vector words = file.vector("statistics");
    const Index size = description.at("statistics_bytes").whole_number();
    require_consistent(size >= 0 && (size + 3) / 4 == words.size());
    std::string statistics(static_cast<std::size_t>(size), '\0');
    for (Index i = 0; i < size; ++i) {
      const double word = words[i / 4];
      require_consistent(word >= 0 && word < 4294967296.0);
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
