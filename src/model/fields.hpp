// What a result shows, by name: said once, read by the JSON of the command line and by the C interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ardvark/compare.hpp"
#include "ardvark/model.hpp"
#include "io/json.hpp"

namespace ardvark::internal {

using io::Json;

/// Reads the fields that visit() shows. Those that cost something are only shown to who wants them.
class Fields {
 public:
  virtual ~Fields() = default;
  [[nodiscard]] virtual bool wants(const char* name) const = 0;
  virtual void put(const char* name, Json value) = 0;  ///< a number, a flag, a text, texts, and what programs do not calculate with
  virtual void put(const char* name, VectorView v) = 0;
  virtual void put(const char* name, const std::vector<Index>& positions) = 0;
  virtual void put_rows(const char* name, const Matrix& m) = 0;  ///< row by row
  /// Rows of the table, from 0 (JSON counts from 1); -1: none.
  virtual void put_table_rows(const char* name, const std::vector<Index>& rows) = 0;
  /// Columns for which this is true: a flag for each; JSON names them.
  virtual void put_columns(const char* name, const std::vector<bool>& columns, const std::vector<std::string>& names) = 0;
  /// The fields until close() are those of an object: a member, or an element of a list of so many.
  virtual void open(const char* name) = 0;
  virtual void open(const char* name, Index element) = 0;
  virtual void close() = 0;

  void put(const char* name, const Vector& v) { put(name, VectorView(v)); }
  void put(const char* name, const std::vector<double>& v) { put(name, VectorView(v)); }
};

/// Formed only for who asks for it by name.
[[nodiscard]] inline bool is_by_name_only(std::string_view field) {
  return field == "covariance" || field == "V" || field == "components" || field == "log_ratios";
}

void visit(const SavedModel& model, double level, Fields& out);
void visit(const Prediction& prediction, const std::vector<std::string>& classes, double level, Fields& out);
void visit(const SelectionCounts& counts, const ModelOptions& options, Fields& out);
void visit(const LogisticPath& path, Fields& out);
void visit(const Comparison& comparison, Fields& out);

/// All fields as one object, or one of them; without the covariance unless it is asked for.
class JsonFields final : public Fields {
 public:
  explicit JsonFields(bool covariance) : covariance_(covariance) {}
  explicit JsonFields(std::string_view only) : covariance_(true), only_(only) {}
  [[nodiscard]] bool wants(const char* name) const override {
    if (stack_.size() == 1 && !only_.empty()) return name == only_;
    const std::string_view field = name;
    return field == "covariance" ? covariance_ : !is_by_name_only(field) || (field != "V" && !only_.empty());
  }
  void put(const char* name, Json value) override {
    if (wants(name)) (*stack_.back())[name] = std::move(value);
  }
  void put(const char* name, VectorView v) override;
  void put(const char* name, const std::vector<Index>& positions) override { put(name, Json(positions)); }
  void put_rows(const char* name, const Matrix& m) override;
  void put_table_rows(const char* name, const std::vector<Index>& rows) override;
  void put_columns(const char* name, const std::vector<bool>& columns, const std::vector<std::string>& names) override;
  void open(const char* name) override { stack_.push_back(&((*stack_.back())[name] = Json::object())); }
  void open(const char* name, Index element) override;
  void close() override { stack_.pop_back(); }
  [[nodiscard]] const Json& json() const { return root_; }

 private:
  bool covariance_;
  std::string_view only_;
  Json root_ = Json::object();
  std::vector<Json*> stack_ = {&root_};
};

}  // namespace ardvark::internal
