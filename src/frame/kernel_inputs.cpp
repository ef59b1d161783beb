#include "frame/kernel_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/classes.hpp"
#include "core/digits.hpp"
#include "core/refusals.hpp"
#include "core/validate.hpp"
#include "design/by_content.hpp"
#include "frame/prepare.hpp"

namespace ardvark::internal {

DifferentRows different_rows(MatrixView X, VectorView y, VectorView weights) {
  const ByContent by_content(X);
  const auto less = [&](Index a, Index b) {
    const int order = by_content.compare(a, b);
    return order != 0 ? order < 0 : y[a] < y[b];
  };
  std::map<Index, std::vector<Index>, decltype(less)> alike(less);  // the first of equal rows, and all of them
  for (Index i = 0; i < X.rows(); ++i)
    if (weights.empty() || weights[i] != 0) alike[i].push_back(i);
  DifferentRows out;
  out.k = Vector::Zero(static_cast<Index>(alike.size()));
  out.at.assign(static_cast<std::size_t>(X.rows()), -1);
  for (auto& [first, rows] : alike) {
    const auto place = static_cast<Index>(out.first.size());
    // The sum of the weights has the same bits in any order of the rows.
    if (!weights.empty()) std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return weights[a] < weights[b]; });
    out.first.push_back(first);
    for (Index i : rows) {
      out.k[place] += weights.empty() ? 1.0 : weights[i];
      out.at[static_cast<std::size_t>(i)] = place;
    }
  }
  return out;
}

std::vector<Index> every_row(Index n) {
  std::vector<Index> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

DifferentRows all_rows(Index n) { return {every_row(n), Vector::Ones(n), every_row(n)}; }

Vector entries(VectorView v, const std::vector<Index>& at) {
  Vector out(static_cast<Index>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) out[static_cast<Index>(i)] = v[at[i]];
  return out;
}

Matrix seen_inputs(MatrixView X, const std::vector<Index>& rows, const Vector& center, const Vector& scale) {
  Matrix Z(static_cast<Index>(rows.size()), X.cols());
  for (Index j = 0; j < Z.cols(); ++j)
    for (Index i = 0; i < Z.rows(); ++i) Z(i, j) = (X(rows[static_cast<std::size_t>(i)], j) - center[j]) * scale[j];
  return Z;
}

void scale_inputs(const Vector& sd, const std::vector<std::string>& names, KernelInputs& out) {
  std::string constant;
  for (Index j = 0; j < sd.size(); ++j) {
    const std::string& name = names[static_cast<std::size_t>(j)];
    const bool spread = is_spread(sd[j], out.center[j]);
    if (has_few_digits(sd[j], out.center[j])) out.warnings.push_back(few_digits(fmt::format("input '{}'", name), sd[j], out.center[j]));
    out.scale[j] = spread ? 1 / sd[j] : 0.0;
    if (!spread) constant += fmt::format("{}'{}'", constant.empty() ? "" : ", ", name);
  }
  if (!constant.empty()) out.notes.push_back("constant inputs, left out: " + constant);
}

KernelInputs prepare_inputs(MatrixView X, const DifferentRows& rows, InputScale divide_by, const std::vector<std::string>& names) {
  const Index d = X.cols();
  KernelInputs out{Vector::Zero(d), Vector::Ones(d)};
  out.Z = seen_inputs(X, rows.first, out.center, out.scale);
  const Matrix& Z = out.Z;
  out.range.resize(d, 2);
  out.range << Z.colwise().minCoeff().transpose(), Z.colwise().maxCoeff().transpose();
  if (divide_by == InputScale::nothing) {
    for (Index j = 0; j < d; ++j) {
      const double range = Z.col(j).maxCoeff() - Z.col(j).minCoeff();
      if (range != 0 && !(range > 1e-290 && range < 1e290))
        throw InvalidArgument(
            fmt::format("the values of input '{}' spread over {:.3g}, outside the range of a kernel (about 1e-290 to "
                        "1e290): rescale it",
                        names[static_cast<std::size_t>(j)], range));
    }
    return out;
  }
  const Vector& k = rows.k;
  Vector sd(d);
  for (Index j = 0; j < d; ++j) {
    double& center = out.center[j];
    center = k.dot(Z.col(j)) / k.sum();
    const double off = k.dot((Z.col(j).array() - center).matrix()) / k.sum();
    if (steps_of(std::abs(off), center) > 4) center += off;                                  // (LIN.7)
    sd[j] = divide_by == InputScale::largest ? (Z.col(j).array() - center).abs().maxCoeff()  // (SLR.4)
                                             : std::sqrt(k.dot((Z.col(j).array() - center).square().matrix()) / k.sum());
    sd[j] = validate::spread(sd[j], out.range(j, 0) == out.range(j, 1), fmt::format("input '{}'", names[static_cast<std::size_t>(j)]));
  }
  scale_inputs(sd, names, out);
  out.Z = seen_inputs(X, rows.first, out.center, out.scale);
  return out;
}

std::vector<Index> different(const Matrix& Z) {
  const ByContent by_content(Z);
  const auto less = [&](Index a, Index b) { return by_content.compare(a, b) < 0; };
  std::set<Index, decltype(less)> seen(less);
  for (Index i = 0; i < Z.rows(); ++i) seen.insert(i);
  return {seen.begin(), seen.end()};
}

void scale_target(double sd, MachineTarget& target, std::vector<std::string>& warnings) {
  target.scale = sd;
  if (has_few_digits(sd, target.center)) warnings.push_back(few_digits("the target", sd, target.center));
  if (is_spread(sd, target.center)) return;
  warnings.push_back("the target is constant: there is nothing to explain");
  if (target.y.minCoeff() == target.y.maxCoeff()) target.center = target.y[0];  // to the last digit
  target.scale = target.center != 0 ? std::abs(target.center) : 1.0;
  target.t.setZero();
}

MachineTarget regression_target(const Vector& y, const Vector& k, std::vector<std::string>& warnings) {
  MachineTarget target;
  target.y = y;
  target.center = k.dot(target.y) / k.sum();
  const double off = k.dot((target.y.array() - target.center).matrix()) / k.sum();
  if (steps_of(std::abs(off), target.center) > 4) target.center += off;  // (LIN.7)
  target.t = target.y.array() - target.center;
  const double sd = std::sqrt(k.dot(target.t.cwiseAbs2()) / k.sum());
  scale_target(validate::spread(sd, y.minCoeff() == y.maxCoeff(), "the target"), target, warnings);
  target.t /= target.scale;
  return target;
}

namespace {

void refuse_equal_names(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::count(names.begin(), names.end(), name) > 1)
      throw refused("class_names", fmt::format("holds '{}' twice; each class has a name of its own", name));
}

}  // namespace

std::vector<std::string> names_of_classes(const Vector& labels, const std::vector<std::string>& names) {
  refuse_equal_names(names);
  return read_classes(labels, {}, names).names;
}

ClassTargets class_targets(const Vector& labels, const std::vector<std::string>& names) {
  const Classes classes = read_classes(labels, {}, names);
  const Index C = classes.size();
  if (C > 100 && 2 * C > labels.size())
    throw refused("labels",
                  fmt::format("has {} classes in {} different rows; these look like measurements: use a regression", C, labels.size()));
  refuse_equal_names(names);
  ClassTargets out{classes.names};
  for (Index c = C == 2 ? 1 : 0; c < C; ++c) {  // two classes: one machine, for the second class
    MachineTarget& target = out.targets.emplace_back();
    target.y = (labels.array() == classes.labels[static_cast<std::size_t>(c)]).cast<double>();
    target.t = target.y;
    target.classes = {C == 2 ? classes.name(0) : "rest", classes.name(c)};
  }
  return out;
}

}  // namespace ardvark::internal
