// The state of a sequential filter as bytes, in the layout of a model file.

#include "io/safetensors.hpp"
#include "method/sequential/sequential.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr const char* format_name = "ardvark-sequential";
constexpr int newest_version = 2, first_with_checksum = 2;  // 1 had no checksums
constexpr const char* scalars = "scalars";                  // in this order:
enum At { block, threads, precision, rows, log_det, quadratic, prior_log_det, sum_xi, not_converged, num_scalars };

}  // namespace

std::string SequentialLogistic::to_bytes() const {
  const State& s = *state_;
  Vector values(num_scalars);
  values << static_cast<double>(s.block), s.threads, s.precision, static_cast<double>(s.num_rows), s.log_det_V, s.quadratic,
      s.prior_log_det, s.sum_xi, static_cast<double>(s.not_converged);
  io::SafetensorsWriter file;
  file.metadata = {{"format", format_name}, {"format_version", std::to_string(newest_version)}};
  file.add_vector(scalars, values);
  file.add_vector("mean", s.w);
  file.add_matrix("V", s.V);
  file.add_checksums();
  return file.bytes();
}

SequentialLogistic SequentialLogistic::from_bytes(std::string_view bytes) {
  const io::SafetensorsReader file(bytes, "the bytes given");
  io::check_format(file, format_name, newest_version, first_with_checksum);
  const Vector values = file.vector(scalars), w = file.vector("mean");
  const Matrix V = file.matrix("V");
  const auto is_between = [&](At what, double least, double limit) { return values[what] >= least && values[what] < limit; };
  const bool sound = values.size() == num_scalars && values.allFinite() && w.size() > 0 && V.rows() == w.size() && V.cols() == w.size() &&
                     w.allFinite() && V.allFinite() && (V.diagonal().array() > 0).all() && is_between(block, 1, 1e9) &&
                     is_between(threads, 0, 1e6) && values[At::precision] > 0 && is_between(rows, 0, 1e15) &&
                     is_between(not_converged, 0, 1e15);
  if (!sound) throw InvalidArgument("the bytes given do not hold the state of a sequential filter");
  SequentialLogistic filter(w.size(), {values[At::precision], static_cast<Index>(values[block]), static_cast<int>(values[threads])});
  State& s = *filter.state_;
  s.num_rows = static_cast<Index>(values[At::rows]);
  s.w = w;
  s.V = V;
  s.log_det_V = values[At::log_det];
  s.quadratic = values[quadratic];
  s.prior_log_det = values[prior_log_det];
  s.sum_xi = values[sum_xi];
  s.not_converged = static_cast<Index>(values[not_converged]);
  return filter;
}

}  // namespace ardvark
