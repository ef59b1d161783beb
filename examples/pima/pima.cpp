// The Pima diabetes data: a fitted ardvark model on new women, compared with maximum likelihood.
//
//     ardvark fit examples/data/Pima.tr.csv --target type --model logistic --prior ard -o pima.ardvark
//     pima pima.ardvark examples/data/Pima.tr.csv examples/data/Pima.te.csv
#include <Eigen/Dense>
#include <cmath>
#include <cstdio>

#include "ardvark/logistic.hpp"
#include "ardvark/model_file.hpp"
#include "ardvark/table.hpp"

namespace {

struct Women {
  ardvark::EncodedTable features;
  ardvark::Vector diabetic;  // 0 or 1
};

Women read(const char* path, const ardvark::FeatureEncoding& encoding) {
  ardvark::Table table = ardvark::read_csv(path);
  Women women;
  women.diabetic = ardvark::column_values(table, table.at("type"));  // the levels, sorted, are No and Yes
  women.features = ardvark::encode(std::move(table), encoding);
  return women;
}

// Maximum likelihood by Newton's method (iteratively reweighted least squares), intercept first.
Eigen::VectorXd maximum_likelihood(const Eigen::MatrixXd& X, const Eigen::VectorXd& t) {
  Eigen::VectorXd w = Eigen::VectorXd::Zero(X.cols());
  for (int step = 0; step < 30; ++step) {
    const Eigen::ArrayXd p = 1 / (1 + (-(X * w).array()).exp());
    const Eigen::MatrixXd H = X.transpose() * (p * (1 - p)).matrix().asDiagonal() * X;
    const Eigen::VectorXd change = H.ldlt().solve(X.transpose() * (t.array() - p).matrix());
    w += change;
    if (change.norm() < 1e-10 * w.norm()) break;
  }
  return w;
}

Eigen::MatrixXd with_ones(ardvark::MatrixView X) {
  Eigen::MatrixXd out(X.rows(), X.cols() + 1);
  out.col(0).setOnes();
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    for (Eigen::Index j = 0; j < X.cols(); ++j) out(i, j + 1) = X(i, j);
  return out;
}

double accuracy(const Eigen::VectorXd& p, const Eigen::VectorXd& t) {
  return ((p.array() > 0.5).cast<double>() == t.array()).cast<double>().mean();
}
double log_loss(const Eigen::VectorXd& p, const Eigen::VectorXd& t) {
  return -(t.array() * p.array().log() + (1 - t.array()) * (1 - p.array()).log()).mean();
}

// For the women with a predicted probability between these bounds: their number, the mean prediction, and the share that is diabetic.
void calibration_line(double from, double to, const Eigen::VectorXd& p, const Eigen::VectorXd& t) {
  double count = 0, said = 0, found = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i)
    if (p[i] >= from && p[i] < to) {
      count += 1;
      said += p[i];
      found += t[i];
    }
  if (count == 0)
    std::printf("%8s  %6s  %6s", "0", "-", "-");
  else
    std::printf("%8.0f  %6.3f  %6.3f", count, said / count, found / count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: pima MODEL TRAINING.csv TEST.csv\n");
    return 2;
  }
  try {
    const ardvark::SavedModel saved = ardvark::load_model(argv[1]);
    ardvark::LogisticFit fit;
    static_cast<ardvark::Fit&>(fit) = *saved.score();
    const Women training = read(argv[2], saved.encoding), test = read(argv[3], saved.encoding);

    const Eigen::VectorXd bayes = ardvark::predict(fit, test.features.X()).probability;
    const Eigen::VectorXd w = maximum_likelihood(with_ones(training.features.X()), training.diabetic);
    const Eigen::VectorXd ml = 1 / (1 + (-(with_ones(test.features.X()) * w).array()).exp());
    const Eigen::VectorXd& t = test.diabetic;

    std::printf("%-22s %28s %28s\n", "", "ardvark", "maximum likelihood");
    std::printf("%-22s %28.4f %28.4f\n", "accuracy", accuracy(bayes, t), accuracy(ml, t));
    std::printf("%-22s %28.4f %28.4f\n", "log loss (nats)", log_loss(bayes, t), log_loss(ml, t));
    std::printf("\n%-22s %8s  %6s  %6s      %8s  %6s  %6s\n", "calibration", "women", "said", "found", "women", "said", "found");
    const double edges[] = {0, 0.1, 0.25, 0.5, 0.75, 1.0000001};
    for (int b = 0; b < 5; ++b) {
      std::printf("probability %.2f-%.2f  ", edges[b], std::min(edges[b + 1], 1.0));
      calibration_line(edges[b], edges[b + 1], bayes, t);
      std::printf("      ");
      calibration_line(edges[b], edges[b + 1], ml, t);
      std::printf("\n");
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "pima: %s\n", e.what());
    return 1;
  }
}
