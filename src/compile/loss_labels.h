#pragma once

#include <string>
#include <vector>

#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Index ports that tell how many labels a vertex has.
struct LabelPorts {
  std::vector<std::string> of_vertices;  // a vertex counts once if it has any of these
  std::vector<std::string> of_edges;     // each of its edges does if it has any of these
  bool empty() const { return of_vertices.empty() && of_edges.empty(); }
  bool operator==(const LabelPorts&) const = default;
};

/// The labels of the cross-entropies that the losses of f depend on, and what tells whether their targets are there.
/// Empty: there are none, each vertex counts once.
LabelPorts label_ports(const Function& f);

}  // namespace cavs::inline v0_1
