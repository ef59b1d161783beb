// A fit as a drawing of characters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ardvark/plot.hpp"
#include "core/refusals.hpp"
#include "io/column_unit.hpp"
#include "io/summary_text.hpp"
#include "io/text.hpp"
#include "report/chart.hpp"
#include "report/curves.hpp"
#include "report/sections.hpp"

namespace ardvark {

using namespace internal;
using namespace internal::report;

namespace {

using io::number;

constexpr int least_width = 20;

// A name in a column of this width; a long one ends with a full stop. ASCII: other characters count as one.
std::string fitted_name(const std::string& name, std::size_t to) {
  const std::string shown = io::printable(name);
  if (io::width(shown) <= to) return io::padded(shown, to);
  std::string cut = shortened(shown, to);
  cut.resize(cut.size() - std::string("\u2026").size());
  return cut + ".";
}

std::string without_blanks_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// Numbers below an axis: at its ends and, where there is room, at zero.
std::string axis_labels(const Scale& x, std::size_t offset, std::size_t width) {
  std::string line(offset + width, ' ');
  const auto put = [&](const std::string& label, std::size_t at) {
    const std::size_t begin = std::min(at, offset + width > label.size() ? offset + width - label.size() : 0);
    const std::size_t from = begin > 0 ? begin - 1 : 0;
    if (line.find_first_not_of(' ', from) < std::min(begin + label.size() + 1, line.size())) return;
    line.replace(begin, std::min(label.size(), line.size() - begin), label, 0, std::min(label.size(), line.size() - begin));
  };
  put(fmt::format("{:.3g}", x.low), offset);
  put(fmt::format("{:.3g}", x.high), offset + width);
  if (x.low < 0 && x.high > 0) put("0", offset + static_cast<std::size_t>(std::lround(x(0))));
  return without_blanks_at_end(line);
}

// Each interval in a line of its own: |--o--| with * in place of o where the column is marked.
std::string drawn_intervals(const std::vector<IntervalLine>& lines, int width, const std::string& share_name) {
  const auto all = static_cast<std::size_t>(width);
  const bool has_shares = !share_name.empty() && all >= 48;
  std::size_t name_width = 0;
  for (const IntervalLine& line : lines) name_width = std::max(name_width, io::width(io::printable(line.name)));
  name_width = std::min(name_width, std::max<std::size_t>(6, all / 4));
  const std::size_t offset = name_width + 1 + (has_shares ? 6 : 0), room = all - offset;
  AxisExtent extent;
  extent.add(0);
  for (const IntervalLine& line : lines)
    for (const double end : {line.lower, line.mean, line.upper})
      if (std::abs(end) < 1e200) extent.add(end);
  const Scale x = extent.scale(0, static_cast<double>(room - 1), 0);
  const auto place = [&](double value) {
    return static_cast<std::size_t>(std::clamp(std::lround(x(value)), 0L, static_cast<long>(room) - 1));
  };
  std::string out;
  if (has_shares) out += without_blanks_at_end(std::string(name_width + 1, ' ') + (share_name == "inclusion" ? "incl." : "relev."));
  for (const IntervalLine& line : lines) {
    std::string row(room, ' ');
    row[place(0)] = ':';
    if (line.lower <= line.upper) {
      const std::size_t from = place(line.lower), to = place(line.upper);
      for (std::size_t i = from; i <= to; ++i) row[i] = '-';
      if (to > from) row[from] = line.lower < x.low ? '<' : '|', row[to] = line.upper > x.high ? '>' : '|';
    }
    if (std::isfinite(line.mean)) row[place(line.mean)] = line.is_marked ? '*' : 'o';
    const std::string share = !has_shares ? "" : line.share >= 0 ? fmt::format("{:>5.2f} ", line.share) : std::string(6, ' ');
    out += without_blanks_at_end(fitted_name(line.name, name_width) + " " + share + row);
  }
  return out + axis_labels(x, offset, room);
}

std::string drawn_coefficients(const Fit& fit, int width, double level) {
  const std::vector<IntervalLine> lines = coefficient_lines(fit, level, most_in_figure);
  if (lines.empty()) return "no column is used\n";
  const bool shares = lines.front().share >= 0, judged = io::judges_columns(fit);
  const std::string name = fit.sparse && fit.prior != PriorKind::dense ? "inclusion" : "relevance";
  std::string out = drawn_intervals(lines, width, shares ? name : "");
  const std::string more =
      std::ssize(lines) < fit.num_columns() ? fmt::format("; the {} largest of {} columns", lines.size(), fit.num_columns()) : "";
  return out + wrapped_line(fmt::format("{}; {} interval; * {}{}", coefficient_unit(fit), level_in_words(level),
                                        judged ? "kept" : "sign is known", more),
                            width);
}

std::string drawn_coefficients(const SoftmaxFit& fit, int width, double level) {
  std::string out;
  constexpr Index most_scores = 8, most_columns = 10;
  for (Index c = 0; c < std::min(fit.mean.cols(), most_scores); ++c) {
    const std::vector<IntervalLine> lines = coefficient_lines(fit, c, level, most_columns);
    if (lines.empty()) continue;
    out += (out.empty() ? "" : "\n") + wrapped_line(score_name(fit, c) + ":", width) + drawn_intervals(lines, width, "");
  }
  return out + wrapped_line(fmt::format("log odds per {}; {} interval; * sign is known; the largest columns of each",
                                        io::in_words(io::column_unit(fit), true), level_in_words(level)),
                            width);
}

// The mean as *, its interval as dots; of classes, the first letters a, b, c.
std::string drawn_curve(const SavedModel& model, const MachineInputs& inputs, Index j, int width, double level) {
  const auto at = static_cast<std::size_t>(j);
  const bool has_labels = width >= 40;
  const std::size_t label_width = has_labels ? 9 : 0, room = static_cast<std::size_t>(width) - label_width;
  const std::size_t height = has_labels ? 12 : 8;
  const MachineCurve curve = curve_at(model, grid_of(inputs, j, static_cast<Index>(room)), level);
  AxisExtent extent;
  if (curve.is_regression())
    for (Index i = 0; i < curve.lower.size(); ++i) extent.add(curve.lower[i]), extent.add(curve.upper[i]);
  else
    extent.add(0), extent.add(1);
  const Scale y = extent.scale(static_cast<double>(height - 1), 0, 0);
  const auto row_of = [&](double value) {
    return static_cast<std::size_t>(std::clamp(std::lround(y(value)), 0L, static_cast<long>(height) - 1));
  };
  std::vector<std::string> rows(height, std::string(room, ' '));
  for (std::size_t i = 0; i < room; ++i) {
    const auto point = static_cast<Index>(i);
    if (curve.is_regression())
      for (std::size_t r = row_of(curve.upper[point]); r <= row_of(curve.lower[point]); ++r) rows[r][i] = '.';
    for (std::size_t c = curve.lines.size(); c-- > 0;)
      rows[row_of(curve.lines[c][point])][i] = curve.lines.size() == 1 ? '*' : static_cast<char>('a' + static_cast<char>(c));
  }
  const std::string what = curve.is_regression()     ? target_or(target_name(model), "target")
                           : curve.names.size() == 1 ? "probability of " + shortened(curve.names[0], 24)
                                                     : "probabilities";
  std::string out = wrapped_line(what + " over " + shortened(inputs.names[at], 30), width);
  for (std::size_t r = 0; r < height; ++r) {
    const bool is_end = r == 0 || r + 1 == height;
    const std::string label =
        has_labels ? fmt::format("{:>8} ", is_end ? fmt::format("{:.3g}", r == 0 ? extent.high() : extent.low()) : "") : "";
    out += without_blanks_at_end(label + rows[r]);
  }
  if (!has_labels) out += wrapped_line(fmt::format("{:.3g} to {:.3g}", extent.low(), extent.high()), width);
  const Interval range = inputs.range[at];
  out += axis_labels({range.lower, range.upper, 0, static_cast<double>(room - 1)}, label_width, room);
  for (std::size_t c = 0; curve.lines.size() > 1 && c < curve.lines.size(); ++c)
    out += wrapped_line(fmt::format("{}: {}", static_cast<char>('a' + static_cast<char>(c)), shortened(curve.names[c], 40)), width);
  return out;
}

std::string drawn_curves(const SavedModel& model, int width, double level) {
  const MachineInputs inputs = inputs_of(model, {});
  constexpr std::size_t most_inputs = 4;
  std::string out;
  std::size_t drawn = 0;
  const std::vector<MachineFeature> features = features_of(model, inputs);
  for (const MachineFeature& feature : features) {
    if (drawn >= most_inputs) break;
    if (feature.texts != nullptr) continue;  // a column of texts has no curve
    out += (out.empty() ? "" : "\n") + drawn_curve(model, inputs, feature.first, width, level);
    ++drawn;
  }
  if (drawn == 0) return "no input is a number that varies\n";
  std::string said = classes_of(model).empty() ? fmt::format("* mean; . {} interval of the curve", level_in_words(level)) : "";
  if (features.size() > 1) said += (said.empty() ? "" : "; ") + std::string("other inputs are at their means");
  return said.empty() ? out : out + wrapped_line(said, width);
}

}  // namespace

std::string internal::report::wrapped_line(std::string text, int width) {
  std::string out;
  const auto most = static_cast<std::size_t>(width);
  while (io::width(text) > most) {
    const std::size_t blank = text.rfind(' ', most);
    const std::size_t end = blank == std::string::npos || blank == 0 ? shortened(text, most).size() - std::string("\u2026").size() : blank;
    out += text.substr(0, end) + "\n";
    text.erase(0, blank == end ? end + 1 : end);
  }
  return out + text + "\n";
}

std::string drawing(const SavedModel& model, int width, double level) {
  if (width < least_width) throw wrong("width", width, "it must be at least 20 characters");
  if (!(level > 0 && level < 1)) throw wrong("level", level, "it must lie between 0 and 1");
  if (!has_posterior(model)) return "there is no fit to draw\n";
  if (const Fit* fit = model.score()) return drawn_coefficients(*fit, width, level);
  if (const SoftmaxFit* fit = model.softmax()) return drawn_coefficients(*fit, width, level);
  return drawn_curves(model, width, level);
}

}  // namespace ardvark
