// Compares windows over images with plain loops in float64.

#include <gmock/gmock.h>

#include <cmath>

#include "graphs/error_text.h"
#include "helpers/finite_differences.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Image {
  int height, width, channels;
  int size() const { return height * width * channels; }
  int at(int y, int x, int c) const { return (y * width + x) * channels + c; }
};

GraphSet images(const Image& image) {
  GraphSet set({.types = {"frame"}, .index_ports = {}, .float_ports = {{"pixels", image.size()}}});
  Numbers numbers(3);
  for (int i = 0; i < 4; ++i) {
    InputGraph graph = chain(1);
    graph.float_pulls.assign(1, {});
    while (static_cast<int>(graph.float_pulls[0].size()) < image.size())
      graph.float_pulls[0].push_back(static_cast<float>(numbers.uniform(-1, 1)));
    graph.float_present.assign(1, {static_cast<std::uint8_t>(i == 2 ? 0 : 1)});  // an absent image is all zeros
    set.add(graph);
  }
  return set;
}

Value pixels(Vertex& v, const Image& image) {
  return reshape(v.pull("pixels", image.size()), {image.height, image.width, image.channels});
}

struct Convolution {
  Image image;
  int kernel_height, kernel_width, out, stride, padding;
};

/// conv2d of one image, pixel by pixel.
std::vector<double> convolve(const Convolution& c, std::span<const float> x, std::span<const float> w,
                             std::span<const float> b) {
  std::vector<double> y;
  for (int top = -c.padding; top + c.kernel_height <= c.image.height + c.padding; top += c.stride)
    for (int left = -c.padding; left + c.kernel_width <= c.image.width + c.padding; left += c.stride)
      for (int n = 0; n < c.out; ++n) {
        double sum = b[n];
        for (int i = 0; i < c.kernel_height; ++i)
          for (int j = 0; j < c.kernel_width; ++j)
            for (int k = 0; k < c.image.channels; ++k) {
              if (top + i < 0 || top + i >= c.image.height || left + j < 0 || left + j >= c.image.width) continue;
              sum += static_cast<double>(x[c.image.at(top + i, left + j, k)]) *
                     w[((i * c.kernel_width + j) * c.image.channels + k) * c.out + n];
            }
        y.push_back(sum);
      }
  return y;
}

TEST(Conv2d, AgreesWithPlainLoopsForEveryStrideAndPadding) {
  const Convolution cases[] = {{{5, 6, 2}, 3, 3, 4, 1, 1},
                               {{5, 6, 2}, 2, 3, 17, 2, 0},
                               {{7, 4, 1}, 3, 2, 1, 3, 1},
                               {{3, 3, 3}, 3, 3, 2, 1, 0},
                               {{4, 4, 20}, 1, 1, 5, 1, 0}};
  for (const Convolution& c : cases) {
    SCOPED_TRACE(testing::Message() << c.image.height << " x " << c.image.width << ", stride " << c.stride);
    Model m{{.seed = 2}};
    auto W = m.parameter("W", {c.kernel_height, c.kernel_width, c.image.channels, c.out});
    auto B = m.parameter("b", {c.out}, Initializer::uniform(1));
    m.vertex_function("frame", [&](Vertex& v) {
      auto y = conv2d(pixels(v, c.image), W, B, c.stride, c.padding);
      v.push("y", y);
      v.loss(sum_features(exp(y * 0.5)));
    });
    const GraphSet graphs = images(c.image);
    const Bench bench(m, graphs);
    const auto samples = all_samples(graphs);
    const Result found = bench.run(samples);
    std::vector<double> expected;
    for (std::int64_t v = 0; v < graphs.vertices(); ++v) {
      std::vector<float> x(graphs.float_pulls(0).begin() + v * c.image.size(),
                           graphs.float_pulls(0).begin() + (v + 1) * c.image.size());
      if (graphs.float_present(0)[v] == 0) std::fill(x.begin(), x.end(), 0.0F);
      const auto y = convolve(c, x, bench.parameters->values(0), bench.parameters->values(1));
      expected.insert(expected.end(), y.begin(), y.end());
    }
    expect_close(std::span<const float>(found.outputs.at("y")), std::span<const double>(expected), "y");
    expect_gradients_match_differences(bench, samples, "conv2d");
    const Result reference = bench.run(samples, {.engine = EngineKind::kReference});
    for (int threads : {1, 2})
      expect_same_numbers(bench.run(samples, {.threads = threads}), reference, *bench.parameters, "reference");
  }
}

TEST(Pools, KeepTheLargestAndTheMeanOfEachChannel) {
  const Image image{5, 6, 18};
  Model m;
  m.vertex_function("frame", [&](Vertex& v) {
    v.push("largest", max_pool2d(pixels(v, image), {2, 3}, 2));
    v.push("mean", average_pool2d(pixels(v, image), {2, 3}, 2));
  });
  const GraphSet graphs = images(image);
  const Result found = Bench(m, graphs, {.training = false}).run(all_samples(graphs));
  std::vector<double> largest, mean;
  for (std::int64_t v = 0; v < graphs.vertices(); ++v)
    for (int top = 0; top + 2 <= image.height; top += 2)
      for (int left = 0; left + 3 <= image.width; left += 2)
        for (int c = 0; c < image.channels; ++c) {
          double max = -2, sum = 0;
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j) {
              const bool present = graphs.float_present(0)[v] != 0;
              const double x = present ? graphs.float_pulls(0)[v * image.size() + image.at(top + i, left + j, c)] : 0;
              max = std::max(max, x);
              sum += x;
            }
          largest.push_back(max);
          mean.push_back(sum / 6);
        }
  expect_close(std::span<const float>(found.outputs.at("largest")), std::span<const double>(largest), "largest");
  expect_close(std::span<const float>(found.outputs.at("mean")), std::span<const double>(mean), "mean");
}

TEST(Pools, TheFirstOfSeveralLargestPixelsGetsTheGradient) {
  const Image image{3, 3, 1};
  Model m;
  auto X = m.parameter("x", {9}, Initializer::zeros());
  m.vertex_function("frame", [&](Vertex& v) {
    v.loss(sum_features(max_pool2d(reshape(v(X) + 0.0, {3, 3, 1}), {2, 2}, 1)));
  });
  const GraphSet graphs = images(image);
  const Bench bench(m, graphs);
  const Result found = bench.run(std::vector<std::int32_t>{1});
  EXPECT_THAT(found.gradients.values(0), testing::ElementsAre(1, 1, 0, 1, 1, 0, 0, 0, 0));
}

std::string frame_complaint(const std::function<void(Model&, Vertex&)>& declare) {
  Model m;
  return error_of([&] { m.vertex_function("frame", [&](Vertex& v) { declare(m, v); }); });
}

TEST(Windows, ReportShapesThatDoNotFit) {
  const Image image{4, 5, 2};
  EXPECT_THAT(frame_complaint([](Model&, Vertex& v) {
                unfold(v.pull("x", 4), {2, 2});
              }),
              AllOf(HasSubstr("[unfold]"), HasSubstr("[height, width, channels]"), HasSubstr("[4]")));
  EXPECT_THAT(frame_complaint([&](Model&, Vertex& v) {
                unfold(pixels(v, image), {5, 2});
              }),
              AllOf(HasSubstr("[5, 2]"), HasSubstr("[4, 5, 2]")));
  EXPECT_THAT(frame_complaint([&](Model&, Vertex& v) {
                unfold(pixels(v, image), {2, 2}, 0);
              }),
              HasSubstr("stride is 0"));
  EXPECT_THAT(frame_complaint([&](Model&, Vertex& v) {
                unfold(pixels(v, image), {2, 3}, 1, 2);
              }),
              AllOf(HasSubstr("padding is 2"), HasSubstr("0 to 1")));
  EXPECT_THAT(frame_complaint([&](Model&, Vertex& v) {
                unfold(pixels(v, image), {46'000, 46'000}, 1, 45'999);
              }),
              HasSubstr("2^31"));
  EXPECT_THAT(frame_complaint([&](Model&, Vertex& v) {
                max_pool2d(pixels(v, image), {0, 2}, 1);
              }),
              HasSubstr("[0, 2]"));
  EXPECT_THAT(frame_complaint([&](Model&, Vertex& v) {
                apply_op("max_pool2d", {pixels(v, image)},
                         attr::Window{.kernel_height = 2, .kernel_width = 2, .stride = 1, .padding = 1});
              }),
              HasSubstr("no padding"));
  EXPECT_THAT(
      frame_complaint([&](Model& m, Vertex& v) {
        conv2d(pixels(v, image), m.parameter("W", {3, 3, 4, 8}), m.parameter("b", {8}));
      }),
      AllOf(HasSubstr("[conv2d]"), HasSubstr("[4, 5, 2]"), HasSubstr("'W' [3, 3, 4, 8]"), HasSubstr("'frame'")));
}

}  // namespace
}  // namespace cavs
