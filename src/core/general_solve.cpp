#include "core/general_solve.hpp"

#include <vector>

#include "core/blas_names.hpp"

extern "C" {
void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
}

namespace ardvark::internal::blas {

bool solve(Matrix A, Matrix& B) {
  const int n = static_cast<int>(A.rows()), columns = static_cast<int>(B.cols());
  if (n == 0 || columns == 0) return true;
  std::vector<int> exchanges(static_cast<std::size_t>(n));
  int info = 0;
  dgesv_(&n, &columns, A.data(), &n, exchanges.data(), B.data(), &n, &info);
  return info == 0;
}

}  // namespace ardvark::internal::blas
