// Compares orders of variables with their definition, by trying every order of a few variables.

#include "layout/aligned_order.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "helpers/graphs.h"
#include "layout/order_union.h"

namespace cavs {
namespace {

using Variables = std::vector<std::int32_t>;

Variables positions_of(const Variables& order) {
  Variables position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<std::int32_t>(i);
  return position;
}

/// First position of each element, or nothing if an element or the operand is not adjacent.
Variables begins(const Elements& operand, const Variables& position) {
  Variables begins, all;
  for (const auto& element : operand) {
    Variables here;
    for (std::int32_t variable : element) here.push_back(position[variable]);
    std::sort(here.begin(), here.end());
    if (here.back() - here.front() + 1 != static_cast<std::int32_t>(here.size())) return {};
    begins.push_back(here.front());
    all.insert(all.end(), here.begin(), here.end());
  }
  std::sort(all.begin(), all.end());
  if (all.back() - all.front() + 1 != static_cast<std::int32_t>(all.size())) return {};
  return begins;
}

/// Definition of section 3.2: operands are adjacent, and their elements have the same order in every operand.
bool is_ideal(const std::vector<AlignedSet>& sets, const Variables& order) {
  const Variables position = positions_of(order);
  for (const AlignedSet& set : sets) {
    const Variables first = begins(set.operands[0], position);
    for (const Elements& operand : set.operands) {
      const Variables here = begins(operand, position);
      if (here.empty() || first.empty()) return false;
      for (std::size_t a = 0; a < here.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          if ((first[a] < first[b]) != (here[a] < here[b])) return false;
    }
  }
  return true;
}

bool has_ideal_order(std::int32_t variables, const std::vector<AlignedSet>& sets) {
  Variables order(variables);
  std::iota(order.begin(), order.end(), 0);
  do
    if (is_ideal(sets, order)) return true;
  while (std::next_permutation(order.begin(), order.end()));
  return false;
}

Elements single(const Variables& variables) {
  Elements elements;
  for (std::int32_t variable : variables) elements.push_back({variable});
  return elements;
}

/// Figures 3 to 5: x4, x5 = B1 of (x1, x3), (x2, x1); x8, x6, x7 = B2 of (x3, x4, x5). Here numbers start at 0.
TEST(AlignedOrder, LaysOutThePapersExample) {
  const std::vector<AlignedSet> sets{{{single({3, 4}), single({0, 2}), single({1, 0})}},
                                     {{single({7, 5, 6}), single({2, 3, 4})}}};
  const AlignedOrder found = order_variables(8, {}, sets);
  EXPECT_TRUE(found.conflicts.empty()) << testing::PrintToString(found.order);
  EXPECT_TRUE(is_ideal(sets, found.order));
  // The paper's order is (x2 x1 x3 x4 x5) (x8 x6 x7). The two blocks may be swapped, and the whole may be reversed.
  EXPECT_THAT(found.order,
              testing::AnyOf(testing::ElementsAre(1, 0, 2, 3, 4, 7, 5, 6),  //
                             testing::ElementsAre(7, 5, 6, 1, 0, 2, 3, 4), testing::ElementsAre(6, 5, 7, 4, 3, 2, 0, 1),
                             testing::ElementsAre(4, 3, 2, 0, 1, 6, 5, 7)));
}

TEST(AlignedOrder, GivesUpTheLessImportantOperand) {
  // One order cannot contain both (0 1 2) and (2 1 0), nor have all three pairs of 0, 1 and 2 adjacent.
  const std::vector<AlignedSet> sets{{{single({0, 1, 2}), single({3, 4, 5}), single({2, 0, 1})}},
                                     {{single({6, 3}), single({4, 7})}}};
  const AlignedOrder found = order_variables(8, {}, sets);
  ASSERT_FALSE(found.conflicts.empty());
  EXPECT_EQ(found.conflicts[0], (AlignedOrder::Conflict{0, 2}));
  const Variables position = positions_of(found.order);
  EXPECT_FALSE(begins(sets[0].operands[0], position).empty());
  EXPECT_FALSE(begins(sets[0].operands[1], position).empty());
}

TEST(AlignedOrder, KeepsRecordsInForwardOrder) {
  // Two values of two parts each, adjacent. Readers would prefer one value reversed.
  const std::vector<Variables> records{{0, 1}, {2, 3}};
  const AlignedOrder found =
      order_variables(6, records, {{{single({1, 2}), single({4, 5})}}, {{single({0, 1}), single({3, 2})}}});
  const Variables position = positions_of(found.order);
  for (const Variables& record : records) EXPECT_EQ(position[record[0]] + 1, position[record[1]]);
}

Variables shuffled(Numbers& numbers, std::int32_t count) {
  Variables drawn(count);
  std::iota(drawn.begin(), drawn.end(), 0);
  for (std::int32_t i = 0; i < count; ++i) std::swap(drawn[i], drawn[i + numbers.below(count - i)]);
  return drawn;
}

/// Random variables, or, with `possible`, runs of one hidden order, so that an ideal order exists.
std::vector<AlignedSet> random_sets(Numbers& numbers, std::int32_t variables, std::int32_t count, bool possible) {
  const Variables hidden = shuffled(numbers, variables);
  std::vector<AlignedSet> sets(count);
  for (AlignedSet& set : sets) {
    const std::int32_t size = 2 + numbers.below(2);
    const Variables sequence = shuffled(numbers, size);
    for (int o = 1 + numbers.below(3); o > 0; --o) {
      const std::int32_t width = variables >= 2 * size && numbers.below(4) == 0 ? 2 : 1;
      const Variables& order = possible ? hidden : shuffled(numbers, variables);
      const std::int32_t first = numbers.below(variables - width * size + 1);
      Elements elements(size);
      for (std::int32_t i = 0; i < size; ++i)
        for (std::int32_t k = 0; k < width; ++k) elements[i].push_back(order[first + width * sequence[i] + k]);
      set.operands.push_back(elements);
    }
  }
  return sets;
}

RC_GTEST_PROP(AlignedOrder, IsIdealWheneverThatIsPossible, ()) {
  Numbers numbers(*rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()));
  const std::int32_t variables = 4 + numbers.below(4);
  const std::vector<AlignedSet> sets = random_sets(numbers, variables, 1 + numbers.below(4), numbers.below(2) == 0);
  const AlignedOrder found = order_variables(variables, {}, sets);
  Variables sorted = found.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::int32_t i = 0; i < variables; ++i) RC_ASSERT(sorted[i] == i);
  RC_ASSERT(found.conflicts.empty() == has_ideal_order(variables, sets));
  RC_ASSERT((is_ideal(sets, found.order) || !found.conflicts.empty()));
  RC_CLASSIFY(found.conflicts.empty());
  // Checks for each set that the operands without a conflict are ideal.
  for (std::size_t s = 0; s < sets.size(); ++s) {
    AlignedSet kept;
    for (std::size_t o = 0; o < sets[s].operands.size(); ++o)
      if (std::find(found.conflicts.begin(), found.conflicts.end(),
                    AlignedOrder::Conflict{static_cast<std::int32_t>(s), static_cast<std::int32_t>(o)}) ==
          found.conflicts.end())
        kept.operands.push_back(sets[s].operands[o]);
    RC_ASSERT((kept.operands.empty() || is_ideal({kept}, found.order)));
  }
}

/// Layers of batches, each of which reads the results of the previous layer. By Lemma 3.1 the work grows at most as the
/// number of variables times the square of the largest batch.
TEST(AlignedOrder, WorkGrowsAsInTheLemma) {
  const auto work = [](std::int32_t layers, std::int32_t width) {
    std::vector<AlignedSet> sets;
    for (std::int32_t layer = 0; layer < layers; ++layer) {
      Variables in(width), weights(width), out(width);
      for (std::int32_t i = 0; i < width; ++i) {
        in[i] = 2 * layer * width + i;
        weights[i] = in[i] + width;
        out[i] = in[i] + 2 * width;
      }
      sets.push_back({{single(weights), single(in), single(out)}});
    }
    const std::int32_t pair = 2 * layers * width;  // the last results; only these sets fix an order
    for (std::int32_t i = 0; i + 1 < width; ++i) sets.push_back({{single({pair + i, pair + i + 1})}});
    const AlignedOrder found = order_variables((2 * layers + 1) * width, {}, sets);
    EXPECT_TRUE(found.conflicts.empty()) << testing::PrintToString(found.order);
    EXPECT_TRUE(is_ideal(sets, found.order));
    return static_cast<double>(found.touched);
  };
  EXPECT_LT(work(64, 4), 1.1 * 4 * work(16, 4));      // linear in the number of batches
  EXPECT_LT(work(8, 32), 1.1 * 4 * 16 * work(8, 8));  // at most cubic in their size
  EXPECT_LT(work(64, 4), 64 * 3 * 4 * 4 * 4);         // with a small constant
}

TEST(OrderUnion, ComposesPermutationsAndFindsContradictions) {
  OrderUnion orders({3, 3, 3, 2, 2});
  EXPECT_TRUE(orders.unite(0, 1, {1, 2, 0}));
  EXPECT_TRUE(orders.unite(1, 2, {2, 1, 0}));
  // Node 2 is (2 1 0) applied to (1 2 0) of node 0, which gives slots 1, 0, 2.
  EXPECT_TRUE(orders.unite(0, 2, {1, 0, 2}));
  EXPECT_FALSE(orders.unite(0, 2, {0, 1, 2}));
  EXPECT_FALSE(orders.unite(0, 0, {1, 0, 2}));
  const std::size_t links = orders.links();
  EXPECT_TRUE(orders.unite(3, 4, {1, 0}));
  EXPECT_FALSE(orders.unite(4, 3, {0, 1}));
  orders.undo(links);
  EXPECT_TRUE(orders.unite(4, 3, {0, 1}));
}

}  // namespace
}  // namespace cavs
