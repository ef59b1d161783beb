// A reader of the flatbuffer in a message of Arrow, as far as the names and types of fields: Message -> Schema -> Field.
#include "io/arrow_schema.hpp"

#include <cstdint>
#include <optional>

namespace ardvark::internal::io {
namespace {

// \returns what comes before the first character that is none of base64
std::string decoded(std::string_view base64) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int num_bits = 0;
  for (const char c : base64) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((num_bits += 6) >= 8) out.push_back(static_cast<char>(bits >> (num_bits -= 8) & 0xff));
  }
  return out;
}

struct OutOfBounds {};

// Numbers of the bytes. Every access is checked, and all together read each byte a few times only, whatever the offsets say.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes), left_(64 * bytes.size()) {}
  template <typename Number>
  [[nodiscard]] Number at(std::size_t position) const {
    Number value = 0;
    const std::string_view found = part(position, sizeof(Number));
    for (std::size_t k = 0; k < sizeof(Number); ++k)
      value = static_cast<Number>(value | static_cast<Number>(static_cast<std::uint64_t>(static_cast<unsigned char>(found[k])) << 8 * k));
    return value;
  }
  [[nodiscard]] std::string_view part(std::size_t position, std::size_t size) const {
    if (position > bytes_.size() || size > bytes_.size() - position || size > left_) throw OutOfBounds{};
    left_ -= size;
    return bytes_.substr(position, size);
  }
  [[nodiscard]] std::size_t target(std::size_t position) const { return position + at<std::uint32_t>(position); }  // of an offset
  [[nodiscard]] std::string text(std::size_t position) const { return std::string(part(position + 4, at<std::uint32_t>(position))); }

 private:
  std::string_view bytes_;
  mutable std::size_t left_;  // bytes that may still be read
};

// A table of a flatbuffer: its first number leads back to a list of the places of its members.
struct FlatTable {
  const Bytes& bytes;
  std::size_t position;

  // Of member k; nothing: it has its default.
  [[nodiscard]] std::optional<std::size_t> member(std::size_t k) const {
    const std::int64_t back = static_cast<std::int32_t>(bytes.at<std::uint32_t>(position));
    const std::size_t list = position - static_cast<std::size_t>(back);  // may wrap, and is checked when it is read
    if (bytes.at<std::uint16_t>(list) < 6 + 2 * k) return {};
    const std::uint16_t offset = bytes.at<std::uint16_t>(list + 4 + 2 * k);
    return offset == 0 ? std::optional<std::size_t>() : position + offset;
  }
  [[nodiscard]] std::optional<std::size_t> target(std::size_t k) const {
    const auto place = member(k);
    return place ? std::optional(bytes.target(*place)) : std::nullopt;
  }
  // The tables of a list.
  [[nodiscard]] std::vector<FlatTable> tables(std::size_t k) const {
    std::vector<FlatTable> out;
    const auto list = target(k);
    if (!list) return out;
    const std::uint32_t count = bytes.at<std::uint32_t>(*list);
    static_cast<void>(bytes.part(*list + 4, std::size_t{4} * count));  // so many there are
    for (std::size_t i = 0; i < count; ++i) out.push_back({bytes, bytes.target(*list + 4 + 4 * i)});
    return out;
  }
};

// The members that are read, by their numbers in Message.fbs and Schema.fbs of the format of Arrow.
enum MessageMember { header_type = 1, header = 2 };
enum SchemaMember { fields = 1 };
enum FieldMember { field_name = 0, type_type = 2, custom_metadata = 6 };
enum KeyValueMember { key = 0, value = 1 };
constexpr std::uint8_t schema_header = 1, duration_type = 18;

ArrowField field_of(const FlatTable& table) {
  ArrowField out;
  if (const auto name = table.target(field_name)) out.name = table.bytes.text(*name);
  if (const auto type = table.member(type_type)) out.is_duration = table.bytes.at<std::uint8_t>(*type) == duration_type;
  for (const FlatTable& pair : table.tables(custom_metadata)) {
    const auto its_key = pair.target(key), its_value = pair.target(value);
    if (its_key && its_value && table.bytes.text(*its_key) == "ARROW:extension:name") out.extension = table.bytes.text(*its_value);
  }
  return out;
}

}  // namespace

std::vector<ArrowField> arrow_fields(std::string_view base64) try {
  const std::string message = decoded(base64);
  const Bytes all(message);
  const std::size_t begin = all.at<std::uint32_t>(0) == 0xffffffff ? 8 : 4;  // before 2020, without a mark of continuation
  const Bytes bytes(all.part(begin, message.size() < begin ? 0 : message.size() - begin));
  const FlatTable root{bytes, bytes.target(0)};
  const auto type = root.member(header_type), schema = root.target(header);
  if (!type || bytes.at<std::uint8_t>(*type) != schema_header || !schema) return {};
  std::vector<ArrowField> out;
  for (const FlatTable& table : FlatTable{bytes, *schema}.tables(fields)) out.push_back(field_of(table));
  return out;
} catch (const OutOfBounds&) {
  return {};
}

}  // namespace ardvark::internal::io
