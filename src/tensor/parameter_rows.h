#pragma once

#include <cstdint>

#include "support/split_range.h"

namespace cavs::inline v0_1 {

class Parameters;

/// An update rule that is applied to a strip of a matrix: kRows columns, and kRows rows or a small multiple.
class StripRule {
 public:
  static constexpr std::int32_t kMostRows = 64;
  virtual ~StripRule() = default;
  /// Updates the strip `values` with its gradient. Both are row-major, [rows, kRows], and begin at `row` and `column`
  /// of the matrix.
  virtual void apply(std::int32_t row, std::int32_t column, std::int32_t rows, float* values,
                     const float* gradient) = 0;
};

/// Gives an update access to rows of a matrix: open, change in place, close. Workers open disjoint blocks of kRows
/// rows, and each row once per update; a worker has at most one open block. Engines that keep weights in a format of
/// their own implement it, so that no matrix has to be converted as a whole.
class ParameterRows {
 public:
  static constexpr std::int32_t kRows = 16;
  virtual ~ParameterRows() = default;
  /// Returns rows [begin, end), row-major, valid until the worker's next open().
  virtual float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  virtual void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) = 0;
  /// Returns rows [begin, end) of a deferred gradient, valid until the worker's next gradient(). Any number of rows is
  /// allowed; multiples of kGradientRows are fastest. @throws UserError if the gradient is not deferred.
  static constexpr std::int32_t kGradientRows = 3 * kRows;
  virtual const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  /// Applies the rule to the strips that belong to this part of the work. Returns false, and does nothing, if the
  /// parameter or its deferred gradient is not available in strips.
  virtual bool update_strips(const WorkPart& work, int parameter, StripRule& rule) = 0;
  /// Returns the parameters to which the rows belong; nullptr means the parameters that are given to the update.
  virtual const Parameters* owner() const { return nullptr; }
};

}  // namespace cavs::inline v0_1
