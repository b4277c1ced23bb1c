#pragma once

#include <algorithm>
#include <string>

namespace cavs::inline v0_1 {

/// Returns a bar of 16 characters as UTF-8, of which `share` (0 to 1) is filled.
inline std::string progress_bar(double share) {
  constexpr int kCells = 16;
  constexpr const char* kEighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(share * kCells * 8);
  std::string text;
  for (int cell = 0; cell < kCells; ++cell) {
    const int filled = eighths - cell * 8;
    text += filled >= 8 ? "█" : kEighths[std::max(filled, 0)];
  }
  return text;
}

}  // namespace cavs::inline v0_1
