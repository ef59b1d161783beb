// The implementation of a Kernel: one class per formula of docs/math/kernels.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ardvark/kernel.hpp"

namespace ardvark::internal {

/// Points, one per row: a block of rows of X or C.
using Points = Eigen::Ref<const Matrix>;

/// A kernel on one tile: Kernel::evaluate cuts the matrix into tiles that stay in the cache, so a sum or product of kernels needs no
/// second full matrix. Arguments are checked before; K has the shape of the tile.
class KernelFunction {
 public:
  virtual ~KernelFunction() = default;
  virtual void value(const Points& X, const Points& C, Matrix& K) const = 0;
  virtual void derivative(const Points& X, const Points& C, Index parameter, Matrix& D) const = 0;

  /// For a kernel k(u) of the squared distance u in units of its widths: U = u. False for another kernel: it leaves U as it is.
  virtual bool squared_distances(const Points& X, const Points& C, Matrix& U) const {
    (void)X, (void)C, (void)U;
    return false;
  }
  /// For such a kernel: u <- k(u). If fall is not null, it becomes -k'(u), 0 at u = 0 if that is infinite.
  /// \param u, fall  [size]
  virtual bool of_squared_distances(double* u, double* fall, Index size) const {
    (void)u, (void)fall, (void)size;
    return false;
  }

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual KernelSpec spec() const = 0;
  [[nodiscard]] virtual std::vector<double> parameters() const { return {}; }
  /// \throws InvalidArgument unless every parameter is positive and finite.
  [[nodiscard]] virtual Kernel with_parameters(const std::vector<double>& parameters) const = 0;
  /// \throws InvalidArgument unless the kernel can be used with d inputs.
  virtual void check_inputs(Index d) const { (void)d; }

  [[nodiscard]] static Kernel make(std::shared_ptr<const KernelFunction> function) { return Kernel(std::move(function)); }
  [[nodiscard]] static const KernelFunction& of(const Kernel& kernel) { return *kernel.function_; }
};

/// K <- A B' by the matrix product; K is resized.
void inner_products(const Matrix& A, const Matrix& B, Matrix& K);

/// Whether a kernel of this kind is a function of the distance, with one width, or one for each input.
[[nodiscard]] bool is_distance_kernel(const std::string& kind);
/// \param kind  of a distance kernel. \throws InvalidArgument  unless every width is positive and finite
[[nodiscard]] Kernel of_distance_kernel(const std::string& kind, std::vector<double> widths);

}  // namespace ardvark::internal
