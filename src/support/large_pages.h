#pragma once

#include <cstddef>
#include <vector>

namespace cavs::inline v0_1 {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Asks the system for large pages in those parts of a block that are as large, before these are touched: a step walks
/// over more memory than the TLB knows in small pages. A wish; where it is refused, pages are small.
void ask_for_large_pages(void* begin, std::size_t bytes);

/// Zeros, in large pages where there are enough of them.
std::vector<float> zeros_in_large_pages(std::size_t count);

}  // namespace cavs::inline v0_1
