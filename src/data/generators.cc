#include "data/generators.h"

#include <algorithm>
#include <utility>

#include "cavs/vocabulary.h"
#include "data/generator_random.h"
#include "data/listops.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Draws an expression. If it exceeds the allowed number of tokens, returns false and leaves it unfinished.
bool draw_expression(const ListOpsOptions& options, Random& random, Tree& tree) {
  struct Open {
    std::int32_t vertex, arguments_left;
  };
  std::vector<Open> open;
  int tokens = 0;
  const auto draw_operator = [&](std::int32_t parent) {
    const auto op = kListOpsOperators[random.below(kListOpsOperators.size())];
    const auto arguments = 2 + random.below(static_cast<std::uint32_t>(options.max_arguments - 1));
    open.push_back({tree.add(parent, op), static_cast<std::int32_t>(arguments)});
    tokens += 2;
  };
  draw_operator(-1);
  while (!open.empty() && tokens <= options.length) {
    if (open.back().arguments_left-- == 0) {
      open.pop_back();
      continue;
    }
    const std::int32_t parent = open.back().vertex;
    if (static_cast<int>(open.size()) < options.max_depth && random.below(4) == 0) {
      draw_operator(parent);
    } else {
      tree.add(parent, std::string_view("0123456789").substr(random.below(10), 1));
      ++tokens;
    }
  }
  return open.empty() && tokens <= options.length;
}

/// Returns the split of an expression: one in eight is held out. The FNV-1a hash of its tokens and structure
/// decides, not the seed or the options.
Split split_of(const Tree& tree) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3U; };
  for (std::int32_t v = 0; v < tree.size(); ++v) {
    mix(static_cast<std::uint64_t>(tree.parents[v]) + 1);
    for (char c : tree.word(v)) mix(static_cast<unsigned char>(c));
  }
  return (hash ^ hash >> 32) % 8 == 0 ? Split::kTest : Split::kTrain;
}

}  // namespace

Tree generate_listops(const ListOpsOptions& options, std::uint64_t seed, Split split, std::int64_t i) {
  user_check(options.length >= 4, "listops: length is {}; expected at least 4 tokens, as in [MAX 2 9]", options.length);
  user_check(options.max_arguments >= 2, "listops: arguments is {}; expected at least 2", options.max_arguments);
  user_check(options.max_depth >= 1, "listops: depth is {}; expected at least 1", options.max_depth);
  Random random = random_for(Generator::kListOps, seed, split, i);
  for (;;) {
    Tree tree;
    if (!draw_expression(options, random, tree) || split_of(tree) != split) continue;
    evaluate_listops(tree);
    return tree;
  }
}

InputGraph generate_binary_tree(int leaves, int vocabulary, int classes, std::uint64_t seed, std::int64_t i) {
  user_check(leaves >= 1 && leaves <= (1 << 30), "binary-trees: leaves is {}; expected 1 to {}", leaves, 1 << 30);
  user_check(vocabulary >= 2, "binary-trees: vocabulary is {}; expected at least 2, <unk> and a word", vocabulary);
  user_check(classes >= 1, "binary-trees: classes is {}; expected at least 1", classes);
  Random random = random_for(Generator::kBinaryTree, seed, i);
  const std::int32_t inner = leaves - 1, vertices = 2 * leaves - 1;
  InputGraph graph;
  graph.types.assign(vertices, 0);
  graph.child_offsets.resize(vertices + 1);
  std::vector<std::int32_t> words(vertices, -1), labels(vertices, -1);
  for (std::int32_t v = 0; v < vertices; ++v) {  // a binary heap: the children of v are 2v + 1 and 2v + 2
    graph.types[v] = v < inner ? 1 : 0;
    graph.child_offsets[v + 1] = 2 * std::min(v + 1, inner);
    if (v < inner) graph.children.insert(graph.children.end(), {2 * v + 1, 2 * v + 2});
    if (v >= inner) words[v] = static_cast<std::int32_t>(1 + random.below(static_cast<std::uint32_t>(vocabulary - 1)));
  }
  labels[0] = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(classes)));
  graph.index_pulls = {std::move(words), std::move(labels)};
  return graph;
}

InputGraph generate_dag(const RandomDagOptions& options, std::uint64_t seed, std::int64_t i) {
  user_check(options.vertices >= 1 && options.types >= 1, "random DAG: {} vertices, {} types; expected at least 1",
             options.vertices, options.types);
  user_check(options.min_arity >= 0 && options.min_arity <= options.max_arity,
             "random DAG: arity {} to {}; expected an ascending range from 0", options.min_arity, options.max_arity);
  Random random = random_for(Generator::kDag, seed, i);
  const auto below = [&](std::int32_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  // Children are earlier in `order`, a random permutation, so edges lead to higher and to lower vertex numbers.
  std::vector<std::int32_t> order(options.vertices), rank(options.vertices);
  for (std::int32_t v = 0; v < options.vertices; ++v) order[v] = v;
  for (std::int32_t v = options.vertices - 1; v > 0; --v) std::swap(order[v], order[below(v + 1)]);
  for (std::int32_t r = 0; r < options.vertices; ++r) rank[order[r]] = r;
  InputGraph graph;
  graph.child_offsets.push_back(0);
  for (std::int32_t v = 0; v < options.vertices; ++v) {
    const bool leaf = rank[v] == 0 || random.uniform() < options.leaf;
    const std::int32_t slots = leaf ? 0 : options.min_arity + below(options.max_arity - options.min_arity + 1);
    for (std::int32_t slot = 0; slot < slots; ++slot)
      graph.children.push_back(random.uniform() < options.absent ? -1 : order[below(rank[v])]);
    graph.child_offsets.push_back(std::ssize(graph.children));
    graph.types.push_back(below(options.types));
  }
  return graph;
}

}  // namespace cavs::inline v0_1
