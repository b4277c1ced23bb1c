#include "layout/pq_tree.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {

PqTree::PqTree(std::int32_t leaves) {
  CAVS_ASSERT(leaves > 0);
  for (std::int32_t i = 0; i < leaves; ++i) new_node(Kind::kLeaf);
  if (leaves == 1) {
    root_ = 0;
    return;
  }
  root_ = new_node(leaves == 2 ? Kind::kQ : Kind::kP);
  for (std::int32_t i = 0; i < leaves; ++i) append(root_, i);
}

PqTree::NodeId PqTree::new_node(Kind kind) {
  nodes_.push_back({.kind = kind});
  marks_.emplace_back();
  marked_.push_back(-1);
  edited_.push_back(-1);
  return nodes() - 1;
}

PqTree::Node& PqTree::edit(NodeId node) {
  if (edited_[node] != number_) {
    edited_[node] = number_;
    undo_.emplace_back(node, nodes_[node]);
  }
  return nodes_[node];
}

PqTree::Mark& PqTree::mark(NodeId node) {
  if (marked_[node] != number_) {
    marked_[node] = number_;
    marks_[node] = {};
  }
  return marks_[node];
}

PqTree::NodeId PqTree::parent_of(NodeId node) {
  NodeId parent = nodes_[node].parent;
  ++touched_;
  if (parent < 0 || nodes_[parent].merged_into < 0) return parent;
  while (nodes_[parent].merged_into >= 0) {
    const NodeId next = nodes_[parent].merged_into;
    if (nodes_[next].merged_into >= 0) edit(parent).merged_into = nodes_[next].merged_into;  // path halving
    parent = next;
    ++touched_;
  }
  return edit(node).parent = parent;
}

PqTree::NodeId PqTree::parent_of(NodeId node) const {
  NodeId parent = nodes_[node].parent;
  while (parent >= 0 && nodes_[parent].merged_into >= 0) parent = nodes_[parent].merged_into;
  return parent;
}

PqTree::NodeId PqTree::neighbour(NodeId node, NodeId other_than) const {
  const auto& beside = nodes_[node].beside;
  return beside[0] == other_than ? beside[1] : beside[0];
}

std::vector<PqTree::NodeId> PqTree::children(NodeId node) const {
  std::vector<NodeId> children;
  for (NodeId before = -1, child = nodes_[node].first; child >= 0;) {
    children.push_back(child);
    before = std::exchange(child, neighbour(child, before));
  }
  return children;
}

std::vector<PqTree::NodeId> PqTree::frontier() const {
  std::vector<NodeId> leaves, stack{root_};
  while (!stack.empty()) {
    const NodeId node = stack.back();
    stack.pop_back();
    if (kind(node) == Kind::kLeaf) leaves.push_back(node);
    for (NodeId child : children(node)) stack.push_back(child);
  }
  std::reverse(leaves.begin(), leaves.end());  // the last child was visited first
  return leaves;
}

// Functions on lists of children.

void PqTree::replace_beside(NodeId node, NodeId old, NodeId by) {
  auto& beside = edit(node).beside;
  beside[beside[0] == old ? 0 : 1] = by;
}

/// Appends `child` to the children of `parent`, as the last one.
void PqTree::append(NodeId parent, NodeId child) {
  Node& p = edit(parent);
  edit(child).parent = parent;
  edit(child).beside = {p.last, -1};
  if (p.last >= 0) replace_beside(p.last, -1, child);
  if (p.first < 0) p.first = child;
  p.last = child;
  ++p.count;
}

void PqTree::remove(NodeId parent, NodeId child) {
  Node& p = edit(parent);
  const auto [a, b] = nodes_[child].beside;
  if (a >= 0) replace_beside(a, child, b);
  if (b >= 0) replace_beside(b, child, a);
  const NodeId rest = a >= 0 ? a : b;
  if (p.first == child) p.first = rest;
  if (p.last == child) p.last = rest;
  edit(child).beside = {-1, -1};
  --p.count;
}

/// Puts node `by`, which has no parent, in the place of node `old`.
void PqTree::replace(NodeId old, NodeId by) {
  const NodeId parent = parent_of(old);
  edit(by).parent = parent;
  const auto beside = edit(by).beside = std::exchange(edit(old).beside, {-1, -1});
  for (NodeId node : beside)
    if (node >= 0) replace_beside(node, old, by);
  if (parent < 0) {
    root_ = by;
    return;
  }
  Node& p = edit(parent);
  if (p.first == old) p.first = by;
  if (p.last == old) p.last = by;
}

/// Normalises a node that lost children and is not in a list of children, and returns the node in its place. An only
/// child replaces its parent; a node with two children becomes a Q node.
PqTree::NodeId PqTree::without_single(NodeId node) {
  if (nodes_[node].count == 2) edit(node).kind = Kind::kQ;
  if (nodes_[node].count != 1) return node;
  const NodeId child = nodes_[node].first;
  remove(node, child);
  return child;
}

/// Appends the children of Q node `other` to `q`, the last child first.
void PqTree::join(NodeId q, NodeId other) {
  Node &to = edit(q), &from = edit(other);
  replace_beside(to.last, -1, from.last);
  replace_beside(from.last, -1, to.last);
  to.last = from.first;
  to.count += from.count;
  from.merged_into = q;
}

// Functions of a reduction.

PqTree::Reduction PqTree::reduce(std::span<const NodeId> leaves) {
  if (leaves.size() < 2) return Reduction::kUnchanged;
  ++number_;
  undo_.clear();
  changed_ = false;
  const std::int32_t nodes_before = nodes();
  const NodeId root_before = root_;
  bubble(leaves);
  if (match_all(leaves)) return changed_ ? Reduction::kChanged : Reduction::kUnchanged;
  roll_back(nodes_before, root_before);
  return Reduction::kRejected;
}

void PqTree::roll_back(std::int32_t nodes_before, NodeId root_before) {
  for (const auto& [node, before] : undo_) nodes_[node] = before;
  nodes_.resize(nodes_before);
  marks_.resize(nodes_before);
  marked_.resize(nodes_before);
  edited_.resize(nodes_before);
  root_ = root_before;
}

/// Counts, for each node above leaves of the set, its children that are above such leaves. Goes up until all paths
/// meet.
void PqTree::bubble(std::span<const NodeId> leaves) {
  queue_.assign(leaves.begin(), leaves.end());
  std::size_t above_root = 0;
  for (std::size_t i = 0; queue_.size() - i + above_root > 1; ++i) {
    const NodeId parent = parent_of(queue_[i]);
    if (parent < 0)
      above_root = 1;
    else if (mark(parent).pending++ == 0)
      queue_.push_back(parent);
  }
}

/// Matches Booth and Lueker's templates from the leaves up to the first node above the whole set. False if none fits.
bool PqTree::match_all(std::span<const NodeId> leaves) {
  queue_.assign(leaves.begin(), leaves.end());
  const auto all = static_cast<std::int32_t>(leaves.size());
  for (NodeId leaf : leaves) mark(leaf).leaves = 1;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::int32_t below = mark(queue_[i]).leaves;
    const NodeId node = match(queue_[i], below == all);
    if (node < 0) return false;
    if (below == all) return true;
    mark(node).leaves = below;
    if (!report(node)) return false;
  }
  CAVS_ASSERT(false);  // not reached, since the root is above every leaf
  return false;
}

/// Counts a matched node at its parent. Returns false if the parent already had two partial children.
bool PqTree::report(NodeId child) {
  const NodeId parent = parent_of(child);
  Mark &from = mark(child), &to = mark(parent);
  to.leaves += from.leaves;
  if (from.label == Label::kFull) {
    from.next_full = std::exchange(to.first_full, child);
    ++to.full;
  } else {
    if (to.partial == 2) return false;
    to.partials[to.partial++] = child;
  }
  if (--to.pending == 0) queue_.push_back(parent);
  return true;
}

/// Applies the template that fits `node`. Returns the node that replaces `node`, or -1 if no template fits.
PqTree::NodeId PqTree::match(NodeId node, bool is_root) {
  Mark& m = mark(node);
  if (m.full == nodes_[node].count) {  // templates L1, P1, Q1
    m.label = Label::kFull;
    return node;
  }
  if (m.partial > (is_root ? 2 : 1)) return -1;
  if (kind(node) == Kind::kP) return match_p(node, is_root);
  if (!match_q(node, is_root)) return -1;
  mark(node).label = Label::kPartial;
  return node;
}

/// Removes the full children of a P node and returns them as one node, or -1 if there are none.
PqTree::NodeId PqTree::group_full(NodeId p) {
  const std::int32_t full = mark(p).full;
  if (full == 0) return -1;
  const NodeId group = full == 1 ? -1 : new_node(full == 2 ? Kind::kQ : Kind::kP);
  NodeId last = -1;
  for (NodeId child = mark(p).first_full; child >= 0; child = mark(child).next_full) {
    remove(p, last = child);
    if (group >= 0) append(group, child);
    ++touched_;
  }
  return group >= 0 ? group : last;
}

/// Applies templates P2 to P6. A node with full and empty children becomes a Q node whose full children are at the
/// `last` end. At the root of the reduction, the full children become one child of the P node instead.
PqTree::NodeId PqTree::match_p(NodeId p, bool is_root) {
  const Mark m = mark(p);
  const NodeId full = group_full(p);
  changed_ = changed_ || !is_root || m.partial > 0 || m.full > 1;
  if (is_root && m.partial == 0) {  // P2
    append(p, full);
    if (nodes_[p].count == 2) edit(p).kind = Kind::kQ;
    return p;
  }
  for (std::int32_t i = 0; i < m.partial; ++i) remove(p, m.partials[i]);
  const NodeId q = m.partial > 0 ? m.partials[0] : new_node(Kind::kQ);
  mark(q).label = Label::kPartial;
  if (m.partial > 0 && full >= 0) append(q, full);  // P4 to P6
  if (m.partial == 2) join(q, m.partials[1]);       // P6
  if (nodes_[p].count == 0) {
    replace(p, q);
  } else if (is_root) {
    append(p, q);
    if (nodes_[p].count == 2) edit(p).kind = Kind::kQ;
  } else {  // P3, P5: the empty children come first
    replace(p, q);
    const NodeId empty = without_single(p);
    std::swap(edit(q).first, edit(q).last);
    append(q, empty);
    std::swap(edit(q).first, edit(q).last);
    if (m.partial == 0) append(q, full);  // P3
  }
  return q;
}

/// Applies templates Q2 and Q3. The full children must be side by side, and a partial child must be next to them, with
/// its full end towards them.
bool PqTree::match_q(NodeId q, bool is_root) { return is_root ? match_q_middle(q) : match_q_end(q); }

/// Applies the template below the root: the full children must be at one end, which becomes the `last` one.
bool PqTree::match_q_end(NodeId q) {
  const Mark m = mark(q);
  const NodeId partial = m.partials[0];
  const auto begins = [&](NodeId child) {
    return m.full > 0 ? marked_[child] == number_ && marks_[child].label == Label::kFull : child == partial;
  };
  if (!begins(nodes_[q].last)) std::swap(edit(q).first, edit(q).last);
  if (!begins(nodes_[q].last)) return false;
  NodeId inner = -1, next = nodes_[q].last;
  for (std::int32_t i = 0; i < m.full; ++i) {
    if (marked_[next] != number_ || marks_[next].label != Label::kFull) return false;
    inner = std::exchange(next, neighbour(next, inner));
    ++touched_;
  }
  if (partial < 0) return true;
  if (next != partial) return false;
  flatten(q, partial, inner);
  return true;
}

/// Applies the template at the root: the full children may be anywhere, with a partial child on either side.
bool PqTree::match_q_middle(NodeId q) {
  const Mark m = mark(q);
  std::array<NodeId, 2> inner{}, outer{};
  if (m.full == 0) {
    inner = {m.partials[1], m.partials[0]};
    outer = m.partials;
    const auto& beside = nodes_[outer[0]].beside;
    if (beside[0] != inner[0] && beside[1] != inner[0]) return false;
  } else {
    std::int32_t seen = 1;
    for (int side = 0; side < 2; ++side) {
      inner[side] = m.first_full;
      outer[side] = nodes_[m.first_full].beside[side];
      while (outer[side] >= 0 && marked_[outer[side]] == number_ && marks_[outer[side]].label == Label::kFull) {
        inner[side] = std::exchange(outer[side], neighbour(outer[side], inner[side]));
        ++seen;
        ++touched_;
      }
    }
    if (seen != m.full) return false;
  }
  for (std::int32_t i = 0; i < m.partial; ++i) {
    const int side = m.partials[i] == outer[0] ? 0 : 1;
    if (m.partials[i] != outer[side]) return false;
    const NodeId full_end = flatten(q, outer[side], inner[side]);
    if (inner[1 - side] == outer[side]) inner[1 - side] = full_end;  // the partial children were neighbours
  }
  return true;
}

/// Replaces a partial Q node by its children, with the full end next to `inner`. Returns the full end.
PqTree::NodeId PqTree::flatten(NodeId q, NodeId partial, NodeId inner) {
  const NodeId outer = neighbour(partial, inner);
  const NodeId empty_end = nodes_[partial].first, full_end = nodes_[partial].last;
  for (const auto& [beside, end] : {std::pair(inner, full_end), std::pair(outer, empty_end)}) {
    replace_beside(end, -1, beside);
    if (beside >= 0)
      replace_beside(beside, partial, end);
    else
      (nodes_[q].first == partial ? edit(q).first : edit(q).last) = end;
  }
  edit(q).count += nodes_[partial].count - 1;
  edit(partial).merged_into = q;
  changed_ = true;
  return full_end;
}

PqTree::Subtree PqTree::subtree(std::span<const NodeId> leaves) const {
  std::unordered_map<NodeId, std::int32_t> complete;  // [nodes] number of children whose leaves are all in the set
  std::vector<NodeId> nodes(leaves.begin(), leaves.end());
  const auto is_whole = [&](NodeId node) { return node >= 0 && complete[node] == nodes_[node].count; };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (const NodeId parent = parent_of(nodes[i]); parent >= 0 && ++complete[parent] == nodes_[parent].count)
      nodes.push_back(parent);
  std::unordered_set<NodeId> tops;
  for (NodeId node : nodes)
    if (!is_whole(parent_of(node))) tops.insert(node);
  if (tops.size() == 1) return {*tops.begin(), children(*tops.begin())};
  NodeId child = *tops.begin(), beyond = nodes_[child].beside[0];
  Subtree run{parent_of(child), {}};
  while (tops.contains(beyond)) child = std::exchange(beyond, neighbour(beyond, child));
  while (tops.contains(child)) {
    run.children.push_back(child);
    beyond = std::exchange(child, neighbour(child, beyond));
  }
  CAVS_ASSERT(kind(run.root) == Kind::kQ && run.children.size() == tops.size());
  return run;
}

}  // namespace cavs::inline v0_1
