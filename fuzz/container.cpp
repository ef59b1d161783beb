#include "container.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "../tests/io/mutations.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace ardvark::fuzz {
namespace {

using nlohmann::json;
using Random = std::minstd_rand;
constexpr std::size_t length_size = 8;
constexpr const char* metadata_key = "__metadata__";

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

json interesting_value(Random& random) {
  static const std::vector<json> values = {0,
                                           1,
                                           -1,
                                           2,
                                           1e300,
                                           -1e300,
                                           0.5,
                                           4294967296,
                                           65536,
                                           INT64_MAX,
                                           INT64_MIN,
                                           UINT64_MAX,
                                           "",
                                           "x",
                                           true,
                                           nullptr,
                                           json::array(),
                                           json::object(),
                                           json::array({0, 1}),
                                           json::array({0, 0}),
                                           json::array({-1}),
                                           json::array({1e18})};
  return values[below(random, values.size())];
}

// One place of the tree gets another value, is removed, or is duplicated; a text is mutated.
void mutate_tree(json& tree, Random& random) {
  json* at = &tree;
  while (at->is_structured() && !at->empty()) {
    auto child = at->begin();
    std::advance(child, below(random, at->size()));
    const bool go_deeper = child->is_structured() && !child->empty() && random() % 8 != 0;
    if (go_deeper) {
      at = &*child;
      continue;
    }
    switch (random() % 6) {
      case 0: at->erase(child); return;
      case 1:
        if (at->is_array()) {
          const json copy = *child;
          at->insert(child, 1 + random() % 3, copy);
          return;
        }
        [[fallthrough]];
      case 2:
        if (child->is_number_integer() && std::abs(child->get<double>()) < 1e9) {
          *child = child->get<std::int64_t>() + static_cast<std::int64_t>(random() % 5) - 2;
          return;
        }
        [[fallthrough]];
      case 3:
        if (child->is_string()) {
          auto text = child->get<std::string>();
          const std::size_t size = text.size();
          text.resize(size + 32);
          text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, size + 32));
          *child = text;
          return;
        }
        [[fallthrough]];
      default: *child = interesting_value(random); return;
    }
  }
}

void mutate_numbers(std::string& arrays, Random& random) {
  static const double values[] = {
      0, -0.0, 1, -1, 0.5, 2, 1e308, -1e308, 1e-308, 1e16, HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()};
  const std::size_t count = arrays.size() / sizeof(double);
  for (std::size_t change = 0; count > 0 && change < 1 + random() % 3; ++change) {
    const double value = values[below(random, std::size(values))];
    std::memcpy(arrays.data() + sizeof(double) * below(random, count), &value, sizeof value);
  }
}

// The description is JSON in a text of the metadata; this is assumed to be the largest text.
void mutate_description(json& header, Random& random) {
  if (!header.contains(metadata_key) || !header[metadata_key].is_object()) return;
  json& metadata = header[metadata_key];
  auto largest = metadata.end();
  for (auto entry = metadata.begin(); entry != metadata.end(); ++entry)
    if (entry->is_string() &&
        (largest == metadata.end() || entry->get_ref<const std::string&>().size() > largest->get_ref<const std::string&>().size()))
      largest = entry;
  if (largest == metadata.end()) return;
  json description = json::parse(largest->get<std::string>(), nullptr, false);
  if (description.is_discarded()) return;
  mutate_tree(description, random);
  *largest = description.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Changes the shape of an array, and its position in the file.
void mutate_shape(json& header, Random& random) {
  auto entry = header.begin();
  std::advance(entry, below(random, header.size()));
  if (entry.key() == metadata_key || !entry->is_object() || !entry->contains("shape")) return;
  json& shape = (*entry)["shape"];
  if (!shape.is_array()) return;
  if (shape.empty() || random() % 8 == 0)
    shape.push_back(random() % 3);
  else
    shape[below(random, shape.size())] = random() % 2 == 0 ? random() % 4 : random() % 40;
}

// The arrays are stored one after another, with the lengths of their shapes; missing numbers are zeros.
void make_whole(json& header, std::string& arrays) {
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [name, entry] : header.items()) {
    if (name == metadata_key || !entry.is_object() || !entry.contains("data_offsets")) continue;
    const json& offsets = entry["data_offsets"];
    order.emplace_back(offsets.is_array() && !offsets.empty() && offsets[0].is_number_unsigned() ? offsets[0].get<std::uint64_t>() : 0,
                       name);
  }
  std::sort(order.begin(), order.end());
  std::string out;
  for (const auto& [begin, name] : order) {
    std::uint64_t bytes = sizeof(double);
    for (const json& extent : header[name].value("shape", json::array()))
      bytes = extent.is_number_unsigned()
                  ? std::min<std::uint64_t>(bytes * std::min<std::uint64_t>(extent.get<std::uint64_t>(), 1U << 12), 1U << 16)
                  : bytes;
    std::string numbers = begin < arrays.size() ? arrays.substr(begin, bytes) : "";
    numbers.resize(bytes);
    header[name]["data_offsets"] = {out.size(), out.size() + bytes};
    out += numbers;
  }
  arrays = out;
}

// The file of this header with right checksums; without them, if its entries are no arrays.
std::string with_checksums(const json& header, const std::string& arrays) {
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::uint64_t length = text.size();
  const std::string bytes = std::string(reinterpret_cast<const char*>(&length), length_size) + text + arrays;
  try {
    return testing::with_right_checksums(bytes);
  } catch (const std::exception&) {
    return bytes;
  }
}

std::size_t put(const std::string& bytes, std::uint8_t* data, std::size_t size, std::size_t max_size) {
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace

std::size_t mutate_container(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed, const char* unchecked_version) {
  Random random(seed + 1);
  std::uint64_t length = 0;
  if (size >= length_size) std::memcpy(&length, data, length_size);
  json header;
  if (length <= size && length + length_size <= size) header = json::parse(data + length_size, data + length_size + length, nullptr, false);
  if (!header.is_object() || header.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string arrays(data + length_size + length, data + size);
  switch (random() % 8) {
    case 0: mutate_tree(header, random); break;
    case 1: mutate_numbers(arrays, random); break;
    case 2: mutate_shape(header, random); break;
    default: mutate_description(header, random);
  }
  const bool seals = unchecked_version == nullptr || random() % 2 == 0;
  if (!seals && header.contains(metadata_key) && header[metadata_key].is_object() && random() % 16 != 0) {
    header[metadata_key].erase("checksums");
    header[metadata_key].erase("header_checksum");
    header[metadata_key]["format_version"] = unchecked_version;
  }
  if (random() % 8 != 0) make_whole(header, arrays);
  if (seals && random() % 16 != 0) return put(with_checksums(header, arrays), data, size, max_size);
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  if (random() % 16 == 0) {
    const std::size_t before = text.size();
    text.resize(before + 32);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), before, before + 32));
  }
  if (length_size + text.size() + arrays.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  length = text.size();
  std::memcpy(data, &length, length_size);
  std::memcpy(data + length_size, text.data(), text.size());
  if (!arrays.empty()) std::memcpy(data + length_size + text.size(), arrays.data(), arrays.size());
  return length_size + text.size() + arrays.size();
}

}  // namespace ardvark::fuzz
