#include "ops/window.h"

namespace cavs {

extern const OpDef kAveragePool2d{
    .name = "average_pool2d",
    .params = {"x"},
    .zero = ZeroRule::kAllInputs,
    .infer = pooled_shape,
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply("average_pool2d_grad", {g.dy()}, g.attributes()); },
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.attributes);
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

}  // namespace cavs
