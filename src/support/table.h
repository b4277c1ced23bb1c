#pragma once

#include <string>
#include <vector>

namespace cavs {

/// Rows of cells as lines, each column as wide as its widest cell and two spaces apart; empty columns vanish. ASCII.
std::string align_columns(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

}  // namespace cavs
