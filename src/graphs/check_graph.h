#pragma once

#include <string>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// @throws UserError if a name is empty or repeated, or a float port has no width.
void check_schema(const GraphSchema& schema);

/// Checks sizes, ids, values and limits of one graph, but not cycles and depth.
/// @throws UserError that starts with `where`. Cost: linear in vertices + edges.
void check_graph(const InputGraph& graph, const GraphSchema& schema, const GraphLimits& limits,
                 const std::string& where);
/// Does what check_graph() does for every sample of flat arrays, and checks that the arrays fit each other.
void check_arrays(const GraphArraysView& arrays, const GraphSchema& schema, const GraphLimits& limits,
                  const std::string& where);
/// Checks that arrays have the form in which a GraphSet keeps them: absent float rows are zeros, presence is 0 or 1.
/// Call check_arrays() first.
void check_rows_as_kept(const GraphArraysView& arrays, const GraphSchema& schema, const std::string& where);

}  // namespace cavs::inline v0_1
