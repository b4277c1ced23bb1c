#pragma once

#include <string>

#include "inspect/data_summary.h"

namespace cavs::inline v0_1 {

/// Tables for people: parts side by side, types and ports, the most frequent classes, what is odd.
std::string to_text(const DataSummary& summary);

}  // namespace cavs::inline v0_1
