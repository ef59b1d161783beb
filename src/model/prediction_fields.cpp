// The fields of a prediction by name.
#include "model/fields.hpp"
#include "predict/predictive.hpp"

namespace ardvark::internal {
namespace {

struct VisitPrediction {
  double level;
  Fields& out;

  void distribution(const auto& p) const {
    out.put("mean", p.mean);
    if (out.wants("sd")) out.put("sd", p.standard_deviation());
    if (!out.wants("lower") && !out.wants("upper")) return;
    const auto [lower, upper] = interval_of(p, level);
    out.put("lower", lower);
    out.put("upper", upper);
  }
  void operator()(const StudentPrediction& p) const {
    distribution(p);
    out.put("scale", p.scale);
    out.put("degrees_of_freedom", Json(p.degrees_of_freedom));
  }
  void operator()(const NoiseMixturePrediction& p) const {
    distribution(p);
    out.put("variance_of_mean", p.variance_of_mean);
  }
  void operator()(const TMixturePrediction& p) const {
    distribution(p);
    out.put("scale", Json());  // a mixture has none
    out.put("degrees_of_freedom", Json());
  }
  void operator()(const CountPrediction& p) const {
    distribution(p);
    out.put("log_mean", p.log_mean);
    out.put("log_variance", p.log_variance);
  }
  void operator()(const ClassPrediction& p) const {
    if (out.wants("probability")) {
      Matrix both(p.probability.size(), 2);
      both.col(1) = p.probability;
      both.col(0) = 1 - p.probability.array();
      out.put_rows("probability", both);
    }
    if (out.wants("most_probable")) out.put("most_probable", p.most_probable());
    out.put("mean", p.mean);
    out.put("variance", p.variance);
  }
  void operator()(const ClassProbabilities& p) const {
    out.put_rows("probability", p.probability);
    out.put("most_probable", p.most_probable);
  }
};

}  // namespace

void visit(const Prediction& prediction, const std::vector<std::string>& classes, double level, Fields& out) {
  if (!classes.empty()) out.put("classes", Json(classes));
  std::visit(VisitPrediction{level, out}, prediction);
}

JointResult joint_result(const SavedModel& model, MatrixView X_new, Index num_draws, const ModelOptions& options) {
  JointResult out;
  if (classes_of(model).size() > 2) out.classes = classes_of(model);
  if (num_draws > 0)
    out.draws = draw(model, X_new, num_draws, options);
  else
    out.predictions = predict_joint(model, X_new, options);
  return out;
}

void visit(const JointResult& joint, Fields& out) {
  const auto one = [&](std::size_t k) {
    if (!joint.draws.empty()) {
      out.put_rows("draws", joint.draws[k]);
    } else {
      out.put("mean", joint.predictions[k].mean);
      out.put_rows("covariance", joint.predictions[k].covariance);
    }
  };
  if (joint.classes.empty()) return one(0);
  for (std::size_t k = 0; out.wants("machines") && k < joint.classes.size(); ++k) {
    out.open("machines", static_cast<Index>(k));
    out.put("class", Json(joint.classes[k]));
    one(k);
    out.close();
  }
}

}  // namespace ardvark::internal
