// Kernels and kernel machines in a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/triangle.hpp"
#include "io/fit_record.hpp"
#include "target/target.hpp"

namespace ardvark::internal::io {
namespace {

KernelSpec read_spec(const Json& j, const std::string& path, int depth = 0) {
  if (depth > 100) fail_model(path, "its kernel is nested too deep");
  KernelSpec spec{j.at("kind").text(), j.at("parameters").numbers(), {}};
  if (j.contains("parts"))
    for (const Json& part : j.at("parts").list()) spec.parts.push_back(read_spec(part, path, depth + 1));
  return spec;
}

std::string prefix_of_process(std::size_t process) { return fmt::format("process{}.", process + 1); }

// The numbers of a hypothesis and of a point that are no arrays by themselves.
constexpr Index num_of_hypothesis = 3, num_of_point = 3, num_kernel_scalars = 10;

Json describe(const KernelProcess& process) {
  Json hypotheses = Json::array(), points = Json::array();
  for (const KernelHypothesis& one : process.hypotheses)
    hypotheses.push_back({{"kernel", to_json(one.kernel.spec())}, {"each", one.each}, {"num_widths", one.widths.size()}});
  for (const KernelPoint& point : process.points) points.push_back({{"kernel", to_json(point.kernel.spec())}, {"vectors", point.vectors}});
  return {{"hypotheses", hypotheses}, {"points", points}};
}

bool has_linear_part(const KernelProcess& process) {
  return std::any_of(process.points.begin(), process.points.end(), [](const KernelPoint& point) { return point.linear > 0; });
}

void add_arrays(SafetensorsWriter& file, const std::string& prefix, const KernelProcess& process) {
  std::vector<double> hypotheses, widths, points, linear;  // linear: of the hypotheses, then of the points
  for (const KernelHypothesis& one : process.hypotheses) {
    linear.push_back(one.linear_share);
    hypotheses.insert(hypotheses.end(), {one.signal, one.weight, one.log_evidence});
    for (std::size_t j = 0; j < one.widths.size(); ++j)
      widths.insert(widths.end(), {one.widths[j], one.intervals[j].lower, one.intervals[j].upper});
  }
  for (std::size_t i = 0; i < process.points.size(); ++i) {
    const KernelPoint& point = process.points[i];
    points.insert(points.end(), {point.weight, point.signal, point.noise_variance});
    linear.push_back(point.linear);
    file.add_vector(fmt::format("{}mean{}", prefix, i + 1), point.mean);
    file.add_vector(fmt::format("{}factor{}", prefix, i + 1), packed_triangle(point.factor));
  }
  const auto add = [&](const char* name, const std::vector<double>& values) {
    file.add_vector(prefix + name, Vector(Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()))));
  };
  add("hypotheses", hypotheses);
  add("widths", widths);
  add("points", points);
  if (has_linear_part(process)) add("linear", linear);
  file.add_vector(prefix + "scalars", Vector(Eigen::Vector3d(process.log_evidence, process.divergence, process.largest_change)));
}

class ProcessReader {
 public:
  ProcessReader(const SafetensorsReader& file, std::string prefix, Index num_inputs, Index num_vectors)
      : in_{file, std::move(prefix)}, path_(file.path()), d_(num_inputs), m_(num_vectors) {}

  [[nodiscard]] KernelProcess read(const Json& description) const {
    KernelProcess out;
    const Vector scalars = in_.vector("scalars", 3);  // with centres the last two are not known
    require(std::isfinite(scalars[0]), "scalars");
    out.log_evidence = scalars[0], out.divergence = scalars[1], out.largest_change = scalars[2];
    const Json::List &hypotheses = description.at("hypotheses").list(), &points = description.at("points").list();
    const auto count = static_cast<Index>(hypotheses.size()), all = count + static_cast<Index>(points.size());
    const Vector linear = in_.file.has(in_.prefix + "linear") ? in_.finite_vector("linear", all) : Vector(Vector::Zero(all));
    require((linear.array() >= 0).all() && (linear.head(count).array() <= 1).all(), "linear");
    read_hypotheses(hypotheses, linear, out);
    read_points(points, linear.tail(all - count), out);
    return out;
  }

 private:
  void require(bool holds, const std::string& name) const {
    if (!holds) fail_damaged(path_, in_.prefix + name);
  }

  void read_hypotheses(const Json::List& list, const Vector& linear_share, KernelProcess& out) const {
    require(!list.empty(), "hypotheses");
    const Vector numbers = in_.finite_vector("hypotheses", num_of_hypothesis * static_cast<Index>(list.size()));
    Index num_widths = 0;
    for (const Json& j : list) {
      const Index count = j.at("num_widths").whole_number();
      require(count >= 0 && count <= d_, "widths");
      num_widths += count;
    }
    const Vector widths = in_.vector("widths", 3 * num_widths);  // infinite ones are those of constant inputs
    for (Index i = 0, at = 0; i < static_cast<Index>(list.size()); ++i) {
      const Json& j = list[static_cast<std::size_t>(i)];
      KernelHypothesis& one = out.hypotheses.emplace_back();
      one.kernel = read_kernel(j.at("kernel"), d_, path_);
      one.each = j.at("each").flag();
      one.linear_share = linear_share[i];
      one.signal = numbers[num_of_hypothesis * i], one.weight = numbers[num_of_hypothesis * i + 1];
      one.log_evidence = numbers[num_of_hypothesis * i + 2];
      require(one.signal > 0 && one.weight >= 0, "hypotheses");
      for (Index w = 0; w < j.at("num_widths").whole_number(); ++w, at += 3) {
        require(widths[at] > 0 && widths[at + 1] > 0 && widths[at + 2] > 0, "widths");
        one.widths.push_back(widths[at]);
        one.intervals.push_back({widths[at + 1], widths[at + 2]});
      }
    }
  }

  void read_points(const Json::List& list, const Vector& linear, KernelProcess& out) const {
    require(!list.empty(), "points");
    double total = 0;
    const Vector numbers = in_.finite_vector("points", num_of_point * static_cast<Index>(list.size()));
    for (Index i = 0; i < static_cast<Index>(list.size()); ++i) {
      const Json& j = list[static_cast<std::size_t>(i)];
      KernelPoint& point = out.points.emplace_back();
      point.kernel = read_kernel(j.at("kernel"), d_, path_);
      point.weight = numbers[num_of_point * i], point.signal = numbers[num_of_point * i + 1];
      point.noise_variance = numbers[num_of_point * i + 2];
      point.linear = linear[i];
      require(point.weight > 0 && point.signal > 0 && point.noise_variance >= 0, "points");
      point.vectors = j.at("vectors").whole_numbers();
      const bool inside = std::all_of(point.vectors.begin(), point.vectors.end(), [this](Index v) { return v >= 0 && v < m_; });
      if (!inside) fail_model(path_, "its list of relevance vectors is invalid");
      if (has_repeats(point.vectors)) fail_model(path_, "a point names a relevance vector twice");
      const Index size = static_cast<Index>(point.vectors.size()) + (point.linear > 0 ? d_ : 0) + 1;
      point.mean = in_.finite_vector(fmt::format("mean{}", i + 1), size);
      const std::string factor = fmt::format("factor{}", i + 1);
      point.factor = unpacked_triangle(in_.finite_vector(factor, size * (size + 1) / 2), size);
      require((point.factor.diagonal().array() > 0).all(), factor);
      total += point.weight;
    }
    if (!(std::abs(total - 1) <= 1e-9)) fail_model(path_, fmt::format("the weights of its points sum to {}; they must sum to 1", total));
  }

  RecordReader in_;
  const std::string& path_;
  Index d_, m_;
};

}  // namespace

Json to_json(const KernelSpec& spec) {
  Json j = {{"kind", spec.kind}, {"parameters", spec.parameters}};
  if (spec.parts.empty()) return j;
  Json& parts = j["parts"];
  for (const KernelSpec& part : spec.parts) parts.push_back(to_json(part));
  return j;
}

Kernel read_kernel(const Json& description, Index d, const std::string& path) {
  const KernelSpec spec = read_spec(description, path);
  try {
    const Kernel kernel = Kernel::from_spec(spec);
    const Matrix origin = Matrix::Zero(1, d);
    Matrix value(1, 1);
    kernel.evaluate(origin, origin, value);
    return kernel;
  } catch (const InvalidArgument& e) {
    fail_model(path, fmt::format("its kernel: {}", e.what()));
  }
}

Json describe(const KernelFit& fit) {
  Json processes = Json::array();
  for (const KernelProcess& process : fit.processes) processes.push_back(describe(process));
  Json out = {{"task", to_string(fit.task)},          {"target", fit.target},   {"classes", fit.classes},
              {"relevance_rows", fit.relevance_rows}, {"processes", processes}, {"report", describe(fit.report)}};
  if (std::any_of(fit.processes.begin(), fit.processes.end(), has_linear_part)) out["linear_part"] = true;
  if (fit.odds_power != 1) out["odds_power"] = fit.odds_power;
  return out;
}

void add_arrays(SafetensorsWriter& file, const KernelFit& fit) {
  Vector scalars(num_kernel_scalars);
  scalars << fit.target_center, fit.target_scale, fit.degrees_of_freedom, fit.log_evidence, fit.noise_sd, fit.signal_sd, fit.num_rows,
      fit.r_squared, fit.accuracy, fit.log_loss;
  file.add_vector("scalars", std::move(scalars));
  file.add_vector("input_center", fit.input_center);
  file.add_vector("input_scale", fit.input_scale);
  file.add_vector("variance_share", fit.variance_share);
  file.add_matrix("relevance_vectors", fit.relevance_vectors);
  for (std::size_t k = 0; k < fit.processes.size(); ++k) add_arrays(file, prefix_of_process(k), fit.processes[k]);
}

KernelFit read_kernel_fit(const SafetensorsReader& file, const Json& description, std::vector<std::string> input_names) {
  const std::string& path = file.path();
  const auto d = static_cast<Index>(input_names.size());
  const RecordReader in{file};
  KernelFit fit;
  fit.input_names = std::move(input_names);
  fit.task = from_name(description.at("task"), {Task::linear, Task::logistic}, path);
  fit.target = description.at("target").text();
  fit.classes = description.at("classes").texts();
  fit.report = read_report(description.at("report"), path);
  const Vector scalars = in.finite_vector("scalars", num_kernel_scalars);
  fit.target_center = scalars[0], fit.target_scale = scalars[1], fit.degrees_of_freedom = scalars[2];
  fit.log_evidence = fit.report.bound = scalars[3];
  fit.noise_sd = scalars[4], fit.signal_sd = scalars[5], fit.num_rows = scalars[6], fit.r_squared = scalars[7];
  fit.accuracy = checked_share(scalars[8], "its accuracy", path);
  fit.log_loss = scalars[9];
  if (description.contains("odds_power")) fit.odds_power = checked_share(description.at("odds_power").number(), "its odds_power", path);
  if (has_noise(fit.task) && !(fit.target_scale > 0 && fit.degrees_of_freedom > 0)) fail_damaged(path, "scalars");
  fit.input_center = in.finite_vector("input_center", d);
  fit.input_scale = in.finite_vector("input_scale", d);
  fit.variance_share = in.finite_vector("variance_share", d, true);
  fit.relevance_vectors = in.finite_matrix("relevance_vectors");
  fit.relevance_rows = description.at("relevance_rows").whole_numbers();
  const Index m = fit.num_vectors();
  if ((m > 0 && fit.relevance_vectors.cols() != d) || static_cast<Index>(fit.relevance_rows.size()) != m) in.fail("relevance_vectors");
  if (has_repeats(fit.relevance_rows) || std::any_of(fit.relevance_rows.begin(), fit.relevance_rows.end(), [](Index i) { return i < 0; }))
    fail_model(path, "its list of relevance rows names a row twice or holds an invalid row");
  const Json::List& processes = description.at("processes").list();
  const std::size_t num_classes = fit.classes.size();
  const bool fits =
      has_noise(fit.task) ? processes.size() == 1 : num_classes >= 2 && processes.size() == (num_classes == 2 ? 1 : num_classes);
  if (!fits) in.fail("the list of processes");
  for (std::size_t k = 0; k < processes.size(); ++k)
    fit.processes.push_back(ProcessReader(file, prefix_of_process(k), d, m).read(processes[k]));
  return fit;
}

}  // namespace ardvark::internal::io
