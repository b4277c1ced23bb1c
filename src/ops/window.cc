#include "ops/window.h"

#include <limits>

namespace cavs {

bool has_window(const Node& node) { return node.op->kind == OpKind::kRow && node.attributes.shape.dims.size() == 5; }

Window window_of(const Attributes& a) {
  const auto& d = a.shape.dims;
  return {d.at(0), d.at(1), d.at(2), d.at(3), d.at(4), a.count, a.index};
}

Window infer_window(Inference& i) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::vector<std::int32_t>& image = i.in(0).shape.dims;
  Attributes& a = i.node().attributes;
  if (image.size() != 3) i.fail("takes an image [height, width, channels], found {}; reshape it", i.show(0));
  if (a.shape.dims.size() < 2) i.fail("the window is {}, expected [height, width]", to_string(a.shape));
  if (a.count < 1) i.fail("the stride is {}, expected at least 1", a.count);
  const std::int32_t height = a.shape.dims[0], width = a.shape.dims[1];
  const std::int64_t around = 2 * std::int64_t{a.index};
  if (height < 1 || width < 1 || height > image[0] + around || width > image[1] + around)
    i.fail("the window is [{}, {}], expected at least [1, 1] and at most the image, {}, and {} pixels of padding",
           height, width, i.show(0), a.index);
  if (a.index < 0 || a.index >= std::min(height, width))
    i.fail("the padding is {}, expected 0 to {}: less than the window, [{}, {}]", a.index, std::min(height, width) - 1,
           height, width);
  if (std::int64_t{height} * width > kMost / image[2])
    i.fail("the window, [{}, {}], sees more than 2^31 numbers of {}", height, width, i.show(0));
  a.shape = {height, width, image[0], image[1], image[2]};
  const Window w = window_of(a);
  if (w.size() > kMost / w.positions())
    i.fail("the windows see more than 2^31 numbers: {} positions of {}", w.positions(), w.size());
  return w;
}

void pooled_shape(Inference& i) {
  if (i.attributes().index != 0) i.fail("takes no padding, found {}", i.attributes().index);
  const Window w = infer_window(i);
  i.set_shape({static_cast<std::int32_t>(w.rows()), static_cast<std::int32_t>(w.columns()), w.channels});
}

void image_shape(Inference& i) {
  const Window w = window_of(i.attributes());
  i.set_shape({w.height, w.width, w.channels});
}

}  // namespace cavs
