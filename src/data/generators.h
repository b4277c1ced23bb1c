#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

/// Generated data. Sample i depends only on (seed, i) and the options, so it is the same on every machine.
namespace cavs::inline v0_1 {

class Zipf;

/// Height and width, in pixels, of the frames of generated video clips (moving-shapes).
inline constexpr int kFrameSide = 16;

struct ListOpsOptions {
  int length = 50;        // maximum tokens of an expression (operators, digits, closing brackets); at least 4
  int max_arguments = 5;  // maximum arguments of an operator; at least 2
  int max_depth = 6;      // maximum depth of nested operators; at least 1
};
enum class Split { kTrain, kTest };

/// Draws expression i of a split as in Nangia and Bowman (2018): an argument is an operator with probability 1/4. A
/// hash of the text chooses the split of an expression, so none is in both. Short ones repeat within a split.
Tree generate_listops(const ListOpsOptions& options, std::uint64_t seed, Split split, std::int64_t i);

/// Returns a complete binary tree of 2 * leaves - 1 vertices, whose last level is filled from the left. Leaves have
/// random words with ids 1 .. vocabulary - 1; the root has a random label.
InputGraph generate_binary_tree(int leaves, int vocabulary, int classes, std::uint64_t seed, std::int64_t i);

struct RandomTreeOptions {
  int leaves = 19;         // mean number, drawn from 1 to 2 * leaves - 1 (the mean of the Stanford treebank is 19.1)
  int vocabulary = 1'000;  // word ids 1 .. vocabulary - 1, with probability proportional to 1/rank; at least 2
  int classes = 5;         // number of classes of labels; at least 1
};

/// Strictly binary trees, split at random. Every vertex has a label, by a rule that a model can learn. Every word has a
/// fixed label. An inner vertex has the mean of the labels of its children, rounded up; but if its left child is a
/// "negation" (a word whose id is a multiple of 8), it has its right child's label, mirrored. Words are "wN"; vertex 0
/// is the root.
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
  int length = 20;         // mean number of words of a sentence; uniform from 1 to 2 * length - 1, then <eos>
};

/// A language that a model can learn. Every word has four favourite successors, which depend on the seed. With
/// probability 3/4 the next word is a favourite (the first with probability 1/2, the others with 1/4, 1/8 and 1/8),
/// else any word. Favourites and other words are drawn with probability proportional to 1/rank.
class MarkovSource {
 public:
  /// @throws UserError for a vocabulary below 3 or above 10,000,000, or a length below 1. Cost: linear in the
  /// vocabulary.
  MarkovSource(const MarkovOptions& options, std::uint64_t seed);
  /// Returns the ids of sentence i, ending in <eos>.
  std::vector<std::int32_t> sentence(Split split, std::int64_t i) const;
  /// Returns exactly `steps` ids (at least 1) of consecutive sentences; the last sentence is cut off.
  std::vector<std::int32_t> chain(Split split, std::int64_t i, std::int64_t steps) const;
  /// Returns "<unk>", "<eos>", "w2", "w3", ...
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
  int min_arity = 1;  // minimum number of child slots of a vertex that is not a leaf
  int max_arity = 3;
  int types = 1;
  float leaf = 0.25F;  // probability that a vertex has no child slots
  float absent = 0;    // probability that the child of a slot is absent
};

/// Returns a random graph for tests, with shared children, several roots, absent children and vertices in shuffled
/// order. The graph has no ports.
InputGraph generate_dag(const RandomDagOptions& options, std::uint64_t seed, std::int64_t i);

}  // namespace cavs::inline v0_1
