#include "ops/window.h"

namespace cavs {

extern const OpDef kAveragePool2dGrad{
    .name = "average_pool2d_grad",
    .params = {"dy"},
    .in_public = false,
    .zero = ZeroRule::kAllInputs,
    .infer = image_shape,
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.attributes);
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
