// A fit by passes depends on the rows alone, to the last bit.                                                                      (ST.2)
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "ardvark/fit.hpp"
#include "ardvark/kernel_machine.hpp"
#include "ardvark/row_pass.hpp"
#include "ardvark/softmax.hpp"

namespace ardvark::testing {

template <typename Numbers>
void add_bits(const Numbers& numbers, std::string& out) {
  for (const auto& number : numbers) out += fmt::format("{:a} ", static_cast<double>(number));
}

inline std::string bits_of(const Fit& fit) {
  std::string out;
  add_bits(std::initializer_list<double>{fit.bound, fit.log_loss, fit.accuracy, fit.lambda}, out);
  add_bits(fit.mean, out), add_bits(fit.variance, out);
  if (fit.lambda_choice) add_bits(fit.lambda_choice->loss, out), add_bits(fit.lambda_choice->loss_error, out);
  return out;
}

inline std::string bits_of(const SoftmaxFit& fit) {
  std::string out;
  add_bits(std::initializer_list<double>{fit.bound, fit.log_loss, fit.accuracy}, out);
  add_bits(fit.mean.reshaped(), out), add_bits(fit.variance.reshaped(), out);
  return out;
}

inline std::string bits_of(const KernelFit& fit) {
  std::string out;
  add_bits(std::initializer_list<double>{fit.log_evidence, fit.r_squared, fit.log_loss, fit.accuracy, fit.odds_power}, out);
  for (const KernelProcess& process : fit.processes) add_bits(process.points[0].mean, out);
  add_bits(fit.relevance_rows, out);
  return out;
}

/// Whatever the pieces, the order of the numbers in memory, the threads, and whether questions and answers are sent as bytes.
/// \param table  X, y, weights, and rows(size): the rows in pieces
/// \param fit    of a function that answers questions, and options
template <typename Rows, typename Options, typename FitRows>
void expect_same_bits(const Rows& table, Options options, const FitRows& fit) {
  const std::string whole = bits_of(fit(table.rows(table.y.size()), options));
  options.threads = 2;
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = table.X;
  const AskRows of_rows = rows_from([&](const TakeRows& take) {
    for (Index first = 0; first < by_rows.rows(); first += 9000) {
      const Index some = std::min<Index>(9000, by_rows.rows() - first);
      const VectorView weights = table.weights.size() > 0 ? VectorView(table.weights.data() + first, some) : VectorView();
      take(MatrixView(by_rows).row_range(first, some), VectorView(table.y.data() + first, some), weights);
    }
  });
  EXPECT_EQ(bits_of(fit(of_rows, options)), whole) << "pieces of 9000 rows, row by row in memory, 2 threads";
  options.threads = 8;
  const AskRows as_bytes = [ask = table.rows(1000)](const RowQuestion& asked) {
    const RowQuestion question = RowQuestion::from_bytes(asked.to_bytes());
    EXPECT_EQ(question.to_bytes(), asked.to_bytes());
    return RowSums::from_bytes(ask(question).to_bytes());
  };
  EXPECT_EQ(bits_of(fit(as_bytes, options)), whole) << "pieces of 1000 rows, sent as bytes, 8 threads";
}

}  // namespace ardvark::testing
