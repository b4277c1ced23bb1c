#pragma once

#include <string>
#include <vector>

namespace cavs::inline v0_1 {

/// Rows of cells as lines, each column as wide as its widest cell and two spaces apart; empty columns vanish. ASCII.
std::string align_columns(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

}  // namespace cavs::inline v0_1
