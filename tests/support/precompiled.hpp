// Headers of other projects that almost all tests include (tests/CMakeLists.txt). A test still includes all that it needs, because other
// builds do not use this file.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

// Compiled once, in precompiled.cpp.
extern template class Eigen::LLT<Eigen::MatrixXd>;
extern template class Eigen::LDLT<Eigen::MatrixXd>;
extern template class Eigen::PartialPivLU<Eigen::MatrixXd>;
extern template class Eigen::HouseholderQR<Eigen::MatrixXd>;
extern template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
// Members that are templates of their own are not among those of the class.
extern template Eigen::LLT<Eigen::MatrixXd>& Eigen::LLT<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&);
extern template Eigen::LDLT<Eigen::MatrixXd>& Eigen::LDLT<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&);
extern template Eigen::PartialPivLU<Eigen::MatrixXd>& Eigen::PartialPivLU<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);
extern template Eigen::HouseholderQR<Eigen::MatrixXd>& Eigen::HouseholderQR<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);
extern template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, int);
