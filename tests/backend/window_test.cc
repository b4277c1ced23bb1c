#include "ops/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/kernel_testing.h"

namespace cavs::cpu {
namespace {

constexpr int kImages = 3;
constexpr Window kWindows[] = {
    {.kernel_height = 3, .kernel_width = 2, .height = 4, .width = 5, .channels = 3, .padding = 1},
    {.kernel_height = 2, .kernel_width = 2, .height = 5, .width = 4, .channels = 1, .stride = 2},
    {.kernel_height = 1, .kernel_width = 3, .height = 3, .width = 3, .channels = 17},
    {.kernel_height = 4, .kernel_width = 4, .height = 2, .width = 2, .channels = 16, .padding = 3}};

/// The kernels against the plain definitions, on every instruction set.
class Windows : public EveryIsa {
 protected:
  /// What the kernel and the definition make of the inputs; an index of -1 is a black image.
  void expect_same(const char* name, const Window& w, const std::vector<const Matrix*>& in, int width) {
    SCOPED_TRACE(testing::Message() << name << ", " << w.channels << " channels");
    const std::int32_t index[] = {2, -1, 0};
    RowArgs args{.window = w};
    Matrix y(kImages, width, random_, 1);
    args.out = y.out();
    for (std::size_t i = 0; i < in.size(); ++i) args.in[i] = in[i]->view(index);
    const RowKernel kernel = find_row_kernel(isa(), name);
    ASSERT_NE(kernel, nullptr);
    kernel(args, 0, kImages, scratch_);
    std::vector<ReferenceTensor> x;
    for (std::size_t i = 0; i < in.size(); ++i) {
      x.push_back({kImages, args.in[i].width, {}});
      for (int r = 0; r < kImages; ++r)
        for (int c = 0; c < args.in[i].width; ++c) x.back().data.push_back(element(args.in[i], r, c));
    }
    ReferenceTensor expected{kImages, width, std::vector<double>(static_cast<std::size_t>(kImages) * width)};
    const Attributes attributes =
        attr::Window{w.kernel_height, w.kernel_width, w.stride, w.padding, w.height, w.width, w.channels};
    Reference reference{{}, expected, attributes};
    for (const ReferenceTensor& tensor : x) reference.x.push_back(&tensor);
    find_op(name).reference(reference);
    for (int r = 0; r < kImages; ++r)
      for (int c = 0; c < width; ++c) ASSERT_NEAR(y.at(r, c), expected.at(r, c), 2e-6) << r << ", " << c;
  }
  Random random_{29, RandomPurpose::kGenerator};
};
CAVS_FOR_EVERY_ISA(Windows);

TEST_P(Windows, AgreeWithTheirDefinitions) {
  for (const Window& w : kWindows) {
    const int image = w.height * w.width * w.channels, seen = static_cast<int>(w.positions() * w.size());
    const Matrix x(kImages, image, random_, 2), columns(kImages, seen, random_, 1);
    expect_same("unfold", w, {&x}, seen);
    expect_same("fold", w, {&columns}, image);
  }
}

TEST_P(Windows, PoolsAgreeWithTheirDefinitions) {
  for (const Window& w : kWindows) {
    if (w.padding != 0) continue;
    const int image = w.height * w.width * w.channels, pooled = static_cast<int>(w.positions()) * w.channels;
    Matrix x(kImages, image, random_, 2), y(kImages, pooled, random_);
    for (int r = 0; r < kImages; ++r)  // ties
      for (int c = 0; c < image; ++c) x.at(r, c) = static_cast<float>(static_cast<int>(x.at(r, c) * 3));
    const Matrix dy(kImages, pooled, random_, 1);
    expect_same("max_pool2d", w, {&x}, pooled);
    expect_same("average_pool2d", w, {&x}, pooled);
    expect_same("average_pool2d_grad", w, {&dy}, image);
    find_row_kernel(isa(), "max_pool2d")({.in = {x.view()}, .out = y.out(), .window = w}, 0, kImages, scratch_);
    expect_same("max_pool2d_grad", w, {&x, &y, &dy}, image);
  }
}

}  // namespace
}  // namespace cavs::cpu
