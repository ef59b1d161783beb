#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text.hpp"

namespace ardvark::internal::report {
namespace {

// A place, to a tenth of a pixel.
std::string place(double x) {
  std::string out = fmt::format("{:.1f}", std::clamp(x, -1e4, 1e4));
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

constexpr double left_margin = 52, right_margin = 18, top_margin = 22, bottom_margin = 44;

}  // namespace

Ticks ticks_between(double low, double high, int most) {
  Ticks out;
  if (!(high > low) || !std::isfinite(high - low)) return out;
  const double rough = (high - low) / most, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 12);
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= 2 * most; ++i) {
    const double at = (first + i) * step;
    if (at > high + 1e-9 * step) break;
    out.at.push_back(at);
    const double shown = std::abs(at) < 1e-9 * step ? 0 : at;
    out.labels.push_back(std::abs(shown) >= 1e6 || (shown != 0 && decimals > 6) ? fmt::format("{:.3g}", shown)
                                                                                : fmt::format("{:.{}f}", shown, decimals));
  }
  return out;
}

void AxisExtent::add(double x) {
  if (!std::isfinite(x) || std::abs(x) > 1e290) return;
  low_ = std::min(low_, x), high_ = std::max(high_, x);
}

Scale AxisExtent::scale(double from, double to, double space) const {
  double low = low_, high = high_;
  if (is_empty()) low = 0, high = 1;
  // Of a single number, or of numbers that hardly differ, there is space around it.
  const double least = std::max(std::abs(low), std::abs(high)) * 1e-9;
  if (high - low <= least) {
    const double around = low == 0 ? 1 : std::abs(low) / 2;
    low -= around, high += around;
  }
  const double more = space * (high - low);
  return {low - more, high + more, from, to};
}

Figure::Figure(Html& html, FigureText text, double width, double height) : html_(html), text_(std::move(text)) {
  html_.open("figure");
  html_.open("svg", {{"viewBox", fmt::format("0 0 {} {}", place(width), place(height))},
                     {"role", "img"},
                     {"aria-labelledby", text_.id + "-title " + text_.id + "-desc"}});
  html_.element("title", text_.title, {{"id", text_.id + "-title"}});
  html_.element("desc", text_.description, {{"id", text_.id + "-desc"}});
}

void Figure::line(double x1, double y1, double x2, double y2, Literal style) {
  html_.empty("path",
              {{"class", std::string(style.view())}, {"d", fmt::format("M{} {}L{} {}", place(x1), place(y1), place(x2), place(y2))}});
}

void Figure::text(double x, double y, std::string_view text, Literal style) {
  html_.element("text", text, {{"class", std::string(style.view())}, {"x", place(x)}, {"y", place(y)}});
}

void Figure::dot(double x, double y, double radius, Literal style) {
  html_.empty("circle", {{"class", std::string(style.view())}, {"cx", place(x)}, {"cy", place(y)}, {"r", place(radius)}});
}

void Figure::box(double x, double y, double width, double height, Literal style) {
  html_.empty("rect", {{"class", std::string(style.view())},
                       {"x", place(x)},
                       {"y", place(y)},
                       {"width", place(std::max(0.0, width))},
                       {"height", place(std::max(0.0, height))}});
}

void Figure::dots(const std::vector<std::pair<double, double>>& points, Literal style) {
  if (points.empty()) return;
  std::string d;
  for (const auto& [x, y] : points) d += fmt::format("M{} {}h0", place(x), place(y));  // a line of no length has round ends
  html_.empty("path", {{"class", std::string(style.view())}, {"d", d}});
}

void Figure::path(const std::vector<std::pair<double, double>>& points, Literal style, bool is_closed) {
  if (points.empty()) return;
  std::string d;
  for (const auto& [x, y] : points) d += fmt::format("{}{} {}", d.empty() ? "M" : "L", place(x), place(y));
  if (is_closed) d += 'Z';
  html_.empty("path", {{"class", std::string(style.view())}, {"d", d}});
}

void Figure::finish(const std::function<void(Html&)>& table) {
  html_.close("svg");
  html_.open("figcaption");
  html_.text(text_.caption);
  html_.close("figcaption");
  if (table) {
    html_.open("details");
    html_.element("summary", "The numbers of this figure");
    table(html_);
    html_.close("details");
  }
  html_.close("figure");
  html_.line();
}

Scale across(const AxisExtent& extent, double space) { return extent.scale(left_margin, plot_width - right_margin, space); }
Scale upwards(const AxisExtent& extent, double space) { return extent.scale(plot_height - bottom_margin, top_margin, space); }

void draw_frame(Figure& figure, const PlotFrame& frame) {
  const auto& [x, y, x_name, y_name, percent_x, percent_y] = frame;
  const auto labelled = [](const Ticks& ticks, std::size_t i, bool in_percent) {
    return in_percent ? fmt::format("{:.3g}%", 100 * ticks.at[i]) : ticks.labels[i];
  };
  const Ticks below = ticks_between(x.low, x.high), beside = ticks_between(y.low, y.high);
  for (std::size_t i = 0; i < below.at.size(); ++i) {
    figure.line(x(below.at[i]), y.from, x(below.at[i]), y.to, "grid");
    figure.text(x(below.at[i]), y.from + 15, labelled(below, i, percent_x), "tick middle");
  }
  for (std::size_t i = 0; i < beside.at.size(); ++i) {
    figure.line(x.from, y(beside.at[i]), x.to, y(beside.at[i]), "grid");
    figure.text(x.from - 5, y(beside.at[i]) + 4, labelled(beside, i, percent_y), "tick end");
  }
  figure.line(x.from, y.from, x.to, y.from, "axis");
  figure.text((x.from + x.to) / 2, y.from + 34, shortened(x_name, 44), "name middle");
  figure.text(4, y.to - 10, shortened(y_name, 44), "name above");
}

namespace {

constexpr double line_height = 20, name_width = 104, share_width = 52;

// The ends that most intervals fit into: one without an end, or a very wide one, must not hide the others.
AxisExtent extent_of(const std::vector<IntervalLine>& lines, double zero) {
  std::vector<double> widths;
  for (const IntervalLine& line : lines)
    if (std::isfinite(line.upper - line.lower)) widths.push_back(line.upper - line.lower);
  AxisExtent extent;
  if (!std::isnan(zero)) extent.add(zero);
  for (const IntervalLine& line : lines) extent.add(line.mean);
  if (widths.empty()) return extent;
  std::ranges::nth_element(widths, widths.begin() + std::ssize(widths) / 2);
  const double usual = widths[widths.size() / 2];
  for (const IntervalLine& line : lines)
    for (const double end : {line.lower, line.upper})
      if (std::abs(end - line.mean) <= 5 * usual) extent.add(end);
  return extent;
}

}  // namespace

void draw_intervals(Html& html, const FigureText& text, const std::vector<IntervalLine>& lines, const std::string& axis_name,
                    const std::string& share_name, double zero, const std::function<void(Html&)>& table) {
  const bool has_shares = !share_name.empty();
  const double right = plot_width - (has_shares ? share_width + 10 : 8), bottom = 22 + line_height * static_cast<double>(lines.size());
  Figure figure(html, text, plot_width, bottom + 40);
  const Scale x = extent_of(lines, zero).scale(name_width + 8, right, 0.04);
  const Ticks ticks = ticks_between(x.low, x.high, 4);
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    figure.line(x(ticks.at[i]), 16, x(ticks.at[i]), bottom, "grid");
    figure.text(x(ticks.at[i]), bottom + 14, ticks.labels[i], "tick middle");
  }
  if (!std::isnan(zero)) figure.line(x(zero), 16, x(zero), bottom, "axis");
  figure.text((x.from + x.to) / 2, bottom + 32, shortened(axis_name, 40), "name middle");
  if (has_shares) figure.text(plot_width, 11, share_name, "tick end");
  double y = 18 + line_height / 2;
  for (const IntervalLine& line : lines) {
    figure.text(name_width, y + 4, shortened(line.name, 16), line.is_marked ? Literal("tick end strong") : Literal("tick end"));
    const double lower = std::max(line.lower, x.low), upper = std::min(line.upper, x.high);
    if (lower <= upper) figure.line(x(lower), y, x(upper), y, line.is_marked ? Literal("mark") : Literal("faint"));
    if (line.mean >= x.low && line.mean <= x.high) figure.dot(x(line.mean), y, 3.5, line.is_marked ? Literal("full") : Literal("hollow"));
    if (line.share >= 0) {
      figure.box(plot_width - share_width, y - 5, share_width, 10, "rail");
      figure.box(plot_width - share_width, y - 5, share_width * line.share, 10, line.is_marked ? Literal("bar") : Literal("bar weak"));
    }
    y += line_height;
  }
  figure.finish(table);
}

void draw_bars(Html& html, const FigureText& text, const std::vector<BarLine>& lines, const std::string& axis_name, double low, double high,
               const std::function<void(Html&)>& table) {
  const double bottom = 6 + line_height * static_cast<double>(lines.size()), label_width = 46;
  Figure figure(html, text, plot_width, bottom + 40);
  const Scale x{low, high > low ? high : low + 1, name_width + 8, plot_width - label_width};
  const Ticks ticks = ticks_between(x.low, x.high, 4);
  for (std::size_t i = 0; i < ticks.at.size(); ++i) {
    figure.line(x(ticks.at[i]), 2, x(ticks.at[i]), bottom, "grid");
    figure.text(x(ticks.at[i]), bottom + 14, ticks.labels[i], "tick middle");
  }
  figure.text((x.from + x.to) / 2, bottom + 32, shortened(axis_name, 40), "name middle");
  const double base = x(std::clamp(0.0, x.low, x.high));
  figure.line(base, 2, base, bottom, "axis");
  double y = 4 + line_height / 2;
  for (const BarLine& line : lines) {
    figure.text(name_width, y + 4, shortened(line.name, 16), line.is_marked ? Literal("tick end strong") : Literal("tick end"));
    const double end = x(std::clamp(std::isnan(line.value) ? 0.0 : line.value, x.low, x.high));
    figure.box(std::min(base, end), y - 6, std::abs(end - base), 12, line.is_marked ? Literal("bar") : Literal("bar weak"));
    figure.text(plot_width, y + 4, line.label, "tick end");
    y += line_height;
  }
  figure.finish(table);
}

}  // namespace ardvark::internal::report
