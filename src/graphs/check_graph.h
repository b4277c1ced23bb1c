#pragma once

#include <string>

#include "cavs/graph.h"

namespace cavs {

/// @throws UserError if a name is empty or stands twice, or a float port has no width.
void check_schema(const GraphSchema& schema);

/// Sizes, ids, values and limits of one graph; everything but cycles and depth.
/// @throws UserError that starts with `where`. Cost: linear in vertices + edges.
void check_graph(const InputGraph& graph, const GraphSchema& schema, const GraphLimits& limits,
                 const std::string& where);

}  // namespace cavs
