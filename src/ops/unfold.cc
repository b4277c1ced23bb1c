#include "ops/window.h"

namespace cavs::inline v0_1 {

extern const OpDef kUnfold{
    .name = "unfold",
    .id = OpId::kUnfold,
    .params = {"x"},
    .attributes = attr::Window{},
    .zero = ZeroRule::kAllInputs,
    .infer =
        [](Inference& i) {
          const Window w = infer_window(i);
          i.set_shape({static_cast<std::int32_t>(w.positions()), static_cast<std::int32_t>(w.size())});
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply(OpId::kFold, {g.dy()}, g.attributes()); },
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.get<attr::Window>());
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t seen) {
              for (std::int64_t c = 0; c < w.channels; ++c)
                r.y.at(i, position * w.size() + seen * w.channels + c) = r.x[0]->at(i, pixel * w.channels + c);
            });
        },
    .doc =
        "The pixels of each window of an image [height, width, channels], as rows [positions, window height * window "
        "width * channels]. `shape` is the window, `count` the stride, `index` the padding.",
};

extern const OpDef kFold{
    .name = "fold",
    .id = OpId::kFold,
    .params = {"dy"},
    .attributes = attr::Window{},
    .in_public = false,
    .zero = ZeroRule::kAllInputs,
    .infer = image_shape,
    .reference =
        [](Reference& r) {
          const Window w = window_of(r.get<attr::Window>());
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for_pixels(w, [&](std::int64_t position, std::int64_t pixel, std::int64_t seen) {
              for (std::int64_t c = 0; c < w.channels; ++c)
                r.y.at(i, pixel * w.channels + c) += r.x[0]->at(i, position * w.size() + seen * w.channels + c);
            });
        },
    .doc = "dx of unfold: the sum, for every pixel, over the windows that contain it.",
};

}  // namespace cavs::inline v0_1
