#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cavs::inline v0_1 {

/// Formats rows of ASCII cells as lines. Columns are as wide as their widest cell, and two spaces apart unless empty.
inline std::string align_columns(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "") {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t c = 0; c < row.size(); ++c)
      if (widths[c] > 0) line += fmt::format("{:<{}}  ", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace cavs::inline v0_1
