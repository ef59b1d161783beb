#include "support/random_problem.hpp"

namespace ardvark::testing {

Vector Random::normals(Index size) {
  Vector v(size);
  for (double& x : v) x = normal();
  return v;
}

Matrix Random::normals(Index rows, Index cols) {
  Matrix M(rows, cols);
  for (Index j = 0; j < cols; ++j) M.col(j) = normals(rows);
  return M;
}

Partition make_partition(std::vector<Index> group, const Vector& fixed_precision) {
  Partition partition;
  bool any_fixed = false;
  for (std::size_t j = 0; j < group.size(); ++j) {
    const Index g = group[j];
    if (g == Partition::flat) partition.flat_columns.push_back(static_cast<Index>(j));
    if (g == Partition::fixed) any_fixed = true;
    if (g >= partition.num_groups()) partition.group_size.resize(static_cast<std::size_t>(g) + 1, 0);
    if (g >= 0) ++partition.group_size[static_cast<std::size_t>(g)];
  }
  partition.group = std::move(group);
  if (any_fixed) partition.fixed_precision = fixed_precision;
  return partition;
}

Partition ard_partition(Index p) {
  std::vector<Index> group(static_cast<std::size_t>(p));
  for (Index j = 0; j < p; ++j) group[static_cast<std::size_t>(j)] = j;
  return make_partition(std::move(group));
}

Posterior sized_posterior(const Partition& partition, Index rows) {
  Posterior q;
  q.w = q.V_diagonal = Vector::Zero(partition.num_columns());
  q.m = q.s = Vector::Zero(rows);
  q.group_square = q.group_variance = Vector::Zero(partition.num_groups());
  return q;
}

Problem make_problem(std::uint64_t seed, Index n, Index p, double noise) {
  Random random(seed);
  Problem problem{random.normals(n, p), {}, Vector::Zero(n)};
  Vector w = Vector::Zero(p);
  for (Index j = 0; j < p; ++j)
    if (j % 3 == 0) w[j] = random.uniform(0.5, 2) * (random.chance(0.5) ? 1 : -1);
  const Vector signal = problem.X * w;
  problem.y = signal.array() + 0.7 + noise * random.normals(n).array();
  for (Index i = 0; i < n; ++i) problem.labels[i] = random.uniform() < 1 / (1 + std::exp(-signal[i] - 0.3)) ? 1 : -1;
  if (n > 1) {
    problem.labels[0] = -1;
    problem.labels[n - 1] = 1;
  }
  return problem;
}

}  // namespace ardvark::testing
