#pragma once

// Operations on windows of images, row by row: unfold, fold, pooling and their gradients.

#include "backend/cuda/device/operand.cuh"
#include "backend/cuda/device/warps.cuh"

namespace cavs::cuda {

/// A window that moves over an image [height, width, channels]. See tensor/window.h.
struct Window {
  i32 kernel_height, kernel_width, height, width, channels, stride, padding;

  CAVS_DEVICE i32 rows() const { return (height + 2 * padding - kernel_height) / stride + 1; }
  CAVS_DEVICE i32 columns() const { return (width + 2 * padding - kernel_width) / stride + 1; }
  CAVS_DEVICE i32 size() const { return kernel_height * kernel_width * channels; }
  /// Returns the index in the image of a channel at (i, j) in the window of a position; -1 in the padding.
  CAVS_DEVICE i32 pixel(i32 position, i32 i, i32 j, i32 channel) const {
    const i32 y = position / columns() * stride - padding + i, x = position % columns() * stride - padding + j;
    return y < 0 || y >= height || x < 0 || x >= width ? -1 : (y * width + x) * channels + channel;
  }
  /// Calls f(position, i, j) for each position whose window contains pixel (y, x), at (i, j) of the window.
  template <typename F>
  CAVS_DEVICE void each_position(i32 y, i32 x, F f) const {
#pragma unroll 1
    for (i32 row = 0; row < rows(); ++row) {
      const i32 i = y + padding - row * stride;
      if (i < 0 || i >= kernel_height) continue;
#pragma unroll 1
      for (i32 column = 0; column < columns(); ++column) {
        const i32 j = x + padding - column * stride;
        if (j >= 0 && j < kernel_width) f(row * columns() + column, i, j);
      }
    }
  }
};

/// `Operands` is as in RowOperations, with a function window().
template <typename Operands>
struct WindowOperations {
  static CAVS_DEVICE void unfold(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    const Window w = o.window();
    o.each_element(y.width, [&](i32 r, i32 c) {
      const i32 seen = c % w.size(), place = seen / w.channels;
      const i32 pixel = w.pixel(c / w.size(), place / w.kernel_width, place % w.kernel_width, seen % w.channels);
      y.put(r, c, pixel < 0 ? 0.0F : x.at(r, pixel));
    });
  }
  /// Calls f(row, element, y, x, channel) for every number of the images.
  template <typename F>
  static CAVS_DEVICE void each_pixel(const Operands& o, const Window& w, i32 width, F f) {
    o.each_element(width, [&](i32 r, i32 c) {
      const i32 pixel = c / w.channels;
      f(r, c, pixel / w.width, pixel % w.width, c % w.channels);
    });
  }
  static CAVS_DEVICE void fold(const Operands& o) {
    const Operand dy = o.x(0), dx = o.x(1);
    const Window w = o.window();
    each_pixel(o, w, dx.width, [&](i32 r, i32 c, i32 y, i32 x, i32 channel) {
      float sum = 0;
      w.each_position(y, x, [&](i32 position, i32 i, i32 j) {
        sum += dy.at(r, position * w.size() + (i * w.kernel_width + j) * w.channels + channel);
      });
      dx.put(r, c, sum);
    });
  }
  template <bool kAverage>
  static CAVS_DEVICE void pool2d(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    const Window w = o.window();
    o.each_element(y.width, [&](i32 r, i32 c) {
      float value = 0;
      bool first = true;
#pragma unroll 1
      for (i32 k = 0; k < w.kernel_height * w.kernel_width; ++k) {
        const i32 pixel = w.pixel(c / w.channels, k / w.kernel_width, k % w.kernel_width, c % w.channels);
        if (pixel < 0) continue;
        const float number = x.at(r, pixel);
        value = first ? number : kAverage ? value + number : math::max(value, number);
        first = false;
      }
      y.put(r, c, kAverage ? value / static_cast<float>(w.kernel_height * w.kernel_width) : value);
    });
  }
  /// The first of several largest pixels of a window gets the gradient.
  static CAVS_DEVICE void max_pool2d_grad(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1), dy = o.x(2), dx = o.x(3);
    const Window w = o.window();
    each_pixel(o, w, dx.width, [&](i32 r, i32 c, i32 row, i32 column, i32 channel) {
      float sum = 0;
      w.each_position(row, column, [&](i32 position, i32 i, i32 j) {
        const i32 of = position * w.channels + channel;
        const float largest = y.at(r, of);
        bool takes = same(x.at(r, c), largest);
#pragma unroll 1
        for (i32 k = 0; k < i * w.kernel_width + j; ++k) {
          const i32 before = w.pixel(position, k / w.kernel_width, k % w.kernel_width, channel);
          if (before >= 0 && same(x.at(r, before), largest)) takes = false;
        }
        if (takes) sum += dy.at(r, of);
      });
      dx.put(r, c, sum);
    });
  }
  static CAVS_DEVICE void average_pool2d_grad(const Operands& o) {
    const Operand dy = o.x(0), dx = o.x(1);
    const Window w = o.window();
    each_pixel(o, w, dx.width, [&](i32 r, i32 c, i32 y, i32 x, i32 channel) {
      float sum = 0;
      w.each_position(y, x, [&](i32 position, i32, i32) {
        sum += dy.at(r, position * w.channels + channel) / static_cast<float>(w.kernel_height * w.kernel_width);
      });
      dx.put(r, c, sum);
    });
  }
};

}  // namespace cavs::cuda
