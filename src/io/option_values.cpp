#include "io/option_values.hpp"

namespace ardvark::internal::io {

Json json_of(const OptionValues& options) {
  Json object = Json::object();
  for (const auto& [name, value] : options) object[name] = std::visit([](const auto& v) { return Json(v); }, value);
  return object;
}

OptionValues option_values_of(const Json& object) {
  OptionValues options;
  for (const auto& [name, value] : object.members()) {
    if (value.is_string())
      options.emplace_back(name, value.text());
    else if (!value.is_array())
      options.emplace_back(name, value.number());
    else if (value.list().empty() || value.list().front().is_string())
      options.emplace_back(name, value.texts());
    else
      options.emplace_back(name, value.numbers());
  }
  return options;
}

}  // namespace ardvark::internal::io
