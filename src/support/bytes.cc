#include "support/bytes.h"

#include <fmt/format.h>

#include <array>

namespace cavs::inline v0_1 {

std::string format_bytes(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace cavs::inline v0_1
