#include "engine/toolbox_units.hpp"

#include <cmath>

namespace ardvark {

ToolboxUnits toolbox_units(MatrixView X) {
  const Index p = X.cols();
  ToolboxUnits out;
  Standardization& s = out.standardization;
  s.center.resize(p);
  s.scale.resize(p);
  out.left_out.assign(static_cast<std::size_t>(p), false);
  DenseDesign raw(X, {});
  Matrix x(X.rows(), 1);
  for (Index j = 0; j < p; ++j) {
    raw.columns(j, 1, x);
    s.center[j] = x.mean();
    const double largest = (x.array() - s.center[j]).abs().maxCoeff();
    const bool varies = largest > 1e-14 * std::abs(s.center[j]) && std::isfinite(1 / largest);
    s.scale[j] = varies ? 1 / largest : 0;
    out.left_out[static_cast<std::size_t>(j)] = !varies;
  }
  return out;
}

}  // namespace ardvark
