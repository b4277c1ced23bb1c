#pragma once

#include <cstdint>

#include "data/random_sequences.h"

namespace cavs {

/// The schema of image sequences: type "frame"; index port "label"; float port "pixels", kFrameSide * kFrameSide grey
/// values, row after row.
GraphSchema moving_shapes_schema();

/// Short films of a bright square, disc or cross that moves two pixels a frame over a noisy ground, and comes in again
/// where it leaves. A frame's child is the one before. The last one has the motion as label: 3 (dy + 1) + dx + 1 for a
/// direction (dy, dx), each -1, 0 or 1; so 1 is up, and 4 still. No single frame tells.
class MovingShapeSource {
 public:
  static constexpr int kMotions = 9;

  explicit MovingShapeSource(const SequenceShape& shape) : shape_(shape) {}
  InputGraph film(Split split, std::int64_t i) const;

 private:
  SequenceShape shape_;  // length: 2 to 2 length frames, all equally often
};

}  // namespace cavs
