#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cavs/data.h"
#include "support/philox.h"

namespace cavs::inline v0_1 {

/// Draws the samples of a stream in random order with at most `size` samples in memory. Each draw takes a random sample
/// from memory and replaces it by the stream's next sample. A pure function of (stream, size, seed, epoch). Several
/// buffers, on any threads, may draw from one stream: if another buffer has read the stream since, a buffer restarts
/// the epoch and skips the samples that it has already drawn.
class ShuffleBuffer {
 public:
  /// A `size` of 1 keeps the order of the stream.
  ShuffleBuffer(std::shared_ptr<SampleStream> stream, std::int64_t size, std::uint64_t seed);

  /// Begins an epoch and skips its first `skip` samples. Cost: reads these samples and fills the buffer.
  void begin(std::int64_t epoch, std::int64_t skip);
  /// The next sample of the epoch, which must have one left.
  InputGraph next();

 private:
  void begin_reading();
  InputGraph draw();

  std::shared_ptr<SampleStream> stream_;
  std::int64_t size_;
  std::uint64_t seed_;
  Random random_;
  std::int64_t epoch_ = 0, drawn_ = 0;  // current epoch, and number of samples drawn in it
  std::int64_t read_ = 0;               // number of samples read from the stream in this epoch
  std::vector<InputGraph> buffer_;
};

}  // namespace cavs::inline v0_1
