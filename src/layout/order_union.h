#pragma once

#include <cstdint>
#include <vector>

namespace cavs::inline v0_1 {

/// Nodes whose orders decide each other: a union-find set in which every link is a permutation (ED-Batch, Algorithm 5,
/// with union by size). The order of a node is a sequence of its slots; for (A, B, p) it holds that B's sequence is p
/// of A's, element by element.
class OrderUnion {
 public:
  using Permutation = std::vector<std::int32_t>;

  /// `slots`: of each node.
  explicit OrderUnion(const std::vector<std::int32_t>& slots);

  /// The node that decides the order of another one, and how.
  struct Decision {
    std::int32_t root;
    Permutation from_root;
  };
  /// Cost: logarithmic in the nodes, times the slots.
  Decision find(std::int32_t node) const;

  /// @return false, and nothing changes, if it contradicts what was said before. Before: equal numbers of slots.
  bool unite(std::int32_t a, std::int32_t b, const Permutation& b_from_a);

  /// Takes back all but the first `links` changes.
  void undo(std::size_t links);
  std::size_t links() const { return linked_.size(); }

 private:
  struct Node {
    std::int32_t parent;
    Permutation from_parent;
    std::int32_t size = 1;
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> linked_;  // roots that became children, in order
};

}  // namespace cavs::inline v0_1
