#pragma once

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

BuiltGraph build_tree_with_outputs(const InputGraph& tree);
GraphSchema tree_with_outputs_schema();

BuiltGraph build_tree_of_two_types(const InputGraph& tree);
GraphSchema tree_of_two_types_schema();

GraphSchema thinking_tree_schema();
BuiltGraph build_thinking_tree(const InputGraph& tree);

BuiltGraph build_time_delay(const InputGraph& tree);

}  // namespace cavs::inline v0_1
