// Compares the PQ-tree with its definition, by filtering all orders of a few leaves.

#include "layout/pq_tree.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace cavs {
namespace {

using Leaves = std::vector<std::int32_t>;
/// Orders of up to eight leaves, four bits per leaf, ascending.
using Orders = std::vector<std::uint32_t>;

Orders all_orders(std::int32_t leaves) {
  Leaves order(leaves);
  std::iota(order.begin(), order.end(), 0);
  Orders all;
  do
    all.push_back(
        std::accumulate(order.begin(), order.end(), 0U, [](auto code, auto leaf) { return code << 4 | leaf; }));
  while (std::next_permutation(order.begin(), order.end()));
  return all;
}

/// The orders in which the leaves of a subset (one bit per leaf) are adjacent.
Orders kept(const Orders& orders, std::int32_t leaves, std::uint32_t subset) {
  Orders kept;
  for (std::uint32_t order : orders) {
    int runs = 0;
    for (std::int32_t i = 0; i < leaves; ++i) {
      const bool here = subset >> (order >> 4 * i & 15) & 1,
                 before = i > 0 && (subset >> (order >> 4 * (i - 1) & 15) & 1);
      runs += here && !before;
    }
    if (runs <= 1) kept.push_back(order);
  }
  return kept;
}

Leaves leaves_of(std::uint32_t subset) {
  Leaves leaves;
  for (std::int32_t leaf = 0; leaf < 8; ++leaf)
    if (subset >> leaf & 1) leaves.push_back(leaf);
  return leaves;
}

struct Below {
  Orders orders;
  std::int32_t leaves = 0;
};

/// Every order of the leaves below a node, by the definition of P and Q nodes.
Below orders_below(const PqTree& tree, PqTree::NodeId node) {
  if (tree.kind(node) == PqTree::Kind::kLeaf) return {{static_cast<std::uint32_t>(node)}, 1};
  std::vector<Below> children;
  for (PqTree::NodeId child : tree.children(node)) children.push_back(orders_below(tree, child));
  const bool is_p = tree.kind(node) == PqTree::Kind::kP;
  EXPECT_GE(children.size(), is_p ? 3U : 2U);
  std::vector<std::size_t> sequence(children.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  Below all;
  for (bool more = true, forward_end = false; more;) {
    Below here{{0}, 0};
    for (std::size_t c : sequence) {
      Below longer{{}, here.leaves + children[c].leaves};
      for (std::uint32_t head : here.orders)
        for (std::uint32_t tail : children[c].orders) longer.orders.push_back(head << 4 * children[c].leaves | tail);
      here = longer;
    }
    all.orders.insert(all.orders.end(), here.orders.begin(), here.orders.end());
    all.leaves = here.leaves;
    more = is_p ? std::next_permutation(sequence.begin(), sequence.end()) : !forward_end;
    if (!is_p) {
      std::reverse(sequence.begin(), sequence.end());
      forward_end = true;
    }
  }
  return all;
}

Orders orders_of(const PqTree& tree) {
  Orders orders = orders_below(tree, tree.root()).orders;
  std::sort(orders.begin(), orders.end());
  return orders;
}

std::string text_below(const PqTree& tree, PqTree::NodeId node) {
  if (tree.kind(node) == PqTree::Kind::kLeaf) return std::to_string(node);
  std::string text = tree.kind(node) == PqTree::Kind::kP ? "P(" : "Q(";
  for (PqTree::NodeId child : tree.children(node)) text += text_below(tree, child) + " ";
  text.back() = ')';
  return text;
}
std::string text_of(const PqTree& tree) { return text_below(tree, tree.root()); }

/// A number from the whole range in every case. By default RapidCheck's range grows with the number of the case.
template <typename T>
T any_below(T begin, T end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(begin, end));
}

/// A subset of few or of many leaves.
std::uint32_t random_subset(std::int32_t leaves) {
  const std::uint32_t all = 1U << leaves, subset = any_below(0U, all);
  return *rc::gen::arbitrary<bool>() ? subset : subset & any_below(0U, all);
}

RC_GTEST_PROP(PqTree, HoldsJustTheOrdersThatKeepEveryAcceptedSubsetTogether, ()) {
  const std::int32_t leaves = any_below(1, 9);
  PqTree tree(leaves);
  Orders expected = all_orders(leaves);
  for (int i = any_below(1, 10); i > 0; --i) {
    const std::uint32_t subset = random_subset(leaves);
    const Orders remaining = kept(expected, leaves, subset);
    const std::string before = text_of(tree);
    const PqTree::Reduction reduction = tree.reduce(leaves_of(subset));
    RC_ASSERT((reduction == PqTree::Reduction::kRejected) == remaining.empty());
    RC_ASSERT((reduction == PqTree::Reduction::kUnchanged) == (remaining == expected));
    if (remaining.empty()) {
      RC_ASSERT(text_of(tree) == before);
      continue;
    }
    expected = remaining;
    RC_ASSERT(orders_of(tree) == expected);
  }
}

/// Long chains, which random subsets rarely form: subsets share one leaf, come in random order, and close a ring.
RC_GTEST_PROP(PqTree, HoldsTheOrdersOfAChain, ()) {
  constexpr std::int32_t kLeaves = 7;
  std::vector<std::uint32_t> links;
  for (std::int32_t i = 0; i + 1 < kLeaves; ++i)
    links.push_back(*rc::gen::element(3U, 7U) << i & ((1U << kLeaves) - 1));
  links.push_back(1U | 1U << (kLeaves - 1));
  for (std::size_t i = links.size(); i > 1; --i) std::swap(links[i - 1], links[any_below<std::size_t>(0, i)]);
  PqTree tree(kLeaves);
  Orders expected = all_orders(kLeaves);
  for (std::uint32_t link : links) {
    const Orders remaining = kept(expected, kLeaves, link);
    RC_ASSERT((tree.reduce(leaves_of(link)) == PqTree::Reduction::kRejected) == remaining.empty());
    if (!remaining.empty()) expected = remaining;
    RC_ASSERT(orders_of(tree) == expected);
  }
}

TEST(PqTree, FindsTheSubtreeOfASubset) {
  PqTree tree(6);
  for (const Leaves& subset : {Leaves{0, 1}, Leaves{1, 2}, Leaves{2, 3}}) tree.reduce(subset);
  EXPECT_EQ(text_of(tree), "P(4 5 Q(0 1 2 3))");
  const PqTree::Subtree run = tree.subtree(Leaves{2, 1});
  EXPECT_EQ(tree.kind(run.root), PqTree::Kind::kQ);
  EXPECT_THAT(run.children, testing::AnyOf(testing::ElementsAre(1, 2), testing::ElementsAre(2, 1)));
  EXPECT_EQ(tree.subtree(Leaves{3, 0, 2, 1}).children.size(), 4U);
  EXPECT_EQ(tree.subtree(Leaves{5, 4, 3, 2, 1, 0}).root, tree.root());
  EXPECT_EQ(tree.subtree(Leaves{4}).root, 4);
}

RC_GTEST_PROP(PqTree, FindsWhatHoldsAnySubsetThatItAccepted, ()) {
  const std::int32_t leaves = any_below(2, 9);
  PqTree tree(leaves);
  std::vector<Leaves> accepted;
  for (int i = 0; i < 6; ++i) {
    const Leaves subset = leaves_of(random_subset(leaves));
    if (!subset.empty() && tree.reduce(subset) != PqTree::Reduction::kRejected) accepted.push_back(subset);
  }
  for (const Leaves& subset : accepted) {
    const PqTree::Subtree found = tree.subtree(subset);
    std::uint32_t below = found.children.empty() ? 1U << found.root : 0;
    for (PqTree::NodeId child : found.children) {
      const Below part = orders_below(tree, child);
      for (std::int32_t i = 0; i < part.leaves; ++i) below |= 1U << (part.orders[0] >> 4 * i & 15);
    }
    RC_ASSERT(leaves_of(below) == subset);
  }
}

/// Reduces by runs of neighbours, in an order that joins long Q nodes. Work must be linear in the runs' sizes.
TEST(PqTree, WorkIsLinearInTheSubsets) {
  const auto work = [](std::int32_t leaves, std::int32_t run) {
    PqTree tree(leaves);
    std::int64_t held = 0;
    std::vector<std::int32_t> starts(leaves - run + 1);
    std::iota(starts.begin(), starts.end(), 0);
    for (std::size_t i = 0; i < starts.size(); ++i) std::swap(starts[i], starts[i * 7919 % starts.size()]);
    for (std::int32_t start : starts) {
      Leaves subset(run);
      std::iota(subset.begin(), subset.end(), start);
      EXPECT_NE(tree.reduce(subset), PqTree::Reduction::kRejected);
      held += run;
    }
    return static_cast<double>(tree.touched()) / static_cast<double>(held);
  };
  for (std::int32_t run : {2, 3, 8}) {
    const double few = work(100, run), many = work(10'000, run);
    EXPECT_LT(many, 1.3 * few) << "runs of " << run;
    EXPECT_LT(many, 8) << "runs of " << run;
  }
}

}  // namespace
}  // namespace cavs
