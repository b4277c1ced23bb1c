#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

/// Generated data. Sample i depends on (seed, i) and the options alone: it is the same on every machine, in any order.
namespace cavs::inline v0_1 {

class Zipf;

/// Height and width, in pixels, of the frames of generated video clips (moving-shapes).
inline constexpr int kFrameSide = 16;

struct ListOpsOptions {
  int length = 50;        // maximum of an expression's tokens (operators, digits, closing brackets); at least 4
  int max_arguments = 5;  // maximum of an operator's arguments; at least 2
  int max_depth = 6;      // maximum of operators inside one another; at least 1
};
enum class Split { kTrain, kTest };

/// Expression i of a split, drawn as by Nangia and Bowman (2018): an argument is an operator with probability 1/4. A
/// hash of the text decides in which split an expression is, so none is in both; short ones occur repeatedly in their
/// split.
Tree generate_listops(const ListOpsOptions& options, std::uint64_t seed, Split split, std::int64_t i);

/// A complete binary tree of 2 * leaves - 1 vertices, whose last level is filled from the left. Leaves have random
/// words with ids 1 .. vocabulary - 1, the root has a random label.
InputGraph generate_binary_tree(int leaves, int vocabulary, int classes, std::uint64_t seed, std::int64_t i);

struct RandomTreeOptions {
  int leaves = 19;         // mean: 1 to 2 * leaves - 1, equally often (the Stanford treebank has 19.1 on average)
  int vocabulary = 1'000;  // word ids 1 .. vocabulary - 1, with probability proportional to 1/rank; at least 2
  int classes = 5;         // of labels, at least 1
};

/// Strictly binary trees, split at random. Every vertex has a label; a model can learn the rule. Every word has a label
/// of its own. An inner vertex has the mean of its children's labels, rounded up; but where its left child is a
/// "negation" (a word whose id is a multiple of 8), it has the mirror image of the right child's. Words are "wN";
/// vertex 0 is the root.
class RandomTreeSource {
 public:
  /// @throws UserError for an option out of range. Cost: linear in the vocabulary.
  RandomTreeSource(const RandomTreeOptions& options, std::uint64_t seed);
  Tree tree(Split split, std::int64_t i) const;

 private:
  RandomTreeOptions options_;
  std::uint64_t seed_;
  std::shared_ptr<const Zipf> ranks_;
};

struct MarkovOptions {
  int vocabulary = 1'000;  // ids: 0 <unk>, 1 <eos>, then the words, the most frequent first; at least 3
  int length = 20;         // mean number of words of a sentence: 1 to 2 * length - 1, equally often, then <eos>
};

/// A language that a model can learn. Every word has four favourite successors, which the seed determines. With
/// probability 3/4 one of them follows (the first in 1/2 of these cases, the others in 1/4, 1/8 and 1/8), else any
/// word. Favourites and other words are drawn with probability proportional to 1/rank.
class MarkovSource {
 public:
  /// @throws UserError for a vocabulary below 3 or above 10,000,000, or a length below 1. Cost: linear in the
  /// vocabulary.
  MarkovSource(const MarkovOptions& options, std::uint64_t seed);
  /// The ids of sentence i, ending in <eos>.
  std::vector<std::int32_t> sentence(Split split, std::int64_t i) const;
  /// Exactly `steps` ids (at least 1): sentences one after the other, of which the last is cut off.
  std::vector<std::int32_t> chain(Split split, std::int64_t i, std::int64_t steps) const;
  /// "<unk>", "<eos>", "w2", "w3", ...
  Vocabulary words() const;

 private:
  template <typename IsComplete>
  std::vector<std::int32_t> draw(Split split, std::int64_t i, IsComplete is_complete) const;
  std::int32_t word_at(std::uint32_t random) const;
  std::int32_t favourite(std::int32_t word, std::uint32_t rank) const;

  MarkovOptions options_;
  std::uint64_t seed_;
  std::shared_ptr<const Zipf> ranks_;
};

struct RandomDagOptions {
  int vertices = 20;  // at least 1
  int min_arity = 1;  // fewest child slots of a vertex that is no leaf
  int max_arity = 3;
  int types = 1;
  float leaf = 0.25F;  // probability that a vertex has no slots
  float absent = 0;    // probability that a slot is empty
};

/// A random graph for tests, with shared children, several roots, absent children and vertices in shuffled order. It
/// has no ports.
InputGraph generate_dag(const RandomDagOptions& options, std::uint64_t seed, std::int64_t i);

}  // namespace cavs::inline v0_1
