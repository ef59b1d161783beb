// Reads PLINK 1 filesets.                                                                              docs/math/genotypes.md (GENO.1)
#include "io/plink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "ardvark/genotypes.hpp"
#include "core/blas.hpp"
#include "core/genotype_kernels.hpp"
#include "core/parallel.hpp"
#include "core/refusals.hpp"
#include "io/csv_numbers.hpp"
#include "io/matrix_lines.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

constexpr int fields_of_line = 6;
constexpr std::size_t size_of_head = 3;
enum BimField { chromosome_field, name_field, morgans_field, position_field, first_allele_field, second_allele_field };
enum FamField { family_field, sample_field, father_field, mother_field, sex_field, phenotype_field };

InvalidArgument wrong_bed(const std::string& path, const std::string& why, const std::string& remedy) {
  return {{.why = why, .remedy = remedy}, fmt::format("'{}' {}", path, why)};
}

// The first three bytes.
void check_head(const std::string& path, const std::string& stem, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < size_of_head || bytes[0] != 0x6C || bytes[1] != 0x1B)
    throw wrong_bed(path, "is not a .bed file of PLINK 1, which begins with the bytes 6C 1B",
                    fmt::format("write the genotypes as one: plink2 ... --make-bed --out {}", stem));
  if (bytes[2] == 0)
    throw wrong_bed(path, "is in sample-major order (its third byte is 0), which is not read",
                    fmt::format("turn it into variant-major order: plink --bfile {0} --make-bed --out {0}_by_variant", stem));
  if (bytes[2] != 1) throw wrong_bed(path, fmt::format("has {} as its third byte, where PLINK 1 writes 1", bytes[2]), "copy it again");
}

void check_length(const std::string& path, const std::string& stem, std::uint64_t found, Index samples, Index variants) {
  const auto right = static_cast<std::uint64_t>(variants * GenotypeView::bytes_of_line(samples)) + size_of_head;
  if (found == right) return;
  throw wrong_bed(
      path,
      fmt::format("has {} bytes, but {} samples ({}.fam) of {} variants ({}.bim) take {}", found, samples, stem, variants, stem, right),
      found < right ? "it was cut, or the three files are not of one fileset: copy them again"
                    : "the three files are not of one fileset: copy them again");
}

// Variants without a name get one that is the same if their alleles are swapped.
std::string made_name(const PlinkLines& variants, Index j) {
  std::string_view first = variants.field(j, first_allele_field), second = variants.field(j, second_allele_field);
  if (second < first) std::swap(first, second);
  return fmt::format("{}:{}:{}:{}", variants.field(j, chromosome_field), variants.field(j, position_field), first, second);
}

// By their hashes: a set of all names would take much more memory.
void refuse_repeated_names(const PlinkLines& variants, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::uint32_t>> hashes;
  hashes.reserve(names.size());
  for (std::size_t j = 0; j < names.size(); ++j) hashes.emplace_back(std::hash<std::string>()(names[j]), static_cast<std::uint32_t>(j));
  std::ranges::sort(hashes);
  for (std::size_t i = 1; i < hashes.size(); ++i)
    for (std::size_t before = i; before-- > 0 && hashes[before].first == hashes[i].first;) {
      const auto [one, other] = std::pair(hashes[before].second, hashes[i].second);
      if (names[one] != names[other]) continue;
      const std::string why = fmt::format("has the name '{}' twice, in lines {} and {}", shown(names[one]), one + 1, other + 1);
      throw InvalidArgument({.value = names[one],
                             .why = why,
                             .remedy = "give each variant a name of its own: plink2 --set-all-var-ids '@:#:$r:$a' --make-bed"},
                            fmt::format("'{}' {}", variants.path(), why));
    }
}

std::shared_ptr<const std::vector<std::string>> names_of(const PlinkLines& variants, Index& num_named) {
  auto names = std::make_shared<std::vector<std::string>>();
  names->reserve(static_cast<std::size_t>(variants.size()));
  for (Index j = 0; j < variants.size(); ++j) {
    const std::string_view name = variants.field(j, name_field);
    names->emplace_back(name == "." ? made_name(variants, j) : std::string(name));
    num_named += name == "." ? 1 : 0;
  }
  refuse_repeated_names(variants, *names);
  return names;
}

// Means of the genotypes that are there.
void count_genotypes(GenotypeData& data) {
  const Index n = data.num_samples(), p = data.num_variants(), width = GenotypeView::bytes_of_line(n);
  data.means.resize(static_cast<std::size_t>(p));
  std::vector<Index> missing(static_cast<std::size_t>(p));
  if (data.count_allele == 2) data.counts_second.assign(static_cast<std::size_t>(p), 1);
  parallel_ranges(p, blas::threads_to_read(n * p), [&](Index from, Index to) {
    for (Index j = from; j < to; ++j) {
      const GenotypeCounts counts = genotype_kernel().counts(data.bytes() + j * width, n);
      const Index copies = counts.one + 2 * (data.count_allele == 2 ? counts.none : counts.two), there = n - counts.missing;
      data.means[static_cast<std::size_t>(j)] = there > 0 ? static_cast<double>(copies) / static_cast<double>(there) : 0.0;
      missing[static_cast<std::size_t>(j)] = counts.missing;
    }
  });
  data.num_missing = std::accumulate(missing.begin(), missing.end(), Index{0});
}

}  // namespace

PlinkLines::PlinkLines(const std::string& path) : path_(path) {
  MatrixLines lines(path);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    int count = 0;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) ++count;
    if (count == 0) continue;
    if (count != fields_of_line)
      throw lines.wrong("", fmt::format("has {} {}; a line has {}", count, count == 1 ? "field" : "fields", fields_of_line),
                        "copy the file again, or make the fileset anew: plink2 --make-bed");
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (line.size() > most - text_.size()) throw lines.wrong_file("has more than 4 GB", "divide the fileset by chromosome");
    begin_.push_back(static_cast<std::uint32_t>(text_.size()));
    rest = line;
    for (int field = 0; field < fields_of_line; ++field) text_.append(take_word(rest)).push_back('\n');
  }
  if (begin_.empty()) throw lines.wrong_file("is empty", "copy it again");
  text_.shrink_to_fit();
  begin_.shrink_to_fit();
}

std::string_view PlinkLines::field(Index line, int which) const {
  std::size_t from = begin_[static_cast<std::size_t>(line)];
  for (int i = 0; i < which; ++i) from = text_.find('\n', from) + 1;
  return std::string_view(text_).substr(from, text_.find('\n', from) - from);
}

const std::uint8_t* GenotypeData::bytes() const { return file != nullptr ? file->bytes().data() + size_of_head : owned.data(); }

bool is_plink(std::string_view path) { return lower_case(std::string(path)).ends_with(".bed"); }

}  // namespace ardvark::internal::io

namespace ardvark {

using namespace internal;
using io::GenotypeData;

Genotypes read_plink(const std::string& path, int count_allele) {
  if (count_allele != 1 && count_allele != 2)
    throw wrong("count_allele", count_allele, "it must be 1 (the fifth field of .bim) or 2 (the sixth)");
  const bool has_end = io::is_plink(path);
  const std::string stem = has_end ? path.substr(0, path.size() - 4) : path;
  auto data = std::make_shared<GenotypeData>();
  data->path = has_end ? path : path + ".bed";
  data->count_allele = count_allele;
  data->file = std::make_shared<io::MappedFile>(data->path);
  io::check_head(data->path, stem, data->file->bytes());
  data->variants = std::make_shared<io::PlinkLines>(stem + ".bim");
  data->all_samples = std::make_shared<io::PlinkLines>(stem + ".fam");
  io::check_length(data->path, stem, data->file->bytes().size(), data->num_samples(), data->num_variants());
  data->names = io::names_of(*data->variants, data->num_named);
  io::count_genotypes(*data);
  return Genotypes(std::move(data));
}

Index Genotypes::num_samples() const { return data_->num_samples(); }
Index Genotypes::num_variants() const { return data_->num_variants(); }
Variant Genotypes::variant(Index j) const {
  const auto field = [&](int which) { return data_->variants->field(j, which); };
  return {field(io::chromosome_field), field(io::name_field), field(io::position_field), field(io::first_allele_field),
          field(io::second_allele_field)};
}
Sample Genotypes::sample(Index i) const {
  const Index line = data_->samples.empty() ? i : data_->samples[static_cast<std::size_t>(i)];
  const auto field = [&](int which) { return data_->all_samples->field(line, which); };
  return {field(io::family_field), field(io::sample_field), field(io::sex_field), field(io::phenotype_field)};
}
const std::string& Genotypes::name(Index j) const { return (*data_->names)[static_cast<std::size_t>(j)]; }
std::string_view Genotypes::counted_allele(Index j) const {
  return data_->variants->field(j, data_->count_allele == 2 ? io::second_allele_field : io::first_allele_field);
}
std::string_view Genotypes::other_allele(Index j) const {
  return data_->variants->field(j, data_->count_allele == 2 ? io::first_allele_field : io::second_allele_field);
}
int Genotypes::count_allele() const { return data_->count_allele; }
VectorView Genotypes::means() const { return data_->means; }
Index Genotypes::num_missing() const { return data_->num_missing; }
const std::string& Genotypes::path() const { return data_->path; }

std::vector<std::string> Genotypes::notes() const {
  std::vector<std::string> out = {fmt::format("the numbers are copies of allele {}, which field {} of '{}' names", data_->count_allele,
                                              data_->count_allele + 4, data_->variants->path())};
  if (data_->num_named > 0)
    out.push_back(fmt::format("{} of {} variants {} no name and {} called CHROMOSOME:POSITION:ALLELE:ALLELE", data_->num_named,
                              num_variants(), data_->num_named == 1 ? "has" : "have", data_->num_named == 1 ? "is" : "are"));
  const double share = static_cast<double>(num_missing()) / (static_cast<double>(num_samples()) * static_cast<double>(num_variants()));
  if (num_missing() > 0)
    out.push_back(fmt::format("{} of the genotypes ({:.2g}%) {} missing and {} as the mean of the variant", num_missing(), 100 * share,
                              num_missing() == 1 ? "is" : "are", num_missing() == 1 ? "counts" : "count"));
  return out;
}

GenotypeView Genotypes::view(const MatrixView& beside) const {
  const std::uint8_t* const second = data_->counts_second.empty() ? nullptr : data_->counts_second.data();
  return {data_->bytes(), num_samples(), num_variants(), {data_->means.data(), second, nullptr}, beside, "X.to_numpy()"};
}

// Of a file, what was read is not needed any more.
Genotypes Genotypes::rows(const std::vector<Index>& samples) const {
  const Index n = num_samples(), width = GenotypeView::bytes_of_line(n);
  if (samples.empty()) throw wrong_size("rows", 0, "it must have at least 1");
  for (const Index i : samples)
    if (i < 0 || i >= n) throw wrong("rows", i, fmt::format("there are {} samples, counted from 0", n));
  const auto count = static_cast<Index>(samples.size()), new_width = GenotypeView::bytes_of_line(count);
  auto out = std::make_shared<GenotypeData>();
  out->path = data_->path, out->count_allele = data_->count_allele;
  out->variants = data_->variants, out->all_samples = data_->all_samples, out->names = data_->names, out->num_named = data_->num_named;
  for (const Index i : samples) out->samples.push_back(data_->samples.empty() ? i : data_->samples[static_cast<std::size_t>(i)]);
  out->owned.resize(static_cast<std::size_t>(num_variants() * new_width));
  constexpr Index forgotten_at_once = 4096;  // variants
  for (Index j = 0; j < num_variants(); ++j) {
    const std::uint8_t* const from = data_->bytes() + j * width;
    std::uint8_t* const to = out->owned.data() + j * new_width;
    for (Index i = 0; i < count; ++i) {
      const Index at = samples[static_cast<std::size_t>(i)];
      to[i / 4] = static_cast<std::uint8_t>(to[i / 4] | (from[at / 4] >> (2 * (at % 4)) & 3) << (2 * (i % 4)));
    }
    if (data_->file != nullptr && j % forgotten_at_once == 0) data_->file->forget_before(static_cast<std::size_t>(j * width));
  }
  io::count_genotypes(*out);
  return Genotypes(std::move(out));
}

void Genotypes::write_counts(std::int8_t* to) const {
  constexpr std::int8_t of_missing = -127;
  const Index n = num_samples(), width = GenotypeView::bytes_of_line(n);
  const bool second = data_->count_allele == 2;
  const std::int8_t of_code[4] = {static_cast<std::int8_t>(second ? 0 : 2), of_missing, 1, static_cast<std::int8_t>(second ? 2 : 0)};
  for (Index j = 0; j < num_variants(); ++j)
    for (Index i = 0; i < n; ++i) *to++ = of_code[data_->bytes()[j * width + i / 4] >> (2 * (i % 4)) & 3];
}

namespace {

// NaN: missing. -9 is.
Vector phenotypes_of_fam(const Genotypes& of) {
  Vector values(of.num_samples());
  for (Index i = 0; i < values.size(); ++i) {
    const Sample sample = of.sample(i);
    double& y = values[i];
    if (!io::parse_number(sample.phenotype, y) || !std::isfinite(y)) {
      const std::string word = io::lower_case(std::string(sample.phenotype));
      if (word != "na" && word != "nan")
        throw InvalidArgument(
            {.value = std::string(sample.phenotype),
             .why = fmt::format("the phenotype of sample '{} {}' is neither a number nor NA", sample.family, sample.name),
             .remedy = "mark missing ones by -9 or NA"},
            fmt::format("the phenotype '{}' of sample '{} {}' in '{}' is neither a number nor NA", io::shown(sample.phenotype),
                        io::shown(sample.family), io::shown(sample.name), of.data().all_samples->path()));
      y = -9;
    }
    if (y == -9) y = std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

}  // namespace

bool io::take_plink_classes(Phenotype& phenotype) {
  const auto is_code = [](double y) { return std::isnan(y) || y == 0 || y == 1 || y == 2; };
  Vector& values = phenotype.values;
  if (!std::ranges::all_of(values, is_code) || std::ranges::count(values, 2.0) == 0) return false;
  for (double& y : values) y = y == 0 ? std::numeric_limits<double>::quiet_NaN() : y - 1;
  phenotype.num_missing = values.array().isNaN().count();
  phenotype.classes = {"control", "case"};
  phenotype.notes.emplace_back("the phenotype has two classes: 1 is control, 2 is case, and 0 and -9 are missing");
  return true;
}

Phenotype Genotypes::phenotype() const {
  const std::string& path = data_->all_samples->path();
  Phenotype out;
  out.values = phenotypes_of_fam(*this);
  const bool has_classes = io::take_plink_classes(out);
  const auto has = [&](double code) { return std::ranges::count(out.values, code); };
  const Index missing = out.values.array().isNaN().count(), zeros = has(0), ones = has(1);
  if (!has_classes && zeros > 0 && ones > 0 && zeros + ones + missing == out.values.size())
    throw InvalidArgument(
        {.value = "0 and 1",
         .why = "PLINK has 1 for controls, 2 for cases and 0 for missing",
         .remedy = "write 1 and 2, or take the target from another file: --target FILE:COLUMN"},
        fmt::format("the phenotypes of '{}' are 0 and 1, but PLINK has 1 for controls, 2 for cases and 0 for missing", path));
  out.num_missing = missing;
  if (out.num_missing == out.values.size())
    throw InvalidArgument({.why = "all phenotypes are missing", .remedy = "take the target from another file: --target FILE:COLUMN"},
                          fmt::format("all phenotypes of '{}' are missing", path));
  return out;
}

}  // namespace ardvark
