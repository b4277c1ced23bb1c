#pragma once

#include "backend/cpu/vec_rows.h"

// Windows over images [height, width, channels]. A window's pixels are read in runs of contiguous floats.
namespace cavs::cpu::CAVS_ISA {

/// Calls f(offset in the image, offset in the window, floats) for each contiguous run of the window at (row, column).
template <typename F>
void for_runs(const Window& w, std::int64_t row, std::int64_t column, F f) {
  const std::int64_t top = row * w.stride - w.padding, left = column * w.stride - w.padding;
  const std::int64_t first = left < 0 ? 0 : left;
  const std::int64_t last = left + w.kernel_width < w.width ? left + w.kernel_width : w.width;
  if (first >= last) return;
  for (std::int32_t i = 0; i < w.kernel_height; ++i) {
    if (top + i < 0 || top + i >= w.height) continue;
    const std::int64_t image = ((top + i) * w.width + first) * w.channels;
    const std::int64_t window = (std::int64_t{i} * w.kernel_width + first - left) * w.channels;
    f(image, window, (last - first) * w.channels);
  }
}

/// Calls f(number of the position, row, column) for every position of the window, row by row.
template <typename F>
void for_positions(const Window& w, F f) {
  std::int64_t position = 0;
  for (std::int64_t row = 0; row < w.rows(); ++row)
    for (std::int64_t column = 0; column < w.columns(); ++column) f(position++, row, column);
}

inline void clear(float* out, const RowArgs& args) {
  __builtin_memset(out, 0, sizeof(float) * static_cast<unsigned>(args.out.width));
}

inline void unfold(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const Window& w = args.window;
  for_rows<1>(args, begin, end, scratch, [&](std::int32_t, float* y, const float* x) {
    if (w.padding > 0) clear(y, args);
    for_positions(w, [&](std::int64_t position, std::int64_t row, std::int64_t column) {
      for_runs(w, row, column, [&](std::int64_t image, std::int64_t window, std::int64_t floats) {
        __builtin_memcpy(y + position * w.size() + window, x + image, sizeof(float) * static_cast<std::size_t>(floats));
      });
    });
  });
}

inline void fold(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const Window& w = args.window;
  for_rows<1>(args, begin, end, scratch, [&](std::int32_t, float* dx, const float* dy) {
    clear(dx, args);
    for_positions(w, [&](std::int64_t position, std::int64_t row, std::int64_t column) {
      for_runs(w, row, column, [&](std::int64_t image, std::int64_t window, std::int64_t floats) {
        const float* const from = dy + position * w.size() + window;
        float* const to = dx + image;
        for (std::int64_t k = 0; k < floats; ++k) to[k] += from[k];
      });
    });
  });
}

/// Computes y [positions, channels]: the pixels in each window, folded with f, and then passed to finish().
template <typename F, typename Finish>
void pool(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch, F f, Finish finish) {
  const Window& w = args.window;
  for_rows<1>(args, begin, end, scratch, [&](std::int32_t, float* y, const float* x) {
    for_positions(w, [&](std::int64_t position, std::int64_t row, std::int64_t column) {
      fill_row(y + position * w.channels, w.channels, [&](int c) {
        Vec value{};
        bool first = true;
        for_runs(w, row, column, [&](std::int64_t image, std::int64_t, std::int64_t floats) {
          for (std::int64_t k = 0; k < floats; k += w.channels) {
            const Vec pixel = load_at(x + image + k, c, w.channels);
            value = first ? pixel : f(value, pixel);
            first = false;
          }
        });
        return finish(value);
      });
    });
  });
}

inline void max_pool2d(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  pool(
      args, begin, end, scratch, [](Vec a, Vec b) { return max(a, b); }, [](Vec v) { return v; });
}

inline float pixels_of(const Window& w) { return static_cast<float>(w.kernel_height * w.kernel_width); }

inline void average_pool2d(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const float pixels = pixels_of(args.window);
  pool(
      args, begin, end, scratch, [](Vec a, Vec b) { return a + b; }, [=](Vec v) { return v / pixels; });
}

/// For every window and every pixel in it, adds f(pixel of x, window's y, window's dy, free) to the pixel of dx. `free`
/// is a mask of channels, one per window; it begins with all bits set, and f may clear bits.
template <typename F>
void pool_gradient(const Window& w, float* dx, const float* x, const float* y, const float* dy, F f) {
  for_positions(w, [&](std::int64_t position, std::int64_t row, std::int64_t column) {
    for (int c = 0; c < w.channels; c += kLanes) {
      const Vec d = load_at(dy + position * w.channels, c, w.channels);
      const Vec of = load_at(y + position * w.channels, c, w.channels);
      Ints free = ~Ints{};
      for_runs(w, row, column, [&](std::int64_t image, std::int64_t, std::int64_t floats) {
        for (std::int64_t k = 0; k < floats; k += w.channels) {
          float* const to = dx + image + k;
          const Vec pixel = load_at(x + image + k, c, w.channels);
          store_at(to, c, w.channels, load_at(to, c, w.channels) + f(pixel, of, d, free));
        }
      });
    }
  });
}

inline void max_pool2d_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  for_rows<3>(args, begin, end, scratch, [&](std::int32_t, float* dx, const float* x, const float* y, const float* dy) {
    clear(dx, args);
    pool_gradient(args.window, dx, x, y, dy, [](Vec pixel, Vec largest, Vec d, Ints& free) {
      const Ints takes = free & ((pixel == largest) | ((pixel != pixel) & (largest != largest)));
      free &= ~takes;
      return select(takes, d, Vec{});
    });
  });
}

inline void average_pool2d_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const float pixels = pixels_of(args.window);
  for_rows<1>(args, begin, end, scratch, [&](std::int32_t, float* dx, const float* dy) {
    clear(dx, args);
    pool_gradient(args.window, dx, dx, dy, dy, [=](Vec, Vec, Vec d, Ints&) { return d / pixels; });
  });
}

}  // namespace cavs::cpu::CAVS_ISA
