#include "ops/window.h"

namespace cavs {

extern const OpDef kUnfold{
    .name = "unfold",
    .params = {"x"},
    .zero = ZeroRule::kAllInputs,
    .infer =
        [](Inference& i) {
          const Window w = infer_window(i);
          i.set_shape({static_cast<std::int32_t>(w.positions()), static_cast<std::int32_t>(w.size())});
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply("fold", {g.dy()}, g.attributes()); },
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.attributes);
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t seen) {
              for (std::int64_t c = 0; c < w.channels; ++c)
                r.y.at(i, position * w.size() + seen * w.channels + c) = r.x[0]->at(i, pixel * w.channels + c);
            });
        },
    .doc =
        "What a window sees of an image [height, width, channels]: [positions, window height * window width * "
        "channels]. shape: of the window; count: stride; index: padding.",
};

}  // namespace cavs
