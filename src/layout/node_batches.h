#pragma once

#include <span>
#include <string>
#include <vector>

#include "compile/stages.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The batches of nodes of F; each runs as one batched operator.
struct NodeBatches {
  std::vector<std::vector<ValueId>> batches;  // in execution order; ids ascend
  std::string policy;                         // the policy with the fewest batches
  std::int64_t lower_bound = 0;               // lower bound of batches for any policy
};

/// True if an operator of F computes something: it is not a view, source, sink or constant.
bool is_batchable(const Node& node);

/// Batches isomorphic nodes: independent nodes with the same operator, attributes, stage, and shapes and domains of
/// inputs. Schedules nodes like vertices, with one type per kind of node, under every policy that need not be learned
/// (ED-Batch, section 5.3: grid search).
/// @param stages  of the nodes, or empty.
NodeBatches batch_nodes(const Function& f, std::span<const Stage> stages);

}  // namespace cavs::inline v0_1
