// The names, kinds and texts of all results, without their numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ardvark/ardvark.h"
#include "model/fields.hpp"

namespace ardvark::internal::capi {

struct Entry {
  std::string name, path;
  ardvark_kind kind = ARDVARK_RECORD;
  std::string text = {};  ///< if kind is ARDVARK_TEXT
  std::vector<Entry> below = {};
};

/// The kind of a JSON value; a list of numbers has the kind ARDVARK_NUMBERS.
[[nodiscard]] ardvark_kind kind_of(const Json& value);
[[nodiscard]] double number_of(const Json& value);  ///< a flag gives 0 or 1, null gives NaN

/// Receives the fields of a result from visit() and makes a tree of them.
class Outline final : public Fields {
 public:
  [[nodiscard]] bool wants(const char* name) const override { return !is_by_name_only(name); }
  void put(const char* name, Json value) override;
  void put(const char* name, VectorView) override { add(name, ARDVARK_NUMBERS); }
  void put(const char* name, const std::vector<Index>&) override { add(name, ARDVARK_NUMBERS); }
  void put_rows(const char* name, const Matrix&) override { add(name, ARDVARK_NUMBERS); }
  void put_table_rows(const char* name, const std::vector<Index>&) override { add(name, ARDVARK_NUMBERS); }
  void put_columns(const char* name, const std::vector<bool>&, const std::vector<std::string>&) override { add(name, ARDVARK_NUMBERS); }
  void open(const char* name) override { stack_.push_back(&add(name, ARDVARK_RECORD)); }
  void open(const char* name, Index element) override;
  void close() override { stack_.pop_back(); }
  [[nodiscard]] Entry& root() { return root_; }

 private:
  Entry& add(std::string_view name, ardvark_kind kind);

  Entry root_;
  std::vector<Entry*> stack_ = {&root_};
};

}  // namespace ardvark::internal::capi
