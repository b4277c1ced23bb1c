#include <algorithm>
#include <limits>

#include "ops/window.h"

namespace cavs {

extern const OpDef kMaxPool2d{
    .name = "max_pool2d",
    .params = {"x"},
    .zero = ZeroRule::kAllInputs,
    .infer = pooled_shape,
    .gradient =
        [](GradientRule& g) {
          g.dx(0) += g.apply("max_pool2d_grad", {g.x(0), g.y(), g.dy()}, g.attributes());
        },
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.attributes);
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

}  // namespace cavs
