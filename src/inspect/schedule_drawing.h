#pragma once

#include <string>
#include <vector>

#include "inspect/graph_layout.h"
#include "pack/minibatch.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {

/// Draws a minibatch, with a colour and the number of its task at every vertex, and edges from child to parent.
struct ScheduleDrawing {
  const Minibatch& minibatch;
  const Schedule& schedule;
  std::vector<std::string> types;
};

/// A graph for Graphviz, one cluster per sample. @throws UserError for more than kMaxDrawn vertices.
std::string to_dot(const ScheduleDrawing& drawing);

/// An SVG: samples side by side, one row per level, leaves at the bottom. @throws UserError as above.
std::string to_svg(const ScheduleDrawing& drawing, const std::string& title);

}  // namespace cavs::inline v0_1
