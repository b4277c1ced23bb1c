#pragma once

#include <cstdint>
#include <vector>

namespace cavs::inline v0_1 {

/// A union-find structure of nodes whose orders determine each other. Every link is a permutation (ED-Batch, Algorithm
/// 5, with union by size). The order of a node is a sequence of its slots. unite(A, B, p) states that the sequence of B
/// is p applied to the sequence of A, element by element.
class OrderUnion {
 public:
  using Permutation = std::vector<std::int32_t>;

  /// @param slots  number of slots of each node.
  explicit OrderUnion(const std::vector<std::int32_t>& slots);

  /// The root that determines a node's order, and the permutation from the root's order to the node's order.
  struct Decision {
    std::int32_t root;
    Permutation from_root;
  };
  /// Cost: O(slots * log(nodes)).
  Decision find(std::int32_t node) const;

  /// Returns false, and changes nothing, if the statement contradicts earlier calls. Before: equal numbers of slots.
  bool unite(std::int32_t a, std::int32_t b, const Permutation& b_from_a);

  /// Undoes all links except the first `links`.
  void undo(std::size_t links);
  std::size_t links() const { return linked_.size(); }

 private:
  struct Node {
    std::int32_t parent;
    Permutation from_parent;
    std::int32_t size = 1;
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> linked_;  // roots that became children, in the order of the links
};

}  // namespace cavs::inline v0_1
