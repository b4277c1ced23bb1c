#pragma once

#include <algorithm>
#include <cstdint>

namespace cavs {

/// A worker's part of [0, count).
struct Share {
  std::int64_t begin, end;
};

/// Equal parts, cut at multiples of `grain` (elements of a cache line, say).
inline Share share_of(std::int64_t count, int worker, int workers, std::int64_t grain) {
  const std::int64_t grains = (count + grain - 1) / grain;
  return {std::min(count, grains * worker / workers * grain), std::min(count, grains * (worker + 1) / workers * grain)};
}

}  // namespace cavs
