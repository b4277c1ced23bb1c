#include "data/random_pairs.h"

#include <numeric>
#include <utility>

#include "data/dependency_graph.h"
#include "data/generator_random.h"

namespace cavs {
namespace {

/// Words in random order, each but the first under one that came before it.
WordTree draw_tree(std::int32_t words, Random& random) {
  WordTree tree;
  std::vector<std::int32_t> order(words);
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t left = words; left > 1; --left)
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
  tree.heads.assign(words, -1);
  for (std::int32_t k = 1; k < words; ++k) tree.heads[order[k]] = order[random.below(static_cast<std::uint32_t>(k))];
  tree.root = order[0];
  return tree;
}

}  // namespace

TreePairSource::TreePairSource(const SequenceShape& shape)
    : shape_(shape), ranks_(static_cast<std::uint32_t>(shape.vocabulary - 1)) {}

InputGraph TreePairSource::pair(Split split, std::int64_t i) const {
  Random random = random_for(Generator::kTreePair, shape_.seed, i, split == Split::kTest ? 1 : 0);
  WordTree first = draw_tree(draw_length(shape_, random), random);
  first.words = draw_words(static_cast<std::int32_t>(first.heads.size()), 1, ranks_, random);
  WordTree second = first;
  const float keep = random.uniform();
  int kept = 0;
  for (std::int32_t& word : second.words) {
    if (random.uniform() >= keep) word = 1 + ranks_.at(random.next());
    kept += word == first.words[&word - second.words.data()] ? 1 : 0;
  }
  return to_tree_pair(first, second, 1 + 4 * static_cast<float>(kept) / static_cast<float>(second.words.size()));
}

}  // namespace cavs
