#include "measure/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "support/svg.h"

namespace cavs::inline v0_1 {
namespace {

constexpr double kWidth = 760, kLeft = 70, kRight = 730;
constexpr double kLegendLine = 20, kLegendTop = 52;
constexpr double kPanelGap = 58;  // pixels between panels, for names of groups and notes of the next panel
constexpr double kOnePanel = 290, kOneOfMany = 190;
constexpr double kGroupShare = 0.84;  // the bars of a group take this share of the group's width
constexpr double kWideEnough = 30;    // pixels: the number above a bar is horizontal from this width on
constexpr double kTooNarrow = 8.5;    // pixels: a narrower bar has no number
constexpr std::array<std::string_view, 24> kColours{"#94a3b8", "#c2410c", "#1d4ed8", "#15803d", "#a16207", "#7e22ce",
                                                    "#0e7490", "#be185d", "#4d7c0f", "#4338ca", "#b91c1c", "#0f766e",
                                                    "#9a3412", "#334155", "#f59e0b", "#84cc16", "#06b6d4", "#d946ef",
                                                    "#f43f5e", "#10b981", "#8b5cf6", "#fb923c", "#0284c7", "#64748b"};

std::string_view colour(std::size_t series) { return kColours[series % kColours.size()]; }
bool has_bar(double value) { return std::isfinite(value) && value >= 0; }

class ChartDrawing {
 public:
  explicit ChartDrawing(const BarChart& chart)
      : chart_(chart),
        panel_height_(chart.panels.size() == 1 ? kOnePanel : kOneOfMany),
        first_panel_(kLegendTop + kLegendLine * lines_of_legend() + 30),
        svg_(kWidth, first_panel_ + static_cast<double>(chart.panels.size()) * (panel_height_ + kPanelGap)) {}

  std::string draw() {
    svg_.title(kLeft, chart_.title);
    legend([&](double x, double y, std::size_t s) {
      svg_.add("<rect x=\"{:g}\" y=\"{:g}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, y - 10.5, colour(s));
      svg_.text(x + 18, y, "start", svg::kInk, chart_.series[s]);
    });
    top_ = first_panel_;
    for (const BarChart::Panel& panel : chart_.panels) {
      draw_panel(panel);
      top_ += panel_height_ + kPanelGap;
    }
    svg_.text((kLeft + kRight) / 2, top_ - kPanelGap + 46, "middle", svg::kInk, chart_.group_label);
    return svg_.finish();
  }

 private:
  /// Calls place(x, y, series) for each entry of the legend. Returns the number of lines of the legend.
  template <typename Place>
  int legend(Place place) const {
    double x = kLeft;
    int line = 0;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
      const double width = 18 + 8.0 * static_cast<double>(chart_.series[s].size()) + 20;
      if (x > kLeft && x + width > kRight) {
        x = kLeft;
        ++line;
      }
      place(x, kLegendTop + kLegendLine * line, s);
      x += width;
    }
    return line + 1;
  }
  int lines_of_legend() const {
    return legend([](double, double, std::size_t) {});
  }

  double group_width() const { return (kRight - kLeft) / static_cast<double>(chart_.groups.size()); }
  double centre(std::size_t group) const { return kLeft + group_width() * (static_cast<double>(group) + 0.5); }
  double y_of(double value) const { return top_ + panel_height_ * (1 - value / max_); }

  /// Sets `max_` to the end of the vertical axis, so that all bars of the panel fit.
  void find_max(const BarChart::Panel& panel) {
    double max = chart_.reference;
    for (std::size_t g = 0; g < chart_.groups.size(); ++g) {
      double sum = 0;
      for (const auto& values : panel.values) {
        if (!has_bar(values[g])) continue;
        sum += values[g];
        max = std::max(max, chart_.stacked ? sum : values[g]);
      }
    }
    max_ = svg::kIntervals * round_up((max > 0 ? max : 1) * (1 - 1e-9) / svg::kIntervals);
  }

  void draw_panel(const BarChart::Panel& panel) {
    find_max(panel);
    for (int i = 0; i <= svg::kIntervals; ++i) {
      const double value = max_ * i / svg::kIntervals;
      svg_.horizontal(y_of(value), kLeft, kRight, i == 0 ? svg::kAxis : svg::kGrid);
      svg_.text(kLeft - 9, y_of(value) + 4.5, "end", svg::kInk, fmt::format("{:.4g}{}", value, chart_.unit));
    }
    if (chart_.reference > 0)
      svg_.add("<path d=\"M{:g} {:.1f}H{:g}\" stroke=\"{}\" stroke-dasharray=\"4 3\"/>\n", kLeft,
               y_of(chart_.reference), kRight, svg::kInk);
    if (!panel.name.empty()) svg_.text(kLeft - 9, top_ - 18, "end", svg::kInk, panel.name, " font-weight=\"bold\"");
    for (std::size_t g = 0; g < chart_.groups.size(); ++g) {
      chart_.stacked ? draw_stack(panel, g) : draw_group(panel, g);
      svg_.text(centre(g), top_ + panel_height_ + 21, "middle", svg::kInk, chart_.groups[g]);
      if (g < panel.notes.size())
        svg_.text(centre(g), top_ - 7, "middle", svg::kInk, panel.notes[g], " font-size=\"11\"");
    }
  }

  void draw_bar(std::size_t series, double x, double width, double from, double to) {
    svg_.add("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x, y_of(to), width,
             y_of(from) - y_of(to), colour(series));
  }

  void draw_stack(const BarChart::Panel& panel, std::size_t group) {
    const double width = std::min(kGroupShare * group_width(), 46.0);
    double sum = 0;
    for (std::size_t s = 0; s < panel.values.size(); ++s) {
      const double value = panel.values[s][group];
      if (!has_bar(value)) continue;
      draw_bar(s, centre(group) - width / 2, width, sum, sum + value);
      sum += value;
    }
  }

  void draw_group(const BarChart::Panel& panel, std::size_t group) {
    const double step = kGroupShare * group_width() / static_cast<double>(chart_.series.size());
    for (std::size_t s = 0; s < panel.values.size(); ++s) {
      const double value = panel.values[s][group];
      if (!has_bar(value)) continue;
      const double x = centre(group) - kGroupShare * group_width() / 2 + step * static_cast<double>(s);
      draw_bar(s, x + 0.05 * step, 0.9 * step, 0, value);
      draw_number(x + step / 2, y_of(value) - 4, step, fmt::format("{:.2f}", value));
    }
  }

  /// Draws a number above a bar, rotated if the bar is narrow. A white outline separates the number from lines.
  void draw_number(double x, double y, double width, const std::string& number) {
    if (width < kTooNarrow) return;
    constexpr std::string_view kHalo = " stroke=\"#ffffff\" stroke-width=\"2.5\" paint-order=\"stroke\"";
    if (width >= kWideEnough)
      return svg_.text(x, y, "middle", svg::kInk, number, fmt::format(" font-size=\"11\"{}", kHalo));
    svg_.add("<text transform=\"translate({:.2f} {:.2f}) rotate(-90)\" fill=\"{}\" font-size=\"9.5\"{}>{}</text>\n",
             x + 3.3, y, svg::kInk, kHalo, number);
  }

  const BarChart& chart_;
  double panel_height_, first_panel_;
  double top_ = 0, max_ = 1;  // of the current panel: its upper edge in pixels, and the value at the end of its axis
  Svg svg_;
};

}  // namespace

std::string to_svg(const BarChart& chart) { return ChartDrawing(chart).draw(); }

}  // namespace cavs::inline v0_1
