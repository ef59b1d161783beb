#include "io/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "ardvark/errors.hpp"
#include "io/json_reader.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory, which must be little-endian");
static_assert(sizeof(double) == 8 && std::numeric_limits<double>::is_iec559);

constexpr std::uint64_t length_size = 8;
constexpr std::uint64_t max_header = 100'000'000;      // the limit of the reference implementation
constexpr std::size_t max_rank = 8, max_texts = 1000;  // our files have 2 and 4
constexpr const char* metadata_key = "__metadata__";
constexpr const char* checksums_key = "checksums";
constexpr const char* header_checksum_key = "header_checksum";
constexpr std::size_t checksum_digits = 16;

// Bytes of an array of doubles; nothing if the number does not fit in 63 bits.
std::optional<std::uint64_t> num_bytes_of(const std::vector<std::uint64_t>& shape) {
  std::uint64_t product = sizeof(double);
  for (const std::uint64_t extent : shape) {
    if (extent == 0) return 0;
    if (product > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()) / extent) return std::nullopt;
    product *= extent;
  }
  return product;
}

// The checksum takes eight bytes at a time. Each step is one to one, so a change within eight bytes is always noticed, and a larger change
// except with probability 2^-64. Headers and arrays are multiples of eight bytes. In another header, zeros fill the last group; the length
// is part of the checksum.
class Checksum {
 public:
  explicit Checksum(std::uint64_t num_bytes) : sum_(num_bytes) {}
  /// Adds the next bytes; only the last part may have a length that is not a multiple of eight.
  void add(const void* data, std::uint64_t num_bytes) {
    const char* from = static_cast<const char*>(data);
    for (; num_bytes >= 8; from += 8, num_bytes -= 8) add_eight(from, 8);
    if (num_bytes > 0) add_eight(from, num_bytes);
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  void add_eight(const char* from, std::uint64_t count) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, count);
    sum_ = (sum_ ^ bits) * 0x9E3779B97F4A7C15U;
    sum_ ^= sum_ >> 32;
  }
  std::uint64_t sum_;
};

std::string checksum(const void* data, std::uint64_t num_bytes) {
  Checksum sum(num_bytes);
  sum.add(data, num_bytes);
  return sum.text();
}

// The place of the digits of a header's own checksum. (Within a text, a backslash would precede the quotes.)
std::optional<std::size_t> place_of_own_checksum(std::string_view header) {
  const std::string key = fmt::format("\"{}\":\"", header_checksum_key);
  const std::size_t place = header.find(key);
  if (place == std::string_view::npos || header.size() < place + key.size() + checksum_digits) return std::nullopt;
  return place + key.size();
}

// The checksum of the header with zeros in place of these digits. The digits stay zeros.
std::string own_checksum(std::string& header, std::size_t place) {
  header.replace(place, checksum_digits, checksum_digits, '0');
  return checksum(header.data(), header.size());
}

std::string shown_shape(const std::vector<std::uint64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace

void SafetensorsWriter::add_vector(const std::string& name, VectorView vector) {
  add_array(name, vector.data(), {static_cast<std::uint64_t>(vector.size())});
}

void SafetensorsWriter::add_vector(const std::string& name, Vector&& temporary) {
  const Matrix& kept = kept_.emplace_back(std::move(temporary));
  add_vector(name, VectorView(kept.data(), kept.size()));
}

void SafetensorsWriter::add_matrix(const std::string& name, Matrix&& temporary) {
  const Matrix& kept = kept_.emplace_back(std::move(temporary));
  add_matrix(name, kept);
}

void SafetensorsWriter::add_matrix(const std::string& name, const Matrix& matrix) {
  add_array(name, matrix.data(), {static_cast<std::uint64_t>(matrix.cols()), static_cast<std::uint64_t>(matrix.rows())});
}

void SafetensorsWriter::add_array(const std::string& name, const double* data, std::vector<std::uint64_t> shape) {
  const std::optional<std::uint64_t> num_bytes = num_bytes_of(shape);
  const bool taken = std::any_of(arrays_.begin(), arrays_.end(), [&](const auto& array) { return array.first == name; });
  if (taken || name == metadata_key || !num_bytes)
    throw InternalError(fmt::format("the array '{}' of a model file has the name of another array, or its shape is too large", name));
  arrays_.emplace_back(name, Array{data, std::move(shape), *num_bytes});
}

std::uint64_t SafetensorsWriter::num_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [name, array] : arrays_) sum += array.num_bytes;
  return sum;
}

void SafetensorsWriter::add_checksums() {
  Json checksums = Json::object();
  for (const auto& [name, array] : arrays_) checksums.append(name, checksum(array.data, array.num_bytes));
  metadata[checksums_key] = checksums.dump();
  metadata[header_checksum_key] = std::string(checksum_digits, '0');  // until the header is complete
}

std::string SafetensorsWriter::header(const std::string& what) const {
  const auto is_text = [](const auto& entry) { return is_utf8(entry.first); };
  if (!std::ranges::all_of(arrays_, is_text) || !std::ranges::all_of(metadata, is_text) ||
      !std::ranges::all_of(metadata, [](const auto& entry) { return is_utf8(entry.second); }))
    throw InvalidArgument(fmt::format("cannot write {}: a name or a text to be stored is not UTF-8", what));
  Json of_arrays = Json::object();
  std::uint64_t offset = 0;
  for (const auto& [name, array] : arrays_) {
    of_arrays.append(name, {{"data_offsets", Json::array({offset, offset + array.num_bytes})}, {"dtype", "F64"}, {"shape", array.shape}});
    offset += array.num_bytes;
  }
  std::string text = of_arrays.dump();
  if (!metadata.empty()) {
    std::size_t size = text.size() + 32;
    for (const auto& [key, value] : metadata)
      size += key.size() + value.size() + static_cast<std::size_t>(std::ranges::count(value, '"')) + 8;
    std::string all = fmt::format("{{\"{}\":{{", metadata_key);
    all.reserve(size);
    for (const auto& [key, value] : metadata) {
      if (all.back() != '{') all += ',';
      append_quoted(all, key);
      all += ':';
      append_quoted(all, value);
    }
    all.append(arrays_.empty() ? "}" : "},").append(text, 1);
    text = std::move(all);
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');  // aligns the data for a reader that maps the file into memory
  if (text.size() > max_header)
    throw InvalidArgument(
        fmt::format("cannot write {}: its names and texts take {} bytes, the limit is {}", what, text.size(), max_header));
  if (metadata.contains(header_checksum_key)) {
    const std::size_t place = place_of_own_checksum(text).value();
    text.replace(place, checksum_digits, own_checksum(text, place));
  }
  return text;
}

void SafetensorsWriter::put_all(const std::string& header, auto&& put) const {
  const std::uint64_t length = header.size();
  put(&length, length_size);
  put(header.data(), header.size());
  for (const auto& [name, array] : arrays_) put(array.data, array.num_bytes);
}

void SafetensorsWriter::write(const std::string& path) const {
  const std::string text = header(fmt::format("'{}'", path));
  FileInTheMaking file(path);  // opened only after the header is ready
  put_all(text, [&](const void* from, std::size_t size) { file.write(from, size); });
  file.commit();
}

std::string SafetensorsWriter::bytes() const {
  const std::string text = header("the model");
  std::size_t size = length_size + text.size();
  for (const auto& [name, array] : arrays_) size += array.num_bytes;
  std::string out;
  out.reserve(size);  // growing would need the same memory again
  put_all(text, [&](const void* from, std::size_t num_bytes) { out.append(static_cast<const char*>(from), num_bytes); });
  return out;
}

SafetensorsReader::SafetensorsReader(const std::string& path) : path_(path), file_(File::open(path)) { read_all(file_.size()); }

SafetensorsReader::SafetensorsReader(std::string_view bytes, const std::string& name) : path_(name), bytes_(bytes) {
  read_all(bytes.size());
}

void SafetensorsReader::read_all(std::uint64_t file_size) try {
  num_bytes_ = file_size;
  std::string header = read_header(file_size);
  parse_header(header, length_size + header.size(), file_size);
  if (const auto place = place_of_own_checksum(header)) {
    const std::string written = header.substr(*place, checksum_digits);
    header_checksum_ = own_checksum(header, *place) == written ? HeaderChecksum::right : HeaderChecksum::wrong;
  }
} catch (const std::bad_alloc&) {
  throw OutOfMemory(fmt::format("not enough memory to read the header of '{}'", path_));
}

void SafetensorsReader::read_at(std::uint64_t offset, void* to, std::size_t size) const {
  if (bytes_.data() == nullptr) return file_.read_at(offset, to, size);
  if (size > 0) std::memcpy(to, bytes_.data() + offset, size);
}

namespace {

bool is_text(const void* bytes, std::size_t size) {
  const auto* const begin = static_cast<const unsigned char*>(bytes);
  return std::all_of(begin, begin + size, [](unsigned char c) { return c >= ' ' || c == '\n' || c == '\r' || c == '\t'; });
}

}  // namespace

std::string SafetensorsReader::read_header(std::uint64_t file_size) const {
  if (file_size < length_size + 2) fail_foreign(file_size == 0 ? "it is empty" : fmt::format("it has only {} bytes", file_size));
  std::uint64_t length = 0;
  read_at(0, &length, length_size);
  char first = 0;
  read_at(length_size, &first, 1);
  if (first != '{' || length > max_header)
    fail_foreign(is_text(&length, length_size) ? "it is a text, such as a table; fit -o, stats -o or save writes one"
                                               : "it does not begin with a safetensors header");
  if (length > file_size - length_size)
    throw InvalidArgument(fmt::format("'{}' is truncated: its header takes {} bytes, the file has {}; write or copy it again", path_,
                                      length_size + length, file_size));
  std::string header(length, '\0');
  read_at(length_size, header.data(), length);
  return header;
}

// Takes each entry as soon as it is complete. It builds no tree: an invalid entry is refused before it needs many times its size in memory.
class SafetensorsReader::HeaderEvents final : public JsonEvents {
 public:
  HeaderEvents(SafetensorsReader& file, std::uint64_t data_begin) : file_(file), data_begin_(data_begin) {}

  void open_object() override {
    if (depth_ < 2)
      type_.clear(), shape_.reset(), offsets_.reset(), ++depth_;
    else
      open_in_entry(std::nullopt);
  }
  void open_array() override {
    if (depth_ < 2) fail_no_object();
    open_in_entry(std::vector<std::uint64_t>());
  }
  void close() override {
    --depth_;
    if (depth_ == 2)
      set_numbers(std::exchange(list_, std::nullopt));
    else if (depth_ == 1 && !is_metadata())
      take_array();
  }
  void key(std::string& name) override {
    (depth_ == 1 ? name_ : key_) = std::move(name);
    if (depth_ == 2 && is_metadata() && ++num_texts_ > max_texts)
      file_.fail_foreign(fmt::format("its metadata has more than {} texts", max_texts));
  }
  void value(Json scalar) override {
    if (depth_ < 2) fail_no_object();
    if (depth_ == 3)
      add_number(scalar);
    else if (is_metadata())
      scalar.is_string() ? void(file_.metadata_[key_] = scalar.text()) : fail_no_text();
    else if (key_ == "dtype")
      type_ = scalar.is_string() ? scalar.text() : "";
    else
      set_numbers(std::nullopt);
  }

 private:
  using Numbers = std::optional<std::vector<std::uint64_t>>;  // nothing if one of them is not a whole number from 0 to 2^53

  [[nodiscard]] bool is_metadata() const { return name_ == metadata_key; }
  void open_in_entry(Numbers list) {
    if (depth_ > 2) file_.fail_foreign("its header is nested too deep");
    if (is_metadata()) fail_no_text();
    ++depth_;
    list_ = std::move(list);
    num_numbers_ = 0;
  }
  void set_numbers(Numbers numbers) {
    if (key_ == "shape") shape_ = std::move(numbers);
    if (key_ == "data_offsets") offsets_ = std::move(numbers);
  }
  void add_number(const Json& scalar) {
    if (++num_numbers_ > max_rank)
      file_.fail_foreign(fmt::format("the entry '{}' of its header holds a list of more than {} numbers", shown(name_), max_rank));
    const double number = scalar.is_integer() ? scalar.number() : -1;
    if (!(number >= 0 && number <= 0x1p53))
      list_.reset();
    else if (list_)
      list_->push_back(static_cast<std::uint64_t>(number));
  }
  void take_array() {
    if (type_ != "F64")
      file_.fail_foreign(fmt::format("its array '{}' is not of type F64 (a file of another program, or of a newer ardvark)", shown(name_)));
    if (!shape_ || !offsets_ || offsets_->size() != 2)
      file_.fail_foreign(fmt::format("the array '{}' has no valid shape and data_offsets", shown(name_)));
    const std::uint64_t begin = (*offsets_)[0], end = (*offsets_)[1];
    if (begin > end || num_bytes_of(*shape_) != end - begin)
      file_.fail_foreign(fmt::format("the shape {} of the array '{}' does not match its data_offsets", shown_shape(*shape_), shown(name_)));
    // An empty array could have any extent besides the 0. A large one would need memory later, so no extent may exceed the size of the
    // file.
    if (std::ranges::any_of(*shape_, [&](std::uint64_t extent) { return extent > file_.num_bytes_; }))
      file_.fail_foreign(fmt::format("the shape {} of the array '{}' is too large for the file", shown_shape(*shape_), shown(name_)));
    file_.arrays_[name_] = {*shape_, data_begin_ + begin, end - begin, {}};
  }
  [[noreturn]] void fail_no_object() const {
    file_.fail_foreign(fmt::format("the entry '{}' of its header is not an object", shown(name_)));
  }
  [[noreturn]] void fail_no_text() const { file_.fail_foreign(fmt::format("the metadata '{}' is not a text", shown(key_))); }

  SafetensorsReader& file_;
  const std::uint64_t data_begin_;
  int depth_ = 0;
  std::string name_, key_;  // name of the entry, key within the entry
  std::size_t num_numbers_ = 0, num_texts_ = 0;
  std::string type_;
  Numbers shape_, offsets_, list_;
};

void SafetensorsReader::parse_header(const std::string& header, std::uint64_t data_begin, std::uint64_t file_size) {
  try {
    HeaderEvents events(*this, data_begin);
    read_json(header, events);
  } catch (const JsonError&) {
    fail_foreign("its header is not valid JSON");
  }
  take_checksums();
  check_extent(data_begin, file_size);
}

void SafetensorsReader::take_checksums() {
  const auto found = metadata_.find(checksums_key);
  if (found == metadata_.end()) return;  // older files have none
  try {
    const Json checksums = bounded_json(found->second, most_bytes_of_tree(), path_);
    for (const auto& [name, sum] : checksums.members())
      if (const auto array = arrays_.find(name); array != arrays_.end()) array->second.checksum = sum.text();
  } catch (const JsonError&) {
    fail_foreign("its checksums are not texts");
  }
  for (const auto& [name, array] : arrays_)
    if (array.checksum.empty()) fail_foreign(fmt::format("the checksum of the array '{}' is missing", shown(name)));
}

// Arrays must follow each other without gap or overlap, and the last one must end with the file.
void SafetensorsReader::check_extent(std::uint64_t data_begin, std::uint64_t file_size) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
  for (const auto& [name, array] : arrays_) extents.emplace_back(array.begin, array.begin + array.num_bytes);
  std::sort(extents.begin(), extents.end());
  std::uint64_t end = data_begin;
  for (const auto& [begin, array_end] : extents) {
    if (begin != end) fail_foreign("its arrays overlap or leave gaps");
    end = array_end;
  }
  if (end > file_size)
    throw InvalidArgument(
        fmt::format("'{}' is truncated: its contents take {} bytes, the file has {}; write or copy it again", path_, end, file_size));
  if (end < file_size) fail_foreign(fmt::format("{} byte(s) follow its last array", file_size - end));
}

std::vector<std::string> SafetensorsReader::names() const {
  std::vector<std::string> result;
  for (const auto& [name, array] : arrays_) result.push_back(name);
  return result;
}

const SafetensorsReader::Array& SafetensorsReader::array(const std::string& name, std::size_t rank) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail_foreign(fmt::format("it lacks the array '{}'", shown(name)));
  if (found->second.shape.size() != rank)
    fail_foreign(fmt::format("its array '{}' has the shape {}, {} dimension{} expected", shown(name), shown_shape(found->second.shape),
                             rank, rank == 1 ? " is" : "s are"));
  return found->second;
}

void SafetensorsReader::read(const std::string& name, const Array& array, double* to) const {
  read_at(array.begin, to, array.num_bytes);
  if (!array.checksum.empty() && checksum(to, array.num_bytes) != array.checksum) fail_changed(name);
  array.is_read = true;
}

void SafetensorsReader::check_unread_arrays() const {
  std::vector<char> block(std::size_t{1} << 16);
  for (const auto& [name, array] : arrays_) {
    if (array.is_read || array.checksum.empty()) continue;
    Checksum sum(array.num_bytes);
    for (std::uint64_t done = 0; done < array.num_bytes; done += block.size()) {
      const std::uint64_t size = std::min<std::uint64_t>(block.size(), array.num_bytes - done);
      read_at(array.begin + done, block.data(), size);
      sum.add(block.data(), size);
    }
    if (sum.text() != array.checksum) fail_changed(name);
  }
}

void SafetensorsReader::check_header(bool must_have_one) const {
  if (header_checksum_ == HeaderChecksum::wrong || (must_have_one && header_checksum_ == HeaderChecksum::absent))
    throw InvalidArgument(fmt::format("'{}' is damaged: its header differs from what was written; write or copy it again", path_));
}

Vector SafetensorsReader::vector(const std::string& name) const try {
  const Array& stored = array(name, 1);
  Vector result(static_cast<Index>(stored.shape[0]));
  read(name, stored, result.data());
  return result;
} catch (const std::bad_alloc&) {
  throw OutOfMemory(fmt::format("not enough memory for the array '{}' of '{}'", shown(name), path_));
}

Matrix SafetensorsReader::matrix(const std::string& name) const try {
  const Array& stored = array(name, 2);
  Matrix result(static_cast<Index>(stored.shape[1]), static_cast<Index>(stored.shape[0]));
  read(name, stored, result.data());
  return result;
} catch (const std::bad_alloc&) {
  throw OutOfMemory(fmt::format("not enough memory for the array '{}' of '{}'", shown(name), path_));
}

const std::string& SafetensorsReader::text(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) fail_foreign(fmt::format("it lacks the entry '{}'", shown(key)));
  return found->second;
}

void SafetensorsReader::fail_changed(const std::string& name) const {
  throw InvalidArgument(
      fmt::format("'{}' is damaged: its array '{}' differs from what was written; write or copy it again", path_, shown(name)));
}

void SafetensorsReader::fail_foreign(const std::string& why) const {
  throw InvalidArgument(fmt::format("'{}' is not an ardvark model or statistics file: {}", path_, why));
}

int check_format(const SafetensorsReader& file, const std::string& format, int newest_version, int first_with_checksum) {
  const auto value = [&](const char* key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  const std::string prefix = "ardvark-", found = value("format");
  const std::string kind = format.ends_with("statistics") ? format.substr(prefix.size()) : "model";
  if (found != format && found.starts_with(prefix))
    throw InvalidArgument(
        fmt::format("'{}' is not an ardvark {} file, but an ardvark {} file", file.path(), kind, shown(found.substr(prefix.size()))));
  if (found != format)
    throw InvalidArgument(fmt::format("'{}' is not an ardvark {} file: it is a safetensors file of another program", file.path(), kind));
  const std::string written = value("format_version");
  int version = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), version);
  if (error != std::errc() || end != written.data() + written.size() || version < 1)
    throw InvalidArgument(
        fmt::format("'{}' is not an ardvark {} file: its format version '{}' is not a number from 1", file.path(), kind, shown(written)));
  if (version > newest_version)
    throw InvalidArgument(fmt::format("'{}' was written by a newer ardvark (format {}, this program reads up to {}); update ardvark",
                                      file.path(), version, newest_version));
  file.check_header(version >= first_with_checksum);
  return version;
}

}  // namespace ardvark::internal::io
