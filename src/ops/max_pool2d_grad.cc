#include <vector>

#include "ops/window.h"

namespace cavs {

extern const OpDef kMaxPool2dGrad{
    .name = "max_pool2d_grad",
    .params = {"x", "y", "dy"},
    .in_public = false,
    .infer = image_shape,
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.attributes);
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

}  // namespace cavs
