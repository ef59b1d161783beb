// Selection counts as readable text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/select.hpp"
#include "core/refusals.hpp"
#include "io/text.hpp"
#include "target/target.hpp"

namespace ardvark {

using namespace internal;

namespace {

using io::padded;

std::string with_sd(const SelectionSpread& s, int decimals) {
  const std::string mean = fmt::format("{:.{}f}", s.mean, decimals);
  return std::isnan(s.sd) ? mean : fmt::format("{}, sd over repeats {:.{}f}", mean, s.sd, decimals);
}

}  // namespace

std::string summary(const SelectionCounts& counts, Index top) {
  if (top < 0) throw wrong("top", top, "it must be 0 or more");
  std::string out = fmt::format("Selection counts{}: {} fits ({} folds, {} {}, seed {})\n",
                                counts.method.empty() ? "" : fmt::format(" ({})", counts.method), counts.num_fits(), counts.folds,
                                counts.repeats, counts.repeats == 1 ? "repeat" : "repeats", counts.seed);
  std::string classes;
  for (std::size_t c = 0; c < counts.classes.size(); ++c)
    classes +=
        fmt::format("{}{} ({:.10g} rows)", c > 0 ? ", " : "", io::printable(counts.classes[c]), counts.class_weight[static_cast<Index>(c)]);
  const bool linear = has_noise(counts.task);
  if (!linear)
    out += fmt::format("{}: {}\n", counts.target.empty() ? "classes" : "target " + io::printable(counts.target), classes);
  else if (!counts.target.empty())
    out += fmt::format("target {}\n", io::printable(counts.target));

  std::vector<Index> order = ranking(counts);
  const Index survived = std::count_if(counts.count.begin(), counts.count.end(), [](Index c) { return c > 0; });
  order.resize(static_cast<std::size_t>(std::min(top, survived)));
  std::size_t width = 7;
  const auto name = [&](Index j) { return io::printable(counts.column_names[static_cast<std::size_t>(j)]); };
  for (const Index j : order) width = std::max(width, io::width(name(j)));
  if (!order.empty()) out += fmt::format("\n  {}  {:>8}  {:>6}  {:>8}\n", padded("feature", width), "survived", "share", "SC-value");
  for (const Index j : order)
    out += fmt::format("  {}  {:>8}  {:>6.3f}  {:>8.2f}\n", padded(name(j), width), counts.count[static_cast<std::size_t>(j)],
                       counts.share[j], counts.sc_value[j]);
  const Index more = survived - static_cast<Index>(order.size());
  if (more > 0) out += fmt::format("  ... and {} more that survived at least once\n", more);
  out += fmt::format("\nnever survived        {} of {}\n", counts.num_columns() - survived, counts.num_columns());
  out += fmt::format("survivors per fit     {}\n", with_sd(counts.num_survivors, 1));
  out += fmt::format("{}{}, standard error {:.4f} (chance {:.4f})\n", linear ? "R^2, new rows         " : "accuracy              ",
                     with_sd(counts.accuracy, 4), counts.accuracy_error, counts.chance_accuracy);
  out += fmt::format("log loss              {}, standard error {:.4f} (chance {:.4f})\n", with_sd(counts.log_loss, 4),
                     counts.log_loss_error, counts.chance_log_loss);
  out += fmt::format("status                {}: {}\n", to_string(counts.status), counts.message);
  for (const std::string& note : counts.notes) out += fmt::format("note                  {}\n", io::printable(note));
  for (const std::string& warning : counts.warnings) out += fmt::format("WARNING               {}\n", io::printable(warning));
  return out;
}

}  // namespace ardvark
