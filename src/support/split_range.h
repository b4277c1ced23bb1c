#pragma once

#include <algorithm>
#include <cstdint>

namespace cavs::inline v0_1 {

/// Numbers [begin, end).
template <typename Int>
struct Range {
  Int begin{}, end{};
  bool operator==(const Range&) const = default;
};
using RowRange = Range<std::int32_t>;

/// Part `part` of `parts` of [begin, end), cut at multiples of `grain` from `begin`: parts are as equal as that allows.
template <typename Int>
Range<Int> split_range(Int begin, Int end, int part, int parts, Int grain = 1) {
  const std::int64_t units = (std::int64_t{end} - begin + grain - 1) / grain;
  const auto cut = [&](int k) {
    return static_cast<Int>(std::min<std::int64_t>(end, begin + units * k / parts * std::int64_t{grain}));
  };
  return {cut(part), cut(part + 1)};
}

/// Which worker does a piece of work that is cut into parts, and which part of how many.
struct WorkPart {
  int worker = 0, part = 0, parts = 1;
};

template <typename Int>
Range<Int> split_range(Int begin, Int end, const WorkPart& who, Int grain = 1) {
  return split_range(begin, end, who.part, who.parts, grain);
}

}  // namespace cavs::inline v0_1
