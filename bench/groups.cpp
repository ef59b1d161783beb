// Text columns with many levels, whose dummies are a group: seconds of the default prior, sparse, and of ARD on the same table.
//   bench_groups [ROWS]
// Processor seconds of the program on such tables, 20,000 rows, reading included, OPENBLAS_NUM_THREADS=1, on a busy machine:
//                               linear   before   two classes   before
//   1000 levels                    2.1      2.3           5.5      8.3
//   1000 levels, 5 numeric         1.4      1.5          10.7   not ended after 130 s by the clock
//   1000 levels, 20 numeric        1.4      1.6          11.3      -
//   1000 and 300 levels            8.6     > 64          28.4      -
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "ardvark/linear.hpp"
#include "ardvark/logistic.hpp"

namespace {

using namespace ardvark;

struct Table {
  std::string name;
  Matrix X;
  Vector y, two;
  std::vector<Index> group;
};

// Each level has an effect, and four of the numeric columns have one. `uneven`: the share of level l falls as (l + 1)^-1.3.
Table table(std::string name, Index n, const std::vector<Index>& levels, Index numeric, bool uneven) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Table out{std::move(name), {}, Vector::Zero(n), Vector(n), {}};
  Index p = numeric;
  for (const Index count : levels) p += count - 1;
  out.X = Matrix::Zero(n, p);
  Index first = 0, group = 0;
  for (const Index count : levels) {
    std::vector<double> share, effect;
    for (Index l = 0; l < count; ++l) {
      share.push_back(uneven ? std::pow(static_cast<double>(l + 1), -1.3) : 1);
      effect.push_back(0.5 * normal(random));
    }
    std::discrete_distribution<Index> draw(share.begin(), share.end());
    for (Index i = 0; i < n; ++i) {
      const Index level = draw(random);
      if (level > 0) out.X(i, first + level - 1) = 1;
      out.y[i] += effect[static_cast<std::size_t>(level)];
    }
    out.group.insert(out.group.end(), static_cast<std::size_t>(count - 1), group++);
    first += count - 1;
  }
  for (Index j = 0; j < numeric; ++j) {
    for (Index i = 0; i < n; ++i) out.X(i, first + j) = normal(random);
    if (j < 4) out.y += (1.0 - 0.25 * static_cast<double>(j)) * out.X.col(first + j);
    out.group.push_back(group++);
  }
  for (Index i = 0; i < n; ++i) {
    const double eta = 2 * out.y[i];
    out.two[i] = std::uniform_real_distribution<double>()(random) < 1 / (1 + std::exp(-eta)) ? 1 : 0;
    out.y[i] += normal(random);
  }
  return out;
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <typename Call>
void compare(const Table& t, const char* task, Call&& call) {
  Prior sparse = Prior::sparse();
  sparse.group = t.group;
  double seconds[2], processor[2];
  std::string status[2];
  for (int which = 0; which < 2; ++which) {
    const double before = processor_seconds();
    const auto fit = call(FitOptions{.prior = which == 0 ? sparse : Prior::ard()});
    processor[which] = processor_seconds() - before;
    seconds[which] = fit.report.seconds;
    status[which] = to_string(fit.report.status);
  }
  fmt::print("{:<28} {:<10} {:>6} x {:<5} sparse {:>7.2f} s ({:>7.2f} of processors, {}), ARD {:>7.2f} s, ratio {:.2f}\n", t.name, task,
             t.X.rows(), t.X.cols(), seconds[0], processor[0], status[0], seconds[1], seconds[0] / seconds[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const ardvark::Index n = argc > 1 ? std::atoll(argv[1]) : 20000;
  const auto both = [](const Table& t) {
    compare(t, "linear", [&](const FitOptions& options) { return fit_linear(t.X, t.y, options); });
    compare(t, "two classes", [&](const FitOptions& options) { return fit_logistic(t.X, t.two, options); });
  };
  both(table("1000 levels", n, {1000}, 0, false));
  both(table("1000 uneven levels", n, {1000}, 0, true));
  both(table("1000 levels, 5 numeric", n, {1000}, 5, false));
  both(table("1000 levels, 20 numeric", n, {1000}, 20, false));
  both(table("1000 and 300 levels", n, {1000, 300}, 0, false));
}
