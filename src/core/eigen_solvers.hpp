// Eigen's decompositions of dense matrices, compiled once (eigen_solvers.cpp) and not in each file that uses them.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "ardvark/types.hpp"

extern template class Eigen::LLT<ardvark::Matrix>;
extern template class Eigen::SelfAdjointEigenSolver<ardvark::Matrix>;
extern template class Eigen::JacobiSVD<ardvark::Matrix>;
// Members that are templates of their own are not among those of the class.
extern template Eigen::LLT<ardvark::Matrix>& Eigen::LLT<ardvark::Matrix>::compute(const Eigen::EigenBase<ardvark::Matrix>&);
extern template Eigen::SelfAdjointEigenSolver<ardvark::Matrix>& Eigen::SelfAdjointEigenSolver<ardvark::Matrix>::compute(
    const Eigen::EigenBase<ardvark::Matrix>&, int);
