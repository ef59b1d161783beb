// PLINK 1 filesets, written by hand from the specification of the format.
#include "io/plink.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "../support/packed_genotypes.hpp"
#include "../support/paths.hpp"
#include "../support/plain.hpp"
#include "../support/thrown.hpp"
#include "ardvark/genotypes.hpp"
#include "temporary_file.hpp"

namespace ardvark {
namespace {

using testing::Copies;
using testing::expect_invalid;
using testing::Random;
using testing::random_copies;

class PlinkFiles : public ::testing::Test {
 protected:
  void put(const std::string& end, const std::string& text) const { std::ofstream(stem_ + end, std::ios::binary) << text; }
  // Alleles A and G, phenotypes 0.5, 1.5, ...
  void put_all(const Copies& copies) const {
    std::string bim, fam;
    for (Index j = 0; j < copies.cols(); ++j) bim += fmt::format("1 rs{} 0 {} A G\n", j + 1, 100 + j);
    for (Index i = 0; i < copies.rows(); ++i) fam += fmt::format("f{}\ti{}\t0\t0\t1\t{}\n", i / 2, i, static_cast<double>(i) + 0.5);
    put(".bim", bim), put(".fam", fam), put(".bed", testing::bed_of(copies));
  }
  [[nodiscard]] Matrix read(int count_allele = 1) const {
    const Genotypes X = read_plink(stem_, count_allele);
    const GenotypeView view = X.view();
    Matrix out(view.rows(), view.cols());
    for (Index j = 0; j < out.cols(); ++j)
      for (Index i = 0; i < out.rows(); ++i) out(i, j) = view(i, j);
    return out;
  }
  void expect_refused(std::initializer_list<const char*> pieces) const {
    expect_invalid([&] { (void)read_plink(stem_); }, pieces);
  }
  testing::TemporaryFolder folder_;
  std::string stem_ = folder_.path() + "/study";
  Random random_{21};
};

TEST_F(PlinkFiles, HoldTheCopiesOfTheFirstAllele) {
  for (const Index n : {1, 4, 7, 33}) {
    const Copies copies = random_copies(random_, n, 5, 0.1);
    put_all(copies);
    const testing::PackedTable same(copies, {}, false);
    EXPECT_EQ(read(), same.same);
    const Genotypes X = read_plink(stem_ + ".bed");
    EXPECT_EQ(X.num_missing(), (copies.array() < 0).count());
    EXPECT_EQ(X.counted_allele(0), "A");
    EXPECT_EQ(X.other_allele(0), "G");
    std::vector<std::int8_t> counts(static_cast<std::size_t>(n * 5));
    X.write_counts(counts.data());
    for (Index j = 0; j < 5; ++j)
      for (Index i = 0; i < n; ++i) EXPECT_EQ(counts[static_cast<std::size_t>(i + j * n)], copies(i, j) < 0 ? -127 : copies(i, j));
  }
}

TEST_F(PlinkFiles, CountTheSecondAlleleIfAsked) {
  const Copies copies = random_copies(random_, 9, 4, 0.2);
  put_all(copies);
  const Matrix first = read(1), second = read(2);
  EXPECT_LT((first + second - Matrix::Constant(9, 4, 2)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(read_plink(stem_, 2).counted_allele(1), "G");
  expect_invalid([&] { (void)read_plink(stem_, 3); }, {"count_allele", "3"});
}

TEST_F(PlinkFiles, GiveSomeSamples) {
  const Copies copies = random_copies(random_, 11, 3, 0.2);
  put_all(copies);
  const std::vector<Index> rows = {10, 2, 5, 6, 0};
  const Genotypes some = read_plink(stem_).rows(rows), again = some.rows({4, 1});
  EXPECT_EQ(some.sample(0).name, "i10");
  EXPECT_EQ(again.sample(1).name, "i2");
  const testing::PackedTable same(Copies(copies(rows, Eigen::all)), {}, false),
      fewer(Copies(copies(std::vector<Index>{0, 2}, Eigen::all)), {}, false);
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 5; ++i) EXPECT_EQ(some.view()(i, j), same.same(i, j));
    for (Index i = 0; i < 2; ++i) EXPECT_EQ(again.view()(i, j), fewer.same(i, j));
  }
  expect_invalid([&] { (void)some.rows({5}); }, {"rows", "5"});
  expect_invalid([&] { (void)some.rows({}); }, {"rows"});
}

TEST_F(PlinkFiles, AreOfOneFileset) {
  const Copies copies = random_copies(random_, 6, 3);
  put_all(copies);
  put(".bed", testing::bed_of(copies) + "x");
  expect_refused({"study.bed", "10 bytes", "6 samples", "3 variants", "take 9"});
  put(".bed", testing::bed_of(copies).substr(0, 7));
  expect_refused({"study.bed", "7 bytes", "cut"});
  put(".bed", "");
  expect_refused({"study.bed", "not a .bed file"});
  put(".bed", "rs1,rs2\n0,1\n");
  expect_refused({"study.bed", "not a .bed file"});
  std::string by_sample = testing::bed_of(copies);
  by_sample[2] = 0;
  put(".bed", by_sample);
  expect_refused({"study.bed", "sample-major", "--make-bed"});
  by_sample[2] = 7;
  put(".bed", by_sample);
  expect_refused({"third byte", "7"});
  EXPECT_THROW((void)read_plink(folder_.path() + "/none"), EnvironmentError);
}

TEST_F(PlinkFiles, HaveSixFieldsInEachLine) {
  put_all(random_copies(random_, 4, 2));
  put(".bim", "1 rs1 0 100 A G\n1 rs2 0 101 A\n");
  expect_refused({"line 2", "study.bim", "5 fields"});
  put(".bim", "");
  expect_refused({"study.bim", "empty"});
  put_all(random_copies(random_, 4, 2));
  put(".fam", "f i 0 0 1 2 3\n");
  expect_refused({"line 1", "study.fam", "7 fields"});
  put(".fam", "\n\n");
  expect_refused({"study.fam", "empty"});
}

TEST_F(PlinkFiles, HaveANameForEachVariant) {
  put_all(random_copies(random_, 4, 3));
  put(".bim", "1 rs1 0 100 A G\n1 rs2 0 101 A G\n1 rs1 0 102 A G\n");
  expect_refused({"study.bim", "rs1", "lines 1 and 3", "--set-all-var-ids"});
  put(".bim", "1 . 0 100 T G\r\n1 . 0 101 C T\r\n1 rs1 0 102 A G\r\n");
  const Genotypes X = read_plink(stem_);
  EXPECT_EQ(X.name(0), "1:100:G:T");
  EXPECT_EQ(X.name(1), "1:101:C:T");
  EXPECT_EQ(X.counted_allele(0), "T");
  EXPECT_EQ(X.notes()[1], "2 of 3 variants have no name and are called CHROMOSOME:POSITION:ALLELE:ALLELE");
  put(".bim", "1 . 0 100 T G\n1 . 0 100 G T\n1 rs1 0 102 A G\n");
  expect_refused({"1:100:G:T", "lines 1 and 2"});
}

TEST_F(PlinkFiles, HavePhenotypesAsPlinkHasThem) {
  put_all(random_copies(random_, 5, 2));
  EXPECT_EQ(read_plink(stem_).phenotype().values, (Vector(5) << 0.5, 1.5, 2.5, 3.5, 4.5).finished());
  const auto phenotypes = [&](std::initializer_list<const char*> words) {
    std::string fam;
    int i = 0;
    for (const char* word : words) fam += fmt::format("0 i{} 0 0 2 {}\n", i++, word);
    put(".fam", fam);
    return read_plink(stem_).phenotype();
  };
  const Phenotype classes = phenotypes({"1", "2", "-9", "0", "2"});
  EXPECT_EQ(classes.classes, (std::vector<std::string>{"control", "case"}));
  EXPECT_EQ(classes.num_missing, 2);
  EXPECT_EQ(classes.values[0], 0);
  EXPECT_EQ(classes.values[4], 1);
  EXPECT_TRUE(std::isnan(classes.values[2]) && std::isnan(classes.values[3]));
  const Phenotype numbers = phenotypes({"0", "2.5", "-9", "NA", "1"});  // 0 is a number here
  EXPECT_TRUE(numbers.classes.empty());
  EXPECT_EQ(numbers.num_missing, 2);
  EXPECT_EQ(numbers.values[0], 0);
  expect_invalid([&] { (void)phenotypes({"0", "1", "1", "0", "1"}); }, {"study.fam", "0 and 1", "--target"});
  expect_invalid([&] { (void)phenotypes({"-9", "-9", "NA", "-9", "-9"}); }, {"study.fam", "missing", "--target"});
  expect_invalid([&] { (void)phenotypes({"1", "x", "2", "2", "2"}); }, {"'x'", "i1"});
}

// What plink itself wrote: `recode` with the copies of allele 1, `export` with those of allele 2.
TEST(PlinksOwnFiles, HaveTheCountsOfPlink) {
  for (const int count_allele : {1, 2}) {
    const Genotypes X = read_plink(testing::data_path("plink/study"), count_allele);
    ASSERT_EQ(X.num_samples(), 37);
    ASSERT_EQ(X.num_variants(), 12);
    std::vector<std::int8_t> counts(static_cast<std::size_t>(37 * 12));
    X.write_counts(counts.data());
    std::ifstream raw(testing::data_path(fmt::format("plink/by_plink{}.raw", count_allele)));
    std::string word, line;
    for (const char* name : {"FID", "IID", "PAT", "MAT", "SEX", "PHENOTYPE"}) EXPECT_TRUE(raw >> word && word == name);
    for (Index j = 0; j < 12; ++j) EXPECT_TRUE(raw >> word && word == fmt::format("{}_{}", X.name(j), X.counted_allele(j))) << word;
    Index num_missing = 0;
    for (Index i = 0; i < 37; ++i) {
      EXPECT_TRUE(raw >> word && word == X.sample(i).family);
      EXPECT_TRUE(raw >> word && word == X.sample(i).name);
      raw >> word >> word >> word >> word;
      EXPECT_EQ(X.phenotype().values[i], std::stod(word));
      for (Index j = 0; j < 12; ++j) {
        raw >> word;
        num_missing += word == "NA" ? 1 : 0;
        EXPECT_EQ(counts[static_cast<std::size_t>(i + 37 * j)], word == "NA" ? -127 : std::stoi(word)) << i << ", " << j;
      }
    }
    EXPECT_EQ(X.num_missing(), num_missing);
    EXPECT_GT(num_missing, 0);
  }
}

TEST(PlinksOwnFiles, HaveControlsAndCases) {
  const Phenotype found = read_plink(testing::data_path("plink/classes")).phenotype();
  EXPECT_EQ(found.classes, (std::vector<std::string>{"control", "case"}));
  EXPECT_GT(found.num_missing, 0);
}

// ---- the model of genotypes

class GenotypeModels : public PlinkFiles {
 protected:
  GenotypeModels() {
    put_all(copies_);
    y_ = copies_.col(1).cast<double>() - copies_.col(4).cast<double>() + 0.3 * random_.normals(60);
  }
  [[nodiscard]] SavedModel fitted(const char* prior = "sparse", int count_allele = 1) const {
    ModelOptions options{.model = "linear", .prior = prior};
    if (options.prior == "laplace") options.lambda = 20;
    return fit_model(read_plink(stem_, count_allele), y_, options);
  }
  [[nodiscard]] static Vector mean_of(const Prediction& prediction) { return std::get<StudentPrediction>(prediction).mean; }
  // The fileset with its variants in another order and those of `swapped` with allele 1 for allele 2.
  void put_changed(const std::vector<Index>& order, const std::vector<Index>& swapped) const {
    Copies copies = copies_(Eigen::all, order);
    std::string bim;
    for (std::size_t at = 0; at < order.size(); ++at) {
      const Index j = order[at];
      const bool is_swapped = std::ranges::find(swapped, j) != swapped.end();
      bim += fmt::format("1 rs{} 0 {} {}\n", j + 1, 100 + j, is_swapped ? "G A" : "A G");
      if (is_swapped) copies.col(static_cast<Index>(at)) = 2 - copies.col(static_cast<Index>(at)).array();
    }
    put(".bim", bim), put(".bed", testing::bed_of(copies));
  }
  Copies copies_ = random_copies(random_, 60, 6, 0);
  Vector y_;
};

TEST_F(GenotypeModels, HoldTheAllelesOfTheirVariants) {
  const SavedModel model = model_from_bytes(model_to_bytes(fitted()));
  ASSERT_TRUE(model.alleles.has_value());
  EXPECT_EQ(model.alleles->num_variants, 6);
  EXPECT_EQ(model.alleles->column, (std::vector<Index>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(model.alleles->counted, std::vector<std::string>(6, "A"));
  EXPECT_EQ(model.alleles->other, std::vector<std::string>(6, "G"));
  EXPECT_EQ(model.encoding.names()[5], "rs6");
}

// The columns beside begin after the variants: a text column among these, or a number beyond them, would be read from nowhere.
TEST_F(GenotypeModels, AreRefusedIfTheirFileHasOtherVariants) {
  put_changed({0, 1, 2, 3, 4, 5}, {});
  Matrix beside = Matrix::Zero(60, 2);
  for (Index i = 0; i < 60; ++i)
    if (i % 3 > 0) beside(i, i % 3 - 1) = 1;
  const GenotypeCovariates covariates{MatrixView(beside), {{{.name = "site", .categorical = true, .levels = {"a", "b", "c"}}}}};
  SavedModel model = fit_model(read_plink(stem_), y_, {.model = "linear", .prior = "shared"}, covariates);
  EXPECT_EQ(model_from_bytes(model_to_bytes(model)).alleles->num_variants, 6);
  for (const Index wrong : {Index{7}, Index{8}, Index{-1}}) {
    model.alleles->num_variants = wrong;
    expect_invalid([&] { (void)model_from_bytes(model_to_bytes(model)); }, {"more variants than columns of numbers"});
  }
}

TEST_F(GenotypeModels, FindVariantsByNameAndAlleles) {
  for (const int counted : {1, 2}) {
    put_changed({0, 1, 2, 3, 4, 5}, {});
    const SavedModel model = fitted("sparse", counted);
    const Vector expected = mean_of(predict(model, read_plink(stem_)));
    put_changed({5, 3, 4, 0, 2, 1}, {4, 2});
    EXPECT_LT((mean_of(predict(model, read_plink(stem_))) - expected).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((mean_of(predict(model, read_plink(stem_, 2))) - expected).cwiseAbs().maxCoeff(), 1e-12);
    const MatchedGenotypes matched(model, read_plink(stem_));
    ASSERT_EQ(matched.notes().size(), 1U);
    EXPECT_NE(matched.notes()[0].find(counted == 1 ? "of 2 of 6 variants, allele 2" : "of 4 of 6 variants, allele 2"), std::string::npos)
        << matched.notes()[0];
  }
}

TEST_F(GenotypeModels, RefuseOtherAllelesAndAbsentVariants) {
  const SavedModel model = fitted();
  put_changed({0, 1, 2, 4, 5}, {});
  expect_invalid([&] { (void)predict(model, read_plink(stem_)); }, {"study.bed", "rs4", "--absent-variants mean"});
  const Vector without = mean_of(predict(model, read_plink(stem_), {}, {}, AbsentVariants::mean));
  put_changed({0, 1, 2, 3, 4, 5}, {});
  std::string bim;
  for (Index j = 0; j < 6; ++j) bim += fmt::format("1 rs{} 0 {} {}\n", j + 1, 100 + j, j == 3 ? "T C" : "A G");
  put(".bim", bim);
  expect_invalid([&] { (void)predict(model, read_plink(stem_)); }, {"rs4", "T and C", "A and G", "strand"});
  EXPECT_EQ(mean_of(predict(model, read_plink(stem_), {}, {}, AbsentVariants::mean)), without);
  Matrix same = copies_.cast<double>();
  same.col(3).setConstant(same.col(3).mean());
  EXPECT_LT((mean_of(predict(model, same)) - without).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_F(GenotypeModels, TakeAnAlleleThatNobodyHas) {
  const SavedModel model = fitted();
  const Vector expected = mean_of(predict(model, read_plink(stem_)));
  Copies copies = copies_;
  copies.col(2).setConstant(0);  // all have G G; plink then writes 0 for allele 1
  put(".bed", testing::bed_of(copies));
  const Vector none = mean_of(predict(model, read_plink(stem_)));
  std::string bim;
  for (Index j = 0; j < 6; ++j) bim += fmt::format("1 rs{} 0 {} {}\n", j + 1, 100 + j, j == 2 ? "0 G" : "A G");
  put(".bim", bim);
  EXPECT_EQ(mean_of(predict(model, read_plink(stem_))), none);
  copies.col(2).setConstant(0);  // now nobody has G
  bim.replace(bim.find("0 G"), 3, "0 A");
  put(".bim", bim), put(".bed", testing::bed_of(copies));
  Copies all_first = copies_;
  all_first.col(2).setConstant(2);
  EXPECT_LT((mean_of(predict(model, read_plink(stem_))) - mean_of(predict(model, Matrix(all_first.cast<double>())))).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST_F(GenotypeModels, NeedNoVariantsWithoutAnEffect) {
  const SavedModel model = fitted("laplace");
  const Fit& fit = *model.score();
  ASSERT_LT((fit.mean.array() != 0).count(), 6);
  EXPECT_EQ(static_cast<Index>(model.alleles->column.size()), (fit.mean.array() != 0).count());
  const Vector expected = mean_of(predict(model, read_plink(stem_)));
  std::vector<Index> used = model.alleles->column;
  put_changed(used, {});
  EXPECT_EQ(mean_of(predict(model, read_plink(stem_))), expected);
}

TEST_F(GenotypeModels, PutMissingGenotypesAtTheMeanOfTheFit) {
  const SavedModel model = fitted();
  Copies copies = copies_;
  copies(7, 1) = -1;
  put(".bed", testing::bed_of(copies));
  Matrix same = copies_.cast<double>();
  same(7, 1) = copies_.col(1).cast<double>().mean();
  EXPECT_LT((mean_of(predict(model, read_plink(stem_))) - mean_of(predict(model, same))).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_F(GenotypeModels, HaveColumnsBesideThem) {
  const Genotypes X = read_plink(stem_);
  const Matrix age = random_.normals(60, 1);
  const SavedModel model = fit_model(X, Vector(y_ + 3 * age.col(0)), {.model = "linear"}, {age, FeatureEncoding::of_numbers({"age"})});
  EXPECT_EQ(num_variants(model), 6);
  EXPECT_EQ(model.encoding.names().back(), "age");
  Matrix both(60, 7);
  both << copies_.cast<double>(), age;
  EXPECT_LT((mean_of(predict(model, X, age)) - mean_of(predict(model, both))).cwiseAbs().maxCoeff(), 1e-12);
  expect_invalid([&] { (void)fit_model(X, y_, {.model = "linear"}, {age, FeatureEncoding::of_numbers({"rs2"})}); }, {"covariates", "rs2"});
  const SavedModel table = fit_model(MatrixView(both), y_, {.model = "linear"});
  expect_invalid([&] { (void)predict(table, X); }, {"not fitted to genotypes"});
}

}  // namespace
}  // namespace ardvark
