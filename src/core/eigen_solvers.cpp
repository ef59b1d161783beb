#include "core/eigen_solvers.hpp"

template class Eigen::LLT<ardvark::Matrix>;
template class Eigen::SelfAdjointEigenSolver<ardvark::Matrix>;
template class Eigen::JacobiSVD<ardvark::Matrix>;

template Eigen::LLT<ardvark::Matrix>& Eigen::LLT<ardvark::Matrix>::compute(const Eigen::EigenBase<ardvark::Matrix>&);
template Eigen::SelfAdjointEigenSolver<ardvark::Matrix>& Eigen::SelfAdjointEigenSolver<ardvark::Matrix>::compute(
    const Eigen::EigenBase<ardvark::Matrix>&, int);
