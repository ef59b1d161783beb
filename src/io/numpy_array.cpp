#include "io/numpy_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "io/matrix_file.hpp"
#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

using namespace std::string_view_literals;

// The words of the header, a dictionary of Python: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderWords {
 public:
  explicit HeaderWords(std::string_view text) : rest_(text) {}

  [[nodiscard]] char peek() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char mark) {
    if (peek() != mark) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::string_view> text() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return found;
  }
  std::optional<bool> truth() {
    static_cast<void>(peek());
    for (const auto& [word, value] : {std::pair{"True"sv, true}, {"False"sv, false}})
      if (rest_.starts_with(word)) return rest_.remove_prefix(word.size()), value;
    return std::nullopt;
  }
  std::optional<Index> whole() {
    static_cast<void>(peek());
    Index value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // of Python 2
    return value;
  }
  std::optional<std::vector<Index>> shape() {
    if (!take('(')) return std::nullopt;
    std::vector<Index> sizes;
    while (!take(')')) {
      const std::optional<Index> size = whole();
      if (!size || (!take(',') && peek() != ')')) return std::nullopt;
      sizes.push_back(*size);
    }
    return sizes;
  }

 private:
  std::string_view rest_;
};

struct Header {
  std::optional<std::string_view> type;
  std::optional<bool> is_fortran;
  std::optional<std::vector<Index>> shape;
  bool is_record = false;
};

// \returns false  the text is no such dictionary
bool parse(std::string_view text, Header& header) {
  HeaderWords words(text);
  if (!words.take('{')) return false;
  while (!words.take('}')) {
    const std::optional<std::string_view> key = words.text();
    if (!key || !words.take(':')) return false;
    if (*key == "descr") {
      if (words.peek() == '[' || words.peek() == '(') return header.is_record = true;
      if (!(header.type = words.text())) return false;
    } else if (*key == "fortran_order") {
      if (!(header.is_fortran = words.truth())) return false;
    } else if (*key == "shape") {
      if (!(header.shape = words.shape())) return false;
    } else {
      return false;
    }
    if (!words.take(',') && words.peek() != '}') return false;
  }
  return words.peek() == '\0' && header.type && header.is_fortran && header.shape;
}

// The text of the header, and where the elements begin.
std::string_view header_text(const NumpyArray& array, std::string_view file, std::size_t& begin) {
  constexpr std::string_view mark = "\x93NUMPY";
  if (file.starts_with("\x1F\x8B") || file.starts_with("\x28\xB5\x2F\xFD"))
    throw array.wrong("is compressed", "unpack it first: an array of NumPy is read where it lies");
  if (!file.starts_with(mark)) throw array.wrong("is no array of NumPy", "write it by numpy.save");
  const std::size_t before = mark.size() + 2;
  if (file.size() < before + 4) throw array.wrong("ends within its header", remedy_of_cut);
  const int version = static_cast<unsigned char>(file[mark.size()]);
  if (version < 1 || version > 3)
    throw array.wrong(fmt::format("is in version {} of the format, which is not known here", version), "write it by numpy.save");
  std::size_t length = 0;
  const std::size_t width = version == 1 ? 2 : 4;
  for (std::size_t i = width; i-- > 0;) length = length << 8U | static_cast<unsigned char>(file[before + i]);
  begin = before + width + length;
  if (begin > file.size()) throw array.wrong("ends within its header", remedy_of_cut);
  return file.substr(before + width, length);
}

std::string name_of(char kind, Index bytes) {
  const char* const word = kind == 'f' ? "float" : kind == 'i' ? "int" : kind == 'u' ? "uint" : kind == 'c' ? "complex" : "";
  if (kind == 'b') return "bool";
  return *word != '\0' ? fmt::format("{}{}", word, 8 * bytes) : "text";
}

// '<f8': byte order, kind and bytes.
void take_type(std::string_view type, NumpyArray& array) {
  const char order = type.empty() ? '\0' : type.front();
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string_view rest = type.substr(has_order ? 1 : 0);
  const char kind = rest.empty() ? '\0' : rest.front();
  const std::string text = shown(type);
  if (kind == 'O')
    throw array.wrong("holds objects of Python, which are pickled: to read them could run any program",
                      "save numbers: numpy.save(path, X.astype(float))");
  if (kind == 'M' || kind == 'm') throw array.wrong("holds dates or durations", "turn them into numbers first");
  if (kind == 'V') throw array.wrong("holds records", "save the numbers of one field, or a matrix");
  const auto [end, error] = std::from_chars(rest.data() + (rest.empty() ? 0 : 1), rest.data() + rest.size(), array.bytes);
  const bool is_whole = error == std::errc() && end == rest.data() + rest.size() && array.bytes >= 0;
  if (is_whole && kind == 'c') throw array.wrong("holds complex numbers; a fit takes real numbers", "save the real or the absolute part");
  if (is_whole && kind == 'f' && array.bytes > 8)
    throw array.wrong(fmt::format("holds floats of {} bytes", array.bytes), "save X.astype(float)");
  const bool is_number = ((kind == 'f' || kind == 'i' || kind == 'u') && (array.bytes == 2 || array.bytes == 4 || array.bytes == 8)) ||
                         ((kind == 'i' || kind == 'u' || kind == 'b') && array.bytes == 1);
  const bool is_text = (kind == 'S' || kind == 'U') && array.bytes < most_lines;
  if (!is_whole || !(is_number || is_text))
    throw array.wrong(fmt::format("holds values of a type that is not read here, '{}'", text), "save X.astype(float)");
  if (kind == 'U') array.bytes *= 4;
  array.bytes = std::max<Index>(array.bytes, 1);  // texts that are all empty
  array.kind = kind;
  array.is_swapped = order == '>' && (array.bytes > 1);
  array.type = name_of(kind, array.bytes);
}

void take_elements(std::string_view bytes, NumpyArray& array) {
  const auto there = static_cast<Index>(bytes.size());
  Index needed = array.bytes;
  bool is_too_large = false;
  for (const Index size : array.shape) {
    is_too_large = is_too_large || (size > 0 && needed > std::numeric_limits<Index>::max() / size);
    if (!is_too_large) needed *= size;
  }
  if (std::ranges::find(array.shape, 0) != array.shape.end()) needed = 0, is_too_large = false;
  const std::string shape = fmt::format("{}", fmt::join(array.shape, " x "));
  if (is_too_large || needed > there)
    throw array.wrong(fmt::format("has {} bytes of numbers; its shape, {}, needs {}", there, shape,
                                  is_too_large ? "more than there can be" : fmt::format("{}", needed)),
                      remedy_of_cut);
  if (needed < there)
    throw array.wrong(fmt::format("has {} bytes after its array of {}", there - needed, shape),
                      "it is damaged, or holds several arrays: save one in a file");
  array.elements = bytes;
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10U) & 31, fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return (bits & 0x8000U) != 0 ? -value : value;
}

template <typename T>
T element(const NumpyArray& array, Index i) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, array.elements.data() + i * static_cast<Index>(sizeof(T)), sizeof(T));
  if (array.is_swapped) std::reverse(std::begin(bytes), std::end(bytes));
  return std::bit_cast<T>(bytes);
}

// f(T()) with the type of the numbers; float16 is taken as std::uint16_t.
auto with_type_of(const NumpyArray& array, auto&& f) {
  switch (array.kind == 'f' ? array.bytes + 100 : array.kind == 'i' ? array.bytes + 200 : array.bytes) {
    case 104: return f(float());
    case 108: return f(double());
    case 201: return f(std::int8_t());
    case 202: return f(std::int16_t());
    case 204: return f(std::int32_t());
    case 208: return f(std::int64_t());
    case 1: return f(std::uint8_t());
    case 4: return f(std::uint32_t());
    case 8: return f(std::uint64_t());
    default: return f(std::uint16_t());
  }
}

// The elements in another type, or as they are but in this machine's order and place.
template <typename To>
NumpyNumbers copied(const NumpyArray& array) {
  const auto kept = std::make_shared<std::vector<To>>(static_cast<std::size_t>(array.size()));
  with_type_of(array, [&]<typename T>(T) {
    for (Index i = 0; i < array.size(); ++i) {
      const T value = element<T>(array, i);
      if (array.kind == 'f' && array.bytes == 2)
        (*kept)[static_cast<std::size_t>(i)] = static_cast<To>(half_to_double(static_cast<std::uint16_t>(value)));
      else
        (*kept)[static_cast<std::size_t>(i)] = static_cast<To>(value);
    }
  });
  return {kept->data(), scalar_type<To>, kept};
}

bool is_aligned(const NumpyArray& array) {
  return reinterpret_cast<std::uintptr_t>(array.elements.data()) % static_cast<std::uintptr_t>(array.bytes) == 0;
}

template <typename T>
NumpyNumbers in_place(const NumpyArray& array) {
  if (array.is_swapped || !is_aligned(array)) return copied<T>(array);
  return {array.elements.data(), scalar_type<T>, array.memory};
}

bool fits_int8(const NumpyArray& array) {
  bool fits = array.kind == 'i' || array.kind == 'u';
  with_type_of(array, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>)
      for (Index i = 0; i < array.size() && fits; ++i) fits = std::in_range<std::int8_t>(element<T>(array, i));
  });
  return fits;
}

bool has_byte_above(const NumpyArray& array, unsigned char most) {
  return std::ranges::any_of(array.elements, [&](char c) { return static_cast<unsigned char>(c) > most; });
}

}  // namespace

InvalidArgument NumpyArray::wrong(const std::string& why, const std::string& remedy) const {
  return {{.why = why, .remedy = remedy}, fmt::format("{} {}", name, why)};
}

NumpyArray numpy_array(std::string_view file, std::shared_ptr<const char> memory, const std::string& name) {
  NumpyArray array;
  array.name = name;
  array.memory = std::move(memory);
  std::size_t begin = 0;
  const std::string_view text = header_text(array, file, begin);
  Header header;
  const bool is_known = parse(text, header);
  if (header.is_record) throw array.wrong("holds records", "save the numbers of one field, or a matrix");
  if (!is_known) throw array.wrong("has a header that cannot be read", remedy_of_cut);
  take_type(*header.type, array);
  array.is_fortran = *header.is_fortran;
  array.shape = std::move(*header.shape);
  take_elements(file.substr(begin), array);
  return array;
}

NumpyNumbers read_numbers(const NumpyArray& array, std::vector<std::string>& notes, bool narrows) {
  if (!array.is_number()) throw array.wrong("holds texts; a fit takes numbers", "turn them into numbers");
  if (array.kind == 'f' && array.bytes == 8) return in_place<double>(array);
  if (array.kind == 'f' && array.bytes == 4) return in_place<float>(array);
  if (array.kind == 'b' && has_byte_above(array, 1)) throw array.wrong("holds bool with other bytes than 0 and 1", remedy_of_cut);
  if (array.bytes == 1 && (array.kind != 'u' || !has_byte_above(array, 127))) return in_place<std::int8_t>(array);
  if (narrows && fits_int8(array)) return copied<std::int8_t>(array);
  const bool is_small = array.bytes <= 2;
  notes.push_back(fmt::format("{} holds {}, which is read as {}", array.name, array.type, is_small ? "float32" : "float64"));
  return is_small ? copied<float>(array) : copied<double>(array);
}

NumpyIntegers whole_numbers(const NumpyArray& array) {
  if (array.kind != 'i' && array.kind != 'u') throw array.wrong(fmt::format("holds {} where there must be integers", array.type));
  NumpyIntegers out;
  out.size = array.size();
  if (array.kind == 'i' && !array.is_swapped && is_aligned(array)) {
    out.memory = array.memory;
    if (array.bytes == 4) out.narrow = reinterpret_cast<const std::int32_t*>(array.elements.data());
    if (array.bytes == 8) out.wide = reinterpret_cast<const std::int64_t*>(array.elements.data());
    if (array.bytes >= 4) return out;
  }
  const auto kept = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(array.size()));
  with_type_of(array, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) {
      for (Index i = 0; i < array.size(); ++i) {
        const T value = element<T>(array, i);
        if (!std::in_range<std::int64_t>(value)) throw array.wrong(fmt::format("has the number {}", value), remedy_of_cut);
        (*kept)[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(value);
      }
    }
  });
  out.wide = kept->data(), out.memory = kept;
  return out;
}

std::string numpy_text(const NumpyArray& array) {
  std::string text;
  if (array.is_number() || !array.shape.empty()) throw array.wrong("must hold a word", remedy_of_cut);
  const std::size_t width = array.kind == 'U' ? 4 : 1;
  for (std::size_t i = 0; i < array.elements.size(); i += width) {
    std::string_view character = array.elements.substr(i, width);
    const char c = character[array.is_swapped ? width - 1 : 0];
    if (c != '\0') text += c;
  }
  return text;
}

}  // namespace ardvark::internal::io
