#include "io/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "io/text.hpp"

namespace ardvark::internal::io {
namespace {

// The JSON library is used only for single texts and numbers: their destructors need no memory.
using Scalar = nlohmann::json;

template <typename Element, typename Of>
std::vector<Element> vector_of(const Json& json, Of&& of) {
  std::vector<Element> values;
  values.reserve(json.list().size());
  for (const Json& element : json.list()) values.push_back(of(element));
  return values;
}

}  // namespace

void append_quoted(std::string& to, std::string_view text) {
  if (!is_utf8(text)) {
    to += Scalar(text).dump(-1, ' ', false, Scalar::error_handler_t::replace);
    return;
  }
  constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  to += '"';
  for (const char c : text) {
    if (const std::size_t place = special.find(c); place != std::string_view::npos)
      to += '\\', to += letters[place];
    else if (static_cast<unsigned char>(c) < 0x20)
      to += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      to += c;
  }
  to += '"';
}

Json::Json(std::initializer_list<Member> members) : Json(object()) {
  std::get<Fields>(value_)->reserve(members.size());
  for (const Member& member : members) append(member.name, std::move(member.value));
}

Json::Json(const Json& other) {
  std::visit(
      [this]<typename Kind>(const Kind& held) {
        if constexpr (requires { *held; })
          value_ = std::make_unique<typename Kind::element_type>(*held);
        else
          value_ = held;
      },
      other.value_);
}

bool Json::flag() const { return held<bool>("true or false"); }

double Json::number() const {
  if (holds<double>()) return std::get<double>(value_);
  if (holds<std::uint64_t>()) return static_cast<double>(std::get<std::uint64_t>(value_));
  if (!holds<std::int64_t>()) fail("a number");
  return static_cast<double>(std::get<std::int64_t>(value_));
}

Index Json::whole_number() const {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  const auto* number = std::get_if<std::int64_t>(&value_);
  if (number == nullptr || *number > most || *number < -most) fail("a whole number up to 2^53");
  return *number;
}

const std::string& Json::text() const { return *held<Text>("a text"); }
const Json::List& Json::list() const { return *held<Elements>("a list"); }
const Json::Members& Json::members() const { return *held<Fields>("an object"); }

std::vector<bool> Json::flags() const { return vector_of<bool>(*this, std::mem_fn(&Json::flag)); }
std::vector<double> Json::numbers() const { return vector_of<double>(*this, std::mem_fn(&Json::number)); }
std::vector<Index> Json::whole_numbers() const { return vector_of<Index>(*this, std::mem_fn(&Json::whole_number)); }
std::vector<std::string> Json::texts() const { return vector_of<std::string>(*this, std::mem_fn(&Json::text)); }

const Json* Json::find(std::string_view name) const {
  if (!is_object()) return nullptr;
  const Members& all = members();
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const auto& member) { return member.first == name; });
  return found == all.rend() ? nullptr : &found->second;
}

const Json& Json::at(std::string_view name) const {
  static_cast<void>(members());
  const Json* found = find(name);
  if (found == nullptr) throw JsonError(fmt::format("there is no '{}'", name));
  return *found;
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) *this = object();
  static_cast<void>(members());
  const Json* found = find(name);
  return found == nullptr ? append(std::string(name), {}) : const_cast<Json&>(*found);
}

Json& Json::push_back(Json element) {
  if (is_null()) *this = array();
  static_cast<void>(list());
  return std::get<Elements>(value_)->emplace_back(std::move(element));
}

Json& Json::append(std::string name, Json value) {
  static_cast<void>(members());
  return std::get<Fields>(value_)->emplace_back(std::move(name), std::move(value)).second;
}

std::string Json::dump() const {
  std::string text;
  write(text);
  return text;
}

void Json::write(std::string& to) const {
  if (is_array()) {
    char before = '[';
    for (const Json& element : list()) {
      to += std::exchange(before, ',');
      element.write(to);
    }
    to += list().empty() ? "[]" : "]";
  } else if (is_object()) {
    char before = '{';
    for (const auto& [name, value] : members()) {
      to += std::exchange(before, ',');
      append_quoted(to, name);
      to += ':';
      value.write(to);
    }
    to += members().empty() ? "{}" : "}";
  } else if (is_string()) {
    append_quoted(to, text());
  } else if (is_null() || (holds<double>() && !std::isfinite(number()))) {
    to += "null";
  } else if (is_boolean()) {
    to += flag() ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    to += std::to_string(*whole);
  } else if (const auto* large = std::get_if<std::uint64_t>(&value_)) {
    to += std::to_string(*large);
  } else {
    to += Scalar(number()).dump();
  }
}

void Json::fail(const char* expected) const {
  constexpr const char* kinds[] = {"null",     "true or false", "a whole number", "a large number",
                                   "a number", "a text",        "a list",         "an object"};
  throw JsonError(fmt::format("{} is expected, but there is {}", expected, kinds[value_.index()]));
}

}  // namespace ardvark::internal::io
