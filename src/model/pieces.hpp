// Predictions of many rows, some at a time.
#pragma once

#include <functional>

#include "ardvark/model.hpp"

namespace ardvark::internal {

/// The predictions of pieces of rows_of_a_piece() rows, as one. \param of_rows  predicts some rows; the kind of the prediction is always
/// the same
[[nodiscard]] Prediction predict_in_pieces(MatrixView X, const std::function<Prediction(MatrixView)>& of_rows);

}  // namespace ardvark::internal
