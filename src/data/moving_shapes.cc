#include <cmath>
#include <cstdlib>

#include "data/generator_random.h"
#include "data/sample_generators.h"

namespace cavs::inline v0_1 {
namespace {

constexpr int kForms = 3, kReach = 3;  // number of shapes; pixels from the middle of a shape to its edge
constexpr int kSpeed = 2;              // pixels per frame

/// True if a shape covers the pixel at offset (y, x) from its middle.
bool covers(std::uint32_t form, int y, int x) {
  if (std::abs(y) > kReach || std::abs(x) > kReach) return false;
  constexpr int kDisc = 1, kCross = 2;
  if (form == kDisc) return y * y + x * x <= kReach * kReach;
  return form != kCross || y == 0 || x == 0;
}

/// Returns the offset from one pixel to another in a frame that wraps around: -kFrameSide / 2 to kFrameSide / 2 - 1.
int offset(int from, int to) {
  constexpr int kHalf = kFrameSide / 2;
  return (to - from + kHalf + kFrameSide) % kFrameSide - kHalf;
}

InputGraph draw_film(const SequenceShape& shape, Split split, std::int64_t i) {
  constexpr float kNoise = 0.3F;
  Random random = random_for(Generator::kMovingShapes, shape.seed, split, i);
  const std::int32_t frames = 1 + draw_length(shape.length, random);
  const auto below = [&](std::uint32_t bound) { return static_cast<int>(random.below(bound)); };
  const int motion = below(kMotions), dy = motion / 3 - 1, dx = motion % 3 - 1;
  const auto form = static_cast<std::uint32_t>(below(kForms));
  const float brightness = 0.5F + random.uniform() / 2;
  int y = below(kFrameSide), x = below(kFrameSide);
  InputGraph graph;
  graph.types.assign(frames, 0);
  graph.child_offsets.push_back(0);
  graph.index_pulls.assign(1, std::vector<std::int32_t>(frames, -1));
  graph.index_pulls[0].back() = motion;
  graph.float_pulls.resize(1);
  for (std::int32_t t = 0; t < frames; ++t) {
    if (t > 0) graph.children.push_back(t - 1);
    graph.child_offsets.push_back(t);
    for (int row = 0; row < kFrameSide; ++row)
      for (int column = 0; column < kFrameSide; ++column) {
        const bool bright = covers(form, offset(y, row), offset(x, column));
        graph.float_pulls[0].push_back((bright ? brightness : 0.0F) + kNoise * random.uniform());
      }
    y = (y + kSpeed * dy + kFrameSide) % kFrameSide;
    x = (x + kSpeed * dx + kFrameSide) % kFrameSide;
  }
  return graph;
}

}  // namespace

GraphSchema moving_shapes_schema() {
  return {.types = {"frame"}, .index_ports = {"label"}, .float_ports = {{"pixels", kFrameSide * kFrameSide}}};
}

SampleGenerator moving_shapes(const SequenceShape& shape) {
  return [shape](Split split, std::int64_t i) { return draw_film(shape, split, i); };
}

}  // namespace cavs::inline v0_1
