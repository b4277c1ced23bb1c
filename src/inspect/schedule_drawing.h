#pragma once

#include <string>
#include <vector>

#include "inspect/graph_layout.h"
#include "pack/minibatch.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// A drawing of a minibatch: every vertex has the number and the colour of its task; edges go from child to parent.
struct ScheduleDrawing {
  const Minibatch& minibatch;
  const Schedule& schedule;
  std::vector<std::string> types;
};

/// Returns a graph for Graphviz, one cluster per sample. @throws UserError for more than kMaxDrawn vertices.
std::string to_dot(const ScheduleDrawing& drawing);

/// Returns an SVG: samples side by side, one row per level, leaves at the bottom. @throws UserError as to_dot().
std::string to_svg(const ScheduleDrawing& drawing, const std::string& title);

}  // namespace cavs::inline v0_1
