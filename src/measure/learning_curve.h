#pragma once

#include <string>
#include <vector>

namespace cavs::inline v0_1 {

/// The values of a learning curve, by epoch. Values that are not finite are omitted.
struct LearningCurve {
  std::string title;
  std::vector<double> train_loss;    // mean over labelled vertices
  std::vector<double> dev_loss{};    // may be empty; on the same axis
  std::vector<double> dev_metric{};  // may be empty; on its own axis
  std::string metric_name{};         // "accuracy at the root"
  bool metric_is_share = false;      // true if it is from 0 to 1, shown in percent
};

/// Returns a line chart as an SVG document: losses on the left axis, the metric on the right axis.
std::string to_svg(const LearningCurve& curve);

}  // namespace cavs::inline v0_1
