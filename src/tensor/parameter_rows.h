#pragma once

#include <cstdint>

#include "support/split_range.h"

namespace cavs::inline v0_1 {

class Parameters;

/// An update rule for a strip of a matrix: kRows columns, and kRows rows or a small multiple.
class StripRule {
 public:
  static constexpr std::int32_t kMostRows = 64;
  virtual ~StripRule() = default;
  /// `values` and the gradient are row-major, [rows, kRows], and begin at `row` and `column` of the matrix.
  virtual void apply(std::int32_t row, std::int32_t column, std::int32_t rows, float* values,
                     const float* gradient) = 0;
};

/// Access of an update to rows of a matrix: open, change in place, close. Workers open disjoint blocks of kRows rows,
/// and each row once per update; a worker has at most one block open. An engine that keeps weights in its own format
/// provides this, so that no matrix is converted as a whole.
class ParameterRows {
 public:
  static constexpr std::int32_t kRows = 16;
  virtual ~ParameterRows() = default;
  /// Rows [begin, end), row-major, valid until the next open() of the worker.
  virtual float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  virtual void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) = 0;
  /// Rows [begin, end) of a deferred gradient, valid until the next gradient() of the worker. Any number of rows;
  /// multiples of kGradientRows are cheapest. @throws UserError if the gradient is not deferred.
  static constexpr std::int32_t kGradientRows = 3 * kRows;
  virtual const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  /// Applies the rule to the strips of this part, if the parameter and its deferred gradient are available in strips.
  /// Returns false, and does nothing, if they are not.
  virtual bool update_strips(const WorkPart& work, int parameter, StripRule& rule) = 0;
  /// The parameters that own the rows; nullptr means the parameters that are given to the update.
  virtual const Parameters* owner() const { return nullptr; }
};

}  // namespace cavs::inline v0_1
