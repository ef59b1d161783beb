#include "io/bounded_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ardvark/errors.hpp"

namespace ardvark::io {

using nlohmann::json;

json bounded_json(const std::string& text, std::size_t most_bytes, const std::string& name) {
  using Event = json::parse_event_t;
  // Of a node of a map; of a place in a list that has just doubled, beside its old half; of a text, a list or a map.
  constexpr std::size_t of_key = 112, of_place = 3 * sizeof(json), of_container = 64;
  std::size_t taken = 0;
  const auto count = [&](int /*depth*/, Event event, json& parsed) {
    if (event == Event::key) taken += of_key + parsed.get_ref<const std::string&>().size();
    if (event == Event::value) taken += of_place + (parsed.is_string() ? of_container + parsed.get_ref<const std::string&>().size() : 0);
    if (event == Event::object_start || event == Event::array_start) taken += of_place + of_container;
    if (taken > most_bytes)
      throw InvalidArgument(fmt::format(
          "'{}' is not an ardvark model file: its description is nested too deep, or has far more parts than such a file has", name));
    return true;
  };
  return json::parse(text, count);
}

bool is_text(const json& value, std::string_view text) { return value.is_string() && value.get_ref<const std::string&>() == text; }

Index whole_number(const json& value) {
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > (std::uint64_t{1} << 53)))
    throw json::type_error::create(302, "a whole number is expected", &value);
  return value.get<Index>();
}

std::vector<Index> whole_numbers(const json& list) {
  if (!list.is_array()) throw json::type_error::create(302, "a list of whole numbers is expected", &list);
  std::vector<Index> numbers;
  numbers.reserve(list.size());
  for (const json& value : list) numbers.push_back(whole_number(value));
  return numbers;
}

}  // namespace ardvark::io
