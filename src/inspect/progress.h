#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// A bar of 24 cells, of which this share is filled.
std::string progress_bar(double share);

}  // namespace cavs::inline v0_1
