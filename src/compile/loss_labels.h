#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Index ports that decide how many labels a vertex has.
struct LabelPorts {
  std::vector<std::string> of_vertices;  // a vertex counts once if it has at least one of these
  std::vector<std::string> of_edges;     // an edge counts once if it has at least one of these
  bool empty() const { return of_vertices.empty() && of_edges.empty(); }
  bool operator==(const LabelPorts&) const = default;
};

/// Returns the ports that the losses of f depend on: labels of cross-entropies, and ports that say which vertices have
/// the target of a masked loss. Empty if there are none; then each vertex counts once.
LabelPorts label_ports(const Function& f);

}  // namespace cavs::inline v0_1
