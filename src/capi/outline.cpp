#include "capi/outline.hpp"

#include <algorithm>
#include <limits>

namespace ardvark::internal::capi {
namespace {

Entry& add_below(Entry& parent, std::string_view name, std::string_view key, ardvark_kind kind) {
  std::string path = parent.path.empty() ? std::string(key) : parent.path + '.' + std::string(key);
  return parent.below.emplace_back(Entry{std::string(name), std::move(path), kind});
}

void add_values(Entry& entry, const Json& value) {
  if (entry.kind == ARDVARK_TEXT) entry.text = value.text();
  if (entry.kind == ARDVARK_RECORD)
    for (const auto& [name, member] : value.members()) add_values(add_below(entry, name, name, kind_of(member)), member);
  if (entry.kind == ARDVARK_LIST)
    for (std::size_t i = 0; i < value.list().size(); ++i)
      add_values(add_below(entry, "", std::to_string(i), kind_of(value.list()[i])), value.list()[i]);
}

}  // namespace

ardvark_kind kind_of(const Json& value) {
  if (value.is_null()) return ARDVARK_NOTHING;
  if (value.is_boolean()) return ARDVARK_FLAG;
  if (value.is_number()) return ARDVARK_NUMBERS;
  if (value.is_string()) return ARDVARK_TEXT;
  if (value.is_object()) return ARDVARK_RECORD;
  const bool numbers = !value.list().empty() && std::all_of(value.list().begin(), value.list().end(),
                                                            [](const Json& element) { return element.is_number() || element.is_null(); });
  return numbers ? ARDVARK_NUMBERS : ARDVARK_LIST;
}

double number_of(const Json& value) {
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  return value.is_boolean() ? static_cast<double>(value.flag()) : value.number();
}

Entry& Outline::add(std::string_view name, ardvark_kind kind) {
  Entry& parent = *stack_.back();
  const auto same = std::find_if(parent.below.begin(), parent.below.end(), [&](const Entry& entry) { return entry.name == name; });
  if (same == parent.below.end()) return add_below(parent, name, name, kind);
  same->kind = kind;  // put twice: the last one counts
  same->below.clear();
  return *same;
}

void Outline::put(const char* name, Json value) {
  if (wants(name)) add_values(add(name, kind_of(value)), value);
}

void Outline::open(const char* name, Index element) {
  Entry& parent = *stack_.back();
  Entry& list = element == 0
                    ? add(name, ARDVARK_LIST)
                    : *std::find_if(parent.below.begin(), parent.below.end(), [&](const Entry& entry) { return entry.name == name; });
  stack_.push_back(&add_below(list, "", std::to_string(element), ARDVARK_RECORD));
}

}  // namespace ardvark::internal::capi
