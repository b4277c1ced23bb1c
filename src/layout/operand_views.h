#pragma once

#include <span>
#include <vector>

#include "layout/layout.h"

namespace cavs::inline v0_1 {

/// Which elements of an operand are the same value.
struct SharedElements {
  std::vector<std::int32_t> group;                // of each element
  std::vector<std::vector<std::int32_t>> values;  // variables of each group
  std::int32_t times = 0;                         // elements of each group; 0: they differ, or values overlap in part
};
SharedElements find_sharing(const Elements& elements);

/// Where each variable stands among those of its storage.
std::vector<std::int32_t> ranks_of(std::span<const Variable> variables, std::span<const std::int32_t> order);

/// Says of the operands of one batch which are views where variables have these ranks.
struct ViewFinder {
  std::span<const Variable> variables;
  std::vector<std::int32_t> ranks;
  bool share = true;

  struct Found {
    std::vector<std::int32_t> sequence;  // of the nodes
    std::vector<char> views;             // by operand
    CopyCost copies;                     // of the others
  };
  /// In the sequence of nodes that leaves the fewest bytes to copy. Looks at ranks alone: at no tree.
  Found find(std::span<const Elements* const> operands, std::span<const CopyCost> costs, std::int64_t rows) const;

 private:
  std::vector<std::int32_t> sequence_of(const Elements& elements) const;
  bool is_view(const Elements& elements, std::span<const std::int32_t> sequence) const;
};

}  // namespace cavs::inline v0_1
