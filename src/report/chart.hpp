// Drawings in SVG: what a scientist looks at in a report of a fit. Each has a title, a description and a caption; colours and fonts come
// from the style sheet of the page.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/html.hpp"

namespace ardvark::internal::report {

/// From numbers to places of the drawing.
struct Scale {
  double low = 0, high = 1;  ///< numbers
  double from = 0, to = 1;   ///< their places
  [[nodiscard]] double operator()(double x) const { return from + (x - low) / (high - low) * (to - from); }
};

/// Round numbers between two ends, with the decimals that tell them apart.
struct Ticks {
  std::vector<double> at;
  std::vector<std::string> labels;
};
[[nodiscard]] Ticks ticks_between(double low, double high, int most = 5);

/// The ends of an axis that holds these numbers, with some space; NaN and infinities do not count.
class AxisExtent {
 public:
  void add(double x);
  [[nodiscard]] bool is_empty() const { return !(low_ <= high_); }
  /// \param space  share of the range on each side
  [[nodiscard]] Scale scale(double from, double to, double space = 0.05) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double low_ = 1e300, high_ = -1e300;
};

/// What is said about a drawing.
struct FigureText {
  std::string id;           ///< of the page: unique
  std::string title;        ///< a short name
  std::string description;  ///< what one sees, for those who do not
  std::string caption;      ///< below it
};

/// A figure of the page. What is drawn later lies above.
class Figure {
 public:
  Figure(Html& html, FigureText text, double width, double height);
  void line(double x1, double y1, double x2, double y2, Literal style);
  void text(double x, double y, std::string_view text, Literal style);
  void dot(double x, double y, double radius, Literal style);
  void box(double x, double y, double width, double height, Literal style);
  /// Many dots as one element.
  void dots(const std::vector<std::pair<double, double>>& points, Literal style);
  void path(const std::vector<std::pair<double, double>>& points, Literal style, bool is_closed = false);
  /// Ends the drawing. `table`, if there is one, writes the numbers of the figure below its caption, to be unfolded.
  void finish(const std::function<void(Html&)>& table = {});

 private:
  Html& html_;
  FigureText text_;
};

/// The frame of a plot: ticks, their labels and the names of both axes.
struct PlotFrame {
  Scale x, y;
  std::string x_name, y_name;
  bool has_percent_x = false, has_percent_y = false;
};
inline constexpr double plot_width = 360, plot_height = 270;
/// Scales of the usual size.
[[nodiscard]] Scale across(const AxisExtent& extent, double space = 0.05);
[[nodiscard]] Scale upwards(const AxisExtent& extent, double space = 0.05);
void draw_frame(Figure& figure, const PlotFrame& frame);

/// A number with its interval, in a line of its own.
struct IntervalLine {
  std::string name;
  double mean = 0, lower = 0, upper = 0;
  double share = -1;       ///< in [0, 1]: a bar beside it; below 0: none
  bool is_marked = false;  ///< filled
};
/// \param share_name  of the bars; empty: there are none
/// \param zero        where a vertical line is drawn; NaN: nowhere
void draw_intervals(Html& html, const FigureText& text, const std::vector<IntervalLine>& lines, const std::string& axis_name,
                    const std::string& share_name, double zero, const std::function<void(Html&)>& table = {});

/// A number as a bar.
struct BarLine {
  std::string name;
  double value = 0;
  std::string label;       ///< beside the bar
  bool is_marked = false;  ///< in the stronger colour
};
/// \param low, high  ends of the axis
void draw_bars(Html& html, const FigureText& text, const std::vector<BarLine>& lines, const std::string& axis_name, double low, double high,
               const std::function<void(Html&)>& table = {});

}  // namespace ardvark::internal::report
