#pragma once

#include <algorithm>
#include <cstdint>

namespace cavs::inline v0_1 {

/// The range [begin, end).
template <typename Int>
struct Range {
  Int begin{}, end{};
  bool operator==(const Range&) const = default;
};
using RowRange = Range<std::int32_t>;

/// Returns part number `part` of `parts` of [begin, end). Parts are cut at multiples of `grain` from `begin`, and are
/// as equal as that allows.
template <typename Int>
Range<Int> split_range(Int begin, Int end, int part, int parts, Int grain = 1) {
  const std::int64_t units = (std::int64_t{end} - begin + grain - 1) / grain;
  const auto cut = [&](int k) {
    return static_cast<Int>(std::min<std::int64_t>(end, begin + units * k / parts * std::int64_t{grain}));
  };
  return {cut(part), cut(part + 1)};
}

/// A worker's part of shared work: the worker's number, the number of the part, and the number of parts.
struct WorkPart {
  int worker = 0, part = 0, parts = 1;
};

template <typename Int>
Range<Int> split_range(Int begin, Int end, const WorkPart& work, Int grain = 1) {
  return split_range(begin, end, work.part, work.parts, grain);
}

}  // namespace cavs::inline v0_1
