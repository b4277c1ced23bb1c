#pragma once

#include <cstdint>

#include "data/generators.h"
#include "support/philox.h"

namespace cavs::inline v0_1 {

enum class Generator : std::uint64_t {
  kListOps = 1,
  kBinaryTree = 2,
  kDag = 3,
  kMarkov = 4,
  kRandomTree = 5,
  kLattice = 6,
  kTags = 7,
  kTranslation = 8,
  kTreePair = 9,
  kExpression = 10,
  kMovingShapes = 11
};

/// Returns an independent random stream for each generator, part (such as a split) and sample.
inline Random random_for(Generator generator, std::uint64_t seed, std::int64_t i, std::uint64_t part = 0) {
  const std::uint64_t stream = static_cast<std::uint64_t>(generator) << 56 | part << 48 | static_cast<std::uint64_t>(i);
  return {seed, RandomPurpose::kGenerator, stream};
}
inline Random random_for(Generator generator, std::uint64_t seed, Split split, std::int64_t i) {
  return random_for(generator, seed, i, split == Split::kTest ? 1 : 0);
}

/// Draws an integer uniformly from 1 to 2 * mean - 1, inclusive.
inline std::int32_t draw_length(int mean, Random& random) {
  return 1 + static_cast<std::int32_t>(random.below(2 * static_cast<std::uint32_t>(mean) - 1));
}

}  // namespace cavs::inline v0_1
