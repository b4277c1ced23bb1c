#pragma once

#include <string>
#include <vector>

namespace cavs::inline v0_1 {

/// The values of a learning curve, one per epoch. Values that are not finite are not drawn.
struct LearningCurve {
  std::string title;
  std::vector<double> train_loss;    // mean loss per labelled vertex of the training part
  std::vector<double> dev_loss{};    // same for the development part; may be empty
  std::vector<double> dev_metric{};  // metric of the development part; may be empty
  std::string metric_name{};         // such as "accuracy at the root"
  bool metric_is_share = false;      // true if the metric is from 0 to 1, and shown in percent
};

/// Returns a line chart as an SVG document: losses on the left axis, the metric on the right axis.
std::string to_svg(const LearningCurve& curve);

}  // namespace cavs::inline v0_1
