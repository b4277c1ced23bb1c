#pragma once

#include <span>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs::zoo {

/// The first tensor whose largest difference exceeds `most` times its largest reference number, and also a fraction of
/// this bound for the largest tensor. Empty if there is none.
std::string first_difference(std::span<const Checkpoint::Tensor> found, std::span<const Checkpoint::Tensor> reference,
                             double most);

/// The first place where two texts differ in more than numbers. Numbers may differ by this much, relatively, or
/// absolutely below 1. Lines and entries of times and speeds are ignored.
std::string first_difference(const std::string& found, const std::string& reference, double most);

}  // namespace cavs::zoo
