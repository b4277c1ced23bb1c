#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The shape of one row: [] is a scalar, [d] a vector, [a, b] a matrix. The number of rows is not part of the shape.
struct Shape {
  std::vector<std::int32_t> dims;

  Shape() = default;
  Shape(std::initializer_list<std::int32_t> d) : dims(d) {}
  explicit Shape(std::vector<std::int32_t> d) : dims(std::move(d)) {}

  /// Number of elements of a row; 1 for a scalar.
  std::int64_t size() const {
    std::int64_t n = 1;
    for (auto d : dims) n *= d;
    return n;
  }
  bool operator==(const Shape&) const = default;
};

/// Returns text such as "[4, 3]".
std::string to_string(const Shape& shape);

}  // namespace v0_1
}  // namespace cavs
