#include "measure/learning_curve.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "inspect/svg.h"

namespace cavs {
namespace {

constexpr double kChartWidth = 720, kHeight = 420;
constexpr double kPlotLeft = 70, kPlotRight = 650, kTop = 62, kBottom = 352;
constexpr std::string_view kLossColour = "#c2410c", kDevColour = "#1d4ed8";

class Chart {
 public:
  explicit Chart(const LearningCurve& curve)
      : curve_(curve),
        by_f1_(!curve.dev_entity_f1.empty()),
        by_share_(by_f1_ || !curve.dev_root_accuracy.empty()),
        dev_(by_f1_      ? curve.dev_entity_f1
             : by_share_ ? curve.dev_root_accuracy
                         : curve.dev_perplexity),
        epochs_(std::max(curve.train_loss.size(), dev_.size())) {}

  std::string draw() {
    svg_.title(kPlotLeft, curve_.title);
    epoch_axis();
    loss_axis();
    if (!dev_.empty()) dev_axis();
    line(curve_.train_loss, max_loss_, kLossColour);
    line(dev_, max_dev_, kDevColour);
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

  /// What an interval of an axis stands for, so that all values that are finite fit.
  static double interval(const std::vector<double>& values) {
    double max = 0;
    for (double value : values)
      if (std::isfinite(value)) max = std::max(max, value);
    return round_up((max > 0 ? max : 1) / svg::kIntervals);
  }

  void loss_axis() {
    const double step = interval(curve_.train_loss);
    max_loss_ = step * svg::kIntervals;
    for (int i = 0; i <= svg::kIntervals; ++i) {
      const double y = y_of(static_cast<double>(i) / svg::kIntervals);
      svg_.horizontal(y, kPlotLeft, kPlotRight, svg::kGrid);
      svg_.text(kPlotLeft - 9, y + 4.5, "end", kLossColour, fmt::format("{:.4g}", step * i));
    }
  }

  void dev_axis() {
    const double step = by_share_ ? 1.0 / svg::kIntervals : interval(dev_);
    max_dev_ = step * svg::kIntervals;
    for (int i = 0; i <= svg::kIntervals; ++i)
      svg_.text(kPlotRight + 9, y_of(static_cast<double>(i) / svg::kIntervals) + 4.5, "start", kDevColour,
                by_share_ ? fmt::format("{} %", 100 * i / svg::kIntervals) : fmt::format("{:.4g}", step * i));
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
    const auto entry = [&](double x, std::string_view colour, std::string_view name) {
      svg_.add("<path d=\"M{:g} 47h22\" stroke=\"{}\" stroke-width=\"2.5\"/>\n", x, colour);
      svg_.text(x + 28, 51.5, "start", svg::kInk, name);
    };
    entry(kPlotLeft, kLossColour, "training loss a label");
    if (!dev_.empty())
      entry(kPlotLeft + 190, kDevColour,
            by_f1_      ? "development F1 of entities"
            : by_share_ ? "development accuracy at the root"
                        : "development perplexity");
  }

  const LearningCurve& curve_;
  bool by_f1_, by_share_;
  const std::vector<double>& dev_;
  std::size_t epochs_;
  double max_loss_ = 1, max_dev_ = 1;
  Svg svg_{kChartWidth, kHeight};
};

}  // namespace

std::string to_svg(const LearningCurve& curve) { return Chart(curve).draw(); }

}  // namespace cavs
