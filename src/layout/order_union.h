#pragma once

#include <cstdint>
#include <vector>

namespace cavs::inline v0_1 {

/// A union-find structure of tree nodes whose orders determine each other (ED-Batch, Algorithm 5, with union by size).
/// The order of a node is a sequence of numbers, its slots: the children of a P node, or the two directions of a Q
/// node. unite(A, B, p) states that the sequence of B is permutation p applied to the sequence of A.
class OrderUnion {
 public:
  using Permutation = std::vector<std::int32_t>;

  /// @param slots  [nodes] how many elements the order of the node has.
  explicit OrderUnion(const std::vector<std::int32_t>& slots);

  /// The root of a node's tree, whose order determines the node's, and the permutation that turns it into the node's.
  struct Decision {
    std::int32_t root;
    Permutation from_root;
  };
  /// Cost: O(slots * log(nodes)).
  Decision find(std::int32_t node) const;

  /// States how the order of `b` follows from that of `a`, which has as many slots. Returns false, and changes nothing,
  /// if this contradicts earlier calls.
  bool unite(std::int32_t a, std::int32_t b, const Permutation& b_from_a);

  /// Undoes all successful calls of unite() that linked two roots, except the first `links`.
  void undo(std::size_t links);
  std::size_t links() const { return linked_.size(); }

 private:
  struct Node {
    std::int32_t parent;
    Permutation from_parent;
    std::int32_t size = 1;
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> linked_;  // former roots, in the order in which they were linked
};

}  // namespace cavs::inline v0_1
