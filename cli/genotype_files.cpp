#include "genotype_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <unordered_map>
#include <utility>

#include "io/csv_records.hpp"
#include "io/plink.hpp"
#include "io/text.hpp"
#include "matrix_files.hpp"
#include "target/target.hpp"

namespace ardvark::cli {
namespace {

using internal::io::shown;

constexpr const char* name_of_phenotype = "phenotype";  // the name of the target that a .fam file has
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// The names that PLINK gives to the columns with the names of a sample.
struct NameColumns {
  std::string family, sample;  // empty: the file has none

  [[nodiscard]] bool has(const std::string& name) const { return name == family || name == sample; }
  static NameColumns of(const std::string& path, const std::vector<std::string>& names) {
    const auto first = [&](std::initializer_list<const char*> spellings) -> std::string {
      for (const char* name : spellings)
        if (std::ranges::find(names, name) != names.end()) return name;
      return {};
    };
    NameColumns out{first({"#FID", "FID"}), first({"#IID", "IID"})};
    if (out.sample.empty())
      throw InvalidArgument({.column = "IID", .why = "it names the samples", .remedy = "add the names of the .fam file as FID and IID"},
                            fmt::format("'{}' has no column IID", path));
    return out;
  }
};

// The names of a sample in one text.
std::string key_of(std::string_view family, std::string_view sample) { return fmt::format("{}\n{}", family, sample); }

// A table whose rows are samples, in any order.
class SampleTable {
 public:
  // \param wanted  the columns; empty: all others than the names
  SampleTable(const std::string& path, const TableFormat& format, const std::vector<std::string>& markers, std::vector<std::string> wanted)
      : path_(path) {
    CsvOptions csv;
    set_format(format, csv);
    const internal::io::CsvRecords records(path, {.delimiter = csv.delimiter, .decimal = csv.decimal});
    names_ = NameColumns::of(path, records.names());
    if (wanted.empty())
      for (const std::string& name : records.names())
        if (!names_.has(name)) wanted.push_back(name);
    if (wanted.empty()) throw InvalidArgument(fmt::format("'{}' has no columns besides the names of the samples", path));
    csv.missing = Missing::keep;
    csv.missing_markers = markers;
    csv.missing_markers.push_back("-9");  // as PLINK has it
    csv.only = wanted;
    csv.verbatim = {names_.sample};
    if (!names_.family.empty()) csv.verbatim.push_back(names_.family);
    table_ = read_csv(path, csv);
  }

  [[nodiscard]] const NameColumns& names() const { return names_; }
  [[nodiscard]] Table& table() { return table_; }

  // For each sample of the fileset its row, or -1.
  [[nodiscard]] std::vector<Index> rows_of(const Genotypes& X) const {
    std::unordered_map<std::string, Index> place;
    for (Index i = 0; i < X.num_samples(); ++i) {
      const Sample sample = X.sample(i);
      if (!place.emplace(key_of(names_.family.empty() ? "" : sample.family, sample.name), i).second)
        throw InvalidArgument({.why = "samples are found by their names", .remedy = "give each sample a name of its own"},
                              fmt::format("two samples of '{}' have the {} '{}'", X.path(), names_.family.empty() ? "IID" : "FID and IID",
                                          shown(sample.name)));
    }
    std::vector<Index> rows(static_cast<std::size_t>(X.num_samples()), -1);
    for (Index row = 0; row < table_.num_rows; ++row) {
      const std::string family = names_.family.empty() ? "" : text_at(row, names_.family), sample = text_at(row, names_.sample);
      const auto found = place.find(key_of(family, sample));
      if (found == place.end()) continue;
      Index& own = rows[static_cast<std::size_t>(found->second)];
      if (own >= 0)
        throw internal::io::wrong_cell(table_.cell(row, names_.sample), sample,
                                       fmt::format("'{}' has the sample '{}' twice", path_, shown(sample)), "leave one of the rows out");
      own = row;
    }
    return rows;
  }

 private:
  [[nodiscard]] std::string text_at(Index row, const std::string& name) const {
    const Index column = table_.at(name);
    const auto level = static_cast<std::size_t>(table_.value(row, column));
    return table_.columns[static_cast<std::size_t>(column)].levels[level];
  }

  std::string path_;
  NameColumns names_;
  Table table_;
};

// What a fit explains. NaN: missing.
struct Explained {
  std::string name = name_of_phenotype;
  Phenotype values;
  Index num_not_found = 0;  // samples that the file of the target does not have
};

Phenotype values_of(const Table& table, const std::string& name, const std::vector<Index>& rows) {
  Phenotype out;
  const Index column = table.at(name);
  const TableColumn& known = table.columns[static_cast<std::size_t>(column)];
  const Vector all = column_values(table, column);
  out.values.resize(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out.values[static_cast<Index>(i)] = rows[i] < 0 ? not_known : all[rows[i]];
  for (const double y : out.values) out.num_missing += std::isnan(y) ? 1 : 0;
  out.classes = known.levels;
  return out;
}

Explained explained_by(const FitArguments& args, const Genotypes& X) {
  Explained out;
  if (args.target.empty()) {
    out.values = X.phenotype();
    return out;
  }
  const std::size_t colon = args.target.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == args.target.size())
    throw wrong("--target", args.target,
                "for a PLINK fileset it must be FILE:COLUMN, such as study.pheno:height; without it, the .fam file has the target");
  out.name = args.target.substr(colon + 1);
  SampleTable table(args.target.substr(0, colon), args.format, args.missing_markers, {out.name});
  const std::vector<Index> rows = table.rows_of(X);
  out.num_not_found = std::ranges::count(rows, -1);
  out.values = values_of(table.table(), out.name, rows);
  const bool may_be_classes = args.preset.empty() && (args.model.empty() || args.model == "logistic");
  if (may_be_classes && out.values.classes.empty()) static_cast<void>(internal::io::take_plink_classes(out.values));
  if (out.values.num_missing == X.num_samples())
    throw InvalidArgument({.argument = "--target",
                           .value = args.target,
                           .why = fmt::format("has a value for none of the {} samples; they are found by FID and IID", X.num_samples()),
                           .remedy = "compare the names with those of the .fam file"});
  return out;
}

// The columns beside the genotypes, a row for each sample; NaN: missing.
struct Beside {
  FeatureEncoding encoding;
  Matrix X;
  Index num_not_found = 0;
};

Beside encoded_beside(SampleTable& table, const FeatureEncoding& encoding, const std::vector<Index>& rows) {
  Beside out{encoding, Matrix(), std::ranges::count(rows, -1)};
  FeatureEncoding keeping = encoding;
  keeping.keeps_gaps = true;
  const EncodedTable encoded = encode(std::move(table.table()), keeping);
  out.X = Matrix::Constant(static_cast<Index>(rows.size()), encoded.cols, not_known);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (Index j = 0; rows[i] >= 0 && j < encoded.cols; ++j) out.X(static_cast<Index>(i), j) = encoded.X()(rows[i], j);
  return out;
}

Beside covariates_of(const FitArguments& args, const Genotypes& X) {
  if (args.covariates.empty()) return {};
  SampleTable table(args.covariates, args.format, args.missing_markers, {});
  const std::vector<Index> rows = table.rows_of(X);
  std::vector<std::string> excluded = {table.names().sample};
  if (!table.names().family.empty()) excluded.push_back(table.names().family);
  const FeatureEncoding encoding = make_encoding(table.table(), excluded);
  return encoded_beside(table, encoding, rows);
}

// Rows of a matrix and of a vector.
template <typename Rows>
Rows chosen(const Rows& all, const std::vector<Index>& rows) {
  if constexpr (Rows::ColsAtCompileTime == 1)
    return all(rows);
  else
    return all(rows, Eigen::all);
}

std::string number_of_samples(Index count) { return count == 1 ? "1 sample" : fmt::format("{} samples", count); }

// Leaves out samples without a target or without covariates.
std::vector<std::string> leave_out(Genotypes& X, Explained& target, Beside& beside) {
  std::vector<Index> kept;
  Index without_covariates = 0;
  for (Index i = 0; i < X.num_samples(); ++i) {
    if (std::isnan(target.values.values[i])) continue;
    const bool has_gap = beside.X.cols() > 0 && !beside.X.row(i).allFinite();
    without_covariates += has_gap ? 1 : 0;
    if (!has_gap) kept.push_back(i);
  }
  std::vector<std::string> notes;
  if (target.values.num_missing > 0)
    notes.push_back(fmt::format("{} without a target {} left out{}", number_of_samples(target.values.num_missing),
                                target.values.num_missing == 1 ? "is" : "are",
                                target.num_not_found > 0 ? fmt::format(", of which {} not in its file", target.num_not_found) : ""));
  if (without_covariates > 0)
    notes.push_back(fmt::format("{} without all covariates {} left out", number_of_samples(without_covariates),
                                without_covariates == 1 ? "is" : "are"));
  if (kept.empty()) throw InvalidArgument(fmt::format("no sample of '{}' has a target and all covariates", X.path()));
  if (static_cast<Index>(kept.size()) == X.num_samples()) return notes;
  X = X.rows(kept);
  target.values.values = chosen(target.values.values, kept);
  if (beside.X.cols() > 0) beside.X = chosen(beside.X, kept);
  return notes;
}

void refuse_options_of_tables(const FitArguments& args) {
  for (const char* option :
       {"--weights", "--ignore", "--categorical", "--reference", "--group", "--flat", "--exposure", "--offset-column", "--statistics"})
    if (const CLI::Option* found = args.command->get_option_no_throw(option); found != nullptr && found->count() > 0)
      throw refused(option, fmt::format("needs a table; '{}' holds genotypes", args.data));
  if (args.missing != "refuse")
    throw refused("--missing", fmt::format("needs a table; missing genotypes of '{}' stand at the mean of their variant", args.data));
  if (args.stream == "always") throw refused("--stream", fmt::format("always needs a table; '{}' stays in its file", args.data));
  if (args.index_base != "auto") throw refused("--index-base", "applies only to files of svmlight: .svm, .svmlight, .libsvm");
}

int allele_of(const FitArguments& args) {
  if (args.count_allele == "1") return 1;
  if (args.count_allele == "2") return 2;
  throw wrong("--count-allele", args.count_allele, "it must be 1 (the fifth field of .bim, the default) or 2 (the sixth)");
}

}  // namespace

bool are_genotypes(const std::vector<std::string>& files) { return !files.empty() && internal::io::is_plink(files.front()); }

int fit_genotypes(FitArguments args) {
  require_one_matrix(args.files);
  args.data = args.files.front();
  require_writable(args);
  refuse_options_of_tables(args);
  Training training;
  std::optional<Genotypes> X;
  Explained target;
  Beside beside;
  {
    const ProgressLine progress(args.shows_progress(), "reading");
    X.emplace(read_plink(args.data, allele_of(args)));
    target = explained_by(args, *X);
    beside = covariates_of(args, *X);
    training.notes = leave_out(*X, target, beside);
    training.notes.insert(training.notes.end(), target.values.notes.begin(), target.values.notes.end());
  }
  const bool is_text = !target.values.classes.empty();
  const std::string choice = choose_model_by(args, is_text, target.values.values);
  const ModelKind kind = check_options(args);
  if (kind == ModelKind::relevance || kind == ModelKind::kernel)
    throw refused("--model", fmt::format("{} needs a table: CSV or Parquet", args.model));
  if (!choice.empty() && !args.quiet) std::fputs(("note: " + choice + "\n").c_str(), stderr);  // a closed stderr is no error
  ModelOptions options = args;
  options.target = target.name;
  const Task task = args.preset.empty() ? internal::task_of_model(args.model) : task_of_preset(args.preset);
  if (internal::has_classes(task)) {
    check_classes(target.name, {.name = target.name, .categorical = is_text, .levels = target.values.classes}, target.values.values,
                  "--model linear");
    options.class_names = target.values.classes;
  } else if (is_text && target.name != name_of_phenotype) {
    throw refused("target", target.name, "is text; for classes use --model logistic");
  }
  options.keep_covariance = args.diagnose ? "always" : kept_covariance(args);
  SavedModel model;
  {
    const ProgressLine progress(args.shows_progress(), "preparing");
    options.on_sweep = progress.on_sweep();
    model = fit_model(*X, target.values.values, options, {MatrixView(beside.X), beside.encoding});
  }
  return finish_fit(args, model, training);
}

namespace {

// The columns of the model that are not variants.
FeatureEncoding encoding_beside(const SavedModel& model) {
  FeatureEncoding encoding;
  const auto first = model.encoding.features.begin() + static_cast<std::ptrdiff_t>(num_variants(model));
  encoding.features.assign(first, model.encoding.features.end());
  return encoding;
}

Beside new_covariates(const FeatureEncoding& encoding, const GenotypeArguments& args, const Genotypes& X) {
  const bool has_file = !args.covariates.empty();
  if (has_file != !encoding.features.empty())
    throw refused("--covariates", has_file ? "cannot be used with a model without covariates"
                                           : fmt::format("is needed: the model has the column '{}' beside the genotypes",
                                                         shown(encoding.features.front().name)));
  if (!has_file) return {};
  std::vector<std::string> wanted;
  for (const FeatureColumn& feature : encoding.features) wanted.push_back(feature.name);
  SampleTable table(args.covariates, args.format, {}, wanted);
  Beside beside = encoded_beside(table, encoding, table.rows_of(X));
  for (Index i = 0; i < beside.X.rows(); ++i)
    if (!beside.X.row(i).allFinite()) {
      const Sample sample = X.sample(i);
      throw InvalidArgument(
          {.argument = "--covariates",
           .value = std::string(sample.name),
           .why = fmt::format("has not all values of sample '{} {}'", shown(sample.family), shown(sample.name)),
           .remedy = "add them, or leave the sample out: plink2 --remove"},
          fmt::format(" '{}' has not all values of sample '{} {}'", args.covariates, shown(sample.family), shown(sample.name)));
    }
  return beside;
}

// The phenotypes of the .fam file, if the model knows them and they are there.
std::optional<KeptColumn> observed_in(const SavedModel& model, const Genotypes& X) {
  if (model.score() == nullptr || model.score()->target != name_of_phenotype) return {};
  KeptColumn column{.name = name_of_phenotype, .texts = {}, .is_number = model.score()->classes.empty()};
  try {
    const Phenotype found = X.phenotype();
    if (found.classes != model.score()->classes && !(found.classes.empty() && model.score()->classes.empty())) return {};
    for (const double y : found.values)
      column.texts.push_back(std::isnan(y)           ? ""
                             : found.classes.empty() ? fmt::format("{}", y)
                                                     : found.classes[static_cast<std::size_t>(y)]);
  } catch (const InvalidArgument&) {
    return {};  // new samples may have none
  }
  return column;
}

}  // namespace

NewGenotypes predict_genotypes(const SavedModel& model, const std::string& path, const GenotypeArguments& args,
                               const ModelOptions& options) {
  if (args.absent_variants != "refuse" && args.absent_variants != "mean")
    throw wrong("--absent-variants", args.absent_variants, "it must be refuse or mean");
  const Genotypes X = read_plink(path);
  const MatchedGenotypes matched(model, X, args.absent_variants == "mean" ? AbsentVariants::mean : AbsentVariants::refuse);
  const Beside beside = new_covariates(encoding_beside(model), args, X);
  NewGenotypes out;
  out.num_rows = X.num_samples();
  out.notes = matched.notes();
  out.prediction = predict(model, matched.view(beside.X.cols() > 0 ? MatrixView(beside.X) : MatrixView()), options);
  KeptColumn family{.name = "FID", .texts = {}}, sample{.name = "IID", .texts = {}};
  for (Index i = 0; i < X.num_samples(); ++i) {
    family.texts.emplace_back(X.sample(i).family);
    sample.texts.emplace_back(X.sample(i).name);
  }
  out.samples = {std::move(family), std::move(sample)};
  out.observed = observed_in(model, X);
  return out;
}

}  // namespace ardvark::cli
