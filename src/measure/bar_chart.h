#pragma once

#include <string>
#include <vector>

namespace cavs::inline v0_1 {

/// Groups of bars along one axis, a bar a series. Panels stand one above the other and share groups and series.
struct BarChart {
  struct Panel {
    std::string name = {};                         // may be empty
    std::vector<std::vector<double>> values = {};  // [series][groups]; without a bar where not finite or negative
    std::vector<std::string> notes = {};           // [groups], above the bars; may be empty
  };
  std::string title = {};
  std::string group_label = {};          // what the groups are
  std::vector<std::string> groups = {};  // their names
  std::vector<std::string> series = {};
  std::string unit = {};  // after the numbers of the axis
  bool stacked = false;   // a group's bars on top of each other; else side by side, each with its number
  double reference = 0;   // where positive: a line across at this height
  std::vector<Panel> panels = {};
};

/// The chart as an SVG document.
std::string to_svg(const BarChart& chart);

}  // namespace cavs::inline v0_1
