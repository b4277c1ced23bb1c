#pragma once

#include <string>
#include <vector>

namespace cavs {

/// What a learning curve shows, by epoch. Numbers that are not finite are left out.
struct LearningCurve {
  std::string title;
  std::vector<double> train_loss;         // mean over labelled vertices
  std::vector<double> dev_root_accuracy;  // 0 to 1; may be empty
  std::vector<double> dev_perplexity{};   // shown where there is no accuracy
  std::vector<double> dev_entity_f1{};    // 0 to 1; in place of the accuracy
};

/// A line chart as an SVG document: loss on the left axis, accuracy in percent (or perplexity) on the right one.
std::string to_svg(const LearningCurve& curve);

}  // namespace cavs
