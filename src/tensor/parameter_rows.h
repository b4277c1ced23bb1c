#pragma once

#include <cstdint>

#include "support/split_range.h"

namespace cavs::inline v0_1 {

class Parameters;

/// What an update does to a strip of a matrix: kRows columns, and as many rows or a few times as many.
class StripRule {
 public:
  static constexpr std::int32_t kMostRows = 64;
  virtual ~StripRule() = default;
  /// Both row-major, [rows, kRows], the first element being that of `row` and `column` of the matrix.
  virtual void apply(std::int32_t row, std::int32_t column, std::int32_t rows, float* values,
                     const float* gradient) = 0;
};

/// Where an update finds rows of a matrix and leaves them: open, change in place, close. Workers take disjoint
/// multiples of kRows rows, each row once an update; at most so many are open at a time. An engine that keeps weights
/// in a form of its own gives it to the update, so that nothing is converted as a whole.
class ParameterRows {
 public:
  static constexpr std::int32_t kRows = 16;
  virtual ~ParameterRows() = default;
  /// Rows [begin, end), row-major, until the worker's next open.
  virtual float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  virtual void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) = 0;
  /// Rows [begin, end) of a gradient that is deferred, any number of them, until the worker's next gradient(). Cheapest
  /// by multiples of kGradientRows. @throws UserError if it is not deferred.
  static constexpr std::int32_t kGradientRows = 3 * kRows;
  virtual const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) = 0;
  /// Where the parameter and its deferred gradient are at hand in strips: applies the rule to those of the part. False:
  /// they are not, and nothing was done.
  virtual bool update_strips(const WorkPart& who, int parameter, StripRule& rule) = 0;
  /// The parameters whose rows these are; nullptr: whichever the update is given.
  virtual const Parameters* owner() const { return nullptr; }
};

}  // namespace cavs::inline v0_1
