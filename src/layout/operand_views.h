#pragma once

#include <span>
#include <vector>

#include "layout/layout.h"

namespace cavs::inline v0_1 {

/// Groups of elements of an operand that are the same value.
struct SharedElements {
  std::vector<std::int32_t> group;                // group of each element
  std::vector<std::vector<std::int32_t>> values;  // variables of each group
  std::int32_t times = 0;  // elements per group; 0 if groups differ in size or values overlap in part
};
SharedElements find_sharing(const Elements& elements);

/// Position of each variable among those of its storage.
std::vector<std::int32_t> ranks_of(std::span<const Variable> variables, std::span<const std::int32_t> order);

/// Finds the operands of one batch that are views if variables have these ranks.
struct ViewFinder {
  std::span<const Variable> variables;
  std::vector<std::int32_t> ranks;
  bool share = true;

  struct Found {
    std::vector<std::int32_t> sequence;  // order of the nodes
    std::vector<char> views;             // by operand
    CopyCost copies;                     // of operands that are not views
  };
  /// Uses the sequence of nodes that leaves the fewest bytes to copy. Reads ranks only, never the tree.
  Found find(std::span<const Elements* const> operands, std::span<const CopyCost> costs, std::int64_t rows) const;

 private:
  std::vector<std::int32_t> sequence_of(const Elements& elements) const;
  bool is_view(const Elements& elements, std::span<const std::int32_t> sequence) const;
};

}  // namespace cavs::inline v0_1
