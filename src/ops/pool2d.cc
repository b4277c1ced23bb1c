#include <algorithm>
#include <limits>
#include <vector>

#include "ops/window.h"

namespace cavs {

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
          const Window w = window_of(r.get<attr::Window>());
          std::fill(r.y.data.begin(), r.y.data.end(), -std::numeric_limits<double>::infinity());
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t) {
              for (std::int64_t c = 0; c < w.channels; ++c) {
                double& y = r.y.at(i, position * w.channels + c);
                y = std::max(y, r.x[0]->at(i, pixel * w.channels + c));
              }
            });
        },
    .doc =
        "Largest of each channel in a window: [height, width, channels] of the windows; of several the first pixel "
        "takes the gradient. shape: of the window; count: stride.",
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
          const Window w = window_of(r.get<attr::Window>());
          for (std::int64_t i = 0; i < r.y.rows; ++i) {
            std::vector<char> taken(static_cast<std::size_t>(w.positions() * w.channels), 0);
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t) {
              for (std::int64_t c = 0; c < w.channels; ++c) {
                const std::int64_t of = position * w.channels + c, at = pixel * w.channels + c;
                if (taken[of] != 0 || r.x[0]->at(i, at) != r.x[1]->at(i, of)) continue;
                r.y.at(i, at) += r.x[2]->at(i, of);
                taken[of] = 1;
              }
            });
          }
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
          const Window w = window_of(r.get<attr::Window>());
          const double pixels = static_cast<double>(w.kernel_height) * w.kernel_width;
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t) {
              for (std::int64_t c = 0; c < w.channels; ++c)
                r.y.at(i, position * w.channels + c) += r.x[0]->at(i, pixel * w.channels + c) / pixels;
            });
        },
    .doc =
        "Mean of each channel in a window: [height, width, channels] of the windows. shape: of the window; count: "
        "stride.",
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
          const Window w = window_of(r.get<attr::Window>());
          const double pixels = static_cast<double>(w.kernel_height) * w.kernel_width;
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t) {
              for (std::int64_t c = 0; c < w.channels; ++c)
                r.y.at(i, pixel * w.channels + c) += r.x[0]->at(i, position * w.channels + c) / pixels;
            });
        },
    .doc = "dx of average_pool2d.",
};

}  // namespace cavs
