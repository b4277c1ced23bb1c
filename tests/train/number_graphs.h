#pragma once

#include <vector>

#include "cavs/graph.h"

namespace cavs {

/// Samples of one vertex, with these numbers at port "x".
inline GraphSet number_graphs(const std::vector<float>& xs) {
  GraphSet graphs({.types = {"f"}, .float_ports = {{"x", 1}}});
  for (const float x : xs) {
    InputGraph graph;
    graph.types = {0};
    graph.child_offsets = {0, 0};
    graph.float_pulls = {{x}};
    graph.float_present = {{1}};
    graphs.add(graph);
  }
  return graphs;
}

}  // namespace cavs
