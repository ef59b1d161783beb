#include "design/table_design.hpp"

#include <utility>

#include "design/csc.hpp"
#include "design/dense.hpp"
#include "design/genotypes.hpp"

namespace ardvark::internal {

std::unique_ptr<TableDesign> table_design(MatrixView X, Standardization standardization, std::shared_ptr<double[]> memory) {
  return std::make_unique<DenseDesign>(X, std::move(standardization), std::move(memory));
}

std::unique_ptr<TableDesign> table_design(const CscView& X, Standardization standardization) {
  return std::make_unique<CscDesign>(X, std::move(standardization));
}

std::unique_ptr<TableDesign> table_design(const GenotypeView& X, Standardization standardization) {
  return std::make_unique<GenotypeDesign>(X, std::move(standardization));
}

Matrix read_table(MatrixView X, const Standardization& standardization) {
  Matrix out(X.rows(), X.cols());
  table_design(X, standardization)->columns(0, X.cols(), out);
  return out;
}

}  // namespace ardvark::internal
