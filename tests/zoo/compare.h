#pragma once

#include <span>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs::zoo {

/// The first tensor whose largest difference is more than `most` of its largest reference number, and more than a part
/// of that of the largest tensor; empty: there is none.
std::string first_difference(std::span<const Checkpoint::Tensor> found, std::span<const Checkpoint::Tensor> reference,
                             double most);

/// The first place where two texts differ by more than numbers of this relative, or below 1 absolute, difference.
/// Lines and entries of times and speeds do not count.
std::string first_difference(const std::string& found, const std::string& reference, double most);

}  // namespace cavs::zoo
