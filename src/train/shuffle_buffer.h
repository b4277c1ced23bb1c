#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cavs/data.h"
#include "support/philox.h"

namespace cavs::inline v0_1 {

/// Draws the samples of a stream in a random order with at most `size` of them in memory: the next one is any of those,
/// and the stream's next takes its place. A pure function of (stream, size, seed, epoch). Several buffers, of any
/// thread, may draw from one stream: one that finds that another has read it begins the epoch again and skips what it
/// has drawn.
class ShuffleBuffer {
 public:
  /// `size` 1: the stream's own order.
  ShuffleBuffer(std::shared_ptr<SampleStream> stream, std::int64_t size, std::uint64_t seed);

  /// Begins an epoch behind its first `skip` samples. Cost: reading these and filling the buffer.
  void begin(std::int64_t epoch, std::int64_t skip);
  /// The next sample of the epoch; to be called as often as it has some left.
  InputGraph next();

 private:
  void begin_reading();
  InputGraph draw();

  std::shared_ptr<SampleStream> stream_;
  std::int64_t size_;
  std::uint64_t seed_;
  Random random_;
  std::int64_t epoch_ = 0, drawn_ = 0;
  std::int64_t read_ = 0;  // of the stream
  std::vector<InputGraph> buffer_;
};

}  // namespace cavs::inline v0_1
