// A JSON tree that can be built, copied, written and destroyed while memory runs out: a failed allocation throws std::bad_alloc, and no
// destructor allocates. (The destructors of nlohmann's JSON library, which reads and writes the texts and numbers, do, at least up
// to 3.11.)
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark::internal::io {

/// A tree holds something else than expected: "a number is expected, but there is a text".
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Null, a flag, a number, a text, a list, or an object. Members of an object keep their order. A number that is not finite is written as
/// null.
class Json {
 public:
  struct Member;
  using List = std::vector<Json>;
  using Members = std::vector<std::pair<std::string, Json>>;

  Json() = default;  ///< null
  template <std::same_as<bool> Flag>
  Json(Flag flag) : value_(flag) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Json(Number number) : value_(static_cast<std::int64_t>(number)) {
    if (!std::in_range<std::int64_t>(number)) value_ = static_cast<std::uint64_t>(number);
  }
  template <std::floating_point Number>
  Json(Number number) : value_(static_cast<double>(number)) {}
  Json(std::string text) : value_(std::make_unique<std::string>(std::move(text))) {}
  Json(std::string_view text) : Json(std::string(text)) {}
  Json(const char* text) : Json(std::string(text)) {}
  /// A list with the elements of a container.
  template <std::ranges::input_range Range>
  requires(!std::same_as<Range, Json> && !std::convertible_to<const Range&, std::string_view>) Json(const Range& range) : Json(array()) {
    reserve(static_cast<std::size_t>(std::ranges::distance(range)));
    for (const auto& element : range) push_back(static_cast<std::ranges::range_value_t<Range>>(element));
  }
  /// An object: {{"mean", 1.5}, {"name", "x"}}. The values are moved from.
  Json(std::initializer_list<Member> members);

  Json(const Json& other);
  Json(Json&&) noexcept = default;
  Json& operator=(const Json& other) { return *this = Json(other); }
  Json& operator=(Json&&) noexcept = default;
  ~Json() = default;

  [[nodiscard]] static Json array() { return Json(std::make_unique<List>()); }
  [[nodiscard]] static Json array(std::initializer_list<Json> elements) { return Json(std::make_unique<List>(elements)); }
  [[nodiscard]] static Json object() { return Json(std::make_unique<Members>()); }

  [[nodiscard]] bool is_null() const { return holds<std::monostate>(); }
  [[nodiscard]] bool is_boolean() const { return holds<bool>(); }
  [[nodiscard]] bool is_integer() const { return holds<std::int64_t>() || holds<std::uint64_t>(); }
  [[nodiscard]] bool is_number() const { return is_integer() || holds<double>(); }
  [[nodiscard]] bool is_string() const { return holds<Text>(); }
  [[nodiscard]] bool is_array() const { return holds<Elements>(); }
  [[nodiscard]] bool is_object() const { return holds<Fields>(); }
  [[nodiscard]] bool is_text(std::string_view text) const { return is_string() && *std::get<Text>(value_) == text; }

  /// The value. \throws JsonError  it has another type
  [[nodiscard]] bool flag() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] Index whole_number() const;  ///< at most 2^53 in size
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const List& list() const;
  [[nodiscard]] const Members& members() const;
  [[nodiscard]] std::vector<bool> flags() const;
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<Index> whole_numbers() const;
  [[nodiscard]] std::vector<std::string> texts() const;

  /// The last member with this name; nullptr if there is none or this is not an object.
  [[nodiscard]] const Json* find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] const Json& at(std::string_view name) const;  ///< \throws JsonError  there is no such member

  /// The member with this name; a new one is null. If this is null, it becomes an object.
  Json& operator[](std::string_view name);
  /// Appends and returns an element. If this is null, it becomes a list.
  Json& push_back(Json element);
  /// Appends and returns a member; its name must be new.
  Json& append(std::string name, Json value);
  void reserve(std::size_t num_elements) { std::get<Elements>(value_)->reserve(num_elements); }  ///< for a list only

  /// The JSON text, without blanks; bytes that are not UTF-8 are written as U+FFFD.
  [[nodiscard]] std::string dump() const;

 private:
  // Held by pointers, so that a number takes only 16 bytes: reading a file needs at most ten times its size.
  using Text = std::unique_ptr<std::string>;
  using Elements = std::unique_ptr<List>;
  using Fields = std::unique_ptr<Members>;

  explicit Json(Elements list) : value_(std::move(list)) {}
  explicit Json(Fields members) : value_(std::move(members)) {}
  template <typename Kind>
  [[nodiscard]] bool holds() const {
    return std::holds_alternative<Kind>(value_);
  }
  [[noreturn]] void fail(const char* expected) const;
  template <typename Kind>
  [[nodiscard]] const Kind& held(const char* expected) const {
    if (!holds<Kind>()) fail(expected);
    return std::get<Kind>(value_);
  }
  void write(std::string& to) const;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, Text, Elements, Fields> value_;
};

struct Json::Member {
  Member(std::string_view of, Json is) : name(of), value(std::move(is)) {}
  std::string name;
  mutable Json value;  // the elements of an initializer_list are constant
};

/// Appends the text as a JSON string, without a copy of it: a description may be as long as an array. Bytes that are not UTF-8 are written
/// as U+FFFD.
void append_quoted(std::string& to, std::string_view text);

}  // namespace ardvark::internal::io
