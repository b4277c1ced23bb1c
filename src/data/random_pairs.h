#pragma once

#include <cstdint>

#include "data/random_sequences.h"

namespace cavs {

/// Pairs of sentences with their dependency trees: both have the same tree, drawn at random, and the second keeps a
/// word of the first or has another one in its place. The score is 1 + 4 times the share of words that are kept.
class TreePairSource {
 public:
  explicit TreePairSource(const SequenceShape& shape);
  /// Of tree_pair_schema().
  InputGraph pair(Split split, std::int64_t i) const;

 private:
  SequenceShape shape_;
  Zipf ranks_;
};

}  // namespace cavs
