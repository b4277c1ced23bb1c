#pragma once

#include <vector>

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// The nodes that one instruction computes. Element-wise nodes of the same stage, level, domain and width form a group.
/// A node that reads the value of a node of any other kind is one level higher, so no group can depend on itself. A
/// linear cross-entropy and its gradients also form a group, since they need the same logits.
struct Group {
  bool backward = false;
  Stage stage = Stage::kEager;
  std::int32_t level = 0;
  std::vector<ValueId> nodes;  // in ascending order
};

/// Returns the groups of all computed nodes, ordered by (backward, stage, level, first node). Without `fuse` every
/// element-wise node is a group of its own.
std::vector<Group> find_groups(const Function& f, const std::vector<Stage>& stages, bool fuse);

}  // namespace cavs::inline v0_1
