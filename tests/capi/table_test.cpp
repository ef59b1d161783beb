// Tables and encodings of the C interface, against the library and against a model file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "capi/calls.hpp"
#include "io/temporary_file.hpp"

namespace ardvark {
namespace {

using Table = testing::Owned<ardvark_table>;
using Encoding = testing::Owned<ardvark_encoding>;

struct People {
  std::vector<double> age, y;
  std::vector<const char*> city;

  People() {
    const char* const cities[] = {"Rome", "Oslo", "Bonn", "Rome"};
    for (int i = 0; i < 40; ++i) {
      age.push_back(20 + 7 * i % 41);
      city.push_back(cities[i * i % 7 % 4]);
      y.push_back(0.1 * age.back() + (std::string(city.back()) == "Oslo" ? 3 : 0) + 0.3 * std::sin(5.0 * i));
    }
  }
};

Table table_of(const People& people, std::int64_t rows = 40) {
  ardvark_error error = empty_error();
  ardvark_table* table = nullptr;
  EXPECT_EQ(ardvark_table_create(rows, &table, &error), ARDVARK_OK) << error.message;
  EXPECT_EQ(ardvark_table_add_texts(table, "city", people.city.data(), &error), ARDVARK_OK) << error.message;
  EXPECT_EQ(ardvark_table_add_numbers(table, "age", people.age.data(), &error), ARDVARK_OK) << error.message;
  return Table(table);
}

Encoding encoding_of(const Table& table, const Options& options) {
  ardvark_error error = empty_error();
  ardvark_encoding* encoding = nullptr;
  EXPECT_EQ(ardvark_encoding_create(table.get(), options.get(), &encoding, &error), ARDVARK_OK) << error.message;
  return Encoding(encoding);
}

Matrix applied(const Encoding& encoding, const Table& table) {
  ardvark_error error = empty_error();
  ardvark_array X = {};
  X.struct_size = sizeof X;
  EXPECT_EQ(ardvark_encoding_apply(encoding.get(), table.get(), &X, &error), ARDVARK_OK) << error.message;
  Matrix out = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(X.data, X.shape[0], X.shape[1]);
  ardvark_free(X.data);
  return out;
}

TEST(CTable, BecomesAMatrixWithAColumnForEachLevelButTheReference) {
  const People people;
  const Table table = table_of(people);
  const Encoding encoding = encoding_of(table, options_of({{"model", "linear"}}));
  const Matrix X = applied(encoding, table);
  ASSERT_EQ(X.cols(), 3);
  for (Index i = 0; i < 40; ++i) {
    const std::string city = people.city[static_cast<std::size_t>(i)];
    EXPECT_EQ(X(i, 0), city == "Bonn") << i;
    EXPECT_EQ(X(i, 1), city == "Oslo") << i;
    EXPECT_EQ(X(i, 2), people.age[static_cast<std::size_t>(i)]) << i;
  }
  ardvark_error error = empty_error();
  ardvark_result* facts = nullptr;
  ASSERT_EQ(ardvark_encoding_result(encoding.get(), &facts, &error), ARDVARK_OK) << error.message;
  const Result owned(facts);
  EXPECT_EQ(json_of(owned, "columns"), R"(["city=Bonn","city=Oslo","age"])");
  EXPECT_EQ(json_of(owned, "features"), R"(["city","age"])");
  EXPECT_EQ(json_of(owned, "feature"), "[0,0,1]");
  EXPECT_EQ(json_of(owned, "text_columns"), R"([{"name":"city","levels":["Bonn","Oslo","Rome"],"reference":"Rome"}])");
}

TEST(CTable, BecomesCompressedColumnsOfTheSameNumbers) {
  const People people;
  const Table table = table_of(people);
  const Encoding encoding = encoding_of(table, options_of({{"model", "linear"}}));
  ardvark_error error = empty_error();
  ardvark_matrix_file* kept = nullptr;
  ASSERT_EQ(ardvark_encoding_apply_csc(encoding.get(), table.get(), &kept, &error), ARDVARK_OK) << error.message;
  ardvark_csc X = {};
  X.struct_size = sizeof X;
  ASSERT_EQ(ardvark_matrix_file_csc(kept, &X, &error), ARDVARK_OK) << error.message;
  const Matrix dense = applied(encoding, table);
  Matrix out = Matrix::Zero(X.rows, X.columns);
  const auto* const start = static_cast<const std::int32_t*>(X.start);
  for (Index j = 0; j < X.columns; ++j)
    for (std::int32_t e = start[j]; e < start[j + 1]; ++e)
      out(static_cast<const std::int32_t*>(X.row)[e], j) = static_cast<const double*>(X.value)[e];
  EXPECT_EQ(out, dense);
  ardvark_matrix_file_free(kept);
  EXPECT_EQ(ardvark_encoding_apply_csc(encoding.get(), nullptr, &kept, &error), ARDVARK_INVALID_ARGUMENT);
}

// Two levels and a number have nothing to save; a thousand levels of 20,000 rows do, if the fit takes them.
TEST(CTable, SaysWhetherCompressedColumnsAreBetter) {
  std::vector<std::string> names;
  for (int level = 0; level < 1200; ++level) names.push_back("level " + std::to_string(level));
  std::vector<const char*> texts;
  for (std::size_t i = 0; i < 20'000; ++i) texts.push_back(names[i % names.size()].c_str());
  ardvark_error error = empty_error();
  ardvark_table* made = nullptr;
  ASSERT_EQ(ardvark_table_create(20'000, &made, &error), ARDVARK_OK);
  const Table table(made);
  ASSERT_EQ(ardvark_table_add_texts(made, "site", texts.data(), &error), ARDVARK_OK);
  const Encoding many = encoding_of(table, options_of({{"model", "linear"}})),
                 few = encoding_of(table_of(People()), options_of({{"model", "linear"}}));
  const auto is_sparse = [&](const Encoding& encoding, Index rows, const std::vector<std::pair<const char*, const char*>>& words) {
    std::int32_t answer = -1;
    EXPECT_EQ(ardvark_encoding_is_sparse(encoding.get(), rows, options_of(words).get(), &answer, &error), ARDVARK_OK) << error.message;
    return answer;
  };
  EXPECT_EQ(is_sparse(many, 20'000, {{"model", "linear"}}), 1);
  EXPECT_EQ(is_sparse(many, 500, {{"model", "linear"}}), 0) << "small";
  EXPECT_EQ(is_sparse(few, 1'000'000, {{"model", "linear"}}), 0) << "two columns for each of the table";
  EXPECT_EQ(is_sparse(many, 20'000, {{"model", "linear"}, {"missing", "impute"}}), 0);
  EXPECT_EQ(is_sparse(many, 20'000, {{"model", "linear"}, {"solver", "qr"}}), 0);
  EXPECT_EQ(is_sparse(many, 20'000, {{"model", "rvm"}}), 0);
  EXPECT_EQ(is_sparse(many, 20'000, {{"preset", "slr_var"}}), 0);
  EXPECT_EQ(is_sparse(many, 20'000, {{"model", "counts"}}), 1);
}

TEST(CTable, IsRememberedByAModelAndItsFile) {
  const People people;
  const Table table = table_of(people);
  const Options options = options_of({{"model", "linear"}, {"reference", "city=Bonn"}, {"prior", "ard"}});
  const Encoding encoding = encoding_of(table, options);
  ardvark_error error = empty_error();
  ASSERT_EQ(ardvark_options_set_encoding(options.get(), encoding.get(), &error), ARDVARK_OK) << error.message;
  const Matrix X = applied(encoding, table);
  const Model model = fitted(view(X), Eigen::Map<const Vector>(people.y.data(), 40), options);
  EXPECT_EQ(json_of(result_of(model), "columns"), R"(["city=Oslo","city=Rome","age"])");
  EXPECT_EQ(json_of(result_of(model), "group"), "[0,0,1]");  // the levels of a text column are one group
  EXPECT_EQ(json_of(result_of(model), "options"), R"({"model":"linear","prior":"ard","reference":["city=Bonn"]})");
  void* bytes = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(ardvark_model_to_bytes(model.get(), &bytes, &size, &error), ARDVARK_OK) << error.message;
  ardvark_model* again = nullptr;
  ASSERT_EQ(ardvark_model_from_bytes(bytes, size, &again, &error), ARDVARK_OK) << error.message;
  ardvark_free(bytes);
  const Model loaded(again);
  EXPECT_EQ(json_of(result_of(loaded), "options"), json_of(result_of(model), "options"));
  EXPECT_EQ(json_of(result_of(loaded), "text_columns"), R"([{"name":"city","levels":["Bonn","Oslo","Rome"],"reference":"Bonn"}])");
  ardvark_encoding* known = nullptr;
  ASSERT_EQ(ardvark_model_encoding(loaded.get(), &known, &error), ARDVARK_OK) << error.message;
  EXPECT_EQ(applied(Encoding(known), table), X);
  char* text = nullptr;
  ASSERT_EQ(ardvark_model_summary(loaded.get(), nullptr, &text, &error), ARDVARK_OK) << error.message;
  EXPECT_NE(std::string(text).find("city: compared with Bonn, "), std::string::npos) << text;
  ardvark_free(text);
}

TEST(CTable, OfAKernelHasEveryLevel) {
  const Table table = table_of(People());
  EXPECT_EQ(applied(encoding_of(table, options_of({{"model", "rvm"}})), table).cols(), 4);
  ardvark_error error = empty_error();
  ardvark_encoding* encoding = nullptr;
  const Options options = options_of({{"model", "rvm"}, {"reference", "city=Bonn"}});
  EXPECT_EQ(ardvark_encoding_create(table.get(), options.get(), &encoding, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.argument), "reference");
}

// NaN and NULL are missing values. The rows that are left decide.
TEST(CTable, DropsRowsWithGaps) {
  People people, complete;
  people.age[3] = std::nan("");
  people.city[6] = nullptr;
  people.y[9] = std::nan("");
  for (const Index row : {9, 6, 3}) {
    complete.age.erase(complete.age.begin() + row);
    complete.city.erase(complete.city.begin() + row);
    complete.y.erase(complete.y.begin() + row);
  }
  const auto fitted = [&](const People& rows, const char* missing) {
    const auto count = static_cast<std::int64_t>(rows.y.size());
    const Options options = options_of({{"model", "linear"}, {"missing", missing}});
    const Table table = table_of(rows, count);
    const Encoding encoding = encoding_of(table, options);
    const Matrix X = applied(encoding, table);
    ardvark_error error = empty_error();
    EXPECT_EQ(ardvark_options_set_encoding(options.get(), encoding.get(), &error), ARDVARK_OK);
    const ardvark_matrix matrix = view(X);
    ardvark_model* model = nullptr;
    EXPECT_EQ(ardvark_fit(&matrix, rows.y.data(), options.get(), &model, &error), ARDVARK_OK) << error.message;
    return Model(model);
  };
  const Result dropped = result_of(fitted(people, "drop")), left = result_of(fitted(complete, "refuse"));
  for (const char* name : {"mean", "variance", "bound", "num_rows"}) EXPECT_EQ(json_of(dropped, name), json_of(left, name)) << name;
  EXPECT_NE(json_of(dropped, "notes").find("3 rows were dropped because a value was missing; most gaps are in"), std::string::npos);
  const Result imputed = result_of(fitted(people, "impute"));
  EXPECT_EQ(json_of(imputed, "missing.columns"), R"(["city","age"])");
  EXPECT_EQ(json_of(imputed, "missing.gaps"), "[1,1]");
  EXPECT_EQ(json_of(imputed, "num_rows"), "39.0");  // the row without a target is left out
}

// Selection and comparison leave out the same rows.
TEST(CTable, SelectsAndComparesWithoutRowsWithGaps) {
  People people, complete;
  people.city[6] = nullptr;
  people.y[9] = std::nan("");
  for (const Index row : {9, 6}) {
    complete.age.erase(complete.age.begin() + row);
    complete.city.erase(complete.city.begin() + row);
    complete.y.erase(complete.y.begin() + row);
  }
  for (const bool compares : {false, true}) {
    const auto result = [&](const People& rows, const char* missing) {
      const Options options = options_of({{"model", "linear"}, {"missing", missing}});
      if (!compares) ardvark_options_set_text(options.get(), "prior", "ard", nullptr);
      const Table table = table_of(rows, static_cast<std::int64_t>(rows.y.size()));
      const Encoding encoding = encoding_of(table, options);
      const Matrix X = applied(encoding, table);
      EXPECT_EQ(ardvark_options_set_encoding(options.get(), encoding.get(), nullptr), ARDVARK_OK);
      const ardvark_matrix matrix = view(X);
      ardvark_result* out = nullptr;
      ardvark_error error = empty_error();
      EXPECT_EQ(compares ? ardvark_compare(&matrix, rows.y.data(), nullptr, nullptr, options.get(), &out, &error)
                         : ardvark_select(&matrix, rows.y.data(), options.get(), &out, &error),
                ARDVARK_OK)
          << error.message;
      return Result(out);
    };
    const Result dropped = result(people, "drop"), left = result(complete, "refuse");
    const std::string first = compares ? "models.0.evidence" : "sc_value", second = compares ? "num_rows" : "count";
    for (const std::string& name : {first, second}) EXPECT_EQ(json_of(dropped, name.c_str()), json_of(left, name.c_str())) << name;
    EXPECT_NE(json_of(dropped, "notes").find("2 rows were dropped because a value was missing"), std::string::npos);
  }
}

TEST(CTable, NewRowsWithGapsAreAnsweredWithWhatTheModelCanDo) {
  const auto said = [](const std::vector<std::pair<const char*, const char*>>& pairs) {
    People people;
    const Options options = options_of(pairs);
    const Table table = table_of(people);
    const Encoding encoding = encoding_of(table, options);
    const Matrix X = applied(encoding, table);
    EXPECT_EQ(ardvark_options_set_encoding(options.get(), encoding.get(), nullptr), ARDVARK_OK);
    const ardvark_matrix matrix = view(X);
    ardvark_model* raw = nullptr;
    ardvark_error error = empty_error();
    EXPECT_EQ(ardvark_fit(&matrix, people.y.data(), options.get(), &raw, &error), ARDVARK_OK) << error.message;
    const Model model(raw);
    ardvark_encoding* of_model = nullptr;
    EXPECT_EQ(ardvark_model_encoding(model.get(), &of_model, &error), ARDVARK_OK);
    const Encoding known(of_model);
    people.age[2] = std::nan("");
    ardvark_array out = {};
    out.struct_size = sizeof out;
    EXPECT_EQ(ardvark_encoding_apply(known.get(), table_of(people).get(), &out, &error), ARDVARK_INVALID_ARGUMENT);
    return std::string(error.message);
  };
  const std::string place = "row 3, column 'age': the value is missing; leave out such rows, or ";
  const std::string again = place + "fit the model again with --missing impute; it then predicts rows with gaps, too";
  EXPECT_EQ(said({{"model", "linear"}}), again);
  EXPECT_EQ(said({{"model", "linear"}, {"missing", "drop"}}), again);
  EXPECT_EQ(said({{"model", "rvm"}, {"missing", "drop"}}), place + "fill the gaps");
  EXPECT_EQ(said({{"model", "linear"}, {"prior", "laplace"}}), place + "fill the gaps");
}

TEST(CTable, RefusesWhatItCannotRead) {
  People people;
  const Encoding encoding = encoding_of(table_of(people), options_of({}));
  const auto message = [&](const People& changed) {
    ardvark_error error = empty_error();
    ardvark_array X = {};
    X.struct_size = sizeof X;
    EXPECT_EQ(ardvark_encoding_apply(encoding.get(), table_of(changed).get(), &X, &error), ARDVARK_INVALID_ARGUMENT);
    return std::string(error.message);
  };
  people.city[3] = "Lima";
  EXPECT_EQ(message(people),
            "row 4, column 'city': 'Lima' is not a level that the model knows; it knows 'Bonn', 'Oslo', 'Rome'; write one of these, or "
            "leave out such rows");
  people.city[3] = nullptr;
  EXPECT_EQ(message(people),
            "row 4, column 'city': the value is missing; --missing drop leaves such rows out, --missing impute fills the gaps");
  ardvark_error error = empty_error();
  ardvark_table* none = nullptr;
  EXPECT_EQ(ardvark_table_create(0, &none, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message), "the table has no rows (rows is 0); give at least one");
  const Table table = table_of(people);
  EXPECT_EQ(ardvark_table_add_numbers(table.get(), "age", people.age.data(), &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message), "name is 'age'; the table has a column of this name");
  const Options other = options_of({{"model", "linear"}});
  ASSERT_EQ(ardvark_options_set_encoding(other.get(), encoding.get(), &error), ARDVARK_OK);
  const Matrix X = Matrix::Identity(5, 2);
  const ardvark_matrix narrow = view(X);
  const Vector y = Vector::LinSpaced(5, 0, 1);
  ardvark_model* model = nullptr;
  EXPECT_EQ(ardvark_fit(&narrow, y.data(), other.get(), &model, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message), "X has 2 columns; the encoding makes 3");
}

TEST(CTables, SayInALanguageWhatToDoAboutACsvFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  ardvark_error error = empty_error();
  ardvark_result* none = nullptr;
  const auto refused = [&](const char* text, const char* delimiter, const char* language) {
    testing::write_bytes(path, text);
    EXPECT_EQ(ardvark_csv_form_in(path.c_str(), delimiter, nullptr, nullptr, 0, language, &none, &error), ARDVARK_INVALID_ARGUMENT);
    return std::string(error.message);
  };
  const auto ends = [&](const char* text, const char* delimiter, const std::string& shell, const std::string& python) {
    const std::string in_the_shell = refused(text, delimiter, nullptr), in_python = refused(text, delimiter, "python");
    EXPECT_TRUE(in_the_shell.ends_with(shell)) << in_the_shell;
    EXPECT_TRUE(in_python.ends_with(python)) << in_python;
  };
  const auto marked = [](const std::string& texts) {
    return fmt::format(
        "give ardvark.CsvFiles(path, missing_marker=[{0}]) as X (a fit with missing='drop' leaves such rows out), or read "
        "the table with pandas.read_csv(path, na_values=[{0}])",
        texts);
  };
  ends("a\n1\nOVER\n", nullptr, "'OVER' means a missing value, use --missing-marker='OVER' (to read the column as text: --categorical 'a')",
       "'OVER' means a missing value, " + marked("'OVER'"));
  ends("a\n<1\n<2\n3\n", nullptr,
       "mean missing values, use --missing-marker='<1' --missing-marker='<2' (to read the column as text: "
       "--categorical 'a')",
       "these texts mean missing values, " + marked("'<1', '<2'"));
  ends("a\n<1\n<2\n<3\n<4\n5\n", nullptr, "use --missing-marker for each of them (to read the column as text: --categorical 'a')",
       "if such texts mean missing values, " + marked("..."));
  ends("a\n6\n5' 11\n", nullptr, "use --missing-marker='5' 11' (to read the column as text: --categorical 'a')", marked("\"5' 11\""));
  ends("a\n6\n5' \\\"\n", nullptr, "(to read the column as text: --categorical 'a')", marked("'5\\' \\\\\"'"));
  ends(",a\nx,1\nx,2\n", nullptr, "leave it out: --ignore 'Unnamed: 0'", "name it in the header, or leave it out");
  ends("a,,b\n1,,2\n1,2,3\n", nullptr, "leave it out: --ignore 'Unnamed: 1'", "give it one, or leave it out");
  ends("a,b\n1,2\n\"1,5\",2\n", nullptr, "or read such numbers with --decimal ,", "or give decimal=',' to ardvark.CsvFiles(path, ...)");
  ends("a,b\n1,2\n\"1,500\",2\n", nullptr, "write 1.500 (or use --decimal ,) or 1500",
       "write 1.500 (or give decimal=',' to ardvark.CsvFiles(path, ...)) or 1500");
  ends("a\tb\n1,2\n", ",", "if a tab separates the fields, set it (--delimiter $'\\t')",
       "if a tab separates the fields, give delimiter='\\t' to ardvark.CsvFiles(path, ...)");
  EXPECT_EQ(refused("a\n1\n", nullptr, "cobol"), "language is 'cobol'; it must be python, or NULL");
  testing::write_bytes(path, "a;b\n1,5;2\n");
  const auto notes = [&](const char* language) {
    EXPECT_EQ(ardvark_csv_form_in(path.c_str(), nullptr, nullptr, nullptr, 0, language, &none, &error), ARDVARK_OK) << error.message;
    const Result owner(none);
    char* text = nullptr;
    EXPECT_EQ(ardvark_result_json(none, "notes", &text, nullptr), ARDVARK_OK);
    return std::string(testing::Owned<char>(text).get());
  };
  const std::string written =
      "[\"the fields are separated by ';', as the header shows{}\",\"numbers have a decimal comma ('1,5'), as the "
      "first rows show{}\"]";
  EXPECT_EQ(notes("python"), fmt::format(fmt::runtime(written), "", ""));
  EXPECT_EQ(notes(nullptr), fmt::format(fmt::runtime(written), " (--delimiter)", " (--decimal)"));
}

TEST(CTables, SayHowACsvFileIsWritten) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  testing::write_bytes(path, "sep=;\n;a;y;\nr1;1,5;2;\nr2;3;4,5;\n");
  ardvark_error error = empty_error();
  ardvark_result* form = nullptr;
  ASSERT_EQ(ardvark_csv_form(path.c_str(), nullptr, nullptr, nullptr, 0, &form, &error), ARDVARK_OK) << error.message;
  const Result owner(form);
  const auto entry = [&](const char* name) {
    char* text = nullptr;
    EXPECT_EQ(ardvark_result_json(form, name, &text, nullptr), ARDVARK_OK) << name;
    const testing::Owned<char> owned(text);
    return std::string(text);
  };
  EXPECT_EQ(entry("delimiter"), "\";\"");
  EXPECT_EQ(entry("decimal"), "\",\"");
  EXPECT_EQ(entry("lines_before"), "2");
  EXPECT_EQ(entry("names"), R"(["Unnamed: 0","a","y","Unnamed: 3"])");
  EXPECT_EQ(entry("blank"), "[3]");
  EXPECT_EQ(entry("row_names"), "true");
  ardvark_result* none = nullptr;
  EXPECT_EQ(ardvark_csv_form(path.c_str(), ";;", nullptr, nullptr, 0, &none, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message), "delimiter is ';;'; it must be one character");
  EXPECT_EQ(ardvark_csv_form(path.c_str(), nullptr, ".", nullptr, 0, &none, &error), ARDVARK_INVALID_ARGUMENT);  // 1,5 is then no number
  testing::write_bytes(path, "a,y\nOVER,1\n2,low\n");
  const char* const markers[] = {"OVER", "low"};
  EXPECT_EQ(ardvark_csv_form(path.c_str(), nullptr, nullptr, markers, 1, &none, &error), ARDVARK_INVALID_ARGUMENT);  // low is a word
  ASSERT_EQ(ardvark_csv_form(path.c_str(), nullptr, nullptr, markers, 2, &none, &error), ARDVARK_OK) << error.message;
  ardvark_result_free(none);
  EXPECT_EQ(ardvark_csv_form(path.c_str(), nullptr, nullptr, nullptr, 2, &none, &error), ARDVARK_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message), "missing_markers is NULL; it must point to something");
  EXPECT_EQ(ardvark_csv_form(nullptr, nullptr, nullptr, nullptr, 0, &none, &error), ARDVARK_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace ardvark
