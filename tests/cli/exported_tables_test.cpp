// Tables as other programs export them: every command reads them as it reads the plain table, and says what it found.
#include <fmt/format.h>

#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::expect_refused;
using testing::output_of;
using testing::read_bytes;
using testing::write_bytes;

// x1, x2, x3, y, label of the plain table, written in another way.
std::string exported(const std::string& csv, char delimiter, char decimal, const std::string& end, const std::string& first_line = "") {
  std::string out = first_line;
  for (const char c : csv)
    out += c == ',' ? std::string(1, delimiter) : c == '.' ? std::string(1, decimal) : c == '\n' ? end + "\n" : std::string(1, c);
  return out;
}

class ExportedTables : public ::testing::Test {
 protected:
  ExportedTables() {
    write_bytes(folder_ / "plain.csv", plain_);
    write_bytes(folder_ / "german.csv", exported(plain_, ';', ',', ";\r", "\xEF\xBB\xBF"));
    write_bytes(folder_ / "tab.csv", exported(plain_, '\t', '.', "\r", "sep=\t\r\n"));
    write_bytes(folder_ / "ends.csv",
                plain_.substr(0, plain_.find('\n') + 1) + exported(plain_.substr(plain_.find('\n') + 1), ',', '.', ",\"\""));
  }
  const std::string plain_ = testing::sample(300, 3).csv();
  const std::vector<std::string> others_ = {"german.csv", "tab.csv", "ends.csv"};
  testing::TemporaryFolder folder_;
};

TEST_F(ExportedTables, AreReadByEveryCommandAsThePlainTable) {
  const std::vector<Arguments> commands = {
      {"fit", "--target", "y", "--ignore", "label", "--model", "linear", "--stream", "never"},
      {"fit", "--target", "y", "--ignore", "label", "--model", "linear", "--stream", "always"},
      {"fit", "--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "shared", "--stream", "always"},
      {"compare", "--target", "y", "--ignore", "label", "--model", "linear"},
  };
  for (const Arguments& command : commands) {
    const auto json_of_file = [&](const std::string& file) {
      Arguments all = {command[0], file};
      all.insert(all.end(), command.begin() + 1, command.end());
      return testing::json_of(all, folder_.path());
    };
    const testing::Json plain = json_of_file("plain.csv");
    for (const std::string& other : others_) {
      const testing::Json found = json_of_file(other);
      if (command[0] == "compare") {
        EXPECT_EQ(found["models"][0]["bound"], plain["models"][0]["bound"]) << other;
      } else {
        for (const char* name : {"mean", "sd", "bound", "columns"}) EXPECT_EQ(found[name], plain[name]) << other << " " << name;
      }
      EXPECT_GT(found["notes"].size(), plain.contains("notes") ? plain["notes"].size() : 0U) << other;
    }
  }
  const auto frequencies = [&](const std::string& file) {
    output_of({"select", file, "--target", "label", "--ignore", "y", "--model", "logistic", "--prior", "ard", "--repeats", "2", "--folds",
               "2", "-q", "-o", "c.csv"},
              folder_.path());
    return read_bytes(folder_ / "c.csv");
  };
  const auto statistics = [&](const std::string& file) {
    output_of({"stats", file, "--target", "y", "-q", "-o", "s.stats"}, folder_.path());
    return read_bytes(folder_ / "s.stats");
  };
  const std::string plain_counts = frequencies("plain.csv"), plain_statistics = statistics("plain.csv");
  for (const std::string& other : others_) {
    EXPECT_EQ(frequencies(other), plain_counts) << other;
    EXPECT_TRUE(statistics(other) == plain_statistics) << other;
  }
}

TEST_F(ExportedTables, ArePredictedAndScoredAsThePlainTableWithoutAnOption) {
  output_of(
      {"fit", "german.csv", "--target", "y", "--ignore", "label,x3", "--model", "linear", "--prior", "shared", "-q", "-o", "m.ardvark"},
      folder_.path());
  const auto predicted = [&](const std::string& file) { return testing::run({"predict", "m.ardvark", file}, folder_.path()); };
  const auto plain = predicted("plain.csv");
  const std::string score = plain.err.substr(plain.err.find("R^2"));
  for (const std::string& other : others_) {
    const auto found = predicted(other);
    EXPECT_EQ(found.out, plain.out) << other;
    EXPECT_NE(found.err.find(score), std::string::npos) << found.err;
    EXPECT_TRUE(found.err.starts_with("note: ")) << found.err;
  }
  // A column that is kept has its texts.
  const std::string kept = output_of({"predict", "m.ardvark", "german.csv", "--keep", "x3", "-q"}, folder_.path());
  const std::string german = read_bytes(folder_ / "german.csv"), row = german.substr(german.find('\n') + 1);
  const std::size_t second = row.find(';', row.find(';') + 1);
  EXPECT_NE(kept.find("\n\"" + row.substr(second + 1, row.find(';', second + 1) - second - 1) + "\","), std::string::npos)
      << kept.substr(0, 200);
}

TEST_F(ExportedTables, AreReadAsTheOptionsSay) {
  const auto mean = [&](const Arguments& options) {
    return testing::json_of(Arguments{"fit", "german.csv", "--target", "y", "--ignore", "label", "--model", "linear"} + options,
                            folder_.path())["mean"];
  };
  const testing::Json found = mean({});
  EXPECT_EQ(mean({"--delimiter", ";", "--decimal", ","}), found);
  EXPECT_EQ(mean({"--delimiter", "auto", "--decimal", "auto"}), found);
  expect_refused({"fit", "german.csv", "--target", "y", "--model", "linear", "--decimal", "."}, folder_, 2,
                 {"has a decimal comma", "--decimal ,"});
  expect_refused({"fit", "german.csv", "--target", "y", "--model", "linear", "--delimiter", ","}, folder_, 2,
                 {"if ';' separates the fields"});
  for (const char* tab : {"tab", "\\t", "\t"})
    EXPECT_EQ(testing::json_of({"fit", "tab.csv", "--target", "y", "--ignore", "label", "--model", "linear", "--delimiter", tab},
                               folder_.path())["mean"],
              found);
}

// A word among measurements is answered with --missing-marker in whichever command, file and row it stands.
TEST_F(ExportedTables, WithAWordAmongNumbersAreRefusedWithAMarker) {
  output_of({"fit", "plain.csv", "--target", "y", "--ignore", "label", "--model", "linear", "--prior", "shared", "-q", "-o", "m.ardvark"},
            folder_.path());
  const std::string header = plain_.substr(0, plain_.find('\n') + 1);
  for (const std::string word : {"OVER", "<0.05", "#DIV/0!", "n.d.", "-1.#IND"}) {
    const std::string bad = word + ",1,2,3,0\n", marker = "--missing-marker='" + word + "'";
    write_bytes(folder_ / "first.csv", header + bad + plain_.substr(header.size()));
    write_bytes(folder_ / "last.csv", plain_ + bad);
    write_bytes(folder_ / "only.csv", header + bad);
    for (const char* file : {"first.csv", "last.csv"}) {
      expect_refused({"fit", file, "--target", "y", "--model", "linear"}, folder_, 2, {marker.c_str()});
      expect_refused({"fit", file, "--target", "label", "--model", "logistic", "--stream", "always"}, folder_, 2, {marker.c_str()});
      expect_refused({"stats", "plain.csv", file, "--target", "y", "-o", "s.stats"}, folder_, 2, {marker.c_str()});
      expect_refused({"predict", "m.ardvark", file}, folder_, 2, {marker.c_str()});
    }
    expect_refused({"predict", "m.ardvark", "only.csv"}, folder_, 2, {marker.c_str()});
    const auto dropped = testing::json_of(
        {"fit", "last.csv", "--target", "y", "--ignore", "label", "--model", "linear", "--missing", "drop", "--missing-marker=" + word},
        folder_.path());
    EXPECT_EQ(dropped["mean"],
              testing::json_of({"fit", "plain.csv", "--target", "y", "--ignore", "label", "--model", "linear"}, folder_.path())["mean"]);
  }
}

// A fit that is refused for its many columns says which column was read as texts.
TEST_F(ExportedTables, AreNotRefusedForTheirColumnsWithoutSayingWhy) {
  const auto table = [](auto&& cell, const std::string& last_rows) {
    std::string csv = "a,b,y\n";
    for (int row = 0; row < 40; ++row) csv += fmt::format("{}.5,{},{}.25\n", row * row % 17, cell(row), row * 7 % 11);
    return csv + last_rows;
  };
  const auto money = [](int row) { return fmt::format("${}", 100 + 37 * row); };
  const auto hexadecimal = [](int row) { return fmt::format("{:#x}", 1000 + 37 * row); };
  const auto exponent = [](int row) { return fmt::format("{}.5D+03", 1 + row); };
  const auto place = [](int row) { return fmt::format("place {}", static_cast<char>('a' + row % 26) + std::to_string(row)); };
  write_bytes(folder_ / "money.csv", table(money, ""));
  write_bytes(folder_ / "hexadecimal.csv", table(hexadecimal, ""));
  write_bytes(folder_ / "exponent.csv", table(exponent, ""));
  write_bytes(folder_ / "total.csv", table(place, "9.5,Total,8.25\n"));
  for (const auto& [file, cause] :
       {std::pair{"money.csv", "('$100')"}, {"hexadecimal.csv", "'0x3e8'"}, {"exponent.csv", "'1.5D+03'"}, {"total.csv", "'Total'"}})
    for (const char* stream : {"never", "always"})
      for (const char* prior : {"none", "sparse"}) {
        Arguments all = {"fit", file, "--target", "y", "--model", "linear", "--stream", stream, "--prior", prior};
        if (std::string(prior) == "sparse") all.insert(all.end(), {"--flat", "b"});
        expect_refused(all, folder_, 2, {"cannot determine", "text column 'b'", cause});
      }
}

}  // namespace
}  // namespace ardvark
