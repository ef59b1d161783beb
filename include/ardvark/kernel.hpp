// Kernel functions: the columns of a relevance vector machine are k(x, c), one per centre c.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ardvark/types.hpp"

namespace ardvark {

namespace internal {
class KernelFunction;
}

/// A kernel as plain data, for files. `kind` and what belongs to it:
///
///     "gaussian"     parameters {width} or {width of input 1, width of input 2, ...}
///     "laplacian"    parameters {width}
///     "cauchy"       parameters {width}
///     "linear"       none
///     "polynomial"   parameters {degree, offset}
///     "spline"       none
///     "scaled"       parameters {scale}, one part
///     "sum"          two parts or more
///     "product"      two parts or more
struct KernelSpec {
  std::string kind;
  std::vector<double> parameters;
  std::vector<KernelSpec> parts;
  friend bool operator==(const KernelSpec&, const KernelSpec&) = default;
};

/// A kernel k(x, c) of two points of d inputs. A value: cheap to copy, never changes, may be used from several threads at once.
///
///     Kernel::gaussian(0.5)                              exp(-||x-c||^2 / 0.25)
///     Kernel::gaussian(0.5) + 2.0 * Kernel::linear()     sums, products and positive multiples of kernels are kernels
///
/// Its parameters are what can be learnt: the widths, the offset of a polynomial (if it is > 0) and the scales, in the order in which
/// name() shows them. They are > 0, and learnt as logarithms.   Source: docs/math/kernels.md
class Kernel {
 public:
  /// exp(-||x-c||^2 / width^2)   (KER.1). `width` > 0, in the unit of the inputs: the distance at which k = 1/e. Not 2 sigma^2:
  /// width = sqrt(2) sigma, width = 1/sqrt(gamma); other programs' conventions are tabled in docs/math/kernels.md.
  /// \throws InvalidArgument  unless width is positive and finite; likewise below
  [[nodiscard]] static Kernel gaussian(double width);
  /// exp(-sum_i (x_i-c_i)^2 / widths_i^2)   (KER.2): one width > 0 per input, each learnt on its own. A single one serves all inputs.
  [[nodiscard]] static Kernel gaussian(std::vector<double> widths);
  /// exp(-||x-c|| / width)   (KER.3), the Euclidean distance. `width` > 0
  [[nodiscard]] static Kernel laplacian(double width);
  /// 1 / (1 + ||x-c||^2 / width^2)   (KER.4). `width` > 0
  [[nodiscard]] static Kernel cauchy(double width);
  /// x'c   (KER.5)
  [[nodiscard]] static Kernel linear();
  /// (x'c + offset)^degree   (KER.6). `degree` >= 1, `offset` >= 0 and finite; an offset of 0 stays 0 and is not a parameter.
  [[nodiscard]] static Kernel polynomial(int degree, double offset = 1);
  /// Vapnik's linear spline with infinitely many knots on the positive half-axis, a product over the inputs   (KER.7):
  /// 1 + x c + x c min(x,c) - (x+c)/2 min(x,c)^2 + min(x,c)^3/3. It is meant for inputs >= 0. For negative inputs the same formula is
  /// used, as Tipping (2001) does: valid columns of a relevance vector machine, but the kernel is not positive semi-definite there.
  [[nodiscard]] static Kernel spline();
  /// Any function of two points of d inputs each, with a name to show. It has no parameters, need be neither symmetric nor positive
  /// semi-definite, must be safe to call from several threads, and cannot be stored in a file. What it throws passes through.
  /// \throws InvalidArgument  an empty function or an empty name
  [[nodiscard]] static Kernel callable(std::function<double(const double* x, const double* c, Index d)> function, std::string name);

  // A moved-from kernel would be empty; copies cost one reference count.
  Kernel(const Kernel&) = default;
  Kernel& operator=(const Kernel&) = default;
  ~Kernel() = default;

  friend Kernel operator+(const Kernel& a, const Kernel& b);  ///< k_a + k_b   (KER.8)
  friend Kernel operator*(const Kernel& a, const Kernel& b);  ///< k_a k_b   (KER.9)
  /// scale * k   (KER.10). A scale of a scaled kernel is multiplied into it: one parameter.
  /// \throws InvalidArgument  unless scale is positive and finite
  friend Kernel operator*(double scale, const Kernel& kernel);

  /// "gaussian(width=0.5)", "gaussian(widths=[0.5, 2])", "2 * (polynomial(degree=2, offset=1) + linear)": six digits of each number.
  [[nodiscard]] std::string name() const;

  [[nodiscard]] Index num_parameters() const;
  [[nodiscard]] std::vector<double> log_parameters() const;  ///< [num_parameters] ln of each
  /// The same kernel with other parameters.
  /// \throws InvalidArgument  unless there are num_parameters() values, all finite, whose exponentials are positive and finite
  [[nodiscard]] Kernel with_log_parameters(const std::vector<double>& log_parameters) const;

  /// out_ij = k(x_i, c_j). Identical rows give exactly 1 with gaussian, laplacian and cauchy; elsewhere their error is below
  /// (d + 2) 1e-13, wherever the points lie (KER.11). gaussian and laplacian below 1e-304 are 0.
  /// \param X    [n,d] one point a row; finite
  /// \param C    [m,d] one centre a row; finite
  /// \param out  [n,m] overwritten; must not overlap X or C
  /// \throws InvalidArgument  before any work: X or C empty or not finite, different numbers of columns, a number of columns other than
  ///                          the number of widths, out of another shape
  /// O(n m d). Works in tiles of at most 256 x 64; nothing else of the size of the result is allocated.
  void evaluate(const Eigen::Ref<const Matrix>& X, const Eigen::Ref<const Matrix>& C, Eigen::Ref<Matrix> out) const;
  /// out_ij = d k(x_i, c_j) / d ln(parameter), as evaluate().
  /// \param parameter  from 0 to num_parameters() - 1
  void derivative(const Eigen::Ref<const Matrix>& X, const Eigen::Ref<const Matrix>& C, Index parameter, Eigen::Ref<Matrix> out) const;

  /// The kernel as data; from_spec gives the same kernel back, to the last bit.
  /// \throws InvalidArgument  a callable, alone or as a part: a function cannot be stored
  [[nodiscard]] KernelSpec spec() const;
  /// \throws InvalidArgument  an unknown kind, a wrong number of parameters or parts, or a parameter outside its range
  [[nodiscard]] static Kernel from_spec(const KernelSpec& spec);

 private:
  explicit Kernel(std::shared_ptr<const internal::KernelFunction> function) : function_(std::move(function)) {}
  std::shared_ptr<const internal::KernelFunction> function_;
  friend class internal::KernelFunction;
};

Kernel operator+(const Kernel& a, const Kernel& b);
Kernel operator*(const Kernel& a, const Kernel& b);
Kernel operator*(double scale, const Kernel& kernel);

}  // namespace ardvark
