#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace cavs::inline v0_1 {

/// All orders of a set of leaves in which some subsets are consecutive (Booth and Lueker, JCSS 1976). The children of a
/// P node stand in any order, those of a Q node in the given one or its reverse. A node of two children is a Q node, so
/// that every P node has three or more.
///
/// Leaves are nodes 0 to leaves - 1. Plain data: copying a tree copies it.
class PqTree {
 public:
  using NodeId = std::int32_t;
  enum class Kind : std::uint8_t { kLeaf, kP, kQ };
  enum class Reduction : std::uint8_t { kRejected, kUnchanged, kChanged };

  /// Every order of the leaves. @throws InternalError without a leaf.
  explicit PqTree(std::int32_t leaves);

  /// Keeps the orders in which the given leaves (each once) are consecutive. Where there is none, says kRejected and
  /// the tree stays as it was. kUnchanged: they were so in every order.
  /// Cost: amortised linear in the given leaves, but for the inverse Ackermann function.
  Reduction reduce(std::span<const NodeId> leaves);

  /// One of the orders.
  std::vector<NodeId> frontier() const;

  NodeId root() const { return root_; }
  Kind kind(NodeId node) const { return nodes_[node].kind; }
  std::int32_t child_count(NodeId node) const { return nodes_[node].count; }
  /// In one of the orders in which they may stand.
  std::vector<NodeId> children(NodeId node) const;

  /// What holds a set of leaves that is consecutive in every order, and no other leaf.
  struct Subtree {
    NodeId root = -1;              // of which all children are in the set, or some of a Q node's
    std::vector<NodeId> children;  // these, as they stand or in reverse; none of a leaf
  };
  /// Before: the leaves (each once) were accepted by reduce(). Cost: linear in them.
  Subtree subtree(std::span<const NodeId> leaves) const;

  /// Nodes that reduce() has looked at so far: its work, whatever the machine.
  std::int64_t touched() const { return touched_; }
  std::int32_t nodes() const { return static_cast<std::int32_t>(nodes_.size()); }

 private:
  /// Siblings are a list without a direction, so that two lists are joined, in either direction, in constant time.
  struct Node {
    Kind kind = Kind::kLeaf;
    NodeId parent = -1;       // read by parent_of: it may have become part of another
    NodeId merged_into = -1;  // the Q node that took its children
    NodeId first = -1, last = -1;
    std::int32_t count = 0;  // children
    std::array<NodeId, 2> beside{-1, -1};
  };
  enum class Label : std::uint8_t { kEmpty, kPartial, kFull };
  /// What one reduction knows of a node. The empty end of a partial Q node is `first`, the full one `last`.
  struct Mark {
    Label label = Label::kEmpty;
    std::int32_t pending = 0;  // children with leaves of the set that are not matched yet
    std::int32_t leaves = 0;   // of the set, below
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
  // Of one reduction: what it changed, to be undone if it is rejected.
  std::vector<Mark> marks_;
  std::vector<std::int64_t> marked_, edited_;  // number of the reduction
  std::vector<std::pair<NodeId, Node>> undo_;
  std::vector<NodeId> queue_;
  std::int64_t number_ = 0;
  bool changed_ = false;
};

}  // namespace cavs::inline v0_1
