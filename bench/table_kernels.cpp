// The products that fits ask of a table in the form in which it lies, beside bare BLAS on the same numbers in doubles or floats.
//   bench_table_kernels [ROWS COLUMNS]
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "core/blas.hpp"
#include "core/simd.hpp"
#include "design/some_products.hpp"
#include "table/fit_table.hpp"

namespace {

using namespace ardvark;
using namespace ardvark::internal;

// Processor seconds of the fastest of three calls.
double seconds(auto&& call) {
  double least = 1e30;
  for (int round = 0; round < 3; ++round) {
    const std::clock_t before = std::clock();
    call();
    least = std::min(least, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  return least;
}

struct Times {
  double project, project_eight, project_eight_in_single, apply, moments, row_gram;
};

Times times_of(const FitTable& X) {
  const Index n = X.rows();
  Vector center, scale;
  Times out{};
  out.moments = seconds([&] { X.moments(Vector::Ones(n), true, center, scale); });
  const auto design = X.design({center, scale.cwiseInverse(), false});
  const Vector r = Vector::LinSpaced(n, -1, 1), w = Vector::LinSpaced(X.cols(), -1, 1);
  const Matrix R = Matrix::Random(n, 8);
  Vector projected(X.cols()), applied(n);
  Matrix several, K;
  out.project = seconds([&] { design->project(r, projected); });
  out.project_eight = seconds([&] { design->project_several(R, several); });
  out.project_eight_in_single = seconds([&] { project_in_single(*design, R, several); });
  out.apply = seconds([&] { design->apply(w, applied); });
  out.row_gram = seconds([&] { design->row_gram(K); });
  return out;
}

// gemv, gemm with eight columns (also beside single precision), gemv, two passes of gemv, syrk: bare calls on numbers that are there
// already.
Times times_of_blas(const Matrix& X) {
  const Index n = X.rows(), p = X.cols();
  Vector r = Vector::Ones(n), w = Vector::Ones(p);
  Matrix R = Matrix::Ones(n, 8), several(p, 8), K(n, n);
  using blas::Transpose;
  const double project = seconds([&] { blas::gemv(Transpose::yes, n, p, 1.0, X.data(), n, r.data(), 0.0, w.data()); });
  const double eight =
      seconds([&] { blas::gemm(Transpose::yes, Transpose::no, p, 8, n, 1.0, X.data(), n, R.data(), n, 0.0, several.data(), p); });
  return {project,     eight,
          eight,       seconds([&] { blas::gemv(Transpose::no, n, p, 1.0, X.data(), n, w.data(), 0.0, r.data()); }),
          2 * project, seconds([&] { blas::syrk(Transpose::no, n, p, 1.0, X.data(), n, 0.0, K.data(), n); })};
}

void print(const char* form, const Times& t, const Times& blas) {
  fmt::print("{:<24}", form);
  for (const auto member :
       {&Times::project, &Times::project_eight, &Times::project_eight_in_single, &Times::apply, &Times::moments, &Times::row_gram})
    fmt::print("{:>9.4f} ({:>5.2f})", t.*member, t.*member / blas.*member);
  fmt::print("\n");
}

template <typename T>
struct Csc {
  std::vector<std::int32_t> start = {0}, row;
  std::vector<T> value;
  [[nodiscard]] CscView view(Index rows) const {
    return {start.data(), row.data(), value.data(), rows, static_cast<Index>(start.size()) - 1};
  }
};

template <typename T>
void sparse_times(Index n, Index p, double density, std::mt19937_64& random) {
  Csc<T> X;
  std::geometric_distribution<Index> skip(density);
  for (Index j = 0; j < p; ++j) {
    for (Index i = skip(random); i < n; i += 1 + skip(random)) {
      X.row.push_back(static_cast<std::int32_t>(i));
      X.value.push_back(static_cast<T>(1 + (i + j) % 3));
    }
    X.start.push_back(static_cast<std::int32_t>(X.row.size()));
  }
  const Times t = times_of(X.view(n));
  const double entries = static_cast<double>(X.row.size());
  fmt::print(
      "{:.3g} entries ({:.2g}): project {:.4f}, eight {:.4f}, in single {:.4f}, apply {:.4f}, moments {:.4f}, row Gram {:.4f} s; {:.2f} ns "
      "an entry\n",
      entries, density, t.project, t.project_eight, t.project_eight_in_single, t.apply, t.moments, t.row_gram, 1e9 * t.project / entries);
}

}  // namespace

int main(int argc, char** argv) {
  const Index n = argc > 2 ? std::atoll(argv[1]) : 1000, p = argc > 2 ? std::atoll(argv[2]) : 10000;
  const blas::ThreadScope one(1);
  std::mt19937_64 random(1);
  std::binomial_distribution<int> genotype(2, 0.3);
  using Bytes = Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic>;
  Bytes bytes(n, p);
  for (std::int8_t& x : bytes.reshaped()) x = static_cast<std::int8_t>(genotype(random));
  fmt::print("{} x {}, {}; processor seconds, one core (and their ratio to bare BLAS in double)\n", n, p, simd::name(simd::level()));
  fmt::print("{:<24}{:>17}{:>17}{:>17}{:>17}{:>17}{:>17}\n", "", "X'r", "X'R, eight", "in single", "Xw", "moments", "row Gram");
  Times blas{};
  {
    const Matrix doubles = bytes.cast<double>();
    blas = times_of_blas(doubles);
    print("bare BLAS, double", blas, blas);
    print("double", times_of(MatrixView(doubles)), blas);
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = doubles;
    print("double, row-major", times_of(MatrixView(by_row)), blas);
  }
  {
    const Eigen::MatrixXf floats = bytes.cast<float>();
    Eigen::MatrixXf K(n, n);
    const double syrk = seconds([&] { blas::syrk(blas::Transpose::no, n, p, 1.0F, floats.data(), n, 0.0F, K.data(), n); });
    fmt::print("{:<109}{:>9.4f} ({:>5.2f})\n", "bare BLAS, float", syrk, syrk / blas.row_gram);
    print("float", times_of(MatrixView(floats)), blas);
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = floats;
    print("float, row-major", times_of(MatrixView(by_row)), blas);
  }
  print("int8", times_of(MatrixView(bytes)), blas);
  const Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_row = bytes;
  print("int8, row-major", times_of(MatrixView(by_row)), blas);
  fmt::print("\nsparse, {} x {}\n", n, p);
  for (const double density : {0.005, 0.05}) sparse_times<double>(n, p, density, random);
  sparse_times<std::int8_t>(n, p, 0.05, random);
}
