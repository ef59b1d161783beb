#include "support/precompiled.hpp"

template class Eigen::LLT<Eigen::MatrixXd>;
template class Eigen::LDLT<Eigen::MatrixXd>;
template class Eigen::PartialPivLU<Eigen::MatrixXd>;
template class Eigen::HouseholderQR<Eigen::MatrixXd>;
template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
template Eigen::LLT<Eigen::MatrixXd>& Eigen::LLT<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&);
template Eigen::LDLT<Eigen::MatrixXd>& Eigen::LDLT<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&);
template Eigen::PartialPivLU<Eigen::MatrixXd>& Eigen::PartialPivLU<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&);
template Eigen::HouseholderQR<Eigen::MatrixXd>& Eigen::HouseholderQR<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&);
template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>& Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, int);
