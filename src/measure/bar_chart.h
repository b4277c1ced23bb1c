#pragma once

#include <string>
#include <vector>

namespace cavs::inline v0_1 {

/// Groups of bars along one axis, with a bar per series. Panels are stacked vertically and share groups and series.
struct BarChart {
  struct Panel {
    std::string name = {};                         // may be empty
    std::vector<std::vector<double>> values = {};  // [series][groups]; NaN, infinite or negative: no bar
    std::vector<std::string> notes = {};           // [groups] texts above the bars; may be empty
  };
  std::string title = {};
  std::string group_label = {};          // name of the horizontal axis, such as "hidden size"
  std::vector<std::string> groups = {};  // names of the groups
  std::vector<std::string> series = {};
  std::string unit = {};  // text after each number of the vertical axis, such as " %"
  bool stacked = false;   // true to stack the bars of a group; false to draw them side by side, each with its number
  double reference = 0;   // value at which a dashed horizontal line is drawn; 0 for no line
  std::vector<Panel> panels = {};
};

/// Returns the chart as an SVG document.
std::string to_svg(const BarChart& chart);

}  // namespace cavs::inline v0_1
