#pragma once

#include <cstdint>
#include <vector>

namespace cavs::inline v0_1 {

/// One operand of a batched operator: for each node of the batch an element, the distinct variables that the node uses.
using Elements = std::vector<std::vector<std::int32_t>>;

/// The operands of one batch, most important first. Element i of every operand belongs to node i of the batch.
struct AlignedSet {
  std::vector<Elements> operands;
};

struct AlignedOrder {
  std::vector<std::int32_t> order;  // all variables, in the order found
  struct Conflict {
    std::int32_t set, operand;
    bool operator==(const Conflict&) const = default;
  };
  std::vector<Conflict> conflicts;  // operands that were given up; wishes are numbered after the sets
  std::int64_t reductions = 0;      // number of reductions of the PQ-tree
  std::int64_t touched = 0;         // number of visits of tree nodes by the reductions
};

/// Orders variables so that every operand of every set is adjacent, and all operands of a set have their elements in
/// the same order (ED-Batch, section 3.2, Algorithm 2 with 3, 4 and 6). If constraints conflict, the less important
/// operands of a set, and later sets, are given up.
///
/// @param records  the parts of one value each: variables that must be side by side in exactly this order. Records do
/// not overlap, except that a record may be inside another.
/// @param optional_sets  wishes: sets that are kept only if no operand of `sets` has to be given up for them.
/// Cost: O(sum of |set| * max |set|^2), where |.| counts variables (Lemma 3.1). Each operand of a wish also copies the
/// tree and decides all orders once.
AlignedOrder order_variables(std::int32_t variables, const std::vector<std::vector<std::int32_t>>& records,
                             const std::vector<AlignedSet>& sets, const std::vector<AlignedSet>& optional_sets = {});

}  // namespace cavs::inline v0_1
