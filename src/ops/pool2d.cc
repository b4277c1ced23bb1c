#include <algorithm>
#include <limits>
#include <vector>

#include "ops/window.h"

namespace cavs::inline v0_1 {
namespace {

/// Calls f(row, column of the pooled image, column of the image, pixels per window) for each number in each window.
template <typename F>
void each_seen(const Reference& r, F f) {
  const Window w = window_of(r.get<attr::Window>());
  const double pixels = static_cast<double>(w.kernel_height) * w.kernel_width;
  for (std::int64_t i = 0; i < r.y.rows; ++i)
    for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t) {
      for (std::int64_t c = 0; c < w.channels; ++c) f(i, position * w.channels + c, pixel * w.channels + c, pixels);
    });
}

}  // namespace

extern const OpDef kMaxPool2d{
    .name = "max_pool2d",
    .id = OpId::kMaxPool2d,
    .params = {"x"},
    .attributes = attr::Window{},
    .zero = ZeroRule::kAllInputs,
    .infer = pooled_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply(OpId::kMaxPool2dGrad, {g.x(0), g.y(), g.dy()}, g.attributes());
        },
    .reference =
        [](Reference& r) {
          std::fill(r.y.data.begin(), r.y.data.end(), -std::numeric_limits<double>::infinity());
          each_seen(r, [&](std::int64_t i, std::int64_t of, std::int64_t at, double) {
            r.y.at(i, of) = std::max(r.y.at(i, of), r.x[0]->at(i, at));
          });
        },
    .doc =
        "Maximum of each channel in a window; shape [height, width, channels] of the windows. The first of several "
        "equal pixels takes the gradient. `shape` is the window, `count` the stride.",
};

extern const OpDef kMaxPool2dGrad{
    .name = "max_pool2d_grad",
    .id = OpId::kMaxPool2dGrad,
    .params = {"x", "y", "dy"},
    .attributes = attr::Window{},
    .in_public = false,
    .infer = image_shape,
    .reference =
        [](Reference& r) {
          const ReferenceTensor &x = *r.x[0], &y = *r.x[1], &dy = *r.x[2];
          std::vector<char> taken(static_cast<std::size_t>(y.rows * y.width), 0);
          each_seen(r, [&](std::int64_t i, std::int64_t of, std::int64_t at, double) {
            if (taken[i * y.width + of] != 0 || x.at(i, at) != y.at(i, of)) return;
            r.y.at(i, at) += dy.at(i, of);
            taken[i * y.width + of] = 1;
          });
        },
    .doc = "dx of max_pool2d.",
};

extern const OpDef kAveragePool2d{
    .name = "average_pool2d",
    .id = OpId::kAveragePool2d,
    .params = {"x"},
    .attributes = attr::Window{},
    .zero = ZeroRule::kAllInputs,
    .infer = pooled_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply(OpId::kAveragePool2dGrad, {g.dy()}, g.attributes()); },
    .reference =
        [](Reference& r) {
          each_seen(r, [&](std::int64_t i, std::int64_t of, std::int64_t at, double pixels) {
            r.y.at(i, of) += r.x[0]->at(i, at) / pixels;
          });
        },
    .doc =
        "Mean of each channel in a window; shape [height, width, channels] of the windows. `shape` is the window, "
        "`count` the stride.",
};

extern const OpDef kAveragePool2dGrad{
    .name = "average_pool2d_grad",
    .id = OpId::kAveragePool2dGrad,
    .params = {"dy"},
    .attributes = attr::Window{},
    .in_public = false,
    .zero = ZeroRule::kAllInputs,
    .infer = image_shape,
    .reference =
        [](Reference& r) {
          each_seen(r, [&](std::int64_t i, std::int64_t of, std::int64_t at, double pixels) {
            r.y.at(i, at) += r.x[0]->at(i, of) / pixels;
          });
        },
    .doc = "dx of average_pool2d.",
};

}  // namespace cavs::inline v0_1
