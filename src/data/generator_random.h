#pragma once

#include <cstdint>

#include "support/philox.h"

namespace cavs {

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

/// A stream of its own for every generator, part (a split, say) and sample.
inline Random random_for(Generator generator, std::uint64_t seed, std::int64_t i, std::uint64_t part = 0) {
  const std::uint64_t stream = static_cast<std::uint64_t>(generator) << 56 | part << 48 | static_cast<std::uint64_t>(i);
  return {seed, RandomPurpose::kGenerator, stream};
}

}  // namespace cavs
