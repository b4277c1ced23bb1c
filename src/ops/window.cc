#include "ops/window.h"

#include <limits>

namespace cavs::inline v0_1 {

Window window_of(const attr::Window& a) {
  return {a.kernel_height, a.kernel_width, a.height, a.width, a.channels, a.stride, a.padding};
}

Window infer_window(Inference& i) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  const std::vector<std::int32_t>& image = i.in(0).shape.dims;
  auto& a = std::get<attr::Window>(i.node().attributes);
  if (image.size() != 3) i.fail("takes an image [height, width, channels], found {}; reshape it", i.show(0));
  if (a.stride < 1) i.fail("the stride is {}, expected at least 1", a.stride);
  const std::int32_t height = a.kernel_height, width = a.kernel_width;
  const std::int64_t around = 2 * std::int64_t{a.padding};
  if (height < 1 || width < 1 || height > image[0] + around || width > image[1] + around)
    i.fail("the window is [{}, {}], expected at least [1, 1] and at most the image, {}, and {} pixels of padding",
           height, width, i.show(0), a.padding);
  if (a.padding < 0 || a.padding >= std::min(height, width))
    i.fail("the padding is {}, expected 0 to {}: less than the window, [{}, {}]", a.padding,
           std::min(height, width) - 1, height, width);
  if (std::int64_t{height} * width > kMax / image[2])
    i.fail("the window, [{}, {}], contains more than 2^31 numbers of {}", height, width, i.show(0));
  a.height = image[0];
  a.width = image[1];
  a.channels = image[2];
  const Window w = window_of(a);
  if (w.size() > kMax / w.positions())
    i.fail("the windows contain more than 2^31 numbers: {} positions of {}", w.positions(), w.size());
  return w;
}

void pooled_shape(Inference& i) {
  if (i.get<attr::Window>().padding != 0) i.fail("takes no padding, found {}", i.get<attr::Window>().padding);
  const Window w = infer_window(i);
  i.set_shape({static_cast<std::int32_t>(w.rows()), static_cast<std::int32_t>(w.columns()), w.channels});
}

void image_shape(Inference& i) {
  const Window w = window_of(i.get<attr::Window>());
  i.set_shape({w.height, w.width, w.channels});
}

}  // namespace cavs::inline v0_1
