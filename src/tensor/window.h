#pragma once

#include <cstdint>

namespace cavs::inline v0_1 {

/// A window that moves over an image [height, width, channels], with `padding` zero pixels on every side.
struct Window {
  std::int32_t kernel_height = 1, kernel_width = 1;
  std::int32_t height = 1, width = 1, channels = 1;
  std::int32_t stride = 1, padding = 0;

  /// Returns the number of vertical positions of the window; columns() returns the number of horizontal positions.
  std::int64_t rows() const { return (height + 2 * std::int64_t{padding} - kernel_height) / stride + 1; }
  std::int64_t columns() const { return (width + 2 * std::int64_t{padding} - kernel_width) / stride + 1; }
  std::int64_t positions() const { return rows() * columns(); }
  /// Returns the number of values that the window covers at one position.
  std::int64_t size() const { return std::int64_t{kernel_height} * kernel_width * channels; }
  bool operator==(const Window&) const = default;
};

}  // namespace cavs::inline v0_1
