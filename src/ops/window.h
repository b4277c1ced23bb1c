#pragma once

#include "ir/op.h"
#include "tensor/window.h"

// Windows over images.
namespace cavs::inline v0_1 {

Window window_of(const attr::Window& attributes);

/// Returns the window of an operator whose first input is the image, and completes the operator's attributes.
/// @throws UserError unless the input is an image, the window fits, and the result is small enough for a row.
Window infer_window(Inference& i);
/// Sets the shape of a pooled image: [rows, columns, channels].
void pooled_shape(Inference& i);
/// Sets the shape of an image's gradient, [height, width, channels], from the attributes.
void image_shape(Inference& i);

/// Calls f(position of the window, pixel of the image, pixel of the window), by number, for all pixels but padding.
template <typename F>
void for_pixels(const Window& w, F f) {
  std::int64_t position = 0;
  for (std::int64_t row = 0; row < w.rows(); ++row)
    for (std::int64_t column = 0; column < w.columns(); ++column, ++position)
      for (std::int32_t i = 0; i < w.kernel_height; ++i)
        for (std::int32_t j = 0; j < w.kernel_width; ++j) {
          const std::int64_t y = row * w.stride - w.padding + i, x = column * w.stride - w.padding + j;
          if (y < 0 || y >= w.height || x < 0 || x >= w.width) continue;
          f(position, y * w.width + x, std::int64_t{i} * w.kernel_width + j);
        }
}

}  // namespace cavs::inline v0_1
