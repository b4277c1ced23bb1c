#include "layout/order_union.h"

#include <numeric>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

using Permutation = OrderUnion::Permutation;

Permutation identity(std::int32_t slots) {
  Permutation p(slots);
  std::iota(p.begin(), p.end(), 0);
  return p;
}

/// Returns the permutation that applies b, then a.
Permutation composed(const Permutation& a, const Permutation& b) {
  CAVS_ASSERT(a.size() == b.size());
  Permutation p(a.size());
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = a[b[i]];
  return p;
}

Permutation inverse(const Permutation& a) {
  Permutation p(a.size());
  for (std::size_t i = 0; i < p.size(); ++i) p[a[i]] = static_cast<std::int32_t>(i);
  return p;
}

}  // namespace

OrderUnion::OrderUnion(const std::vector<std::int32_t>& slots) {
  for (std::int32_t count : slots) nodes_.push_back({static_cast<std::int32_t>(nodes_.size()), identity(count)});
}

OrderUnion::Decision OrderUnion::find(std::int32_t node) const {
  Permutation from_root = nodes_[node].from_parent;
  while (nodes_[node].parent != node) {
    node = nodes_[node].parent;
    from_root = composed(from_root, nodes_[node].from_parent);
  }
  return {node, from_root};
}

bool OrderUnion::unite(std::int32_t a, std::int32_t b, const Permutation& b_from_a) {
  const Decision at_a = find(a), at_b = find(b);
  // The order of b is at_b.from_root(root of b). It must also be b_from_a(at_a.from_root(root of a)).
  const Permutation between = composed(inverse(at_b.from_root), composed(b_from_a, at_a.from_root));
  if (at_a.root == at_b.root) return between == identity(static_cast<std::int32_t>(between.size()));
  const bool b_below = nodes_[at_a.root].size >= nodes_[at_b.root].size;
  const std::int32_t below = b_below ? at_b.root : at_a.root, above = b_below ? at_a.root : at_b.root;
  nodes_[below].parent = above;
  nodes_[below].from_parent = b_below ? between : inverse(between);
  nodes_[above].size += nodes_[below].size;
  linked_.push_back(below);
  return true;
}

void OrderUnion::undo(std::size_t links) {
  while (linked_.size() > links) {
    Node& node = nodes_[linked_.back()];
    nodes_[node.parent].size -= node.size;
    node.parent = linked_.back();
    node.from_parent = identity(static_cast<std::int32_t>(node.from_parent.size()));
    linked_.pop_back();
  }
}

}  // namespace cavs::inline v0_1
