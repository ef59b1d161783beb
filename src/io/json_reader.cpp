#include "io/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "ardvark/errors.hpp"

namespace ardvark::internal::io {
namespace {

// Passes the events of nlohmann's library on.
class Forward final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Forward(JsonEvents& to) : to_(to) {}
  bool null() override { return value({}); }
  bool boolean(bool flag) override { return value(flag); }
  bool number_integer(number_integer_t number) override { return value(number); }
  bool number_unsigned(number_unsigned_t number) override { return value(number); }
  bool number_float(number_float_t number, const string_t&) override { return value(number); }
  bool string(string_t& text) override { return value(std::move(text)); }
  bool binary(binary_t&) override { return false; }  // a JSON text has no binary values
  bool start_object(std::size_t) override { return to_.open_object(), true; }
  bool start_array(std::size_t) override { return to_.open_array(), true; }
  bool end_object() override { return to_.close(), true; }
  bool end_array() override { return to_.close(), true; }
  bool key(string_t& name) override { return to_.key(name), true; }
  bool parse_error(std::size_t place, const std::string&, const nlohmann::json::exception&) override {
    throw JsonError(fmt::format("it is not valid JSON at character {}", place));
  }

 private:
  bool value(Json scalar) { return to_.value(std::move(scalar)), true; }
  JsonEvents& to_;
};

class Builder final : public JsonEvents {
 public:
  Builder(std::size_t most_bytes, const std::string& name) : most_bytes_(most_bytes), name_(name) {}
  void open_object() override { open(Json::object()); }
  void open_array() override { open(Json::array()); }
  void close() override { open_.pop_back(); }
  void key(std::string& name) override {
    count_text(name);
    key_ = std::move(name);
  }
  void value(Json scalar) override {
    if (scalar.is_string()) count(of_chunk), count_text(scalar.text());
    put(std::move(scalar));
  }
  [[nodiscard]] Json take() { return std::move(root_); }

 private:
  // of_chunk: bytes that an allocation needs in addition, with the string or vector of a node. most_levels: no fit is nested deeper.
  static constexpr std::size_t of_chunk = 48, most_levels = 200;

  void count(std::size_t bytes) {
    taken_ += bytes;
    if (taken_ > most_bytes_) fail();
  }
  void count_text(const std::string& text) {
    if (text.size() > std::string().capacity()) count(text.size() + 16);
  }
  void open(Json container) {
    if (open_.size() == most_levels) fail();
    count(of_chunk);
    open_.push_back(&put(std::move(container)));
  }
  // The pointers stay valid: a list or object does not grow while one of its elements is open.
  Json& put(Json node) {
    if (open_.empty()) return root_ = std::move(node);
    Json& to = *open_.back();
    if (to.is_array()) {
      count_growth(to.list());
      return to.push_back(std::move(node));
    }
    count_growth(to.members());
    return to.append(std::move(key_), std::move(node));
  }
  // A full vector allocates twice its size, and needs the old memory until its elements are moved.
  void count_growth(const auto& vector) {
    if (vector.size() < vector.capacity()) return;
    const std::size_t had = vector.size() * sizeof(vector[0]), takes = std::max(2 * had, sizeof(vector[0]));
    count(takes);
    taken_ -= had;
  }
  [[noreturn]] void fail() const {
    throw InvalidArgument(
        fmt::format("'{}' is not an ardvark model file: its description is nested too deep or has too many parts", name_));
  }

  std::size_t most_bytes_, taken_ = 0;
  const std::string& name_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
};

}  // namespace

void read_json(std::string_view text, JsonEvents& events) {
  Forward forward(events);
  nlohmann::json::sax_parse(text, &forward);
}

Json bounded_json(std::string_view text, std::size_t most_bytes, const std::string& name) {
  Builder builder(most_bytes, name);
  read_json(text, builder);
  return builder.take();
}

}  // namespace ardvark::internal::io
