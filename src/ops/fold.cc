#include "ops/window.h"

namespace cavs {

extern const OpDef kFold{
    .name = "fold",
    .params = {"dy"},
    .in_public = false,
    .zero = ZeroRule::kAllInputs,
    .infer = image_shape,
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.attributes);
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t seen) {
              for (std::int64_t c = 0; c < w.channels; ++c)
                r.y.at(i, pixel * w.channels + c) += r.x[0]->at(i, position * w.size() + seen * w.channels + c);
            });
        },
    .doc = "dx of unfold: every pixel gets the sum over the windows that see it.",
};

}  // namespace cavs
