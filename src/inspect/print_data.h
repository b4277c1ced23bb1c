#pragma once

#include <string>

#include "inspect/data_summary.h"

namespace cavs::inline v0_1 {

/// Returns tables as text: parts side by side, types and ports, the most frequent classes, then oddities.
std::string to_text(const DataSummary& summary);

}  // namespace cavs::inline v0_1
