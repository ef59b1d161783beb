// examples/decoding --quick against what any method can and cannot reach.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "ardvark/table.hpp"
#include "io/temporary_file.hpp"

#ifdef ARDVARK_DECODING

namespace ardvark::testing {
namespace {

TEST(Decoding, FindsVoxelsAndConditionsWithinWhatIsPossible) {
  const TemporaryFolder folder;
  const std::string csv = folder / "table.csv", out = folder / "out";
  ASSERT_EQ(std::system(("'" ARDVARK_DECODING "' --quick --csv '" + csv + "' > '" + out + "'").c_str()), 0);
  const Table table = read_csv(csv, {.categorical = {"found", "false", "beside"}});
  const auto text = [&](Index row, const char* name) {
    const Index column = table.at(name);
    return table.columns[static_cast<std::size_t>(column)].levels[static_cast<std::size_t>(table.value(row, column))];
  };
  std::map<std::string, int> rows;
  for (Index i = 0; i < table.num_rows; ++i) {
    const std::string method = text(i, "method");
    SCOPED_TRACE(method);
    ++rows[method];
    EXPECT_EQ(table.value(i, table.at("trials")), 100);
    const double accuracy = table.value(i, table.at("accuracy")), best = table.value(i, table.at("best_accuracy"));
    EXPECT_LE(accuracy, best + 4 * std::sqrt(best * (1 - best) / 1000));  // of 1000 test trials
    EXPECT_GT(table.value(i, table.at("log_loss")), 0);
    if (method == "slr_rvm") {
      EXPECT_EQ(text(i, "found"), "-");  // it selects trials
      continue;
    }
    EXPECT_GE(accuracy, 0.5 + 3 * std::sqrt(0.25 / 1000));  // three standard errors above chance
    const int hits = std::stoi(text(i, "found")), false_alarms = std::stoi(text(i, "false"));
    EXPECT_LE(std::stoi(text(i, "beside")), false_alarms);
    if (method == "rlr_var" || method == "rlr_lap" || method == "VG shared") {
      EXPECT_EQ(hits + false_alarms, 2000);  // all of them
      continue;
    }
    // As many voxels drawn at random would have at most 100 * 10 / 2000 = 0.5 of the ten: three or more with probability 0.012.
    EXPECT_LE(hits + false_alarms, 100);
    EXPECT_GE(hits, 3);
  }
  for (const char* method :
       {"slr_var", "slr_lap", "rlr_var", "rlr_lap", "slr_rvm", "l1_slr_lap", "VG with ARD", "VG shared", "slr_var, SC-value"})
    EXPECT_EQ(rows[method], 2) << method;
}

}  // namespace
}  // namespace ardvark::testing

#endif
