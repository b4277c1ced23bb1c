#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "execute/reference/rounding.h"
#include "ir/op.h"

namespace cavs::reference {

/// Element (row, column) of a value that is read in a higher domain or a wider shape: one row, or one column, is
/// used for all.
inline double broadcast_at(const ReferenceTensor& x, std::int64_t row, std::int64_t column) {
  return x.at(x.rows == 1 ? 0 : row, x.width == 1 ? 0 : column);
}

/// An operator at one vertex.
struct Operation {
  const Function& f;
  const Node& node;
  const std::vector<ReferenceTensor>& values;        // [nodes] of the vertex
  Rounding rounding;                                 // of products
  std::function<bool(std::int64_t column)> dropped;  // by the mask that the node draws
};

/// Computes a node that is neither a source nor a sink. @param y  sized, and zero
void compute(const Operation& operation, ReferenceTensor& y);

}  // namespace cavs::reference
