// Model files in which something has changed: refused by a sentence; and where whoever changed it made the checksums right, still no crash
// and no probability outside [0, 1].
#include <gtest/gtest.h>

#include <cctype>
#include <cstring>
#include <functional>
#include <random>
#include <set>

#include "ardvark/sequential.hpp"
#include "mutations.hpp"
#include "posterior/state.hpp"
#include "small_models.hpp"
#include "temporary_file.hpp"

namespace ardvark::internal {
namespace {

using testing::header_length;
using testing::message_of;
using testing::SmallModel;
using testing::SmallProblem;
using testing::with_header;

// One small file of each kind.
struct SmallFile {
  std::string name, bytes;
};

const SmallProblem& narrow_problem() {
  static const SmallProblem problem = [] {
    std::uint64_t seed = 1;
    while (testing::small_problem(seed).X.cols() != 3) ++seed;
    return testing::small_problem(seed);
  }();
  return problem;
}

const std::vector<SmallFile>& small_files() {
  static const std::vector<SmallFile> files = [] {
    std::vector<SmallFile> all;
    for (const SmallModel& kind : testing::small_models())
      if (const auto model = testing::fitted(kind, narrow_problem())) all.push_back({kind.name, model_to_bytes(*model)});
    return all;
  }();
  return files;
}

Vector signs_of(const SmallProblem& problem) { return 2 * problem.two.array() - 1; }

std::string sequential_bytes() {
  const SmallProblem& problem = narrow_problem();
  SequentialLogistic filter(problem.X.cols());
  filter.update(problem.X, signs_of(problem));
  return filter.to_bytes();
}

template <typename Read>
void expect_refused(const std::string& bytes, Read&& read, const std::string& what) {
  try {
    read(bytes);
    ADD_FAILURE() << what << ": it was read";
  } catch (const InvalidArgument& e) {
    EXPECT_GT(std::strlen(e.what()), 20u) << what;
  }
}

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stride = 23;  // what a sanitizer finds depends on the part of the file, not on the byte
#else
constexpr std::size_t stride = 11;
#endif

// One byte of `stride` becomes another one. Each file begins with another byte, so that all bytes of what the files share are changed.
template <typename Read>
void change_bytes(const std::string& name, const std::string& whole, Read&& read, std::size_t first) {
  testing::Random random(whole.size());
  for (std::size_t at = first % stride; at < whole.size(); at += stride) {
    std::string changed = whole;
    const bool is_digit = std::isdigit(static_cast<unsigned char>(whole[at])) != 0;
    do changed[at] = is_digit ? static_cast<char>('0' + random.integer(0, 9)) : static_cast<char>(random.integer(0, 255));
    while (changed[at] == whole[at]);
    expect_refused(changed, read, name + ", byte " + std::to_string(at));
  }
}

const auto read_model = [](const std::string& bytes) { static_cast<void>(model_from_bytes(bytes)); };
const auto read_filter = [](const std::string& bytes) { static_cast<void>(SequentialLogistic::from_bytes(bytes)); };

TEST(ChangedModel, IsRefusedWhereAByteHasChanged) {
  ASSERT_GE(small_files().size(), 40u);
  std::size_t first = 0;
  for (const SmallFile& file : small_files()) {
    ASSERT_NO_THROW(read_model(file.bytes)) << file.name;
    change_bytes(file.name, file.bytes, read_model, first++);
  }
  for (first = 0; first < stride; ++first) change_bytes("sequential", sequential_bytes(), read_filter, first);
}

TEST(ChangedModel, IsRefusedWhereItEndsTooSoonOrTooLate) {
  std::vector<SmallFile> files = small_files();
  for (const SmallFile& file : files) {
    for (std::size_t size = 0; size < file.bytes.size(); size += size < 64 || size + 64 > file.bytes.size() ? 1 : 37)
      expect_refused(file.bytes.substr(0, size), read_model, file.name + ", " + std::to_string(size) + " bytes");
    for (const int more : {1, 7, 8, 16, 4096})
      for (const char what : {'\0', ' ', 'x'})
        expect_refused(file.bytes + std::string(static_cast<std::size_t>(more), what), read_model,
                       file.name + ", longer by " + std::to_string(more));
  }
  const std::string whole = sequential_bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) expect_refused(whole.substr(0, size), read_filter, "sequential");
  expect_refused(whole + std::string(8, '\0'), read_filter, "sequential");
}

// Parts of the same length change places: names in the header, arrays in the data, and any two words of eight bytes.
TEST(ChangedModel, IsRefusedWherePartsHaveChangedPlaces) {
  testing::Random random(5);
  for (const SmallFile& file : small_files()) {
    const std::size_t data = 8 + header_length(file.bytes);
    const auto swapped = [&](std::size_t a, std::size_t b, std::size_t size) {
      std::string changed = file.bytes;
      for (std::size_t i = 0; i < size; ++i) std::swap(changed[a + i], changed[b + i]);
      if (changed != file.bytes)
        expect_refused(changed, read_model, file.name + ", bytes " + std::to_string(a) + " and " + std::to_string(b) + " swapped");
    };
    const auto any_word = [&](std::size_t first, std::size_t end) {
      return first + 8 * static_cast<std::size_t>(random.integer(0, static_cast<Index>((end - first) / 8) - 1));
    };
    for (int repetition = 0; repetition < 50; ++repetition) {
      swapped(any_word(8, data), any_word(8, data), 8);
      swapped(any_word(data, file.bytes.size()), any_word(data, file.bytes.size()), 8);
      swapped(8 + static_cast<std::size_t>(random.integer(0, static_cast<Index>(data) - 10)), 8, 1);
    }
    for (const auto& [one, other] : {std::pair{"\"mean\"", "\"scale\""}, {"\"x1\\\"", "\"x2\\\""}, {"variance\"", "relevance\""}}) {
      const std::size_t a = file.bytes.find(one), b = file.bytes.find(other);
      if (a == std::string::npos || b == std::string::npos) continue;
      std::string changed = file.bytes;  // names of two arrays, or of two columns
      const std::string first = one, second = other;
      changed.replace(std::max(a, b), (a > b ? first : second).size(), a > b ? second : first);
      changed.replace(std::min(a, b), (a > b ? second : first).size(), a > b ? first : second);
      if (changed.size() == file.bytes.size())
        expect_refused(changed, read_model, file.name + ", " + first + " and " + second + " swapped");
    }
  }
}

TEST(ChangedModel, SaysWhatIsWrong) {
  const std::string& whole = small_files().front().bytes;
  const auto message = [](const std::string& bytes) { return message_of<InvalidArgument>([&] { read_model(bytes); }); };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = whole;
    const std::size_t place = changed.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return changed.replace(place, from.size(), to);
  };
  const std::string of_header = "'the bytes given' is damaged: its header differs from what was written; write or copy it again";
  EXPECT_EQ(message(with("\\\"x1\\\"", "\\\"x7\\\"")), of_header);
  EXPECT_EQ(message(with("header_checksum", "header_checksun")), of_header);
  EXPECT_EQ(message(with("\"format_version\":\"10\"", "\"format_version\":\"09\"")), of_header);  // no way around it
  std::string changed = whole;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  EXPECT_NE(message(changed).find("is damaged: its array '"), std::string::npos) << message(changed);
  EXPECT_EQ(message(testing::with_version(whole, "99")),
            "'the bytes given' was written by a newer ardvark (format 99, this program reads up to 13); update ardvark");
}

// An array that this program does not know counts too: nothing may change.
TEST(ChangedModel, IsRefusedWhereAnArrayThatNobodyReadsHasChanged) {
  const std::string& whole = small_files().front().bytes;
  nlohmann::json header = nlohmann::json::parse(whole.substr(8, header_length(whole)));
  const std::size_t size = whole.size() - 8 - header_length(whole);
  header["a later one"] = {{"dtype", "F64"}, {"shape", {1}}, {"data_offsets", {size, size + 8}}};
  const std::string later = testing::with_right_checksums(with_header(whole + std::string(8, 'z'), header.dump()));
  EXPECT_NO_THROW(read_model(later));
  expect_refused(later.substr(0, later.size() - 1) + "y", read_model, "the unknown array");
}

// ---- with the checksums made right ----------------------------------------------------------------------------------------------------

int num_read = 0, num_refused = 0;

// Refused, or read; then what it says can be printed, and what it predicts is no nonsense.
void expect_harmless(const std::string& bytes) {
  try {
    const SavedModel model = model_from_bytes(bytes);
    ++num_read;
    static_cast<void>(testing::summary_of(model));
    if (model.score() != nullptr) testing::expect_shares(*model.score());
    const Index p = model.encoding.num_columns();
    if (p > 50) return;
    Matrix X(2, p);
    for (Index j = 0; j < p; ++j) X.col(j) << 0, static_cast<double>(j + 1);
    const Matrix found = testing::predictions(model, X);
    if (testing::is_classifier(model)) {
      EXPECT_TRUE((found.array() >= 0 && found.array() <= 1).all()) << found;
      if (const auto filled = testing::predictions_with_gaps(model, X)) {
        EXPECT_TRUE((filled->array() >= 0 && filled->array() <= 1).all()) << *filled;
      }
    } else {
      static_cast<void>(testing::predictions_with_gaps(model, X));
    }
  } catch (const InvalidArgument&) {
    ++num_refused;
  } catch (const EnvironmentError&) {
    ++num_refused;
  }
}

TEST(ForgedModel, IsRefusedOrHarmlessWhateverItsDescriptionSays) {
  std::mt19937 random(11);
  num_read = num_refused = 0;
  for (const SmallFile& file : small_files()) {
    const std::string header = file.bytes.substr(8, header_length(file.bytes));
    for (int trial = 0; trial < 60; ++trial) {
      SCOPED_TRACE(file.name + ", trial " + std::to_string(trial));
      std::string forged = header;
      if (trial % 2 == 0) {
        forged = testing::mutated(header, "[]{}:,\"\\0123456789-e.", random);
      } else {  // a digit, or a sign where there was none
        const std::size_t at = header.find_first_of("0123456789", random() % header.size());
        if (at != std::string::npos) forged[at] = "0123456789-9"[random() % 12];
      }
      expect_harmless(testing::with_right_header_checksum(with_header(file.bytes, forged)));
    }
  }
  EXPECT_GT(num_read, 300);
  EXPECT_GT(num_refused, 300);
}

TEST(ForgedModel, IsRefusedOrHarmlessWhateverItsArraysHold) {
  const double values[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0, -1.0, 1e308, -1e308, 1e-308, 1e18, 2.0, 1 + 1e-15, 0.5};
  std::mt19937 random(12);
  num_read = num_refused = 0;
  for (const SmallFile& file : small_files()) {
    const std::size_t data = 8 + header_length(file.bytes), words = (file.bytes.size() - data) / 8;
    for (int trial = 0; trial < 60; ++trial) {
      SCOPED_TRACE(file.name + ", trial " + std::to_string(trial));
      std::string forged = file.bytes;
      std::memcpy(forged.data() + data + 8 * (random() % words), &values[random() % std::size(values)], 8);
      expect_harmless(testing::with_right_checksums(forged));
    }
  }
  EXPECT_GT(num_read, 300);
  EXPECT_GT(num_refused, 300);
}

// A sparse fit with one component, with another number behind `from` in its description.
std::string forged_sparse(const std::string& from, const std::string& to) {
  static const std::string whole = [] {
    for (std::uint64_t seed = 1;; ++seed) {
      const SmallProblem problem = testing::small_problem(seed);
      const LogisticFit fit = fit_logistic(problem.X, problem.two, testing::small::options_of(PriorKind::sparse, problem));
      if (fit.state->factor.mixture.components.size() == 1) return model_to_bytes(testing::as_saved(fit));
    }
  }();
  std::string header = whole.substr(8, header_length(whole));
  const std::size_t place = header.find(from), begin = place + from.size();
  EXPECT_NE(place, std::string::npos) << from;
  header.replace(begin, header.find_first_of(",]", begin) - begin, to);
  return testing::with_right_header_checksum(with_header(whole, header));
}

TEST(ForgedModel, IsRefusedWhereSharesAreNone) {
  const auto message = [](const std::string& bytes) { return message_of<InvalidArgument>([&] { read_model(bytes); }); };
  const std::string of_weight = R"(\"basis\":0,\"numbers\":[)";  // the weight is the first of them
  EXPECT_NE(message(forged_sparse(of_weight, "0.5")).find("sum to 0.5; they must sum to 1"), std::string::npos)
      << message(forged_sparse(of_weight, "0.5"));
  EXPECT_NE(message(forged_sparse(of_weight, "1.0001")).find("wrong size"), std::string::npos);
  EXPECT_NO_THROW(read_model(forged_sparse(of_weight, "1.0000000000000002")));  // as earlier programs wrote it
  EXPECT_NE(message(forged_sparse(R"(\"dense_fraction\":)", "1.5")).find("its dense fraction is 1.5; it must lie between 0 and 1"),
            std::string::npos);
}

// Calls use(list) for every list of two numbers or more that names columns, rows or vectors.
void for_each_list_of_indices(nlohmann::json& part, const std::function<void(nlohmann::json&)>& use) {
  static const std::set<std::string> names = {"active", "columns", "flat_columns", "relevance_rows", "vectors", "weights"};
  if (part.is_object())
    for (auto& [name, value] : part.items()) {
      const bool is_list = value.is_array() && value.size() > 1 && value[0].is_number_integer();
      if (is_list && names.contains(name)) use(value);
      for_each_list_of_indices(value, use);
    }
  if (part.is_array())
    for (nlohmann::json& value : part) for_each_list_of_indices(value, use);
}

TEST(ForgedModel, IsRefusedWhereAListNamesSomethingTwice) {
  std::set<std::string> sentences;
  for (const SmallFile& file : small_files()) {
    const nlohmann::json header = nlohmann::json::parse(file.bytes.substr(8, header_length(file.bytes)));
    for (const auto& [key, text] : header["__metadata__"].items()) {
      nlohmann::json description = nlohmann::json::parse(text.get<std::string>(), nullptr, false);
      if (!description.is_structured()) continue;
      for_each_list_of_indices(description, [&, key = key](nlohmann::json& list) {
        SCOPED_TRACE(file.name + ": " + list.dump());
        const nlohmann::json second = list[1];
        list[1] = list[0];
        nlohmann::json forged = header;
        forged["__metadata__"][key] = description.dump();
        list[1] = second;
        const std::string bytes = testing::with_right_header_checksum(with_header(file.bytes, forged.dump()));
        const std::string sentence = message_of<InvalidArgument>([&] { static_cast<void>(model_from_bytes(bytes)); });
        EXPECT_NE(sentence.find(" twice"), std::string::npos) << sentence;
        sentences.insert(sentence.substr(sentence.rfind(": ") + 2));
      });
    }
  }
  EXPECT_GE(sentences.size(), 5u);
}

TEST(ForgedFilter, IsRefusedOrHarmless) {
  std::mt19937 random(13);
  const std::string whole = sequential_bytes();
  const SmallProblem& problem = narrow_problem();
  const double values[] = {std::nan(""), HUGE_VAL, 0.0, -1.0, 1e308, -1e308, 1e18, 2.5};
  int read = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string forged = whole;
    const std::size_t data = 8 + header_length(whole);
    std::memcpy(forged.data() + data + 8 * (random() % ((whole.size() - data) / 8)), &values[random() % std::size(values)], 8);
    forged = testing::with_right_checksums(forged);
    if (trial % 4 == 0)
      forged = testing::with_right_header_checksum(
          with_header(whole, testing::mutated(whole.substr(8, header_length(whole)), "[]{}:,\"0123456789", random)));
    try {
      SequentialLogistic filter = SequentialLogistic::from_bytes(forged);
      ++read;
      const LogisticFit fit = filter.fit();
      const Vector p = predict(fit, problem.X).probability;
      EXPECT_TRUE((p.array() >= 0 && p.array() <= 1).all()) << p;
      filter.update(problem.X, signs_of(problem));
    } catch (const InvalidArgument&) {
    }
  }
  EXPECT_GT(read, 20);
  EXPECT_LT(read, 380);
}

// The covariance is that of no numbers: it must not be predicted from.
TEST(ForgedFilter, SaysThatItHasLostItsCovariance) {
  std::string forged = sequential_bytes();
  const Index p = narrow_problem().X.cols();
  const double large = 1e18;  // V(1, 0), behind the scalars and the mean
  std::memcpy(forged.data() + 8 + header_length(forged) + 8 * static_cast<std::size_t>(9 + p + 1), &large, 8);
  const LogisticFit fit = SequentialLogistic::from_bytes(testing::with_right_checksums(forged)).fit();
  EXPECT_EQ(fit.report.status, Status::not_positive_definite);
  EXPECT_EQ(message_of<InvalidArgument>([&] { static_cast<void>(predict(fit, narrow_problem().X)); }),
            "the fit has no posterior to predict from (status: not_positive_definite)");
  EXPECT_TRUE(std::isnan(fit.mean[0])) << "what has lost its covariance is not used";
}

}  // namespace
}  // namespace ardvark::internal
