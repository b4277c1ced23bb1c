#pragma once

#include <string>
#include <vector>

#include "cavs/graph.h"
#include "cavs/model.h"

namespace cavs::inline v0_1 {

/// Returns the ports of the data that have a value somewhere but that no vertex function and no connection of the model
/// reads. `graphs` are the model's graphs, in which the data's ports have the same names.
std::vector<std::string> unused_ports(const Model& model, const GraphSet& graphs);

}  // namespace cavs::inline v0_1
