#pragma once

#include <cstdint>
#include <vector>

namespace cavs::inline v0_1 {

/// What a batched operator reads or writes as one operand: an element for each of its nodes, each of one variable or
/// of several (all different).
using Elements = std::vector<std::vector<std::int32_t>>;

/// The operands of one batch: element i of each belongs to its node i. The first is the most important.
struct AlignedSet {
  std::vector<Elements> operands;
};

struct AlignedOrder {
  std::vector<std::int32_t> order;  // all variables
  struct Conflict {
    std::int32_t set, operand;
    bool operator==(const Conflict&) const = default;
  };
  std::vector<Conflict> conflicts;  // operands that were given up; wishes count behind the sets
  std::int64_t reductions = 0;      // of the PQ-tree
  std::int64_t touched = 0;         // nodes of it that they looked at
};

/// Orders variables so that every operand of every set is adjacent, and all operands of a set stand in one order of
/// their elements (ED-Batch, section 3.2, Algorithm 2 with 3, 4 and 6). Where that cannot be for all, the less
/// important ones of a set, and of the sets the later ones, are given up.
///
/// @param records  variables that stand side by side in just this order, whatever else: parts of one value. No two
///                 overlap, but for one that lies in another.
/// @param wishes   sets that are kept only where no operand of the others has to be given up for them.
/// Cost: O(sum of |set| * max |set|^2), |.| counts variables (Lemma 3.1); each operand of a wish
/// copies the tree, and decides all orders, once.
AlignedOrder order_variables(std::int32_t variables, const std::vector<std::vector<std::int32_t>>& records,
                             const std::vector<AlignedSet>& sets, const std::vector<AlignedSet>& wishes = {});

}  // namespace cavs::inline v0_1
