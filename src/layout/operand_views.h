#pragma once

#include <span>
#include <vector>

#include "layout/layout.h"

namespace cavs::inline v0_1 {

/// The groups of an operand's elements. Elements of a group have the same variables (one value that several nodes use).
struct SharedElements {
  std::vector<std::int32_t> group;                // [elements] the element's group
  std::vector<std::vector<std::int32_t>> values;  // [groups] the variables of its elements
  std::int32_t times = 0;  // elements per group; 0 if groups differ in size or have a variable in common
};
SharedElements find_sharing(const Elements& elements);

/// Returns the position of each variable among the variables of its storage.
std::vector<std::int32_t> ranks_of(std::span<const Variable> variables, std::span<const std::int32_t> order);

/// Finds which operands of one batch are views (read in place), if variable v has the position ranks[v] in its storage.
struct ViewFinder {
  std::span<const Variable> variables;
  std::vector<std::int32_t> ranks;
  bool share = true;

  struct Found {
    std::vector<std::int32_t> sequence;  // the batch's nodes, in the chosen order
    std::vector<char> views;             // [operands] true if the operand is a view
    CopyCost copies;                     // cost of copying operands that are not views
  };
  /// Chooses the order of nodes that leaves the fewest bytes to copy. Reads `ranks` only, never the PQ-tree.
  Found find(std::span<const Elements* const> operands, std::span<const CopyCost> costs, std::int64_t rows) const;

 private:
  std::vector<std::int32_t> sequence_of(const Elements& elements) const;
  bool is_view(const Elements& elements, std::span<const std::int32_t> sequence) const;
};

}  // namespace cavs::inline v0_1
