#pragma once

#include <cstdint>

#include "cavs/graph.h"

namespace cavs::inline v0_1 {

/// Equal for equal data: of all that a set of graphs has. Cost: 2 GB/s.
std::uint64_t content_hash(const GraphSet& data);

}  // namespace cavs::inline v0_1
