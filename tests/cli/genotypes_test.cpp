// fit and predict of PLINK 1 filesets, against a table of the same numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "../support/packed_genotypes.hpp"
#include "fit_command.hpp"
#include "refuses.hpp"

namespace ardvark {
namespace {

using testing::Arguments;
using testing::Copies;
using testing::Json;
using testing::json_of;
using testing::Numbers;

constexpr Index num_samples = 57, num_variants = 6;

class GenotypeFiles : public testing::FitCommand {
 protected:
  GenotypeFiles() {
    for (Index i = 0; i < num_samples; ++i)
      y_[i] = 2.0 * std::max(copies_(i, 1), 0) - 1.5 * std::max(copies_(i, 4), 0) + 0.1 * static_cast<double>((13 * i) % 7) + 10.5;
    put_fileset("study", {0, 1, 2, 3, 4, 5}, [&](Index i) { return fmt::format("{}", y_[i]); });
    put_table("table.csv", num_samples);
  }
  void put_fileset(const std::string& stem, const std::vector<Index>& order, const std::function<std::string(Index)>& phenotype,
                   const std::vector<Index>& swapped = {}) const {
    std::string bim, fam;
    Copies copies = copies_(Eigen::all, order);
    for (std::size_t at = 0; at < order.size(); ++at) {
      const bool is_swapped = std::ranges::find(swapped, order[at]) != swapped.end();
      bim += fmt::format("1\trs{}\t0\t{}\t{}\n", order[at] + 1, 1000 + order[at], is_swapped ? "G\tA" : "A\tG");
      for (int& count : copies.col(static_cast<Index>(at)))
        if (is_swapped && count >= 0) count = 2 - count;
    }
    for (Index i = 0; i < num_samples; ++i) fam += fmt::format("f{} i{} 0 0 1 {}\n", i / 2, i, phenotype(i));
    put(bim, stem + ".bim"), put(fam, stem + ".fam"), put(testing::bed_of(copies), stem + ".bed");
  }
  // Missing genotypes at the mean of the others, which is exact here because the samples are those of the fileset.
  void put_table(const std::string& name, Index rows) const {
    std::string csv = "rs1,rs2,rs3,rs4,rs5,rs6,y\n";
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < num_variants; ++j) {
        double sum = 0, there = 0;
        for (Index k = 0; k < num_samples; ++k)
          if (copies_(k, j) >= 0) sum += copies_(k, j), ++there;
        csv += fmt::format("{},", copies_(i, j) < 0 ? sum / there : copies_(i, j));
      }
      csv += fmt::format("{}\n", y_[i]);
    }
    put(csv, name);
  }
  [[nodiscard]] Json fit_of(const Arguments& data, const std::string& model = "m.ardvark") const {
    return json_of(Arguments{"fit"} + data + Arguments{"--tolerance", "1e-9", "-o", model}, folder_.path());
  }
  static void expect_near(const Json& found, const Json& expected) {
    EXPECT_NEAR(found["bound"].get<double>(), expected["bound"].get<double>(), 1e-7);
    const auto mean = found["mean"].get<Numbers>(), right = expected["mean"].get<Numbers>();
    ASSERT_EQ(mean.size(), right.size());
    for (std::size_t j = 0; j < mean.size(); ++j) EXPECT_NEAR(mean[j], right[j], 1e-8) << j;
  }
  static bool has_note(const Json& fit, const std::string& text) {
    for (const auto& note : fit["notes"])
      if (note.get<std::string>().find(text) != std::string::npos) return true;
    return false;
  }
  void expect_fit_refused(const Arguments& data, std::initializer_list<const char*> pieces) const {
    testing::expect_refused(Arguments{"fit"} + data, folder_, 2, pieces);
  }
  testing::Random random_{31};
  Copies copies_ = testing::random_copies(random_, num_samples, num_variants, 0.04);
  Vector y_ = Vector::Zero(num_samples);
};

TEST_F(GenotypeFiles, GiveTheFitOfTheSameTable) {
  const Json found = fit_of({"study.bed"});
  expect_near(found, fit_of({"table.csv", "--target", "y"}, "t.ardvark"));
  EXPECT_EQ(found["columns"][1], "rs2");
  EXPECT_EQ(found["target"], "phenotype");
  EXPECT_TRUE(has_note(found, "copies of allele 1, which field 5 of 'study.bim' names")) << found["notes"];
  EXPECT_TRUE(has_note(found, fmt::format("{} of the genotypes", (copies_.array() < 0).count()))) << found["notes"];
}

TEST_F(GenotypeFiles, CountTheOtherAlleleIfAsked) {
  const auto first = fit_of({"study.bed"})["mean"].get<Numbers>(),
             second = fit_of({"study.bed", "--count-allele", "2"})["mean"].get<Numbers>();
  for (std::size_t j = 0; j < first.size(); ++j) EXPECT_NEAR(first[j], -second[j], 1e-8);
  expect_fit_refused({"study.bed", "--count-allele", "0"}, {"--count-allele", "'0'"});
}

TEST_F(GenotypeFiles, LeaveOutSamplesWithoutATarget) {
  put_fileset("gaps", {0, 1, 2, 3, 4, 5}, [&](Index i) { return i % 10 == 3 ? "-9" : fmt::format("{}", y_[i]); });
  const Json found = fit_of({"gaps.bed"});
  EXPECT_EQ(found["num_rows"], num_samples - 6);
  EXPECT_TRUE(has_note(found, "6 samples without a target are left out")) << found["notes"];
}

TEST_F(GenotypeFiles, TakeTheTargetOfAnotherFile) {
  std::string text = "IID\tFID\theight\n";  // in another order
  for (Index i = num_samples; i-- > 0;) text += fmt::format("i{}\tf{}\t{}\n", i, i / 2, y_[i]);
  put(text + "i99\tf99\t3\n", "target.tsv");
  const Json found = fit_of({"study.bed", "--target", "target.tsv:height"}), same = fit_of({"study.bed"});
  expect_near(found, same);
  EXPECT_EQ(found["target"], "height");
  put("#FID IID case\nf0 i0 yes\nf0 i1 no\nf1 i2 yes\nf1 i3 NA\nf2 i4 no\nf2 i5 yes\n", "few.txt");
  const Json few = fit_of({"study.bed", "--target", "few.txt:case"});
  EXPECT_EQ(few["num_rows"], 5);
  EXPECT_EQ(few["classes"], (Json{"no", "yes"}));
  EXPECT_TRUE(has_note(few, "52 samples without a target are left out, of which 51 not in its file")) << few["notes"];
  expect_fit_refused({"study.bed", "--target", "few.txt:none"}, {"none"});
  expect_fit_refused({"study.bed", "--target", "height"}, {"--target", "FILE:COLUMN"});
  put("ID,y\n1,2\n", "no_names.csv");
  expect_fit_refused({"study.bed", "--target", "no_names.csv:y"}, {"no_names.csv", "IID"});
  put("FID,IID,y\nf0,i0,1\nf0,i0,2\n", "twice.csv");
  expect_fit_refused({"study.bed", "--target", "twice.csv:y"}, {"row 2", "i0", "twice"});
  put("FID,IID,y\nx,i0,1\n", "others.csv");
  expect_fit_refused({"study.bed", "--target", "others.csv:y"}, {"none of the 57 samples", "FID and IID"});
}

// 1, 2 and 0 in a file are what they are in .fam, unless a regression is asked for.
TEST_F(GenotypeFiles, ATargetOfAFileHasTheClassesOfPlink) {
  const auto code = [&](Index i) { return i % 10 == 0 ? 0 : y_[i] > y_.mean() ? 2 : 1; };
  std::string file = "FID\tIID\tstate\n";
  for (Index i = 0; i < num_samples; ++i) file += fmt::format("f{}\ti{}\t{}\n", i / 2, i, code(i));
  put(file, "state.tsv");
  put_fileset("same", {0, 1, 2, 3, 4, 5}, [&](Index i) { return fmt::format("{}", code(i)); });
  for (const Arguments& model : {Arguments{}, Arguments{"--model", "logistic"}}) {
    const Json of_file = fit_of(Arguments{"study.bed", "--target", "state.tsv:state"} + model),
               of_fam = fit_of(Arguments{"same.bed"} + model, "f.ardvark");
    EXPECT_EQ(of_file["classes"], Json({"control", "case"}));
    EXPECT_TRUE(has_note(of_file, "1 is control, 2 is case, and 0 and -9 are missing"));
    EXPECT_EQ(of_file["num_rows"], of_fam["num_rows"]);
    expect_near(of_file, of_fam);
  }
  const Json numbers = fit_of({"study.bed", "--target", "state.tsv:state", "--model", "linear"});
  EXPECT_EQ(numbers["num_rows"], num_samples);
}

TEST_F(GenotypeFiles, FitTwoClassesOfAFamFile) {
  put_fileset("classes", {0, 1, 2, 3, 4, 5}, [&](Index i) { return i == 5 ? "0" : y_[i] > 11.5 ? "2" : "1"; });
  const Json found = json_of({"fit", "classes.bed", "--prior", "shared", "-o", "m.ardvark"}, folder_.path());
  EXPECT_EQ(found["classes"], (Json{"control", "case"}));
  EXPECT_EQ(found["num_rows"], num_samples - 1);
  const Json predicted = json_of({"predict", "m.ardvark", "classes.bed"}, folder_.path());
  EXPECT_EQ(predicted["score"]["num_rows"], num_samples - 1);
  EXPECT_GT(predicted["score"]["accuracy"].get<double>(), 0.9);
}

TEST_F(GenotypeFiles, HaveCovariatesBesideThem) {
  std::string text = "FID,IID,age,sex\n", csv = "age,sex,rs2,y\n";
  for (Index i = 0; i < num_samples; ++i)
    text += fmt::format("f{},i{},{},{}\n", i / 2, i, i == 9 ? "NA" : fmt::format("{}", (7 * i) % 31), i % 3 == 0 ? "m" : "f");
  put(text, "cov.csv");
  const Json found = fit_of({"study.bed", "--covariates", "cov.csv"});
  EXPECT_EQ(found["columns"].size(), 8U);
  EXPECT_EQ(found["columns"][6], "age");
  EXPECT_EQ(found["columns"][7], "sex=m");
  EXPECT_TRUE(has_note(found, "1 sample without all covariates is left out")) << found["notes"];
  testing::expect_refused({"predict", "m.ardvark", "study.bed"}, folder_, 2, {"--covariates", "age"});
  testing::expect_refused({"predict", "m.ardvark", "study.bed", "--covariates", "cov.csv"}, folder_, 2, {"--covariates", "f4 i9"});
  put("FID,IID,rs2\nf0,i0,1\n", "clash.csv");
  expect_fit_refused({"study.bed", "--covariates", "clash.csv", "--model", "linear"}, {"--covariates", "rs2"});
}

TEST_F(GenotypeFiles, ArePredictedByNameAndAlleles) {
  (void)fit_of({"study.bed"});
  const auto mean = [&](const Arguments& data) {
    return json_of(Arguments{"predict", "m.ardvark"} + data, folder_.path())["mean"].get<Numbers>();
  };
  const Numbers expected = mean({"study.bed"});
  put_fileset("turned", {5, 1, 3, 0, 4, 2}, [](Index) { return "-9"; }, {1, 0});
  const Numbers turned = mean({"turned.bed"});
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(turned[i], expected[i], 1e-10);
  put_fileset("fewer", {5, 1, 3, 4, 2}, [](Index) { return "-9"; });
  testing::expect_refused({"predict", "m.ardvark", "fewer.bed"}, folder_, 2, {"fewer.bed", "rs1", "--absent-variants"});
  const Json some = json_of({"predict", "m.ardvark", "fewer.bed", "--absent-variants", "mean"}, folder_.path());
  EXPECT_NE(some["notes"][0].get<std::string>().find("1 are not in"), std::string::npos) << some["notes"];
  EXPECT_EQ(mean({"table.csv"}).size(), expected.size());
  testing::expect_refused({"predict", "m.ardvark", "study.bed", "--absent-variants", "drop"}, folder_, 2, {"--absent-variants", "'drop'"});
  testing::expect_refused({"predict", "m.ardvark", "table.csv", "--absent-variants", "mean"}, folder_, 2, {"--absent-variants", "PLINK"});
}

TEST_F(GenotypeFiles, NameTheSamplesOfAPrediction) {
  (void)fit_of({"study.bed"});
  const std::string text = testing::output_of({"predict", "m.ardvark", "study.bed", "-q"}, folder_.path());
  EXPECT_EQ(text.substr(0, text.find('\n')).substr(0, 8), "FID,IID,") << text.substr(0, 200);
  EXPECT_NE(text.find("\nf1,i3,"), std::string::npos) << text.substr(0, 200);
}

TEST_F(GenotypeFiles, RefuseOptionsOfTables) {
  expect_fit_refused({"study.bed", "--weights", "w"}, {"--weights", "genotypes"});
  expect_fit_refused({"study.bed", "--missing", "impute"}, {"--missing", "mean"});
  expect_fit_refused({"study.bed", "--model", "kernel"}, {"kernel", "table"});
  expect_fit_refused({"study.bed", "table.csv"}, {"several files"});
  expect_fit_refused({"table.csv", "--target", "y", "--covariates", "c.csv"}, {"--covariates", "PLINK"});
  expect_fit_refused({"table.csv", "--target", "y", "--count-allele", "2"}, {"--count-allele", "PLINK"});
}

}  // namespace
}  // namespace ardvark
