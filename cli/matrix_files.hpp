// fit and predict of files that hold a matrix without names of columns: Matrix Market, svmlight, NumPy and SciPy.
#pragma once

#include <string>
#include <vector>

#include "fit.hpp"
#include "io/matrix_file.hpp"

namespace ardvark::cli {

/// Of --index-base, for the help.
inline constexpr const char* about_index_base =
    "svmlight: the number of the first column in the file: auto, 0 or 1. auto is 0 if the file has an index 0, otherwise 1, and says so; "
    "in predict, it is that of the model";

/// Whether the first file is one.
[[nodiscard]] bool are_matrix_files(const std::vector<std::string>& files);
/// \throws InvalidArgument  there are several, which would be one table
void require_one_matrix(const std::vector<std::string>& files);

/// The model that the target suggests, if the command line does not say it. \returns what to say of it
[[nodiscard]] std::string choose_model_by(FitArguments& args, bool is_text, const Vector& target);

/// The matrix for a model that was fitted to one.
/// \throws InvalidArgument  the model was fitted to a table with names; svmlight without a word on its base, as read_svmlight
[[nodiscard]] internal::io::MatrixFile matrix_for_prediction(const std::string& path, const SavedModel& model,
                                                             const std::string& index_base);
[[nodiscard]] Prediction predict_matrix(const SavedModel& model, const internal::io::MatrixFile& file, const ModelOptions& options);

[[nodiscard]] int fit_matrix(FitArguments args);

}  // namespace ardvark::cli
