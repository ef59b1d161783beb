// The fields of a result by name, in one place for the JSON of the command line and for the C interface.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ardvark/compare.hpp"
#include "ardvark/model.hpp"
#include "ardvark/posterior.hpp"
#include "io/json.hpp"

namespace ardvark::internal {

using io::Json;

/// Receives the fields from visit(). Fields that need computation are made only if wants() is true.
class Fields {
 public:
  virtual ~Fields() = default;
  [[nodiscard]] virtual bool wants(const char* name) const = 0;
  /// Whether fields with an entry for each column have all columns, or of very many only ListedColumns.
  [[nodiscard]] virtual bool lists_all_columns() const { return true; }
  virtual void put(const char* name,
                   Json value) = 0;  ///< a number, a flag, a text, texts, and anything else that is not an array of numbers
  virtual void put(const char* name, VectorView v) = 0;
  virtual void put(const char* name, const std::vector<Index>& positions) = 0;
  virtual void put_rows(const char* name, const Matrix& m) = 0;  ///< row by row
  /// Rows of the table, counted from 0 (in JSON from 1); -1: no row.
  virtual void put_table_rows(const char* name, const std::vector<Index>& rows) = 0;
  /// The columns with a true flag: one flag for each column; in JSON, a list of their names.
  virtual void put_columns(const char* name, const std::vector<bool>& columns, const std::vector<std::string>& names) = 0;
  /// The fields until close() belong to an object: a member `name`, or element number `element` of the list `name`.
  virtual void open(const char* name) = 0;
  virtual void open(const char* name, Index element) = 0;
  virtual void close() = 0;

  void put(const char* name, const Vector& v) { put(name, VectorView(v)); }
  void put(const char* name, const std::vector<double>& v) { put(name, VectorView(v)); }
};

/// Computed only if asked for by name.
[[nodiscard]] inline bool is_by_name_only(std::string_view field) {
  return field == "covariance" || field == "V" || field == "components" || field == "log_ratios";
}

/// Each column of texts with its name, levels and reference.
[[nodiscard]] Json text_columns(const FeatureEncoding& encoding);
void visit(const FeatureEncoding& encoding, Fields& out);
void visit(const SavedModel& model, double level, Fields& out);
void visit(const Prediction& prediction, const std::vector<std::string>& classes, double level, Fields& out);
/// What a kernel machine says of all rows together: for each process a covariance, or draws if any are asked for.
struct JointResult {
  std::vector<std::string> classes;  ///< several classes: one for each process; else empty
  std::vector<JointPrediction> predictions;
  std::vector<Matrix> draws;  ///< [rows, num_draws] each
};
[[nodiscard]] JointResult joint_result(const SavedModel& model, MatrixView X_new, Index num_draws, const ModelOptions& options);
void visit(const JointResult& joint, Fields& out);
void visit(const SelectionCounts& counts, const ModelOptions& options, Fields& out);
void visit(const LambdaPath& path, Fields& out);
void visit(const LinearStatistics& statistics, Fields& out);
void visit(const TargetStatistics& statistics, Fields& out);
void visit(const Comparison& comparison, Fields& out);
void visit(const Fit& fit, double level, Fields& out);
void visit(const WeightDraws& draws, Fields& out);
void visit(const SoftmaxFit& fit, double level, Fields& out);
void visit(const RelevanceFit& fit, double level, Fields& out);
void visit(const KernelFit& fit, double level, Fields& out);
void visit(const SavedTargets& targets, Fields& out);
void visit(const ExplainedTargets& explained, Fields& out);
void visit(const TargetDirections& directions, Fields& out);

/// Sweeps, coefficients and noise: what a fit and a relevance vector machine have in common.
void visit_posterior(const Fit& fit, double level, Fields& out);
void visit_report(const Report& report, Fields& out);
void visit_status(const Report& report, Fields& out);

/// All fields as one object, or only the field `only`; the covariance only if asked for.
class JsonFields final : public Fields {
 public:
  explicit JsonFields(bool covariance, bool all_columns = true) : covariance_(covariance), all_columns_(all_columns) {}
  explicit JsonFields(std::string_view only) : covariance_(true), only_(only) {}
  [[nodiscard]] bool wants(const char* name) const override {
    if (stack_.size() == 1 && !only_.empty()) return name == only_;
    const std::string_view field = name;
    return field == "covariance" ? covariance_ : !is_by_name_only(field) || (field != "V" && !only_.empty());
  }
  [[nodiscard]] bool lists_all_columns() const override { return all_columns_; }
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
  bool covariance_, all_columns_ = true;
  std::string_view only_;
  Json root_ = Json::object();
  std::vector<Json*> stack_ = {&root_};
};

}  // namespace ardvark::internal
