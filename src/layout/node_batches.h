#pragma once

#include <span>
#include <string>
#include <vector>

#include "compile/stages.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The batches of nodes of F. Each batch runs as one batched operator.
struct NodeBatches {
  std::vector<std::vector<ValueId>> batches;  // in execution order; the ids within a batch ascend
  std::string policy;                         // name of the policy that made these batches
  std::int64_t lower_bound = 0;               // number of batches that every policy needs at least
};

/// True if an operator of F computes something: it is not a view, source, sink or constant.
bool is_batchable(const Node& node);

/// Batches isomorphic nodes: independent nodes with the same operator, attributes, stage, and shapes and domains of
/// inputs. Nodes are scheduled as vertices are, with a vertex type per kind of node, under every policy that needs no
/// learning; the policy with the fewest batches wins (ED-Batch, section 5.3, grid search).
/// @param stages  stage of each node, or empty if all nodes may run together.
NodeBatches batch_nodes(const Function& f, std::span<const Stage> stages);

}  // namespace cavs::inline v0_1
