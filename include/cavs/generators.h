#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

/// Generated data. Sample i depends on (seed, i) and the options alone: it is the same on every machine, in any order.
namespace cavs {

class Zipf;

/// Pixels of a side of the frames that films have (moving-shapes).
inline constexpr int kFrameSide = 16;

struct ListOpsOptions {
  int length = 50;        // tokens of an expression at most: operators, digits and closing brackets; at least 4
  int max_arguments = 5;  // of an operator, at least 2
  int max_depth = 6;      // operators inside one another, at least 1
};
enum class Split { kTrain, kTest };

/// Drawn as Nangia and Bowman (2018) do: an argument is an operator with probability 1/4. No expression of one split
/// is in the other (a hash of its text decides); within a split short ones repeat.
Tree generate_listops(const ListOpsOptions& options, std::uint64_t seed, Split split, std::int64_t i);

/// A complete binary tree (of 2 leaves - 1 vertices, the last level filled from the left): random words with ids
/// 1 .. vocabulary - 1 at the leaves, a random label at the root.
InputGraph generate_binary_tree(int leaves, int vocabulary, int classes, std::uint64_t seed, std::int64_t i);

struct RandomTreeOptions {
  int leaves = 19;         // 1 to 2 leaves - 1, all equally often (the Stanford treebank has 19.1 on average)
  int vocabulary = 1'000;  // ids of words are 1 .. vocabulary - 1, drawn with a frequency of 1/rank; at least 2
  int classes = 5;         // of labels, at least 1
};

/// Strictly binary trees, split at random, with a label at every vertex that can be learned: a word has one of its own,
/// and an inner vertex the mean of its children's, rounded up, or the mirror image of the right child's where the left
/// one is a "negation" (a word whose id is a multiple of 8). Words are "wN". The root is vertex 0.
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
  int length = 20;         // words of a sentence without <eos>: 1 to 2 length - 1, all equally often; at least 1
};

/// A language that can be learned: every word has four favourite successors, drawn by the seed, one of which follows it
/// three times in four (1/2, 1/4, 1/8, 1/8 of these); else any word does. Words are drawn with a frequency of 1/rank.
class MarkovSource {
 public:
  /// @throws UserError for a vocabulary below 3 or above 10,000,000, or a length below 1. Cost: linear in the
  /// vocabulary.
  MarkovSource(const MarkovOptions& options, std::uint64_t seed);
  /// The ids of sentence i, ending in <eos>.
  std::vector<std::int32_t> sentence(Split split, std::int64_t i) const;
  /// Exactly `steps` ids (at least 1) of sentences one after the other, the last one cut off.
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
  int min_arity = 1;  // child slots of a vertex that is no leaf
  int max_arity = 3;
  int types = 1;
  float leaf = 0.25F;  // probability that a vertex has no slots
  float absent = 0;    // probability that a slot is empty
};

/// For tests: shared children, several roots, absent children, vertices in shuffled order. No pulls.
InputGraph generate_dag(const RandomDagOptions& options, std::uint64_t seed, std::int64_t i);

}  // namespace cavs
