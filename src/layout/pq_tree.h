#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cavs::inline v0_1 {

/// All orders of a set of leaves in which some subsets are consecutive (Booth and Lueker, JCSS 1976). The children of a
/// P node may have any order, those of a Q node the given order or its reverse. A node with two children is a Q node,
/// so every P node has three or more.
///
/// Leaves are nodes 0 to leaves - 1. A tree can be copied as a plain value.
class PqTree {
 public:
  using NodeId = std::int32_t;
  enum class Kind : std::uint8_t { kLeaf, kP, kQ };
  enum class Reduction : std::uint8_t { kRejected, kUnchanged, kChanged };

  /// Allows every order of the leaves. @throws InternalError without a leaf.
  explicit PqTree(std::int32_t leaves);

  /// Keeps only the orders in which the given leaves (each once) are consecutive. If there is none, returns kRejected
  /// and leaves the tree unchanged. Returns kUnchanged if the leaves were consecutive in every order already.
  /// Cost: amortised linear in the number of given leaves, up to the inverse Ackermann function.
  Reduction reduce(std::span<const NodeId> leaves);

  /// Returns the leaves in one of the allowed orders.
  std::vector<NodeId> frontier() const;

  NodeId root() const { return root_; }
  Kind kind(NodeId node) const { return nodes_[node].kind; }
  std::int32_t child_count(NodeId node) const { return nodes_[node].count; }
  /// Returns the children of a node in one of the allowed orders.
  std::vector<NodeId> children(NodeId node) const;

  /// The smallest part of the tree that is above a given set of leaves, which are consecutive in every order.
  struct Subtree {
    NodeId root = -1;              // lowest node above all of the set; also above other leaves only if it is a Q node
    std::vector<NodeId> children;  // the root's children above the set, in order or reversed; none if it is a leaf
  };
  /// Before: reduce() accepted these leaves (each once). Cost: linear in their number.
  Subtree subtree(std::span<const NodeId> leaves) const;

  /// Number of node visits by reduce() so far: a measure of its work that does not depend on the machine.
  std::int64_t touched() const { return touched_; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }

 private:
  /// Siblings are linked without a direction, so two lists are joined in constant time, in either direction.
  struct Node {
    Kind kind = Kind::kLeaf;
    NodeId parent = -1;       // call parent_of() instead: the parent may have been merged
    NodeId merged_into = -1;  // the Q node that took over its children, or -1
    NodeId first = -1, last = -1;
    std::int32_t count = 0;  // number of children
    std::array<NodeId, 2> beside{-1, -1};
  };
  enum class Label : std::uint8_t { kEmpty, kPartial, kFull };
  /// State of a node in one reduction: the node is full if all leaves below it are in the set, empty if none is, else
  /// partial. The empty end of a partial Q node is `first`, the full end `last`.
  struct Mark {
    Label label = Label::kEmpty;
    std::int32_t pending = 0;  // number of children above leaves of the set that are not matched yet
    std::int32_t leaves = 0;   // number of leaves of the set below the node
    std::int32_t full = 0, partial = 0;
    NodeId first_full = -1, next_full = -1;
    std::array<NodeId, 2> partials{-1, -1};
  };

  NodeId new_node(Kind kind);
  Node& edit(NodeId node);
  Mark& mark(NodeId node);
  NodeId parent_of(NodeId node);
  NodeId parent_of(NodeId node) const;
  NodeId neighbour(NodeId node, NodeId other_than) const;

  void replace_beside(NodeId node, NodeId old, NodeId by);
  void append(NodeId parent, NodeId child);
  void remove(NodeId parent, NodeId child);
  void replace(NodeId old, NodeId by);
  NodeId without_single(NodeId node);
  void join(NodeId q, NodeId other);

  void bubble(std::span<const NodeId> leaves);
  bool match_all(std::span<const NodeId> leaves);
  NodeId match(NodeId node, bool is_root);
  NodeId group_full(NodeId p);
  NodeId match_p(NodeId p, bool is_root);
  bool match_q(NodeId q, bool is_root);
  bool match_q_end(NodeId q);
  bool match_q_middle(NodeId q);
  NodeId flatten(NodeId q, NodeId partial, NodeId inner);
  bool report(NodeId child);
  void roll_back(std::int32_t nodes, NodeId root);

  std::vector<Node> nodes_;
  NodeId root_ = -1;
  std::int64_t touched_ = 0;
  // State of one reduction, with the changes to undo if it is rejected.
  std::vector<Mark> marks_;
  std::vector<std::int64_t> marked_, edited_;  // [nodes] number of the last reduction that marked, or edited, the node
  std::vector<std::pair<NodeId, Node>> undo_;
  std::vector<NodeId> queue_;
  std::int64_t number_ = 0;
  bool changed_ = false;
};

}  // namespace cavs::inline v0_1
