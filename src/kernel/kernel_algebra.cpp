// Sums, products and positive multiples of kernels.
#include <fmt/format.h>

#include <utility>

#include "core/validate.hpp"
#include "kernel/kernel_function.hpp"

namespace ardvark {

using namespace internal;

namespace {

// Kernels made of other kernels; their parameters are in the order of the parts.
class CompositeKernel : public KernelFunction {
 public:
  explicit CompositeKernel(std::vector<Kernel> parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const std::vector<Kernel>& parts() const { return parts_; }
  std::vector<double> parameters() const override {
    std::vector<double> all;
    for (const Kernel& kernel : parts_) {
      const std::vector<double> own = of(kernel).parameters();
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }
  void check_inputs(Index d) const override {
    for (const Kernel& kernel : parts_) of(kernel).check_inputs(d);
  }

 protected:
  [[nodiscard]] std::vector<KernelSpec> part_specs() const {
    std::vector<KernelSpec> specs;
    for (const Kernel& kernel : parts_) specs.push_back(kernel.spec());
    return specs;
  }
  [[nodiscard]] std::vector<Kernel> parts_with(const std::vector<double>& parameters) const {
    std::vector<Kernel> parts;
    auto from = parameters.begin();
    for (const Kernel& kernel : parts_) {
      const auto to = from + kernel.num_parameters();
      parts.push_back(of(kernel).with_parameters({from, to}));
      from = to;
    }
    return parts;
  }
  // The part that has this parameter, and the number of the parameter in it.
  [[nodiscard]] std::pair<std::size_t, Index> owner(Index parameter) const {
    std::size_t part = 0;
    for (; parameter >= parts_[part].num_parameters(); ++part) parameter -= parts_[part].num_parameters();
    return {part, parameter};
  }

 private:
  std::vector<Kernel> parts_;
};

class SumKernel final : public CompositeKernel {
 public:
  using CompositeKernel::CompositeKernel;

  void value(const Points& X, const Points& C, Matrix& K) const override {  // (KER.8)
    of(parts()[0]).value(X, C, K);
    Matrix next(K.rows(), K.cols());
    for (std::size_t i = 1; i < parts().size(); ++i) {
      of(parts()[i]).value(X, C, next);
      K += next;
    }
  }
  void derivative(const Points& X, const Points& C, Index parameter, Matrix& D) const override {
    const auto [part, own] = owner(parameter);
    of(parts()[part]).derivative(X, C, own, D);
  }
  std::string name() const override {
    std::string all = parts()[0].name();
    for (std::size_t i = 1; i < parts().size(); ++i) all += " + " + parts()[i].name();
    return all;
  }
  KernelSpec spec() const override { return {"sum", {}, part_specs()}; }
  Kernel with_parameters(const std::vector<double>& parameters) const override {
    return make(std::make_shared<SumKernel>(parts_with(parameters)));
  }
};

// The name of a factor in a product.
std::string factor_name(const Kernel& kernel) {
  const bool is_sum = dynamic_cast<const SumKernel*>(&KernelFunction::of(kernel)) != nullptr;
  return is_sum ? "(" + kernel.name() + ")" : kernel.name();
}

class ProductKernel final : public CompositeKernel {
 public:
  using CompositeKernel::CompositeKernel;

  void value(const Points& X, const Points& C, Matrix& K) const override {  // (KER.9)
    K.setOnes();
    multiply_all_but(parts().size(), X, C, K);
  }
  void derivative(const Points& X, const Points& C, Index parameter, Matrix& D) const override {
    const auto [part, own] = owner(parameter);
    of(parts()[part]).derivative(X, C, own, D);
    multiply_all_but(part, X, C, D);
  }
  std::string name() const override {
    std::string all = factor_name(parts()[0]);
    for (std::size_t i = 1; i < parts().size(); ++i) all += " * " + factor_name(parts()[i]);
    return all;
  }
  KernelSpec spec() const override { return {"product", {}, part_specs()}; }
  Kernel with_parameters(const std::vector<double>& parameters) const override {
    return make(std::make_shared<ProductKernel>(parts_with(parameters)));
  }

 private:
  void multiply_all_but(std::size_t left_out, const Points& X, const Points& C, Matrix& K) const {
    Matrix factor(K.rows(), K.cols());
    for (std::size_t i = 0; i < parts().size(); ++i) {
      if (i == left_out) continue;
      of(parts()[i]).value(X, C, factor);
      K.array() *= factor.array();
    }
  }
};

class ScaledKernel final : public CompositeKernel {
 public:
  ScaledKernel(double scale, Kernel kernel) : CompositeKernel({std::move(kernel)}), scale_(scale) {}

  [[nodiscard]] double scale() const { return scale_; }
  void value(const Points& X, const Points& C, Matrix& K) const override {  // (KER.10)
    of(parts()[0]).value(X, C, K);
    K *= scale_;
  }
  void derivative(const Points& X, const Points& C, Index parameter, Matrix& D) const override {
    parameter == 0 ? of(parts()[0]).value(X, C, D) : of(parts()[0]).derivative(X, C, parameter - 1, D);
    D *= scale_;
  }
  std::string name() const override { return fmt::format("{:.6g} * {}", scale_, factor_name(parts()[0])); }
  KernelSpec spec() const override { return {"scaled", {scale_}, part_specs()}; }
  std::vector<double> parameters() const override {
    std::vector<double> all = CompositeKernel::parameters();
    all.insert(all.begin(), scale_);
    return all;
  }
  Kernel with_parameters(const std::vector<double>& parameters) const override {
    return parameters[0] * parts_with({parameters.begin() + 1, parameters.end()})[0];
  }

 private:
  double scale_;
};

// The parts of both in one list, so that a + b + c has three parts.
template <typename Composite>
Kernel join(const Kernel& a, const Kernel& b) {
  std::vector<Kernel> parts;
  for (const Kernel* kernel : {&a, &b}) {
    const auto* composite = dynamic_cast<const Composite*>(&KernelFunction::of(*kernel));
    if (composite != nullptr)
      parts.insert(parts.end(), composite->parts().begin(), composite->parts().end());
    else
      parts.push_back(*kernel);
  }
  return KernelFunction::make(std::make_shared<Composite>(std::move(parts)));
}

}  // namespace

Kernel operator+(const Kernel& a, const Kernel& b) { return join<SumKernel>(a, b); }

Kernel operator*(const Kernel& a, const Kernel& b) { return join<ProductKernel>(a, b); }

Kernel operator*(double scale, const Kernel& kernel) {
  validate::positive(scale, "scale");
  const auto* scaled = dynamic_cast<const ScaledKernel*>(&KernelFunction::of(kernel));
  if (scaled != nullptr) return (scale * scaled->scale()) * scaled->parts()[0];
  return KernelFunction::make(std::make_shared<ScaledKernel>(scale, kernel));
}

}  // namespace ardvark
