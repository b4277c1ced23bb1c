#include <fmt/format.h>

#include "cavs/vocabulary.h"
#include "data/generator_random.h"
#include "data/generators.h"
#include "data/zipf.h"
#include "support/check.h"
#include "support/philox.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int32_t kNegationEvery = 8;

/// Returns the fixed label of a word.
std::int32_t label_of_word(std::int32_t id, int classes) {
  return static_cast<std::int32_t>(philox({static_cast<std::uint32_t>(id)}, 0)[0] %
                                   static_cast<std::uint32_t>(classes));
}

struct Drawn {
  Tree tree;
  std::vector<std::int32_t> words;  // [vertices]: word ids; 0 for inner vertices
};

/// Draws the shape depth first, so that every parent has a smaller number than its children.
Drawn draw_tree(std::uint32_t mean_leaves, const Zipf& ranks, Random& random) {
  struct Open {
    std::int32_t parent;
    std::uint32_t leaves;
  };
  Drawn drawn;
  std::vector<Open> open{{-1, 1 + random.below(2 * mean_leaves - 1)}};
  while (!open.empty()) {
    const auto [parent, leaves] = open.back();
    open.pop_back();
    const std::int32_t word = leaves == 1 ? 1 + ranks.at(random.next()) : 0;
    const std::int32_t v = drawn.tree.add(parent, leaves == 1 ? fmt::format("w{}", word) : "");
    drawn.words.push_back(word);
    if (leaves == 1) continue;
    const std::uint32_t left = 1 + random.below(leaves - 1);
    open.push_back({v, leaves - left});
    open.push_back({v, left});
  }
  return drawn;
}

void label(Drawn& drawn, int classes) {
  Tree& tree = drawn.tree;
  std::vector<std::int32_t> left(tree.size(), -1), right(tree.size(), -1);
  for (std::int32_t v = tree.size() - 1; v > 0; --v) {  // children before parents, and right before left children
    std::int32_t& slot = right[tree.parents[v]] < 0 ? right[tree.parents[v]] : left[tree.parents[v]];
    slot = v;
  }
  for (std::int32_t v = tree.size() - 1; v >= 0; --v) {
    if (left[v] < 0) {
      tree.labels[v] = label_of_word(drawn.words[v], classes);
      continue;
    }
    const std::int32_t word = drawn.words[left[v]], below = tree.labels[right[v]];
    const bool negated = word > 0 && word % kNegationEvery == 0;
    tree.labels[v] = negated ? classes - 1 - below : (tree.labels[left[v]] + below + 1) / 2;
  }
}

}  // namespace

RandomTreeSource::RandomTreeSource(const RandomTreeOptions& options, std::uint64_t seed)
    : options_(options), seed_(seed) {
  user_check(options.leaves >= 1 && options.leaves <= (1 << 28), "random-trees: leaves is {}; expected 1 to {}",
             options.leaves, 1 << 28);
  user_check(options.vocabulary >= 2 && options.vocabulary <= 10'000'000,
             "random-trees: vocabulary is {}; expected 2 to 10000000, <unk> and a word", options.vocabulary);
  user_check(options.classes >= 1, "random-trees: classes is {}; expected at least 1", options.classes);
  ranks_ = std::make_shared<const Zipf>(static_cast<std::uint32_t>(options.vocabulary - 1));
}

Tree RandomTreeSource::tree(Split split, std::int64_t i) const {
  Random random = random_for(Generator::kRandomTree, seed_, split, i);
  Drawn drawn = draw_tree(static_cast<std::uint32_t>(options_.leaves), *ranks_, random);
  label(drawn, options_.classes);
  return std::move(drawn.tree);
}

}  // namespace cavs::inline v0_1
