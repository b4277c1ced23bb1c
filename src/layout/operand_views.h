#pragma once

#include <span>
#include <vector>

#include "layout/layout.h"

namespace cavs::inline v0_1 {

/// The groups of elements of an operand that have the same value.
struct SharedElements {
  std::vector<std::int32_t> group;                // group of each element
  std::vector<std::vector<std::int32_t>> values;  // variables of each group
  std::int32_t times = 0;  // elements per group; 0 if groups differ in size or values overlap in part
};
SharedElements find_sharing(const Elements& elements);

/// Returns the position of each variable among the variables of its storage.
std::vector<std::int32_t> ranks_of(std::span<const Variable> variables, std::span<const std::int32_t> order);

/// Finds which operands of one batch are views, if variables have the positions `ranks`.
struct ViewFinder {
  std::span<const Variable> variables;
  std::vector<std::int32_t> ranks;
  bool share = true;

  struct Found {
    std::vector<std::int32_t> sequence;  // the nodes, in the chosen order
    std::vector<char> views;             // by operand
    CopyCost copies;                     // of operands that are not views
  };
  /// Chooses the order of nodes that leaves the fewest bytes to copy. Reads `ranks` only, never the PQ-tree.
  Found find(std::span<const Elements* const> operands, std::span<const CopyCost> costs, std::int64_t rows) const;

 private:
  std::vector<std::int32_t> sequence_of(const Elements& elements) const;
  bool is_view(const Elements& elements, std::span<const std::int32_t> sequence) const;
};

}  // namespace cavs::inline v0_1
