// examples/relevance_vectors --quick against the numbers that the papers print.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "ardvark/table.hpp"
#include "io/temporary_file.hpp"
#include "support/paths.hpp"

#ifdef ARDVARK_RELEVANCE_VECTORS

namespace ardvark::testing {
namespace {

struct Entry {
  double printed = 0, obtained = 0;
};

/// By problem, quantity and method.
using Entries = std::map<std::string, Entry>;

Entries quick_tables() {
  const TemporaryFolder folder;
  const std::string csv = folder / "tables.csv", out = folder / "out";
  const std::string command =
      "'" ARDVARK_RELEVANCE_VECTORS "' --quick --only sinc --data '" + testing::example_path() + "' --csv '" + csv + "' > '" + out + "'";
  Entries entries;
  EXPECT_EQ(std::system(command.c_str()), 0);
  const Table table = read_csv(csv, {.only = {"problem", "quantity", "method", "published", "mean"}});
  const auto text = [&](Index row, const char* name) {
    const Index column = table.at(name);
    return table.columns[static_cast<std::size_t>(column)].levels[static_cast<std::size_t>(table.value(row, column))];
  };
  for (Index i = 0; i < table.num_rows; ++i)
    entries[text(i, "problem") + ", " + text(i, "quantity") + ", " + text(i, "method")] = {table.value(i, table.at("published")),
                                                                                           table.value(i, table.at("mean"))};
  return entries;
}

void expect_between(const Entries& entries, const std::string& name, double least, double most) {
  const auto found = entries.find(name);
  ASSERT_NE(found, entries.end()) << name;
  EXPECT_GE(found->second.obtained, least * found->second.printed) << name;
  EXPECT_LE(found->second.obtained, most * found->second.printed) << name;
}

TEST(RelevanceVectorTables, AreThoseOfThePapers) {
  const Entries entries = quick_tables();

  // A quarter: the mean over ten sets of 50 rows has a standard error of 8%. Half: an error below that would be another quantity than
  // theirs.
  for (const char* method : {"plain", "variational", "type-II", "auto"})
    expect_between(entries, std::string("sinc, rms error, ") + method, 0.5, 1.25);

  // The noise has standard deviation 0.1, and 0.095 is printed. An estimate from 50 rows has a standard error of 10%, the mean of ten 3.2%.
  for (const char* method : {"plain", "variational", "type-II"})
    expect_between(entries, std::string("sinc, noise sd, ") + method, 0.9, 1.15);

  // How many columns are kept depends on what counts as kept: a factor of three, either way.
  for (const auto& [name, entry] : entries)
    if (name.find("relevance vectors") != std::string::npos) expect_between(entries, name, 1.0 / 3, 3);
}

}  // namespace
}  // namespace ardvark::testing

#endif
