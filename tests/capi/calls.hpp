// Calls of the C interface that must succeed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "../support/handles.hpp"
#include "ardvark/ardvark.h"
#include "ardvark/model.hpp"

namespace ardvark {

using Options = testing::Owned<ardvark_options>;
using Model = testing::Owned<ardvark_model>;
using Result = testing::Owned<ardvark_result>;
using Filter = testing::Owned<ardvark_sequential>;

inline ardvark_error empty_error() {
  ardvark_error error = {};
  error.struct_size = sizeof error;
  return error;
}

inline Options options_of(const std::vector<std::pair<const char*, const char*>>& texts) {
  Options options(ardvark_options_create());
  for (const auto& [name, value] : texts) {
    ardvark_error error = empty_error();
    EXPECT_EQ(ardvark_options_set_text(options.get(), name, value, &error), ARDVARK_OK) << error.message;
  }
  return options;
}

inline ardvark_matrix view(const Matrix& X) { return {sizeof(ardvark_matrix), X.data(), ARDVARK_FLOAT64, X.rows(), X.cols(), 1, X.rows()}; }

inline Model fitted(const ardvark_matrix& X, const Vector& y, const Options& options) {
  ardvark_error error = empty_error();
  ardvark_model* model = nullptr;
  EXPECT_EQ(ardvark_fit(&X, y.data(), options.get(), &model, &error), ARDVARK_OK) << error.message;
  return Model(model);
}

inline Result result_of(const Model& model) {
  ardvark_error error = empty_error();
  ardvark_result* result = nullptr;
  EXPECT_EQ(ardvark_model_result(model.get(), nullptr, &result, &error), ARDVARK_OK) << error.message;
  return Result(result);
}

/// A result as the library writes it.
inline std::string json_of(const Result& result, const char* name) {
  ardvark_error error = empty_error();
  char* text = nullptr;
  EXPECT_EQ(ardvark_result_json(result.get(), name, &text, &error), ARDVARK_OK) << error.message;
  std::string out = text;
  ardvark_free(text);
  return out;
}

}  // namespace ardvark
