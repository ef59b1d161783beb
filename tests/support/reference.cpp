#include "support/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <vector>

namespace ardvark::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string read_text(const std::string& name) {
  std::ifstream in(data_path(name), std::ios::binary);
  if (!in) throw std::runtime_error("reference file " + data_path(name) + " cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

bool has_data(const std::string& name) { return std::ifstream(data_path(name)).good(); }

Matrix load_matrix(const std::string& name) {
  const std::string text = read_text(name);
  std::vector<double> values;
  Index rows = 0, cols = 0, in_row = 0;
  for (const char* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    values.push_back(std::strtod(at, &end));
    if (end == at) throw std::runtime_error(name + ": row " + std::to_string(rows + 1) + " holds something that is not a number");
    ++in_row;
    at = end;
    if (*at == ',') {
      ++at;
      continue;
    }
    if (*at == '\r') ++at;
    if (*at != '\n' && *at != '\0') throw std::runtime_error(name + ": unexpected text in row " + std::to_string(rows + 1));
    if (rows == 0) cols = in_row;
    if (in_row != cols) throw std::runtime_error(name + ": row " + std::to_string(rows + 1) + " has another number of columns");
    ++rows;
    in_row = 0;
    if (*at == '\n') ++at;
  }
  if (rows == 0) throw std::runtime_error(name + " is empty");
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(values.data(), rows, cols);
}

Vector load_vector(const std::string& name) {
  Matrix m = load_matrix(name);
  if (m.cols() != 1) throw std::runtime_error(name + " has more than one column");
  return m.col(0);
}

double load_number(const std::string& name) {
  const Matrix m = load_matrix(name);
  if (m.size() != 1) throw std::runtime_error(name + " holds more than one number");
  return m(0, 0);
}

int load_count(const std::string& name, const std::string& key) {
  const std::string text = read_text(name);
  const std::size_t at = text.find(key + "=");
  if (at == std::string::npos) throw std::runtime_error(name + " does not say " + key);
  return std::stoi(text.substr(at + key.size() + 1));
}

double relative_difference(double a, double b) {
  if (a == b) return 0;
  const double d = std::abs(a - b) / std::abs(b);
  return std::isnan(d) ? infinity : d;
}

double relative_difference(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return infinity;
  double worst = 0;
  for (Index i = 0; i < a.size(); ++i) worst = std::max(worst, relative_difference(a[i], b[i]));
  return worst;
}

double difference_to_largest(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return infinity;
  double worst = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    worst = std::max(worst, std::isnan(d) ? infinity : d);
  }
  return worst == 0 ? 0 : worst / b.cwiseAbs().maxCoeff();
}

Matrix gaussian_kernel(const Matrix& points, const Matrix& centres, double width) {
  Matrix K(points.rows(), centres.rows() + 1);
  K.col(0).setOnes();
  for (Index j = 0; j < centres.rows(); ++j)
    for (Index i = 0; i < points.rows(); ++i) K(i, j + 1) = std::exp(-(points.row(i) - centres.row(j)).squaredNorm() / (width * width));
  return K;
}

Matrix load_design(const std::string& set, bool test) {
  if (set == "synth_rbf") {  // a file with the kernel matrix on Ripley's points would have 6 MB
    const Matrix centres = load_design("synth").rightCols(2);
    return gaussian_kernel(test ? load_design("synth", true).rightCols(2) : centres, centres, 0.5);
  }
  const std::string X_test = "refs/" + set + "/X_test.csv";
  return load_matrix(test && has_data(X_test) ? X_test : "refs/" + set + "/X.csv");
}

}  // namespace ardvark::testing
