#pragma once

#include <span>
#include <string>
#include <vector>

#include "compile/stages.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Nodes of F that run as one batched operator, a batch at a time.
struct NodeBatches {
  std::vector<std::vector<ValueId>> batches;  // in the order in which they run; ids ascend
  std::string policy;                         // that took the fewest
  std::int64_t lower_bound = 0;               // no policy takes fewer
};

/// Whether an operator of F computes anything: it is no view, source or sink, nor a constant.
bool is_batchable(const Node& node);

/// Batches isomorphic nodes: the same operator with the same attributes, stage, and shapes and domains of its inputs,
/// none of which depends on another. Nodes are scheduled as vertices are, a type for each kind of node, by every
/// policy that need not be learned (ED-Batch, section 5.3: grid search).
/// @param stages  of the nodes, or empty.
NodeBatches batch_nodes(const Function& f, std::span<const Stage> stages);

}  // namespace cavs::inline v0_1
