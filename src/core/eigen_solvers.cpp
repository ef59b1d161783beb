#include "core/eigen_solvers.hpp"

template class Eigen::LLT<ardvark::Matrix>;
template class Eigen::SelfAdjointEigenSolver<ardvark::Matrix>;
template class Eigen::JacobiSVD<ardvark::Matrix>;
