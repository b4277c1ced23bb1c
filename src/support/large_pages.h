#pragma once

#include <cstddef>
#include <vector>

namespace cavs::inline v0_1 {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// Asks the system to use large pages for the aligned part of a block of memory, since a training step uses more memory
/// than the TLB covers with small pages. Call it before the block is touched. If the system refuses, pages stay small.
void ask_for_large_pages(void* begin, std::size_t bytes);

/// Returns `count` zeros, in large pages if enough of these are available.
std::vector<float> zeros_in_large_pages(std::size_t count);

}  // namespace cavs::inline v0_1
