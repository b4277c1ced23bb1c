#include "measure/learning_curve.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "support/svg.h"

namespace cavs::inline v0_1 {
namespace {

constexpr double kChartWidth = 720, kHeight = 420;
constexpr double kPlotLeft = 70, kPlotRight = 650, kTop = 62, kBottom = 352;
constexpr std::string_view kLossColour = "#c2410c", kDevLossColour = "#d97706", kMetricColour = "#1d4ed8";

class Chart {
 public:
  explicit Chart(const LearningCurve& curve)
      : curve_(curve), epochs_(std::max(curve.train_loss.size(), curve.dev_metric.size())) {}

  std::string draw() {
    svg_.title(kPlotLeft, curve_.title);
    epoch_axis();
    loss_axis();
    if (!curve_.dev_metric.empty()) metric_axis();
    line(curve_.train_loss, max_loss_, kLossColour);
    line(curve_.dev_loss, max_loss_, kDevLossColour);
    line(curve_.dev_metric, max_metric_, kMetricColour);
    legend();
    return svg_.finish();
  }

 private:
  double x_of(double epoch) const {
    return epochs_ < 2 ? (kPlotLeft + kPlotRight) / 2
                       : kPlotLeft + (epoch - 1) / static_cast<double>(epochs_ - 1) * (kPlotRight - kPlotLeft);
  }
  static double y_of(double share) { return kBottom - share * (kBottom - kTop); }

  void epoch_axis() {
    svg_.horizontal(kBottom, kPlotLeft, kPlotRight, svg::kAxis);
    svg_.text((kPlotLeft + kPlotRight) / 2, kBottom + 46, "middle", svg::kInk, "epoch");
    const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(round_up(static_cast<double>(epochs_) / 12))));
    for (std::size_t epoch = step == 1 ? 1 : 0; epoch <= epochs_; epoch += step) {
      const auto shown = static_cast<double>(std::max<std::size_t>(epoch, 1));
      svg_.add("<path d=\"M{:g} {:g}v5\" stroke=\"{}\"/>\n", x_of(shown), kBottom, svg::kAxis);
      svg_.text(x_of(shown), kBottom + 21, "middle", svg::kInk, fmt::format("{:g}", shown));
    }
  }

  /// Returns the distance of the grid lines of an axis, such that all finite values fit on the axis.
  static double interval(const std::vector<double>& values) {
    double max = 0;
    for (double value : values)
      if (std::isfinite(value)) max = std::max(max, value);
    return round_up((max > 0 ? max : 1) / svg::kIntervals);
  }

  void loss_axis() {
    const double step = std::max(interval(curve_.train_loss), curve_.dev_loss.empty() ? 0 : interval(curve_.dev_loss));
    max_loss_ = step * svg::kIntervals;
    for (int i = 0; i <= svg::kIntervals; ++i) {
      const double y = y_of(static_cast<double>(i) / svg::kIntervals);
      svg_.horizontal(y, kPlotLeft, kPlotRight, svg::kGrid);
      svg_.text(kPlotLeft - 9, y + 4.5, "end", kLossColour, fmt::format("{:.4g}", step * i));
    }
  }

  void metric_axis() {
    const bool share = curve_.metric_is_share;
    const double step = share ? 1.0 / svg::kIntervals : interval(curve_.dev_metric);
    max_metric_ = step * svg::kIntervals;
    for (int i = 0; i <= svg::kIntervals; ++i)
      svg_.text(kPlotRight + 9, y_of(static_cast<double>(i) / svg::kIntervals) + 4.5, "start", kMetricColour,
                share ? fmt::format("{} %", 100 * i / svg::kIntervals) : fmt::format("{:.4g}", step * i));
  }

  void line(const std::vector<double>& values, double max, std::string_view colour) {
    std::string path, dots;
    bool pen_down = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        pen_down = false;
        continue;
      }
      const double x = x_of(static_cast<double>(i + 1)), y = y_of(values[i] / max);
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", x, y, values.size() > 40 ? 1.6 : 3.2);
      pen_down = true;
    }
    if (path.empty()) return;
    svg_.add("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>\n", path,
             colour);
    svg_.add("<g fill=\"{}\">{}</g>\n", colour, dots);
  }

  void legend() {
    const auto entry = [&](double x, std::string_view colour, const std::string& name) {
      svg_.add("<path d=\"M{:g} 47h22\" stroke=\"{}\" stroke-width=\"2.5\"/>\n", x, colour);
      svg_.text(x + 28, 51.5, "start", svg::kInk, name);
    };
    entry(kPlotLeft, kLossColour, "training loss per label");
    if (!curve_.dev_loss.empty()) entry(kPlotLeft + 180, kDevLossColour, "development loss");
    if (!curve_.dev_metric.empty()) entry(kPlotLeft + 340, kMetricColour, "development " + curve_.metric_name);
  }

  const LearningCurve& curve_;
  std::size_t epochs_;
  double max_loss_ = 1, max_metric_ = 1;
  Svg svg_{kChartWidth, kHeight};
};

}  // namespace

std::string to_svg(const LearningCurve& curve) { return Chart(curve).draw(); }

}  // namespace cavs::inline v0_1
